/** `@swapgate/client/verify` against two thousand changes of a hostile gateway, and in other engines than Node's. */

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { verify } from '../../../src/clients/verify/index.ts'
import { builtHonestly, decimals } from '../../fixtures/built.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { INSTANT } from '../../fixtures/clock.ts'
import { SEED } from '../../fixtures/fast-check.ts'
import { installed } from '../../fixtures/installed.ts'
import { attacksOn } from '../../fixtures/mitm.ts'
import { installClient } from '../../fixtures/programs.ts'

const COUNT = 2_000
const OPTIONS = {
  trust: { decimals },
  accept: ['outcome', 'source_minimum', 'router', 'jetton_wallet'],
  now: () => INSTANT,
}
const all = await builtHonestly()

t.test('nothing that a hostile gateway makes of its builds is confirmed', async (t) => {
  const seen = new Map<string, number>()
  for (const { name, built, answer } of attacksOn(all, new Random(SEED, 0), COUNT)) {
    const { isVerified } = await verify(built.order, answer, OPTIONS)
    if (isVerified) t.fail(`${built.route.title}: ${name}`, { answer })
    const key = `${built.route.family}: ${name}`
    seen.set(key, (seen.get(key) ?? 0) + 1)
  }
  t.ok(seen.size >= 30, `${seen.size} kinds by family`)
})

/** Each package is a program for one platform. */
const ENGINES = [
  {
    name: 'Deno',
    package: '@deno/linux-x64-glibc',
    version: '2.9.6',
    program: 'deno',
    flags: ['run', '--allow-read', '--no-remote'],
  },
  { name: 'Bun', package: '@oven/bun-linux-x64', version: '1.4.5', program: 'bin/bun', flags: [] },
]
const isThere = process.platform === 'linux' && process.arch === 'x64'

/** It has no function of Node's: what it is told comes as text in the module. */
const judge = (cases: string) => `
import { verify } from './node_modules/@swapgate/client/verify/index.js'
const { cases, decimals, accept, now } = ${cases}
const trust = { decimals: async (_chain, token) => decimals[token] ?? null }
const verdicts = []
for (const { order, answer } of cases) {
  const { isVerified, level, rule, stated } = await verify(order, answer, { trust, accept, now: () => now })
  verdicts.push([isVerified, level ?? rule, stated ?? []])
}
console.log(JSON.stringify(verdicts))
`

for (const engine of ENGINES) {
  t.test(
    `${engine.name} draws the line where Node does`,
    { skip: isThere ? false : 'no program for this platform' },
    async (t) => {
      const app = t.testdir()
      installClient(app)
      const attempts = attacksOn(all, new Random(SEED, 2), 100).map(({ built, answer }) => ({
        order: built.order,
        answer,
      }))
      const cases = [...all.map(({ order, answer }) => ({ order, answer })), ...attempts]
      const known: Record<string, number | null> = {}
      for (const { order } of cases)
        if ('token' in order) known[order.token] = await decimals('', order.token)
      for (const { order } of cases)
        if ('toToken' in order && order.toToken) known[order.toToken] = await decimals('', order.toToken)
      writeFileSync(
        join(app, 'judge.mjs'),
        judge(JSON.stringify({ cases, decimals: known, accept: OPTIONS.accept, now: INSTANT })),
      )
      const folder = await installed(engine.name.toLowerCase(), { [engine.package]: engine.version })
      const program = join(folder, 'node_modules', engine.package, engine.program)
      const { stdout } = await promisify(execFile)(program, [...engine.flags, 'judge.mjs'], {
        cwd: app,
        maxBuffer: 2 ** 24,
      })
      const expected: unknown[] = []
      for (const { order, answer } of cases) {
        const verdict = await verify(order, answer, OPTIONS)
        expected.push(verdict.isVerified ? [true, verdict.level, verdict.stated] : [false, verdict.rule, []])
      }
      t.same(JSON.parse(stdout), expected)
    },
  )
}
