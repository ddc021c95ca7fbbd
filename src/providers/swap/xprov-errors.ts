/**
 * Maps LI.FI's refusals to the gateway's errors: by the code in the body, and for a quote by the errors of
 * its tools. LI.FI's sentences are not passed on.
 *
 * Source: docs.li.fi, error codes · lifinance/types src/runtime/errors.ts
 */
import { Type } from 'typebox'
import { fieldsOf } from '../../chains/json/fields.ts'
import { type Code, GatewayError } from '../../runtime/errors.ts'
import { LIMITED, RequestFailed } from '../../upstream/request.ts'
import { answerReader } from '../answer.ts'
import { refusalOf } from '../refusals.ts'

const NO_QUOTE = 1_002
const NOT_FOUND = 1_003
const RATE_LIMIT = 1_005
const TIMEOUT = 1_009
const UNAUTHORIZED = 1_010
const VALIDATION = 1_011
/** LI.FI's own failures: unnamed, server, schema. */
const FAILURES: ReadonlySet<number> = new Set([1_000, 1_006, 1_013])
/** LI.FI's failures at one route: building, processing, slippage check, a bridge or exchange, a chain's RPC. */
const ROUTE_FAILURES: ReadonlySet<number> = new Set([1_001, 1_004, 1_007, 1_008, 1_012])

const readRefusal = answerReader(
  Type.Object({
    message: Type.String(),
    code: Type.Optional(Type.Number()),
    errors: Type.Optional(Type.Unknown()),
  }),
)

/**
 * Reads an answer with another status than 200, as the reader of an UpstreamRequest.
 * @param path  the request's path
 * @returns LIMITED for a rate limit; null if the answer has another form, or an unlisted code
 * @throws GatewayError  the refusal
 */
export function readFailure(status: number, body: Buffer, path: string): typeof LIMITED | null {
  const refusal = readRefusal(body)?.value
  if (refusal === undefined) return null
  const isQuote = path.startsWith('/v1/quote')
  const isStatus = path.startsWith('/v1/status')
  const code = refusal.code ?? implied(status, isQuote)
  if (isQuote && code === NO_QUOTE) throw refusalOf('xprov', noRoute(refusal.errors))!
  if (isQuote && code === NOT_FOUND) throw refusalOf('xprov', 'token')!
  if (path.startsWith('/v1/token') && (code === NOT_FOUND || code === VALIDATION)) {
    // The chain in the request is known to be right, so either code is about the token.
    throw refusalOf('xprov', 'token')!
  }
  if (code === VALIDATION) throw refusalOf('xprov', isStatus ? 'transfer' : 'values')!
  if (code === RATE_LIMIT) return LIMITED
  if (code === TIMEOUT) throw fail('upstream_timeout', status)
  if (code === UNAUTHORIZED) throw fail('upstream_refused', status)
  // Its refusal of a transfer is passed on (§7): another try would not help.
  if (isStatus && status < 500) return null
  if (FAILURES.has(code)) throw fail('upstream_failed', status)
  if (ROUTE_FAILURES.has(code)) throw new RequestFailed(fail('upstream_failed', status))
  return null
}

/** The code that a body without one implies, where the provider's OpenAPI document describes the status. */
function implied(status: number, isQuote: boolean): number {
  if (status === 404) return isQuote ? NO_QUOTE : NOT_FOUND
  return status === 400 ? VALIDATION : Number.NaN
}

/** A tool that would take another amount helps the client more than any number that found no path. */
function noRoute(errors: unknown): string {
  const codes = toolCodes(errors)
  if (codes.has('AMOUNT_TOO_LOW') || codes.has('FEES_HIGHER_THAN_AMOUNT')) return 'small'
  return codes.has('AMOUNT_TOO_HIGH') ? 'large' : 'route'
}

/** The tools' error codes: `failed[].subpaths{}` holds an error, or a list of them. */
function toolCodes(errors: unknown): ReadonlySet<unknown> {
  const { failed } = fieldsOf(errors)
  const paths = Array.isArray(failed) ? failed : []
  const tools = paths.flatMap((path) => Object.values(fieldsOf(fieldsOf(path).subpaths)).flat())
  return new Set(tools.map((tool) => fieldsOf(tool).code))
}

const FAILED = {
  upstream_timeout: 'The route provider ran out of time. Try again later.',
  upstream_refused: "The upstream refused the gateway's credentials or address.",
  upstream_failed: 'The route provider could not finish the request. Try again later.',
} as const satisfies Partial<Record<Code, string>>

const fail = (code: keyof typeof FAILED, upstreamStatus: number): GatewayError =>
  new GatewayError(code, FAILED[code], { provider: 'xprov', scope: 'provider', upstreamStatus })
