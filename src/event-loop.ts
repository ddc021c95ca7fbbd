/**
 * How late the event loop is: what every request waits for behind others' work.
 * Measured all the time, told of the last whole minute, and of the first one
 * while it goes on.
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
