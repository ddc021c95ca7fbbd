/** The clock and timer of the console, passed in so that tests can control them. */
export interface WallClock {
  /** Milliseconds since the epoch, as in the service's timestamps. */
  now(): number
  /** @returns a function that cancels the timer */
  after(ms: number, then: () => void): () => void
}

export const CLOCK: WallClock = {
  now: () => Date.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
}
