import t from 'tap'
import { lossFor, type SizeClass, shortBps, sizeOf, Truth } from '../../../src/http/counts/truth.ts'
import { clockOf } from '../../fixtures/clock.ts'
import { SAMPLES } from '../../fixtures/fast-check.ts'

const DAY_MS = 86_400_000
/** A Monday. */
const START = Date.UTC(2026, 10, 23)
const STATED = 1_000_000_000n
/** All thousand with SAMPLES=1. */
const SEEDS = Math.ceil(1_000 * SAMPLES)
const CLIENTS = 40
const GAP_MS = 1_800_000
/** Swaps. */
const WEEK = 336
/** One client that is always short may raise 1 per mille to this: (1.25^6 + 1.5^6 + 1.75^6 + 2^6) / 4. */
const SPOILT_PER_MILLE = 27

/** mulberry32: numbers from 0 to 1. */
function randomBy(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** What the market does between a quote and its block: normal, in bps. */
const normal = (random: () => number, sigma: number): number =>
  sigma * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

function world() {
  let nth = 0
  let newest = START
  const truth = new Truth(clockOf({ date: () => newest }))
  /** @param bps  of what was stated that arrives less */
  const swap = (
    at: number,
    bps: number,
    client: number,
    size: SizeClass | null = null,
    builtAt = at,
  ): void => {
    newest = Math.max(newest, at)
    const got = STATED - BigInt(Math.round(bps * 1_000)) * (STATED / 10_000_000n)
    const row = {
      ...{ at, chain: 'base', provider: 'a', size, token: '0x1', isNative: false, stated: String(STATED) },
      ...{ minimum: '1', simulated: null, simulatedAt: null, got: String(got), otherNativeOut: null },
      ...{ gasStated: null, gasUsed: null, hash: `0x${nth++}`, signature: null, block: 1, slot: null },
    }
    truth.add(row, client, builtAt)
  }
  /** @param now  absent: after the last swap */
  const of = (now = newest) => {
    newest = now
    return truth.of('base', 'a')
  }
  return { truth, swap, of }
}

interface Behaviour {
  /** Of the market, bps. */
  readonly sigma: number
  readonly shave?: number
  readonly isShaved?: (at: number, size: SizeClass) => boolean
  readonly sizes?: readonly SizeClass[]
}

const isAlways = () => true

/**
 * Runs a week, with a swap each half hour, or until so many swaps were shaved.
 * @returns how many of the seeds' providers are accused
 */
function accused({ sigma, shave = 0, isShaved = isAlways, sizes = ['medium'] }: Behaviour, most: number) {
  let count = 0
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { swap, of } = world()
    const random = randomBy(seed)
    let shaved = 0
    for (let i = 0; i < WEEK && shaved < most; i++) {
      const at = START + i * GAP_MS
      const size = sizes[i % sizes.length]!
      const isShort = shave > 0 && isShaved(at, size)
      if (isShort) shaved++
      swap(at, normal(random, sigma) + (isShort ? shave : 0), Math.floor(random() * CLIENTS), size)
    }
    if (lossFor(of()!, null) > 0) count++
  }
  return count
}

const isSunday = (at: number): boolean => new Date(at).getUTCDay() === 0
const isLarge = (_at: number, size: SizeClass): boolean => size === 'large'
const ALL: readonly SizeClass[] = ['small', 'medium', 'large']

t.test('of the providers that shave, 99 of 100 are found within a stated number of swaps', async (t) => {
  const cases: [title: string, swaps: number, Behaviour][] = [
    ['5 bps, in a market that moves by 2', 32, { sigma: 2, shave: 5 }],
    ['5 bps, in a market that moves by 4', 90, { sigma: 4, shave: 5 }],
    ['20 bps', 17, { sigma: 4, shave: 20 }],
    ['50 bps', 17, { sigma: 4, shave: 50 }],
    ['50 bps, in a market that moves by 20', 28, { sigma: 20, shave: 50 }],
    ['20 bps on Sundays', 17, { sigma: 4, shave: 20, isShaved: isSunday }],
    ['20 bps of large amounts', 17, { sigma: 4, shave: 20, isShaved: isLarge, sizes: ALL }],
  ]
  for (const [title, swaps, behaviour] of cases) {
    const count = accused(behaviour, swaps)
    t.ok(count >= SEEDS * 0.99, `${title}: ${count} of ${SEEDS} within ${swaps}`)
  }
})

t.test('an honest one is accused in at most 1 of 1,000 weeks', async (t) => {
  for (const sigma of [4, 40]) {
    const count = accused({ sigma, sizes: ALL }, 1)
    t.ok(count <= SEEDS / 1_000, `${count} of ${SEEDS}, in a market that moves by ${sigma}`)
  }
  // What a router keeps of a surplus makes nothing arrive short.
  const { swap, of } = world()
  for (let i = 0; i < WEEK; i++) swap(START + i * GAP_MS, i % 2 === 0 ? 0 : 3, i % CLIENTS)
  t.match(of(), { swaps: WEEK, lossBps: 0 })
})

t.test('the loss is the median when it is proved, bounded, and forgotten after a week', async (t) => {
  const { swap, of } = world()
  t.equal(of(), null)
  const day = (at: number, bps: number) => {
    for (let i = 0; i < 20; i++) swap(at + i * GAP_MS, bps, i)
  }
  day(START, 20)
  t.match(of(), {
    swaps: 20,
    clients: 20,
    medianBps: 20,
    lossBps: 20,
    errorPerMille: 1,
    sizes: { length: 0 },
  })
  day(START + DAY_MS, -1)
  day(START + 2 * DAY_MS, -1)
  t.match(of(), { medianBps: -1, lossBps: 20 }, 'what is proved stays proved')
  t.match(of(START + 6 * DAY_MS), { lossBps: 20 })
  t.match(of(START + 7 * DAY_MS), { swaps: 40, lossBps: 0 })
  t.equal(of(START + 9 * DAY_MS), null)
  day(START + 9 * DAY_MS, 900)
  t.match(of(START + 9 * DAY_MS), { medianBps: 900, lossBps: 100 })
})

t.test('one client accuses nobody, however it chooses when to swap', async (t) => {
  const { swap, of } = world()
  for (let i = 0; i < 300; i++) swap(START + i * GAP_MS, 500, 1)
  t.match(of(), { swaps: 300, clients: 1, medianBps: 500, lossBps: 0 })
  const spoilt = Array.from({ length: SEEDS }, (_, seed) => {
    const { swap, of } = world()
    const random = randomBy(seed + 1)
    for (let i = 0; i < WEEK; i++) {
      const isSpoiler = i % 10 === 0
      swap(START + i * GAP_MS, isSpoiler ? 500 : normal(random, 4), isSpoiler ? 1 : 2 + (i % CLIENTS))
    }
    return of()!.lossBps
  })
  const count = spoilt.filter((lossBps) => lossBps > 0).length
  t.ok(count * 1_000 <= SPOILT_PER_MILLE * SEEDS, `next to others, it accuses ${count} of ${SEEDS}`)
})

t.test('two clients that collude accuse nobody, and three do', async (t) => {
  for (const [colluding, lossBps] of [
    [2, 0],
    [3, 50],
  ] as const) {
    const { swap, of } = world()
    for (let i = 0; i < 300; i++) swap(START + i * GAP_MS, 50, i % colluding)
    t.match(of(), { swaps: 300, clients: colluding, lossBps })
  }
})

t.test('swaps that share a move of the market count as one', async (t) => {
  const { swap, of } = world()
  for (let i = 0; i < 100; i++) swap(START + 60_000 + i * 100, 50, i, null, START + i * 100)
  t.match(of(), { swaps: 100, lossBps: 0 })
})

t.test('rows are bounded, by whole days, and no client has too many of them', async (t) => {
  const { truth, swap, of } = world()
  for (let i = 0; i < 150; i++) swap(START + i, 0, 1)
  t.equal(of()!.swaps, 100)
  const many = (at: number, count: number) => {
    for (let i = 0; i < count; i++) swap(at + i * 10, 0, 100 + (i >> 6))
  }
  many(START + DAY_MS, 4_900)
  t.equal(of()!.swaps, 5_000)
  many(START + 2 * DAY_MS, 1)
  t.equal(of()!.swaps, 4_901, 'the oldest day goes')
  many(START + 2 * DAY_MS, 6_000)
  t.equal(of()!.swaps, 5_000, 'a day keeps its first')
  t.equal(truth.lines().trim().split('\n').length, 5_000)
  swap(START - 9 * DAY_MS, 0, 1)
  t.equal(of()!.swaps, 5_000, 'and none that is too old')
})

t.test('a size class is of the stablecoin on either side', async (t) => {
  const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
  const coin = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
  const cases: [whole: bigint, size: SizeClass][] = [
    [0n, 'small'],
    [999n, 'small'],
    [1_000n, 'medium'],
    [9_999n, 'medium'],
    [10_000n, 'large'],
  ]
  for (const [whole, size] of cases) {
    t.equal(sizeOf('base', [coin, 1n], [usdc, whole * 1_000_000n]), size)
    t.equal(sizeOf('base', [usdc, whole * 1_000_000n]), size)
  }
  t.equal(sizeOf('base', [coin, 1n]), null)
})

t.test('an order is ranked with what its size loses, or with the worst if that is unknown', async (t) => {
  const { swap, of } = world()
  for (let i = 0; i < 40; i++)
    swap(START + i * GAP_MS, i % 2 === 0 ? 20 : -2, i, i % 2 === 0 ? 'large' : 'small')
  const delivered = of()!
  t.match(delivered, {
    lossBps: 0,
    sizes: [
      { size: 'small', lossBps: 0 },
      { size: 'large', lossBps: 20 },
    ],
  })
  t.same(
    [...ALL, null].map((size) => lossFor(delivered, size)),
    [0, 0, 20, 20],
  )
})

t.test('hundredths of a percent', async (t) => {
  t.equal(shortBps(10_000n, 9_970n), 30)
  t.equal(shortBps(10_000n, 10_001n), -1)
  t.equal(shortBps(3n, 0n), 10_000)
})
