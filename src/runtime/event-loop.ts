/**
 * How late the event loop is, which every request waits for before anything is done for it. `EventLoop`
 * measures it continuously, and reports the last full minute, or the first one while it lasts.
 * `watchStandingDelay` reports each tenth of a second, for load shedding.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { CLOCK, type Clock } from './clock.ts'

const WINDOW_MS = 60_000
/** The sampling interval. The histogram's values include it. */
const RESOLUTION_MS = 20

export interface LoopDelay {
  /** The length of the measurement. */
  readonly windowMs: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

export class EventLoop {
  readonly #clock: Clock
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  #begunAt: number
  #last: LoopDelay | null = null
  #cancelTimer: () => void = () => {}

  /** @param clock  times the windows; the delays themselves are always real time */
  constructor(clock: Clock = CLOCK) {
    this.#clock = clock
    this.#begunAt = clock.now()
    this.#histogram.enable()
    this.#wait()
  }

  get delay(): LoopDelay {
    return this.#last ?? this.#measured()
  }

  close(): void {
    this.#cancelTimer()
    this.#histogram.disable()
  }

  #wait(): void {
    this.#cancelTimer = this.#clock.after(WINDOW_MS, () => {
      this.#last = this.#measured()
      this.#begunAt = this.#clock.now()
      this.#histogram.reset()
      this.#wait()
    })
  }

  #measured(): LoopDelay {
    const { count, max } = this.#histogram
    const lateMs = (ns: number): number =>
      count === 0 ? 0 : Math.max(0, Math.round(ns / 1e5 - RESOLUTION_MS * 10) / 10)
    return {
      windowMs: Math.round(this.#clock.now() - this.#begunAt),
      p50Ms: lateMs(this.#histogram.percentile(50)),
      p99Ms: lateMs(this.#histogram.percentile(99)),
      maxMs: lateMs(max),
    }
  }
}

const SAMPLE_MS = 10
/** A window counts with its least sample: one long task is not an overload. */
export const STANDING_WINDOW_MS = 100
const MIN_SAMPLES = 2
/** Below this, the event loop was idle in between: the machine was late, not the loop's own work. */
const MIN_UTILIZATION = 0.9

export interface StandingDelay {
  /** The lesser of this turn's delay so far and the delay of the turn before, in ms. */
  nowMs(): number
  close(): void
}

/**
 * Reports the least delay of the event loop in each window: what every request of that time waited before
 * anything was done for it. A window lasts a tenth of a second, or two turns if they take longer.
 *
 * @param onWindow  receives the delay in ms, which is above zero only if the loop was busy without a break;
 *                  the window's length in ms; and the loop's utilization in it, from 0 to 1
 */
export function watchStandingDelay(
  onWindow: (standingMs: number, windowMs: number, utilization: number) => void,
): StandingDelay {
  let lastAt = performance.now()
  let begunAt = lastAt
  let lastMs = 0
  let leastMs = Infinity
  let samples = 0
  let used = performance.eventLoopUtilization()
  let usedAtBegin = used
  const timer = setInterval(() => {
    const now = performance.now()
    const before = used
    used = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(used, before)
    lastMs = utilization < MIN_UTILIZATION ? 0 : Math.max(0, now - lastAt - SAMPLE_MS)
    lastAt = now
    leastMs = Math.min(leastMs, lastMs)
    if (++samples < MIN_SAMPLES || now - begunAt < STANDING_WINDOW_MS) return
    const whole = performance.eventLoopUtilization(used, usedAtBegin)
    onWindow(leastMs, now - begunAt, whole.utilization)
    usedAtBegin = used
    begunAt = now
    leastMs = Infinity
    samples = 0
  }, SAMPLE_MS).unref()
  return {
    nowMs: () => (lastMs === 0 ? 0 : Math.min(lastMs, Math.max(0, performance.now() - lastAt - SAMPLE_MS))),
    close: () => clearInterval(timer),
  }
}
