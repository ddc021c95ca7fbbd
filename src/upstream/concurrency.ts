/**
 * Upstream calls at one time, shared fairly: a client has a few, an upstream
 * has as many as it has connections, and all together are bounded. What has to
 * wait does so in its client's own line, and the lines take turns, so that a
 * client with sixty slow calls waits for itself.
 *
 *   client a: ▣▣▣▣▣▣▣▣ | a a a a a ...   its own eight are under way
 *   client b: ▣        | b               goes as soon as the upstream has room
 */

import { type CancellationScope, type Client, GATEWAY } from '../runtime/cancellation.ts'

export interface ConcurrencyLimits {
  /** Calls of one client; the gateway's own are only bounded with all others. */
  readonly client: number
  /** Calls of everybody. */
  readonly global: number
}

export const DEFAULT_CONCURRENCY: ConcurrencyLimits = { client: 8, global: 256 }

/** Calls of one client that may wait; more are refused at once. */
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

/** A client with calls under way or waiting. */
interface ClientQueue {
  used: number
  readonly waiting: WaitingCall[]
}

export class ConcurrencyLimiter {
  readonly #limits: ConcurrencyLimits
  /** In the order of their turns. */
  readonly #lines = new Map<Client, ClientQueue>()
  #used = 0
  #waiting = 0

  constructor(limits: ConcurrencyLimits = DEFAULT_CONCURRENCY) {
    this.#limits = limits
  }

  /** Calls under way, and calls that wait. */
  get count(): { readonly used: number; readonly waiting: number } {
    return { used: this.#used, waiting: this.#waiting }
  }

  /** Takes a place without waiting; each must be given back by `leave`. @returns whether there was one */
  enter(client: Client, slots: ConnectionSlots): boolean {
    let line = this.#lines.get(client)
    // Whoever waits already is not overtaken by a later call of the same client.
    if (line !== undefined && line.waiting.length > 0) return false
    if (!this.#hasRoom(client, line?.used ?? 0, slots)) return false
    if (line === undefined) this.#lines.set(client, (line = { used: 0, waiting: [] }))
    this.#take(line, slots)
    return true
  }

  /**
   * Waits for a place, which is taken when it resolves to true.
   * @param caller  stops waiting when it leaves
   * @returns false where none came free in time, or too many of the client's wait already
   */
  wait(
    client: Client,
    slots: ConnectionSlots,
    waitMs: number,
    scope: CancellationScope | null,
  ): Promise<boolean> {
    let line = this.#lines.get(client)
    if (line === undefined) this.#lines.set(client, (line = { used: 0, waiting: [] }))
    const { waiting } = line
    if (waiting.length >= MAX_WAITING) return Promise.resolve(false)
    return new Promise((resolve) => {
      const settle = (entered: boolean): void => {
        clearTimeout(timer)
        scope?.unwatch(leaving)
        resolve(entered)
      }
      const entry: WaitingCall = { slots, go: () => settle(true) }
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(entry), 1)
        this.#waiting--
        this.#forget(client)
        settle(false)
      }
      const leaving = { cancel: giveUp }
      const timer = setTimeout(giveUp, waitMs)
      waiting.push(entry)
      this.#waiting++
      scope?.watch(leaving)
    })
  }

  /**
   * Takes a client's place for something that it keeps open and that is no call,
   * whether one is free or not: its next calls wait then. It is none of the
   * places of all. Each must be given back by `vacate`.
   */
  acquire(client: Client): void {
    const line = this.#lines.get(client)
    if (line === undefined) this.#lines.set(client, { used: 1, waiting: [] })
    else line.used++
  }

  release(client: Client): void {
    this.#lines.get(client)!.used--
    this.#admitWaiting()
    this.#forget(client)
  }

  /** Gives a place back; the next in turn takes it. */
  leave(client: Client, slots: ConnectionSlots): void {
    this.#used--
    slots.used--
    this.#lines.get(client)!.used--
    this.#admitWaiting()
    this.#forget(client)
  }

  /** What was freed may let two begin: another call of the same client, and another client's at the same upstream. */
  #admitWaiting(): void {
    while (this.#waiting > 0 && this.#admitNext()) {}
  }

  /** Lets the first line that can go on have its turn. @returns whether there was one */
  #admitNext(): boolean {
    for (const [client, line] of this.#lines) {
      const at = line.waiting.findIndex(({ slots }) => this.#hasRoom(client, line.used, slots))
      if (at === -1) continue
      const [next] = line.waiting.splice(at, 1)
      this.#waiting--
      this.#take(line, next!.slots)
      // To the end: the others have their turn before it.
      this.#lines.delete(client)
      this.#lines.set(client, line)
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

  #take(line: ClientQueue, slots: ConnectionSlots): void {
    line.used++
    slots.used++
    this.#used++
  }

  #forget(client: Client): void {
    const line = this.#lines.get(client)
    if (line !== undefined && line.used === 0 && line.waiting.length === 0) this.#lines.delete(client)
  }
}
