/** What is asked of an upstream, how its answer is read, and what a reader may find wrong with it. */
import type { Pieces } from '../flow/pieces.ts'
import type { Code, GatewayError } from '../runtime/errors.ts'

/** A reader's result for an answer that says, with whatever status, that the upstream's rate limit is reached. */
export const LIMITED = Symbol('limited')

/** The same for an answer that refuses the gateway's credentials. */
export const DENIED = Symbol('denied')

/** A reader's result about the upstream itself instead of an answer. */
export type AboutUpstream = typeof LIMITED | typeof DENIED

/** A question, and how to read its answer. One request may be tried at several upstreams in turn. */
export interface UpstreamRequest<T> {
  readonly method: 'GET' | 'POST'
  /** Appended to the base URL's path, with a query of its own if needed; '' is the base URL itself. */
  readonly path: string
  readonly body: string | Buffer | null
  /** Alternating names and values, in addition to the upstream's. */
  readonly headers?: readonly string[]
  /** Whether it may be sent again on a fresh connection if the first died before any byte of an answer. */
  readonly resend: boolean
  /**
   * The lane that a 429 puts into cooldown, such as an RPC method: one of our own names. The whole upstream
   * if absent.
   */
  readonly lane?: string
  /** Identifies the question if path and body do not: equal ones fail for the same reason. */
  readonly question?: string
  /**
   * Turns an answer into a value. Called for status 200, for a 4xx that has no meaning of its own here, and,
   * with `readsServerErrors`, for a 5xx.
   * @param body  owned by the callee
   * @returns null if the upstream should not answer this; LIMITED and DENIED start a cooldown of the lane
   * @throws GatewayError  what the upstream refused, or that it failed itself: see OUTAGES
   * @throws RequestFailed  if only this request failed; any other error is our bug
   */
  read(status: number, body: Buffer): T | AboutUpstream | null
  /**
   * Does the work on a long answer that would block the event loop, before it is read.
   * @param body  the one that `read` gets
   * @returns null if there is none
   */
  prepare?(body: Buffer): Promise<void> | null
  /**
   * Reads a long answer without joining it or blocking the event loop. Called instead of `prepare` and
   * `read`, with the same meaning.
   */
  readPieces?(status: number, body: Pieces): Promise<T | AboutUpstream | null>
  /**
   * Why a value counts as a failure in the log and in the upstream's health, although the caller uses
   * it; null if it does not.
   */
  failureOf?(value: T): Code | null
  /** Whether such a failure is the upstream's fault, which its circuit breaker counts as a 5xx. */
  isFault?(value: T): boolean
  /** The largest answer accepted; the upstream's bound if absent. */
  readonly maxBytes?: number
  /** Whether its answer goes to clients byte for byte: one that contains a secret of the upstream is withheld. */
  readonly passesOn?: boolean
  /**
   * Whether the upstream answers 5xx to requests that it refuses: `read` gets those, and its value isn't a
   * failure.
   */
  readonly readsServerErrors?: boolean
}

/** Codes of readers' errors that are about the upstream's own state: they count as a 5xx does. */
export const OUTAGES: ReadonlySet<Code> = new Set([
  'upstream_failed',
  'upstream_timeout',
  'upstream_unusable',
  'upstream_unavailable',
  'signature_mismatch',
])

/** Every code that a call can fail with. */
export const CALL_FAILURES: readonly Code[] = [
  ...OUTAGES,
  'upstream_rate_limited',
  'upstream_refused',
  'upstream_status',
]

/**
 * Thrown by a reader around an error with one of those codes, if only this request failed. Clients choose the
 * questions, so counting it would let one of them open the circuit breaker for all.
 */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
  readonly error: GatewayError

  constructor(error: GatewayError) {
    super(error.message)
    this.error = error
  }
}
