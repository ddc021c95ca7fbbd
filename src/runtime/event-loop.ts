/**
 * How late the event loop is: what every request waits for behind others' work.
 * Measured all the time, told of the last whole minute, and of the first one
 * while it goes on; and each tenth of a second, for whoever sheds requests.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { CLOCK, type Clock } from './clock.ts'

const WINDOW_MS = 60_000
/** Between two looks. What it measures has that in it. */
const RESOLUTION_MS = 20

export interface LoopDelay {
  /** How long was measured. */
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
  #callOff: () => void = () => {}

  /** @param clock  the real one, but in tests: a delay is in real time */
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
    this.#callOff()
    this.#histogram.disable()
  }

  #wait(): void {
    this.#callOff = this.#clock.after(WINDOW_MS, () => {
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

/** Of what is measured between two timers, the least counts: one long task is not an overload. */
const SAMPLE_MS = 10
export const STANDING_WINDOW_MS = 100
const MIN_SAMPLES = 2
/** Where the event loop had time to wait, it was the machine that was late, and not its own work. */
const MIN_UTILIZATION = 0.9

export interface StandingDelay {
  /** How late this turn of the event loop is already, and the one before was, at least; ms. */
  nowMs(): number
  close(): void
}

/**
 * Tells by how much the event loop was late at least, for each tenth of a second
 * or for two turns that take longer: what every request of that time waited
 * before anything was done for it.
 *
 * @param onWindow  gets ms, above zero only where the loop was at work without a
 *                  break, and how long the window was
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
