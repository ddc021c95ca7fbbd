import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { CHAINS } from '../../../src/chains/chains.ts'
import { MAJORS } from '../../../src/chains/majors.ts'
import {
  type Discovered,
  type DiscoveredBook,
  type Discovery,
  type MarketProvider,
  type MarketRow,
  type Named,
  type RiskFlags,
  type RowSource,
  type Security,
  type TokenId,
  UNKNOWN_FLAGS,
} from '../../../src/providers/market/market.ts'
import { type ListBounds, LiveTokenList } from '../../../src/research/list/token-list.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { loggerTo } from '../../../src/runtime/log.ts'
import { TokenList as Resource, type TokenRow } from '../../../src/runtime/resources/tokens.ts'
import { Check } from '../../fixtures/check.ts'
import { clockOf, handClock, nextTurn, until } from '../../fixtures/clock.ts'
import { codePoint } from '../../fixtures/code-points.ts'
import fc from '../../fixtures/fast-check.ts'

/** A list whose schedule ends with the tests: its clock's timers come at once. */
function opened(options: ConstructorParameters<typeof LiveTokenList>[0]): LiveTokenList {
  const list = new LiveTokenList(options)
  t.teardown(() => list.close())
  return list
}

const NOW = Date.UTC(2026, 10, 21, 12)
const ALL_CHAINS = CHAINS.map(({ key }) => key)
const WETH = '0x4200000000000000000000000000000000000006'
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const UNKNOWN = UNKNOWN_FLAGS
const unavailable = () => new GatewayError('upstream_timeout', 'The upstream did not answer in time.')
const address = (i: number): string => `0x${i.toString(16).padStart(40, '1')}`

type Ask = { readonly chain: string | null; readonly addresses: readonly string[] }

/** The schedule looks every second: here it is called by hand. */
const after: Clock['after'] = (ms, run) => (ms === 1_000 ? () => {} : nextTurn(ms, run))

/** A world in which every token costs what its address and the time say, until it is told otherwise. */
class World {
  now = 0
  operator: readonly Named[] = []
  readonly asks: (Ask & { readonly provider: string })[] = []
  readonly log: Record<string, unknown>[] = []
  /** By provider. */
  readonly failing = new Set<string>()
  readonly hanging = new Set<string>()
  readonly unknown = new Set<string>()
  readonly prices = new Map<string, Partial<MarketRow>>()
  readonly security = new Map<string, Partial<RiskFlags>>()

  async answer<T>(provider: string, ask: Ask, value: () => T): Promise<T> {
    this.asks.push({ provider, ...ask })
    if (this.hanging.has(provider)) return new Promise(() => {})
    if (this.failing.has(provider)) throw unavailable()
    return value()
  }

  row(chain: string, address: string): MarketRow {
    return {
      chain,
      address,
      symbol: 'SYM',
      name: 'Some token',
      price: 1 + this.now / 1_000_000,
      priceTs: NOW + this.now,
      mcap: 5_000_000,
      liq: 800_000,
      vol24: 70_000,
      holders: 4_000,
      ...this.prices.get(address),
    }
  }

  rows(
    label: string,
    chains: readonly string[] = ALL_CHAINS,
    maxTokens = 30,
    more: Partial<RowSource> = {},
  ): MarketProvider {
    const ask = (chain: string, addresses: readonly string[]) =>
      this.answer(label, { chain, addresses }, () =>
        addresses.filter((one) => !this.unknown.has(`${label} ${one}`)).map((one) => this.row(chain, one)),
      )
    return { label, chains: new Set(chains), rows: { maxTokens, ask, ...more } }
  }

  discovery(
    label: string,
    discovery: Pick<Discovery, 'book' | 'everyMs' | 'chains'>,
    find: (chain: string | null) => readonly Discovered[],
  ): MarketProvider {
    const ask = (chain: string | null) => this.answer(label, { chain, addresses: [] }, () => find(chain))
    return {
      label,
      chains: new Set(ALL_CHAINS),
      discoveries: [{ ...discovery, title: `${label} ${discovery.book}`, ask }],
    }
  }

  checks(label: string, chains: readonly string[] = ALL_CHAINS): MarketProvider {
    const ask = ({ chain, address: one }: TokenId): Promise<Security | null> =>
      this.answer(label, { chain, addresses: [one] }, () => {
        const flags = this.security.get(`${label} ${one}`)
        if (flags === undefined) return null
        return { at: NOW + this.now, facts: { is_mintable: '1' }, flags: { ...UNKNOWN, ...flags } }
      })
    return { label, chains: new Set(chains), parts: { security: { keepMs: 600_000, ask } } }
  }

  list(
    providers: readonly MarketProvider[],
    bounds: Partial<ListBounds> = {},
    more: { readonly onRead?: () => void } = {},
  ): LiveTokenList {
    return opened({
      providers,
      operatorTokens: () => this.operator,
      // A cache takes a time of 0 for none.
      clock: clockOf({ now: () => 1 + this.now, date: () => NOW + this.now, after }),
      log: loggerTo({ write: (line) => void this.log.push(JSON.parse(line)) }, 'debug'),
      bounds: { buildMs: 40, callMs: 30, ...bounds },
      ...more,
    })
  }
}

const found = (token: TokenId, row: MarketRow | null = null): Discovered => ({ ...token, row })

async function read(list: LiveTokenList, all = false, scope: string | null = null) {
  const representation = await list.reply(all, scope)
  const value = JSON.parse(representation.select({}).body.toString()) as Resource
  if (!Check(Resource, value)) throw new Error('it is no TokenList')
  return value
}

/** The list after the next rebuild. */
async function reread(world: World, list: LiveTokenList, ms = 10_000, all = false) {
  world.now += ms
  await list.reply(false, null)
  void list.keepCurrent()
  for (let i = 0; i < 100; i++) {
    const value = await read(list, all)
    if (value.updatedAt === NOW + world.now) return value
    await sleep(2)
  }
  throw new Error('it was not rebuilt')
}

const rowOf = (list: Resource, one: string, chain = 'base'): TokenRow =>
  list.tokens.find((row) => row.address === one && row.chain === chain)!

t.test('a list that follows another is what that one is, and asks nobody', async (t) => {
  const world = new World()
  world.security.set(USDC, {})
  const first = world.list([world.rows('dex')])
  const asked: string[] = []
  const second = world.list([world.rows('none')], {}, { onRead: () => asked.push('read') })
  const early = read(second)
  t.ok(asked.length > 0, 'the other is told that the list is read')
  await read(first)
  const snapshotOf = () => structuredClone(first.snapshot()!)
  await second.follow(snapshotOf())
  await early
  t.same(await read(second), await read(first))
  t.same(await read(second, true, 'base'), await read(first, true, 'base'))
  t.same(second.find('base', USDC)!.risks, first.find('base', USDC)!.risks)
  t.same(second.find('base', USDC)!.swapFacts(), first.find('base', USDC)!.swapFacts())
  world.prices.set(USDC, { price: 3, liq: 1 })
  const changed = await reread(world, first)
  await second.follow(snapshotOf())
  t.same(await read(second), changed)
  t.equal(second.find('base', USDC)!.price, 3)
  t.notOk(world.asks.some(({ provider }) => provider === 'none'))
})

t.test('a row has the last price of each of the last 24 hours, if that is asked for', async (t) => {
  const HOUR_MS = 3_600_000
  const world = new World()
  const list = world.list([world.rows('dex', ['base'])])
  const hourlyOf = async (from = list) => {
    const { tokens } = JSON.parse((await from.reply(false, 'base', true)).select({}).body.toString())
    return tokens.find(({ address }: TokenRow) => address === USDC).hourly
  }
  const next = async (price: number | null, ms: number) => {
    if (price === null) world.failing.add('dex')
    else world.prices.set(USDC, { price })
    await reread(world, list, ms)
    return hourlyOf()
  }
  world.prices.set(USDC, { price: 1.23456789 })
  await read(list)
  t.same(await hourlyOf(), [1.23457], 'six significant digits')
  t.notOk('hourly' in rowOf(await read(list), USDC))
  world.now += HOUR_MS - (NOW % HOUR_MS) - 20_000
  t.same(await next(0.000012345678, 10_000), [0.0000123457], 'the last one of the hour')
  t.same(await next(3, 10_000), [0.0000123457, 3])
  t.same(await next(4, 3 * HOUR_MS), [0.0000123457, 3, null, null, 4])
  const follower = world.list([], {}, { onRead() {} })
  const followed = hourlyOf(follower)
  await follower.follow(structuredClone(list.snapshot()!))
  t.same(await followed, [0.0000123457, 3, null, null, 4])
  for (let hour = 0; hour < 23; hour++) await next(5, HOUR_MS)
  t.same(await hourlyOf(), [4, ...Array(23).fill(5)], '24 of them')
  t.same(await next(null, 2 * HOUR_MS), Array(22).fill(5).concat(null, null), 'an old price is none')
  t.same(await next(null, 24 * HOUR_MS), undefined)
})

t.test('a list that follows none answers with what it has once a build should have come', async (t) => {
  const world = new World()
  const list = world.list([world.rows('none')], {}, { onRead() {} })
  t.equal(list.snapshot(), null)
  const value = await read(list)
  t.match(rowOf(value, USDC), { symbol: 'USDC', price: null })
})

t.test('the first read brings every major of every chain with its price', async (t) => {
  const world = new World()
  const list = world.list([world.rows('dex')])
  t.same(list.chains(), ALL_CHAINS, 'they are listed before anything was asked')
  t.match(list.find('base', USDC), {
    symbol: 'USDC',
    decimals: 6,
    price: null,
    priceTs: null,
    isListed: true,
  })
  t.equal(list.find('base', 'nothing'), null)
  t.same(list.tokens('nowhere'), [])

  const value = await read(list)
  const majors = [...MAJORS.values()].reduce((sum, { length }) => sum + length, 0)
  t.equal(value.tokens.length, majors)
  t.ok(value.tokens.every(({ price, priceTs, priceStale }) => price === 1 && priceTs === NOW && !priceStale))
  t.equal(world.asks.length, ALL_CHAINS.length, 'one batch for each chain')
  t.match(rowOf(value, USDC), {
    symbol: 'USDC',
    name: 'USD Coin',
    decimals: 6,
    mcap: 5_000_000,
    liq: 800_000,
    vol24: 70_000,
    holders: 4_000,
    security: null,
    book: 'majors',
    metaTs: null,
  })
  t.match(value, { gated: 0, updatedAt: NOW })
  t.same(
    value.books.map(({ book, count, updatedAt, ageMs }) => [book, count, updatedAt, ageMs]),
    [
      ['operator', 0, NOW, 0],
      ['majors', majors, NOW, 0],
      ['boosted', 0, null, null],
      ['trending', 0, null, null],
      ['new', 0, null, null],
    ],
  )
  t.match(list.find('base', USDC), { price: 1, priceTs: NOW, liq: 800_000 })
})

t.test("a native coin has its wrapper's price, and not its wrapper's worth", async (t) => {
  const world = new World()
  world.prices.set(WETH, { symbol: 'WETH', price: 2_950.5, mcap: 7e8, holders: 1_000_000 })
  const list = world.list([world.rows('dex')])
  const value = await read(list, false, 'base')
  t.match(rowOf(value, NATIVE), { symbol: 'ETH', decimals: 18, price: 2_950.5, liq: 800_000 })
  t.match(rowOf(value, NATIVE), { mcap: null, holders: null })
  t.match(rowOf(value, WETH), { symbol: 'WETH', price: 2_950.5, mcap: 7e8, holders: 1_000_000 })
  const asked = world.asks.find(({ chain }) => chain === 'base')!.addresses
  t.same([...asked].sort(), [WETH, USDC].sort(), 'the wrapper is asked for once')
})

t.test(
  'it is rebuilt at most once every ten seconds, in one flight, and never by who reads it',
  async (t) => {
    const world = new World()
    const list = world.list([world.rows('dex', ['base'])])
    t.equal(world.asks.length, 0, 'nobody has read it')
    const [first, second] = await Promise.all([
      list.reply(false, null),
      list.reply(false, null),
      list.ready(50),
    ])
    t.equal(first, second)
    t.equal(world.asks.length, 1)
    for (const ms of [1, 5_000, 4_998]) {
      world.now += ms
      void list.keepCurrent()
      t.equal(list.reply(false, null), first, 'the same bytes, at once')
    }
    world.now += 1
    await list.ready(50)
    t.equal(list.reply(false, null), first, 'who comes first does not wait')
    t.equal(world.asks.length, 1, 'and begins nothing')
    const rebuild = list.keepCurrent()
    t.equal(list.keepCurrent(), rebuild)
    t.equal(list.reply(false, null), first)
    await rebuild
    t.equal(world.asks.length, 2)
    t.not(list.reply(false, null), first)
  },
)

t.test(
  'the schedule goes on by itself: every ten seconds while it is read, and then once a minute',
  async (t) => {
    const world = new World()
    const clock = handClock()
    const list = opened({
      providers: [world.rows('dex', ['base'])],
      operatorTokens: () => [],
      clock,
      log: loggerTo({ write: () => {} }, 'silent'),
      bounds: { buildMs: 500 },
    })
    clock.advance(60_000)
    t.equal(clock.waiting, 0, 'before anybody reads it there is no schedule')
    const pass = async (seconds: number): Promise<number> => {
      const before = world.asks.length
      for (let second = 0; second < seconds; second++) {
        const { length } = world.asks
        clock.advance(1_000)
        if (world.asks.length > length) await until(() => list.updatedAt === clock.date())
      }
      return world.asks.length - before
    }
    await list.reply(false, null)
    t.equal(await pass(60), 6)
    await pass(240)
    t.equal(await pass(600), 12, 'nobody reads it')
    const { updatedAt } = list
    for (let reads = 0; reads < 100; reads++) t.notOk(list.reply(false, null) instanceof Promise)
    t.equal(list.updatedAt, updatedAt, 'a read begins nothing')
    t.equal(await pass(60), 6)
    list.close()
    t.equal(await pass(600), 0)
    t.equal(clock.waiting, 0)
  },
)

t.test('two builds are ten seconds apart or more, however long the sources take', async (t) => {
  const clock = handClock()
  let seed = 1
  const nextMs = (): number => (seed = (seed * 48_271) % 2_147_483_647) % 2_600
  const slow: MarketProvider = {
    label: 'slow',
    chains: new Set(['base']),
    rows: {
      maxTokens: 30,
      ask: () => new Promise((resolve) => clock.after(nextMs(), () => resolve([]))),
    },
  }
  const log = loggerTo({ write: () => {} }, 'silent')
  const list = opened({ providers: [slow], operatorTokens: () => [], clock, log })
  const stamps: number[] = []
  list.watch(() => stamps.push(list.updatedAt!))
  void list.reply(false, null)
  while (stamps.length < 20) {
    clock.advance(200)
    if (stamps.length % 7 === 0) void list.ready(0)
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  }
  const gaps = stamps.slice(1).map((stamp, i) => stamp - stamps[i]!)
  t.ok(Math.min(...gaps) >= 10_000, gaps.join(' '))
})

t.test('the first reader waits for a bounded time, and no other reader waits', async (t) => {
  const world = new World()
  world.hanging.add('dex')
  const list = world.list([world.rows('dex'), world.rows('late', ['base'])], { batches: 100 })
  const value = await read(list)
  t.ok(value.tokens.length > 0)
  for (const { price, priceTs, priceStale } of value.tokens) {
    t.same([price, priceTs, priceStale], [null, null, false])
  }
  world.now += 10_000
  t.notOk(list.reply(false, null) instanceof Promise)

  const slow = world.list([world.rows('dex')], { buildMs: 2_000 })
  await slow.ready(10)
  t.ok(slow.reply(false, null) instanceof Promise, 'it is not built')
  t.equal(slow.tokens('base').length, 3, 'what is curated is there')
})

t.test('what could not be refreshed keeps its value and its time, and is marked', async (t) => {
  const world = new World()
  const list = world.list([world.rows('dex', ['base'])])
  t.match(rowOf(await read(list), USDC), { price: 1, priceTs: NOW, priceStale: false })
  world.failing.add('dex')
  for (const [ms, priceStale] of [
    [10_000, false],
    [50_000, false],
    [10_000, true],
  ] as const) {
    t.match(rowOf(await reread(world, list, ms), USDC), { price: 1, priceTs: NOW, priceStale }, 'by its age')
  }
  world.failing.delete('dex')
  const fresh = rowOf(await reread(world, list), USDC)
  t.match(fresh, { price: 1.08, priceTs: NOW + 80_000, priceStale: false })
  t.ok(
    world.log.some(({ msg, provider, code }) =>
      `${msg} ${provider} ${code}`.endsWith('dex upstream_timeout'),
    ),
  )
  t.notOk(world.log.some(({ level }) => Number(level) >= 40))
})

t.test(
  'after an hour in which the machine slept, who reads waits for a rebuild only if one is under way',
  async (t) => {
    const world = new World()
    const list = world.list([world.rows('dex', ['base'])])
    await read(list)
    world.now += 3_600_000
    t.notOk(list.reply(false, null) instanceof Promise, 'what there is')
    t.equal(world.asks.length, 1)
    void list.keepCurrent()
    t.ok(list.reply(false, null) instanceof Promise)
    const value = await read(list)
    t.match(value, { updatedAt: NOW + 3_600_000 })
    t.match(rowOf(value, USDC), { price: 4.6, priceTs: NOW + 3_600_000, priceStale: false })
    t.notOk(list.reply(false, null) instanceof Promise)

    world.hanging.add('dex')
    world.now += 3_600_000
    void list.keepCurrent()
    t.match(
      rowOf(await read(list), USDC),
      { price: 4.6, priceTs: NOW + 3_600_000, priceStale: true },
      'the reader waits no longer than a rebuild may take',
    )
  },
)

t.test('a source that looks at all pools of a token is asked first, and seldom', async (t) => {
  const world = new World()
  const tokens = Array.from({ length: 15 }, (_, i) => ({ chain: 'base', address: address(i) }))
  world.operator = tokens.map((token) => ({ ...token, symbol: null, name: null }))
  world.unknown.add(`whole ${WETH}`)
  const list = world.list(
    [world.rows('pairs', ['base'], 5), world.rows('whole', ['base'], 10, { everyMs: 10_000 })],
    { everyMs: 5_000 },
  )
  const turn = async (ms: number) => {
    world.asks.length = 0
    await (ms === 0 ? read(list) : reread(world, list, ms))
    const asked = (label: string) => world.asks.filter(({ provider }) => provider === label)
    return {
      whole: asked('whole').length,
      byPairs: asked('pairs').flatMap(({ addresses }) => addresses).length,
    }
  }
  t.same(await turn(0), { whole: 1, byPairs: 7 }, 'it takes ten at a time, and the others take the rest')
  for (let i = 0; i < 6; i++) {
    t.same(
      await turn(10_000),
      { whole: 1, byPairs: 1 },
      'what it knows waits for it, what it does not cannot',
    )
    t.ok(
      list.tokens('base').every(({ priceTs }) => NOW + world.now - priceTs! <= 20_000),
      'two turns at most',
    )
  }
  t.same(await turn(5_000), { whole: 0, byPairs: 1 }, 'it is not due')
  world.failing.add('whole')
  t.ok((await turn(5_000)).byPairs >= 9, 'where it fails, the others are asked')
})

t.test('while no source has rows, majors have the prices of one that vouches for them', async (t) => {
  const world = new World()
  const llama: MarketProvider = {
    label: 'llama',
    chains: new Set(['base', 'solana', 'ton']),
    prices: {
      maxTokens: 50,
      ask: (tokens) =>
        world.answer('llama', { chain: null, addresses: tokens.map(({ chain }) => chain) }, () =>
          tokens.map((token) => ({ ...token, price: 7, priceTs: NOW + world.now - 40_000, liq: null })),
        ),
    },
  }
  world.failing.add('dex')
  const token = { chain: 'base', address: address(1) }
  const gecko = world.discovery('gecko', { book: 'new', everyMs: 1e9, chains: null }, () => [found(token)])
  const list = world.list([world.rows('dex', ['base', 'bsc']), llama, gecko])
  const asked = () => world.asks.filter(({ provider }) => provider === 'llama')
  const value = await read(list)
  t.match(rowOf(value, USDC), {
    price: 7,
    priceTs: NOW - 40_000,
    priceBy: 'llama',
    priceStale: false,
    liq: null,
  })
  t.equal(rowOf(value, token.address).price, null, 'nobody vouches for what is no major')
  t.equal(asked().length, 1, 'once, for all chains')
  t.same([...new Set(asked()[0]!.addresses)].sort(), ['base', 'solana', 'ton'])
  await reread(world, list)
  t.equal(asked().length, 1, 'half a minute later at the soonest')
  await reread(world, list, 20_000)
  t.equal(asked().length, 2)

  world.failing.clear()
  t.match(rowOf(await reread(world, list), USDC), {
    price: 1.04,
    priceTs: NOW + 40_000,
    priceBy: 'dex',
    liq: 800_000,
  })
  await reread(world, list, 20_000)
  t.notOk(
    asked().at(-1)!.addresses.includes('base'),
    'what has a price of less than half a minute is not asked for',
  )
  world.failing.add('dex')
  const later = await reread(world, list, 3_600_000)
  t.match(
    rowOf(later, USDC),
    { price: 7, priceTs: NOW + 3_620_000, priceBy: 'llama', liq: 800_000 },
    'what else was known stays',
  )
})

t.test("a price that its source took from pools is not a major's price", async (t) => {
  const world = new World()
  const pools: MarketProvider = {
    label: 'pools',
    chains: new Set(['base']),
    prices: {
      maxTokens: 50,
      ask: (tokens) =>
        world.answer('pools', { chain: null, addresses: tokens.map(({ address }) => address) }, () =>
          tokens.map((token) => ({ ...token, price: 7, priceTs: NOW + world.now, liq: 9e9 })),
        ),
    },
  }
  const value = await read(world.list([pools]))
  t.ok(world.asks.some(({ addresses }) => addresses.includes(USDC)))
  t.equal(rowOf(value, USDC).price, null)
})

t.test('a source that answers nonsense to the list is a fault that is logged, and outlived', async (t) => {
  const world = new World()
  const broken: MarketProvider = {
    label: 'broken',
    chains: new Set(['base']),
    rows: { maxTokens: 30, ask: () => Promise.reject(new TypeError('oops')) },
  }
  const value = await read(world.list([broken, world.rows('dex')]))
  t.equal(rowOf(value, USDC).price, 1)
  t.match(
    world.log.find(({ msg }) => msg === 'fault'),
    { level: 50, provider: 'broken' },
  )
})

t.test('a rebuild that goes wrong leaves the list whole, and the next one mends it', async (t) => {
  const world = new World()
  let isBroken = true
  const broken: MarketProvider = {
    label: 'broken',
    chains: new Set(['solana']),
    // What no adapter may answer.
    rows: { maxTokens: 30, ask: async () => (isBroken ? [null as unknown as MarketRow] : []) },
  }
  const list = world.list([world.rows('dex', ['base']), broken])
  const faults = () => world.log.filter(({ msg }) => msg === 'fault').length
  t.equal((await read(list)).tokens.length, list.chains().flatMap((key) => list.tokens(key)).length)
  t.equal(faults(), 1, 'also the first time, when there is no other list')
  const value = await reread(world, list)
  t.match(rowOf(value, USDC), { price: 1.01, priceTs: NOW + 10_000, priceStale: false })
  t.equal(faults(), 2)
  isBroken = false
  t.match(rowOf(await reread(world, list), USDC), { price: 1.02, priceStale: false })
  t.equal(faults(), 2)
})

t.test('what is found too late for a build is in the next one, in its book', async (t) => {
  const world = new World()
  const token = { chain: 'base', address: address(1) }
  let answer: ((found: readonly Discovered[]) => void) | null = null
  const gecko: MarketProvider = {
    label: 'gecko',
    chains: new Set(['base']),
    discoveries: [
      {
        book: 'trending',
        title: 'gecko trending',
        everyMs: 1_000,
        chains: null,
        ask: () => new Promise((resolve) => (answer = resolve)),
      },
    ],
  }
  const list = opened({
    providers: [gecko],
    // They are looked at when tokens are put into their books.
    operatorTokens: () => {
      answer?.([found(token)])
      return world.operator
    },
    clock: clockOf({ now: () => 1 + world.now, date: () => NOW + world.now, after: nextTurn }),
    log: loggerTo({ write: () => {} }, 'info'),
    bounds: { buildMs: 20 },
  })
  t.equal(rowOf(await read(list), token.address), undefined)
  t.match(rowOf(await reread(world, list), token.address), { book: 'trending' })
})

t.test('over days of fresh tokens by the thousand, the list stays as long as it is', async (t) => {
  const world = new World()
  let serial = 0
  const flood = (book: DiscoveredBook, chains: readonly string[] | null) =>
    world.discovery(`flood ${book}`, { book, everyMs: 1_000, chains }, (chain) =>
      Array.from({ length: 1_000 }, () => found({ chain: chain ?? 'base', address: address(++serial) })),
    )
  const list = world.list([
    flood('boosted', null),
    flood('trending', ['base', 'bsc', 'solana']),
    flood('new', null),
    world.checks('plus'),
  ])
  const majors = [...MAJORS.values()].flat().length
  const [first] = (await read(list, false, 'new')).tokens
  for (let rebuilds = 0; rebuilds < 40; rebuilds++) {
    const { tokens } = await reread(world, list, 10_800_000, true)
    t.ok(tokens.length <= majors + 440, `${tokens.length} rows`)
  }
  const known = list.chains().flatMap((chain) => list.tokens(chain))
  t.equal(known.length, majors + 440)
  t.equal(list.find('base', first!.address), null, 'forgotten')
  t.ok(serial > 200_000)
})

t.test('a rebuild asks for a few batches, and every token has its turn', async (t) => {
  const world = new World()
  const tokens = Array.from({ length: 150 }, (_, i) => ({ chain: 'base', address: address(i) }))
  world.operator = tokens.map((token) => ({ ...token, symbol: null, name: null }))
  const list = world.list([world.rows('dex', ['base'], 10)], { allBatches: 4, batches: 4 })
  let value = await read(list)
  const turns = [value.tokens.filter(({ price }) => price !== null).length]
  for (let i = 0; i < 3; i++) {
    value = await reread(world, list, 25_000)
    turns.push(value.tokens.filter(({ price }) => price !== null).length)
  }
  t.equal(world.asks.length, 16)
  t.ok(world.asks.every(({ addresses }) => addresses.length <= 10))
  t.same(turns.slice(0, 3), [40, 80, 120])
  const priced = value.tokens.filter(({ chain }) => chain === 'base')
  t.ok(
    priced.every(({ price }) => price !== null),
    'all within four rebuilds',
  )
  t.ok(priced.some(({ priceStale }) => priceStale) && priced.some(({ priceStale }) => !priceStale))
})

t.test('no rebuild asks for more batches than it may, and chains that waited longest go first', async (t) => {
  const world = new World()
  const tokens = Array.from({ length: 60 }, (_, i) => found({ chain: 'base', address: address(i) }))
  const gecko = world.discovery('gecko', { book: 'new', everyMs: 1e9, chains: null }, () => tokens)
  const list = world.list([gecko, world.rows('dex', ['base', 'bsc', 'solana'])], {
    allBatches: 4,
    batches: 2,
  })
  const turns: (readonly (string | null)[])[] = []
  for (let i = 0; i < 4; i++) {
    world.asks.length = 0
    await (i === 0 ? read(list) : reread(world, list))
    turns.push(world.asks.filter(({ provider }) => provider === 'dex').map(({ chain }) => chain))
  }
  t.same(turns, [
    // The last is one of the two batches that were found.
    ['bsc', 'base', 'solana', 'base'],
    ['base', 'bsc'],
    ['base', 'solana'],
    ['bsc', 'base'],
  ])
})

t.test('what the first source does not know, the next one is asked for', async (t) => {
  const world = new World()
  world.unknown.add(`dex ${USDC}`)
  const list = world.list([world.rows('dex', ['base']), world.rows('other', ['base', 'solana'])])
  const value = await read(list)
  t.equal(rowOf(value, USDC).price, 1)
  const asked = world.asks.filter(({ provider, chain }) => provider === 'other' && chain === 'base')
  t.same(
    asked.map(({ addresses }) => addresses),
    [[USDC]],
  )
  t.equal(rowOf(value, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'solana').price, 1)
  t.equal(rowOf(value, 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs', 'ton').price, null)
})

t.test('a token appears once, in the first book that has it, with what is known of it', async (t) => {
  const world = new World()
  const [a, b, c] = [0, 1, 2].map((i) => ({ chain: 'base', address: address(i) })) as [
    TokenId,
    TokenId,
    TokenId,
  ]
  world.operator = [{ ...b, symbol: 'MINE', name: null }]
  const only = { everyMs: 60_000, chains: null }
  world.prices.set(a.address, { symbol: 'A' })
  const list = world.list([
    world.discovery('gecko', { book: 'new', ...only }, () => [found(a), found(b), found(c)]),
    world.discovery('cat', { book: 'trending', ...only }, () => [
      found(c, { ...world.row('base', c.address), holders: 12 }),
      found({ chain: 'base', address: USDC }),
      found(a),
      found({ chain: 'nowhere', address: 'x' }),
    ]),
    world.discovery('paid', { book: 'boosted', ...only }, () => [found(a)]),
    world.rows('dex', ['base']),
  ])
  const value = await read(list, false, 'base')
  t.same(
    value.tokens.map(({ address: one, book, symbol }) => [one, book, symbol]),
    [
      [b.address, 'operator', 'MINE'],
      [NATIVE, 'majors', 'ETH'],
      [WETH, 'majors', 'WETH'],
      [USDC, 'majors', 'USDC'],
      [a.address, 'boosted', 'A'],
      [c.address, 'trending', 'SYM'],
    ],
  )
  t.equal(rowOf(value, a.address).price, 1, 'asked for in the same rebuild')
  const books = Object.fromEntries(value.books.map((book) => [book.book, book]))
  t.match(books, {
    operator: { count: 1, source: 'TOKENS_FILE' },
    boosted: { count: 1, source: 'paid boosted', updatedAt: NOW },
    trending: { count: 1, source: 'cat trending' },
    new: { count: 0, updatedAt: NOW, ageMs: 0 },
  })

  world.operator = [{ ...c, symbol: null, name: null }]
  const next = await reread(world, list)
  t.match(next.books[0], { book: 'operator', count: 1, updatedAt: NOW + 10_000, ageMs: 0 })
  t.equal(rowOf(next, c.address).book, 'operator')
  t.match(rowOf(next, b.address), { book: 'new', symbol: 'SYM' }, 'no longer the operator’s')
  t.match(
    next.books.find(({ book }) => book === 'trending'),
    { count: 0, ageMs: 10_000 },
  )
})

t.test('the row that comes with a discovery stands until a source of rows knows the token', async (t) => {
  const world = new World()
  const token = { chain: 'base', address: address(1) }
  world.unknown.add(`dex ${token.address}`)
  const row = (price: number) => ({ ...world.row('base', token.address), price })
  const gecko = world.discovery('gecko', { book: 'new', everyMs: 1_000, chains: null }, () => [
    found(token, row(7)),
  ])
  const list = world.list([gecko, world.rows('dex', ['base'])])
  t.match(rowOf(await read(list), token.address), { price: 7, priceBy: 'gecko' })
  world.unknown.clear()
  await reread(world, list)
  t.match(rowOf(await reread(world, list), token.address), { price: 1.02, priceBy: 'dex' })
})

t.test('what a source leaves out is kept from an earlier one, except the price', async (t) => {
  const world = new World()
  const token = { chain: 'base', address: address(1) }
  const told = { ...world.row('base', token.address), symbol: 'A', name: 'An A', holders: 12 }
  world.prices.set(token.address, { symbol: null, name: null, holders: null, price: null })
  const list = world.list([
    world.discovery('gecko', { book: 'new', everyMs: 60_000, chains: null }, () => [found(token, told)]),
    world.rows('dex', ['base']),
  ])
  const row = rowOf(await read(list), token.address)
  t.match(row, { symbol: 'A', name: 'An A', holders: 12, price: null, priceTs: null, priceStale: false })
  t.notOk('priceBy' in row)
})

t.test('a discovery that failed is asked again after a minute, however seldom it is asked', async (t) => {
  const world = new World()
  const gecko = world.discovery('gecko', { book: 'new', everyMs: 300_000, chains: null }, () => [])
  const list = world.list([gecko], { everyMs: 1 })
  const asked: number[] = []
  world.failing.add('gecko')
  await read(list)
  for (const ms of [59_999, 1, 60_000]) {
    await reread(world, list, ms)
    asked.push(world.asks.length)
    if (ms === 1) world.failing.clear()
  }
  await reread(world, list, 299_999)
  asked.push(world.asks.length)
  await reread(world, list, 10_000)
  asked.push(world.asks.length)
  t.same(asked, [1, 2, 3, 3, 4])
})

t.test('chains take turns, failures are tried again later, and books are bounded', async (t) => {
  const world = new World()
  let serial = 0
  const many = (chain: string, count: number) =>
    Array.from({ length: count }, () => found({ chain, address: address(++serial) }))
  const chains = ['base', 'bsc', 'ethereum']
  const list = world.list(
    [
      world.discovery('gecko', { book: 'trending', everyMs: 60_000, chains }, (chain) => many(chain!, 25)),
      world.discovery('paid', { book: 'boosted', everyMs: 20_000, chains: null }, () => many('base', 300)),
    ],
    { discoveries: 2 },
  )
  await read(list)
  t.same(
    world.asks.map(({ provider, chain }) => [provider, chain]),
    [
      ['paid', null],
      ['gecko', 'base'],
    ],
  )
  world.failing.add('gecko')
  await reread(world, list)
  t.same(
    world.asks.slice(2).map(({ chain }) => chain),
    ['bsc', 'ethereum'],
  )
  world.failing.clear()
  await reread(world, list)
  t.same(
    world.asks.slice(4).map(({ chain }) => chain),
    [null],
  )
  world.now += 40_000
  const value = await reread(world, list)
  t.same(
    world.asks.slice(5).map(({ chain }) => chain),
    [null, 'base'],
    'first what is overdue by the most of its own intervals',
  )
  const count = (name: string) => value.books.find(({ book }) => book === name)!.count
  t.equal(count('trending'), 20, 'ten of each answer')
  t.equal(count('boosted'), 80)
  const gone = await reread(world, list, 90_000_000)
  const left = (name: string) => gone.books.find(({ book }) => book === name)!.count
  t.equal(left('boosted'), 60, 'a day old, they are gone: these are of one answer')
  t.equal(left('trending'), 10, 'and of one chain')
})

t.test('the risk filter holds back what a source warns of, counts it, and says why', async (t) => {
  const world = new World()
  const [bad, fine, fake] = [1, 2, 3].map(address) as [string, string, string]
  world.security.set(`plus ${bad}`, { honeypot: true })
  world.security.set(`rug ${bad}`, { honeypot: false })
  world.security.set(`plus ${fine}`, { honeypot: false, mintable: true })
  world.security.set(`plus ${USDC}`, { freezable: true })
  world.prices.set(fake, { fdv: 9e9, liq: 12 })
  const tokens = [bad, fine, fake].map((one) => found({ chain: 'base', address: one }))
  const list = world.list(
    [
      world.rows('dex', ['base']),
      world.discovery('gecko', { book: 'new', everyMs: 1_000, chains: null }, () => tokens),
      world.checks('plus', ['base']),
      world.checks('rug', ['base']),
    ],
    { checks: 2 },
  )
  t.equal((await read(list)).gated, 1, 'the false price shows at once, and what is unknown is not held back')
  await sleep(5)
  t.equal(list.find('base', bad)?.isListed, false, 'known in the background')

  const value = await reread(world, list)
  t.equal(value.gated, 2)
  t.same(
    value.tokens.filter(({ book }) => book === 'new').map((row) => row.address),
    [fine],
  )
  t.match(rowOf(value, fine), {
    security: { plus: { at: NOW, honeypot: false, mintable: true, cannotSell: null } },
  })
  t.notOk('facts' in (rowOf(value, fine).security as Record<string, object>).plus!)
  t.notOk('rug' in rowOf(value, fine).security!, 'a source that knows nothing says nothing')
  t.equal(rowOf(value, fine).metaTs, NOW)
  t.notOk('gate' in rowOf(value, fine))
  t.equal(value.books.find(({ book }) => book === 'new')!.count, 1, 'what is held back is not counted')
  t.equal(rowOf(value, USDC).security, null, 'what was chosen by hand is not asked for')

  const all = await read(list, true)
  t.equal(all.gated, 2)
  t.equal(all.tokens.length, value.tokens.length + 2)
  t.match(rowOf(all, bad), {
    gate: [{ rule: 'honeypot', source: 'plus', reason: String }],
    security: { plus: { honeypot: true }, rug: { honeypot: false } },
  })
  t.match(rowOf(all, fake), { gate: [{ rule: 'false_price', source: null }] })
  const asks = () => world.asks.filter(({ provider }) => provider === 'plus').length
  await sleep(5)
  t.equal(asks(), 3, 'each token once')
  await reread(world, list)
  await sleep(5)
  t.equal(asks(), 3)
  await reread(world, list, 1_800_001)
  await sleep(5)
  t.equal(asks(), 5, 'again when what was found is half an hour old, two at a time')
})

t.test('a failed check is tried again after a while', async (t) => {
  const world = new World()
  const one = found({ chain: 'base', address: address(1) })
  const gecko = world.discovery('gecko', { book: 'new', everyMs: 1_000, chains: null }, () => [one])
  const list = world.list([gecko, world.checks('plus')])
  world.failing.add('plus')
  const asks = () => world.asks.filter(({ provider }) => provider === 'plus').length
  await read(list)
  await sleep(5)
  await reread(world, list)
  await sleep(5)
  t.equal(asks(), 1)
  await reread(world, list, 120_001)
  await sleep(5)
  t.equal(asks(), 2)
})

t.test('scopes are the rows of one book or of one chain', async (t) => {
  const world = new World()
  const token = { chain: 'base', address: address(1) }
  world.prices.set(token.address, { fdv: 9e9, liq: 0 })
  const list = world.list([
    world.rows('dex', ['base']),
    world.discovery('gecko', { book: 'new', everyMs: 60_000, chains: null }, () => [found(token)]),
  ])
  const whole = await read(list, true)
  t.equal((await read(list, false, 'new')).tokens.length, 0)
  t.equal((await read(list, false, 'new')).gated, 1)
  t.equal((await read(list, true, 'new')).tokens.length, 1)
  t.equal((await read(list, false, 'solana')).gated, 0)
  t.equal((await read(list, true, 'base')).tokens.length, 4)
  t.equal((await read(list, false, 'majors')).tokens.length, whole.tokens.length - 1)
  t.same((await read(list, false, 'new')).books, whole.books, 'the books are those of the whole list')
  t.equal(list.reply(true, 'base'), list.reply(true, 'base'), 'prepared once')
})

t.test('whatever sources do, rows are complete and prices are ones that were reported', async () => {
  const number = fc.option(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }))
  const text = fc.option(fc.string({ maxLength: 20, unit: codePoint }))
  const step = fc.record({
    failing: fc.subarray(['dex', 'gecko', 'plus']),
    found: fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 12 }),
    values: fc.record({ symbol: text, name: text, price: number, mcap: number, liq: number, vol24: number }),
    honeypot: fc.option(fc.boolean()),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      const world = new World()
      let current = steps[0]!
      const told = new Set<number | null>([null])
      const list = world.list([
        world.rows('dex', ['base'], 5),
        world.discovery('gecko', { book: 'new', everyMs: 1_000, chains: null }, () =>
          current.found.map((i) => found({ chain: 'base', address: address(i) })),
        ),
        world.checks('plus'),
      ])
      for (const [i, one] of steps.entries()) {
        current = one
        told.add(one.values.price)
        world.failing.clear()
        for (const label of one.failing) world.failing.add(label)
        for (const at of [USDC, ...one.found.map(address)]) world.prices.set(at, one.values)
        for (const at of one.found.map(address)) world.security.set(`plus ${at}`, { honeypot: one.honeypot })
        const before = new Set(told).add(1 + world.now / 1e6)
        const value = i === 0 ? await read(list, true) : await reread(world, list, 10_000, true)
        const ids = new Set(value.tokens.map(({ chain, address: at }) => `${chain} ${at}`))
        if (ids.size !== value.tokens.length) throw new Error('a token stands twice')
        const held = value.tokens.filter(({ gate }) => gate !== undefined)
        if (held.length !== value.gated) throw new Error('the gate miscounts')
        for (const { price, priceTs, address: at } of value.tokens) {
          if ((price === null) !== (priceTs === null)) throw new Error('a price without its time')
          if (Number(priceTs) > value.updatedAt) throw new Error('a price from the future')
          const isTold = before.has(price ?? null) || world.prices.get(at) === undefined
          if (!isTold) throw new Error('a price that nobody told')
        }
      }
    }),
    { numRuns: 20 },
  )
})

t.test('a copycat is recognized by who vouches for it and by how it is written', async (t) => {
  const world = new World()
  const [copy, forged] = [address(1), address(2)]
  world.prices.set(copy, { symbol: 'USDC', name: 'USD Coin', launchpad: 'Pad' })
  world.prices.set(forged, { symbol: 'USD\u0421' })
  const found = [copy, forged].map((one) => ({ chain: 'base', address: one, row: null }))
  const list = world.list([
    world.rows('dex'),
    world.discovery('gecko', { book: 'trending', everyMs: 1, chains: null }, () => found),
  ])
  const value = await read(list)
  t.match(rowOf(value, USDC), { symbol: 'USDC', verified: { curated: true } })
  t.match(rowOf(value, copy), { symbol: 'USDC', launchpad: 'Pad' })
  t.notOk('verified' in rowOf(value, copy)! || 'nameSuspicious' in rowOf(value, copy)!)
  t.match(rowOf(value, forged), { nameSuspicious: true })
})
