/**
 * Each route with its costliest legal inputs: what they take of the processor in one turn of the event loop, and in
 * all. What upstreams answer is held to the same in test/long/flow/loop-delay.test.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { leastMs, ThreadWork } from '../../fixtures/cpu.ts'
import { type Asked, elsewhere, startBefore } from '../../fixtures/elsewhere.ts'
import { parseExposition } from '../../fixtures/exposition.ts'
import { CROSS_CHAIN, EVM_WALLET, SOLANA_WALLET, USDC } from '../../fixtures/swaps.ts'
import { keypair, PAYER, SYSTEM_PROGRAM, serialize, transfer } from '../../fixtures/transactions.ts'

const MOST_TURN_MS = 20
const MOST_MS = 100
const TRIES = 20
/** What a request's target has room for beside its path. */
const QUERY = 7_800

const fill = (text: string, length: number): string => text.repeat(Math.floor(length / text.length))
const many = (length: number, one: (i: number) => string): string[] =>
  Array.from({ length }, (_, i) => one(i))
const get = (path: string, values: Readonly<Record<string, unknown>> = {}): Asked => {
  const query = new URLSearchParams(
    Object.entries(values).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return { path: `${path}?${query}` }
}
const post = (path: string, body: unknown): Asked => ({ method: 'POST', path, body: JSON.stringify(body) })
const rpc = (method: string, params: unknown): Asked =>
  post('/api/solrpc', { jsonrpc: '2.0', id: 1, method, params })
/** Nobody chooses anything: what is not asked for is skipped, or refused, whatever it is. */
const bare = (path: string): readonly Asked[] => [
  { path },
  { path: `${path}?${fill('a=%41&', QUERY)}` },
  { path, headers: { 'accept-encoding': fill('br;q=0.1, ', 12_000) } },
]
/** A name of the longest form, which there is none of. */
const named = (path: string): readonly Asked[] => bare(path.replace(/\{\w+\}/g, `x${'y'.repeat(63)}`))

const SIDES = ['buy', 'sell']
const TOKENS = [
  fill('z', 256),
  fill('0x', 256),
  fill('::a', 256),
  `0x2::${'a'.repeat(120)}::${'b'.repeat(120)}`,
]
const DIGITS = `${'9'.repeat(98)}.9`
const KEYS = many(1_000, (i) =>
  encodeBase58(Uint8Array.from({ length: 32 }, (_, at) => (i >> (at % 8)) + at + 1)),
)
const quotes = (path: string, more: Partial<Asked> = {}): readonly Asked[] =>
  SIDES.flatMap((side) => [
    ...TOKENS.map((token) =>
      get(path, { chain: 'base', side, token, amount: DIGITS, against: token, from: token }),
    ),
    get(path, { chain: 'base', side, token: USDC.base, amount: '1', from: EVM_WALLET }),
    get(path, { chain: 'solana', side, token: USDC.solana, amount: '1', from: SOLANA_WALLET }),
  ]).map((asked) => ({ ...asked, ...more }))

const SIGNERS = many(11, (i) => `signer ${i}`).map(keypair)
const FULL = Buffer.from(
  serialize(transfer({ signers: [PAYER, ...SIGNERS], others: [SYSTEM_PROGRAM], instructions: [] })),
).toString('base64')
const ORDER = {
  chain: 'base',
  side: 'buy',
  token: USDC.base,
  amount: '1',
  slippageBps: 100,
  from: EVM_WALLET,
}
const quoted = (raw: string) => ({
  ...ORDER,
  quote: {
    provider: 'kyberswap',
    expectedOut: '9'.repeat(78),
    minOut: '9'.repeat(78),
    route: { asOf: 1, seal: 'a'.repeat(43), raw },
  },
})
const approvals = `0xac9650d8${fill('095ea7b3', 120_000)}`

/** By method and path. */
const INPUTS: Readonly<Record<string, readonly Asked[]>> = {
  'GET /api/tokens': [get('/api/tokens', { all: true }), ...bare('/api/tokens')],
  'GET /api/token/{chain}/{address}': TOKENS.map((token) => ({
    path: `/api/token/base/${encodeURIComponent(token)}`,
  })),
  'GET /api/logo/{chain}/{address}': TOKENS.map((token) => ({
    path: `/api/logo/base/${encodeURIComponent(token)}`,
  })),
  'GET /api/prices/stream': [
    {
      ...get('/api/prices/stream', {
        tokens: KEYS.slice(0, 50)
          .map((key) => `solana:${key}`)
          .join(),
      }),
      isStream: true,
    },
    get('/api/prices/stream', { tokens: fill('a:b,', QUERY) }),
  ],
  'GET /api/chains': bare('/api/chains'),
  'GET /api/portfolio': [
    get('/api/portfolio', { address: EVM_WALLET, sol: SOLANA_WALLET }),
    get('/api/portfolio', { address: EVM_WALLET, chains: fill('base,', 512) }),
  ],
  'GET /api/balances': [
    get('/api/balances', { address: EVM_WALLET, sol: SOLANA_WALLET }),
    get('/api/balances', { address: EVM_WALLET, chains: fill('base,', 512) }),
  ],
  'GET /api/quote': quotes('/api/quote'),
  'GET /api/quote/stream': quotes('/api/quote/stream', { isStream: true }),
  'GET /api/v2quote': quotes('/api/v2quote'),
  'GET /api/swap-options': TOKENS.map((against) => get('/api/swap-options', { against })),
  'GET /api/desktop/swap-options': TOKENS.map((against) => get('/api/desktop/swap-options', { against })),
  'GET /api/basket/top': [get('/api/basket/top', { chain: 'base', n: 50, minLiq: 0 })],
  'GET /api/basket/plan': [
    get('/api/basket/plan', { chain: 'solana', usd: '999999999', limit: 20, only: KEYS.slice(0, 90).join() }),
    get('/api/basket/plan', { chain: 'base', usd: '999999999', only: fill('a,', 4_096) }),
  ],
  'POST /api/build': [
    post('/api/build', quoted(fill('["', 240_000))),
    post('/api/build', { ...ORDER, quote: many(35_000, (i) => String(i)) }),
    post('/api/build', {
      ...ORDER,
      ...Object.fromEntries(many(15_000, (i) => `k${i}`).map((name) => [name, 1])),
    }),
    post('/api/build', { ...ORDER, amount: fill('1', 240_000) }),
  ],
  'GET /api/xquote': [
    get('/api/xquote', { ...CROSS_CHAIN, amount: DIGITS }),
    ...TOKENS.map((toToken) => get('/api/xquote', { ...CROSS_CHAIN, toToken, order: fill('a', 64) })),
    get('/api/xquote', { ...CROSS_CHAIN, to: fill('z', QUERY / 2) }),
  ],
  'GET /api/xstatus': [
    get('/api/xstatus', { txHash: fill('z', QUERY) }),
    get('/api/xstatus', { txHash: `0x${'1'.repeat(64)}`, bridge: fill('a', 64) }),
  ],
  'POST /api/solrpc': [
    rpc('sendTransaction', [FULL, { encoding: 'base64' }]),
    rpc('sendTransactions', [many(10, () => FULL), { encoding: 'base64' }]),
    rpc('sendTransaction', [fill('z', 50_000)]),
    rpc('getMultipleAccounts', [KEYS.slice(0, 100), { encoding: 'base64' }]),
    rpc('getSignatureStatuses', [many(256, (i) => encodeBase58(new Uint8Array(64).fill(i + 1)))]),
    rpc('getAccountInfo', [fill('[', 50_000)]),
  ],
  'GET /api/fast-trade-proof': [get('/api/fast-trade-proof', { digest: fill('z', 128) })],
  'GET /api/rebroadcast': bare('/api/rebroadcast'),
  'GET /api/priority-fees': [
    get('/api/priority-fees', { accounts: KEYS.slice(0, 128).join() }),
    get('/api/priority-fees', { accounts: fill('1,', 5_760) }),
  ],
  'GET /api/native-price': [
    get('/api/native-price', { chain: fill('a', 64) }),
    get('/api/native-price', { chain: 'base' }),
  ],
  'GET /api/native-history': TOKENS.map((token) =>
    get('/api/native-history', { chain: 'base', token, span: '30d' }),
  ),
  ...Object.fromEntries(
    ['/api/transaction-status', '/api/receipt', '/api/allowance'].map((path) => [
      `GET ${path}`,
      [
        get(path, { chain: 'solana', signature: fill('z', 128) }),
        get(path, { chain: 'base', hash: `0x${'1'.repeat(64)}` }),
        get(path, { chain: fill('b', 64), hash: fill('0x', 128) }),
      ],
    ]),
  ),
  'POST /api/explain': [
    // All others are in test/explain/bounds.test.ts.
    post('/api/explain', { chain: 'base', call: { to: USDC.base, data: approvals } }),
    post('/api/explain', { chain: 'solana', transaction: FULL }),
    post('/api/explain', {
      chain: 'base',
      recent: many(32, (i) => `0x${i}`.padEnd(42, '1')),
      call: { data: approvals },
    }),
  ],
  'GET /api/discover/feed': [
    get('/api/discover/feed', { cursor: fill('a', 1_024), limit: 100 }),
    get('/api/discover/feed', { limit: 100, wallet: SOLANA_WALLET, session: fill('a', 64) }),
  ],
  'GET /api/discover/lookup': TOKENS.map((address) => get('/api/discover/lookup', { address })),
  'GET /api/discover/tokens': [
    get('/api/discover/tokens', { q: fill('\u0130', 120) }),
    get('/api/discover/tokens', { q: fill('ab ', 256) }),
    get('/api/discover/tokens', { q: 'a' }),
  ],
  ...Object.fromEntries(
    [
      '/api/discover/{operation}',
      '/api/reels/{operation}',
      '/api/reels/moderation/{operation}',
      '/api/social/{operation}',
    ]
      .concat(['/api/game/{operation}', '/api/referrals/{operation}', '/api/arcade/{operation}'])
      .concat(['/api/onramp/{operation}', '/api/recovery/{operation}', '/assets/{file}'])
      .map((path) => [`GET ${path}`, named(path)]),
  ),
  'GET /api/bake-off': [get('/api/bake-off', { range: '7d' })],
  'GET /api/bake-off/export': [get('/api/bake-off/export', {})],
  'GET /api/bake-off/event': [{ path: '/api/bake-off/event', isStream: true }],
  'GET /api/funnel/summary': [get('/api/funnel/summary', { days: 90 })],
  'GET /api/reels/feed': [get('/api/reels/feed', { cursor: fill('a', 1_024), limit: 100 })],
  'GET /api/reels/inbox': [get('/api/reels/inbox', { before: fill('a', 1_024), limit: 100 })],
  'GET /api/reels/moderation/audit': [get('/api/reels/moderation/audit', { reelId: fill('a', 64) })],
  'GET /api/reels/moderation/avatars': [
    get('/api/reels/moderation/avatars', { before: fill('a', 1_024), key: fill('a', 64) }),
  ],
  'GET /api/reels/people': [get('/api/reels/people', { q: fill('\u0130', 64) })],
  'GET /api/social/providers': [
    get('/api/social/providers', {
      callback: fill('a', 2_048),
      code: fill('%', 600),
      state: fill('a', 2_048),
    }),
  ],
  'GET /api/game/achievements': [get('/api/game/achievements', { wallet: fill('z', 256) })],
  'GET /api/game/leaderboard': [get('/api/game/leaderboard', { board: fill('a', 64), limit: 100 })],
  'GET /api/game/me': [get('/api/game/me', { wallet: fill('z', 256) })],
  ...Object.fromEntries(
    ['/api/health', '/api/config', '/api/diagnostics', '/api/funnel', '/api/announcements', '/openapi.json']
      .concat(['/llms.txt', '/', '/reference', '/api/push/status', '/api/social/invites/me'])
      .concat(['/api/social/invites/text', '/api/game/avatar', '/api/game/delegates'])
      .concat(
        ['appeals', 'inbox/seen', 'liked', 'mine', 'official/upload-session'].map((at) => `/api/reels/${at}`),
      )
      .concat(
        ['appeals', 'comments', 'open', 'safety', 'suspensions'].map((at) => `/api/reels/moderation/${at}`),
      )
      .map((path) => [`GET ${path}`, bare(path)]),
  ),
}

t.test('no legal input of a route costs long, in all and in one turn', async (t) => {
  t.setTimeout(300_000)
  const world = await elsewhere(t)
  const clock = { passed: 0 }
  const gateway = await startBefore(t, world, clock, {
    ADMIN_PORT: '0',
    // No other chain has a node here.
    CHAINS: 'base,solana',
    LIMITS: 'swap=off,portfolio=off,rpcRead=off,rpcSend=off,rpcBatch=off,explain=off,logo=off,refused=off',
  })
  await world.answer([])

  const scrape = parseExposition(await (await fetch(`${gateway.adminUrl}/metrics`)).text())
  const routes = scrape
    .get('swapgate_requests_total')!
    .samples.map(({ labels }) => `${labels.method} ${labels.route}`)
  t.same(
    Object.keys(INPUTS).sort(),
    routes.filter((route) => !route.endsWith(' none')).sort(),
    'each has its row',
  )

  const work = new ThreadWork()
  t.teardown(() => work.stop())
  for (const [route, inputs] of Object.entries(INPUTS)) {
    t.ok(inputs.length > 0, route)
    let [most, said] = [0, '']
    for (const asked of inputs) {
      const ms = await leastMs(MOST_TURN_MS, TRIES, async () => {
        clock.passed += 3 * 60 * 60 * 1_000
        await sleep(2)
        work.begin()
        const { status, text } = await world.ask(gateway.url, asked)
        const allMs = work.allMs
        await sleep(2)
        if (status === 0) t.fail(`${route}: ${text}`)
        const took = Math.max(work.longestMs, allMs * (MOST_TURN_MS / MOST_MS))
        if (took > most) said = `${status} ${asked.path.slice(0, 60)} ${text.slice(0, 50)}`
        return took
      })
      most = Math.max(most, ms)
    }
    t.ok(most <= MOST_TURN_MS, `${most.toFixed(1).padStart(5)} ms  ${route}: ${said}`)
  }
})
