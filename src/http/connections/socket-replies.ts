/**
 * Replies to requests that never became an exchange: written straight to the socket, which is then closed.
 */

import type { Socket } from 'node:net'
import type { Code } from '../../runtime/errors.ts'
import type { Replier } from '../reply/reply.ts'
import type { ClientConnection } from './connections.ts'

/** When a refused connection or stream may be tried again. */
const RETRY_SECONDS = 1
export const RETRY_HEADERS: readonly string[] = ['Retry-After', String(RETRY_SECONDS)]

/** The methods of the service as a whole. */
export const HTTP_METHODS = 'GET, HEAD, POST, OPTIONS'

const UNREADABLE: Readonly<Record<string, readonly [Code, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The request header must be at most 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request must arrive within its time; send it faster.'],
}

export class SocketReplies {
  readonly #replier: Replier

  constructor(replier: Replier) {
    this.#replier = replier
  }

  /** @param socket  its connection has no reply under way */
  refuse(socket: Socket, code: Code, message: string): void {
    const retry = code === 'overloaded' ? `Retry-After: ${RETRY_SECONDS}\r\n` : ''
    endWith(socket, this.#replier.raw(code, message, retry))
  }

  /** Refuses a new connection that there is no room for. */
  refuseConnection(socket: Socket): void {
    const message = 'There are too many connections, of your address or in all; try again later.'
    this.refuse(socket, 'overloaded', message)
  }

  refuseConnect(socket: Socket): void {
    const message = `This is no proxy: the methods are ${HTTP_METHODS}.`
    endWith(socket, this.#replier.raw('wrong_method', message, `Allow: ${HTTP_METHODS}\r\n`))
  }

  /**
   * Refuses bytes that node's parser cannot read. The refusal is sent only in place of the connection's next
   * reply: not if that was already written, or if a complete request waits for it.
   */
  refuseUnreadable(
    error: NodeJS.ErrnoException,
    socket: Socket,
    connection: ClientConnection | undefined,
  ): void {
    const [code, message] = UNREADABLE[error.code ?? ''] ?? ['malformed_request', 'Send HTTP/1.1 requests.']
    if (connection?.isEnding) return
    const [first, second] = connection?.exchanges ?? []
    const isNext = first === undefined || (second === undefined && !first.replied && !first.request.complete)
    if (!isNext || !socket.writable) {
      socket.destroy()
      return
    }
    if (first !== undefined) this.#replier.abandon(first)
    endWith(socket, this.#replier.raw(code, message))
  }
}

/** Writes the last bytes of a connection, which then closes even if the client keeps its side open. */
function endWith(socket: Socket, bytes: string): void {
  socket.write(bytes)
  socket.destroySoon()
}
