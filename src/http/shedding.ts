/**
 * What is refused while the event loop cannot keep up, so that the rest is
 * answered in time: the requests of whoever asks most, and of the others what
 * they can best do without.
 *
 * One figure decides: how many requests a client may have had lately for its
 * next one to be admitted, eight times as many for a quote or a relayed read,
 * and 256 times for a build or a submission. It falls while the event loop is
 * late without a break, and rises while it is not.
 *
 *   figure  100 ......... 10 ......... 1 ........ 1/8 ........ 1/256
 *           one client,   most         everybody's            every-
 *           greedy        clients      research    quotes     thing
 *
 * Below 1 it is the share of requests that are admitted of clients that had
 * none. While nothing is shed nothing is counted either: a request then costs
 * one look at the clock.
 *
 * Until the figure has found its place, and where many requests come at once, a
 * turn of the event loop that is late, after another that was, takes no more of
 * them: what is taken in turns that grow longer and longer is late when it is answered.
 *
 * Source: the idea of a standing delay is RFC 8289's (CoDel)
 */

import type { Client } from '../runtime/cancellation.ts'
import { STANDING_WINDOW_MS } from '../runtime/event-loop.ts'

/** What a request is worth when not all can be answered, the last to be shed last. */
export type SheddingPriority = 'research' | 'quote' | 'build'

/** How many times the figure a client may have had. */
const WEIGHTS: Readonly<Record<SheddingPriority, number>> = { research: 1, quote: 8, build: 256 }
/** Above what a busy neighbour on the machine, or fifty connections that ask without a break, make by themselves. */
export const TARGET_MS = 60
/** How late a turn is from which on requests are shed, be it only for this turn. */
const ONSET_MS = 2 * TARGET_MS
/** How late a turn is at which it takes no more, once requests are shed; of clients that ask little at twice that. */
const FULL_MS: Readonly<Record<SheddingPriority, number>> = {
  research: TARGET_MS / 2,
  quote: (3 * TARGET_MS) / 4,
  build: 4 * TARGET_MS,
}
/** Windows in a row that were late before anything is shed, and in which nothing was before it is over. */
const ONSET = 3
const CALM = 10
/** What a tenth of a second leaves of a client's count: half of it comes from the last 300 ms. */
const KEPT = 0.8
/** A count below this is nobody's. */
const FORGOTTEN = 0.1
/** Clients that are counted; further ones are new at each of their requests. */
const MAX_CLIENTS = 10_000
/** A client that had so many requests lately asks little. */
const LITTLE = 2
/** The figure that an overload begins with where all ask little. */
const FIRST = 1 / 4
const LEAST_FIGURE = 1 / 2_048
/** What becomes of the figure in a tenth of a second: it rises the faster, the less the event loop has to do. */
const FALL = { most: 0.8, least: 0.95 }
const RISE = { least: 1.05, most: 1.5 }
/** A delay that is so much less than the one before is on its way down by itself. */
const FALLING = 0.8

interface SheddingOptions {
  /** How late this turn of the event loop is, and the one before was, at least; ms. */
  readonly turnMs: () => number
  /** Called when shedding begins, and when it is over. */
  readonly onChange: (isActive: boolean, standingMs: number) => void
}

export class Shedding {
  /** Whether the overload goes on. */
  isActive = false
  /** Requests that were shed since the start. */
  readonly shed: Record<SheddingPriority, number> = { research: 0, quote: 0, build: 0 }
  readonly #options: SheddingOptions
  readonly #counts = new Map<Client, number>()
  /** Parts of requests that were admitted, where the figure admits a share of them. */
  readonly #parts: Record<SheddingPriority, number> = { research: 0, quote: 0, build: 0 }
  #figure = Infinity
  /** The least figure that would have admitted all that was in this window. */
  #needed = 0
  #lastMs = 0
  /** Whether there was a turn in this window that took no more. */
  #wasFull = false
  #late = 0
  #calm = 0
  #hasShed = false

  constructor(options: SheddingOptions) {
    this.#options = options
  }

  /** Clients that are counted now. */
  get clients(): number {
    return this.#counts.size
  }

  /** Whether requests have to ask `admits`. */
  mustAsk(): boolean {
    if (this.isActive) return true
    const turnMs = this.#options.turnMs()
    if (turnMs < ONSET_MS) return false
    this.#turn(true, turnMs)
    return true
  }

  /** Whether a request is answered; it counts then. */
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

  /** Whether a request of the client may be admitted, be it as urgent as can be; nothing is counted. */
  mayAdmit(client: Client): boolean {
    return (this.#counts.get(client) ?? 0) < this.#figure * WEIGHTS.build
  }

  /** Counts a request that is shed. */
  refuse(priority: SheddingPriority): void {
    this.#hasShed = true
    this.shed[priority]++
  }

  /** A window is over. @param standingMs  the least that the event loop was late in it */
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
      const from = this.#figure === Infinity ? this.#first() : Math.min(this.#figure, this.#needed)
      this.#figure = Math.max(LEAST_FIGURE, from * fall ** tenths)
    } else if (standingMs < TARGET_MS / 2) {
      // By the root, as what was admitted is not all done yet.
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

  /** Where nobody asks for more than others it has far to fall, and what waits meanwhile is late when its turn comes. */
  #first(): number {
    return this.#needed > LITTLE ? this.#needed : FIRST
  }

  #turn(isActive: boolean, standingMs: number): void {
    this.isActive = isActive
    this.#figure = Infinity
    this.#lastMs = this.#late = this.#calm = this.#needed = 0
    this.#counts.clear()
    this.#options.onChange(isActive, standingMs)
  }

  /** One in so many, without chance: the parts that were not admitted add up. */
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
