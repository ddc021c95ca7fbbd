/**
 * The event streams of one server: how many there may be, the sign of life that
 * each gets, who is cut off, and how they end.
 *
 * A stream holds one of its client's places for upstream calls, and at most half
 * of them go to streams, so that a client with all its streams still gets
 * quotes. It takes no place of those that all clients share: it asks nothing
 * upstream by itself, and else 64 clients could stop everybody for hours by
 * listening. All streams together have a bound of their own instead: once they
 * have reached it, a client with fewer than others takes the place of the newest of
 * a client that has the most, so that many streams of a few do not keep everybody out.
 *
 * Memory is bounded by streams, each with 64 KiB that its client has not read and
 * the event on top of them; the 128 MiB of unread replies do not count those.
 */

import type { Client } from '../runtime/cancellation.ts'
import type { Clock } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import type { EventStream, Events } from './events.ts'
import type { Exchange } from './exchange.ts'
import type { Replier } from './reply.ts'

/** Streams that may be open. */
export interface StreamLimits {
  readonly client: number
  readonly global: number
}

const MAX_PER_CLIENT = 4
export const MAX_STREAMS = 1_024

/**
 * How often those get a sign of life that got nothing else since the last time: something
 * is written within twice this, below the 30 s after which a quiet socket is closed.
 */
export const HEARTBEAT_MS = 12_000
/** Unread when another event comes; a snapshot of fifty prices is some 8 KiB. */
const MAX_UNREAD_BYTES = 65_536
/** As any reply: who has not read to the end at any heartbeat for so long never will. */
const MAX_BEHIND_MS = 120_000
/** After which a client comes back; spread, so that not all come at once. */
const RETRY_MS = { least: 2_000, spread: 3_000 }

const HEARTBEAT = Buffer.from(':\n\n')
const GOODBYE = Buffer.from(': the service is stopping; connect again\n\n')
const OUSTED = Buffer.from(
  ': there are too many streams, and you have more of them than others; connect later\n\n',
)

/** The places for upstream calls that clients share, as streams take them. */
interface ClientSlots {
  acquire(client: Client): void
  release(client: Client): void
}

/**
 * @param inFlight        of which a client's streams take half at most
 * @param maxConnections  of which all streams take half at most
 */
export function streamLimits(
  { client }: Readonly<Record<'client' | 'global', number>>,
  maxConnections: number,
  maxStreams: number = MAX_STREAMS,
): StreamLimits {
  return {
    client: Math.min(MAX_PER_CLIENT, Math.floor(client / 2)),
    global: Math.min(maxStreams, Math.floor(maxConnections / 2)),
  }
}

interface EventStreamsOptions {
  readonly limits: StreamLimits
  /** Where each takes one of its client's places. */
  readonly inFlight: ClientSlots
  readonly clock: Clock
}

export class EventStreams {
  readonly #options: EventStreamsOptions
  readonly #open = new Set<Stream>()
  /** The open ones of each client that has any, the newest last. */
  readonly #byClient = new Map<Client, Set<Stream>>()
  /** At [n], the clients that have n. */
  readonly #clientsByCount: Set<Client>[] = []
  /** Null while none is open: one timer serves all. */
  #callOff: (() => void) | null = null
  #isClosed = false

  constructor(options: EventStreamsOptions) {
    this.#options = options
  }

  /** How many are open. */
  get open(): number {
    return this.#open.size
  }

  /**
   * Begins a stream as the reply of an exchange.
   * @throws GatewayError  429 or 503, where there is no place for it
   * @throws whatever `events.begin` throws; nothing is written then
   */
  begin(exchange: Exchange, events: Events, replier: Replier): void {
    if (exchange.request.method === 'HEAD') {
      replier.beginStream(exchange)
      exchange.response.end()
      replier.endStream(exchange, 0)
      return
    }
    const { client } = exchange
    const ousted = this.#requireRoom(client)
    const stream = new Stream(exchange, replier, () => this.#leave(stream))
    this.#enter(stream)
    try {
      stream.begin(events, this.#options.clock.now())
    } catch (error) {
      this.#leave(stream)
      throw error
    }
    ousted?.dismiss(OUSTED)
    if (this.#isClosed) {
      stream.end(GOODBYE)
      return
    }
    this.#callOff ??= this.#options.clock.after(HEARTBEAT_MS, this.#beat)
  }

  /** Takes leave of all of them, and of whoever comes later: EventSource then connects again by itself, as after no error. */
  close(): void {
    this.#isClosed = true
    this.#callOff?.()
    for (const stream of this.#open) stream.dismiss(GOODBYE)
  }

  /** @returns the stream that makes room; null where there is room without */
  #requireRoom(client: Client): Stream | null {
    const { limits } = this.#options
    const count = this.#countOf(client)
    if (count >= limits.client) {
      const message = `Your address may have ${limits.client} event streams open at once. Close one, or ask for more in one of them.`
      throw new GatewayError('too_many_streams', message)
    }
    if (this.#open.size < limits.global) return null
    // Two more, so that none is ousted by whom it would oust in turn.
    for (let most = limits.client; most >= count + 2; most--) {
      const [other] = this.#clientsByCount[most] ?? []
      if (other !== undefined) return [...this.#byClient.get(other)!].at(-1)!
    }
    throw new GatewayError('overloaded', 'There are too many event streams in all. Try again later.')
  }

  readonly #beat = (): void => {
    const nowMs = this.#options.clock.now()
    for (const stream of this.#open) stream.beat(nowMs)
    this.#callOff = this.#open.size === 0 ? null : this.#options.clock.after(HEARTBEAT_MS, this.#beat)
  }

  #countOf(client: Client): number {
    return this.#byClient.get(client)?.size ?? 0
  }

  #enter(stream: Stream): void {
    const { client } = stream
    this.#options.inFlight.acquire(client)
    this.#open.add(stream)
    const own = this.#byClient.get(client) ?? new Set()
    this.#byClient.set(client, own)
    this.#recount(client, own.size, own.add(stream).size)
  }

  #leave(stream: Stream): void {
    const { client } = stream
    this.#options.inFlight.release(client)
    this.#open.delete(stream)
    const own = this.#byClient.get(client)!
    const before = own.size
    own.delete(stream)
    if (own.size === 0) this.#byClient.delete(client)
    this.#recount(client, before, own.size)
  }

  #recount(client: Client, before: number, count: number): void {
    this.#clientsByCount[before]?.delete(client)
    if (count > 0) (this.#clientsByCount[count] ??= new Set()).add(client)
  }
}

class Stream implements EventStream {
  readonly client: Client
  readonly lastEventId: string | null
  readonly #exchange: Exchange
  readonly #replier: Replier
  readonly #onOver: () => void
  /** What is sent before the header is written; null from then on. */
  #first: Buffer[] | null = []
  #whenOver: (() => void) | null = null
  #bytes = 0
  /** Whether nothing was written since the last beat. */
  #isQuiet = false
  /** When the client was last seen to have read everything; monotonic, ms. */
  #currentAt = 0
  #isOver = false

  constructor(exchange: Exchange, replier: Replier, onOver: () => void) {
    this.#exchange = exchange
    this.#replier = replier
    this.#onOver = onOver
    this.client = exchange.client
    const { 'last-event-id': id } = exchange.request.headers
    this.lastEventId = typeof id === 'string' && id !== '' ? id : null
  }

  begin(events: Events, nowMs: number): void {
    this.#currentAt = nowMs
    this.#whenOver = events.begin(this)
    const first = this.#first!
    this.#first = null
    const retryMs = RETRY_MS.least + Math.floor(Math.random() * RETRY_MS.spread)
    this.#replier.beginStream(this.#exchange)
    this.#exchange.onGone(() => this.#conclude())
    this.#write(Buffer.concat([Buffer.from(`retry: ${retryMs}\n\n`), ...first]))
  }

  send(event: Buffer): void {
    if (this.#isOver) return
    if (this.#first !== null) this.#first.push(event)
    else if (this.unread > MAX_UNREAD_BYTES) this.drop()
    else this.#write(event)
  }

  beat(nowMs: number): void {
    if (this.unread === 0) this.#currentAt = nowMs
    if (nowMs - this.#currentAt >= MAX_BEHIND_MS) this.drop()
    else if (this.#isQuiet) this.send(HEARTBEAT)
    this.#isQuiet = true
  }

  drop(): void {
    this.#exchange.drop()
  }

  end(comment: Buffer): void {
    this.#write(comment)
    this.#exchange.response.end()
    this.#conclude()
  }

  /** Whoever does not read what it got would not read the comment either, and keep the place. */
  dismiss(comment: Buffer): void {
    if (this.unread > 0) this.drop()
    else this.end(comment)
  }

  /** Bytes that the system has not taken: those that it has are bounded by itself. */
  get unread(): number {
    return this.#exchange.response.writableLength
  }

  #write(bytes: Buffer): void {
    // The client closed its side, and the server is about to close the other.
    if (!this.#exchange.request.socket.writable) return
    this.#bytes += bytes.length
    this.#isQuiet = false
    this.#exchange.response.write(bytes)
  }

  #conclude(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#onOver()
    this.#replier.endStream(this.#exchange, this.#bytes)
    this.#whenOver!()
  }
}
