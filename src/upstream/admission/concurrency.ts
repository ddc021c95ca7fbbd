/**
 * The concurrency limiter of upstream calls. A client has a few slots, an
 * upstream has as many as it has connections, and all calls together are
 * bounded. A call that finds no slot waits in its client's queue, and the queues
 * take turns: a client with sixty slow calls delays only itself.
 *
 *   client a: ▣▣▣▣▣▣▣▣ | a a a a a ...   its own eight are in progress
 *   client b: ▣        | b               goes as soon as the upstream has a slot
 */

import { type Cancellable, type CancellationScope, type Client, GATEWAY } from '../../flow/cancellation.ts'
import type { Limit } from '../../http/limit/budgets.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { getOrInsert } from '../../runtime/lists.ts'

/** Concurrent calls; the gateway's own count towards `global` only. */
export type ConcurrencyLimits = Limit

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

/** Called once with the outcome of a wait. @param isAcquired  whether the call has its slot */
type OnSettled = (isAcquired: boolean) => void

/** What a call waits for. */
export interface SlotWait {
  readonly client: Client
  readonly slots: ConnectionSlots
  /** The longest wait, ms. */
  readonly waitMs: number
  /** Stops waiting when it is cancelled. */
  readonly scope: CancellationScope | null
  readonly onSettled: OnSettled
}

/** A call that waits for a slot, until its scope is cancelled. */
class WaitingCall implements Cancellable {
  readonly wait: SlotWait
  /** Monotonic, ms. */
  readonly expiresAt: number
  readonly #limiter: ConcurrencyLimiter

  constructor(limiter: ConcurrencyLimiter, wait: SlotWait, nowMs: number) {
    this.#limiter = limiter
    this.wait = wait
    this.expiresAt = nowMs + wait.waitMs
  }

  cancel(): void {
    this.#limiter.giveUp(this)
  }
}

/** A client with calls in progress or waiting. */
interface ClientQueue {
  readonly client: Client
  used: number
  readonly waiting: WaitingCall[]
}

export class ConcurrencyLimiter {
  readonly #limits: ConcurrencyLimits
  readonly #clock: Clock
  readonly #queues = new Map<Client, ClientQueue>()
  /** Queues with waiting calls, in the order of their turns. */
  readonly #turns = new Set<ClientQueue>()
  #used = 0
  #waiting = 0
  /** One timer for all waiting calls: it fires when the first of them has waited long enough. */
  #timerAt = Infinity
  #cancelTimer: () => void = () => {}

  constructor(limits: ConcurrencyLimits = DEFAULT_CONCURRENCY, clock: Clock = CLOCK) {
    this.#limits = limits
    this.#clock = clock
  }

  /** Calls in progress, and calls that wait. */
  get count(): { readonly used: number; readonly waiting: number } {
    return { used: this.#used, waiting: this.#waiting }
  }

  /** Clients with calls in progress or waiting, and those with waiting calls: all others are forgotten. */
  get clients(): { readonly known: number; readonly waiting: number } {
    return { known: this.#queues.size, waiting: this.#turns.size }
  }

  /** Takes a slot without waiting; `release` gives it back. @returns whether one was free */
  tryAcquire(client: Client, slots: ConnectionSlots): boolean {
    const queue = this.#queues.get(client)
    // A call does not overtake waiting calls of the same client.
    if (queue !== undefined && queue.waiting.length > 0) return false
    if (!this.#hasRoom(client, queue?.used ?? 0, slots)) return false
    this.#take(this.#queueOf(client), slots)
    return true
  }

  /**
   * Waits for a slot, which is taken when the callback says so; `release` gives it back. There is none if
   * none came free in time, or if too many of the client's calls are waiting.
   */
  acquire(wait: SlotWait): void {
    const { client, scope, onSettled } = wait
    const queue = this.#queueOf(client)
    if (queue.waiting.length >= MAX_WAITING) {
      onSettled(false)
      return
    }
    const call = new WaitingCall(this, wait, this.#clock.now())
    queue.waiting.push(call)
    this.#turns.add(queue)
    this.#waiting++
    scope?.watch(call)
    if (call.expiresAt < this.#timerAt) this.#setTimer(call.expiresAt)
  }

  /** Whether another client's call waits only for one of these. */
  isWaitedFor(slots: ConnectionSlots, client: Client): boolean {
    if (slots.used < slots.max) return false
    return [...this.#turns].some(
      (queue) => queue.client !== client && queue.waiting.some((call) => call.wait.slots === slots),
    )
  }

  /** Stops waiting without a slot. */
  giveUp(call: WaitingCall): void {
    const queue = this.#queues.get(call.wait.client)!
    queue.waiting.splice(queue.waiting.indexOf(call), 1)
    if (queue.waiting.length === 0) this.#turns.delete(queue)
    this.#forget(queue)
    this.#settle(call, false)
  }

  #settle(call: WaitingCall, isAcquired: boolean): void {
    this.#waiting--
    call.wait.scope?.unwatch(call)
    if (this.#waiting === 0) this.#setTimer(Infinity)
    call.wait.onSettled(isAcquired)
  }

  #setTimer(at: number): void {
    this.#cancelTimer()
    this.#timerAt = at
    this.#cancelTimer =
      at === Infinity ? () => {} : this.#clock.after(at - this.#clock.now(), () => this.#expire())
  }

  /** Ends the waits that have lasted long enough, and schedules the next. */
  #expire(): void {
    const nowMs = this.#clock.now()
    const calls = [...this.#turns].flatMap(({ waiting }) => waiting)
    // A timer may fire a fraction of a millisecond early.
    const due = calls.filter(({ expiresAt }) => expiresAt - nowMs < 1)
    const next = Math.min(...calls.map(({ expiresAt }) => (expiresAt - nowMs < 1 ? Infinity : expiresAt)))
    this.#setTimer(next)
    for (const call of due) this.giveUp(call)
  }

  /** Gives a slot back; the next call in turn takes it. */
  release(client: Client, slots: ConnectionSlots): void {
    this.#used--
    slots.used--
    this.releaseOwn(client)
  }

  /**
   * Takes one of the client's own slots for something long that isn't a call, such as an event stream, even
   * if none is free: the client's next calls then wait. It counts neither towards `global` nor for an
   * upstream.
   */
  acquireOwn(client: Client): void {
    this.#queueOf(client).used++
  }

  releaseOwn(client: Client): void {
    const queue = this.#queues.get(client)!
    queue.used--
    this.#admitWaiting()
    this.#forget(queue)
  }

  /**
   * One slot may let two calls begin: one of the same client, and one of another client at the same upstream.
   */
  #admitWaiting(): void {
    while (this.#waiting > 0 && this.#admitNext()) {}
  }

  /** Admits a call of the first queue that has one ready. @returns whether there was one */
  #admitNext(): boolean {
    for (const queue of this.#turns) {
      const at = this.#indexOfReady(queue)
      if (at === -1) continue
      const [next] = queue.waiting.splice(at, 1)
      this.#take(queue, next!.wait.slots)
      // To the end: the other queues have their turns first.
      this.#turns.delete(queue)
      if (queue.waiting.length > 0) this.#turns.add(queue)
      this.#settle(next!, true)
      return true
    }
    return false
  }

  /** The first call of a queue that can begin; -1 if there is none. */
  #indexOfReady({ client, used, waiting }: ClientQueue): number {
    for (let i = 0; i < waiting.length; i++) if (this.#hasRoom(client, used, waiting[i]!.wait.slots)) return i
    return -1
  }

  #hasRoom(client: Client, used: number, slots: ConnectionSlots): boolean {
    return (
      this.#used < this.#limits.global &&
      slots.used < slots.max &&
      (client === GATEWAY || used < this.#limits.client)
    )
  }

  #queueOf(client: Client): ClientQueue {
    return getOrInsert(this.#queues, client, () => ({ client, used: 0, waiting: [] }))
  }

  #take(queue: ClientQueue, slots: ConnectionSlots): void {
    queue.used++
    slots.used++
    this.#used++
  }

  #forget(queue: ClientQueue): void {
    if (queue.used === 0 && queue.waiting.length === 0) this.#queues.delete(queue.client)
  }
}
