/**
 * The concurrency limiter of upstream calls. A client has a few slots, an
 * upstream has as many as it has connections, and all calls together are
 * bounded. A call that finds no slot waits in its client's queue, and the queues
 * take turns: a client with sixty slow calls delays only itself.
 *
 *   client a: ▣▣▣▣▣▣▣▣ | a a a a a ...   its own eight are in progress
 *   client b: ▣        | b               goes as soon as the upstream has a slot
 */

import { type CancellationScope, type Client, GATEWAY } from '../runtime/cancellation.ts'
import { CLOCK, type Clock } from '../runtime/clock.ts'

export interface ConcurrencyLimits {
  /** Concurrent calls of one client; the gateway's own count towards `global` only. */
  readonly client: number
  /** Concurrent calls of all clients and the gateway. */
  readonly global: number
}

export const DEFAULT_CONCURRENCY: ConcurrencyLimits = { client: 8, global: 256 }

/** Calls of one client that may wait; more are rejected at once. */
const MAX_WAITING = 64

/** The connections of one upstream. */
export class ConnectionSlots {
  readonly max: number
  used = 0

  constructor(max: number) {
    this.max = max
  }
}

interface WaitingCall {
  readonly slots: ConnectionSlots
  readonly go: () => void
}

/** A client with calls in progress or waiting. */
interface ClientQueue {
  used: number
  readonly waiting: WaitingCall[]
}

export class ConcurrencyLimiter {
  readonly #limits: ConcurrencyLimits
  readonly #clock: Clock
  /** In the order of their turns. */
  readonly #queues = new Map<Client, ClientQueue>()
  #used = 0
  #waiting = 0

  constructor(limits: ConcurrencyLimits = DEFAULT_CONCURRENCY, clock: Clock = CLOCK) {
    this.#limits = limits
    this.#clock = clock
  }

  /** Calls in progress, and calls that wait. */
  get count(): { readonly used: number; readonly waiting: number } {
    return { used: this.#used, waiting: this.#waiting }
  }

  /** Takes a slot without waiting; `release` gives it back. @returns whether one was free */
  tryAcquire(client: Client, slots: ConnectionSlots): boolean {
    let queue = this.#queues.get(client)
    // A call does not overtake those of the same client that wait already.
    if (queue !== undefined && queue.waiting.length > 0) return false
    if (!this.#hasRoom(client, queue?.used ?? 0, slots)) return false
    if (queue === undefined) this.#queues.set(client, (queue = { used: 0, waiting: [] }))
    this.#take(queue, slots)
    return true
  }

  /**
   * Waits for a slot, which is taken when this resolves to true; `release` gives it back.
   * @param waitMs  the longest wait, ms
   * @param scope   stops waiting when it is cancelled
   * @returns false if none came free in time, or too many of the client's calls wait already
   */
  acquire(
    client: Client,
    slots: ConnectionSlots,
    waitMs: number,
    scope: CancellationScope | null,
  ): Promise<boolean> {
    let queue = this.#queues.get(client)
    if (queue === undefined) this.#queues.set(client, (queue = { used: 0, waiting: [] }))
    const { waiting } = queue
    if (waiting.length >= MAX_WAITING) return Promise.resolve(false)
    return new Promise((resolve) => {
      const settle = (isAcquired: boolean): void => {
        cancelTimer()
        scope?.unwatch(watcher)
        resolve(isAcquired)
      }
      const call: WaitingCall = { slots, go: () => settle(true) }
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(call), 1)
        this.#waiting--
        this.#forget(client)
        settle(false)
      }
      const watcher = { cancel: giveUp }
      const cancelTimer = this.#clock.after(waitMs, giveUp)
      waiting.push(call)
      this.#waiting++
      scope?.watch(watcher)
    })
  }

  /** Gives a slot back; the next call in turn takes it. */
  release(client: Client, slots: ConnectionSlots): void {
    this.#used--
    slots.used--
    this.#queues.get(client)!.used--
    this.#admitWaiting()
    this.#forget(client)
  }

  /**
   * Takes one of the client's own slots for something long that is no call, such
   * as an event stream, even if none is free: the client's next calls wait then.
   * It counts neither towards `global` nor for an upstream.
   */
  acquireOwn(client: Client): void {
    const queue = this.#queues.get(client)
    if (queue === undefined) this.#queues.set(client, { used: 1, waiting: [] })
    else queue.used++
  }

  releaseOwn(client: Client): void {
    this.#queues.get(client)!.used--
    this.#admitWaiting()
    this.#forget(client)
  }

  /** One slot may let two calls begin: one of the same client, and another client's at the same upstream. */
  #admitWaiting(): void {
    while (this.#waiting > 0 && this.#admitNext()) {}
  }

  /** Admits a call of the first queue that has one which can begin. @returns whether there was one */
  #admitNext(): boolean {
    for (const [client, queue] of this.#queues) {
      const at = queue.waiting.findIndex(({ slots }) => this.#hasRoom(client, queue.used, slots))
      if (at === -1) continue
      const [next] = queue.waiting.splice(at, 1)
      this.#waiting--
      this.#take(queue, next!.slots)
      // To the end: the other queues have their turns before it.
      this.#queues.delete(client)
      this.#queues.set(client, queue)
      next!.go()
      return true
    }
    return false
  }

  #hasRoom(client: Client, used: number, slots: ConnectionSlots): boolean {
    return (
      this.#used < this.#limits.global &&
      slots.used < slots.max &&
      (client === GATEWAY || used < this.#limits.client)
    )
  }

  #take(queue: ClientQueue, slots: ConnectionSlots): void {
    queue.used++
    slots.used++
    this.#used++
  }

  #forget(client: Client): void {
    const queue = this.#queues.get(client)
    if (queue !== undefined && queue.used === 0 && queue.waiting.length === 0) this.#queues.delete(client)
  }
}
