/**
 * What is refused while the event loop cannot keep up, so that the rest is
 * answered in time: the requests of whoever asks most, and of the others what
 * they can best do without.
 *
 * One figure decides: how many requests a client may have had lately for its
 * next one to be admitted, eight times as many for a quote or a relayed read,
 * and 64 times for a build or a submission. It falls while the event loop is
 * late without a break, and rises while it is not.
 *
 *   figure  100 ......... 10 ......... 1 ........ 1/8 ........ 1/64
 *           one client,   most         everybody's            every-
 *           greedy        clients      research    quotes     thing
 *
 * Below 1 it is the share of requests that are admitted of clients that had
 * none. While nothing is shed nothing is counted either: a request then costs
 * one comparison.
 *
 * Source: the idea of a standing delay is RFC 8289's (CoDel)
 */
import type { Client } from '../upstream/caller.ts'

/** What a request is worth when not all can be answered, the last to be shed last. */
export type Priority = 'research' | 'quote' | 'build'

/** How many times the figure a client may have had. */
const WEIGHTS: Readonly<Record<Priority, number>> = { research: 1, quote: 8, build: 64 }
/** Above what a busy neighbour on the machine, or fifty connections that ask without a break, make by themselves. */
export const TARGET_MS = 60
/** Windows in a row that were late before anything is shed, and in which nothing was before it is over. */
const ONSET = 2
const CALM = 10
/** What a window leaves of a client's count: half of it comes from the last 300 ms. */
const KEPT = 0.8
/** A count below this is nobody's. */
const FORGOTTEN = 0.1
/** Clients that are counted; further ones are new at each of their requests. */
const MAX_CLIENTS = 10_000
const LEAST_FIGURE = 1 / 512
/** What becomes of the figure in a window: it rises the faster, the longer the event loop has not been late. */
const FALL = { most: 0.8, least: 0.95 }
const RISE = { first: 1.02, more: 0.03, most: 1.5 }

export interface SheddingOptions {
  /** Called when shedding begins, and when it is over. */
  readonly onChange: (isActive: boolean, standingMs: number) => void
}

export class Shedding {
  /** Whether requests have to ask `admits`. */
  isActive = false
  /** Requests that were shed since the start. */
  readonly shed: Record<Priority, number> = { research: 0, quote: 0, build: 0 }
  readonly #options: SheddingOptions
  readonly #counts = new Map<Client, number>()
  /** Parts of requests that were admitted, where the figure admits a share of them. */
  readonly #parts: Record<Priority, number> = { research: 0, quote: 0, build: 0 }
  #figure = Infinity
  /** The least figure that would have admitted all that was in this window. */
  #needed = 0
  #late = 0
  #calm = 0
  /** Windows in a row in which the figure rose. */
  #rising = 0
  #hasShed = false

  constructor(options: SheddingOptions) {
    this.#options = options
  }

  /** Clients that are counted now. */
  get clients(): number {
    return this.#counts.size
  }

  /** Whether a request is answered; it counts then. */
  admits(priority: Priority, client: Client): boolean {
    const weight = WEIGHTS[priority]
    const count = this.#counts.get(client) ?? 0
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
  refuse(priority: Priority): void {
    this.#hasShed = true
    this.shed[priority]++
  }

  /** A window is over. @param standingMs  the least that the event loop was late in it */
  readonly tick = (standingMs: number): void => {
    if (!this.isActive) {
      this.#late = standingMs < TARGET_MS ? 0 : this.#late + 1
      if (this.#late >= ONSET) this.#turn(true, standingMs)
      return
    }
    if (standingMs >= TARGET_MS) {
      const fall = Math.min(FALL.least, Math.max(FALL.most, TARGET_MS / standingMs))
      this.#figure = Math.max(LEAST_FIGURE, Math.min(this.#figure, this.#needed) * fall)
      this.#rising = 0
    } else if (standingMs < TARGET_MS / 2) {
      this.#figure *= Math.min(RISE.most, RISE.first + RISE.more * this.#rising++)
    }
    this.#forget()
    this.#calm = this.#hasShed || standingMs >= TARGET_MS ? 0 : this.#calm + 1
    this.#hasShed = false
    if (this.#calm >= CALM) this.#turn(false, standingMs)
  }

  #turn(isActive: boolean, standingMs: number): void {
    this.isActive = isActive
    this.#figure = Infinity
    this.#late = this.#calm = this.#rising = this.#needed = 0
    this.#counts.clear()
    this.#options.onChange(isActive, standingMs)
  }

  /** One in so many, without chance: the parts that were not admitted add up. */
  #admitsPart(priority: Priority, room: number): boolean {
    if (room <= 0) return false
    this.#parts[priority] += room
    if (this.#parts[priority] < 1) return false
    this.#parts[priority]--
    return true
  }

  #forget(): void {
    this.#needed *= KEPT
    for (const [client, count] of this.#counts) {
      if (count * KEPT < FORGOTTEN) this.#counts.delete(client)
      else this.#counts.set(client, count * KEPT)
    }
  }
}
