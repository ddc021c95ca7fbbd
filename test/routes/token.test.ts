/**
 * GET /api/token through a whole gateway, against the sandbox's providers, with
 * every clock in the test's hands: prices and answers age only when it says so.
 */
import t, { type Test } from 'tap'
import { ErrorBody } from '../../src/runtime/resources/error.ts'
import { TokenProfile } from '../../src/runtime/resources/token-profile.ts'
import { startSandbox } from '../../src/sandbox/index.ts'
import { Check } from '../fixtures/check.ts'
import { INSTANT, type MovedClock, movedClock, STILL, until } from '../fixtures/clock.ts'
import { listen, type TestGateway } from '../fixtures/gateway.ts'
import {
  type Behaviour,
  compresses,
  floods,
  hostileUpstream,
  resets,
  status,
  truncates,
} from '../fixtures/hostile-upstream.ts'
import { type IdleClock, idleClock } from '../fixtures/idle-clock.ts'
import { FAILURES, forwards } from '../fixtures/research.ts'
import { turn } from '../fixtures/swaps.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const KEYS = {
  JUPITER_API_KEY: 'the-secret-key-of-jupiter',
  GECKOTERMINAL_API_KEY: 'the-secret-key-of-geckoterminal',
  GOPLUS_APP_KEY: 'the-app-key-of-goplus',
  GOPLUS_APP_SECRET: 'the-secret-key-of-goplus',
  RUGCHECK_API_KEY: 'the-secret-key-of-rugcheck',
}
/** Keys, and where upstreams are. */
const PRIVATE = /secret|127\.0\.0\.1|localhost/i

const BRETT = 'base/0x532f27101965dd16442E59d40670FaF5eBB142E4'
const BONK = 'solana/DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
const NOBODY = 'base/0x2222222222222222222222222222222222222222'

interface World extends TestGateway {
  age(ms: number): void
  /** @param path  chain and address */
  ask(path: string): Promise<{ readonly status: number; readonly text: string }>
  profile(path: string): Promise<TokenProfile>
}

async function start(
  t: Test,
  environment: Record<string, string> = {},
  clock: MovedClock & Partial<IdleClock> = movedClock(),
): Promise<World> {
  const gateway = await listen(t, { ...KEYS, ...environment }, { clock })
  const ask = async (path: string) => {
    const pending = fetch(`${gateway.url}/api/token/${path}`)
    const response = await (clock.meanwhile?.(pending) ?? pending)
    const text = await response.text()
    t.notMatch(text, PRIVATE, path)
    return { status: response.status, text }
  }
  return Object.assign(gateway, {
    age: clock.move,
    ask,
    async profile(path: string) {
      const { status, text } = await ask(path)
      t.equal(status, 200, `${path}: ${text.slice(0, 200)}`)
      const profile = JSON.parse(text) as TokenProfile
      t.ok(Check(TokenProfile, profile), path)
      return profile
    },
  })
}

const statuses = ({ sources }: TokenProfile): Record<string, string> =>
  Object.fromEntries(sources.map(({ provider, status }) => [provider, status]))

t.test('a profile has all its parts, each with its source', async (t) => {
  const world = await start(t)
  const brett = await world.profile(BRETT)
  t.match(brett, {
    chain: 'base',
    token: BRETT.slice('base/'.length),
    updatedAt: INSTANT,
    row: { symbol: 'BRETT', name: 'Brett', priceTs: INSTANT, priceStale: false },
    profile: { description: String, image: /^https:/, sources: ['dexscreener', 'geckoterminal'] },
    early: [{ kind: 'pool', source: String }, { kind: 'creator' }],
    security: { goplus: { facts: { is_honeypot: '0' }, flags: { honeypot: false, blacklisted: null } } },
    origins: {
      row: { source: 'dexscreener' },
      holders: { source: 'goplus' },
      candles: { source: 'geckoterminal' },
      trades: { source: 'geckoterminal' },
    },
  })
  t.same(statuses(brett), { dexscreener: 'ok', geckoterminal: 'ok', goplus: 'ok' })
  const {
    holders = [],
    candles = [],
    trades = [],
  } = brett as unknown as {
    readonly holders: { readonly percent: number }[]
    readonly candles: { readonly ts: number }[]
    readonly trades: { readonly ts: number }[]
  }
  t.ok(holders.length > 5 && holders.every(({ percent }, i) => percent <= (holders[i - 1]?.percent ?? 100)))
  t.ok(candles.length > 100 && candles.every(({ ts }, i) => i === 0 || ts > candles[i - 1]!.ts))
  t.equal(candles.at(-1)!.ts, INSTANT - (INSTANT % HOUR), 'in ms, to this hour')
  t.ok(trades.length > 100 && trades.every(({ ts }, i) => i === 0 || ts <= trades[i - 1]!.ts))

  const bonk = await world.profile(BONK)
  t.same(
    Object.keys(bonk.security!),
    ['jupiter', 'geckoterminal', 'goplus', 'rugcheck', 'onchain'],
    'side by side',
  )
  t.same(statuses(bonk), {
    dexscreener: 'ok',
    jupiter: 'ok',
    geckoterminal: 'ok',
    goplus: 'ok',
    rugcheck: 'ok',
    onchain: 'ok',
  })
})

t.test('the same token at the same time has the same profile', async (t) => {
  const world = await start(t)
  const other = await listen(t)
  for (const path of [BRETT, BONK]) {
    const { text } = await world.ask(path)
    t.equal(await (await fetch(`${other.url}/api/token/${path}`)).text(), text, path)
    t.equal((await world.ask(path)).text, text, 'and again')
  }
})

t.test('the tokens of the odd cases are shown as what they are', async (t) => {
  const world = await start(t)
  const honey = await world.profile('base/0x000000000000000000000000000000686f6e6579')
  t.match(honey.security, { goplus: { flags: { honeypot: true } } })
  t.ok(
    (honey.trades as { readonly kind: string }[]).every(({ kind }) => kind === 'buy'),
    'nobody could sell',
  )
  t.ok(
    (honey.early as { readonly kind: string }[]).some(({ kind }) => kind === 'buyer'),
    'first buyers, while it is young',
  )
  const quoted = await world.profile('base/0x000000000000000000000000000071756f746564')
  t.match(quoted.row, { symbol: 'QUOTED', price: Number, mcap: null }, 'not what its partner costs')
  t.equal(quoted.origins.row!.source, 'geckoterminal')
  const frozen = await world.profile('solana/Frozen1111111111111111111111111111111111111')
  t.match(frozen.profile, { freezeAuthority: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/ })
  t.match(frozen.security, {
    goplus: { flags: { freezable: true } },
    rugcheck: { flags: { freezable: true } },
  })
  const ghost = await world.profile('base/0x0000000000000000000000000000000067686F73')
  t.match(ghost, {
    row: { symbol: 'GHOST', price: null, priceTs: null },
    candles: { length: 0 },
    trades: { length: 0 },
  })
  t.equal(statuses(ghost).dexscreener, 'missing')
  const turned = await world.profile('base/0x00000000000000000000000000007475726E6564')
  t.notMatch(JSON.stringify(turned), /\\u0000|\\u0007|[\u202a-\u202e\u2066-\u2069]/)
})

t.test('the native coin is a token too, in whatever spelling', async (t) => {
  const world = await start(t)
  const coin = await world.profile('base/native')
  t.match(coin.row, { symbol: 'ETH', name: 'Base', decimals: 18, price: Number, mcap: null })
  t.ok(coin.candles!.length > 100)
  const { text } = await world.ask('base/0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')
  t.same(JSON.parse(text), coin)
  for (const chain of ['solana', 'sui', 'ton', 'plasma']) await world.profile(`${chain}/native`)
})

t.test('refuses what cannot be a token, and answers 404 for what is not one', async (t) => {
  const world = await start(t)
  const cases: [path: string, status: number, code: string, field?: string][] = [
    ['nowhere/native', 400, 'unsupported_chain', 'chain'],
    ['BASE/native', 400, 'unsupported_chain', 'chain'],
    ['8453/native', 400, 'unsupported_chain', 'chain'],
    [`${'x'.repeat(65)}/native`, 400, 'invalid_parameter', 'chain'],
    ['base/nonsense', 400, 'invalid_parameter', 'address'],
    ['base/0x532f27101965dd16442E59d40670FaF5eBB142e4', 400, 'invalid_parameter', 'address'],
    [BONK.replace('solana', 'base'), 400, 'invalid_parameter', 'address'],
    [BRETT.replace('base', 'solana'), 400, 'invalid_parameter', 'address'],
    [`base/${'0'.repeat(257)}`, 400, 'invalid_parameter', 'address'],
    ['base/%2e%2e%2f', 400, 'invalid_parameter', 'address'],
    ['base/%ff', 400, 'malformed_path'],
    ['base', 404, 'not_found'],
    [NOBODY, 404, 'token_not_found'],
    ['solana/Nobody1111111111111111111111111111111111111', 404, 'token_not_found'],
  ]
  for (const [path, status, code, field] of cases) {
    const reply = await world.ask(path)
    const body = JSON.parse(reply.text)
    t.match(
      { status: reply.status, ...body },
      { status, code, ...(field === undefined ? {} : { field }) },
      path,
    )
    t.ok(Check(ErrorBody, body), path)
    t.notMatch(body.error, /nonsense|nowhere|0{20}|x{20}/, 'nothing is echoed')
  }
})

const PROVIDERS: readonly [provider: string, path: string][] = [
  ['dexscreener', BRETT],
  ['geckoterminal', BRETT],
  ['goplus', BRETT],
  ['jupiter', BONK],
  ['rugcheck', BONK],
]

t.test('one source that fails takes its own parts away, and no others', async (t) => {
  const [patient, idle] = [await start(t), await start(t, {}, idleClock())]
  const whole = new Map([
    [BRETT, await patient.profile(BRETT)],
    [BONK, await patient.profile(BONK)],
  ])
  for (const [provider, path] of PROVIDERS) {
    const others = statuses(whole.get(path)!)
    delete others[provider]
    const partsOf = ({ sources }: TokenProfile) => sources.find((one) => one.provider === provider)!.parts
    for (const { fault, code } of FAILURES) {
      const world = fault === 'hang' ? idle : patient
      await t.test(`${provider}: ${fault}`, async (t) => {
        // All that was known is forgotten, here and in the adapters.
        world.age(3 * HOUR)
        await turn(world, provider, fault)
        const without = await world.profile(path)
        const { [provider]: failed, ...rest } = statuses(without)
        t.equal(failed, 'failed')
        t.same(rest, others, 'the others answer')
        const report = without.sources.find((one) => one.provider === provider)!
        t.match(report, { at: null, parts: { length: 0 }, failed: partsOf(whole.get(path)!), code })
        t.ok(typeof without.row!.price === 'number', 'somebody else has a price')
        t.notOk(provider in (without.security ?? {}))
        t.equal('candles' in without, provider !== 'geckoterminal')

        await turn(world, provider, null)
        world.age(2 * MINUTE)
        // A breaker lets one call through to see, and the others after it.
        await world.profile(path)
        const again = await world.profile(path)
        t.same(statuses(again), statuses(whole.get(path)!), 'recovered')
        if (fault === 'hang') return

        await turn(world, provider, fault)
        world.age(20 * MINUTE)
        const stale = await world.profile(path)
        t.same(statuses(stale), { ...others, [provider]: 'stale' })
        t.same(partsOf(stale), partsOf(again), 'what it gave before')
        t.match(
          stale.sources.find((one) => one.provider === provider),
          { code },
        )
        t.same(stale.security?.[provider], again.security?.[provider], 'at the time when it was given')
        t.notOk(stale.row!.priceStale, 'somebody else has a fresh price')
        await turn(world, provider, null)
      })
    }
  }
})

t.test('if nobody answers, 502 with the time to retry; then what was known before', async (t) => {
  const world = await start(t)
  const all = ['dexscreener', 'geckoterminal', 'goplus']
  for (const provider of all) await turn(world, provider, '429')
  for (const path of [BRETT, NOBODY, 'base/native']) {
    const { status, text } = await world.ask(path)
    t.match({ status, ...JSON.parse(text) }, { status: 502, code: 'upstream_unavailable', scope: 'provider' })
    // The first call is told by none of them until when.
    if (path !== BRETT) t.ok(JSON.parse(text).retryAfterMs > 0)
  }
  for (const provider of all) await turn(world, provider, null)
  world.age(2 * MINUTE)
  t.equal((await world.ask(NOBODY)).status, 404)
  const before = await world.profile(BRETT)
  for (const provider of all) await turn(world, provider, '429')
  world.age(20 * MINUTE)
  const stale = await world.profile(BRETT)
  t.same(statuses(stale), { dexscreener: 'stale', geckoterminal: 'stale', goplus: 'stale' })
  t.same(stale.row, { ...before.row, priceStale: true })
  t.same([stale.candles, stale.updatedAt], [before.candles, before.updatedAt])
  t.equal((await world.ask(NOBODY)).status, 502, 'it may exist by now')
})

t.test('a client that leaves takes nothing from the others', async (t) => {
  const sandbox = await startSandbox({ now: STILL.date })
  t.teardown(() => sandbox.close())
  let answer = (): void => {}
  const answers = new Promise<void>((resolve) => (answer = resolve))
  const dexscreener = await hostileUpstream(t, async (socket, request) => {
    await answers
    forwards(sandbox.urls.dexscreener!)(socket, request)
  })
  const world = await start(t, { DEXSCREENER_URL: dexscreener.url })
  const leaving = new AbortController()
  const left = fetch(`${world.url}/api/token/${BRETT}`, { signal: leaving.signal })
  const stays = world.profile(BRETT)
  await until(() => dexscreener.requests.length > 0)
  leaving.abort()
  await t.rejects(left)
  answer()
  t.equal(statuses(await stays).dexscreener, 'ok')
})

t.test('a hostile source does no harm', async (t) => {
  const upstream = await hostileUpstream(t)
  const world = await start(t, { DEXSCREENER_URL: upstream.url, LOG_LEVEL: 'error' })
  const address = BRETT.slice('base/'.length)
  const pair = (fields: object): Behaviour => {
    const side = { address, name: 'a\u202eb\u0000c', symbol: `\u2066${'S'.repeat(10_000)}` }
    const quoteToken = { address: `0x${'4'.repeat(40)}`, name: 'Q', symbol: 'Q' }
    const listed = {
      chainId: 'base',
      pairAddress: `0x${'3'.repeat(40)}`,
      baseToken: side,
      quoteToken,
      ...fields,
    }
    return status(200, JSON.stringify([listed]))
  }
  const cases: [title: string, behaviour: Behaviour, expected: string][] = [
    ['10 MB', floods, 'failed'],
    ['cut off', truncates, 'failed'],
    ['reset', resets, 'failed'],
    ['compressed', compresses, 'failed'],
    ['no list', status(200, '{"pairs":null}'), 'failed'],
    ['deep nesting', status(200, '['.repeat(100_000)), 'failed'],
    ['an unknown token', status(200, '[]'), 'missing'],
    ['other things', status(200, '[null,1,"x",{},[]]'), 'missing'],
    ['too large a number', status(200, '[{"chainId":1e400}]'), 'missing'],
    ['a false pair', pair({ priceUsd: '1e400', liquidity: { usd: -1 }, marketCap: 'NaN' }), 'ok'],
    [
      'false links',
      pair({ info: { imageUrl: 'javascript:alert(1)', websites: [{ url: 'http://x' }] } }),
      'ok',
    ],
    ['wrong types', pair({ priceUsd: {}, volume: [], fdv: true, pairCreatedAt: '1e400', info: 7 }), 'ok'],
  ]
  for (const [title, behaviour, expected] of cases) {
    world.age(3 * HOUR)
    upstream.behaviour = behaviour
    const profile = await world.profile(BRETT)
    t.same(statuses(profile), { dexscreener: expected, geckoterminal: 'ok', goplus: 'ok' }, title)
    t.equal(profile.origins.row!.source, 'geckoterminal', 'a price from who has one')
    t.notMatch(JSON.stringify(profile), /javascript:|http:|\\u00|[\u202e\u2066]|S{100}/, title)
  }
  t.same(world.log, [], 'no fault of our own')
})

t.test('a source that is switched off is not asked', async (t) => {
  const off = { GECKOTERMINAL_URL: 'off', GOPLUS_URL: 'off' }
  const world = await start(t, off)
  t.same(statuses(await world.profile(BRETT)), { dexscreener: 'ok' })
  const { status, text } = await (await start(t, { ...off, DEXSCREENER_URL: 'off' })).ask(BRETT)
  t.match({ status, ...JSON.parse(text) }, { status: 400, code: 'unsupported_chain', field: 'chain' })
})

t.test('the OpenAPI document shows what the service answers', async (t) => {
  const world = await start(t)
  const document = (await (await fetch(`${world.url}/openapi.json`)).json()) as {
    readonly paths: Record<string, { readonly get: { readonly responses: Record<string, Shown> } }>
  }
  interface Shown {
    readonly content: { readonly 'application/json': { readonly example: Record<string, unknown> } }
  }
  const { responses } = document.paths['/api/token/{chain}/{address}']!.get
  const shown = (status: number) => responses[status]!.content['application/json'].example
  const profile = (await world.profile('base/0x000000000000000000000000000000686f6e6579')) as object
  for (const [name, part] of Object.entries(profile)) {
    const [first, whole] = Array.isArray(part)
      ? [part[0], (shown(200)[name] as object[])[0]]
      : [part, shown(200)[name]]
    t.same(Object.keys(Object(whole)), Object.keys(Object(first)), name)
  }
  const said = async (path: string) => JSON.parse((await world.ask(path)).text)
  t.same(await said('base/nonsense'), shown(400))
  t.same(await said(NOBODY), shown(404))
  for (const provider of ['dexscreener', 'geckoterminal', 'goplus']) await turn(world, provider, '500')
  const { retryAfterMs: _, ...unavailable } = shown(502)
  t.same(await said('base/0x940181a94A35A4569E4529A3CDfB74e38FD98631'), unavailable)
})
