/**
 * One call to an upstream, from dispatch to verdict: the deadline over all of
 * it, the bound on what is read, the one resend, and which of the public codes
 * a failure has. It is the handler that undici drives: no stream and no
 * AbortSignal is made per call.
 *
 * Source: spec §7 · RFC 9110 §15
 */

import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { type Cancellable, type CancellationScope, type Client, GATEWAY } from '../runtime/cancellation.ts'
import type { Clock } from '../runtime/clock.ts'
import { type Code, type ErrorFields, GatewayError } from '../runtime/errors.ts'
import { joinInPieces, ownTurn, PIECE_BYTES } from '../runtime/loop-share.ts'
import type { Breaker, CallFault, JudgedCall } from './breaker.ts'
import { type Cause, causeOf } from './cause.ts'
import { type Cooldowns, parseCooldown } from './cooldown.ts'
import type { Priority } from './governor.ts'

/** What a reader makes of an answer that says, with whatever status, that the upstream's rate limit is reached. */
export const LIMITED = Symbol('limited')

/** What to ask, and how to read the answer. One request may be tried at several upstreams in turn. */
export interface UpstreamRequest<T> {
  readonly method: 'GET' | 'POST'
  /** Appended to the base URL's path, with a query of its own if need be; '' is the base URL itself. */
  readonly path: string
  readonly body: string | Buffer | null
  /** May go out once more on a fresh connection when the first died before any byte of an answer. */
  readonly resend: boolean
  /** What a 429 to it is about, such as an RPC method: a name of ours. The whole upstream where absent. */
  readonly lane?: string
  /** What is asked, where path and body do not say: two that are the same fail for the same reason. */
  readonly question?: string
  /**
   * Turns an answer into a value. Asked for status 200, for a 4xx that has no meaning of its own here,
   * and for the 5xx that it asks to be shown.
   * @param body  owned by the callee
   * @returns null when it is not what the upstream should say; LIMITED pauses the upstream as a 429 does
   * @throws GatewayError  what the upstream refused, or that it failed itself: see OUTAGES
   * @throws RequestFailed  what it could not do of this request only; anything else is a bug of ours
   */
  read(status: number, body: Buffer): T | typeof LIMITED | null
  /**
   * Work on a long answer that would hold the event loop, done before it is read.
   * @param body  the one that `read` gets
   * @returns null where there is none
   */
  prepare?(body: Buffer): Promise<void> | null
  /**
   * Why a value is not what was asked for, although whoever asks goes on with it, for the log and the
   * upstream's standing; null where it is.
   */
  failureOf?(value: T): Code | null
  /** Bound of its answer's body, where that is another than the upstream's. */
  readonly maxBytes?: number
  /** Its answer goes to callers byte for byte: one that tells where the upstream is, or a key, is withheld. */
  readonly passesOn?: boolean
  /** The upstream refuses some requests with a server error: what `read` makes of those is no failure. */
  readonly readsServerErrors?: boolean
}

/** How one call is made. */
export interface AskOptions {
  /** Over everything: waiting for a connection, sending, reading, the resend. */
  readonly deadlineMs: number
  /** Its rank where the upstream's quota runs short; a build's where absent. */
  readonly priority?: Priority
  /** Who asks, and may give it up; the gateway itself where absent or null. */
  readonly scope?: CancellationScope | null
}

/** Codes of errors from a reader by which the upstream tells of its own state: they count as a 5xx does. */
const OUTAGES: ReadonlySet<Code> = new Set([
  'upstream_failed',
  'upstream_timeout',
  'upstream_unusable',
  'upstream_unavailable',
  'signature_mismatch',
])

/**
 * Thrown by a reader around an error with one of those codes, where what failed is this one request.
 * Callers choose what is asked for, so counting it would let one of them open the breaker for everybody.
 */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
  readonly error: GatewayError

  constructor(error: GatewayError) {
    super(error.message)
    this.error = error
  }
}

/** How a call ended, for logs, metrics and the upstream's standing. */
export interface CallEnd {
  readonly upstream: string
  readonly lane: string
  readonly client: Client
  /** Null for what no request asks for. */
  readonly requestId: string | null
  /** Null where the request names no trace. */
  readonly traceId: string | null
  /** Null when it was answered, if only that there is no route; `given_up` when its caller left. */
  readonly failure: Code | 'given_up' | null
  /** Whether the upstream is to blame, rather than what was asked of it. */
  readonly isFault: boolean
  /** Where the failure is; null without one. */
  readonly cause: Cause | null
  /** Of the answer, null without one. */
  readonly status: number | null
  readonly ms: number
}

/** The parts of an upstream that a call needs. */
export interface UpstreamOrigin {
  readonly label: string
  readonly scope: 'rpc' | 'provider'
  /** Warm connections. */
  readonly pool: Dispatcher
  /** A connection per call: where a resend goes, because all idle connections may have died at once. */
  readonly fresh: Dispatcher
  readonly breaker: Breaker
  readonly pauses: Cooldowns
  readonly clock: Clock
  readonly maxBytes: number
  /** Whether the bytes give away where the upstream is or how it is paid for. */
  reveals(bytes: Buffer): boolean
  /** The same, of bytes that are many. */
  revealsInPieces(bytes: Buffer): Promise<boolean>
  /** Called once for each call, before its promise settles. */
  readonly onEnd: (end: CallEnd) => void
}

/** The lane of an upstream that has no others. */
export const WHOLE = 'all'

// Undici wants a reason for an abort; nobody reads it, because the call is settled by then.
const GIVEN_UP = new Error('given up')

export class UpstreamCall<T> implements Dispatcher.DispatchHandler, Cancellable, JudgedCall {
  readonly #origin: UpstreamOrigin
  readonly #options: Dispatcher.DispatchOptions
  readonly #request: UpstreamRequest<T>
  readonly #pass: number
  readonly #scope: CancellationScope | null
  readonly client: Client
  readonly begunAt: number
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #retryAfterMs: number | null = null
  #controller: Dispatcher.DispatchController | null = null
  #hasAnswer = false
  #isRevealing = false
  #isResent = false
  #isSettled = false
  #timer!: NodeJS.Timeout
  #resolve!: (value: T) => void
  #reject!: (error: unknown) => void

  /** @param pass  of the origin's breaker; handed in by the time the promise of `run` settles */
  constructor(
    origin: UpstreamOrigin,
    options: Dispatcher.DispatchOptions,
    request: UpstreamRequest<T>,
    pass: number,
    scope: CancellationScope | null,
  ) {
    this.#origin = origin
    this.#options = options
    this.#request = request
    this.#pass = pass
    this.#scope = scope
    this.client = scope?.client ?? GATEWAY
    this.begunAt = origin.clock.now()
  }

  get question(): string {
    const { question, path, body } = this.#request
    return question ?? `${path} ${body ?? ''}`
  }

  /** Once only. */
  run(deadlineMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#scope?.request?.timing.upstream.begin()
      if (this.#scope?.isCancelled) return this.cancel()
      this.#timer = setTimeout(expire<T>, deadlineMs, this)
      this.#scope?.watch(this)
      this.#origin.pool.dispatch(this.#options, this)
    })
  }

  cancel(): void {
    if (this.#isSettled) return
    this.#origin.breaker.released(this.#pass)
    this.#end('given_up', null)
    this.#reject(this.#failure('upstream_unavailable', 'The call was given up because the client went away.'))
    this.#controller?.abort(GIVEN_UP)
  }

  expire(): void {
    this.#fault(
      'silent',
      'upstream_timeout',
      'The upstream did not answer in time. Try again later.',
      'timeout',
    )
    this.#controller?.abort(GIVEN_UP)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The call ended while it waited for a connection. Throwing takes it out of
    // the queue; an abort would cost a connection that has nothing to do with it.
    if (this.#isSettled) throw GIVEN_UP
    this.#controller = controller
  }

  onResponseStarted(): void {
    this.#hasAnswer = true
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#status = status
    this.#headers = headers
    const encoding = headers['content-encoding']
    if (encoding !== undefined && encoding.toString().toLowerCase() !== 'identity') {
      this.#fault(
        'wrong',
        'upstream_unusable',
        'The upstream sent a compressed answer that nobody asked for.',
      )
      controller.abort(GIVEN_UP)
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes <= (this.#request.maxBytes ?? this.#origin.maxBytes)) {
      this.#chunks.push(chunk)
    } else if (!this.#isSettled) {
      // The upstream works; what the caller asked for is too much. Counting it
      // as a failure would let one caller open the breaker for everybody.
      this.#works()
      this.#refuse('upstream_unusable', 'The answer is longer than the gateway relays. Ask for less data.')
      controller.abort(GIVEN_UP)
    }
  }

  onResponseEnd(): void {
    if (this.#isSettled) return
    // What is given up from here on takes no connection with it.
    this.#controller = null
    this.#origin.breaker.answered()
    if (this.#bytes > PIECE_BYTES) void this.#concludeLong()
    else {
      const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#bytes)
      this.#isRevealing = this.#request.passesOn === true && this.#origin.reveals(body)
      this.#conclude(body)
    }
  }

  /** A long answer is gone over in pieces first; several that arrive together are read one in each turn of the loop. */
  async #concludeLong(): Promise<void> {
    try {
      const body = await joinInPieces(this.#chunks)
      await (this.#request.prepare?.(body) ?? ownTurn())
      if (this.#request.passesOn) this.#isRevealing = await this.#origin.revealsInPieces(body)
      this.#conclude(body)
    } catch (thrown) {
      if (!this.#isSettled) this.#judgeThrown(thrown)
    }
  }

  #conclude(body: Buffer): void {
    if (this.#isSettled) return
    try {
      this.#judge(body)
    } catch (thrown) {
      this.#judgeThrown(thrown)
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    if (this.#isSettled) return
    if (this.#mayResend(error)) {
      this.#isResent = true
      this.#controller = null
      this.#origin.fresh.dispatch(this.#options, this)
      return
    }
    if (this.#hasAnswer || error.name === 'HTTPParserError') {
      const message = 'The upstream broke its answer off, or did not answer in HTTP/1.1.'
      this.#fault('wrong', 'upstream_unusable', message, causeOf(error))
    } else {
      // Without a connection nothing was asked yet, so nothing that was asked is why.
      const fault = this.#controller === null && !this.#isResent ? 'unreachable' : 'wrong'
      const message = 'The upstream cannot be reached. Try again later.'
      this.#fault(fault, 'upstream_unavailable', message, causeOf(error))
    }
  }

  /** The connection died as idle ones do, when a request and the server's own timeout cross. */
  #mayResend(error: Error & { code?: string }): boolean {
    const wasSent = this.#controller !== null
    const isDeath = error.code === 'UND_ERR_SOCKET' || error.code === 'ECONNRESET' || error.code === 'EPIPE'
    return this.#request.resend && !this.#isResent && wasSent && !this.#hasAnswer && isDeath
  }

  /** What a complete answer means. */
  #judge(body: Buffer): void {
    const status = this.#status
    const isServerError = status >= 500
    if (status === 200 || isAboutRequest(status) || (isServerError && this.#request.readsServerErrors)) {
      const value = this.#request.read(status, body)
      if (value === LIMITED) {
        this.#limit()
      } else if (value !== null && this.#isRevealing) {
        this.#works()
        this.#refuse('upstream_failed', 'The upstream answered private details, which are not passed on.')
      } else if (value !== null) {
        this.#works()
        const failure = this.#request.failureOf?.(value) ?? null
        this.#end(failure, failure && 'answer')
        this.#resolve(value)
      } else if (status === 200) {
        const message = 'The upstream answered something that is not an answer to the request.'
        this.#fault('wrong', 'upstream_unusable', message)
      } else if (isServerError) {
        this.#fail()
      } else {
        this.#works()
        this.#refuse('upstream_status', `The upstream refused the request with status ${status}.`, status)
      }
    } else if (status === 429) {
      this.#limit()
    } else if (isServerError) {
      this.#fail()
    } else if (status >= 400) {
      // The upstream works: only the operator can mend the credentials, and a pause would not help.
      this.#works()
      this.#refuse('upstream_refused', "The upstream refused the gateway's credentials or address.")
    } else {
      this.#fault('wrong', 'upstream_unusable', 'The upstream answered with a redirect, or without content.')
    }
  }

  /** What a reader threw means. */
  #judgeThrown(thrown: unknown): void {
    const error = thrown instanceof RequestFailed ? thrown.error : thrown
    const { breaker } = this.#origin
    // A bug of ours says nothing about the upstream, and goes to the server as it is.
    if (!(error instanceof GatewayError)) breaker.released(this.#pass)
    else if (thrown === error && OUTAGES.has(error.code)) breaker.failed(this.#pass, 'wrong', this)
    else this.#works()
    const code = thrown === error && error instanceof GatewayError ? error.code : null
    const isFault = code !== null && OUTAGES.has(code)
    // Some refuse credentials with status 200.
    const failure = isFault || code === 'upstream_refused' ? code : null
    this.#end(failure, failure && 'answer', isFault)
    this.#reject(error)
  }

  /** It answered, and what it answered is no fault of its own. */
  #works(): void {
    const { breaker, pauses } = this.#origin
    breaker.succeeded(this.#pass)
    pauses.succeeded(this.lane)
  }

  #limit(): void {
    const { breaker, pauses, clock } = this.#origin
    const askedMs = parseCooldown(this.#headers, clock.date())
    breaker.released(this.#pass)
    pauses.limited(this.lane, askedMs)
    this.#retryAfterMs = askedMs === null ? null : pauses.leftMs(this.lane)
    this.#refuse('upstream_rate_limited', "The upstream's own rate limit is reached. Try again later.")
  }

  #fail(): void {
    this.#fault('wrong', 'upstream_failed', 'The upstream failed with a server error. Try again later.')
  }

  #fault(fault: CallFault, code: Code, message: string, cause: Cause = 'answer'): void {
    const { breaker } = this.#origin
    breaker.failed(this.#pass, fault, this)
    this.#end(code, cause, true)
    this.#reject(this.#failure(code, message))
  }

  #refuse(code: Code, message: string, status?: number): void {
    this.#end(code, 'answer')
    this.#reject(this.#failure(code, message, status))
  }

  #failure(code: Code, message: string, status?: number): GatewayError {
    const fields: ErrorFields = {
      provider: this.#origin.label,
      scope: this.#origin.scope,
      ...(this.#status > 200 && { upstreamStatus: this.#status }),
      ...(this.#retryAfterMs !== null && { retryAfterMs: this.#retryAfterMs }),
    }
    return new GatewayError(code, message, fields, status)
  }

  get lane(): string {
    return this.#request.lane ?? WHOLE
  }

  #end(failure: CallEnd['failure'], cause: Cause | null, isFault = false): void {
    this.#isSettled = true
    clearTimeout(this.#timer)
    const request = this.#scope?.request ?? null
    this.#scope?.unwatch(this)
    request?.timing.upstream.end()
    const { label, clock, onEnd } = this.#origin
    onEnd({
      upstream: label,
      lane: this.lane,
      client: this.client,
      requestId: request?.id ?? null,
      traceId: request?.trace?.traceId ?? null,
      failure,
      isFault,
      cause,
      status: this.#status > 0 ? this.#status : null,
      ms: clock.now() - this.begunAt,
    })
  }
}

function expire<T>(call: UpstreamCall<T>): void {
  call.expire()
}

/** A 4xx that speaks about the request, not about the gateway's standing with the upstream. */
function isAboutRequest(status: number): boolean {
  return status >= 400 && status < 500 && !STANDING.has(status)
}

/** Unauthorized, payment required, forbidden, proxy authentication required, too many requests. */
const STANDING: ReadonlySet<number> = new Set([401, 402, 403, 407, 429])
