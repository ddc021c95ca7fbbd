/**
 * How late the event loop is, which every request waits for before anything is done for it. `EventLoop`
 * measures it continuously, and reports the last full minute, or the first one while it lasts.
 * `watchStandingDelay` reports the part that the loop's own work causes, each tenth of a second, for load
 * shedding.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { CLOCK, type Clock } from './clock.ts'
import { openThreadCpuTime } from './thread-cpu-time.ts'

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

/** An event loop and its thread; the tests hand in their own. */
export interface LoopThread {
  /** Time that has passed, ms. */
  nowMs(): number
  /** Time in which the loop waited for something to do, ms. */
  idleMs(): number
  /** Processor time that the thread had, ms. */
  cpuMs(): number
  /** Calls `sample` each `ms`, as far as the loop gets round to it. */
  start(sample: () => void, ms: number): void
  stop(): void
}

export interface StandingDelay {
  /** The lesser of this turn's delay so far and the delay of the turn before, in ms. */
  nowMs(): number
  close(): void
}

/**
 * Reports the least delay of the event loop in each window: what every request of that time waited before
 * anything was done for it. A window lasts a tenth of a second, or two turns if they take longer.
 *
 * A delay counts as far as the thread had a processor in it. So it is the time that the loop's own work takes:
 * it grows with the number of requests that wait, and not with the load of other processes on the machine.
 *
 * @param onWindow  receives the delay in ms, which is above zero only if the loop was busy without a break;
 *                  the window's length in ms; the loop's utilization in it, from 0 to 1; and the part of its
 *                  busy time in which the thread had a processor, from 0 to 1
 */
export function watchStandingDelay(
  onWindow: (standingMs: number, windowMs: number, utilization: number, cpuPart: number) => void,
  thread: LoopThread = thisThread(),
): StandingDelay {
  let last = readThread(thread)
  let begin = last
  let lastMs = 0
  let leastMs = Infinity
  let samples = 0
  thread.start(() => {
    const now = readThread(thread)
    const { utilization } = between(last, now)
    lastMs = utilization < MIN_UTILIZATION ? 0 : lateMs(last, now.nowMs, now.cpuMs)
    last = now
    leastMs = Math.min(leastMs, lastMs)
    if (++samples < MIN_SAMPLES || now.nowMs - begin.nowMs < STANDING_WINDOW_MS) return
    const whole = between(begin, now)
    onWindow(leastMs, now.nowMs - begin.nowMs, whole.utilization, whole.cpuPart)
    begin = now
    leastMs = Infinity
    samples = 0
  }, SAMPLE_MS)
  return {
    nowMs: () => (lastMs === 0 ? 0 : Math.min(lastMs, lateMs(last, thread.nowMs(), thread.cpuMs()))),
    close() {
      lastMs = 0
      thread.stop()
    },
  }
}

interface ThreadReading {
  readonly nowMs: number
  readonly idleMs: number
  readonly cpuMs: number
}

function readThread(thread: LoopThread): ThreadReading {
  return { nowMs: thread.nowMs(), idleMs: thread.idleMs(), cpuMs: thread.cpuMs() }
}

/** How late a turn is by the loop's own work. */
function lateMs(from: ThreadReading, nowMs: number, cpuMs: number): number {
  return Math.max(0, Math.min(nowMs - from.nowMs, cpuMs - from.cpuMs) - SAMPLE_MS)
}

function between(from: ThreadReading, to: ThreadReading): { utilization: number; cpuPart: number } {
  const activeMs = to.nowMs - from.nowMs - (to.idleMs - from.idleMs)
  return {
    utilization: activeMs / (to.nowMs - from.nowMs),
    cpuPart: activeMs > 0 ? Math.min(1, (to.cpuMs - from.cpuMs) / activeMs) : 1,
  }
}

function thisThread(): LoopThread {
  const time = openThreadCpuTime()
  let timer: NodeJS.Timeout | undefined
  return {
    nowMs: () => performance.now(),
    idleMs: () => performance.eventLoopUtilization().idle,
    cpuMs: time.cpuMs,
    start(sample, ms) {
      timer = setInterval(sample, ms).unref()
    },
    stop() {
      clearInterval(timer)
      time.close()
    },
  }
}
