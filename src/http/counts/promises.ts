/**
 * How long the minimums of quotes hold, learnt from races: the next race for the same order, once a quote's life is over,
 * shows how far the best offer fell in between. A quote holds if it fell by less than the quote has room.
 *
 *   race ── LIFE_MS, a window of its market ── race for the same order: one sample, how far the best offer fell
 *
 * A market is a pair of a chain, as the same providers are asked for it; all pairs of native coins and stablecoins are one
 * market each, while any other token's pools may belong to its seller. What clients can do to a market's samples is bounded,
 * as one that only asks again after a fall chooses what it shows:
 *
 * - Windows don't overlap, so that each move of the market counts once, however many orders and clients see it. Those of a
 *   client that has had its share don't overlap each other, and end nobody else's.
 * - Of each client as few samples count as leave enough.
 *
 * All figures are counts of samples.
 */
import { boundedCache } from '../../runtime/bounded-cache.ts'
import { groupedBy } from '../../runtime/lists.ts'
import { Mac } from '../../runtime/mac.ts'

/** How long a quote's minimum is promised for, ms. */
export const LIFE_MS = 40_000
/** A race that comes this long after another, ms, shows nothing of its promises. */
export const OVER_MS = (LIFE_MS * 9) / 8
/** Samples that a probability needs. */
export const ENOUGH = 50
/** The latest samples of a market that count, and how long each counts, ms. */
const MAX_SAMPLES = 256
const KEPT_MS = 86_400_000
/** The share of each client: more samples of one count only while all have too few. */
const MAX_OF_CLIENT = 8
const MAX_MARKETS = 2_000
const MAX_ORDERS = 10_000
const PPM = 1_000_000n
const PPM_PER_BPS = 100

/** What a race shows of its market. */
export interface RaceOffers {
  /** Identifies the market. */
  readonly market: string
  /** Identifies the order: equal for those that only their wallets and their slippage tell apart. */
  readonly order: string
  /** That asked for it. */
  readonly client: string
  /** What the best offer gives; with an exact output below zero: what it takes. */
  readonly best: bigint
  /** The same of each offer at its worst. */
  readonly worst: readonly { readonly provider: string; readonly amount: bigint }[]
}

/** A promise whose time is over. */
export interface CheckedPromise {
  readonly provider: string
  readonly perMille: number
  readonly isKept: boolean
}

interface Sample {
  readonly at: number
  /** By how much the best offer fell, parts per million; below zero if it rose. */
  readonly fallPpm: number
  readonly client: number
}

interface Market {
  readonly samples: readonly Sample[]
  /** Those of them that count. */
  readonly counted: readonly Sample[]
  /** The end of its last window, ms epoch, of a client that had samples left. */
  readonly overAt: number
}

/** A race that may begin a window. */
interface Begun extends Pick<RaceOffers, 'best'> {
  readonly at: number
  readonly promises: readonly (Omit<CheckedPromise, 'isKept'> & { readonly roomPpm: number })[]
}

export class Promises {
  readonly #clients: Mac
  readonly #markets = boundedCache<string, Market>({ max: MAX_MARKETS })
  /** By order. */
  readonly #begun = boundedCache<string, Begun>({ max: MAX_ORDERS })

  /** @param secret  of threads that repeat their counts to each other; null: random */
  constructor(secret: string | null = null) {
    this.#clients = Mac.for('clients of races', secret)
  }

  /**
   * The probability that an offer still builds after LIFE_MS, of 1,000: the mean of what the samples leave likely
   * (Beta with Jeffreys' prior).
   * @param worst  the offer's amount at its worst, as in RaceOffers
   * @param date   ms epoch
   * @returns null if too little is known
   */
  perMille(
    { market, best }: Pick<RaceOffers, 'market' | 'best'>,
    worst: bigint,
    date: number,
  ): number | null {
    const samples = recent(this.#markets.get(market)?.counted, date)
    if (samples.length < ENOUGH) return null
    const roomPpm = roomIn(best, worst)
    const kept = samples.filter((one) => isKept(one, roomPpm)).length
    return Math.floor((500 * (2 * kept + 1)) / (samples.length + 1))
  }

  /** @returns the promises that a race shows to be kept or missed */
  raced(race: RaceOffers, date: number): readonly CheckedPromise[] {
    const begun = this.#begun.get(race.order)
    const market = this.#markets.get(race.market)
    const samples = recent(market?.samples, date)
    const client = this.#clients.of(race.client).readInt32LE(0)
    const own = samples.filter((one) => one.client === client)
    const overAt = market?.overAt ?? 0
    const isOpen =
      begun !== undefined && begun.at >= Math.max(overAt, own.at(-1)?.at ?? 0) && date - begun.at < OVER_MS
    if (isOpen && date - begun.at < LIFE_MS) return []
    const fallPpm = isOpen ? fallIn(begun.best, race.best) : null
    if (fallPpm !== null) {
      const known = bounded([...samples, { at: date, fallPpm, client }])
      this.#markets.set(race.market, {
        samples: known,
        counted: sharedOut(known),
        overAt: own.length < MAX_OF_CLIENT ? date : overAt,
      })
    }
    const promises = race.worst.flatMap(({ provider, amount }) => {
      const perMille = this.perMille(race, amount, date)
      return perMille === null ? [] : { provider, perMille, roomPpm: roomIn(race.best, amount) }
    })
    this.#begun.set(race.order, { at: date, best: race.best, promises })
    if (fallPpm === null) return []
    return begun!.promises.map(({ roomPpm, ...one }) => ({ ...one, isKept: isKept({ fallPpm }, roomPpm) }))
  }
}

const recent = (samples: readonly Sample[] = [], date: number): readonly Sample[] =>
  samples.filter(({ at }) => date - at < KEPT_MS)

/** At most MAX_SAMPLES: the client that has most gives up its oldest. */
function bounded(samples: readonly Sample[]): readonly Sample[] {
  if (samples.length <= MAX_SAMPLES) return samples
  const ofClients = [...groupedBy(samples, ({ client }) => client).values()]
  const most = ofClients.reduce((one, other) => (other.length > one.length ? other : one))
  return samples.filter((one) => one !== most[0])
}

/** Of each client its share, the latest; and more of each, in turn, while all have too few. All of an only client. */
function sharedOut(samples: readonly Sample[]): readonly Sample[] {
  const ofClients = [...groupedBy(samples.toReversed(), ({ client }) => client).values()]
  if (ofClients.length === 1 || samples.length <= ENOUGH) return samples
  let share = MAX_OF_CLIENT
  const shares = () => ofClients.flatMap((own) => own.slice(0, share))
  while (shares().length < ENOUGH) share++
  return shares()
}

/** An offer asked for again needs some room left: no provider takes a slippage below one bps. */
const isKept = ({ fallPpm }: Pick<Sample, 'fallPpm'>, roomPpm: number): boolean =>
  fallPpm + PPM_PER_BPS <= roomPpm

const sizeOf = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

/** From the best offer to another's worst, parts per million, rounded down. */
const roomIn = (best: bigint, worst: bigint): number => Number(((best - worst) * PPM) / sizeOf(best))

/** Parts per million, rounded up. */
function fallIn(from: bigint, to: bigint): number {
  const size = sizeOf(from)
  return Number(((from - to) * PPM + (from > to ? size - 1n : 0n)) / size)
}
