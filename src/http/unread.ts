/**
 * Replies that were written, but not read by their clients yet: each has a
 * deadline, and all together have a bound. Past the bound, the client with the
 * most unread bytes loses its oldest reply, and the connection with it.
 */
import type { Exchange } from './exchange.ts'

interface Unread {
  readonly client: string
  readonly bytes: number
  readonly sinceMs: number
}

interface UnreadOptions {
  readonly maxBytes: number
  readonly timeoutMs: number
  /** Closes an exchange's connection, and releases the replies on it. */
  readonly drop: (exchange: Exchange) => void
}

export class UnreadReplies {
  readonly #options: UnreadOptions
  /** The oldest first. */
  readonly #held = new Map<Exchange, Unread>()
  #bytes = 0

  constructor(options: UnreadOptions) {
    this.#options = options
  }

  /** @param bytes  the memory that only this reply needs */
  hold(exchange: Exchange, bytes: number, nowMs: number): void {
    this.#held.set(exchange, { client: exchange.client, bytes, sinceMs: nowMs })
    this.#bytes += bytes
    while (this.#bytes > this.#options.maxBytes) this.#options.drop(this.#oldestOfGreediest())
  }

  release(exchange: Exchange): void {
    const unread = this.#held.get(exchange)
    if (unread === undefined) return
    this.#held.delete(exchange)
    this.#bytes -= unread.bytes
  }

  /** Drops the replies whose deadline has passed. */
  expire(nowMs: number): void {
    for (const [exchange, { sinceMs }] of this.#held) {
      if (nowMs - sinceMs < this.#options.timeoutMs) return
      this.#options.drop(exchange)
    }
  }

  #oldestOfGreediest(): Exchange {
    const byClient = new Map<string, number>()
    for (const { client, bytes } of this.#held.values()) {
      byClient.set(client, (byClient.get(client) ?? 0) + bytes)
    }
    const [greediest] = [...byClient].reduce((most, one) => (one[1] > most[1] ? one : most))
    for (const [exchange, { client }] of this.#held) if (client === greediest) return exchange
    throw new TypeError('no reply is held')
  }
}
