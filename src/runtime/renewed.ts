/**
 * A value that is read again when it is old. A failed reading keeps the last value, and is retried sooner.
 * Callers wait for the first value only.
 */
import { atMost, CLOCK, type Clock } from './clock.ts'
import { nullIfRefused } from './errors.ts'
import { recorded } from './tape.ts'

const EVERY_MS = 3_600_000
/** After a failed reading. */
const AGAIN_MS = 60_000

/** Unlike `throttled` it keeps the last value when a reading fails; unlike a Coalescer it has one value, and no client pays. */
export class Renewed<T> {
  readonly #read: () => Promise<T | null>
  readonly #clock: Clock
  #value: T | null = null
  #dueAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null

  /** @param read  null or a GatewayError: the reading failed */
  constructor(read: () => Promise<T | null>, clock: Clock = CLOCK) {
    this.#read = read
    this.#clock = clock
  }

  /** @param waitMs  for the first value. @returns null until one was read */
  get(waitMs: number): Promise<T | null> {
    return recorded(this.#clock, 'renewed', () => this.#get(waitMs))
  }

  async #get(waitMs: number): Promise<T | null> {
    const reading = this.#renewDue()
    if (this.#value === null) await atMost(this.#clock, waitMs, reading)
    return this.#value
  }

  /** Reads it if it is older than an hour. @returns the last value */
  renew(): Promise<T | null> {
    return recorded(this.#clock, 'renewed', () => this.#renewDue())
  }

  async #renewDue(): Promise<T | null> {
    if (this.#reading === null && this.#clock.now() >= this.#dueAt) {
      this.#reading = this.#renew().finally(() => (this.#reading = null))
    }
    await this.#reading
    return this.#value
  }

  async #renew(): Promise<void> {
    const value = await this.#read().catch(nullIfRefused)
    this.#dueAt = this.#clock.now() + (value === null ? AGAIN_MS : EVERY_MS)
    this.#value = value ?? this.#value
  }
}
