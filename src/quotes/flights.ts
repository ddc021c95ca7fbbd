/**
 * One flight per key: requests that ask the same within a moment share one
 * answer, and the flight is called off when the last of them has left.
 *
 * Source: design.md "Quotes and builds"
 */
import { LRUCache } from 'lru-cache'
import { Cancel } from '../providers/exchange.ts'

/** Distinct keys kept at once. */
const MAX_KEYS = 1_000

interface Flight<T> {
  readonly promise: Promise<T>
  readonly cancel: Cancel
  waiting: number
  landed: boolean
}

export class Flights<T extends object> {
  readonly #flights: LRUCache<string, Flight<T>>

  /**
   * @param keepMs  how long an answer serves those who come later; a failure serves only those already waiting
   * @param now     a monotonic clock, ms
   */
  constructor(keepMs: number, now: () => number = () => performance.now()) {
    this.#flights = new LRUCache({ max: MAX_KEYS, ttl: keepMs, ttlResolution: 0, perf: { now } })
  }

  /**
   * The answer under way or at hand for this key, or a new one.
   *
   * @param onGone  takes a callback for when this caller leaves
   * @param start   begins the flight; its Cancel is cancelled when nobody waits any more
   */
  join(
    key: string,
    onGone: (callback: () => void) => void,
    start: (cancel: Cancel) => Promise<T>,
  ): Promise<T> {
    const flight = this.#flights.get(key) ?? this.#take(key, start)
    if (!flight.landed) {
      flight.waiting++
      onGone(() => {
        if (--flight.waiting > 0 || flight.landed) return
        this.#drop(key, flight)
        flight.cancel.cancel()
      })
    }
    return flight.promise
  }

  #take(key: string, start: (cancel: Cancel) => Promise<T>): Flight<T> {
    const cancel = new Cancel()
    const flight: Flight<T> = { promise: start(cancel), cancel, waiting: 0, landed: false }
    this.#flights.set(key, flight, { ttl: 0 })
    flight.promise.then(
      () => {
        flight.landed = true
        // Its time begins with the answer, not with the question.
        if (this.#flights.peek(key) === flight) this.#flights.set(key, flight)
      },
      () => {
        flight.landed = true
        this.#drop(key, flight)
      },
    )
    return flight
  }

  #drop(key: string, flight: Flight<T>): void {
    if (this.#flights.peek(key) === flight) this.#flights.delete(key)
  }
}
