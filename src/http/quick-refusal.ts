/**
 * The 503 of a shed request, written straight to the socket: the bytes that the
 * full reply would have, without the objects that it is made with. An overload
 * refuses two requests of three, so what a refusal costs is what is lost
 * (bench: overload).
 *
 * It is only for the usual request: HTTP/1.1 that keeps its connection, the
 * connection's only one, with nothing left to write before it. Any other gets
 * the full reply.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { CODES, GatewayError } from '../runtime/errors.ts'
import { totalTiming } from '../runtime/timing.ts'
import { announcedBytes, DISCARD_BYTES } from './body.ts'

/** Carries the code of an error, for clients that show no body; its reason phrase carries it, too. */
export const CODE_HEADER = 'X-Error-Code'

const SHED_SECONDS = 2
const SHED_MESSAGE = 'The service is overloaded; try again after retryAfterMs.'
export const SHED = new GatewayError('overloaded', SHED_MESSAGE, { retryAfterMs: SHED_SECONDS * 1_000 })
export const SHED_HEADERS: readonly string[] = ['Retry-After', String(SHED_SECONDS)]
/** ASCII. Text, because node writes it in one piece with the header. */
export const SHED_BODY = JSON.stringify({
  error: SHED.message,
  scope: CODES[SHED.code].scope,
  code: SHED.code,
  ...SHED.fields,
})

/** Whether a request may be refused in this way. */
export function isUsual(request: IncomingMessage, response: ServerResponse): boolean {
  const { headers, method, socket } = request
  return (
    response.shouldKeepAlive &&
    request.httpVersionMinor === 1 &&
    (method === 'GET' || method === 'POST') &&
    // Without its socket, it waits behind the reply to another request.
    response.socket === socket &&
    socket.writable &&
    socket.writableLength === 0 &&
    headers.expect === undefined &&
    headers.upgrade === undefined &&
    headers['transfer-encoding'] === undefined &&
    announcedBytes(request) <= DISCARD_BYTES
  )
}

export class QuickRefusal {
  readonly #start: string
  readonly #end: string
  #dateSecond = 0
  #date = ''

  /**
   * @param constant  headers of every reply, names and values in turn
   * @param keepAliveTimeoutMs  of the server
   */
  constructor(constant: readonly string[], keepAliveTimeoutMs: number) {
    this.#start = `HTTP/1.1 503 ${SHED.code}\r\n${lines(constant)}X-Request-Id: `
    const seconds = Math.floor(keepAliveTimeoutMs / 1_000)
    this.#end = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n${SHED_BODY}`
  }

  /**
   * Writes the refusal of a request that `isUsual`.
   * @param ms     since it came in
   * @param extra  headers that depend on the request, names and values in turn; null for none
   * @param done   called once it is written
   */
  write(
    response: ServerResponse,
    id: string,
    ms: number,
    extra: readonly string[] | null,
    done: () => void,
  ): void {
    const timing = totalTiming(ms)
    const bytes = `${this.#start}${id}\r\nServer-Timing: ${timing}\r\n${
      extra === null ? '' : lines(extra)
    }Retry-After: ${SHED_SECONDS}\r\n${CODE_HEADER}: ${SHED.code}\r\nContent-Length: ${SHED_BODY.length}\r\nDate: ${this.#now()}${this.#end}`
    response.statusCode = SHED.status
    // Node goes on with the connection when the response has finished, as after its own.
    response.socket!.write(bytes, 'latin1', (error) => {
      if (error) return
      done()
      response.emit('finish')
    })
  }

  /** As node writes it: of the machine's clock, made once a second. */
  #now(): string {
    const ms = Date.now()
    const second = Math.floor(ms / 1_000)
    if (second !== this.#dateSecond) {
      this.#dateSecond = second
      this.#date = new Date(ms).toUTCString()
    }
    return this.#date
  }
}

function lines(headers: readonly string[]): string {
  let text = ''
  for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`
  return text
}
