/**
 * Load shedding: while the event loop cannot keep up, some requests are refused
 * so that the rest is answered in time. The client that costs most is refused
 * first; of the other clients, the requests that matter least.
 *
 * One figure decides: the processor time that a client may have cost of late
 * for its next request to be admitted. For a quote or a relayed read it may be
 * eight times as much, for a build or a submission 256 times. The figure falls
 * while the event loop is late without a break by its own work, and rises while
 * it is not.
 *
 *   figure, in the cost of a request   100 ........ 10 ....... 1 ...... 1/8 ...... 1/256
 *   refuses                            one greedy   most       all      all        every-
 *                                      client       clients    research quotes     thing
 *
 * Below one request it is the share of requests that are admitted from clients
 * that cost nothing. The costs are counted all the time, so that an overload is
 * laid to those who brought it about.
 *
 * Two things lift the figure at once, or keep it from falling:
 *
 * - What makes the loop late was admitted before, and its clients are refused
 *   already: refusing others as well would not end it sooner.
 * - All that is refused would fit into the time that the loop has left.
 *
 * The figure takes time to settle, and many requests may come at once. So a late
 * turn of the event loop that follows another late turn takes no more requests:
 * what is taken in turns that grow longer is late when it is answered. And while
 * the thread has no rest, what is under way is bounded by the time that it takes,
 * which is longer where neighbours or a quota have a part of the processor:
 * requests that go through several turns, as they wait for upstreams, make no
 * single turn late, and wait for each other in all of them.
 *
 * Source: the idea of a standing delay is RFC 8289's (CoDel)
 */

import type { Client } from '../runtime/cancellation.ts'
import { STANDING_WINDOW_MS } from '../runtime/event-loop.ts'
import { ClientCosts, REQUEST_MS } from './client-costs.ts'

/** The priority of a request in an overload; `research` is shed first, `build` last. */
export type SheddingPriority = 'research' | 'quote' | 'build'

/** Multiples of the figure that a client may have cost. */
const WEIGHTS: Readonly<Record<SheddingPriority, number>> = { research: 1, quote: 8, build: 256 }
/** A delay that is late: above that of fifty clients that ask without a break. */
export const TARGET_MS = 60
/** The delay of a turn at which shedding begins at once, if only for this turn. */
const ONSET_MS = 2 * TARGET_MS
/** The delay of a turn at which it takes no more requests, while shedding; twice that for clients that cost little. */
const FULL_MS: Readonly<Record<SheddingPriority, number>> = {
  research: TARGET_MS / 2,
  quote: (3 * TARGET_MS) / 4,
  build: 4 * TARGET_MS,
}
/** The queue at which no more is taken while the thread has no rest: what a new request would wait for, ms. */
const MOST_QUEUE_MS: Readonly<Record<SheddingPriority, number>> = {
  research: TARGET_MS / 2,
  quote: TARGET_MS,
  build: 8 * TARGET_MS,
}
/** The part of a window in which a thread has something to do if it never rests. */
const BUSY = 0.95
/**
 * Shedding begins at a delay this short, ms, if so many requests are under way, and take so long. At three times the
 * load that can be answered each turn lasts about twice as long as the one before: what is admitted until turns are
 * late keeps the thread busy for half a second.
 */
const EARLY_MS = TARGET_MS / 5
const EARLY_QUEUE_MS = TARGET_MS
const EARLY_REQUESTS = 64
/** The use of a window from which on the part of it in which the thread had a processor says what the next ones leave it. */
const TELLING = 0.5
/** The last such window's part in the average. */
const NEWEST = 0.2
const LEAST_CPU_PART = 0.1
/** Late windows in a row before shedding begins, and windows without shedding before it ends. */
const ONSET = 3
/** Late windows in a row, after which builds are shed, too. */
const LATE_FOR_BUILDS = 12
const CALM = 10
/** The part of a client's cost that a tenth of a second leaves: half of a cost is from the last 300 ms. */
const KEPT = 0.8
/** A client that has cost at most so many requests costs little. */
const LITTLE = 2
/** The part of what all clients have cost that an overload begins with. */
const INITIAL = 1 / 2
const LEAST_MS = REQUEST_MS / 2_048
/** Factors of the figure in a tenth of a second: it rises faster the less the thread has to do. */
const FALL = { most: 0.8, least: 0.95 }
const RISE = { least: 1.05, most: 3 }
const LEAST_USE = 0.1
/** A delay below this part of the one before is falling by itself. */
const FALLING = 0.8
/** The part of a window's work that must be of earlier requests of clients that are refused now, for others to be spared. */
const EARLIER = 0.5
/** The part of the thread's time that may be used if all that is refused were admitted. */
const FITTING = 0.6

interface SheddingOptions {
  /** The smaller of the delays of this turn of the event loop and the one before, ms. */
  readonly turnMs: () => number
  /** Called when shedding begins and when it ends. */
  readonly onChange: (isActive: boolean, standingMs: number) => void
}

export class Shedding {
  /** Whether requests are being shed. */
  isActive = false
  /** Requests that were shed since the start. */
  readonly shed: Record<SheddingPriority, number> = { research: 0, quote: 0, build: 0 }
  readonly costs = new ClientCosts()
  readonly #options: SheddingOptions
  /** Fractions of requests, which add up to the next one admitted while the figure admits a share. */
  readonly #parts: Record<SheddingPriority, number> = { research: 0, quote: 0, build: 0 }
  /** Ms. */
  #figure = Infinity
  /** The lowest figure that would have admitted all requests of this window. */
  #needed = 0
  #lastMs = 0
  /** Whether a turn in this window took no more requests. */
  #wasFull = false
  /** Whether the loop is late by what was admitted earlier, of clients that are refused now. */
  #isSparing = false
  /** Whether the thread had no rest in the last window. */
  #isBusy = true
  /** The part of its busy time in which the thread had a processor of late, 0 to 1. */
  #cpuPart = 1
  /** Requests of this window. */
  #refused = 0
  #late = 0
  #calm = 0

  constructor(options: SheddingOptions) {
    this.#options = options
  }

  /** Whether requests must pass `admits` now. */
  mustAsk(): boolean {
    if (this.isActive) return true
    const turnMs = this.#options.turnMs()
    if (turnMs < ONSET_MS && (turnMs < EARLY_MS || !this.#isCrowded)) return false
    this.#turn(true, turnMs)
    // The window says so when it ends: until then, all that comes in a tenth of a second would be admitted.
    this.#isBusy = true
    return true
  }

  /** Whether a request is answered. */
  admits(priority: SheddingPriority, client: Client): boolean {
    const costMs = this.costs.of(client)
    if (this.#isFull(priority, costMs)) {
      this.#wasFull = true
      this.refuse(priority)
      return false
    }
    const weight = WEIGHTS[priority]
    const { requestMs } = this.costs
    const room = (this.#figure * weight - costMs) / requestMs
    if (room < 1 && !this.#admitsPart(priority, room)) {
      this.refuse(priority)
      return false
    }
    this.#needed = Math.max(this.#needed, (costMs + requestMs) / weight)
    return true
  }

  /** Whether the client's request could be admitted at the highest priority; nothing is counted. */
  mayAdmit(client: Client): boolean {
    return this.costs.of(client) < this.#figure * WEIGHTS.build
  }

  /** Counts a request that is shed. */
  refuse(priority: SheddingPriority): void {
    this.#refused++
    this.shed[priority]++
  }

  /** Counts a request that is answered: its client pays for it. */
  begin(client: Client): void {
    this.costs.begin(client)
  }

  /** Whether a message of a WebSocket is answered; its client pays for it. @param bytes  of the message */
  admitsMessage(client: Client, bytes: number): boolean {
    if (this.mustAsk() && !this.admits('quote', client)) return false
    this.costs.begin(client)
    this.costs.end(client, 0, bytes)
    return true
  }

  /** Counts what is done for what a WebSocket waits for. @param calls  to upstreams  @param bytes  that it is sent */
  charge(client: Client, calls: number, bytes: number): void {
    // Wakes the watch, whose windows end the costs.
    this.#options.turnMs()
    this.costs.charge(client, calls, bytes)
  }

  /**
   * Ends a window.
   * @param standingMs   the smallest delay of the event loop in it, ms
   * @param utilization  the part of it in which the loop was busy, 0 to 1
   * @param cpuPart      the part of that in which the thread had a processor, 0 to 1
   * @returns whether nothing is left to count: no client has requests under way or has cost anything of late
   */
  readonly tick = (standingMs: number, windowMs: number, utilization: number, cpuPart = 1): boolean => {
    const tenths = windowMs / STANDING_WINDOW_MS
    const use = utilization * cpuPart
    this.costs.share(use * windowMs)
    this.#isBusy = utilization >= BUSY
    if (utilization >= TELLING) {
      this.#cpuPart += NEWEST * (Math.max(LEAST_CPU_PART, cpuPart) - this.#cpuPart)
    }
    if (this.isActive) this.#adjust(standingMs, windowMs, tenths, use, cpuPart)
    else {
      this.#late = standingMs < TARGET_MS ? 0 : this.#late + 1
      if (this.#late >= ONSET) this.#turn(true, standingMs)
    }
    this.#needed *= KEPT ** tenths
    this.#refused = 0
    this.costs.fade(KEPT ** tenths)
    return !this.isActive && this.#late === 0 && this.costs.clients === 0
  }

  /** How long what is under way takes the thread, which others may keep from its processor, ms. */
  get #queueMs(): number {
    return this.costs.underWayMs / this.#cpuPart
  }

  /** Whether many requests are under way that take long: not those of one client, of which two count. */
  get #isCrowded(): boolean {
    return this.costs.underWay >= EARLY_REQUESTS && this.#queueMs >= EARLY_QUEUE_MS
  }

  #adjust(standingMs: number, windowMs: number, tenths: number, use: number, cpuPart: number): void {
    const isLate = standingMs >= TARGET_MS && standingMs > FALLING * this.#lastMs
    this.#late = isLate ? this.#late + 1 : 0
    const isFirst = this.#figure === Infinity
    this.#isSparing = !isFirst && this.costs.earlierPart(this.#figure) >= EARLIER
    if (isFirst && (isLate || this.#wasFull)) this.#figure = Math.max(LEAST_MS, this.costs.fairMs(INITIAL))
    else if (isLate || this.#wasFull) {
      if (!this.#isSparing) {
        const fall = isLate
          ? Math.min(FALL.least, Math.max(FALL.most, Math.sqrt(TARGET_MS / standingMs)))
          : FALL.least
        this.#figure = Math.max(this.#leastMs(), Math.min(this.#figure, this.#needed) * fall ** tenths)
      }
    } else if (standingMs < TARGET_MS / 2) {
      const refusedPart = (this.#refused * this.costs.requestMs) / windowMs
      if (use + refusedPart <= FITTING * cpuPart) this.#figure = Infinity
      // The root, because not all admitted work is done yet.
      const rise = Math.sqrt(1 / Math.max(use, LEAST_USE))
      this.#figure *= Math.min(RISE.most, Math.max(RISE.least, rise)) ** tenths
    }
    this.#lastMs = standingMs
    this.#wasFull = false
    this.#calm = this.#refused > 0 || standingMs >= TARGET_MS ? 0 : this.#calm + 1
    if (this.#calm >= CALM) this.#turn(false, standingMs)
  }

  /** Whether no more of such requests are taken now: the turn is full, or the queue is long, even if others are spared. */
  #isFull(priority: SheddingPriority, costMs: number): boolean {
    if (this.#isBusy && this.#queueMs >= MOST_QUEUE_MS[this.#isSparing ? 'build' : priority]) return true
    if (this.#isSparing) return false
    return this.#options.turnMs() >= FULL_MS[priority] * (costMs > LITTLE * this.costs.requestMs ? 1 : 2)
  }

  /**
   * The figure falls no further. What makes the first windows late was admitted before them, so who costs little may
   * go on with builds.
   */
  #leastMs(): number {
    if (this.#late >= LATE_FOR_BUILDS) return LEAST_MS
    return ((LITTLE + 1) * this.costs.averageMs) / WEIGHTS.build
  }

  #turn(isActive: boolean, standingMs: number): void {
    this.isActive = isActive
    const fairMs = this.costs.fairMs(INITIAL)
    this.#isSparing = isActive && this.costs.earlierPart(fairMs) >= EARLIER
    this.#figure = this.#isSparing ? Math.max(LEAST_MS, fairMs) : Infinity
    this.#lastMs = this.#late = this.#calm = this.#needed = 0
    this.#options.onChange(isActive, standingMs)
  }

  /** Admits one request in so many, without randomness: the fractions add up. */
  #admitsPart(priority: SheddingPriority, room: number): boolean {
    if (room <= 0) return false
    this.#parts[priority] += room
    if (this.#parts[priority] < 1) return false
    this.#parts[priority]--
    return true
  }
}
