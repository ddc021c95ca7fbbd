/**
 * A whole reply in one piece, written straight to the socket: the bytes that node would write, without its
 * check of our own headers, and without its three writes (bench: GET /api/chains).
 *
 * It is only for the usual request: HTTP/1.1 that keeps its connection, with nothing left to write before its
 * reply. Any other gets node's own.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { CLOCK } from '../../runtime/clock.ts'
import { announcedBytes, DISCARD_BYTES } from '../request/body.ts'

/** A longer body is not copied to follow its header. */
export const MAX_QUICK_BYTES = 8_192

/** Whether the reply to a request may be written in this way. */
export function isUsual(request: IncomingMessage, response: ServerResponse): boolean {
  const { headers, method, socket } = request
  return (
    response.shouldKeepAlive &&
    request.httpVersionMinor === 1 &&
    (method === 'GET' || method === 'POST') &&
    // Without its socket, it waits for the reply to another request.
    response.socket === socket &&
    socket.writable &&
    socket.writableLength === 0 &&
    headers.expect === undefined &&
    headers['transfer-encoding'] === undefined &&
    announcedBytes(request) <= DISCARD_BYTES
  )
}

/** Makes the header lines that node adds to a reply. */
export class NodeLines {
  readonly #keepAlive: string
  #second = 0
  #date = ''

  /** @param keepAliveTimeoutMs  of the server */
  constructor(keepAliveTimeoutMs: number) {
    const seconds = Math.floor(keepAliveTimeoutMs / 1_000)
    this.#keepAlive = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`
  }

  /**
   * The last lines of a header, and the empty one after it. The date is the machine's, formatted once a
   * second.
   */
  last(): string {
    const ms = CLOCK.date()
    const second = Math.floor(ms / 1_000)
    if (second !== this.#second) {
      this.#second = second
      this.#date = new Date(ms).toUTCString()
    }
    return `Date: ${this.#date}${this.#keepAlive}`
  }
}

/** @param headers  alternating names and values, in visible ASCII */
export function linesOf(headers: readonly string[]): string {
  let text = ''
  for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`
  return text
}

/**
 * Writes a reply to a request that `isUsual`, with the response's status.
 * @param text    all of it
 * @param coding  the text's encoding; latin1 if each character is a byte
 */
export function writeWhole(response: ServerResponse, text: string, coding: 'latin1' | 'utf8'): void {
  // Node continues with the connection when the response has finished, as after its own.
  response.socket!.write(text, coding, (error) => {
    if (!error) response.emit('finish')
  })
}
