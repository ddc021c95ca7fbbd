/** Time, handed in so that tests can move it. */
export interface Clock {
  /** Of the wall, ms: the service tells times by it. */
  now(): number
  /** @returns calls it off */
  after(ms: number, then: () => void): () => void
}

export const CLOCK: Clock = {
  now: () => Date.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
}
