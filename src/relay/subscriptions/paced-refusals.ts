/**
 * Refusals of subscriptions, one a second for each client, over all its
 * connections. @solana/web3.js 1.x subscribes again as soon as it is refused, for
 * as long as the process lives.
 *
 *   refused   a         b c              (b again)
 *   answered  a ── 1 s ── b ── 1 s ── c ── 1 s ── b
 */
import type { Client } from '../../flow/cancellation.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'

const EVERY_MS = 1_000
/** The most waiting refusals of one client; a connection that adds one more is closed. */
const MAX_WAITING = 100

interface WaitingRefusal {
  /** The connection. */
  readonly of: object
  readonly send: () => void
}

/** A client that was answered within the last second. */
interface PacedClient {
  readonly waiting: WaitingRefusal[]
  callOff: () => void
}

export class PacedRefusals {
  readonly #clock: Clock
  readonly #clients = new Map<Client, PacedClient>()

  constructor(clock: Clock = CLOCK) {
    this.#clock = clock
  }

  /** Clients that were refused within the last second, or have waiting refusals. */
  get size(): number {
    return this.#clients.size
  }

  /**
   * Sends a refusal now, or in its turn.
   * @param of  the connection, which takes its refusals back when it closes
   * @returns false if too many of the client's are already waiting
   */
  add(client: Client, of: object, send: () => void): boolean {
    const paced = this.#clients.get(client)
    if (paced !== undefined) return paced.waiting.length < MAX_WAITING && paced.waiting.push({ of, send }) > 0
    const fresh: PacedClient = { waiting: [], callOff: () => {} }
    this.#clients.set(client, fresh)
    this.#rest(client, fresh)
    send()
    return true
  }

  /** Takes back the refusals of a connection. */
  takeBack(client: Client, of: object): void {
    const waiting = this.#clients.get(client)?.waiting ?? []
    for (let at = waiting.length - 1; at >= 0; at--) if (waiting[at]!.of === of) waiting.splice(at, 1)
  }

  close(): void {
    for (const { callOff } of this.#clients.values()) callOff()
    this.#clients.clear()
  }

  #rest(client: Client, paced: PacedClient): void {
    paced.callOff = this.#clock.after(EVERY_MS, () => {
      const next = paced.waiting.shift()
      if (next === undefined) {
        this.#clients.delete(client)
        return
      }
      this.#rest(client, paced)
      next.send()
    })
  }
}
