/**
 * How the route providers compare, from the quotes that they were asked for. A
 * race counts once, when it is decided, however many requests share its answer.
 *
 *   race -> by chain, class and provider ─┬─ 60 minutes, a tally each   1h
 *                                         └─ 168 hours, a tally each    24h, 7d
 *
 * A race counts in the class of its pair, and in that of its size if that is known. A tally has 730 bytes, and is made when
 * it is first needed: a provider of a chain costs 166 KB at most for each class that it is asked for. Most chains see three
 * of pairs, and there are three of sizes. Nothing here influences which provider is asked or wins: a client that floods it
 * with races changes only what is shown.
 * truth.ts has what providers delivered, and promises.ts how long quotes hold.
 */
import { type Static, Type } from 'typebox'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { addToCount, getOrInsert } from '../../runtime/lists.ts'
import { Count, integer, NullableCount } from '../../runtime/resources/shared.ts'
import { cellOf, HISTOGRAM_CELLS, medianOf } from './histogram.ts'
import { type CheckedPromise, Promises, type RaceOffers } from './promises.ts'
import texts from './texts.json' with { type: 'json' }
import { Delivered, SIZES, Size, type SizeClass, type Truth } from './truth.ts'

const { bakeOff: text } = texts

export const RANGES = ['1h', '24h', '7d'] as const
type BakeOffRange = (typeof RANGES)[number]

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The tallies of each range, including the current one. */
const WINDOWS = {
  '1h': { ring: 'minutes', bucketMs: MINUTE_MS, count: 60 },
  '24h': { ring: 'hours', bucketMs: HOUR_MS, count: 24 },
  '7d': { ring: 'hours', bucketMs: HOUR_MS, count: 168 },
} as const satisfies Record<BakeOffRange, object>

/** What a pair is of: the chain's coin, wrapped or not; a stablecoin of the chain's list; any other token. */
const SIDES = ['native', 'stable', 'token'] as const
type PairSide = (typeof SIDES)[number]
const PAIRS = SIDES.flatMap((one, at) => SIDES.slice(at).map((other) => `${one}-${other}` as const))
export type PairClass = (typeof PAIRS)[number]

/** The class of a pair, whichever of the two is sold. */
export const pairClassOf = (one: PairSide, other: PairSide): PairClass =>
  PAIRS.find((pair) => pair === `${one}-${other}` || pair === `${other}-${one}`)!

const Pair = Type.Enum([...PAIRS], { description: text.pair })

/** Where the classes of promises begin, per mille. */
const PROMISED = [0, 800, 900, 950, 980, 990] as const

const COUNTED = {
  provider: Type.String(),
  asked: Count,
  answered: { ...Count, description: 'offers in time, outliers among them' },
  won: Count,
  medianAheadBps: NullableCount(text.medianAheadBps),
  outliers: { ...Count, description: 'offers too good to be true' },
  late: { ...Count, description: 'had not answered when the race was decided' },
  failed: Count,
  failures: Type.Record(Type.String(), Count, { description: 'by error code' }),
  medianMs: NullableCount(text.medianMs),
  promises: Type.Array(
    Type.Object({
      fromPerMille: { ...Count, description: text.fromPerMille },
      checked: { ...Count, description: text.checked },
      kept: { ...Count, description: text.kept },
    }),
    { description: text.promises },
  ),
}
const RACES = {
  races: { ...Count, description: 'quotes that providers were asked for, each once' },
  answered: { ...Count, description: 'of those, the ones that somebody won' },
}
const CLASS = { ...RACES, providers: Type.Array(Type.Object(COUNTED)) }

const UnixMs = (description: string) => integer(`Unix ms: ${description}`)

export const BakeOffReport = Type.Object({
  range: Type.Enum([...RANGES]),
  since: UnixMs('when counting began; a restart forgets'),
  from: UnixMs(text.from),
  asOf: UnixMs('the end of the range'),
  chains: Type.Array(
    Type.Object({
      chain: Type.String(),
      ...RACES,
      pairs: Type.Array(Type.Object({ pair: Pair, ...CLASS }), { description: text.pairs }),
      sizes: Type.Array(Type.Object({ size: Size, ...CLASS }), { description: text.sizes }),
      providers: Type.Array(
        Type.Object({
          ...COUNTED,
          medianDistanceBps: NullableCount(text.medianDistanceBps),
          delivered: Type.Optional(Delivered),
        }),
        { description: 'those that won most first' },
      ),
    }),
  ),
})
export type BakeOffReport = Static<typeof BakeOffReport>

export const RaceEvent = Type.Object({
  at: UnixMs('when the race was decided'),
  chain: Type.String(),
  side: Type.Enum(['buy', 'sell']),
  providers: Type.Array(
    Type.Object({
      provider: Type.String(),
      outcome: Type.Enum(['won', 'offered', 'outlier', 'failed', 'late']),
      code: Type.Union([Type.String(), Type.Null()], { description: 'of its failure' }),
      ms: NullableCount('until it answered or failed; null if it had done neither'),
      distanceBps: NullableCount(text.distanceBps),
    }),
  ),
})
export type RaceEvent = Static<typeof RaceEvent>

/** How one provider did in a race. */
export type ProviderRun = Readonly<RaceEvent['providers'][number]>

/** A decided race. */
export interface RaceEnd extends Readonly<Pick<RaceEvent, 'chain' | 'side'>> {
  readonly pair: PairClass
  /** Null if it is not known. */
  readonly size: SizeClass | null
  readonly runs: readonly ProviderRun[]
  /** For promises; never shown. Absent: nobody offered. */
  readonly offers?: RaceOffers
}

/** Where a tally counts the outcomes, before its histograms. */
const AT = { won: 0, offered: 1, outlier: 2, late: 3, failed: 4 } as const
const AHEAD = 5
const LATENCIES = AHEAD + HISTOGRAM_CELLS
const DISTANCES = LATENCIES + HISTOGRAM_CELLS
/** For each class, how many were checked, then how many were kept. */
const CHECKED = DISTANCES + HISTOGRAM_CELLS
const KEPT = CHECKED + PROMISED.length
const TALLY_CELLS = KEPT + PROMISED.length

class Tally {
  /** The number of its minute or hour. */
  readonly bucket: number
  readonly cells = new Uint32Array(TALLY_CELLS)
  /** By error code; null while nothing failed. */
  failures: Map<string, number> | null = null

  constructor(bucket = -1) {
    this.bucket = bucket
  }

  note({ outcome, code, ms, distanceBps }: ProviderRun, aheadBps: number | null): void {
    const { cells } = this
    cells[AT[outcome]]!++
    if (code !== null) addToCount((this.failures ??= new Map()), code, 1)
    if (outcome === 'won' && aheadBps !== null) cells[AHEAD + cellOf(aheadBps)]!++
    if (outcome !== 'failed' && ms !== null) cells[LATENCIES + cellOf(ms)]!++
    if (distanceBps !== null) cells[DISTANCES + cellOf(distanceBps)]!++
  }

  check({ perMille, isKept }: CheckedPromise): void {
    const at = PROMISED.findLastIndex((from) => from <= perMille)
    this.cells[CHECKED + at]!++
    if (isKept) this.cells[KEPT + at]!++
  }

  add(other: Tally): void {
    const [sum, more] = [this.cells, other.cells]
    for (let at = 0; at < sum.length; at++) sum[at]! += more[at]!
    for (const [code, count] of other.failures ?? []) addToCount((this.failures ??= new Map()), code, count)
  }
}

/** The latest minutes or hours of one provider of one chain; a bucket is at its number modulo the length. */
class Ring {
  readonly #tallies: (Tally | null)[]
  readonly #bucketMs: number

  constructor(length: number, bucketMs: number) {
    this.#tallies = new Array<Tally | null>(length).fill(null)
    this.#bucketMs = bucketMs
  }

  at(date: number): Tally {
    const bucket = Math.floor(date / this.#bucketMs)
    const at = bucket % this.#tallies.length
    if (this.#tallies[at]?.bucket !== bucket) this.#tallies[at] = new Tally(bucket)
    return this.#tallies[at]!
  }

  /** The sum of the buckets between two times, both included. */
  sum(from: number, to: number): Tally {
    const sum = new Tally()
    const [first, last] = [Math.floor(from / this.#bucketMs), Math.floor(to / this.#bucketMs)]
    for (const tally of this.#tallies) {
      if (tally !== null && tally.bucket >= first && tally.bucket <= last) sum.add(tally)
    }
    return sum
  }
}

/** The minutes and hours of a provider's races of a class, or of all those races. */
const newRings = () => ({ minutes: new Ring(60, MINUTE_MS), hours: new Ring(168, HOUR_MS) })

/** By provider; '' is the races themselves. */
type ClassRings = Map<string, ReturnType<typeof newRings>>

/** Called for each race when it is decided. */
type OnRace = (event: RaceEvent) => void

export class BakeOff {
  readonly #clock: Clock
  readonly #since: number
  /** By chain key: chains and providers are our own names, so there are few. */
  readonly #chains = new Map<string, Map<PairClass | SizeClass, ClassRings>>()
  readonly #watchers = new Set<OnRace>()
  readonly #truth: Pick<Truth, 'of'> | null
  readonly #promises: Pick<Promises, 'raced'>

  constructor(
    clock: Clock = CLOCK,
    truth: Pick<Truth, 'of'> | null = null,
    since: number = clock.date(),
    promises: Pick<Promises, 'raced'> = new Promises(),
  ) {
    this.#clock = clock
    this.#truth = truth
    this.#since = since
    this.#promises = promises
  }

  /** @param date  when it ended, ms epoch */
  record({ chain, side, pair, size, runs, offers }: RaceEnd, date: number = this.#clock.date()): void {
    const classes = getOrInsert(this.#chains, chain, () => new Map<PairClass | SizeClass, ClassRings>())
    const tallies = (provider: string): Tally[] =>
      (size === null ? [pair] : [pair, size]).flatMap((one) => {
        const rings = getOrInsert(classes, one, () => new Map())
        const { minutes, hours } = getOrInsert(rings, provider, newRings)
        return [minutes.at(date), hours.at(date)]
      })
    const note = (run: ProviderRun, aheadBps: number | null): void => {
      for (const tally of tallies(run.provider)) tally.note(run, aheadBps)
    }
    const outcome = runs.some((run) => run.outcome === 'won') ? 'won' : 'failed'
    note({ provider: '', outcome, code: null, ms: null, distanceBps: null }, null)
    const aheadBps = aheadIn(runs)
    for (const run of runs) note(run, aheadBps)
    const promises = offers === undefined ? [] : this.#promises.raced(offers, date)
    // The pools of any other token may belong to its seller, who moves them.
    for (const promise of pair.includes('token') ? [] : promises) {
      for (const tally of tallies(promise.provider)) tally.check(promise)
    }
    if (this.#watchers.size === 0) return
    const providers = runs.map(({ ms, ...run }) => ({ ...run, ms: ms === null ? null : Math.round(ms) }))
    const event = { at: date, chain, side, providers }
    for (const onRace of this.#watchers) onRace(event)
  }

  /** @returns a function that stops watching */
  watch(onRace: OnRace): () => void {
    this.#watchers.add(onRace)
    return () => this.#watchers.delete(onRace)
  }

  report(range: BakeOffRange): BakeOffReport {
    const { ring, bucketMs, count } = WINDOWS[range]
    const asOf = this.#clock.date()
    const from = (Math.floor(asOf / bucketMs) - count + 1) * bucketMs
    const chains: BakeOffReport['chains'] = []
    for (const [chain, classes] of [...this.#chains].sort(byName)) {
      const tallied = <Class extends PairClass | SizeClass>(names: readonly Class[]) =>
        names.flatMap((name) => {
          const rings = [...(classes.get(name) ?? [])]
          const tallies = rings.map(([provider, its]) => [provider, its[ring].sum(from, asOf)] as const)
          return tallies.length === 0 ? [] : [{ name, tallies }]
        })
      const [pairs, sizes] = [tallied(PAIRS), tallied(SIZES)]
      const all = new Map<string, Tally>()
      for (const [provider, tally] of pairs.flatMap(({ tallies }) => tallies))
        getOrInsert(all, provider, () => new Tally()).add(tally)
      const whole = counted([...all], (provider, tally) => {
        const delivered = this.#truth?.of(chain, provider) ?? null
        const medianDistanceBps = medianOf(tally.cells.subarray(DISTANCES, CHECKED))
        return { ...countedOf(provider, tally), medianDistanceBps, ...(delivered && { delivered }) }
      })
      if (whole.races === 0) continue
      const inPairs = pairs.map(({ name: pair, tallies }) => ({ pair, ...counted(tallies, countedOf) }))
      const inSizes = sizes.map(({ name: size, tallies }) => ({ size, ...counted(tallies, countedOf) }))
      chains.push({
        chain,
        ...whole,
        pairs: inPairs.filter(({ races }) => races > 0).sort((a, b) => b.races - a.races),
        sizes: inSizes.filter(({ races }) => races > 0),
      })
    }
    return { range, since: this.#since, from: Math.max(from, this.#since), asOf, chains }
  }
}

/** How far the winner was above the next best, bps; null where it had no rival. */
function aheadIn(runs: readonly ProviderRun[]): number | null {
  const rivals = runs.flatMap(({ outcome, distanceBps }) =>
    outcome === 'offered' ? (distanceBps ?? []) : [],
  )
  const own = runs.find(({ outcome }) => outcome === 'won')?.distanceBps ?? 0
  // After gas, the next best may have offered more.
  return rivals.length === 0 ? null : Math.max(0, Math.min(...rivals) - own)
}

type Chain = BakeOffReport['chains'][number]
type Counted = Chain['pairs'][number]['providers'][number]

/** The races, and the providers that were asked, those that won most first. */
function counted<Row extends Counted>(
  tallies: readonly (readonly [string, Tally])[],
  toRow: (provider: string, tally: Tally) => Row,
) {
  const { asked: races, won: answered } = countedOf(...tallies.find(([name]) => name === '')!)
  const providers = tallies.flatMap(([name, tally]) => (name === '' ? [] : toRow(name, tally)))
  return {
    races,
    answered,
    providers: providers
      .filter(({ asked }) => asked > 0)
      .sort((a, b) => b.won - a.won || (a.provider < b.provider ? -1 : 1)),
  }
}

function countedOf(provider: string, { cells, failures }: Tally): Counted {
  const [won = 0, offered = 0, outliers = 0, late = 0, failed = 0] = cells
  const answered = won + offered + outliers
  return {
    provider,
    asked: answered + late + failed,
    answered,
    won,
    medianAheadBps: medianOf(cells.subarray(AHEAD, LATENCIES)),
    ...{ outliers, late, failed },
    failures: Object.fromEntries([...(failures ?? [])].sort(byName)),
    medianMs: medianOf(cells.subarray(LATENCIES, DISTANCES)),
    promises: PROMISED.flatMap((fromPerMille, at) => {
      const checked = cells[CHECKED + at]!
      return checked === 0 ? [] : { fromPerMille, checked, kept: cells[KEPT + at]! }
    }),
  }
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)
