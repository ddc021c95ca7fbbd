/** Token lists of several instances, which share what their sources said: by the codec, and the test's clock. */
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import t from 'tap'
import { CHAINS } from '../../../src/chains/chains.ts'
import { type MarketProvider, type MarketRow, UNKNOWN_FLAGS } from '../../../src/providers/market/market.ts'
import { type ListSnapshot, listSnapshotCodec } from '../../../src/research/list/list-snapshot.ts'
import { LiveTokenList } from '../../../src/research/list/token-list.ts'
import { loggerTo } from '../../../src/runtime/log.ts'
import type { TokenList as Resource } from '../../../src/runtime/resources/tokens.ts'
import type { SharedAnswers } from '../../../src/upstream/answers/shared-answers.ts'
import { clockOf, until } from '../../fixtures/clock.ts'

/** A list whose schedule ends with the tests: its clock's timers come at once. */
function opened(options: ConstructorParameters<typeof LiveTokenList>[0]): LiveTokenList {
  const list = new LiveTokenList(options)
  t.teardown(() => list.close())
  return list
}

const NOW = Date.UTC(2026, 10, 21, 12)
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const HONEST = `0x${'1'.repeat(40)}`
const TRAP = `0x${'2'.repeat(40)}`

class World {
  now = 0
  /** What sources were asked for, by instance. */
  readonly asks: string[] = []
  /** How long a source takes for rows, ms. */
  takesMs = (): number => 0
  readonly #answers = new Map<
    string,
    { readonly text: string; readonly at: number; readonly until: number }
  >()
  readonly #flights = new Map<string, Promise<ListSnapshot>>()

  /** @param aheadMs  of the instance's Unix time */
  clock(aheadMs = 0) {
    // Nothing in it waits for a time: the schedule is called by hand.
    return clockOf({ now: () => this.now, date: () => NOW + this.now + aheadMs, after: () => () => {} })
  }

  /** One instance's time; its monotonic clock may begin anywhere. */
  sharedAnswers(clock: ReturnType<World['clock']>, aheadMs: number): SharedAnswers<ListSnapshot> {
    const codec = listSnapshotCodec(clock)
    return {
      join: async (key, _caller, fly, keepMs) => {
        if ((this.#answers.get(key)?.until ?? -1) <= this.now) {
          const flight = this.#flights.get(key)
          if (flight === undefined) {
            const flown = fly()
            this.#flights.set(key, flown)
            const snapshot = await flown.finally(() => this.#flights.delete(key))
            const text = codec.write(snapshot)!
            this.#answers.set(key, { text, at: this.now, until: this.now + keepMs(snapshot) })
            return snapshot
          }
          await flight
          await new Promise(setImmediate)
        }
        const { text, at, until } = this.#answers.get(key)!
        const told = { ageMs: this.now - at, leftMs: until - this.now, skewMs: aheadMs }
        return codec.read(text, told)!
      },
    }
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
      changes: { h24: { pricePct: -3, buys: 1, sells: null } },
    }
  }

  sources(instance: string): readonly MarketProvider[] {
    const chains = new Set(CHAINS.map(({ key }) => key))
    const note = (what: string) => void this.asks.push(`${instance} ${what}`)
    const discovery = {
      book: 'trending' as const,
      title: 'trends',
      everyMs: 300_000,
      chains: null,
      ask: async () => {
        note('trends')
        return [HONEST, TRAP].map((address) => ({ chain: 'base', address, row: null }))
      },
    }
    return [
      {
        label: 'dex',
        chains,
        rows: {
          maxTokens: 30,
          ask: async (chain, addresses) => {
            note('rows')
            this.now += this.takesMs()
            return addresses.map((address) => this.row(chain, address))
          },
        },
      },
      { label: 'trends', chains, discoveries: [discovery] },
      {
        label: 'checks',
        chains,
        parts: {
          security: {
            keepMs: 600_000,
            ask: async ({ address }) => {
              note('checks')
              const flags = { ...UNKNOWN_FLAGS, honeypot: address === TRAP }
              return { at: NOW + this.now, facts: {}, flags }
            },
          },
        },
      },
    ]
  }

  list(instance: string, aheadMs = 0, operatorTokens: readonly { chain: string; address: string }[] = []) {
    const clock = this.clock(aheadMs)
    return opened({
      providers: this.sources(instance),
      operatorTokens: () => operatorTokens as never,
      sharedAnswers: this.sharedAnswers(clock, aheadMs),
      clock,
      log: loggerTo({ write: () => {} }, 'silent'),
      bounds: { buildMs: 60_000, callMs: 60_000 },
    })
  }

  asked(what: string, instance = ''): number {
    return this.asks.filter((one) => one.startsWith(instance) && one.endsWith(what)).length
  }
}

/** How far time goes between two looks: less than an instance waits for the one that leads. */
const STEP_MS = 250

const compress = promisify(deflate)

async function read(list: LiveTokenList, all = false): Promise<Resource> {
  await keep(list)
  // An edition is compressed on other threads, which take what is after it when they are done.
  await Promise.all(Array.from({ length: 32 }, () => compress(Buffer.alloc(100_000))))
  await settle()
  return JSON.parse((await list.reply(all, null)).select({}).body.toString())
}

/** Reads the list, and lets its schedule look: what it builds is compressed on another thread, however long that takes. */
async function keep(list: LiveTokenList): Promise<void> {
  await list.reply(false, null)
  await list.keepCurrent()
  await settle()
}

/** Lets a rebuild that was begun come to its end: nothing in it waits for a time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
}

const prices = ({ tokens }: Resource) => tokens.map(({ chain, address, price }) => [chain, address, price])

t.test('what one instance learns, all of them list', async (t) => {
  const world = new World()
  const [one, two] = [world.list('one'), world.list('two')]
  const first = await read(one)
  t.ok(world.asked('rows', 'one') >= CHAINS.length)
  const second = await read(two)
  t.equal(world.asked('', 'two'), 0)
  t.same(prices(second), prices(first))
  t.match(
    second.tokens.find(({ address }) => address === HONEST),
    { book: 'trending', changes: { h24: { pricePct: -3, buys: 1, sells: null } } },
  )
  t.equal(second.updatedAt, first.updatedAt)
  t.same(
    second.books.map(({ book, updatedAt }) => [book, updatedAt]),
    first.books.map(({ book, updatedAt }) => [book, updatedAt]),
  )
})

t.test('an edition is as old as what it is of', async (t) => {
  const world = new World()
  await read(world.list('one'))
  world.now = 8_000
  const late = world.list('two')
  const taken = await read(late)
  t.equal(taken.updatedAt, NOW)
  t.ok(taken.tokens.every(({ priceTs }) => priceTs === null || priceTs === NOW))
  world.now = 10_499
  t.equal((await read(late)).updatedAt, NOW)
  world.now = 10_500
  await read(late)
  await until(() => late.updatedAt === NOW + 10_500)
  t.equal((await read(late)).updatedAt, NOW + 10_500, 'and the next is due when that is ten seconds old')
})

t.test('the last leader leads again, and makes as many calls as a single instance', async (t) => {
  const world = new World()
  const [one, two, three] = [world.list('one'), world.list('two'), world.list('three')] as const
  for (; world.now < 120_000; world.now += STEP_MS) {
    // Whoever is read first at a time is not the one that leads.
    for (const list of [three, two, one]) await keep(list)
  }
  t.equal(world.asked('', 'two') + world.asked('', 'one'), 0, 'the first that was read leads')
  const alone = new World()
  const single = alone.list('one')
  for (; alone.now < 120_000; alone.now += STEP_MS) {
    await keep(single)
  }
  t.equal(world.asked('trends'), alone.asked('trends'))
  t.equal(world.asked('trends'), 1)
  t.ok(world.asked('rows') <= alone.asked('rows'))
  t.ok(Math.abs(world.asked('checks') - alone.asked('checks')) <= 1)
})

t.test('the editions of every instance are ten seconds apart or more', async (t) => {
  const world = new World()
  let seed = 3
  world.takesMs = () => (seed = (seed * 48_271) % 2_147_483_647) % 90
  const lists = [world.list('one'), world.list('two', 1), world.list('three', -1)]
  const stamps = lists.map(() => new Set<number>())
  for (; world.now < 150_000; world.now += 210) {
    // The leader is away for a while, and comes back.
    const isAway = world.now > 60_000 && world.now < 90_000
    for (const [i, list] of lists.entries()) {
      if (i === 0 && isAway) continue
      await keep(list)
      stamps[i]!.add(list.updatedAt!)
    }
  }
  t.ok(world.asked('rows', 'two') + world.asked('rows', 'three') > 0, 'another one led, too')
  for (const all of stamps) {
    const inOrder = [...all]
    const gaps = inOrder.slice(1).map((stamp, i) => stamp - inOrder[i]!)
    t.ok(gaps.length >= 7)
    t.ok(Math.min(...gaps) >= 10_000, gaps.join(' '))
  }
})

t.test('if the leader is gone, another continues where it stopped', async (t) => {
  const world = new World()
  const [one, two] = [world.list('one'), world.list('two')]
  const step = async (...lists: readonly LiveTokenList[]): Promise<void> => {
    for (const list of lists) await keep(list)
    world.now += STEP_MS
  }
  while (world.now < 40_000) await step(one, two)
  t.equal(world.asked('', 'two'), 0)
  const stopped = await read(one)
  while (world.now < 55_000) await step(two)
  t.ok(world.asked('rows', 'two') > 0, 'within a rebuild and a half')
  t.ok((await read(two)).updatedAt > stopped.updatedAt)
  t.equal(world.asked('trends'), 1, 'what is not due is not asked for again')
  t.equal(
    new Set(world.asks.filter((one) => one.endsWith('checks'))).size,
    1,
    'nor is a token looked at again that was',
  )
})

t.test('the risk filter holds back everywhere what one instance was warned of', async (t) => {
  const world = new World()
  const [one, two] = [world.list('one'), world.list('two')]
  await read(one)
  world.now += 10_050
  await read(one)
  world.now += 500
  const list = await read(two)
  t.equal(list.gated, 1)
  t.notOk(list.tokens.some(({ address }) => address === TRAP))
  const all = await read(two, true)
  t.match(all.tokens.find(({ address }) => address === TRAP)?.gate, [{ rule: 'honeypot', source: 'checks' }])
  t.equal(world.asked('checks', 'two'), 0)
})

t.test(
  "each instance has its own operator's tokens, and gathers with those that have the same",
  async (t) => {
    const world = new World()
    const own = { chain: 'base', address: `0x${'3'.repeat(40)}` }
    await read(world.list('one'))
    const other = await read(world.list('two', 0, [own]))
    t.ok(world.asked('rows', 'two') > 0)
    t.equal(other.tokens.find(({ address }) => address === own.address)?.price, 1)
  },
)

t.test("another instance's times are converted to our own clock", async (t) => {
  const world = new World()
  await read(world.list('one'))
  world.now = 3_000
  const list = await read(world.list('two', 4_000))
  const usdc = list.tokens.find(({ chain, address }) => chain === 'base' && address === USDC)!
  t.same([list.updatedAt, usdc.priceTs], [NOW + 4_000, NOW + 4_000])
})

t.test('a malformed snapshot is not read', async (t) => {
  const world = new World()
  const codec = listSnapshotCodec(world.clock())
  const list = world.list('one')
  await read(list)
  const told = { ageMs: 0, leftMs: 1_000, skewMs: 0 }
  const none = { finds: {}, updatedAt: {}, dueAt: [] }
  const snapshot: ListSnapshot = {
    endedAt: 0,
    updatedAt: NOW,
    entries: [
      {
        chain: 'base',
        address: USDC,
        row: world.row('base', USDC),
        security: [],
        quotedBy: null,
        priceBy: null,
        askedAt: 0,
        checkedAt: [],
      },
    ],
    books: none,
    rowsAskedAt: [],
    pricesAskedAt: Number.NEGATIVE_INFINITY,
  }
  const text = codec.write(snapshot)!
  t.same(codec.read(text, told), snapshot)
  const bad: readonly [string, string][] = [
    ['"price":1', '"price":"1"'],
    ['"symbol":"SYM"', '"symbol":7'],
    ['"entries":[', '"entries":[null,'],
    ['"updatedAt":', '"updated":'],
  ]
  for (const [from, to] of bad) {
    t.ok(text.includes(from), from)
    t.equal(codec.read(text.replace(from, to), told), null, to)
  }
})
