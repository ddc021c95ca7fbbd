import { execFile, execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { readPages } from '../../../scripts/docs/pages.ts'
import { CLOCK, type Clock } from '../../../src/runtime/clock.ts'
import type { TokenList } from '../../../src/runtime/resources/tokens.ts'
import { clockOf, INSTANT, runningClock } from '../../fixtures/clock.ts'
import { listen } from '../../fixtures/gateway.ts'
import { blocksOf, differences, differencesOf, samplesOf } from '../../fixtures/samples.ts'

const pages = readPages().map(({ name }) => name)

const hasCurl = (() => {
  try {
    execFileSync('curl', ['--version'])
    return true
  } catch {
    return false
  }
})()
const skip = hasCurl ? false : 'the samples ask with curl, which is not installed'

/** A server that puts the time of day forward by the seconds of the path, so that a sample may sleep and no test does. */
async function startClock(t: Test): Promise<{ readonly url: string; date(): number }> {
  let slept = 0
  const server = createServer((request, response) => {
    slept += 1_000 * Number(request.url!.slice(1))
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { url, date: () => INSTANT + slept }
}

t.test('the samples are what a sandboxed gateway answers', { skip }, async (t) => {
  const all = pages
    .map((name) => ({ name, samples: samplesOf(name) }))
    .filter(({ samples }) => samples.length > 0)
  t.ok(all.length >= 5)
  for (const { name } of all) t.same(await replayed(t, name), [], name)
})

/** A page's commands, asked of a gateway and a sandbox of their own. */
async function replayed(t: Test, name: string): Promise<readonly string[]> {
  let now = 0
  const { url: sleep, date } = await startClock(t)
  let isLooking = name === 'docs/research.md'
  // The list looks each second whether a rebuild is due.
  const after: Clock['after'] = (ms, run) => CLOCK.after(ms === 1_000 && isLooking ? 20 : ms, run)
  const { url } = await listen(t, {}, { clock: clockOf({ now: () => now, date, after }) })
  if (name === 'docs/research.md') {
    // Until the list knows the risks that the page shows: a few rebuilds, ten seconds apart.
    const isChecked = async () => {
      const { tokens } = (await (await fetch(`${url}/api/tokens?all=true&scope=base`)).json()) as TokenList
      return tokens.some(({ name, gate }) => name === 'HONEY (sandbox)' && gate !== undefined)
    }
    for (let looks = 0; !(await isChecked()); looks++) {
      if (looks === 200) throw new Error('the list does not come to know the risks that the page shows')
      now += 10_000
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    isLooking = false
  }
  return differencesOf(name, url, sleep)
}

t.test('a sample that says something else is found', async (t) => {
  const answer = { code: 'x', price: 1, tokens: [{ a: '1' }, { a: '2' }, { b: 3 }], checks: ['a', 'b'] }
  t.same(differences({ code: 'x', price: 2, tokens: [{ a: '1' }, { b: 3 }], checks: ['a', 'b'] }, answer), [])
  t.same(differences({ checks: ['a', '...'] }, answer), [])
  t.same(differences({ code: 'lo...' }, { code: 'long' }), [])
  for (const wrong of [
    { code: 'y' },
    { code: 'y...' },
    { price: '2' },
    { price: null },
    { tokens: [{ b: 3 }, { a: '1' }] },
    { tokens: [{ c: 1 }] },
    { checks: ['a'] },
    { checks: ['b', '...'] },
    { other: 1 },
  ]) {
    t.equal(differences(wrong, answer).length, 1, JSON.stringify(wrong))
  }
})

t.test('the demo says what the README shows, but for its figures and addresses', async (t) => {
  // Slots pass while it waits for its transaction.
  const { url } = await listen(t, {}, { clock: runningClock() })
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import=./scripts/ts-loader.mjs', 'src/sandbox/demo.ts'],
    { env: { ...process.env, SWAPGATE_URL: url } },
  )
  const shown = blocksOf('README.md').find(({ text }) => text.includes('sign and submit it'))!.text
  // Parts may be left out.
  const said = formOf(stdout)
  const missing = formOf(shown).filter(
    (line) => line !== '…' && !said.splice(0, said.indexOf(line) + 1).length,
  )
  t.same(missing, [])
})

/** The first column is a time, and its width is that of the figure. */
const formOf = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/[1-9A-HJ-NP-Za-km-z]{32,}/g, 'X')
        .replace(/^\d+\.\d ms/, 'N ms'),
    )
    .map((line) => (/quote|USDC|in all|checks/.test(line) ? line.replace(/\d+(\.\d+)?/g, 'N') : line))
