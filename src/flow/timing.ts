/**
 * How a request spent its time, for the `Server-Timing` header.
 *
 * Source: W3C Server Timing; durations in ms
 */
import type { Clock } from '../runtime/clock.ts'
import { recorded } from '../runtime/tape.ts'

/**
 * The total time in which at least one operation of a phase was in progress. Overlapping operations count
 * once.
 */
export class PhaseTimer {
  readonly #clock: Clock
  /** How many operations have begun. */
  count = 0
  #open = 0
  #since = 0
  /** Negative until the first operation begins. */
  #ms = -1

  constructor(clock: Clock) {
    this.#clock = clock
  }

  begin(): void {
    this.count++
    if (this.#open++ > 0) return
    this.#since = this.#clock.now()
    if (this.#ms < 0) this.#ms = 0
  }

  /** Call once for each `begin`. */
  end(): void {
    if (--this.#open === 0) this.#ms += this.#clock.now() - this.#since
  }

  /** Whether an operation is in progress. */
  get isOpen(): boolean {
    return this.#open > 0
  }

  /** The total in ms, including operations in progress; negative if nothing has begun. */
  at(nowMs: number): number {
    return this.#open > 0 ? this.#ms + nowMs - this.#since : this.#ms
  }
}

export class Timing {
  /** Monotonic time, ms. */
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

  /** The value of `Server-Timing` now: each phase that has begun, and the total. */
  header(): string {
    return recorded(this.#clock, 'timing', () => this.#header())
  }

  #header(): string {
    const now = this.#clock.now()
    return (
      entry('validate', this.validate.at(now)) +
      entry('budget', this.budget.at(now)) +
      entry('verify', this.verify.at(now)) +
      entry('upstream', this.upstream.at(now)) +
      totalTiming(now - this.startedAt)
    )
  }
}

/** The last entry of the header, which is all of it if no phase has begun. */
export const totalTiming = (ms: number): string => `total;dur=${rounded(ms)}`

const entry = (name: string, ms: number): string => (ms < 0 ? '' : `${name};dur=${rounded(ms)}, `)

/** Rounds to whole microseconds. Formatting two integers costs a quarter of formatting a fraction. */
function rounded(ms: number): string {
  const us = Math.round(ms * 1_000)
  const rest = us % 1_000
  return `${Math.floor(us / 1_000)}${rest < 10 ? '.00' : rest < 100 ? '.0' : '.'}${rest}`
}

/**
 * Runs the work and adds its time to a phase, whether it succeeds or fails.
 * @param phase  absent: the work is not timed
 */
export async function timed<T>(phase: PhaseTimer | undefined, work: () => T | Promise<T>): Promise<T> {
  phase?.begin()
  try {
    return await work()
  } finally {
    phase?.end()
  }
}
