/**
 * Every failure that leaves the service, as data. The table below is the only
 * place where a status or a scope is chosen; the README prints it.
 *
 * Source: spec §7
 */

export type Scope =
  | 'validation'
  | 'not_found'
  | 'method'
  | 'body'
  | 'limit'
  | 'route'
  | 'provider'
  | 'rpc'
  | 'relay'
  | 'internal'

interface Row {
  readonly status: number
  readonly scope: Scope
  /** What it means, for the README and the OpenAPI document. */
  readonly meaning: string
}

const row = (status: number, scope: Scope, meaning: string): Row => ({ status, scope, meaning })

/** Stable, machine-readable codes. R-numbers are the relay's wire rules. */
export const CODES = {
  invalid_parameter: row(
    400,
    'validation',
    'an input is missing or has the wrong type, form or range; `field` names it',
  ),
  malformed_query: row(
    400,
    'validation',
    'the query string is not valid percent-encoded UTF-8, or names a scalar twice',
  ),
  malformed_path: row(400, 'validation', 'a path segment is not valid percent-encoded UTF-8'),
  malformed_body: row(400, 'body', 'the body is not one JSON document in UTF-8'),
  body_too_large: row(413, 'body', "the body is longer than the route's bound"),
  unsupported_media_type: row(
    415,
    'body',
    'the content type is present and is not JSON, or the body is compressed',
  ),
  request_timeout: row(408, 'body', 'the request did not arrive in time'),
  malformed_request: row(400, 'validation', 'the bytes are not an HTTP/1.1 request'),
  uri_too_long: row(414, 'validation', 'the request target is longer than 8,192 bytes'),
  headers_too_large: row(431, 'validation', 'the request header is longer than 16 KiB'),
  not_found: row(404, 'not_found', 'nothing is served at this path'),
  token_not_found: row(
    404,
    'not_found',
    'no source that answered knows a token of this address on this chain',
  ),
  wrong_method: row(405, 'method', 'the path is served, with the methods that `Allow` names'),
  budget_exhausted: row(
    429,
    'limit',
    "the client's or the global window is used up; `budget` and `retryAfterMs` say which and until when",
  ),

  method_not_allowed: row(400, 'relay', 'the JSON-RPC method is not one of the fourteen that are relayed'),
  preflight_required: row(400, 'relay', '`skipPreflight: true` is refused'),
  batch_size_invalid: row(400, 'relay', 'a signed batch holds 2 to 10 transactions'),
  batch_duplicate: row(400, 'relay', 'the same transaction stands twice in a batch'),
  transaction_too_large: row(400, 'relay', 'R1, R2: more than 1,232 bytes'),
  transaction_encoding_invalid: row(400, 'relay', 'R3: not strict base64 or base58'),
  transaction_truncated: row(400, 'relay', 'R4: the bytes end before the transaction does'),
  compact_u16_malformed: row(
    400,
    'relay',
    'R4, R5: a length is not in its shortest form, or is too large for its field',
  ),
  signature_count_invalid: row(400, 'relay', 'R6: not 1 to 12 signatures'),
  transaction_version_unsupported: row(400, 'relay', 'R7: neither legacy nor version 0'),
  transaction_v1_unsupported: row(
    400,
    'relay',
    'a version 1 transaction (SIMD-0385), which this relay does not take',
  ),
  signature_count_mismatch: row(
    400,
    'relay',
    'R8: the number of signatures is not the number of required signers',
  ),
  account_keys_missing: row(400, 'relay', 'R9: fewer account keys than signatures'),
  fee_payer_readonly: row(400, 'relay', 'R10: no writable signer that could pay the fee'),
  header_out_of_range: row(400, 'relay', 'R11: the header counts more accounts than there are keys'),
  account_count_invalid: row(400, 'relay', 'R12: not 1 to 38 static account keys'),
  program_is_fee_payer: row(400, 'relay', 'R13: an instruction names the fee payer as its program'),
  program_index_out_of_range: row(400, 'relay', 'R14: a program is not among the static keys'),
  account_index_out_of_range: row(400, 'relay', 'R15: an instruction names an account that is not there'),
  too_many_instructions: row(400, 'relay', 'R16: more than 64 top-level instructions'),
  lookup_empty: row(400, 'relay', 'R18: a lookup table entry loads no account'),
  too_many_accounts: row(400, 'relay', 'R19: more than 256 static and looked-up accounts'),
  too_many_lookups: row(400, 'relay', 'R20: more lookup tables than the transaction has room for'),
  trailing_bytes: row(
    400,
    'relay',
    'R21: bytes follow the last field; a leader would drop the transaction silently',
  ),
  duplicate_account: row(400, 'relay', 'R22: a static key stands twice; locking its account would fail'),
  duplicate_lookup: row(400, 'relay', 'R23: the same entry of the same lookup table is loaded twice'),
  signature_invalid: row(400, 'relay', 'R26: a signature does not verify strictly; `index` says which'),
  transaction_not_signed: row(
    400,
    'relay',
    'R27: a required signature is still all zeros; `index` says which',
  ),

  unsupported_chain: row(
    400,
    'route',
    'no provider is configured for this chain, or for this pair of chains',
  ),
  no_route: row(400, 'route', 'no provider found a route for this pair and amount'),
  unknown_token: row(400, 'route', 'the token does not exist on this chain, or no provider knows it'),
  amount_too_small: row(400, 'route', 'the amount is zero in base units, or below what a route takes'),
  amount_too_large: row(400, 'route', 'the amount is above what a route takes'),
  amount_precision: row(400, 'validation', 'the amount has more fraction digits than the token has decimals'),
  unsupported_slippage: row(
    400,
    'route',
    'the provider does not take this slippage; the message says what it takes',
  ),
  recipient_required: row(
    400,
    'validation',
    '`to` must be given, because the address formats of the two chains differ',
  ),
  quote_mismatch: row(400, 'route', 'the quote was edited, was sealed elsewhere, or is not for this request'),
  quote_moved: row(
    400,
    'route',
    'the market moved below the minimum of the quote; `minOut` and `expectedOut` say how far',
  ),
  material_refused: row(
    502,
    'provider',
    'what the provider built is not what was asked for; `rule` names what failed',
  ),

  upstream_unavailable: row(
    502,
    'rpc',
    'no upstream could be reached, or all of them are cooling down; `retryAfterMs` says until when',
  ),
  upstream_timeout: row(502, 'rpc', 'the upstream did not answer in time'),
  upstream_unusable: row(
    502,
    'rpc',
    'the upstream answered something that is not one JSON-RPC response to our request',
  ),
  upstream_refused: row(502, 'rpc', "the upstream refused the gateway's credentials or address"),
  upstream_rate_limited: row(
    502,
    'rpc',
    "the upstream's own rate limit is reached; `retryAfterMs` says until when, where it told",
  ),
  upstream_failed: row(502, 'rpc', 'the upstream answered with a server error; `upstreamStatus` says which'),
  upstream_status: row(502, 'rpc', "the upstream's own, unlisted status, passed through"),
  signature_mismatch: row(
    502,
    'rpc',
    'the upstream acknowledged another signature than the one that was sent',
  ),
  internal_error: row(502, 'internal', 'a fault of the gateway itself; the log has it under the request id'),
} as const satisfies Record<string, Row>

export type Code = keyof typeof CODES

/** What an Error body may carry beside `error`, `scope` and `code` (spec §7: extra properties are allowed). */
export interface ErrorFields {
  readonly field?: string
  readonly index?: number
  readonly transaction?: number
  readonly provider?: string
  readonly upstreamStatus?: number
  readonly retryAfterMs?: number
  readonly budget?: string
  /** In the place of the code's own scope: an upstream may be an RPC node or a provider. */
  readonly scope?: Scope
  readonly rule?: string
  readonly minOut?: string
  readonly expectedOut?: string
}

/**
 * A failure with a public face. Its message is sent to the caller: it says
 * what is wrong and what would be accepted, and never quotes an upstream, a
 * URL or a key. No stack is captured: it is an answer, not a bug.
 */
export class GatewayError extends Error {
  readonly code: Code
  readonly status: number
  readonly scope: Scope
  readonly fields: ErrorFields

  constructor(
    code: Code,
    message: string,
    fields: ErrorFields = NO_FIELDS,
    status: number = CODES[code].status,
  ) {
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = limit
    this.name = 'GatewayError'
    this.code = code
    this.status = status
    this.scope = fields.scope ?? CODES[code].scope
    this.fields = fields
  }
}

const NO_FIELDS: ErrorFields = {}
