/**
 * Which requests become a WebSocket: those that ask for it at the one path
 * that has one. Any other that offers an upgrade is an ordinary request, as HTTP
 * says; Java's HttpClient offers h2c with each of its own.
 *
 * Source: RFC 9110 §7.8 · RFC 6455 §4.2.1
 */
import { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Client } from '../runtime/cancellation.ts'
import type { Code } from '../runtime/errors.ts'

/** A connection that its client wants to be a WebSocket; its head was checked as any request's is. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  /** What came behind the head. */
  readonly head: Buffer
  readonly client: Client
  /** Notes that something came in, and whether something is waited for: else it is idle, and makes room for others. */
  keep(isAwaited: boolean): void
  /** Answers in the place of the upgrade, and closes the connection. */
  refuse(code: Code, message: string): void
}

/** What takes WebSockets over. */
export interface Upgrades {
  /** The path that it listens at. */
  readonly path: string
  /** Resolves once it is taken over, or refused. */
  accept(upgrade: Upgrade): Promise<void>
}

/** The class of a server's requests, which tells node's parser which of them are upgrades. */
export function upgradableAt(path: string): typeof IncomingMessage {
  return class extends IncomingMessage {
    // Set by node, from what the parser found; whether it is one is read once the head is there.
    isOffered = false

    get upgrade(): boolean {
      return this.isOffered && (this.method === 'CONNECT' || isWebSocket(this, path))
    }

    set upgrade(isOffered: boolean) {
      this.isOffered = isOffered
    }
  }
}

function isWebSocket({ method, url, headers }: IncomingMessage, path: string): boolean {
  const isAt = url!.startsWith(path) && (url!.length === path.length || url![path.length] === '?')
  return isAt && method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}
