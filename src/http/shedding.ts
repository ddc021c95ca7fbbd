/**
 * Load shedding: while the event loop can't keep up, some requests are refused so that the rest is answered in time.
 *
 *   normal ── a request would wait for ONSET_MS ──▶ shedding ── on time, and nothing refused for BURST_MS ──▶ normal
 *
 * While shedding:
 *
 * 1. A client that cost far more than most is refused for as long as the loop is late. If such clients brought the
 *    overload about, the others aren't refused at all: that wouldn't end it sooner.
 * 2. Otherwise a request is refused if it would wait longer than its priority allows: research first, builds and
 *    submissions last. A client's first request waits for those before it, and not for all that is under way: a
 *    thousand at once are a burst, which is over within a second.
 *
 * Source: CoDel's idea of a delay that stands (RFC 8289 §3)
 */
import type { Client } from '../runtime/cancellation.ts'
import { STANDING_WINDOW_MS } from '../runtime/event-loop.ts'
import { ClientCosts, KEPT } from './client-costs.ts'

/** The priority of a request in an overload; `research` is shed first, `build` last. */
export type SheddingPriority = 'research' | 'quote' | 'build'

/** The event loop is late from this delay on, ms: above that of fifty clients that ask without a break. */
export const TARGET_MS = 60
/** The longest wait, ms: clients give an answer up after a second or so. */
export const BURST_MS = 1_000
/** The wait at which shedding begins, ms. Turns double in length at first: the last one without shedding takes twice that. */
export const ONSET_MS = 200
/** What neighbours take of the processor beyond this is nobody's reason to shed. */
const LEAST_CPU_PART = 0.25
/** A client that cost this many times as much as the median client is greedy. */
const GREEDY = 8
/** How long a request may wait while others are refused, ms. */
const MAX_WAIT_MS: Readonly<Record<SheddingPriority, number>> = {
  research: TARGET_MS,
  quote: 2 * TARGET_MS,
  build: BURST_MS,
}

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
  /** For how long it has been on time and nothing was refused, ms. */
  #calmMs = 0
  /** Whether the thread had no rest in the last window. */
  #isBusy = false
  /** The part of its busy time in which the thread had a processor recently, 0 to 1. */
  #cpuPart = 1
  /** The cost above which a client is refused, ms. */
  #greedyMs = Infinity
  /** Whether greedy clients made the loop late. */
  #isTheirs = false

  constructor(options: SheddingOptions) {
    this.#options = options
  }

  /** Whether requests must pass `admits` now. */
  mustAsk(): boolean {
    // Reading the delay also wakes the watch, whose windows end the costs.
    const waitMs = this.#waitMs()
    if (!this.isActive && waitMs >= ONSET_MS) this.#turn(true, waitMs)
    return this.isActive
  }

  /** Whether a request is answered; counts it if it isn't. */
  admits(priority: SheddingPriority, client: Client): boolean {
    if (this.mayAdmit(priority, client)) return true
    this.refuse(priority, client)
    return false
  }

  /** Whether a request would be answered; nothing is counted. */
  mayAdmit(priority: SheddingPriority, client: Client): boolean {
    const costMs = this.costs.of(client)
    if (costMs > this.#greedyMs) return false
    if (this.#isTheirs) return this.#options.turnMs() < BURST_MS
    const isFirst = this.costs.askedBy(client) < 1
    return (isFirst ? this.#options.turnMs() : this.#waitMs()) < MAX_WAIT_MS[priority]
  }

  /** Counts a request that is shed. */
  refuse(priority: SheddingPriority, client: Client): void {
    this.#calmMs = -STANDING_WINDOW_MS
    this.shed[priority]++
    this.costs.refuse(client)
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
    this.#options.turnMs()
    this.costs.charge(client, calls, bytes)
  }

  /**
   * Ends a window.
   * @param standingMs   the smallest delay of the event loop in it, ms
   * @param utilization  the part of it in which the loop was busy, 0 to 1
   * @param cpuPart      the part of that in which the thread had a processor, 0 to 1
   * @returns whether nothing is left to count: no client has requests under way or cost anything recently
   */
  readonly tick = (standingMs: number, windowMs: number, utilization: number, cpuPart = 1): boolean => {
    this.costs.endWindow(utilization * cpuPart * windowMs, KEPT ** (windowMs / STANDING_WINDOW_MS))
    this.#isBusy = utilization >= 0.95
    if (this.#isBusy) this.#cpuPart += (1 - KEPT) * (Math.max(LEAST_CPU_PART, cpuPart) - this.#cpuPart)
    const isLate = standingMs >= TARGET_MS
    this.#calmMs = isLate ? 0 : this.#calmMs + windowMs
    this.#judge(isLate)
    if (this.isActive && this.#calmMs >= BURST_MS) this.#turn(false, standingMs)
    return !this.isActive && !isLate && this.costs.clients === 0
  }

  #turn(isActive: boolean, standingMs: number): void {
    this.isActive = isActive
    this.#calmMs = 0
    this.#options.onChange(isActive, standingMs)
  }

  /** How long a request would wait now, ms: for what is before it in this turn, or for what is under way. */
  #waitMs(): number {
    const turnMs = this.#options.turnMs()
    return this.#isBusy ? Math.max(turnMs, this.costs.underWayMs / this.#cpuPart) : turnMs
  }

  #judge(isLate: boolean): void {
    if (!isLate) {
      this.#greedyMs = Infinity
      this.#isTheirs = false
      return
    }
    this.#greedyMs = GREEDY * Math.max(this.costs.medianMs(), this.costs.requestMs)
    this.#isTheirs = this.costs.partAbove(this.#greedyMs) >= 0.5
  }
}
