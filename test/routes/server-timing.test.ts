/** `Server-Timing` on the replies of a whole gateway: each kind of reply, and what its phases are. */
import t from 'tap'
import { clockOf } from '../fixtures/clock.ts'
import { call, listen } from '../fixtures/gateway.ts'
import { answers, hostileUpstream, http, rpc, status } from '../fixtures/hostile-upstream.ts'

const DURATION = String.raw`dur=\d+\.\d{3}`
const HEADER = new RegExp(
  `^(?:cache;desc=(?:cached|coalesced), )?(?:(?:validate|budget|verify|upstream);${DURATION}, )*total;${DURATION}$`,
)

/** The names that a reply tells of, in their order. */
function phasesOf(response: Response): string {
  const header = response.headers.get('server-timing') ?? ''
  if (!HEADER.test(header)) throw new Error(`not the form that is promised: ${header}`)
  return [...header.matchAll(/(\w+)(?:;desc=(\w+))?(?:;dur=[\d.]+)?/g)]
    .map(([, name, desc]) => desc ?? name!)
    .join(' ')
}

const signature = [1, ...Array(64).fill(7)]
const message = [1, 0, 1, 2, ...Array(32).fill(3), ...Array(32).fill(0), ...Array(32).fill(5), 0]
const UNSIGNED = Buffer.from([...signature, ...message]).toString('base64')

t.test('every reply says what its time went to, errors too', async (t) => {
  const node = await hostileUpstream(t, answers('"result":7'))
  const { url } = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: node.url, LIMITS: 'rpcSend=1/1' })
  const send = () => call(url, 'sendTransaction', [UNSIGNED, { encoding: 'base64' }])
  const relay = (init: RequestInit) => fetch(`${url}/api/solrpc`, { method: 'POST', ...init })
  const json = { 'content-type': 'application/json' }
  const cases: [title: string, ask: () => Promise<Response>, status: number, phases: string][] = [
    ['a route', () => fetch(`${url}/api/chains`), 200, 'validate total'],
    ['HEAD', () => fetch(`${url}/api/chains`, { method: 'HEAD' }), 200, 'validate total'],
    ['a preflight', () => fetch(`${url}/api/chains`, { method: 'OPTIONS' }), 204, 'total'],
    ['no path', () => fetch(`${url}/nothing`), 404, 'total'],
    ['no method', () => fetch(`${url}/api/chains`, { method: 'PUT' }), 405, 'total'],
    ['a bad query', () => fetch(`${url}/api/quote?chain=base`), 400, 'validate total'],
    ['no JSON', () => relay({ headers: json, body: '{' }), 400, 'validate total'],
    ['another type', () => relay({ headers: { 'content-type': 'a/b' }, body: '{}' }), 415, 'total'],
    ['bad params', () => call(url, 'getSlot', [1]), 400, 'validate total'],
    ['a read', () => call(url, 'getSlot', []), 200, 'validate budget upstream total'],
    ['a kept one', () => call(url, 'getSlot', []), 200, 'cached validate budget total'],
    ['a bad signature', send, 400, 'validate budget verify total'],
    ['a spent budget', send, 429, 'validate budget total'],
    ['a stream', () => fetch(`${url}/api/bake-off/event`), 200, 'validate total'],
  ]
  for (const [title, ask, status, phases] of cases) {
    const response = await ask()
    t.equal(response.status, status, title)
    t.equal(phasesOf(response), phases, title)
    await response.body?.cancel()
  }
  node.behaviour = status(503)
  const failed = await call(url, 'getBlockHeight', [])
  t.equal(failed.status, 502)
  t.equal(phasesOf(failed), 'validate budget upstream total')
})

t.test('waiting for upstreams counts once, also for a client that shares the answer', async (t) => {
  const waiting: (() => void)[] = []
  const node = await hostileUpstream(t, answers('"result":7'))
  let now = 1_000
  const clock = clockOf({ now: () => now })
  const { url } = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: node.url }, { clock })
  await call(url, 'getSlot', [])
  node.behaviour = (socket, { id }) => void waiting.push(() => socket.write(http(200, rpc(id, '"result":7'))))
  const until = async (isTrue: () => boolean) => {
    while (!isTrue()) await new Promise(setImmediate)
  }
  const first = call(url, 'getBlockHeight', [])
  await until(() => waiting.length === 1)
  now += 30
  const second = call(url, 'getBlockHeight', [])
  // The second has been read once a later request has its answer.
  await (await fetch(`${url}/api/chains`)).arrayBuffer()
  await (await fetch(`${url}/api/chains`)).arrayBuffer()
  now += 12.5
  waiting[0]!()
  const zeros = 'validate;dur=0.000, budget;dur=0.000'
  t.equal((await first).headers.get('server-timing'), `${zeros}, upstream;dur=42.500, total;dur=42.500`)
  t.equal(
    (await second).headers.get('server-timing'),
    `cache;desc=coalesced, ${zeros}, upstream;dur=12.500, total;dur=12.500`,
  )
})

t.test('in the sandbox: proofs of builds are verification, and a list is cached', async (t) => {
  const { url } = await listen(t)
  const from = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
  const order = {
    chain: 'base',
    side: 'buy',
    token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    amount: '0.5',
  }
  const quoted = await fetch(`${url}/api/quote?${new URLSearchParams({ ...order, from })}`)
  t.equal(phasesOf(quoted), 'validate budget upstream total')
  const body = JSON.stringify({ ...order, from, quote: await quoted.json() })
  const headers = { 'content-type': 'application/json' }
  const built = await fetch(`${url}/api/build`, { method: 'POST', headers, body })
  t.equal(built.status, 200)
  t.equal(phasesOf(built), 'validate budget verify upstream total')

  const listed = await fetch(`${url}/api/tokens`)
  const current = { 'if-none-match': listed.headers.get('etag')! }
  const unchanged = await fetch(`${url}/api/tokens`, { headers: current })
  t.equal(unchanged.status, 304)
  t.equal(phasesOf(unchanged), 'validate total')

  const crossChain = { fromChain: 'base', toChain: 'arbitrum', amount: '0.5', from }
  const crossed = await fetch(`${url}/api/xquote?${new URLSearchParams(crossChain)}`)
  t.equal(crossed.status, 200)
  t.equal(phasesOf(crossed), 'validate budget verify upstream total')
})

t.test('pages of other origins may read it', async (t) => {
  const open = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1' })
  const any = await fetch(`${open.url}/nothing`)
  t.equal(any.headers.get('timing-allow-origin'), '*')
  const exposed = any.headers.get('access-control-expose-headers')!.split(', ')
  for (const name of ['Server-Timing', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id'])
    t.ok(exposed.includes(name), name)
  t.ok(exposed.includes('X-Swapgate-Mode'))

  const origin = 'https://app.example'
  const environment = { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1', CORS_ORIGINS: origin }
  const { url } = await listen(t, environment)
  const allowed = async (headers: Record<string, string>) =>
    (await fetch(`${url}/nothing`, { headers })).headers.get('timing-allow-origin')
  t.equal(await allowed({ origin }), origin)
  t.equal(await allowed({ origin: 'https://other.example' }), null)
})
