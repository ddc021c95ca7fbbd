/**
 * The two clocks, which must not be confused. Code that needs the time takes a `Clock` as a parameter, so
 * that tests can pass their own. Only event-loop.ts, which measures real delays, reads a clock itself.
 */

/** What records a request, or replays it: see tape.ts. */
export interface Tape {
  /**
   * What `read` gives or throws, now or as it was recorded. It runs outside the tape: what it reads itself is not
   * recorded.
   * @param name  equal in the recording and in its replay; several with one name are kept in their order
   */
  value<T>(name: string, read: () => T): T
}

export interface Clock {
  /** Monotonic time in ms, for deadlines, intervals and ages. */
  now(): number
  /** Unix time in ms, for values that are shown, sent or signed. */
  date(): number
  /**
   * Runs a function once, after `ms`, or at once where that is negative. The timer does not keep the process alive.
   * @returns a function that cancels the timer
   */
  after(ms: number, run: () => void): () => void
  /** What records or replays the request that this runs for; null for none. Absent without RECORD_DIR. */
  tape?(): Tape | null
}

export const CLOCK: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(ms, run) {
    // Node.js warns of a time that has passed.
    const timer = setTimeout(run, Math.max(0, ms)).unref()
    return () => clearTimeout(timer)
  },
}

/** Resolves after `ms`. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}

/** What the promise resolves to, or `late` after `ms`. */
export async function orLate<T>(clock: Clock, ms: number, asked: Promise<T>, late: T): Promise<T> {
  let cancelTimer: (() => void) | undefined
  const timeout = new Promise<T>((resolve) => {
    cancelTimer = clock.after(ms, () => resolve(late))
  })
  try {
    return await Promise.race([asked, timeout])
  } finally {
    cancelTimer?.()
  }
}

/** Resolves when the promise does, or after `ms` at the latest. */
export async function atMost(clock: Clock, ms: number, promise: Promise<unknown>): Promise<void> {
  await orLate(clock, ms, promise, undefined)
}
