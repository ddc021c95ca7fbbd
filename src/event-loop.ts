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
const STANDING_WINDOW_MS = 100
const MIN_SAMPLES = 4
/** Where the event loop had time to wait, it was the machine that was late, and not its own work. */
const MIN_UTILIZATION = 0.9

/**
 * Tells by how much the event loop was late at least, for each tenth of a
 * second: what every request of that time waited before anything was done for it.
 *
 * @param onWindow  gets ms; above zero only where there was no break in between
 *                  and the loop was at work nearly all of the time
 * @returns what ends it
 */
export function watchStandingDelay(onWindow: (standingMs: number) => void): () => void {
  let lastAt = performance.now()
  let begunAt = lastAt
  let leastMs = Infinity
  let samples = 0
  let used = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.now()
    leastMs = Math.min(leastMs, Math.max(0, now - lastAt - SAMPLE_MS))
    lastAt = now
    if (++samples < MIN_SAMPLES || now - begunAt < STANDING_WINDOW_MS) return
    const usedBefore = used
    used = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(used, usedBefore)
    onWindow(utilization < MIN_UTILIZATION ? 0 : leastMs)
    begunAt = now
    leastMs = Infinity
    samples = 0
  }, SAMPLE_MS).unref()
  return () => clearInterval(timer)
}
