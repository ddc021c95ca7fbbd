/** Every failure of the client: the gateway's refusals under their `code`, and failures on the way to it. */
import { CODES, type Code } from './generated/codes.ts'

/** Failures that do not come as one of the gateway's Error bodies. */
export type ClientCode =
  /** No answer: the connection could not be made, or it broke. */
  | 'network'
  /** No complete answer within `timeoutMs`. */
  | 'timeout'
  /** The caller's signal ended the call; `cause` is the signal's reason. */
  | 'aborted'
  /** The answer is not one of the gateway's: a proxy's error page, or a code that this version does not know. */
  | 'unexpected_response'
  /** The Solana node answered with a JSON-RPC error, which is in `rpc`. */
  | 'rpc_error'

export type ErrorCode = Code | ClientCode

/** The error object of a JSON-RPC response. */
export interface RpcError {
  /** For example -32002: the preflight failed. */
  code: number
  message: string
  /** For example the logs of a simulation. */
  data?: unknown
}

type ErrorDetails = Partial<
  Pick<SwapgateError, 'status' | 'body' | 'retryAfterMs' | 'requestId' | 'rpc' | 'cause'>
>

export class SwapgateError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C
  /** The status of the HTTP response; 0 without one. */
  readonly status: number
  /** The part of the service that refused the request, such as `limit` or `provider`. */
  readonly scope: string | null
  /** The input field at fault. */
  readonly field: string | null
  /** How long to wait before a retry; null if the gateway does not say. */
  readonly retryAfterMs: number | null
  /** Identifies the request in the gateway's log. */
  readonly requestId: string | null
  /** The whole Error body, with members such as `provider`, `rule` or `minOut`; null without one. */
  readonly body: { readonly [name: string]: unknown } | null
  readonly rpc: RpcError | null

  constructor(code: C, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'SwapgateError'
    this.code = code
    this.status = details.status ?? 0
    this.body = details.body ?? null
    this.scope = textOf(this.body?.scope)
    this.field = textOf(this.body?.field)
    this.retryAfterMs = details.retryAfterMs ?? null
    this.requestId = details.requestId ?? null
    this.rpc = details.rpc ?? null
  }
}

/** Whether an error is one of the client's; with `codes`, whether it also has one of them. */
export function isSwapgateError<C extends ErrorCode = ErrorCode>(
  error: unknown,
  ...codes: readonly C[]
): error is SwapgateError<C> {
  if (!(error instanceof SwapgateError)) return false
  return codes.length === 0 || (codes as readonly ErrorCode[]).includes(error.code)
}

/** @returns null for a code that this version of the client does not know */
export function codeOf(value: unknown): Code | null {
  return (CODES as readonly unknown[]).includes(value) ? (value as Code) : null
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
