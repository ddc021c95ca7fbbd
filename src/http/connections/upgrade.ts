/**
 * Upgrades to a WebSocket: a request becomes one if it asks for it at the one path that has one, in HTTP/1.1.
 * As HTTP says, any other request that offers an upgrade is an ordinary one, and it is the last on its
 * connection; Java's HttpClient offers h2c with every request.
 *
 * Source: RFC 9110 §7.8 · RFC 6455 §4.2.1
 */
import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Client } from '../../flow/cancellation.ts'
import { type Code, GatewayError } from '../../runtime/errors.ts'
import type { Shedding } from '../overload/shedding.ts'
import { type Replier, SHED } from '../reply/reply.ts'
import type { ClientAccounts } from '../request/exchange.ts'
import { faultOfHead } from '../request/head.ts'
import type { ClientConnections } from './connections.ts'
import type { SocketReplies } from './socket-replies.ts'

/** A connection whose client asks for a WebSocket; its head has passed the checks of any request. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  /** Bytes that came behind the head. */
  readonly head: Buffer
  readonly client: Client
  /** Notes activity. @param isAwaited  false: the connection is idle and may make room for another */
  keep(isAwaited: boolean): void
  /** Counts a message of this many bytes towards the client's cost. @returns false if it is shed */
  admits(bytes: number): boolean
  /**
   * Counts the work for the client's subscriptions. @param calls  to upstreams  @param bytes  that it is sent
   */
  charge(calls: number, bytes: number): void
  /** Answers an error instead of the upgrade, and closes the connection. */
  refuse(code: Code, message: string): void
}

/** What takes over WebSockets. */
export interface Upgrades {
  /** The path that it listens at. */
  readonly path: string
  /** Resolves once the connection is taken over or refused. */
  accept(upgrade: Upgrade): Promise<void>
}

interface UpgradeListenerOptions {
  readonly upgrades: Upgrades
  readonly accounts: ClientAccounts
  readonly connections: ClientConnections
  readonly replier: Replier
  readonly socketReplies: SocketReplies
  readonly onFault: (error: unknown, exchange: null) => void
  /** Null without load shedding. */
  readonly shedding: Shedding | null
}

/** The listener for each upgrade of node's server. */
export function createUpgradeListener(
  options: UpgradeListenerOptions,
): (request: IncomingMessage, socket: Socket, head: Buffer) => void {
  const { upgrades, accounts, connections, replier, socketReplies, onFault, shedding } = options
  return (request, socket, head) => {
    // Node has removed its own listener.
    socket.on('error', () => socket.destroy())
    const connection = connections.of(socket)
    // A reply in progress would be written into the WebSocket.
    if (connection === undefined || connection.isBusy) return void socket.destroy()
    try {
      const error = faultOfHead(request)
      if (error !== null) throw error
      accounts.requireClient({ request })
      replier.requireOwnName(request)
      replier.requireOwnOrigin(request)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      socketReplies.refuse(socket, error.code, error.message)
      return
    }
    const client = accounts.clientOf({ request })
    const admits = (bytes: number): boolean => shedding?.admitsMessage(client, bytes) ?? true
    if (!admits(0)) return socketReplies.refuse(socket, SHED.code, SHED.message)
    const upgrade: Upgrade = {
      request,
      socket,
      head,
      client,
      keep: (isAwaited) => connections.keep(connection, isAwaited),
      admits,
      charge: (calls, bytes) => shedding?.charge(client, calls, bytes),
      refuse: (code, message) => socketReplies.refuse(socket, code, message),
    }
    upgrades.accept(upgrade).catch((error: unknown) => {
      onFault(error, null)
      socket.destroy()
    })
  }
}

/** The class of a server's requests, which shows node's parser which of them are upgrades. */
export function upgradableAt(path: string): typeof IncomingMessage {
  return class extends IncomingMessage {
    // Set by node when the parser finds an offer; `upgrade` is read once the head is complete.
    isOffered = false

    get upgrade(): boolean {
      return this.isOffered && (this.method === 'CONNECT' || isWebSocket(this, path))
    }

    set upgrade(isOffered: boolean) {
      this.isOffered = isOffered
    }
  }
}

function isWebSocket({ method, url, headers, httpVersionMinor }: IncomingMessage, path: string): boolean {
  const isAt = url!.startsWith(path) && (url!.length === path.length || url![path.length] === '?')
  return isAt && httpVersionMinor > 0 && method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}
