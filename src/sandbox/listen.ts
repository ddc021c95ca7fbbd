/**
 * The HTTP server on loopback of each provider and node: reads a bounded request, calls
 * the handler, writes the JSON answer. CORS admits only pages that this machine serves,
 * such as the gateway's console.
 *
 * Source: WHATWG Fetch, CORS protocol
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Ten times the largest request, which sends back a quote with its whole route. */
const MAX_BODY_BYTES = 262_144

export interface HttpRequest {
  /** HEAD is reported as GET; the answer's body is not sent. */
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The parsed JSON body; undefined without one, or if it is not JSON. */
  readonly body: unknown
}

export interface HttpReply {
  readonly status: number
  /** JSON text, the bytes of another type, or a value. A bigint in a value is rejected, because JSON.parse would round it. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Listening {
  readonly url: string
  /** Closes the server and every connection. */
  close(): Promise<void>
}

/** Returned instead of a reply to reset the connection. */
export const RESET = Symbol('reset')

type ListenerReply = HttpReply | null | typeof RESET

/** The gateway's own value: Node's 5 s could close a connection just as a slow client reuses it. */
const KEEP_ALIVE_MS = 65_000

/**
 * @param answer  null leaves the request unanswered; an exception becomes a 500 with its message
 * @param port    0: any free port
 */
export async function listen(
  answer: (request: HttpRequest) => Promise<ListenerReply> | ListenerReply,
  port = 0,
): Promise<Listening> {
  const server = createServer((request, response) => {
    serve(request, response, answer).catch(() => response.destroy())
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => close(server),
  }
}

/** Rejects when the client disconnects. */
async function serve(
  message: IncomingMessage,
  response: ServerResponse,
  answer: Parameters<typeof listen>[0],
): Promise<void> {
  const text = await readText(message)
  const target = message.url ?? ''
  const url = URL.canParse(target, BASE) ? new URL(target, BASE) : null
  const allowed = allowedOrigin(message)
  for (const [name, value] of Object.entries(allowed)) response.setHeader(name, value)
  if (isPreflight(message) && 'access-control-allow-origin' in allowed) return preflight(response)
  if (text === null) return write(response, { status: 413, body: { error: 'The body is too large.' } })
  if (url === null) return write(response, { status: 400, body: { error: 'The URL is malformed.' } })
  try {
    const reply = await answer({
      method: message.method === 'HEAD' ? 'GET' : message.method!,
      path: url.pathname,
      query: url.searchParams,
      headers: Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, `${value}`])),
      text,
      body: parse(text),
    })
    if (reply === RESET) message.socket.resetAndDestroy()
    else if (reply !== null) write(response, reply)
  } catch (error) {
    // The details help sandbox developers; the server is reachable from this machine only.
    write(response, { status: 500, body: { error: `The sandbox failed: ${(error as Error).message}` } })
  }
}

const BASE = 'http://127.0.0.1'
const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

function allowedOrigin({ headers: { origin } }: IncomingMessage): Readonly<Record<string, string>> {
  if (origin === undefined || !LOOPBACK.test(origin)) return {}
  return { 'access-control-allow-origin': origin, vary: 'origin' }
}

/** Answers a CORS preflight before the handler, so that faults affect requests only. */
function preflight(response: ServerResponse): void {
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, POST, PUT, DELETE',
    'access-control-allow-headers': 'content-type',
    'access-control-max-age': '600',
  })
  response.end()
}

function write(response: ServerResponse, { status, body, headers }: HttpReply): void {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const length = Buffer.byteLength(text)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers })
  response.end(text)
}

/** @returns null if it is too long. It is still read to the end, so that the refusal arrives. */
async function readText(message: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of message) {
    length += chunk.length
    if (length <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return length <= MAX_BODY_BYTES ? Buffer.concat(chunks).toString() : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
