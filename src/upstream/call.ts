/**
 * One call to an upstream, from dispatch to result: one deadline over all of it,
 * the bound on its answer, the one retry, and the public code of a failure. It
 * is itself the handler that undici drives: no stream and no AbortSignal is made
 * per call.
 *
 * Source: spec §7 · RFC 9110 §15
 */

import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { Call } from '../flow/call.ts'
import type { Cancellable, CancellationScope, Client } from '../flow/cancellation.ts'
import { GatheredBytes } from '../flow/gathered-bytes.ts'
import type { ByteHolding, HeldBytes, Holder, PausableFlow } from '../flow/held-bytes.ts'
import { joinInPieces, ownTurn, PIECE_BYTES } from '../flow/loop-share.ts'
import { Pieces } from '../flow/pieces.ts'
import { ARRIVING } from '../flow/turn-share.ts'
import type { Clock } from '../runtime/clock.ts'
import { type Code, type ErrorFields, GatewayError } from '../runtime/errors.ts'
import type { Breaker, CallFault, JudgedCall } from './admission/breaker.ts'
import { type Cooldowns, parseCooldown, parseRetryAfter } from './admission/cooldown.ts'
import { type Cause, causeOf, errorClass, isBug } from './cause.ts'
import {
  type AboutUpstream,
  DENIED,
  LIMITED,
  OUTAGES,
  RequestFailed,
  type UpstreamRequest,
} from './request.ts'
import type { OnAnswer } from './taped-ask.ts'

/** How a call ended, for logs, metrics and the upstream's health. */
export interface CallEnd {
  readonly upstream: string
  readonly lane: string
  readonly client: Client
  /** Null for a call outside requests. */
  readonly requestId: string | null
  /** Null if the request names no trace. */
  readonly traceId: string | null
  /**
   * Null if it was answered, even if only with "no route"; `given_up` if it was cancelled, or ended by our
   * own bug.
   */
  readonly failure: Code | 'given_up' | null
  /** Whether the upstream is at fault, rather than the question. */
  readonly isFault: boolean
  /** Null without a failure. */
  readonly cause: Cause | null
  /** Class and code of the error if the cause is `unknown`; else null. */
  readonly error: string | null
  /** HTTP status; null if no response arrived. */
  readonly status: number | null
  readonly ms: number
}

/** The parts of an upstream that a call needs. */
export interface UpstreamOrigin {
  readonly label: string
  readonly scope: 'rpc' | 'provider'
  /** Warm connections. Opened by the first call: each pool takes 18 KiB. */
  readonly pool: () => Dispatcher
  /** A new connection per call, for retries, because all idle connections may have died at once. */
  readonly fresh: () => Dispatcher
  readonly breaker: Breaker
  readonly cooldowns: Cooldowns
  readonly clock: Clock
  readonly held: HeldBytes
  readonly maxBytes: number
  /** Whether the bytes contain a secret of the upstream. */
  reveals(bytes: Buffer): boolean
  /** The same for a long answer. */
  revealsInPieces(bytes: Pieces): Promise<boolean>
  /** Whether other clients' calls wait for a connection. */
  isWaitedFor(client: Client): boolean
  /** Called once per call, before its promise settles. */
  readonly onEnd: (end: CallEnd) => void
}

/** The lane of an upstream without lanes. */
export const DEFAULT_LANE = 'all'

/**
 * A shorter answer isn't accounted for: each call has at most one, and the number of calls is bounded
 * (IN_FLIGHT).
 */
const FREE_BYTES = PIECE_BYTES

/**
 * How long an answer waits for room before it is refused: meanwhile it keeps one of the upstream's connections,
 * and other clients may have joined the call.
 */
const MAX_PAUSE_MS = 5_000

/** The same while other clients' calls wait for a connection, well within the wait that those have. */
const MAX_CROWDED_PAUSE_MS = 250

// undici wants a reason for an abort; it is never read, because the call is settled by then.
const GIVEN_UP = new Error('given up')

/** A request as it is dispatched. */
interface Attempt<T> {
  readonly options: Dispatcher.DispatchOptions
  readonly request: UpstreamRequest<T>
  /** The origin's breaker's; set by the time the promise of `run` settles. */
  readonly pass: number
  readonly call: Call
  readonly onAnswer: OnAnswer | null
}

export class UpstreamCall<T>
  implements Dispatcher.DispatchHandler, Cancellable, JudgedCall, Holder, PausableFlow
{
  readonly #origin: UpstreamOrigin
  readonly #attempt: Attempt<T>
  readonly #scope: CancellationScope
  readonly client: Client
  readonly begunAt: number
  readonly #body = new GatheredBytes()
  #bytes = 0
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #retryAfterMs: number | null = null
  #controller: Dispatcher.DispatchController | null = null
  #hasAnswer = false
  #isRevealing = false
  #isResent = false
  #isSettled = false
  #cancelTimer: () => void = () => {}
  /** Null while the answer is short. */
  #holding: ByteHolding | null = null
  #cancelPause: (() => void) | null = null
  /** Set while the answer waits for the event loop's next turn. */
  #cancelTurn: (() => void) | null = null
  #resolve!: (value: T) => void
  #reject!: (error: unknown) => void

  constructor(origin: UpstreamOrigin, attempt: Attempt<T>) {
    this.#origin = origin
    this.#attempt = attempt
    this.#scope = attempt.call.scope
    this.client = this.#scope.client
    this.begunAt = origin.clock.now()
  }

  get #request(): UpstreamRequest<T> {
    return this.#attempt.request
  }

  get question(): string {
    const { question, path, body } = this.#request
    return question ?? `${path} ${body ?? ''}`
  }

  /** Makes the call; once only. */
  run(): Promise<T> {
    const settled = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#scope.request?.timing.upstream.begin()
    if (this.#scope.isCancelled) this.cancel()
    else {
      this.#cancelTimer = this.#origin.clock.after(this.#attempt.call.leftMs, () => this.#expire())
      this.#scope.watch(this)
      this.#origin.pool().dispatch(this.#attempt.options, this)
    }
    return settled
  }

  cancel(): void {
    if (this.#isSettled) return
    this.#giveUp(this.#failure('upstream_unavailable', 'The call was given up because the client went away.'))
    this.#controller?.abort(GIVEN_UP)
  }

  /** Ends the call, which then says nothing about the upstream. */
  #giveUp(error: Error): void {
    this.#origin.breaker.released(this.#attempt.pass)
    this.#end('given_up', null)
    this.#reject(error)
  }

  get flow(): PausableFlow {
    return this
  }

  /** Pauses the answer until the client's other answers and replies leave room for it. */
  pause(): void {
    this.#controller?.pause()
    this.#awaitRoom(MAX_PAUSE_MS)
  }

  #awaitRoom(leftMs: number): void {
    this.#cancelPause = this.#origin.clock.after(MAX_CROWDED_PAUSE_MS, () => {
      if (leftMs <= MAX_CROWDED_PAUSE_MS || this.#origin.isWaitedFor(this.client)) this.drop()
      else this.#awaitRoom(leftMs - MAX_CROWDED_PAUSE_MS)
    })
  }

  resume(): void {
    this.#cancelPause?.()
    this.#cancelPause = null
    if (this.#cancelTurn === null) this.#controller?.resume()
  }

  /** Refuses an answer that there is no room for. It says nothing about the upstream. */
  drop(): void {
    if (this.#isSettled) return
    this.#scope.markThrottled()
    const message =
      'Too many bytes are held already. Read the replies to your other requests; try again later.'
    this.#giveUp(new GatewayError('overloaded', message))
    this.#controller?.abort(GIVEN_UP)
  }

  #expire(): void {
    // We made it wait ourselves.
    if (this.#cancelPause !== null) {
      this.drop()
      return
    }
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
    // the queue; an abort would close a connection that it never used.
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
      this.#body.add(chunk)
      if (this.#isSettled) return
      if (this.#bytes > FREE_BYTES) this.#hold()
      if (!ARRIVING.take(chunk.length)) this.#yield()
    } else if (!this.#isSettled) {
      // The upstream works; the client asked for too much. Counting it as a
      // failure would let one client open the circuit breaker for all.
      this.#works()
      this.#refuse('upstream_unusable', 'The answer is longer than the gateway relays. Ask for less data.')
      controller.abort(GIVEN_UP)
    }
  }

  /** Lets others have a turn of the event loop. */
  #yield(): void {
    if (this.#isSettled || this.#cancelTurn !== null) return
    this.#controller?.pause()
    this.#cancelTurn = ARRIVING.wait(() => {
      this.#cancelTurn = null
      if (this.#cancelPause === null) this.#controller?.resume()
    })
  }

  #hold(): void {
    this.#holding ??= this.#origin.held.open(this.client, this)
    this.#holding.add(this.#bytes - this.#holding.bytes)
  }

  onResponseEnd(): void {
    if (this.#isSettled) return
    // From here on a cancellation closes no connection.
    this.#controller = null
    this.#origin.breaker.answered()
    if (this.#bytes > PIECE_BYTES) void this.#concludeLong()
    else {
      const body = this.#body.joined()
      this.#isRevealing = this.#request.passesOn === true && this.#origin.reveals(body)
      this.#conclude(body)
    }
  }

  /** Reads a long answer in turns; if several arrive together, each turn of the event loop reads one. */
  async #concludeLong(): Promise<void> {
    try {
      const pieces = new Pieces(this.#body.pieces())
      if (this.#request.passesOn) this.#isRevealing = await this.#origin.revealsInPieces(pieces)
      if (this.#request.readPieces) {
        await ownTurn()
        if (this.#isReadable) this.#attempt.onAnswer?.(this.#statusRead, pieces)
        const value = this.#isReadable ? await this.#request.readPieces(this.#statusRead, pieces) : null
        if (!this.#isSettled) this.#judge(value)
        return
      }
      // Counts the joined copy until the chunks are freed.
      this.#holding?.add(this.#bytes)
      if (this.#isSettled) return
      const body = await joinInPieces(pieces.parts)
      await (this.#request.prepare?.(body) ?? ownTurn())
      this.#conclude(body)
    } catch (thrown) {
      if (!this.#isSettled) this.#judgeThrown(thrown)
    }
  }

  #conclude(body: Buffer): void {
    if (this.#isSettled) return
    try {
      if (this.#isReadable) this.#attempt.onAnswer?.(this.#statusRead, body)
      this.#judge(this.#isReadable ? this.#request.read(this.#statusRead, body) : null)
    } catch (thrown) {
      this.#judgeThrown(thrown)
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    if (this.#isSettled) return
    if (isBug(error)) {
      this.#giveUp(error)
      return
    }
    if (this.#mayResend(error)) {
      this.#isResent = true
      this.#controller = null
      this.#origin.fresh().dispatch(this.#attempt.options, this)
      return
    }
    if (this.#hasAnswer || error.name === 'HTTPParserError') {
      const message = 'The upstream broke its answer off, or did not answer in HTTP/1.1.'
      this.#fault('wrong', 'upstream_unusable', message, error)
    } else {
      // Without a connection nothing was asked yet, so the question cannot be the cause.
      const fault = this.#controller === null && !this.#isResent ? 'unreachable' : 'wrong'
      const message = 'The upstream cannot be reached. Try again later.'
      this.#fault(fault, 'upstream_unavailable', message, error)
    }
  }

  /** Whether the connection died like an idle one, when a request crosses the server's own timeout. */
  #mayResend(error: Error & { code?: string }): boolean {
    const wasSent = this.#controller !== null
    const isDeath = error.code === 'UND_ERR_SOCKET' || error.code === 'ECONNRESET' || error.code === 'EPIPE'
    return this.#request.resend && !this.#isResent && wasSent && !this.#hasAnswer && isDeath
  }

  /** Whether the request reads answers of this status. */
  get #isReadable(): boolean {
    const status = this.#status
    return (
      isAnswer(status) ||
      isAboutRequest(status) ||
      (status >= 500 && this.#request.readsServerErrors === true)
    )
  }

  /** The status as readers see it: any 2xx with an answer counts as 200. */
  get #statusRead(): number {
    return isAnswer(this.#status) ? 200 : this.#status
  }

  /**
   * Decides what a complete answer means.
   * @param value  what the request read; null if it does not read answers of this status
   */
  #judge(value: T | AboutUpstream | null): void {
    const status = this.#status
    const isServerError = status >= 500
    if (this.#isReadable) {
      if (value === LIMITED) {
        this.#limit()
      } else if (value === DENIED) {
        this.#deny()
      } else if (value !== null && this.#isRevealing) {
        this.#works()
        this.#refuse('upstream_failed', 'The upstream answered private details, which are not passed on.')
      } else if (value !== null) {
        const failure = this.#request.failureOf?.(value) ?? null
        const isFault = failure !== null && this.#request.isFault?.(value) === true
        if (isFault) this.#origin.breaker.failed(this.#attempt.pass, 'wrong', this)
        else this.#works()
        this.#end(failure, failure && 'answer', isFault)
        this.#resolve(value)
      } else if (isAnswer(status)) {
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
      // The upstream works: only the operator can fix the credentials, and a cooldown would not help.
      this.#works()
      this.#refuse('upstream_refused', "The upstream refused the gateway's credentials or address.")
    } else {
      this.#fault('wrong', 'upstream_unusable', 'The upstream answered with a redirect, or without content.')
    }
  }

  /** Decides what a reader's error means. */
  #judgeThrown(thrown: unknown): void {
    const error = thrown instanceof RequestFailed ? thrown.error : thrown
    const { breaker } = this.#origin
    // Our own bug says nothing about the upstream, and is rethrown unchanged.
    if (!(error instanceof GatewayError)) breaker.released(this.#attempt.pass)
    else if (thrown === error && OUTAGES.has(error.code)) breaker.failed(this.#attempt.pass, 'wrong', this)
    else this.#works()
    const code = thrown === error && error instanceof GatewayError ? error.code : null
    const isFault = code !== null && OUTAGES.has(code)
    // Some upstreams refuse credentials with status 200.
    const failure = isFault || code === 'upstream_refused' ? code : null
    this.#end(failure, failure && 'answer', isFault)
    this.#reject(error)
  }

  /** Records that the upstream answered, and isn't at fault. */
  #works(): void {
    const { breaker, cooldowns } = this.#origin
    breaker.succeeded(this.#attempt.pass)
    cooldowns.succeeded(this.lane)
  }

  /** A question for one method may be denied while others are answered, so only its lane cools down. */
  #deny(): void {
    const { breaker, cooldowns } = this.#origin
    breaker.released(this.#attempt.pass)
    cooldowns.denied(this.lane)
    this.#refuse('upstream_refused', "The upstream refused the gateway's credentials or address.")
  }

  #limit(): void {
    const { breaker, cooldowns, clock } = this.#origin
    const askedMs = parseCooldown(this.#headers, clock.date())
    breaker.released(this.#attempt.pass)
    cooldowns.limited(this.lane, askedMs)
    this.#retryAfterMs = askedMs === null ? null : cooldowns.leftMs(this.lane)
    this.#refuse('upstream_rate_limited', "The upstream's own rate limit is reached. Try again later.")
  }

  #fail(): void {
    const { breaker, cooldowns, clock } = this.#origin
    const retryAfter = this.#headers['retry-after']
    const askedMs = retryAfter === undefined ? null : parseRetryAfter(retryAfter, clock.date())
    if (askedMs) {
      const { maxMs, probeMs } = cooldowns.options
      this.#retryAfterMs = Math.min(askedMs, maxMs)
      // A failure, not a limit: the breaker says so, and covers all lanes.
      breaker.rest(this.#attempt.pass, Math.min(askedMs, probeMs))
    }
    this.#fault('wrong', 'upstream_failed', 'The upstream failed with a server error. Try again later.')
  }

  /** @param why  the cause, or the connection's error */
  #fault(fault: CallFault, code: Code, message: string, why: Cause | Error = 'answer'): void {
    const { breaker } = this.#origin
    breaker.failed(this.#attempt.pass, fault, this)
    const cause = why instanceof Error ? causeOf(why) : why
    this.#end(code, cause, true, why instanceof Error && cause === 'unknown' ? errorClass(why) : null)
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
    return this.#request.lane ?? DEFAULT_LANE
  }

  #end(failure: CallEnd['failure'], cause: Cause | null, isFault = false, error: string | null = null): void {
    this.#isSettled = true
    this.#cancelTimer()
    this.#cancelPause?.()
    this.#cancelTurn?.()
    this.#holding?.close()
    const request = this.#scope.request ?? null
    this.#scope.unwatch(this)
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
      error,
      status: this.#status > 0 ? this.#status : null,
      ms: clock.now() - this.begunAt,
    })
  }
}

/**
 * Whether an answer of this status carries a result. Frameworks answer a POST with 201 by default.
 *
 * Source: RFC 9110 §15.3 (200, 201, 202 and 203 may have content; 204, 205 have none, and 206 a part)
 */
const isAnswer = (status: number): boolean => status >= 200 && status <= 203

/** Whether a 4xx is about the request, not about how the upstream treats the gateway. */
function isAboutRequest(status: number): boolean {
  return status >= 400 && status < 500 && !ABOUT_GATEWAY.has(status)
}

/** Unauthorized, payment required, forbidden, proxy authentication required, too many requests. */
const ABOUT_GATEWAY: ReadonlySet<number> = new Set([401, 402, 403, 407, 429])
