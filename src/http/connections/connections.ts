/**
 * The client connections of one server: their limits, the exchanges on each, and which are closed to make
 * room.
 *
 * A connection is idle while no request on it waits for its reply, and no reply waits to be read. At the
 * limit, the connection that has been idle longest is closed for a new one; the new one is refused if none is
 * idle. So a client that holds connections open without using them only displaces other idle ones.
 *
 * A connection on which one request after another is shed is read less often: a client that ignores
 * `Retry-After` waits anyway.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { HeldBytes } from '../../flow/held-bytes.ts'
import type { Pieces } from '../../flow/pieces.ts'
import type { Clock } from '../../runtime/clock.ts'
import { addToCount } from '../../runtime/lists.ts'
import { SHED } from '../reply/reply.ts'
import { announcedBytes } from '../request/body.ts'
import type { Carrier, Exchange } from '../request/exchange.ts'
import type { ServerLimits } from './limits.ts'
import { ignoreRest, stopReading } from './node-parser.ts'
import { UnreadReplies } from './unread.ts'

/** Requests shed in a row, from which on a connection rests after each further one. */
const MAX_SHED = 8
const REST_MS = 250

/** How many connections were closed or refused since the last report, by reason. */
const NONE_CLOSED = {
  /** New ones without room, and those with too many pipelined requests. */
  refused: 0,
  /** Closed for a new one, or idle for too long. */
  idle: 0,
  /** Closed because their replies were not read. */
  unread: 0,
}
export type Closed = typeof NONE_CLOSED

export interface ConnectionsOptions {
  readonly limits: ServerLimits
  readonly clock: Clock
  /** What is held for clients, here and elsewhere. */
  readonly held: HeldBytes
  /** The client that a socket's address counts for; null for a trusted proxy, which is not counted. */
  readonly peerOf: (address: string | undefined) => string | null
  /** Refuses a socket without room, and closes it. */
  readonly refuse: (socket: Socket) => void
  /** Called by `sweep` if connections were closed since the last time. */
  readonly onClosed: (closed: Closed, open: number) => void
}

/** One socket, and the exchanges on it. */
export class ClientConnection implements Carrier {
  readonly socket: Socket
  readonly peer: string | null
  /** In the order of their replies. */
  readonly exchanges = new Set<Exchange>()
  /** Whether its WebSocket has subscriptions, so that it is not idle. */
  isAwaited = false
  /** When it became idle, while it has no exchanges; monotonic, ms. */
  idleSinceMs: number
  /** Whether its last request has arrived: nothing after it is read. */
  isEnding = false
  /** The bytes received when it became idle: more of them are a new request. */
  idleBytes = 0
  /** Requests that were shed since the last admitted one. */
  shed = 0
  #isIgnored = false
  #isResting = false
  readonly #connections: ClientConnections

  constructor(socket: Socket, peer: string | null, nowMs: number, connections: ClientConnections) {
    this.socket = socket
    this.peer = peer
    this.idleSinceMs = nowMs
    this.#connections = connections
  }

  get isBusy(): boolean {
    return this.isAwaited || this.exchanges.size > 0
  }

  /** The last request has arrived: nothing after it is read. */
  ignoreRest(): void {
    this.isEnding = true
    if (this.#isIgnored) return
    this.#isIgnored = true
    ignoreRest(this.socket)
  }

  /** Reads nothing for a while. */
  rest(clock: Clock): void {
    if (this.#isResting || this.#isIgnored) return
    this.#isResting = true
    const readOn = stopReading(this.socket)
    clock.after(REST_MS, () => {
      this.#isResting = false
      if (!this.#isIgnored) readOn()
    })
  }

  isLast(exchange: Exchange): boolean {
    const { request } = exchange
    if (!request.complete && announcedBytes(request) > 0) return false
    let last: Exchange | undefined
    for (last of this.exchanges);
    return last === exchange
  }

  settle(exchange: Exchange, bytes: number, shared: Pieces | null): void {
    this.#connections.settle(this, exchange, bytes, shared)
  }

  drop(exchange: Exchange): void {
    this.#connections.drop(exchange)
  }
}

export class ClientConnections {
  readonly #options: ConnectionsOptions
  readonly #open = new Map<Socket, ClientConnection>()
  readonly #counts = new Map<string, number>()
  readonly #unread: UnreadReplies
  #closed: Closed = { ...NONE_CLOSED }
  // Set by each sweep, so that a request costs no reading of the clock.
  #nowMs: number

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.#nowMs = options.clock.now()
    this.#unread = new UnreadReplies({
      held: options.held,
      timeoutMs: options.limits.replyTimeoutMs,
      drop: (exchange) => this.drop(exchange),
    })
  }

  /** Accepts a new socket, or refuses it. */
  accept(socket: Socket): void {
    const { limits, clock, peerOf, refuse } = this.#options
    const peer = peerOf(socket.remoteAddress)
    const isOverPeer = peer !== null && (this.#counts.get(peer) ?? 0) >= limits.maxConnectionsPerPeer
    const isFull = isOverPeer || this.#open.size >= limits.maxConnections
    if (isFull && !this.#makeRoom(isOverPeer ? peer : null)) {
      this.#closed.refused++
      refuse(socket)
      return
    }
    const connection = new ClientConnection(socket, peer, clock.now(), this)
    this.#open.set(socket, connection)
    if (peer !== null) addToCount(this.#counts, peer, 1)
    socket.once('close', () => this.#forget(connection))
  }

  /**
   * The connection that another exchange may begin on; null if it was refused or closed while the request was
   * on its way, is closing after an earlier one, or has too many pipelined requests.
   */
  admit(socket: Socket): ClientConnection | null {
    const connection = this.#open.get(socket)
    if (connection === undefined || connection.isEnding) return null
    if (connection.exchanges.size < this.#options.limits.maxPipelined) return connection
    this.#closed.refused++
    this.#close(connection)
    return null
  }

  /** @returns undefined for a socket that was refused or is closed */
  of(socket: Socket): ClientConnection | undefined {
    return this.#open.get(socket)
  }

  /** Notes activity on a WebSocket. @param isAwaited  false: it is idle from now on */
  keep(connection: ClientConnection, isAwaited: boolean): void {
    connection.isAwaited = isAwaited
    connection.idleSinceMs = this.#nowMs
  }

  /** Ends an exchange, once its reply is read if it has one. */
  settle(connection: ClientConnection, exchange: Exchange, bytes: number, shared: Pieces | null): void {
    const { response } = exchange
    if (exchange.gone || response.writableLength === 0) {
      this.#end(connection, exchange)
      return
    }
    response.once('finish', () => this.#end(connection, exchange))
    this.#unread.hold(exchange, bytes, shared, this.#nowMs)
  }

  /** Closes the connection of a client that does not read its replies. */
  drop({ request }: Exchange): void {
    const connection = this.#open.get(request.socket)
    if (connection === undefined) return
    this.#closed.unread++
    this.#close(connection)
  }

  /** Closes the idle connections on which no part of a request has come in. */
  closeIdle(): void {
    for (const connection of this.#open.values()) {
      const { isBusy, socket, idleBytes } = connection
      if (!isBusy && socket.bytesRead === idleBytes) this.#close(connection)
    }
  }

  closeAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy()
  }

  /** Closes connections that were idle for too long, or whose replies were. */
  sweep(): void {
    const { clock, limits, onClosed } = this.#options
    this.#nowMs = clock.now()
    // Blank lines restart node's keep-alive timeout, but aren't a request.
    const maxIdleMs = limits.keepAliveTimeoutMs + limits.headersTimeoutMs
    for (const connection of this.#open.values()) {
      if (connection.isBusy || this.#nowMs - connection.idleSinceMs < maxIdleMs) continue
      this.#closed.idle++
      this.#close(connection)
    }
    this.#unread.expire(this.#nowMs)
    const closed = this.#closed
    if (closed.refused + closed.idle + closed.unread === 0) return
    this.#closed = { ...NONE_CLOSED }
    onClosed(closed, this.#open.size)
  }

  #end(connection: ClientConnection, exchange: Exchange): void {
    this.#unread.release(exchange)
    connection.exchanges.delete(exchange)
    if (exchange.failure === SHED) this.#countShed(connection)
    else connection.shed = 0
    this.#becomesIdle(connection, exchange.request)
  }

  /** A proxy's connection serves many clients, and never rests. */
  #countShed(connection: ClientConnection): void {
    if (connection.peer !== null && ++connection.shed >= MAX_SHED) connection.rest(this.#options.clock)
  }

  #becomesIdle(connection: ClientConnection, request: IncomingMessage): void {
    connection.idleSinceMs = this.#nowMs
    const { socket } = connection
    connection.idleBytes = socket.bytesRead
    if (request.complete || announcedBytes(request) === 0) return
    // The reply came before the whole body, whose rest is discarded as it arrives.
    request.once('end', () => {
      connection.idleBytes = socket.bytesRead
    })
  }

  /**
   * Closes the connection that has been idle longest. @param peer  the client that it must belong to; null
   * for any
   */
  #makeRoom(peer: string | null): boolean {
    let longest: ClientConnection | null = null
    for (const connection of this.#open.values()) {
      if (connection.isBusy || (peer !== null && connection.peer !== peer)) continue
      if (longest === null || connection.idleSinceMs < longest.idleSinceMs) longest = connection
    }
    if (longest === null) return false
    this.#closed.idle++
    this.#close(longest)
    return true
  }

  #close(connection: ClientConnection): void {
    this.#forget(connection)
    ignoreRest(connection.socket)
    connection.socket.destroy()
  }

  #forget(connection: ClientConnection): void {
    const { socket, peer, exchanges } = connection
    if (!this.#open.delete(socket)) return
    if (peer !== null) addToCount(this.#counts, peer, -1)
    for (const exchange of exchanges) {
      this.#unread.release(exchange)
      exchange.leave()
    }
  }
}
