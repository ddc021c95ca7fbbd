/**
 * Replies that were written but not read by their clients yet: each has a deadline, and counts towards the
 * bytes held for its client. If there is no room for those, a reply is dropped, and the connection with it.
 */
import type { ByteHolding, HeldBytes } from '../../flow/held-bytes.ts'
import type { Pieces } from '../../flow/pieces.ts'
import type { Exchange } from '../request/exchange.ts'

interface Unread {
  readonly holding: ByteHolding
  readonly sinceMs: number
}

interface UnreadOptions {
  readonly held: HeldBytes
  readonly timeoutMs: number
  /** Closes an exchange's connection, and releases the replies on it. */
  readonly drop: (exchange: Exchange) => void
}

export class UnreadReplies {
  readonly #options: UnreadOptions
  /** The oldest first. */
  readonly #unread = new Map<Exchange, Unread>()

  constructor(options: UnreadOptions) {
    this.#options = options
  }

  /**
   * @param bytes   the memory that only this reply needs
   * @param shared  memory that it shares with other replies; null for none, or if it outlives them
   */
  hold(exchange: Exchange, bytes: number, shared: Pieces | null, nowMs: number): void {
    const { held, drop } = this.#options
    const holding = held.open(exchange.client, { flow: null, drop: () => drop(exchange) })
    this.#unread.set(exchange, { holding, sinceMs: nowMs })
    holding.add(bytes)
    if (shared !== null) holding.share(shared)
  }

  release(exchange: Exchange): void {
    const unread = this.#unread.get(exchange)
    if (unread === undefined) return
    this.#unread.delete(exchange)
    unread.holding.close()
  }

  /** Drops the replies whose deadline has passed. */
  expire(nowMs: number): void {
    for (const [exchange, { sinceMs }] of this.#unread) {
      if (nowMs - sinceMs < this.#options.timeoutMs) return
      this.#options.drop(exchange)
    }
  }
}
