/**
 * Load shedding: while the gateway can't keep up, some requests are refused so that the rest is answered in time.
 *
 *   normal ── a request would wait for TARGET_MS ──▶ shedding ── on time, and nothing refused for CALM_MS ──▶ normal
 *
 * A request waits for the work before it in this turn of the event loop and the last, and for what is under way: how long
 * that takes follows from how many requests that are and how long each took recently, by Little's law. It only counts
 * while the thread has no rest: what waits for upstreams keeps no other request waiting.
 *
 * While shedding:
 *
 * 1. A client that cost far more than most is refused. If such clients brought the overload about, the others aren't
 *    refused at all: that wouldn't end it sooner.
 * 2. Otherwise as many requests may be in flight as are answered in TARGET_MS, and a turn of the loop may take as long.
 *    Research gets half of that, and builds and submissions eight times as much, so that they are refused last. So does
 *    a client's first request: a thousand of them at once are a burst, which is over within a second.
 *
 * Source: CoDel's idea of a delay that stands (RFC 8289 §3)
 */
import type { Client } from '../../flow/cancellation.ts'
import { MIN_UTILIZATION, STANDING_WINDOW_MS } from '../../flow/event-loop.ts'
import { ClientCosts, COST_DECAY, MAX_REQUEST_MS } from './client-costs.ts'

/** The priority of a request in an overload; `research` is shed first, `build` last. */
export type SheddingPriority = 'research' | 'quote' | 'build'

/**
 * The longest wait that isn't an overload, ms: a build takes several times as long, and should take less than
 * a second.
 */
export const TARGET_MS = 150
/** How long nothing is refused before shedding ends, ms. */
export const CALM_MS = 1_000
/** The least limit: fifty clients that send requests without a break aren't an overload. */
export const MIN_LIMIT = 50
/**
 * By priority: how many times the limit may be in flight, and the target have passed, before a request is
 * refused.
 */
const SHARE: Readonly<Record<SheddingPriority, number>> = { research: 0.5, quote: 1, build: 8 }
/**
 * This few requests are late because of the machine, or of code that runs for the first time, unless they
 * take a second.
 */
const FEW_REQUESTS = MIN_LIMIT * SHARE.research
/** The growth of the limit in a window that was on time and in which something was refused. */
const GROWTH = 1.1
/** A client that cost this many times as much as the median client, or as any one request, is greedy. */
const GREEDY_FACTOR = 8

interface SheddingOptions {
  /** The smaller of the delays of this turn of the event loop and the one before, ms. */
  readonly turnMs: () => number
  /** Called when shedding begins and when it ends. */
  readonly onChange: (isActive: boolean, waitMs: number) => void
}

export class Shedding {
  /** Whether requests are being shed. */
  isActive = false
  /** Requests that were shed since the start. */
  readonly shed: Record<SheddingPriority, number> = { research: 0, quote: 0, build: 0 }
  readonly costs = new ClientCosts()
  readonly #options: SheddingOptions
  /** The most requests in flight. */
  #limit = Infinity
  /** How long the loop has been on time without a refusal, ms. */
  #calmMs = 0
  /** Whether the thread was busy throughout the last window. */
  #wasBusy = false
  /** The cost above which a client is refused, ms. */
  #greedyMs = Infinity
  /** Whether greedy clients made the others wait. */
  #isCausedByGreedy = false

  constructor(options: SheddingOptions) {
    this.#options = options
  }

  /** Whether requests must pass `admits` now. */
  mustAsk(): boolean {
    // Reading the delay also wakes the watch, whose windows end the costs.
    const turnMs = this.#options.turnMs()
    const { waitMs, load } = this.costs
    if (!this.isActive && load > FEW_REQUESTS && turnMs > 0 && Math.max(turnMs, waitMs) >= TARGET_MS) {
      this.#begin(Math.max(turnMs, waitMs))
      // Nothing is refused for the requests in flight yet: only the window's end shows who caused the
      // overload.
      this.#setLimit(this.costs.underWay / SHARE.research)
    }
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
    if (this.costs.of(client) > this.#greedyMs) return false
    if (this.#isCausedByGreedy) return true
    const share = this.costs.has(client) ? SHARE[priority] : SHARE.build
    const isPrompt = this.costs.load <= FEW_REQUESTS || this.#options.turnMs() < share * TARGET_MS
    return isPrompt && this.costs.underWay <= share * this.#limit
  }

  /** Counts a request that is shed. */
  refuse(priority: SheddingPriority, client: Client): void {
    this.#calmMs = -STANDING_WINDOW_MS
    this.shed[priority]++
    this.costs.refuse(client)
  }

  /** Whether a message of a WebSocket is answered; its client pays for it. @param bytes  of the message */
  admitsMessage(client: Client, bytes: number): boolean {
    if (this.mustAsk() && !this.admits('quote', client)) return false
    this.costs.begin(client)
    this.costs.end(client, 0, bytes)
    return true
  }

  /**
   * Counts the work for a WebSocket's subscriptions. @param calls  to upstreams  @param bytes  that it is
   * sent
   */
  charge(client: Client, calls: number, bytes: number): void {
    this.#options.turnMs()
    this.costs.charge(client, calls, bytes)
  }

  /**
   * Ends a window.
   * @param standingMs   the smallest delay of the event loop in it, ms
   * @param utilization  the part of it in which the loop was busy, 0 to 1
   * @param cpuPart      the part of that time in which the thread had a processor, 0 to 1
   * @returns whether nothing is left to count: no client has requests in flight or cost anything recently
   */
  readonly tick = (standingMs: number, windowMs: number, utilization: number, cpuPart = 1): boolean => {
    // One busy window may be one long task, such as a garbage collection.
    const isBusy = this.#wasBusy && utilization >= MIN_UTILIZATION
    this.#wasBusy = utilization >= MIN_UTILIZATION
    const isFew = this.costs.load <= FEW_REQUESTS
    const decay = COST_DECAY ** (windowMs / STANDING_WINDOW_MS)
    this.costs.endWindow(utilization * windowMs, cpuPart, decay)
    const waitMs = isBusy ? Math.max(standingMs, this.costs.waitMs) : standingMs
    const isLate = waitMs >= (isFew ? CALM_MS : TARGET_MS)
    if (isLate) {
      if (!this.isActive) this.#begin(waitMs)
      this.#greedyMs = GREEDY_FACTOR * Math.max(this.costs.medianMs(), MAX_REQUEST_MS)
      this.#isCausedByGreedy = this.costs.partAbove(this.#greedyMs) >= 0.5
      this.#setLimit(Math.min(this.#limit, (this.costs.underWay * TARGET_MS) / waitMs))
    } else if (this.#calmMs < 0) this.#limit *= GROWTH
    this.#calmMs = isLate ? 0 : this.#calmMs + windowMs
    if (this.isActive && this.#calmMs >= CALM_MS) this.#end(waitMs)
    return !this.isActive && !isLate && this.costs.clients === 0
  }

  #begin(waitMs: number): void {
    this.isActive = true
    this.#limit = Infinity
    this.#greedyMs = Infinity
    // Each client's cost is known at the end of the window.
    this.#isCausedByGreedy = this.costs.partOfBusiest() >= 0.5
    this.#options.onChange(true, waitMs)
  }

  #end(waitMs: number): void {
    this.isActive = false
    this.#calmMs = 0
    this.#options.onChange(false, waitMs)
  }

  #setLimit(limit: number): void {
    this.#limit = Math.max(MIN_LIMIT, limit)
  }
}
