/** What the service can do, in whatever form it is run: programs.test.ts tries it of each program that is built. */
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js'
import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import { WebSocket } from 'ws'
import type { Client, createClient } from '../../../src/clients/client/index.ts'
import { visit } from '../../fixtures/browser.ts'
import { openEvents } from '../../fixtures/events.ts'
import { Clients } from '../../fixtures/instances.ts'
import { OpenApi } from '../../fixtures/openapi.ts'
import { listening, type Program, run, said } from '../../fixtures/programs.ts'
import { until } from '../../fixtures/redis.ts'
import { CROSS_CHAIN, EVM_WALLET, fund, query, SOLANA_WALLET, SWAPS, USDC } from '../../fixtures/swaps.ts'

/** What a program needs of its environment to start, and nothing that it calls. */
export const LIVE = { MODE: 'live', PORT: '0', SOLANA_RPC_URLS: 'http://127.0.0.1:1' }

const BAD = { PORT: 'x', MODE: 'y', SOLANA_RPC_URLS: 'ftp://key@host', QUOTE_SECRETS: 'x'.repeat(40) }

/** One of the forms in which the service is run. */
export interface BuiltProgram {
  readonly name: string
  /** Starts a process, killed at the end of the test. @param options  of Node.js */
  start(t: Test, environment: Record<string, string>, options?: StartOptions): Program
  /** What it says in sandbox mode, where the sandbox's packages are not installed. */
  readonly withoutSandbox: RegExp
  /** How a stack trace names the place in main.ts that ends the process. */
  readonly frame: RegExp
}

interface StartOptions {
  /** Arguments of the program. */
  readonly args?: readonly string[]
  /** A module that runs before the program. */
  readonly before?: string
}

export interface Instance {
  readonly program: Program
  readonly url: string
  readonly adminUrl: string
}

/** Four instances of one program, which share a Redis, before the stand-alone sandbox. */
export interface Deployment {
  readonly program: BuiltProgram
  /** What puts an instance before the sandbox. */
  readonly environment: Record<string, string>
  readonly instances: readonly Instance[]
  /** The operator's files of the first instance. */
  readonly tokensFile: string
  readonly contentDir: string
  readonly solanaRpc: string
  /** The file of swapgate-replay. */
  readonly replay: string
  /** Of the packed client. */
  readonly createClient: typeof createClient
  /** Null if there is no Chromium. */
  readonly browser: Browser | null
}

/** Asked of processes that a check starts itself. */
export const COMMANDS: Readonly<Record<string, (t: Test, program: BuiltProgram) => Promise<void>>> = {
  'help and version': help,
  'a bad configuration': badConfiguration,
  'bad files of the operator': badFiles,
  'source positions in a stack trace': stackTrace,
  'SIGHUP while it starts': earlyReload,
  WORKERS: workers,
  'without litesvm and @solana/web3.js': withoutSandbox,
}

/** Asked of four instances that run. The last one stops them. */
export const SERVICE: Readonly<Record<string, (t: Test, deployment: Deployment) => Promise<void>>> = {
  'the nine endpoints, by the packed client': endpoints,
  'event streams': eventStream,
  'transactions and WebSockets, by VERIFIER=noble and native': submissions,
  'the console in Chromium': consolePage,
  ADMIN_PORT: adminListener,
  'TOKENS_FILE and SIGHUP': tokensFile,
  'CONTENT_DIR and SIGHUP': contentDir,
  'Redis: windows are counted together': sharedWindows,
  'Redis: a transaction is sent once': sharedSubmissions,
  'PRICE_FLOOR_BPS, OPERATIONS and CORS_ORIGINS': settings,
  'a taken port': takenPort,
  'a check of every upstream': check,
  'RECORD_DIR, replayed by swapgate-replay': recordings,
  'signals, and a reader of the log that went away': stops,
}

async function check(t: Test, { program, environment }: Deployment) {
  const { code, out } = await program.start(t, environment, { args: ['--check'] }).exit
  t.equal(code, 0)
  for (const line of [/^ *jupiter +answers$/m, /^ *solana +can build$/m, /^ *evm +can build$/m])
    t.match(out, line)
}

async function recordings(t: Test, { program, environment, replay }: Deployment) {
  const dir = t.testdir()
  const running = program.start(t, { ...environment, RECORD_DIR: dir })
  const { url } = await listening(running)
  t.equal((await patientFetch(`${url}/api/quote?${query(SWAPS.base)}`)).status, 200)
  running.child.kill('SIGTERM')
  await running.exit
  const files = readdirSync(dir).map((name) => join(dir, name))
  const replayed = await run(t, replay, {}, ...files).exit
  t.match(replayed, { code: 0, out: /^the same: \S+, 200 GET \/api\/quote\?/, err: '' })
}

async function help(t: Test, program: BuiltProgram) {
  const { code, out } = await program.start(t, {}, { args: ['--help'] }).exit
  t.equal(code, 0)
  t.match(out, /^swapgate: [\s\S]* PORT [\s\S]* SOLANA_RPC_URLS [\s\S]* LIMITS /)
  t.match(await program.start(t, {}, { args: ['--version'] }).exit, { code: 0, out: '0.1.0-beta.1\n' })
}

async function badConfiguration(t: Test, program: BuiltProgram) {
  const bad = await program.start(t, { ...BAD, HOSTNAME: 'box', LOGLEVEL: 'x' }).exit
  t.match(bad, { code: 1, out: '' })
  t.match(bad.err, /PORT="x"[\s\S]*MODE="y"[\s\S]*SOLANA_RPC_URLS=\(not shown\)/)
  t.match(bad.err, /\n {2}QUOTE_SECRETS is not read; QUOTE_SECRET is\./)
  t.notMatch(bad.err, /key@host|HOSTNAME|LOGLEVEL/)
  const flag = await program.start(t, LIVE, { args: ['--hepl'] }).exit
  t.match(flag, { code: 1, out: '', err: 'swapgate: "--hepl" is not a flag: --help is\n' })
}

async function badFiles(t: Test, program: BuiltProgram) {
  const folder = t.testdir({ 'announcements.jsonl': '{}' })
  for (const [file, message] of [
    [
      { TOKENS_FILE: join(folder, 'none') },
      /^swapgate: TOKENS_FILE: \/.*\/none: The file cannot be read \(ENOENT\)\.\n$/,
    ],
    [{ CONTENT_DIR: folder }, /^swapgate: CONTENT_DIR: announcements\.jsonl:1: `item\.id` is required .*\n$/],
  ] as const) {
    t.match(await program.start(t, { ...LIVE, ...file }).exit, { code: 1, err: message })
  }
}

async function stackTrace(t: Test, program: BuiltProgram) {
  const before = `process.exit = () => { throw new Error('stop') }`
  const { err } = await program.start(t, { MODE: 'none' }, { before }).exit
  t.match(err, program.frame)
}

async function workers(t: Test, program: BuiltProgram) {
  const running = program.start(t, { ...LIVE, WORKERS: '2' })
  const { url } = await listening(running)
  const lines = /"worker":(\d+)[^\n]*"route":"\/api\/chains"/g
  const serving = () => new Set([...running.text.out.matchAll(lines)].map(([, worker]) => worker))
  const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]
  const canShare = process.platform === 'linux' && (major > 22 || (major === 22 && minor >= 12))
  await until(async () => {
    // A connection of its own, so that the system chooses a thread anew.
    await new Promise((resolve, reject) =>
      get(`${url}/api/chains`, { agent: false }, (reply) => reply.resume().on('end', resolve)).on(
        'error',
        reject,
      ),
    )
    return canShare ? serving().size === 2 : running.text.out.includes('one worker only')
  })
  running.child.kill('SIGTERM')
  const { code, out } = await running.exit
  t.equal(code, 0)
  t.match(out, /"whole":true,"msg":"stopped"/)
}

async function earlyReload(t: Test, program: BuiltProgram) {
  // When it reads the file, and when it listens.
  const before = `import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    import { Server } from 'node:net'
    const signal = () => process.kill(process.pid, 'SIGHUP')
    const { openSync } = fs
    let opened = 0
    fs.openSync = (path, ...rest) => {
      if (path === process.env.SANCTIONS_FILE && opened++ === 0) signal()
      return openSync(path, ...rest)
    }
    syncBuiltinESMExports()
    const { listen } = Server.prototype
    Server.prototype.listen = function (...args) {
      signal()
      return listen.apply(this, args)
    }`
  const SANCTIONS_FILE = join(t.testdir({ refused: `0x${'1'.repeat(40)}\n` }), 'refused')
  const running = program.start(t, { ...LIVE, SANCTIONS_FILE }, { before })
  const { url } = await listening(running)
  await until(() => running.text.out.split('addresses to refuse were read').length >= 3)
  t.equal((await fetch(`${url}/api/health`)).status, 200)
}

async function withoutSandbox(t: Test, program: BuiltProgram) {
  t.match(await program.start(t, { PORT: '0' }).exit, { code: 1, err: program.withoutSandbox })
}

/** Asks again while the service sheds load, as a machine that runs other tests too may make it do. */
const patientFetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
  for (;;) {
    const response = await fetch(url, init)
    if (response.status !== 503) return response
    await response.arrayBuffer()
    await sleep(100)
  }
}

const readJson = async <T = unknown>(url: string): Promise<T> =>
  (await patientFetch(url)).json() as Promise<T>

const clientOf = (deployment: Deployment, { url }: Instance): Client =>
  deployment.createClient({ baseUrl: url, fetch: patientFetch })

async function endpoints(t: Test, deployment: Deployment) {
  const client = clientOf(deployment, deployment.instances[0]!)
  const api = new OpenApi({ ...(await client.openapi()) })
  const quote = await client.quote(SWAPS.base)
  const answers = {
    'GET /api/tokens': await client.tokens({ scope: 'base' }),
    'GET /api/token/{chain}/{address}': await client.token({ chain: 'base', address: USDC.base }),
    'GET /api/chains': await client.chains(),
    'GET /api/portfolio': await client.portfolio({
      address: EVM_WALLET,
      chains: ['base'],
      sol: SOLANA_WALLET,
    }),
    'GET /api/quote': quote,
    'POST /api/build': await client.build({ ...SWAPS.base, quote }),
    'GET /api/xquote': await client.xquote(CROSS_CHAIN),
    'GET /api/xstatus': await client.xstatus({ txHash: `0x${'ab'.repeat(32)}`, fromChain: 'base' }),
  }
  for (const [operation, answer] of Object.entries(answers)) {
    const [method, path] = operation.split(' ') as [string, string]
    t.same(api.response(method.toLowerCase(), path, 200, answer), [], operation)
  }
  t.match(answers['GET /api/tokens'].tokens, [{ chain: 'base', address: /^0x/ }])
  t.match(answers['POST /api/build'], { to: /^0x/, data: /^0x/ })
  t.match(await client.rpc('getLatestBlockhash'), { value: { blockhash: String } }, 'POST /api/solrpc')
}

async function eventStream(t: Test, { instances }: Deployment) {
  const stream = await openEvents(t, `${instances[0]!.url}/api/prices/stream?tokens=ethereum:native`)
  t.equal(stream.status, 200)
  // On a busy machine the first list has no prices yet.
  const isPriced = ({ data }: { readonly data: unknown }): boolean =>
    typeof (data as { readonly prices?: readonly { readonly price: unknown }[] }).prices?.[0]?.price ===
    'number'
  await until(() => stream.events.some(isPriced))
  t.match(stream.events[0], { name: 'snapshot', data: { prices: [{ chain: 'ethereum' }] } })
}

async function submissions(t: Test, deployment: Deployment) {
  // The first verifies natively, the second with noble.
  for (const instance of deployment.instances.slice(0, 2)) {
    const client = clientOf(deployment, instance)
    const bytes = await signedTransfer(client, deployment.solanaRpc)
    const forged = Buffer.from(bytes)
    forged[10]! ^= 1
    await t.rejects(send(client, forged), { code: 'signature_invalid' })

    const socket = new WebSocket(`${instance.url.replace('http', 'ws')}/api/solrpc`)
    t.teardown(() => socket.terminate())
    const messages: unknown[] = []
    socket.on('message', (data) => messages.push(JSON.parse(String(data))))
    await once(socket, 'open')
    const signature = await send(client, bytes)
    const params = [signature, { commitment: 'confirmed' }]
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'signatureSubscribe', params }))
    await until(() => messages.length === 2)
    t.match(messages, [
      { id: 1, result: Number },
      { method: 'signatureNotification', params: { result: { value: { err: null } } } },
    ])
  }
}

/** A transfer of a new wallet's to itself. */
async function signedTransfer(client: Client, solanaRpc: string): Promise<Buffer> {
  const wallet = Keypair.generate()
  await fund(solanaRpc, wallet.publicKey.toBase58())
  const latest = await client.rpc<{ value: { blockhash: string } }>('getLatestBlockhash')
  const transaction = new Transaction({ feePayer: wallet.publicKey, recentBlockhash: latest.value.blockhash })
  const toPubkey = new PublicKey(SOLANA_WALLET)
  transaction.add(SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey, lamports: 1_000_000 }))
  transaction.sign(wallet)
  return transaction.serialize()
}

const send = (client: Client, transaction: Buffer): Promise<string> =>
  client.rpc('sendTransaction', [transaction.toString('base64'), { encoding: 'base64' }])

async function consolePage(t: Test, { browser, instances }: Deployment) {
  if (browser === null) return t.comment('left out: Chromium is not installed')
  const { page } = await visit(t, browser, instances[0]!.url)
  await page
    .getByRole('rowheader', { name: /^E? ?ETH/ })
    .first()
    .waitFor()
  t.equal(await page.title(), 'Tokens · swapgate')
}

async function adminListener(t: Test, { instances }: Deployment) {
  const [{ url, adminUrl }] = instances as [Instance]
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  // On a busy machine Redis may just have answered late, which is `degraded`.
  t.match(text, /^swapgate_redis_up [01]$/m)
  t.match(text, /^swapgate_requests_total\{.*route="\/api\/quote".*\} [1-9]/m)
  t.equal((await fetch(`${adminUrl}/ready`)).status, 200)
  t.match(await (await fetch(adminUrl)).text(), /<title>/i)
  t.equal((await patientFetch(`${url}/metrics`)).status, 404)
}

/** A list of tokens in TOKENS_FILE, of one token. */
export const operatorTokens = (symbol: string): string =>
  JSON.stringify({
    tokens: [{ chain: 'base', address: '0x1111111111111111111111111111111111111111', symbol }],
  })

async function tokensFile(t: Test, { instances, tokensFile }: Deployment) {
  const [{ program, url }] = instances as [Instance]
  const list = () => readJson(`${url}/api/tokens?scope=operator`)
  const reload = (text: string): void => {
    writeFileSync(tokensFile, text)
    program.child.kill('SIGHUP')
  }
  t.match(await list(), { tokens: [{ chain: 'base', symbol: 'FIRST' }] })
  reload('{"tokens":[1]}')
  await said(program, 'tokens could not be read')
  t.match(await list(), { tokens: [{ chain: 'base', symbol: 'FIRST' }] }, 'the tokens are as before')
  const timesRead = () => program.text.out.split('tokens were read').length - 1
  const before = timesRead()
  reload(operatorTokens('SECOND'))
  await until(() => timesRead() === before + 1)
}

async function contentDir(t: Test, { instances, contentDir }: Deployment) {
  const [{ program, url }] = instances as [Instance]
  const announcements = () => readJson<{ items: unknown[] }>(`${url}/api/announcements`)
  const reload = (text: string): void => {
    writeFileSync(join(contentDir, 'announcements.jsonl'), text)
    program.child.kill('SIGHUP')
  }
  reload('nothing')
  await said(program, 'announcements.jsonl:1')
  t.same(await announcements(), { items: [] }, 'the content is as before')
  reload(JSON.stringify({ id: 'a', at: '2026-11-21T12:00:00Z', title: 'A', text: 'B' }))
  await until(async () => (await announcements()).items.length > 0)
  t.match(await announcements(), { items: [{ id: 'a' }] })
}

/** An instance that waited too long for Redis decides alone; on a busy machine the test asks again. */
async function sharedWindows(t: Test, { instances }: Deployment) {
  for (const { url } of instances) t.match(await readJson(`${url}/api/health`), { redis: /^(ok|degraded)$/ })
  const clients = new Clients(t)
  const left = async (instance: Instance): Promise<number> => {
    const { headers } = await clients.send(instance, 1, 'rpcBatch')
    return Number(/"rpcBatch-global";r=(\d+)/.exec(String(headers.ratelimit))?.[1])
  }
  await until(async () => {
    const counts: number[] = []
    for (const instance of instances) counts.push(await left(instance))
    return counts.every((count, i) => i === 0 || count === counts[i - 1]! - 1)
  })
  t.pass('each instance counts on from the one before')
}

async function sharedSubmissions(t: Test, deployment: Deployment) {
  const { instances } = deployment
  const clients = instances.map((instance) => clientOf(deployment, instance))
  const calls = async () => {
    const line = 'swapgate_upstream_calls_total{upstream="solana-1",lane="sendTransaction"'
    return (await sums(instances, [line]))[0]!
  }
  await until(async () => {
    const bytes = await signedTransfer(clients[0]!, deployment.solanaRpc)
    const before = await calls()
    // Who waited too long for Redis sends by itself, perhaps what has landed meanwhile: that try shows nothing.
    const sent = await Promise.allSettled(clients.map((client) => send(client, bytes)))
    if (sent.some(({ status }) => status === 'rejected')) return false
    t.equal(new Set(sent.map((one) => one.status === 'fulfilled' && one.value)).size, 1)
    return (await calls()) === before + 1
  })
  t.pass('one instance sends, four answer')
}

/** Figures of all instances together. Metrics are made once a second. */
async function sums(instances: readonly Instance[], lines: readonly string[]): Promise<number[]> {
  await sleep(1_000)
  const texts = await Promise.all(
    instances.map(async ({ adminUrl }) => (await fetch(`${adminUrl}/metrics`)).text()),
  )
  return lines.map((line) =>
    texts
      .flatMap((text) => text.split('\n').filter((one) => one.startsWith(line)))
      .reduce((total, one) => total + Number(one.slice(one.lastIndexOf(' ') + 1)), 0),
  )
}

/** Of a fifth instance. What differs from the others is what it is set to. */
async function settings(t: Test, { program, environment, instances }: Deployment) {
  const others = instances[0]!.url
  const set = { PRICE_FLOOR_BPS: '1', OPERATIONS: 'admin', ADMIN_PORT: '0', CORS_ORIGINS: 'off' }
  const { url, adminUrl } = await listening(program.start(t, { ...environment, ...set }))
  const path = `/api/quote?${query(SWAPS.base)}`
  t.match(await readJson(others + path), { unpriced: false, fairOut: /^\d+$/ })
  t.match(await readJson(url + path), { code: 'price_out_of_line', scope: 'provider' })

  const statistics = '/api/diagnostics'
  const statusOf = async (at: string) => (await patientFetch(at + statistics)).status
  t.same(await Promise.all([others, url, adminUrl!].map(statusOf)), [200, 404, 200])

  const post = async (to: string): Promise<number> => {
    const headers = { origin: 'https://elsewhere.example', 'content-type': 'text/plain' }
    return (await patientFetch(`${to}/api/solrpc`, { method: 'POST', headers, body: '{}' })).status
  }
  t.same([await post(others), await post(url)], [415, 403])
}

async function takenPort(t: Test, { program, instances }: Deployment) {
  const { port } = new URL(instances[0]!.url)
  const { code, err } = await program.start(t, { ...LIVE, PORT: port }).exit
  t.equal(code, 1)
  t.match(err, /^swapgate: PORT=\d+: another program listens on this port \(.*address already in use/)
  t.notMatch(err, / at /, 'no stack')
}

async function stops(t: Test, { instances }: Deployment) {
  const [first, second, third, deaf] = instances as [Instance, Instance, Instance, Instance]
  for (const [{ program }, signal] of [
    [first, 'SIGTERM'],
    [second, 'SIGINT'],
    [third, 'SIGTERM'],
  ] as const) {
    program.child.kill(signal)
    t.match(await program.exit, { code: 0, out: /"msg":"stopped"/, err: '' }, signal)
  }
  deaf.program.child.stdout!.destroy()
  await once(deaf.program.child.stdout!, 'close')
  // More than the log gathers before it writes.
  for (let i = 0; i < 100; i++) await (await fetch(`${deaf.url}/api/health`)).arrayBuffer()
  t.equal((await patientFetch(`${deaf.url}/api/chains`)).status, 200)
  deaf.program.child.kill('SIGTERM')
  t.match(await deaf.program.exit, { code: 0, err: '' })
}
