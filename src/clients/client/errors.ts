/** Every failure of the client: refusals by the gateway under their `code`, and what went wrong on the way there. */
import { CODES, type Code } from './generated/codes.ts'

/** What the gateway has no part in, or said in another way than by an Error body. */
export type ClientCode =
  /** No answer came: the connection could not be made, or broke. */
  | 'network'
  /** No whole answer came within `timeoutMs`. */
  | 'timeout'
  /** The caller's signal ended it; `cause` is the signal's reason. */
  | 'aborted'
  /** The answer is none of the gateway's: an error page of a proxy, or a code that this version does not know. */
  | 'unexpected_response'
  /** The Solana node answered a JSON-RPC error; `rpc` has it. */
  | 'rpc_error'

export type ErrorCode = Code | ClientCode

/** As it stands in a JSON-RPC response. */
export interface RpcError {
  /** Such as -32002, a preflight that failed. */
  code: number
  message: string
  /** Such as the logs of a simulation. */
  data?: unknown
}

export interface ErrorDetails {
  readonly status?: number
  readonly body?: { readonly [name: string]: unknown } | null
  readonly retryAfterMs?: number | null
  readonly requestId?: string | null
  readonly rpc?: RpcError | null
  readonly cause?: unknown
}

export class SwapgateError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C
  /** Of the HTTP response; 0 where there is none. */
  readonly status: number
  /** The part of the service that refused, such as `limit` or `provider`. */
  readonly scope: string | null
  /** The input at fault. */
  readonly field: string | null
  /** When to come again, where the gateway tells. */
  readonly retryAfterMs: number | null
  /** The gateway's log has the request under it. */
  readonly requestId: string | null
  /** The Error body, with what else it tells, such as `provider`, `rule` or `minOut`; null where there is none. */
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

/** Whether it is an error of the client, with one of these codes where some are given. */
export function isSwapgateError<C extends ErrorCode = ErrorCode>(
  error: unknown,
  ...codes: readonly C[]
): error is SwapgateError<C> {
  if (!(error instanceof SwapgateError)) return false
  return codes.length === 0 || (codes as readonly ErrorCode[]).includes(error.code)
}

/** @returns null where the text is not a code that this version of the client knows */
export function codeOf(value: unknown): Code | null {
  return (CODES as readonly unknown[]).includes(value) ? (value as Code) : null
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
