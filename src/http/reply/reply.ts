/**
 * Everything that is written to a client: headers, JSON bytes, refusals,
 * errors and CORS. Each reply is logged here, once.
 *
 * Source: Fetch standard, CORS protocol · W3C Server Timing, Resource Timing (Timing-Allow-Origin)
 */
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Pieces } from '../../flow/pieces.ts'
import { CODES, type Code, errorBody, GatewayError } from '../../runtime/errors.ts'
import { AllowedOrigins } from '../client/allowed-origins.ts'
import { hostOf, isOwnName, type OriginReader, saysBrowser } from '../client/origin.ts'
import type { Exchange } from '../request/exchange.ts'
import { isUsual, linesOf, MAX_QUICK_BYTES, type NodeLines, writeWhole } from './quick-reply.ts'
import { isCurrent, type Medium, type Representation, type SharedPieces } from './representation.ts'

export interface ReplyOptions {
  readonly mode: 'sandbox' | 'live'
  /**
   * Origins, besides the service's own, that may read replies and send POSTs: a list, `*` for all, or null
   * for none.
   */
  readonly corsOrigins: readonly string[] | '*' | null
  /** The service's own origin, as the request names it; if absent, no origin is its own. */
  readonly originOf?: OriginReader
  /** The operator's PUBLIC_URL; absent or null if there is none. */
  readonly publicUrl?: string | null
  /** Called once per reply, after it was handed to the socket. */
  readonly onReply: (exchange: Exchange, status: number, bytes: number) => void
}

const EXPOSED =
  'X-Request-Id, X-Swapgate-Mode, X-Error-Code, Retry-After, RateLimit, RateLimit-Policy, Server-Timing, ETag'
// Browsers honour the star only without credentials, which no route takes; the
// names are for browsers that do not know the star. @solana/web3.js and
// @solana/kit send Solana-Client.
const ALLOWED_HEADERS = '*, Content-Type, Solana-Client, Traceparent, X-Request-Id'
const PREFLIGHT_SECONDS = '7200'
/** Carries the code of an error, for clients that show no body; so does the reason phrase. */
const CODE_HEADER = 'X-Error-Code'
const SHED_SECONDS = 2
/** The refusal of a request that is shed. */
export const SHED = new GatewayError(
  'overloaded',
  'The service is overloaded; try again after retryAfterMs.',
  { retryAfterMs: 1_000 * SHED_SECONDS },
)
/** The names and values at the start of every reply's headers that are about its content. */
const CONTENT_HEADERS = 4
/** nginx's status for a client that closed the connection; in log lines and metrics only. */
const CLIENT_GONE = 499

type Body = Buffer | string | readonly Buffer[]

/** A reply as it is written. */
interface Reply {
  readonly status: number
  /** None where absent. */
  readonly body?: Body
  /** Names and values in turn, in addition to those of every reply. */
  readonly headers?: readonly string[] | null
  readonly medium?: Medium | null
  /** Whether other replies have the same bytes. */
  readonly isShared?: boolean
  /** What they share, if that is accounted for. */
  readonly held?: Pieces | null
}

export class Replier {
  readonly #options: ReplyOptions
  readonly #constant: readonly string[]
  readonly #constantLines: string
  readonly #origins: AllowedOrigins | null
  /** Set while stopping: each reply then closes its connection, unless another request would be lost. */
  closing = false
  /** Of the server; null: node writes every reply. */
  nodeLines: NodeLines | null = null

  constructor(options: ReplyOptions) {
    this.#options = options
    const { mode, corsOrigins } = options
    this.#origins = Array.isArray(corsOrigins) ? new AllowedOrigins(corsOrigins) : null
    this.#constant = [
      'Content-Type',
      'application/json; charset=utf-8',
      'Cache-Control',
      'no-store',
      ...(mode === 'sandbox' ? ['X-Swapgate-Mode', 'sandbox'] : []),
      ...(corsOrigins === '*' ? ['Access-Control-Allow-Origin', '*'] : []),
      ...(corsOrigins === '*' ? ['Access-Control-Expose-Headers', EXPOSED] : []),
      ...(corsOrigins === '*' ? ['Timing-Allow-Origin', '*'] : []),
    ]
    this.#constantLines = linesOf(this.#constant)
  }

  /** @param body  JSON text; written as it is */
  send(exchange: Exchange, status: number, body: Buffer | string): void {
    this.#write(exchange, { status, body })
  }

  /**
   * 200 in the coding that the client asks for, or 304 if it already has these bytes.
   * @returns the length of the body
   */
  sendRepresentation(exchange: Exchange, representation: Representation): number {
    const { headers } = exchange.request
    const coded = representation.select(headers)
    const shared = { isShared: true, medium: representation.medium }
    return isCurrent(coded, headers)
      ? this.#write(exchange, { status: 304, headers: coded.validators, ...shared })
      : this.#write(exchange, { status: 200, body: coded.body, headers: coded.headers, ...shared })
  }

  /** @returns the length of the body */
  sendPieces(exchange: Exchange, { pieces, medium, held }: SharedPieces): number {
    return this.#write(exchange, { status: 200, body: pieces, isShared: true, medium, held })
  }

  /** 503: the request is shed. */
  shed(exchange: Exchange): void {
    exchange.failure = SHED
    exchange.tape?.drop('a shed request')
    this.#write(exchange, { status: SHED.status, body: SHED_BODY, headers: SHED_HEADERS })
  }

  /** 429, for the budget that refused last. */
  refuse(exchange: Exchange): void {
    const { name, refusedBy, retryAfterMs, retryAfterSeconds } = exchange.refusal!
    const whose = refusedBy === 'global' ? 'the whole service' : 'your address'
    const message = `The ${name} budget of ${whose} is used up for this window; try again after retryAfterMs.`
    const fields = { budget: `${name}-${refusedBy}`, retryAfterMs }
    exchange.failure = { code: 'budget_exhausted', fields }
    const body = errorText('budget_exhausted', message, fields)
    this.#write(exchange, { status: 429, body, headers: ['Retry-After', String(retryAfterSeconds)] })
  }

  fail(exchange: Exchange, error: GatewayError, headers: readonly string[] | null = null): void {
    exchange.failure = error
    const body = errorText(error.code, error.message, error.fields)
    this.#write(exchange, { status: error.status, body, headers })
  }

  /**
   * Refuses a request from a page of an origin that may not read replies. The browser would withhold the
   * reply, but has already sent the page's POST. The scheme of our own origin may be a proxy's, so only its
   * host is compared.
   * @throws 403
   */
  requireOwnOrigin(request: IncomingMessage): void {
    const { corsOrigins, originOf } = this.#options
    const { origin } = request.headers
    if (origin === undefined || corsOrigins === '*' || this.#origins?.has(origin)) return
    if (originOf !== undefined && hostOf(origin) === hostOf(originOf(request))) return
    const message = 'Pages of this origin may not send requests here; CORS_ORIGINS says which may.'
    throw new GatewayError('origin_not_allowed', message)
  }

  /**
   * Refuses a page's request under a host name that somebody may point here (DNS rebinding), where pages of
   * other origins get nothing. A name with a certificate is the service's own.
   * @throws 403
   */
  requireOwnName(request: IncomingMessage): void {
    const { corsOrigins, originOf, publicUrl = null } = this.#options
    if (corsOrigins !== null || originOf === undefined || !saysBrowser(request.headers)) return
    const own = originOf(request)
    if (own.startsWith('https:') || isOwnName(hostOf(own), publicUrl)) return
    const message =
      "While CORS_ORIGINS is off, pages may ask under an IP address, localhost or PUBLIC_URL's name only."
    throw new GatewayError('origin_not_allowed', message)
  }

  /** Ends an exchange whose client went away before its reply: logged as 499, not written. */
  abandon(exchange: Exchange): void {
    if (exchange.replied) return
    exchange.replied = true
    exchange.tape?.drop('a client that left')
    exchange.settle(0, 0)
    this.#options.onReply(exchange, CLIENT_GONE, 0)
  }

  /**
   * The header of an event stream. The stream ends with its connection, so that each event is one write;
   * nothing could be answered after it anyway. The request's Accept header is ignored, as everywhere here
   * (RFC 9110 §12.5.1 allows that).
   */
  beginStream(exchange: Exchange): void {
    const { response } = exchange
    exchange.tape?.drop('an event stream')
    const constant = this.#constantOf('text/event-stream; charset=utf-8', 'no-store')
    response.useChunkedEncodingByDefault = false
    response.writeHead(200, [...constant, ...this.#headersOf(exchange, ['X-Accel-Buffering', 'no'])])
    exchange.isStream = true
    // It lasts as long as its client likes.
    exchange.reportCost(0)
  }

  /** Logs the end of a stream. @param bytes  how many were written */
  endStream(exchange: Exchange, bytes: number): void {
    exchange.replied = true
    exchange.settle(bytes, exchange.response.writableLength)
    this.#options.onReply(exchange, 200, bytes)
  }

  /** Answers OPTIONS: the path's methods, and the CORS headers. */
  preflight(exchange: Exchange, allow: string): void {
    const headers = ['Allow', allow]
    if (this.#options.corsOrigins !== null) {
      headers.push('Access-Control-Allow-Methods', allow, 'Access-Control-Allow-Headers', ALLOWED_HEADERS)
      headers.push('Access-Control-Max-Age', PREFLIGHT_SECONDS)
    }
    this.#write(exchange, { status: 204, headers })
  }

  /**
   * A whole response as text, for a request that never became an exchange.
   * @param extra  header lines, each with its CRLF
   */
  raw(code: Code, message: string, extra = ''): string {
    const { status } = CODES[code]
    const body = errorText(code, message)
    const head = `HTTP/1.1 ${status} ${code}\r\n${this.#constantLines}`
    return `${head}${extra}${CODE_HEADER}: ${code}\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  }

  /** @returns the length of the body */
  #write(exchange: Exchange, reply: Reply): number {
    if (exchange.replied) return 0
    exchange.replied = true
    const { status, body = '', headers: extra = null, medium = null } = reply
    const bytes = bytesOf(body)
    const headers = this.#headersOf(exchange, extra, medium?.cacheControl.startsWith('public') ?? false)
    if (medium !== null) headers.push(...medium.headers)
    const code = exchange.failure === null ? null : exchange.failure.code
    if (code !== null) headers.push(CODE_HEADER, code)
    // A 304 would need the length of the 200 that it replaces.
    if (status !== 204 && status !== 304) headers.push('Content-Length', String(bytes))
    // @solana/kit shows the reason phrase of an error, and never its body.
    const reason = code ?? STATUS_CODES[status]!
    const { request, response } = exchange
    const { nodeLines } = this
    if (exchange.tape !== null) {
      const pieces = isWhole(body) ? [Buffer.from(body)] : body
      exchange.tape.replied(status, [...this.#constantFor(medium), ...headers], code, pieces)
    }
    const whole = isWhole(body) ? body : null
    const isShort = whole !== null && bytes <= MAX_QUICK_BYTES
    const constant = this.#constantFor(medium)
    if (isShort && nodeLines !== null && !this.closing && isUsual(request, response)) {
      const lines = (medium === null ? this.#constantLines : linesOf(constant)) + linesOf(headers)
      const head = `HTTP/1.1 ${status} ${reason}\r\n${lines}${nodeLines.last()}`
      const coding = typeof whole === 'string' && whole.length !== bytes ? 'utf8' : 'latin1'
      response.statusCode = status
      writeWhole(response, head + (typeof whole === 'string' ? whole : whole.toString('latin1')), coding)
    } else {
      response.writeHead(status, reason, [...constant, ...headers])
      if (!isWhole(body)) for (const piece of body) response.write(piece)
      response.end(whole)
    }
    // A representation's bytes are shared by all its replies.
    exchange.settle(bytes, reply.isShared ? 0 : bytes, reply.held ?? null)
    this.#options.onReply(exchange, status, bytes)
    return bytes
  }

  #constantFor(medium: Medium | null): readonly string[] {
    return medium === null ? this.#constant : this.#constantOf(medium.contentType, medium.cacheControl)
  }

  /** The headers of every reply, for another medium than JSON's. */
  #constantOf(contentType: string, cacheControl: string): readonly string[] {
    return [
      'Content-Type',
      contentType,
      'Cache-Control',
      cacheControl,
      ...this.#constant.slice(CONTENT_HEADERS),
    ]
  }

  /** This reply's own; names and values in turn. */
  #headersOf(exchange: Exchange, extra: readonly string[] | null, isPublic = false): string[] {
    const headers: string[] = []
    // A shared cache would send what belongs to this request to others.
    if (!isPublic) this.#pushOwn(headers, exchange)
    if (this.#origins !== null) this.#pushOrigin(headers, exchange.request)
    if (extra !== null) for (const text of extra) headers.push(text)
    if (this.closing && exchange.isLast) headers.push('Connection', 'close')
    return headers
  }

  #pushOwn(headers: string[], exchange: Exchange): void {
    headers.push('X-Request-Id', exchange.id)
    if (exchange.rateLimit !== null) headers.push('RateLimit', exchange.rateLimit)
    if (exchange.rateLimitPolicy !== null) headers.push('RateLimit-Policy', exchange.rateLimitPolicy)
    headers.push('Server-Timing', serverTiming(exchange))
  }

  #pushOrigin(headers: string[], request: IncomingMessage): void {
    headers.push('Vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !this.#origins!.has(origin)) return
    headers.push('Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED)
    headers.push('Timing-Allow-Origin', origin)
  }
}

const isWhole = (body: Body): body is Buffer | string => typeof body === 'string' || Buffer.isBuffer(body)

function bytesOf(body: Body): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  return isWhole(body) ? body.length : body.reduce((sum, { length }) => sum + length, 0)
}

/** How the answer was shared, if it was, and how the time was spent. */
function serverTiming({ sharedAnswer, timing }: Exchange): string {
  return sharedAnswer === null ? timing.header() : `cache;desc=${sharedAnswer}, ${timing.header()}`
}

const errorText = (...error: Parameters<typeof errorBody>): string => JSON.stringify(errorBody(...error))

const SHED_HEADERS: readonly string[] = ['Retry-After', String(SHED_SECONDS)]
/** An overload sends it thousands of times a second. */
const SHED_BODY = errorText(SHED.code, SHED.message, SHED.fields)
