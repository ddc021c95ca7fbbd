/**
 * How late the event loop is: every request waits that long before anything is done for it.
 * `watchStandingDelay` samples the delay while somebody reads it, and for load shedding reports the part that
 * the loop's own work causes, every twentieth of a second. `EventLoop` keeps the samples for operators.
 */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { CLOCK, type Clock } from '../runtime/clock.ts'
import { openThreadCpuTime } from './thread-cpu-time.ts'

const WINDOW_MS = 60_000

export type LoopDelay = Readonly<ReturnType<typeof delayIn>>

/** The delays of the last full minute, or of the first one while it lasts; and those since a scrape. */
export class EventLoop {
  readonly #clock: Clock
  readonly #minute: RecordableHistogram = createHistogram()
  #sinceScrape: RecordableHistogram | null = null
  #begunAt: number
  #last: LoopDelay | null = null
  #cancelTimer: () => void = () => {}

  constructor(clock: Clock = CLOCK) {
    this.#clock = clock
    this.#begunAt = clock.now()
    this.#wait()
  }

  /** Adds a sample. */
  readonly record = (delayMs: number): void => {
    // A histogram takes integers from 1.
    const ns = Math.max(1, Math.round(delayMs * 1e6))
    this.#minute.record(ns)
    this.#sinceScrape?.record(ns)
  }

  get delay(): LoopDelay {
    return this.#last ?? delayIn(this.#minute, this.#clock.now() - this.#begunAt)
  }

  /** The delays since the last call, in ns. @param read  must not keep the histogram */
  scrape(read: (delays: RecordableHistogram) => void): void {
    this.#sinceScrape ??= createHistogram()
    read(this.#sinceScrape)
    this.#sinceScrape.reset()
  }

  close(): void {
    this.#cancelTimer()
  }

  #wait(): void {
    this.#cancelTimer = this.#clock.after(WINDOW_MS, () => {
      this.#last = delayIn(this.#minute, this.#clock.now() - this.#begunAt)
      this.#begunAt = this.#clock.now()
      this.#minute.reset()
      this.#wait()
    })
  }
}

/** @param windowMs  the length of the measurement */
function delayIn(delays: RecordableHistogram, windowMs: number) {
  const rounded = (ns: number): number => (delays.count === 0 ? 0 : Math.round(ns / 1e5) / 10)
  return {
    windowMs: Math.round(windowMs),
    p50Ms: rounded(delays.percentile(50)),
    p99Ms: rounded(delays.percentile(99)),
    maxMs: rounded(delays.max),
  }
}

const SAMPLE_MS = 10
/** A window counts with its smallest sample: one long task is not an overload. */
export const STANDING_WINDOW_MS = 50
const MIN_SAMPLES = 2
/** The thread's processor time is read at most this often. */
const CPU_READ_MS = 1
/** Below this, the event loop was idle in between: the machine was late, not the loop's own work. */
export const MIN_UTILIZATION = 0.9

/** An event loop and its thread; tests pass their own. */
export type LoopThread = ReturnType<typeof thisThread>

export type StandingDelay = ReturnType<typeof watchStandingDelay>

/**
 * Reports the smallest delay of the event loop in each window: how long every request of that time waited before
 * anything was done for it. A window lasts a twentieth of a second, or two turns if they take longer.
 *
 * Only the part of a delay counts in which the thread had a processor. So it is the time of the loop's own work: it
 * grows with the number of waiting requests, and not with the load of other processes on the machine.
 *
 * The watch rests after a window in which nobody read the delay and for which `onWindow` returned true, if the
 * last turn was not late. The next reading wakes it.
 *
 * @param onWindow  receives the delay in ms, which is above zero only if the loop was busy without a break;
 *                  the window's length in ms; the loop's utilization in it, from 0 to 1; and the part of its
 *                  busy time in which the thread had a processor, from 0 to 1. Returns whether the next
 *                  window would report nothing new unless the delay is read
 * @param onSample  receives the delay of each sampled turn, whatever caused it, in ms
 */
export function watchStandingDelay(
  onWindow: (standingMs: number, windowMs: number, utilization: number, cpuPart: number) => boolean,
  onSample: (delayMs: number) => void = () => {},
  thread: LoopThread = thisThread(),
) {
  let last = readThread(thread)
  let begin = last
  let lastMs = 0
  let cpu = last
  let leastMs = Infinity
  let samples = 0
  let isRead = false
  let isResting = false
  const beginWindow = (now: ThreadReading): void => {
    begin = now
    leastMs = Infinity
    samples = 0
    isRead = false
  }
  const sample = (): void => {
    const now = readThread(thread)
    const { utilization } = between(last, now)
    onSample(Math.max(0, now.nowMs - last.nowMs - SAMPLE_MS))
    lastMs = utilization < MIN_UTILIZATION ? 0 : lateMs(last, now.nowMs, now.cpuMs)
    last = cpu = now
    leastMs = Math.min(leastMs, lastMs)
    if (++samples < MIN_SAMPLES || now.nowMs - begin.nowMs < STANDING_WINDOW_MS) return
    const whole = between(begin, now)
    const mayRest = onWindow(leastMs, now.nowMs - begin.nowMs, whole.utilization, whole.cpuPart)
    isResting = mayRest && !isRead && lastMs === 0
    beginWindow(now)
    if (isResting) thread.stop()
  }
  const wake = (): void => {
    isResting = false
    last = cpu = readThread(thread)
    beginWindow(last)
    thread.start(sample, SAMPLE_MS)
  }
  thread.start(sample, SAMPLE_MS)
  return {
    /** The lesser of this turn's delay so far and the delay of the turn before, in ms. Wakes the watch. */
    nowMs() {
      if (isResting) wake()
      isRead = true
      if (lastMs === 0) return 0
      // Reading the thread's time costs a tenth of a refusal.
      const nowMs = thread.nowMs()
      if (nowMs - cpu.nowMs >= CPU_READ_MS) cpu = readThread(thread)
      return Math.min(lastMs, lateMs(last, nowMs, cpu.cpuMs))
    },
    close() {
      lastMs = 0
      isResting = false
      thread.close()
    },
  }
}

type ThreadReading = Readonly<ReturnType<typeof readThread>>

function readThread(thread: LoopThread) {
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

function thisThread() {
  const time = openThreadCpuTime()
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => clearInterval(timer)
  return {
    /** Time that has passed, ms. */
    nowMs: () => performance.now(),
    /** Time in which the loop waited for work, ms. */
    idleMs: () => performance.eventLoopUtilization().idle,
    /** Processor time that the thread had, ms. */
    cpuMs: time.cpuMs,
    /** Calls `sample` every `ms`, as far as the loop keeps up. */
    start(sample: () => void, ms: number): void {
      timer = setInterval(sample, ms).unref()
    },
    stop,
    /** Stops for good. */
    close(): void {
      stop()
      time.close()
    },
  }
}
