/**
 * The connections of one server: how many there may be, what is under way on
 * each, and which are closed so that others have room.
 *
 * A connection is idle while no request on it waits for its answer, and no
 * answer for its reader. Where there are too many, the one that has been idle
 * longest makes room for a new one; a new one is refused where none is idle. So
 * whoever holds connections open without asking anything only takes the place
 * of others who do the same.
 */
import type { Socket } from 'node:net'
import type { Clock } from '../runtime/clock.ts'
import { announcedBytes } from './body.ts'
import type { Carrier, Exchange } from './exchange.ts'
import type { ServerLimits } from './limits.ts'
import { UnreadReplies } from './unread.ts'

/** How many were closed or refused since the last report, by reason. */
export interface Closed {
  /** New ones, where there was no room, and those that asked for too much at once. */
  refused: number
  /** Idle ones that made room for others, or were idle too long. */
  idle: number
  /** Those that did not read their replies. */
  unread: number
}

export interface ConnectionsOptions {
  readonly limits: ServerLimits
  readonly clock: Clock
  /** Whom a socket's address is counted for; null for a trusted proxy, which is not counted. */
  readonly peerOf: (address: string | undefined) => string | null
  /** Sends the refusal to a socket that there is no room for, and closes it. */
  readonly refuse: (socket: Socket) => void
  /** Called by `sweep` where something was closed since the last time. */
  readonly onClosed: (closed: Closed, open: number) => void
}

/** One socket, and what is under way on it. */
export class ClientConnection implements Carrier {
  readonly socket: Socket
  readonly peer: string | null
  /** In the order in which they are answered. */
  readonly exchanges = new Set<Exchange>()
  /** Something else is waited for on it. */
  isAwaited = false
  /** Since when it has been idle, where there are none; monotonic, ms. */
  idleSinceMs: number
  /** The answer that was given is the last, and the rest of its request is not read. */
  isEnding = false
  /** How many bytes had come in when it became idle: more are a request that begins. */
  idleBytes = 0
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

  isLast(exchange: Exchange): boolean {
    const { request } = exchange
    if (!request.complete && announcedBytes(request) > 0) return false
    let last: Exchange | undefined
    for (last of this.exchanges);
    return last === exchange
  }

  settle(exchange: Exchange, bytes: number): void {
    this.#connections.settle(this, exchange, bytes)
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
  #closed: Closed = { refused: 0, idle: 0, unread: 0 }
  // As of the last sweep: a request costs no reading of the clock.
  #nowMs: number

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.#nowMs = options.clock.now()
    const { maxUnreadBytes: maxBytes, replyTimeoutMs: timeoutMs } = options.limits
    this.#unread = new UnreadReplies({
      maxBytes,
      timeoutMs,
      drop: (exchange) => this.drop(exchange),
    })
  }

  /** Takes a new socket in, or refuses it. */
  accept(socket: Socket): void {
    const { limits, clock, peerOf, refuse } = this.#options
    const peer = peerOf(socket.remoteAddress)
    const isOverPeer = peer !== null && this.#countOf(peer) >= limits.maxConnectionsPerPeer
    const isFull = isOverPeer || this.#open.size >= limits.maxConnections
    if (isFull && !this.#makeRoom(isOverPeer ? peer : null)) {
      this.#closed.refused++
      refuse(socket)
      return
    }
    const connection = new ClientConnection(socket, peer, clock.now(), this)
    this.#open.set(socket, connection)
    if (peer !== null) this.#counts.set(peer, this.#countOf(peer) + 1)
    socket.once('close', () => this.#forget(connection))
  }

  /**
   * The connection that another exchange may begin on; null where it was
   * refused or given up while the request was on its way, or asks for too much at once.
   */
  admit(socket: Socket): ClientConnection | null {
    const connection = this.#open.get(socket)
    if (connection === undefined) return null
    if (connection.exchanges.size < this.#options.limits.maxPipelined) return connection
    this.#closed.refused++
    this.#close(connection)
    return null
  }

  /** @returns undefined for a socket that was refused, or is closed */
  of(socket: Socket): ClientConnection | undefined {
    return this.#open.get(socket)
  }

  /** Something came in on a connection that holds no exchanges. @param isAwaited  whether it is idle but for that */
  keep(connection: ClientConnection, isAwaited: boolean): void {
    connection.isAwaited = isAwaited
    connection.idleSinceMs = this.#nowMs
  }

  /** An exchange has its answer, or nobody waits for one any more. */
  settle(connection: ClientConnection, exchange: Exchange, bytes: number): void {
    const { response } = exchange
    if (exchange.gone || response.writableLength === 0) {
      this.#end(connection, exchange)
      return
    }
    response.once('finish', () => this.#end(connection, exchange))
    this.#unread.hold(exchange, bytes, this.#nowMs)
  }

  /** Closes the connection of a client that does not read what it gets. */
  drop({ request }: Exchange): void {
    const connection = this.#open.get(request.socket)
    if (connection === undefined) return
    this.#closed.unread++
    this.#close(connection)
  }

  /** Closes those that are idle, and that no part of a request has come in on. */
  closeIdle(): void {
    for (const connection of this.#open.values()) {
      const { isBusy, socket, idleBytes } = connection
      if (!isBusy && socket.bytesRead === idleBytes) this.#close(connection)
    }
  }

  /** Closes what has been idle, or unread, for too long. */
  sweep(): void {
    const { clock, limits, onClosed } = this.#options
    this.#nowMs = clock.now()
    // Blank lines reset node's patience with an idle connection, and are no request.
    const maxIdleMs = limits.keepAliveTimeoutMs + limits.headersTimeoutMs
    for (const connection of this.#open.values()) {
      if (connection.isBusy || this.#nowMs - connection.idleSinceMs < maxIdleMs) continue
      this.#closed.idle++
      this.#close(connection)
    }
    this.#unread.expire(this.#nowMs)
    const closed = this.#closed
    if (closed.refused + closed.idle + closed.unread === 0) return
    this.#closed = { refused: 0, idle: 0, unread: 0 }
    onClosed(closed, this.#open.size)
  }

  #countOf(peer: string): number {
    return this.#counts.get(peer) ?? 0
  }

  #end(connection: ClientConnection, exchange: Exchange): void {
    this.#unread.release(exchange)
    connection.exchanges.delete(exchange)
    connection.idleSinceMs = this.#nowMs
    const { socket } = connection
    connection.idleBytes = socket.bytesRead
    const { request } = exchange
    if (request.complete || announcedBytes(request) === 0) return
    // It was answered early, and what is left of its body is thrown away as it comes.
    request.once('end', () => {
      connection.idleBytes = socket.bytesRead
    })
  }

  /** Closes the connection that has been idle longest. @param peer  null for anybody's */
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
    connection.socket.destroy()
  }

  #forget(connection: ClientConnection): void {
    const { socket, peer, exchanges } = connection
    if (!this.#open.delete(socket)) return
    if (peer !== null) {
      const left = this.#countOf(peer) - 1
      if (left === 0) this.#counts.delete(peer)
      else this.#counts.set(peer, left)
    }
    for (const exchange of exchanges) {
      this.#unread.release(exchange)
      exchange.leave()
    }
  }
}
