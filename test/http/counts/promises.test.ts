import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { BakeOff, BakeOffReport, type PairClass } from '../../../src/http/counts/bake-off.ts'
import { ENOUGH, LIFE_MS, OVER_MS, Promises, type RaceOffers } from '../../../src/http/counts/promises.ts'
import { Check } from '../../fixtures/check.ts'
import { clockOf } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
function heapUsed(): number {
  collect()
  return process.memoryUsage().heapUsed
}

const START = Date.UTC(2026, 10, 22)
const DAY_MS = 86_400_000
const BEST = 1_000_000n

/** @param worst  of its only offer */
const raceOf = (
  best: bigint,
  changes: Partial<RaceOffers> = {},
  worst = (best * 99n) / 100n,
): RaceOffers => ({
  market: 'base native stable a',
  order: 'one',
  client: 'client',
  best,
  worst: [{ provider: 'a', amount: worst }],
  ...changes,
})

/** The probability of an offer with so much room, bps. */
const saidOf = (promises: Promises, roomBps: number, date: number, market = raceOf(BEST).market) =>
  promises.perMille({ market, best: BEST }, BEST - (BEST * BigInt(roomBps)) / 10_000n, date)

/** What is said of so many samples. */
const shareOf = (kept: number, samples: number): number => Math.floor((500 * (2 * kept + 1)) / (samples + 1))

/** Races for one order, a life apart: by so many bps each best offer is below the one before. */
function falling(falls: readonly number[], changes: readonly Partial<RaceOffers>[] = [{}]) {
  const promises = new Promises()
  let date = START
  for (const [i, fallBps] of falls.entries()) {
    const own = { order: `order ${i}`, ...changes[i % changes.length] }
    promises.raced(raceOf(BEST, own), date)
    date += LIFE_MS
    promises.raced(raceOf(BEST - (BEST * BigInt(fallBps)) / 10_000n, own), date)
  }
  return { promises, date }
}

t.test('a quote holds with the share of the samples that fell by less than its room', async (t) => {
  const falls = Array.from({ length: 100 }, (_, i) => i - 20)
  const { promises, date } = falling(falls)
  const saysOf = (roomBps: number) => saidOf(promises, roomBps, date)
  t.equal(saysOf(0), shareOf(20, 100), 'those that rose')
  t.equal(saysOf(10), shareOf(30, 100), 'to fall by all of the room is too much')
  t.equal(saysOf(11), shareOf(31, 100))
  t.equal(saysOf(80), shareOf(100, 100), 'never for sure')
  t.equal(saysOf(-20), shareOf(0, 100))
  t.equal(saidOf(promises, 80, date, 'another market'), null)
})

t.test('nothing is said of what too few races have shown, or of long ago', async (t) => {
  const { promises } = falling(Array.from({ length: ENOUGH - 1 }, () => 0))
  t.equal(saidOf(promises, 100, START), null)
  const { promises: known, date } = falling(Array.from({ length: ENOUGH }, () => 0))
  t.equal(saidOf(known, 100, date), shareOf(ENOUGH, ENOUGH))
  t.equal(saidOf(known, 100, START + LIFE_MS + DAY_MS - 1), shareOf(ENOUGH, ENOUGH))
  t.equal(saidOf(known, 100, START + LIFE_MS + DAY_MS), null, 'the first is a day old')
})

t.test('an exact output holds if it takes no more than its most', async (t) => {
  const promises = new Promises()
  for (let i = 0; i < ENOUGH; i++) {
    // Every other one takes 50 bps more.
    for (const [at, takes] of [
      [2 * i * LIFE_MS, BEST],
      [(2 * i + 1) * LIFE_MS, BEST + BigInt(i % 2) * 5_000n],
    ] as const)
      promises.raced(raceOf(-takes, { order: `order ${i}` }), START + at)
  }
  const saysOf = (most: bigint) =>
    promises.perMille({ market: raceOf(BEST).market, best: -BEST }, -most, START)
  t.equal(saysOf(BEST + 5_000n), shareOf(ENOUGH / 2, ENOUGH))
  t.equal(saysOf(BEST + 5_100n), shareOf(ENOUGH, ENOUGH))
})

t.test('only a race at the end of the time shows it', async (t) => {
  for (const [age, isShown] of [
    [0, false],
    [LIFE_MS - 1, false],
    [LIFE_MS, true],
    [OVER_MS - 1, true],
    [OVER_MS, false],
  ] as const) {
    const { promises, date } = falling(Array.from({ length: ENOUGH - 1 }, () => 0))
    promises.raced(raceOf(BEST), date)
    promises.raced(raceOf(BEST), date + age)
    t.equal(saidOf(promises, 1, date + age) !== null, isShown, `${age} ms`)
  }
})

t.test('a move of the market counts once, whoever sees it and however often', async (t) => {
  const { promises, date } = falling(Array.from({ length: ENOUGH - 1 }, () => 0))
  const fallen = (BEST * 9n) / 10n
  for (const [at, best] of [
    [date, BEST],
    [date + LIFE_MS, fallen],
  ] as const) {
    for (let i = 0; i < 1_000; i++)
      promises.raced(raceOf(best, { order: `order ${i % 100}`, client: `client ${i}` }), at + i)
  }
  t.equal(saidOf(promises, 100, date + 2 * LIFE_MS), shareOf(ENOUGH - 1, ENOUGH))
})

t.test(
  'a client that only asks again after falls hardly moves the figure, and keeps nobody else from it',
  async (t) => {
    const honest = Array.from({ length: 40 }, (_, i) => ({ client: `client ${i}` }))
    const { promises, date } = falling(
      Array.from({ length: 256 }, () => 0),
      honest,
    )
    const before = saidOf(promises, 100, date)!
    let now = date
    for (let i = 0; i < 300; i++) {
      for (const best of [BEST, (BEST * 9n) / 10n]) {
        promises.raced(raceOf(best, { client: 'liar', order: `lie ${i}` }), now)
        now += LIFE_MS
      }
    }
    const after = saidOf(promises, 100, date + LIFE_MS)!
    t.ok(after < before, 'his first samples count')
    t.ok(before - after <= 35, `from ${before} to ${after}`)
    // While his races go on, others' count as before.
    for (let i = 0; i < 256; i++) {
      promises.raced(raceOf(BEST, { client: 'liar', order: `more ${i}` }), now)
      promises.raced(raceOf(BEST, { ...honest[i % 40], order: `honest ${i}` }), now)
      now += LIFE_MS
      promises.raced(raceOf((BEST * 9n) / 10n, { client: 'liar', order: `more ${i}` }), now)
      promises.raced(raceOf(BEST, { ...honest[i % 40], order: `honest ${i}` }), now)
    }
    t.equal(saidOf(promises, 100, now), after, 'and his are as few')
  },
)

t.test('a client that came first neither keeps the others out nor outweighs them', async (t) => {
  const promises = new Promises()
  const race = (client: string, order: string, best: bigint, at: number) =>
    promises.raced(raceOf(best, { client, order }), at)
  let now = START
  const lie = (i: number) => {
    race('liar', `lie ${i}`, BEST, now)
    return (at: number) => race('liar', `lie ${i}`, BEST / 2n, at)
  }
  // For three hours he is alone.
  for (let i = 0; i < 256; i++) {
    const end = lie(i)
    now += LIFE_MS
    end(now)
  }
  t.equal(saidOf(promises, 100, now), shareOf(0, 256))
  // Then others come, and he ends a window just before each of theirs.
  for (let i = 256; i < 356; i++) {
    const end = lie(i)
    race(`client ${i % 20}`, `honest ${i}`, BEST, now + 1)
    now += LIFE_MS
    end(now)
    race(`client ${i % 20}`, `honest ${i}`, BEST, now + 1)
    if (i === 280) t.equal(saidOf(promises, 100, now), shareOf(25, ENOUGH), 'while they have too few')
    now += 2
  }
  t.equal(saidOf(promises, 100, now), shareOf(100, 108))
})

t.test('the only client of a host is learnt from', async (t) => {
  const { promises, date } = falling(Array.from({ length: 300 }, () => 5))
  t.equal(saidOf(promises, 6, date), shareOf(256, 256))
  t.equal(saidOf(promises, 5, date), shareOf(0, 256))
})

t.test('the samples of 2,000 markets take less than 64 MiB', async (t) => {
  const MARKETS = 100
  const promises = new Promises()
  const fill = (windows: number, from: number): void => {
    for (let i = 0; i < 2 * windows; i++) {
      for (let n = 0; n < MARKETS; n++) {
        const market = `base 0x${'1'.repeat(40)} 0x${'2'.repeat(39)} ${n} kyberswap velora lifi`
        promises.raced(raceOf(BEST - BigInt(i), { market, order: `${market} 1000000` }), from + i * LIFE_MS)
      }
    }
  }
  fill(1, START)
  const before = heapUsed()
  fill(140, START + DAY_MS / 2)
  const bytes = (2_000 / MARKETS) * (heapUsed() - before)
  t.ok(bytes < 64 * 2 ** 20, `${(bytes / 2 ** 20).toFixed(1)} MiB`)
  t.ok(bytes > 8 * 2 ** 20, `${(bytes / 2 ** 20).toFixed(1)} MiB: they are kept`)
  promises.raced(raceOf(BEST), START)
})

t.test('more room never holds less, and no figure is certain', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -300, max: 300 }), { minLength: ENOUGH, maxLength: 300 }),
      fc.integer({ min: 0, max: 299 }),
      (falls, roomBps) => {
        const { promises, date } = falling(falls)
        const [less, more] = [saidOf(promises, roomBps, date)!, saidOf(promises, roomBps + 1, date)!]
        const kept = falls.slice(-256).filter((fall) => fall < roomBps).length
        return less <= more && more < 1_000 && less === shareOf(kept, Math.min(256, falls.length))
      },
    ),
  )
  t.end()
})

t.test('the bake-off counts promises by what they said, and those that were kept', async (t) => {
  const world = { date: START }
  const bakeOff = new BakeOff(clockOf({ date: () => world.date }))
  let pair: PairClass = 'native-stable'
  const race = (best: bigint, changes: Partial<RaceOffers> = {}) =>
    bakeOff.record({
      ...{ chain: 'base', side: 'buy', pair, size: null },
      runs: [{ provider: 'a', outcome: 'won', code: null, ms: 3, distanceBps: 0 }],
      offers: raceOf(best, changes),
    })
  // Nothing is said while too little is known, so nothing is counted.
  for (let i = 0; i <= ENOUGH; i++) {
    race(BEST)
    world.date += LIFE_MS
  }
  const promisesOf = () => bakeOff.report('24h').chains[0]!.providers[0]!.promises
  t.same(promisesOf(), [])
  race(BEST)
  world.date += LIFE_MS
  race((BEST * 99n) / 100n + 1_000n)
  world.date += LIFE_MS
  race((BEST * 98n) / 100n)
  t.same(promisesOf(), [{ fromPerMille: 990, checked: 3, kept: 2 }])
  t.same(bakeOff.report('24h').chains[0]!.pairs[0]!.providers[0]!.promises, promisesOf())
  t.ok(Check(BakeOffReport, bakeOff.report('24h')))
  for (pair of ['native-token', 'stable-token', 'token-token'] as const) {
    world.date += LIFE_MS
    race((BEST * 90n) / 100n)
  }
  const majors = [{ fromPerMille: 990, checked: 3, kept: 2 }]
  t.same(promisesOf(), majors, 'those of other tokens are not counted: their sellers may move the pools')
  world.date += 8 * DAY_MS
  t.same(bakeOff.report('7d').chains, [])
})
