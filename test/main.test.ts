import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { buildPrograms, type Program, run } from './fixtures/programs.ts'

// Away from node_modules, as in a container that holds the bundle alone.
const dist = mkdtempSync(join(tmpdir(), 'swapgate-'))
t.teardown(() => rmSync(dist, { recursive: true }))
buildPrograms(dist)
const main = join(dist, 'main.js')

async function listening({ child, text }: Program): Promise<string> {
  while (!text.out.includes('listening')) await once(child.stdout!, 'data')
  return (JSON.parse(text.out.split('\n')[0]!) as { url: string }).url
}

const LIVE = { MODE: 'live', PORT: '0', SOLANA_RPC_URLS: 'http://127.0.0.1:1' }

t.test('the help names every variable, and nothing is started', async (t) => {
  const help = await run(t, main, {}, '--help').exit
  t.equal(help.code, 0)
  t.match(help.out, /^swapgate: [\s\S]* PORT [\s\S]* SOLANA_RPC_URLS [\s\S]* LIMITS /)
  t.match(await run(t, main, {}, '--version').exit, { code: 0, out: '0.1.0-beta\n' })
})

t.test('a bad configuration ends the process with one error that names all of it', async (t) => {
  const bad = await run(t, main, { PORT: 'x', MODE: 'y', SOLANA_RPC_URLS: 'ftp://key@host' }).exit
  t.match(bad, { code: 1, out: '' })
  t.match(bad.err, /PORT="x"[\s\S]*MODE="y"[\s\S]*SOLANA_RPC_URLS=\(not shown\)/)
  t.notMatch(bad.err, 'key@host')
})

t.test('a misspelled variable or flag ends the process with what was meant', async (t) => {
  const environment = { ...LIVE, HOSTNAME: 'box', LOGLEVEL: 'x', SWAPGATE_PORT: 'tcp://10.0.0.1:80' }
  const typo = await run(t, main, { ...environment, QUOTE_SECRETS: 'x'.repeat(40) }).exit
  t.match(typo, { code: 1, out: '' })
  t.match(typo.err, /^swapgate: bad configuration:\n {2}QUOTE_SECRETS is not read; QUOTE_SECRET is\..*\n$/)
  const flag = await run(t, main, environment, '--hepl').exit
  t.match(flag, { code: 1, out: '', err: 'swapgate: "--hepl" is not a flag: --help is\n' })
})

t.test('live mode runs from the bundle alone, and stops on a signal', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const live = run(t, main, LIVE)
    const url = await listening(live)
    t.equal((await fetch(`${url}/api/health`)).status, 200)
    live.child.kill(signal)
    t.match(await live.exit, { code: 0, out: /"msg":"stopped"/, err: '' }, signal)
  }
})

t.test('a reader of the log that goes away leaves the service running', async (t) => {
  const live = run(t, main, LIVE)
  const url = await listening(live)
  live.child.stdout!.destroy()
  await once(live.child.stdout!, 'close')
  // More than the log gathers before it writes.
  for (let i = 0; i < 100; i++) await (await fetch(`${url}/api/health`)).arrayBuffer()
  t.equal((await fetch(`${url}/api/chains`)).status, 200)
  live.child.kill('SIGTERM')
  t.match(await live.exit, { code: 0, err: '' })
})

t.test('the sandbox says what to install where its packages are missing', async (t) => {
  t.match(await run(t, main, { PORT: '0' }).exit, {
    code: 1,
    err: /^swapgate: The sandbox needs .*npm install litesvm@1\.5\.0.*\n$/,
  })
})

t.test('a port that is taken ends the process with a sentence', async (t) => {
  const first = run(t, main, LIVE)
  const { port } = new URL(await listening(first))
  const second = await run(t, main, { ...LIVE, PORT: port }).exit
  t.match(second, { code: 1, err: /^swapgate: .*address already in use/ })
  t.notMatch(second.err, / at /, 'no stack')
})

t.test('a bad list of tokens ends the process; at a SIGHUP, it leaves the tokens as they were', async (t) => {
  const path = join(t.testdir(), 'tokens.json')
  const markets = ['DEXSCREENER', 'GECKOTERMINAL', 'GOPLUS', 'RUGCHECK', 'JUPITER', 'DEFILLAMA']
  const off = Object.fromEntries(markets.map((name) => [`${name}_URL`, 'off']))
  const environment = { ...LIVE, ...off, TOKENS_FILE: path }
  t.match(await run(t, main, environment).exit, {
    code: 1,
    err: 'swapgate: TOKENS_FILE: The file cannot be read (ENOENT).\n',
  })
  writeFileSync(path, '{"tokens":[]}')
  const live = run(t, main, environment)
  const url = await listening(live)
  writeFileSync(path, '{"tokens":[1]}')
  live.child.kill('SIGHUP')
  while (!live.text.out.includes('could not be read')) await once(live.child.stdout!, 'data')
  t.equal((await fetch(`${url}/api/health`)).status, 200)
  const token = { chain: 'base', address: '0x1111111111111111111111111111111111111111', symbol: 'OURS' }
  writeFileSync(path, JSON.stringify({ tokens: [token] }))
  live.child.kill('SIGHUP')
  while (!live.text.out.includes('were read')) await once(live.child.stdout!, 'data')
  const list = (await (await fetch(`${url}/api/tokens?scope=operator`)).json()) as { tokens: object[] }
  t.match(list.tokens, [token])
  live.child.kill('SIGTERM')
  t.match(await live.exit, { code: 0 })
})

t.test('bad content ends the process; at a SIGHUP, it leaves the content as it was', async (t) => {
  const folder = t.testdir({ 'announcements.jsonl': '{}' })
  const file = join(folder, 'announcements.jsonl')
  const environment = { ...LIVE, CONTENT_DIR: folder }
  t.match(await run(t, main, environment).exit, {
    code: 1,
    err: /^swapgate: CONTENT_DIR: announcements\.jsonl:1: `item\.id` is required .*\n$/,
  })
  writeFileSync(file, '')
  const live = run(t, main, environment)
  const url = await listening(live)
  writeFileSync(file, 'nothing')
  live.child.kill('SIGHUP')
  while (!live.text.out.includes('announcements.jsonl:1')) await once(live.child.stdout!, 'data')
  t.same(await (await fetch(`${url}/api/announcements`)).json(), { items: [] })
  writeFileSync(file, JSON.stringify({ id: 'a', at: '2026-11-21T12:00:00Z', title: 'A', text: 'B' }))
  live.child.kill('SIGHUP')
  while (!live.text.out.includes('content was read')) await once(live.child.stdout!, 'data')
  t.match(await (await fetch(`${url}/api/announcements`)).json(), { items: [{ id: 'a' }] })
  live.child.kill('SIGTERM')
  t.match(await live.exit, { code: 0 })
})
