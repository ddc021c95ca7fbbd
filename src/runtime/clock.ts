/**
 * The two clocks, monotonic and Unix time, which must not be confused. Code that
 * needs one gets a Clock as an argument. In the service only this file reads the
 * clocks, and event-loop.ts, which measures real delays of the event loop.
 */
export interface Clock {
  /** Monotonic, ms: for deadlines, intervals and ages. */
  now(): number
  /** Unix time, ms: for what is shown, sent or signed. */
  date(): number
  /**
   * Runs something once, so many ms from now. It keeps no process alive.
   * @returns calls it off
   */
  after(ms: number, run: () => void): () => void
}

export const CLOCK: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
}

/**
 * One deadline over several steps in a row.
 * @returns a function that tells how many ms are left; none or fewer when it has passed
 */
export function countdown(clock: Clock, deadlineMs: number): () => number {
  const until = clock.now() + deadlineMs
  return () => until - clock.now()
}

/** Resolves with the promise, or without it once the time is over. */
export async function atMost(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  try {
    await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
