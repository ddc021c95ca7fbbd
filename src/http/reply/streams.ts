/**
 * The event streams of one server: their limits, heartbeats, and how they end.
 *
 * A stream holds one of its client's slots for upstream calls, and at most half of these go to streams, so
 * that a client with all its streams still gets quotes. It takes none of the slots that all clients share,
 * which only calls take while they run: otherwise 64 clients could block the service for hours by listening.
 * All streams together have a limit of their own instead. Once it is reached, a client with few streams
 * replaces the newest stream of the client with the most, so that a few clients cannot keep the others out.
 *
 * Memory is bounded by the number of streams: each has at most 64 KiB that its client has not read, and one
 * event more. The 128 MiB of unread replies do not include these.
 */

import type { Client } from '../../flow/cancellation.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { addToCount } from '../../runtime/lists.ts'
import type { Limit } from '../limit/budgets.ts'
import type { Exchange } from '../request/exchange.ts'
import type { EventStream, Events, Opening } from './events.ts'
import type { Replier } from './reply.ts'

/** How many streams may be open. */
export type StreamLimits = Limit

const MAX_PER_CLIENT = 4
export const MAX_STREAMS = 1_024

/**
 * How often a stream gets a heartbeat if it got nothing else since the last one: something is written
 * within twice this, below the 30 s after which a quiet socket is closed.
 */
export const HEARTBEAT_MS = 12_000
/** A stream with more unread bytes is closed at its next event; a snapshot of fifty prices is about 8 KiB. */
const MAX_UNREAD_BYTES = 65_536
/** As for any reply: a client that was behind at every heartbeat for this long never catches up. */
const MAX_BEHIND_MS = 120_000
/** When a client reconnects; with jitter, so that not all reconnect at once. */
const RETRY_MS = { least: 2_000, spread: 3_000 }

const HEARTBEAT = Buffer.from(':\n\n')
const GOODBYE = Buffer.from(': the service is stopping; connect again\n\n')
const REPLACED = Buffer.from(
  ': there are too many streams, and you have more of them than others; connect later\n\n',
)

/** The concurrency limiter of upstream calls, as streams use it. */
interface ClientSlots {
  acquireOwn(client: Client): void
  releaseOwn(client: Client): void
}

/**
 * @param slots           the concurrency limits; a client's streams take at most half of its slots
 * @param maxConnections  all streams take at most half of these
 */
export function streamLimits(
  slots: Limit,
  maxConnections: number,
  maxStreams: number = MAX_STREAMS,
): StreamLimits {
  return {
    client: Math.min(MAX_PER_CLIENT, Math.floor(slots.client / 2)),
    global: Math.min(maxStreams, Math.floor(maxConnections / 2)),
  }
}

interface EventStreamsOptions {
  readonly limits: StreamLimits
  /** Each stream takes one of its client's own slots. */
  readonly slots: ClientSlots
  readonly clock: Clock
}

export class EventStreams {
  readonly #options: EventStreamsOptions
  readonly #open = new Set<Stream>()
  /** The open streams of each client that has any, the newest last. */
  readonly #byClient = new Map<Client, Set<Stream>>()
  /** At index n, the clients that have n streams. */
  readonly #clientsByCount: Set<Client>[] = []
  /** Streams of each client that are being opened. */
  readonly #opening = new Map<Client, number>()
  /** Stops the one timer of all streams; null while none is open. */
  #callOff: (() => void) | null = null
  #isClosed = false

  constructor(options: EventStreamsOptions) {
    this.#options = options
  }

  /** How many streams are open. */
  get open(): number {
    return this.#open.size
  }

  /**
   * Begins a stream as the reply of an exchange.
   * @throws GatewayError  429 or 503, if a limit is reached
   * @throws what `events.begin` throws; nothing is written then
   */
  begin(exchange: Exchange, events: Events, replier: Replier): void {
    if (exchange.request.method === 'HEAD') {
      this.answerHead(exchange, replier)
      return
    }
    const { client } = exchange
    const replaced = this.#requireRoom(client)
    const stream = new Stream(exchange, replier, () => this.#leave(stream))
    this.#enter(stream)
    try {
      stream.begin(events, this.#options.clock.now())
    } catch (error) {
      this.#leave(stream)
      throw error
    }
    replaced?.dismiss(REPLACED)
    if (this.#isClosed) {
      stream.end(GOODBYE)
      return
    }
    this.#callOff ??= this.#options.clock.after(HEARTBEAT_MS, this.#beat)
  }

  answerHead(exchange: Exchange, replier: Replier): void {
    replier.beginStream(exchange)
    exchange.response.end()
    replier.endStream(exchange, 0)
  }

  /**
   * Opens events, and reserves a slot for their stream until they begin or fail.
   * @throws GatewayError  as `begin`, before anything is opened
   */
  async holdingPlace(client: Client, open: Opening['open']): Promise<Events | null> {
    this.#requireRoom(client)
    addToCount(this.#opening, client, 1)
    try {
      return await open()
    } finally {
      addToCount(this.#opening, client, -1)
    }
  }

  /** Ends all streams, and those that begin later: EventSource then reconnects by itself. */
  close(): void {
    this.#isClosed = true
    this.#callOff?.()
    for (const stream of this.#open) stream.dismiss(GOODBYE)
  }

  /** @returns the stream to replace; null if there is room */
  #requireRoom(client: Client): Stream | null {
    const { limits } = this.#options
    const count = (this.#byClient.get(client)?.size ?? 0) + (this.#opening.get(client) ?? 0)
    if (count >= limits.client) {
      const message = `Your address may have ${limits.client} event streams open at once. Close one, or ask for more in one of them.`
      throw new GatewayError('too_many_streams', message)
    }
    if (this.#open.size < limits.global) return null
    // At least two more, so that the two clients do not replace each other's streams in turn.
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

  #enter(stream: Stream): void {
    const { client } = stream
    this.#options.slots.acquireOwn(client)
    this.#open.add(stream)
    const own = this.#byClient.get(client) ?? new Set()
    this.#byClient.set(client, own)
    this.#recount(client, own.size, own.add(stream).size)
  }

  #leave(stream: Stream): void {
    const { client } = stream
    this.#options.slots.releaseOwn(client)
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
  /** Events sent before the header is written; null from then on. */
  #first: Buffer[] | null = []
  #whenOver: (() => void) | null = null
  #bytes = 0
  /** Whether nothing was written since the last heartbeat. */
  #isQuiet = false
  /** When the client was last seen to have read everything; monotonic, ms. */
  #currentAt = 0
  #isOver = false
  #isFinished = false

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
    const bytes = Buffer.concat([Buffer.from(`retry: ${retryMs}\n\n`), ...first])
    if (this.#isFinished) this.end(bytes)
    else this.#write(bytes)
  }

  send(event: Buffer): void {
    if (this.#isOver) return
    if (this.#first !== null) this.#first.push(event)
    else if (this.unread > MAX_UNREAD_BYTES) this.drop()
    else this.#write(event)
  }

  whenRoom(callback: () => void): void {
    const { response } = this.#exchange
    if (response.writableNeedDrain) response.once('drain', callback)
    else callback()
  }

  finish(event: Buffer): void {
    if (this.#first !== null) {
      this.#first.push(event)
      this.#isFinished = true
    } else if (this.#exchange.response.writableNeedDrain) this.drop()
    else this.end(event)
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

  end(last: Buffer): void {
    if (this.#isOver) return
    this.#write(last)
    this.#exchange.response.end()
    this.#conclude()
  }

  /**
   * Ends the stream after these bytes; if its client does not read, it is closed at once, or it would keep
   * its slot.
   */
  dismiss(last: Buffer): void {
    if (this.#isOver) return
    if (this.unread > 0) this.drop()
    else this.end(last)
  }

  /** Bytes that the operating system has not taken; its own buffer is bounded. */
  get unread(): number {
    return this.#exchange.response.writableLength
  }

  #write(bytes: Buffer): void {
    // The client closed its side, and the server is about to close its own.
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
