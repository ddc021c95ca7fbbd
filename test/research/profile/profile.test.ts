import t, { type Test } from 'tap'
import { nativeAddress } from '../../../src/chains/address.ts'
import { findChain } from '../../../src/chains/find.ts'
import type { Call } from '../../../src/flow/call.ts'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import {
  type About,
  type Early,
  type MarketProvider,
  type MarketRow,
  type Part,
  type PartSource,
  type Parts,
  type Security,
  type TokenId,
  UNKNOWN_FLAGS,
} from '../../../src/providers/market/market.ts'
import { Profiles } from '../../../src/research/profile/profile.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { loggerTo } from '../../../src/runtime/log.ts'
import { TokenProfile } from '../../../src/runtime/resources/token-profile.ts'
import { askedBy } from '../../fixtures/asked-by.ts'
import { Check } from '../../fixtures/check.ts'
import { clockOf } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const BASE = findChain('base')!
const NATIVE = nativeAddress(BASE)
const TOKEN = '0x1111111111111111111111111111111111111111'
const ALICE = '0x2222222222222222222222222222222222222222'
const BOB = '0x3333333333333333333333333333333333333333'
const POOL = '0x4444444444444444444444444444444444444444'
const OLDER_POOL = '0x5555555555555555555555555555555555555555'

const EMPTY_ROW: MarketRow = {
  chain: 'base',
  address: TOKEN,
  symbol: null,
  name: null,
  price: null,
  priceTs: NOW,
  mcap: null,
  fdv: null,
  liq: null,
  vol24: null,
  holders: null,
}
const UNKNOWN = UNKNOWN_FLAGS
const EMPTY_ABOUT: About = {
  description: null,
  image: null,
  links: [],
  createdAt: null,
  mintAuthority: null,
  freezeAuthority: null,
}
/** Something of everything. */
const SAMPLES: Parts = {
  row: { ...EMPTY_ROW, symbol: 'FOO', name: 'Foo', price: 2, mcap: 5_000, liq: 600, vol24: 70 },
  about: { ...EMPTY_ABOUT, description: 'Of foos.', createdAt: NOW - HOUR },
  holders: [{ address: ALICE, percent: 12.5, balance: '125', tags: ['locked'] }],
  early: [{ kind: 'pool', address: POOL, venue: 'aerodrome', at: NOW - HOUR }],
  candles: [{ ts: NOW - HOUR, open: 1, high: 3, low: 1, close: 2, volume: 70 }],
  trades: [
    { ts: NOW - 1, kind: 'buy', tx: '0x02', trader: BOB, amount: '3.5', priceUsd: 2, volumeUsd: 7 },
    { ts: NOW - 2, kind: 'sell', tx: '0x01', trader: null, amount: '1', priceUsd: null, volumeUsd: null },
  ],
  security: { at: NOW - 5, facts: { is_honeypot: '0' }, flags: { ...UNKNOWN, honeypot: false } },
  lp: { pools: [{ address: POOL, lockedPct: 80 }] },
}
const PARTS = Object.keys(SAMPLES) as Part[]

const limited = new GatewayError('upstream_rate_limited', 'Wait.', { provider: 'one', retryAfterMs: 7_000 })
const timedOut = new GatewayError('upstream_timeout', 'Late.', { provider: 'one' })

/** What a source answers to a part: a value, null for no such token, or an error that it throws. */
type Script = { -readonly [P in Part]?: Parts[P] | null | Error }

interface Source {
  readonly provider: MarketProvider
  /** May be changed while it is asked. */
  readonly script: Script
  readonly asks: { readonly part: Part; readonly token: TokenId; readonly options: Call }[]
}

function source(label: string, script: Script, keepMs = MINUTE, chains = ['base', 'solana']): Source {
  const asks: Source['asks'][number][] = []
  const parts = Object.keys(script).map((name) => {
    const part = name as Part
    const ask = async (token: TokenId, options: Call) => {
      asks.push({ part, token, options })
      const answer = script[part]
      if (answer instanceof Error) throw answer
      return answer
    }
    return [part, { keepMs, ask }]
  })
  return { provider: { label, chains: new Set(chains), parts: Object.fromEntries(parts) }, script, asks }
}

/** Profiles by a clock that the test moves. */
function profilesOf(...sources: readonly Pick<Source, 'provider'>[]) {
  const log: Record<string, unknown>[] = []
  const clock = { ms: 0 }
  const profiles = new Profiles({
    providers: sources.map(({ provider }) => provider),
    deadlineMs: 4_000,
    // To lru-cache, zero is no time.
    clock: clockOf({ now: () => 1 + clock.ms, date: () => NOW + clock.ms }),
    log: loggerTo({ write: (line: string) => void log.push(JSON.parse(line)) }, 'info'),
  })
  const find = (
    address = TOKEN,
    chain = BASE,
    scope: CancellationScope | null = null,
  ): Promise<TokenProfile> => profiles.find(chain, address, scope)
  return { find, profiles, clock, log }
}

const reportOf = ({ sources }: TokenProfile, label: string) =>
  sources.find(({ provider }) => provider === label)!

const RISKS = {
  chain: 'base',
  token: TOKEN,
  symbol: SAMPLES.row.symbol,
  name: SAMPLES.row.name,
  checked: 'sources',
  checkedBy: [{ source: 'one', at: NOW - 5 }],
  flags: [],
}

t.test('recent findings about a token are known without a call', async (t) => {
  const one = source('one', SAMPLES)
  const { find, profiles } = profilesOf(one)
  const known = { symbol: 'KNOWN', name: null }
  const before = { ...RISKS, ...known, checked: 'nobody', checkedBy: [] }
  t.same(profiles.risksOf('base', TOKEN, known), before, 'nobody has checked it')
  await find()
  const asks = one.asks.length
  t.same(profiles.risksOf('base', TOKEN, known), RISKS)
  t.equal(one.asks.length, asks)
})

t.test('combines what all sources report, with the source and time', async (t) => {
  const one = source('one', SAMPLES)
  const scope = new CancellationScope('alice', askedBy('request-1'))
  const profile = await profilesOf(one).find(TOKEN, BASE, scope)
  t.ok(Check(TokenProfile, profile))
  t.same(profile, {
    chain: 'base',
    token: TOKEN,
    updatedAt: NOW,
    row: {
      ...SAMPLES.row,
      priceStale: false,
      firstPoolAt: NOW - HOUR,
      security: { one: { at: NOW - 5, ...UNKNOWN, honeypot: false } },
      lp: { one: { at: NOW, pools: [{ address: POOL, lockedPct: 80 }] } },
      metaTs: NOW - 5,
      profileTs: NOW,
    },
    profile: { ...SAMPLES.about, sources: ['one'] },
    holders: SAMPLES.holders,
    early: [{ ...SAMPLES.early[0], source: 'one' }],
    candles: SAMPLES.candles,
    trades: SAMPLES.trades,
    security: { one: SAMPLES.security },
    risks: RISKS,
    origins: Object.fromEntries(
      ['row', 'holders', 'candles', 'trades'].map((part) => [part, { source: 'one', at: NOW, stale: false }]),
    ),
    sources: [{ provider: 'one', status: 'ok', at: NOW, parts: PARTS, failed: [] }],
  })
  t.same(
    one.asks.map(({ part, token, options }) => [
      part,
      token,
      options.leftMs,
      options.scope.client,
      options.priority,
    ]),
    PARTS.map((part) => [part, { chain: 'base', address: TOKEN }, 4_000, scope.client, 'research']),
    "under one deadline, on the client's account",
  )
  scope.cancel()
  t.notOk(
    one.asks.some(({ options }) => options.scope!.isCancelled),
    'and no client calls it off',
  )
})

t.test('the picture of a profile that was asked for is known afterwards, without asking', async (t) => {
  const [row, about] = ['https://foo.example/row.png', 'https://foo.example/about.png']
  const first = source('one', { row: { ...EMPTY_ROW, image: row } })
  const { find, profiles } = profilesOf(first, source('two', { about: { ...EMPTY_ABOUT, image: about } }))
  t.equal(profiles.imageOf('base', TOKEN), null)
  await find()
  t.equal(profiles.imageOf('base', TOKEN), row)
  t.equal(profiles.imageOf('base', ALICE), null)
  t.equal(first.asks.length, 1)
  const second = profilesOf(source('two', { about: { ...EMPTY_ABOUT, image: about } }))
  await second.find()
  t.equal(second.profiles.imageOf('base', TOKEN), about)
})

t.test('what no source reports is left out, and never made up', async (t) => {
  const profile = await profilesOf(source('one', { row: EMPTY_ROW })).find()
  t.same(Object.keys(profile), [
    'chain',
    'token',
    'updatedAt',
    'row',
    'profile',
    'risks',
    'origins',
    'sources',
  ])
  t.equal(profile.profile, null)
  t.same(profile.row, {
    ...EMPTY_ROW,
    priceTs: null,
    priceStale: false,
    security: null,
    lp: null,
    metaTs: null,
    profileTs: null,
  })
})

t.test("a price and its time are one source's, and the others fill what it leaves open", async (t) => {
  const quoteSide = { ...EMPTY_ROW, symbol: 'ONE', name: null, price: null, priceTs: NOW - 1, liq: null }
  const priced = { ...EMPTY_ROW, symbol: 'TWO', price: 3, priceTs: NOW - 2, vol24: 70 }
  const other = { ...EMPTY_ROW, symbol: 'X', name: 'Xs', price: 4, priceTs: NOW - 3, vol24: 80, liq: 90 }
  const counted = { ...EMPTY_ROW, holders: 12, mcap: 0 }
  const { row, origins } = await profilesOf(
    source('one', { row: quoteSide }),
    source('two', { row: priced }),
    source('three', { row: other }),
    source('four', { row: counted }),
  ).find()
  t.match(row, {
    symbol: 'TWO',
    name: 'Xs',
    price: 3,
    priceTs: NOW - 2,
    vol24: 70,
    liq: 90,
    mcap: 0,
    holders: 12,
  })
  t.equal(origins.row!.source, 'two')
})

t.test("a native coin has its own name, and nothing about its wrapper's contract", async (t) => {
  const row = { ...SAMPLES.row, address: NATIVE, symbol: 'WETH', name: 'Wrapped Ether', holders: 9 }
  const { row: shown, ...rest } = await profilesOf(source('one', { ...SAMPLES, row })).find(NATIVE)
  t.match(shown, { symbol: 'ETH', name: 'Base', decimals: 18, price: 2, mcap: null, holders: null, liq: 600 })
  t.match(shown, { security: null, lp: null, profileTs: null })
  t.same([rest.candles, rest.trades, rest.profile], [SAMPLES.candles, SAMPLES.trades, null])
  t.notOk('early' in rest || 'holders' in rest || 'security' in rest)
})

t.test('what sources find of the risks stands side by side, whatever they contradict', async (t) => {
  const bad: Security = { at: NOW - 9, facts: { risk: 'high' }, flags: { ...UNKNOWN, honeypot: true } }
  const { row, security } = await profilesOf(
    source('one', { security: SAMPLES.security, lp: { lockedPct: 80 } }),
    source('two', { security: bad, lp: { lockedPct: 0 } }),
  ).find()
  t.same(security, { one: SAMPLES.security, two: bad })
  t.same(row!.security, {
    one: { at: NOW - 5, ...UNKNOWN, honeypot: false },
    two: { at: NOW - 9, ...UNKNOWN, honeypot: true },
  })
  t.same(row!.lp, { one: { at: NOW, lockedPct: 80 }, two: { at: NOW, lockedPct: 0 } })
  t.equal(row!.metaTs, NOW - 5)
})

t.test("a token's identity: field by field, no link twice, and no source clears another", async (t) => {
  const site = { type: 'website', url: 'https://foo.example/' }
  const { profile } = await profilesOf(
    source('one', {
      about: { ...EMPTY_ABOUT, links: [site], createdAt: NOW - HOUR, mintAuthority: 'none' },
    }),
    source('two', {
      about: {
        ...EMPTY_ABOUT,
        description: 'Two.',
        links: [
          { ...site, type: 'other' },
          { type: 'twitter', url: 'https://x.com/foo' },
        ],
        createdAt: NOW - 2 * HOUR,
        mintAuthority: ALICE,
        freezeAuthority: 'none',
      },
    }),
    source('three', { about: { ...EMPTY_ABOUT, description: 'Three.', image: 'https://foo.example/i.png' } }),
  ).find()
  t.same(profile, {
    description: 'Two.',
    image: 'https://foo.example/i.png',
    links: [site, { type: 'twitter', url: 'https://x.com/foo' }],
    createdAt: NOW - 2 * HOUR,
    mintAuthority: ALICE,
    freezeAuthority: 'none',
    sources: ['one', 'two', 'three'],
  })
})

t.test('how it began: the oldest pool, each maker once, the first buyers of one source', async (t) => {
  const pool = (address: string, at: number | null): Early => ({ kind: 'pool', address, venue: null, at })
  const creator = (address: string): Early => ({ kind: 'creator', address })
  const buyer = (address: string): Early => ({ kind: 'buyer', address, at: NOW, tx: '0x1', amount: '1' })
  const { early } = await profilesOf(
    source('one', { early: [pool(TOKEN, null), creator(ALICE)] }),
    source('two', { early: [pool(POOL, NOW - HOUR), creator(ALICE), buyer(BOB)] }),
    source('three', { early: [pool(OLDER_POOL, NOW - 2 * HOUR), creator(BOB), buyer(ALICE)] }),
  ).find()
  t.same(early, [
    { ...pool(OLDER_POOL, NOW - 2 * HOUR), source: 'three' },
    { ...creator(ALICE), source: 'one' },
    { ...creator(BOB), source: 'three' },
    { ...buyer(BOB), source: 'two' },
  ])
  const undated = await profilesOf(source('one', { early: [pool(TOKEN, null), pool(POOL, null)] })).find()
  t.same(undated.early, [{ ...pool(TOKEN, null), source: 'one' }])
})

t.test('a list that is empty gives way to one that is not', async (t) => {
  const { holders, origins, trades } = await profilesOf(
    source('one', { holders: [], trades: [] }),
    source('two', { holders: SAMPLES.holders }),
  ).find()
  t.same(holders, SAMPLES.holders)
  t.equal(origins.holders!.source, 'two')
  t.same(trades, [], 'nobody has traded it')
})

t.test('each part is kept for as long as its source says', async (t) => {
  const one = source('one', { row: SAMPLES.row, candles: [] }, MINUTE)
  const two = source('two', { about: SAMPLES.about }, 10 * MINUTE)
  const { find, clock } = profilesOf(one, two)
  await find()
  clock.ms = MINUTE - 1
  const kept = await find()
  t.same([one.asks.length, two.asks.length], [2, 1])
  t.equal(kept.updatedAt, NOW)
  clock.ms = MINUTE
  const fresh = await find()
  t.same([one.asks.length, two.asks.length], [4, 1])
  t.equal(fresh.updatedAt, NOW + MINUTE)
  t.same(
    fresh.sources.map(({ at }) => at),
    [NOW + MINUTE, NOW],
  )
})

t.test('concurrent requests share one call', async (t) => {
  const one = source('one', { row: SAMPLES.row })
  const { find } = profilesOf(one)
  const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => find()))
  t.equal(one.asks.length, 1)
  for (const other of others) t.same(other, first)
  await find(ALICE)
  t.equal(one.asks.length, 2, 'another token is another call')
})

t.test('a failure is served with what was known before, for an hour', async (t) => {
  const one = source('one', { row: SAMPLES.row, holders: SAMPLES.holders }, MINUTE)
  const two = source('two', { about: SAMPLES.about }, 10 * HOUR)
  const { find, clock } = profilesOf(one, two)
  const before = await find()
  Object.assign(one.script, { row: limited, holders: limited })
  clock.ms = MINUTE
  const stale = await find()
  t.same(stale.row, { ...before.row, priceStale: true }, 'the price keeps its time')
  t.same(stale.holders, before.holders)
  t.same(stale.origins.row, { source: 'one', at: NOW, stale: true })
  t.same(reportOf(stale, 'one'), {
    provider: 'one',
    status: 'stale',
    at: NOW,
    parts: ['row', 'holders'],
    failed: [],
    code: 'upstream_rate_limited',
    retryAfterMs: 7_000,
  })
  clock.ms = MINUTE + HOUR - 1
  t.equal(reportOf(await find(), 'one').status, 'stale')
  clock.ms = MINUTE + HOUR + 1
  const gone = await find()
  t.match(reportOf(gone, 'one'), {
    status: 'failed',
    at: null,
    parts: { length: 0 },
    failed: ['row', 'holders'],
  })
  t.match(gone.row, { price: null, priceTs: null, priceStale: false })
  t.notOk('holders' in gone)

  Object.assign(one.script, { row: SAMPLES.row, holders: null })
  const recovered = await find()
  t.match(reportOf(recovered, 'one'), { status: 'ok', parts: ['row'], failed: { length: 0 } })
  t.notMatch(reportOf(recovered, 'one'), { code: String })
})

t.test('a fresh price goes before an old one', async (t) => {
  const one = source('one', { row: { ...SAMPLES.row, price: 2 } }, MINUTE)
  const two = source('two', { row: { ...SAMPLES.row, price: 3, priceTs: NOW + MINUTE } }, MINUTE)
  const { find, clock } = profilesOf(one, two)
  t.equal((await find()).row!.price, 2)
  one.script.row = timedOut
  clock.ms = MINUTE
  t.match((await find()).row, { price: 3, priceTs: NOW + MINUTE, priceStale: false })
})

t.test('that a token does not exist is believed for a minute, and no longer', async (t) => {
  const one = source('one', { row: null, holders: null }, 10 * MINUTE)
  const two = source('two', { row: SAMPLES.row }, 10 * MINUTE)
  const { find, clock } = profilesOf(one, two)
  t.match(reportOf(await find(), 'one'), {
    status: 'missing',
    at: NOW,
    parts: { length: 0 },
    failed: { length: 0 },
  })
  clock.ms = MINUTE - 1
  await find()
  t.equal(one.asks.length, 2)
  Object.assign(one.script, { row: timedOut, holders: timedOut })
  clock.ms = MINUTE
  t.match(reportOf(await find(), 'one'), { status: 'failed', code: 'upstream_timeout' }, 'never stale')
  Object.assign(one.script, { row: SAMPLES.row, holders: null })
  t.match(reportOf(await find(), 'one'), { status: 'ok', parts: ['row'] }, 'it exists now')
})

t.test('a source that fails in part says in which', async (t) => {
  const { find } = profilesOf(source('one', { row: SAMPLES.row, candles: timedOut, trades: limited }))
  const profile = await find()
  t.same(profile.sources, [
    {
      provider: 'one',
      status: 'partial',
      at: NOW,
      parts: ['row'],
      failed: ['candles', 'trades'],
      code: 'upstream_timeout',
    },
  ])
  t.notOk('candles' in profile || 'trades' in profile)
})

t.test('a token does not exist only if no source that answered knows it', async (t) => {
  const none = source('none', { row: null, security: null })
  const half = source('half', { row: null, candles: timedOut })
  const dead = source('dead', { row: limited })
  const wait = new GatewayError('upstream_rate_limited', 'Wait.', { provider: 'later', retryAfterMs: 9_000 })
  const later = source('later', { row: wait })
  const good = source('good', { lp: SAMPLES.lp })
  const cases: [sources: Source[], address: string, code: string | null, fields: object][] = [
    [[none], TOKEN, 'token_not_found', {}],
    [[none, dead], TOKEN, 'token_not_found', {}],
    [[none, dead, good], TOKEN, null, {}],
    [[dead], TOKEN, 'upstream_unavailable', { scope: 'provider', retryAfterMs: 7_000 }],
    [[dead, later], TOKEN, 'upstream_unavailable', { scope: 'provider', retryAfterMs: 7_000 }],
    [[half], TOKEN, 'upstream_unavailable', { scope: 'provider' }],
    [[], TOKEN, 'unsupported_chain', { field: 'chain' }],
    [[good], NATIVE, 'unsupported_chain', { field: 'chain' }],
    [[none, dead], NATIVE, 'upstream_unavailable', { scope: 'provider', retryAfterMs: 7_000 }],
    [[none], NATIVE, null, {}],
    [[dead], NATIVE, 'upstream_unavailable', { scope: 'provider', retryAfterMs: 7_000 }],
  ]
  for (const [sources, address, code, fields] of cases) {
    const title = `${sources.map(({ provider }) => provider.label).join(' and ')}: ${code}`
    const outcome = await profilesOf(...sources)
      .find(address)
      .catch((error: GatewayError) => error)
    if (code === null) t.ok(Check(TokenProfile, outcome), title)
    else t.match(outcome, { code, fields }, title)
  }
  const coin = await profilesOf(none).find(NATIVE)
  t.match(coin.row, { symbol: 'ETH', name: 'Base', decimals: 18, price: null, priceTs: null })
})

t.test('sources of other chains are not asked, nor those that fill no part', async (t) => {
  const solana = source('solana', { row: SAMPLES.row }, MINUTE, ['solana'])
  const rows: Pick<Source, 'provider'> = { provider: { label: 'rows', chains: new Set(['base']) } }
  const profile = await profilesOf(solana, rows, source('one', { row: SAMPLES.row })).find()
  t.same(
    profile.sources.map(({ provider }) => provider),
    ['one'],
  )
  t.equal(solana.asks.length, 0)
})

t.test('a fault of one adapter costs no more than its part, and is logged', async (t) => {
  const { find, log } = profilesOf(source('one', { row: SAMPLES.row, lp: new TypeError('our own') }))
  t.match(reportOf(await find(), 'one'), { status: 'partial', failed: ['lp'], code: 'internal_error' })
  t.match(log, [{ level: 50, provider: 'one', err: { message: 'our own' } }])
})

t.test('the cache is bounded, by number and by length', async (t) => {
  const isKept = async (t: Test, script: Script, others: number): Promise<boolean> => {
    const one = source('one', script, HOUR)
    const { find } = profilesOf(one)
    await find(TOKEN)
    for (let i = 0; i < others; i++) await find(`0x${i.toString(16).padStart(40, '0')}`)
    const asked = one.asks.length
    await find(TOKEN)
    t.equal(asked, others + 1, 'each was asked for once')
    return one.asks.length === asked
  }
  const description = 'x'.repeat(100_000)
  t.ok(await isKept(t, { row: SAMPLES.row }, 4_999))
  t.notOk(await isKept(t, { row: SAMPLES.row }, 5_000))
  t.ok(await isKept(t, { about: { ...EMPTY_ABOUT, description } }, 150))
  t.notOk(await isKept(t, { about: { ...EMPTY_ABOUT, description } }, 170))
})

t.test('calls in progress are bounded, and beyond them cached answers are served', async (t) => {
  const one = source('one', { row: SAMPLES.row })
  const { find, clock } = profilesOf(one)
  const kept = await find(ALICE)
  clock.ms = MINUTE
  let release = () => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  let asked = 0
  const slow: PartSource<'row'> = {
    keepMs: MINUTE,
    async ask() {
      asked++
      await gate
      return SAMPLES.row
    },
  }
  Object.assign(one.provider.parts!, { row: slow })
  const pending = Array.from({ length: 2_000 }, (_, i) => find(`0x${i.toString(16).padStart(40, '0')}`))
  await t.rejects(find(BOB), { code: 'upstream_unavailable' })
  t.match(reportOf(await find(ALICE), 'one'), { status: 'stale', code: 'upstream_rate_limited' })
  t.same((await find(ALICE)).row, { ...kept.row, priceStale: true })
  t.equal(asked, 2_000)
  pending.push(find(`0x${'0'.repeat(40)}`))
  t.equal(asked, 2_000, 'who joins asks nothing')
  release()
  await Promise.all(pending)
  t.match(reportOf(await find(BOB), 'one'), { status: 'ok' })
  t.equal(asked, 2_001)
})

t.test('whatever each source does, the reply says so', async () => {
  const outcome = fc.constantFrom('given', 'none', 'failed')
  const arbitrary = fc.array(fc.dictionary(fc.constantFrom(...PARTS), outcome, { minKeys: 1 }), {
    minLength: 1,
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(arbitrary, async (plans) => {
      const sources = plans.map((plan, i) => {
        const script = Object.entries(plan).map(([part, kind]) => [
          part,
          kind === 'given' ? SAMPLES[part as Part] : kind === 'none' ? null : timedOut,
        ])
        return source(`s${i}`, Object.fromEntries(script))
      })
      const kinds = plans.map((plan) => Object.values(plan))
      const isGiven = kinds.some((kind) => kind.includes('given'))
      const isDenied = kinds.some((kind) => kind.every((one) => one === 'none'))
      const reply = await profilesOf(...sources)
        .find()
        .catch((error: GatewayError) => error)
      if (reply instanceof GatewayError) {
        return !isGiven && reply.code === (isDenied ? 'token_not_found' : 'upstream_unavailable')
      }
      if (!isGiven || !Check(TokenProfile, reply)) return false
      return plans.every((plan, i) => {
        const report = reply.sources[i]!
        const of = (kind: string) => Object.keys(plan).filter((part) => plan[part] === kind)
        const isNamed = (part: Part) => (part in reply ? true : part !== 'holders')
        return (
          report.provider === `s${i}` &&
          String(report.parts) === String(of('given')) &&
          String(report.failed) === String(of('failed')) &&
          (report.code === undefined) === (of('failed').length === 0) &&
          (of('given') as Part[]).every(isNamed)
        )
      })
    }),
    { seed: 4, numRuns: 300 },
  )
})

t.test('holders known from other parts are not whales: the curve, pools, the creator', async (t) => {
  const holder = (address: string, tags: string[] = []) => ({ address, percent: 10, balance: null, tags })
  const { holders } = await profilesOf(
    source('one', {
      holders: [holder(POOL), holder(OLDER_POOL, ['Uniswap']), holder(ALICE), holder(BOB, ['locked'])],
      early: [{ kind: 'creator', address: ALICE }],
    }),
    source('two', {
      lp: {
        pools: [
          { address: POOL.toLowerCase(), venue: 'pump_fun' },
          { address: OLDER_POOL, venue: 'uniswap' },
          { address: 7, venue: null },
          null,
        ].filter((pool) => pool !== null),
      },
    }),
  ).find()
  t.same(
    holders!.map((one) => (one as { tags: string[] }).tags),
    [['bonding curve', 'pump_fun'], ['Uniswap', 'pool'], ['creator'], ['locked']],
  )
})

t.test('a row has what only some sources report, and who vouches for it', async (t) => {
  const changes = { h24: { pricePct: -4.2, buys: 7, sells: null } }
  const security = (verified?: boolean): Security => ({
    at: NOW,
    facts: {},
    flags: UNKNOWN,
    ...(verified !== undefined && { verified }),
  })
  const { row } = await profilesOf(
    source('one', {
      row: { ...EMPTY_ROW, price: 1, symbol: 'USDС', firstPoolAt: NOW - HOUR, changes },
      security: security(false),
    }),
    source('two', {
      row: { ...EMPTY_ROW, fdv: 12, launchpad: 'Pad', topTenPct: 30, firstPoolAt: NOW - 2 * HOUR },
    }),
    source('three', { security: security(true) }),
    source('four', { security: security() }),
  ).find()
  t.match(row, {
    fdv: 12,
    changes,
    launchpad: 'Pad',
    topTenPct: 30,
    firstPoolAt: NOW - 2 * HOUR,
    verified: { one: false, three: true },
    nameSuspicious: true,
  })
  t.same(Object.keys(row!.verified!), ['one', 'three'])
  const { row: native } = await profilesOf(
    source('one', {
      row: { ...EMPTY_ROW, address: NATIVE, creatorPct: 3, image: 'https://x.example/', changes },
    }),
  ).find(NATIVE)
  t.match(native, { image: 'https://x.example/', changes, verified: { curated: true } })
  t.notOk('creatorPct' in native! || 'nameSuspicious' in native!)
})
