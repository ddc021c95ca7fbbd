/**
 * What a request spent its time on, as `Server-Timing` tells it.
 *
 * Source: W3C Server Timing; durations in ms
 */
import type { Clock } from './clock.ts'

/** The time in which at least one of any number of things went on: those that overlap count once. */
export class PhaseTimer {
  readonly #clock: Clock
  #open = 0
  #since = 0
  /** Negative: nothing has begun. */
  #ms = -1

  constructor(clock: Clock) {
    this.#clock = clock
  }

  begin(): void {
    if (this.#open++ > 0) return
    this.#since = this.#clock.now()
    if (this.#ms < 0) this.#ms = 0
  }

  /** Once for each `begin`. */
  end(): void {
    if (--this.#open === 0) this.#ms += this.#clock.now() - this.#since
  }

  /** In ms, with what still goes on at this time; negative where nothing has begun. */
  at(nowMs: number): number {
    return this.#open > 0 ? this.#ms + nowMs - this.#since : this.#ms
  }
}

export class Timing {
  /** Monotonic, ms. */
  readonly startedAt: number
  readonly validate: PhaseTimer
  readonly budget: PhaseTimer
  readonly verify: PhaseTimer
  readonly upstream: PhaseTimer
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
    this.startedAt = clock.now()
    this.validate = new PhaseTimer(clock)
    this.budget = new PhaseTimer(clock)
    this.verify = new PhaseTimer(clock)
    this.upstream = new PhaseTimer(clock)
  }

  /** The value of `Server-Timing` as of now: the phases that there were, and the total. */
  header(): string {
    const now = this.#clock.now()
    return (
      phase('validate', this.validate.at(now)) +
      phase('budget', this.budget.at(now)) +
      phase('verify', this.verify.at(now)) +
      phase('upstream', this.upstream.at(now)) +
      `total;dur=${rounded(now - this.startedAt)}`
    )
  }
}

const phase = (name: string, ms: number): string => (ms < 0 ? '' : `${name};dur=${rounded(ms)}, `)

/** To whole microseconds; in two integers, which cost a quarter of what a fraction does. */
function rounded(ms: number): string {
  const us = Math.round(ms * 1_000)
  const rest = us % 1_000
  return `${Math.floor(us / 1_000)}${rest < 10 ? '.00' : rest < 100 ? '.0' : '.'}${rest}`
}

/** What the work comes to, once its time is noted, whether it fails or not. @param span  absent: nobody asks */
export async function timed<T>(span: PhaseTimer | undefined, work: () => T | Promise<T>): Promise<T> {
  span?.begin()
  try {
    return await work()
  } finally {
    span?.end()
  }
}
