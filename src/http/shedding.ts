/**
 * Load shedding: while the event loop cannot keep up, some requests are refused
 * so that the rest is answered in time. The client that asks most is refused
 * first; of the other clients, the requests that matter least.
 *
 * One figure decides: the number of recent requests up to which a client's next
 * one is admitted. A quote or a relayed read may have eight times as many, a
 * build or a submission 256 times. The figure falls while the event loop is late
 * without a break by its own work, and rises while it is not.
 *
 *   figure    100 ......... 10 ......... 1 ......... 1/8 ........ 1/256
 *   refuses   one greedy    most         all         all          every-
 *             client        clients      research    quotes       thing
 *
 * Below 1 it is the share of requests that are admitted from clients that had
 * none. While nothing is shed nothing is counted either: a request then costs
 * one reading of the clock.
 *
 * The figure takes time to settle, and many requests may come at once. So a late
 * turn of the event loop that follows another late turn takes no more requests:
 * what is taken in turns that grow longer is late when it is answered.
 *
 * Source: the idea of a standing delay is RFC 8289's (CoDel)
 */

import type { Client } from '../runtime/cancellation.ts'
import { STANDING_WINDOW_MS } from '../runtime/event-loop.ts'

/** The priority of a request in an overload; `research` is shed first, `build` last. */
export type SheddingPriority = 'research' | 'quote' | 'build'

/** Multiples of the figure that a client may have had. */
const WEIGHTS: Readonly<Record<SheddingPriority, number>> = { research: 1, quote: 8, build: 256 }
/** A delay that is late: above that of fifty clients that ask without a break. */
export const TARGET_MS = 60
/** The delay of a turn at which shedding begins at once, if only for this turn. */
const ONSET_MS = 2 * TARGET_MS
/** The delay of a turn at which it takes no more requests, while shedding; twice that for clients that ask little. */
const FULL_MS: Readonly<Record<SheddingPriority, number>> = {
  research: TARGET_MS / 2,
  quote: (3 * TARGET_MS) / 4,
  build: 4 * TARGET_MS,
}
/** Late windows in a row before shedding begins, and windows without shedding before it ends. */
const ONSET = 3
const CALM = 10
/** The part of a client's count that a tenth of a second leaves: half of a count is from the last 300 ms. */
const KEPT = 0.8
/** A count below this is dropped. */
const FORGOTTEN = 0.1
/** Clients that are counted; each request of a further client counts as its first. */
const MAX_CLIENTS = 10_000
/** A client with at most this many recent requests asks little. */
const LITTLE = 2
/** The figure that an overload begins with if all clients ask little. */
const INITIAL = 1 / 4
const LEAST_FIGURE = 1 / 2_048
/** Factors of the figure in a tenth of a second: it rises faster the less the event loop has to do. */
const FALL = { most: 0.8, least: 0.95 }
const RISE = { least: 1.05, most: 1.5 }
/** A delay below this part of the one before is falling by itself. */
const FALLING = 0.8

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
  readonly #options: SheddingOptions
  readonly #counts = new Map<Client, number>()
  /** Fractions of requests, which add up to the next one admitted while the figure admits a share. */
  readonly #parts: Record<SheddingPriority, number> = { research: 0, quote: 0, build: 0 }
  #figure = Infinity
  /** The lowest figure that would have admitted all requests of this window. */
  #needed = 0
  #lastMs = 0
  /** Whether a turn in this window took no more requests. */
  #wasFull = false
  #late = 0
  #calm = 0
  #hasShed = false

  constructor(options: SheddingOptions) {
    this.#options = options
  }

  /** How many clients are counted now. */
  get clients(): number {
    return this.#counts.size
  }

  /** Whether requests must pass `admits` now. */
  mustAsk(): boolean {
    if (this.isActive) return true
    const turnMs = this.#options.turnMs()
    if (turnMs < ONSET_MS) return false
    this.#turn(true, turnMs)
    return true
  }

  /** Whether a request is answered; if so, it counts. */
  admits(priority: SheddingPriority, client: Client): boolean {
    const count = this.#counts.get(client) ?? 0
    if (this.#options.turnMs() >= FULL_MS[priority] * (count > LITTLE ? 1 : 2)) {
      this.#wasFull = true
      this.refuse(priority)
      return false
    }
    const weight = WEIGHTS[priority]
    const room = this.#figure * weight - count
    if (room < 1 && !this.#admitsPart(priority, room)) {
      this.refuse(priority)
      return false
    }
    this.#needed = Math.max(this.#needed, (count + 1) / weight)
    if (count > 0 || this.#counts.size < MAX_CLIENTS) this.#counts.set(client, count + 1)
    return true
  }

  /** Whether the client's request could be admitted at the highest priority; nothing is counted. */
  mayAdmit(client: Client): boolean {
    return (this.#counts.get(client) ?? 0) < this.#figure * WEIGHTS.build
  }

  /** Counts a request that is shed. */
  refuse(priority: SheddingPriority): void {
    this.#hasShed = true
    this.shed[priority]++
  }

  /** Ends a window. @param standingMs  the smallest delay of the event loop in it, ms */
  readonly tick = (standingMs: number, windowMs: number, utilization: number): void => {
    const tenths = windowMs / STANDING_WINDOW_MS
    if (!this.isActive) {
      this.#late = standingMs < TARGET_MS ? 0 : this.#late + 1
      if (this.#late >= ONSET) this.#turn(true, standingMs)
      return
    }
    const isLate = standingMs >= TARGET_MS && standingMs > FALLING * this.#lastMs
    if (isLate || this.#wasFull) {
      const fall = isLate
        ? Math.min(FALL.least, Math.max(FALL.most, Math.sqrt(TARGET_MS / standingMs)))
        : FALL.least
      const from = this.#figure === Infinity ? this.#initial() : Math.min(this.#figure, this.#needed)
      this.#figure = Math.max(LEAST_FIGURE, from * fall ** tenths)
    } else if (standingMs < TARGET_MS / 2) {
      // The root, because not all admitted work is done yet.
      const rise = Math.sqrt(1 / Math.max(utilization, FORGOTTEN))
      this.#figure *= Math.min(RISE.most, Math.max(RISE.least, rise)) ** tenths
    }
    this.#lastMs = standingMs
    this.#wasFull = false
    this.#forget(KEPT ** tenths)
    this.#calm = this.#hasShed || standingMs >= TARGET_MS ? 0 : this.#calm + 1
    this.#hasShed = false
    if (this.#calm >= CALM) this.#turn(false, standingMs)
  }

  /** The figure to begin with; low if all clients ask alike, because requests would be late while it falls. */
  #initial(): number {
    return this.#needed > LITTLE ? this.#needed : INITIAL
  }

  #turn(isActive: boolean, standingMs: number): void {
    this.isActive = isActive
    this.#figure = Infinity
    this.#lastMs = this.#late = this.#calm = this.#needed = 0
    this.#counts.clear()
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

  #forget(kept: number): void {
    this.#needed *= kept
    for (const [client, count] of this.#counts) {
      if (count * kept < FORGOTTEN) this.#counts.delete(client)
      else this.#counts.set(client, count * kept)
    }
  }
}
