/**
 * Every error that leaves the service, as data. Each code has its status and scope in the table below, which
 * docs/errors.md prints. Two fields of an error may differ from its row: upstream errors have the scope of
 * their upstream (an RPC node or a provider), and `upstream_status` the status that the upstream sent.
 *
 * Source: spec §7
 */

type ErrorScope =
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

interface ErrorRow {
  readonly status: number
  readonly scope: ErrorScope
  /** What the code means, for docs/errors.md and the OpenAPI document. */
  readonly meaning: string
}

/** Rows for codes that share a status and a scope. */
function group<Name extends string>(status: number, scope: ErrorScope, meanings: Record<Name, string>) {
  const rows = Object.entries<string>(meanings).map(([code, meaning]) => [code, { status, scope, meaning }])
  return Object.fromEntries(rows) as Record<Name, ErrorRow>
}

/** The stable, machine-readable codes. R-numbers are the relay's wire rules. */
export const CODES = {
  ...group(400, 'validation', {
    invalid_parameter: 'an input is missing or has the wrong type, form or range; `field` names it',
    malformed_query: 'the query string is not valid percent-encoded UTF-8, or names a scalar twice',
    malformed_path: 'a path segment is not valid percent-encoded UTF-8',
    malformed_request: 'the bytes are not an HTTP/1.1 request',
    amount_precision: 'the amount has more fraction digits than the token has decimals',
    recipient_required: '`to` must be given, because the address formats of the two chains differ',
    address_refused:
      'the request names an address that the operator refuses (SANCTIONS_FILE); `field` says where',
  }),
  ...group(414, 'validation', { uri_too_long: 'the request target is longer than 8,192 bytes' }),
  ...group(431, 'validation', { headers_too_large: 'the request header is longer than 16 KiB' }),
  ...group(403, 'validation', {
    origin_not_allowed:
      "the request comes from a page whose origin CORS_ORIGINS does not allow (POST, WebSocket), or that asks under a name that is not the gateway's (CORS_ORIGINS=off)",
  }),
  ...group(404, 'not_found', {
    not_found: 'nothing is served at this path',
    item_not_found: "the operator's content has no such item",
    token_not_found: 'none of the sources that answered knows a token at this address on this chain',
    logo_not_found: 'no list that was read names a logo for this token',
    receipt_not_found: 'the transaction is not among the last 10,000 submitted here',
  }),
  ...group(405, 'method', {
    wrong_method: 'the path does not take this method; `Allow` lists those that it takes',
  }),
  ...group(417, 'validation', {
    expectation_failed: 'the request expects something other than `100-continue`',
  }),
  ...group(400, 'body', {
    malformed_body: 'the body is not one JSON document in UTF-8, nests too deeply, or holds too many values',
  }),
  ...group(408, 'body', { request_timeout: 'the request did not arrive in time' }),
  ...group(413, 'body', { body_too_large: "the body is longer than the route's limit" }),
  ...group(415, 'body', {
    unsupported_media_type: 'the content type is given and is not JSON, or the body is compressed',
  }),
  ...group(429, 'limit', {
    budget_exhausted:
      'the budget of the client, or of all clients, is used up for this minute; `budget` says which, `retryAfterMs` until when',
    too_many_streams: 'the client already has as many event streams open as one client may have',
  }),
  ...group(503, 'limit', {
    overloaded:
      'there is too much of something, and the message says of what: load; connections, of your address or in all (this one is closed); event streams in all; or bytes held for you or for all (read the replies to your other requests)',
  }),
  ...group(400, 'relay', {
    method_not_allowed: 'the relay does not take this JSON-RPC method',
    array_not_allowed: 'the body is an array of calls, which needs RPC_COMPAT=node',
    array_size_invalid: 'the array does not hold 1 to 10 calls',
    submission_in_array: 'the array contains a submission; send it alone',
    array_answer_too_long: 'the answers to the array of calls exceed 4 MiB together',
    preflight_required: '`skipPreflight: true` is refused',
    program_not_allowed:
      'an instruction calls a program that PROGRAMS does not list; `index` is the instruction, `address` the program',
    batch_size_invalid: 'the batch does not hold 2 to 10 transactions',
    batch_duplicate: 'the batch holds the same transaction twice',
    transaction_too_large: 'R1, R2: more than 1,232 bytes, or than MAX_V1_TRANSACTION_BYTES for version 1',
    transaction_encoding_invalid: 'R3: not strict base64 or base58',
    transaction_truncated: 'R4: the bytes end before the transaction does',
    compact_u16_malformed: 'R4, R5: a length is not in its shortest form, or is too large for its field',
    signature_count_invalid: 'R6: not 1 to 12 signatures',
    transaction_version_unsupported: 'R7: neither legacy nor version 0 or 1',
    signature_count_mismatch: 'R8: the number of signatures is not the number of required signers',
    account_keys_missing: 'R9: fewer account keys than signatures',
    fee_payer_readonly: 'R10: no writable signer that could pay the fee',
    header_out_of_range: 'R11: the header counts more accounts than there are keys',
    account_count_invalid: 'R12: not 1 to 38 static account keys, or 1 to 64 in version 1',
    program_is_fee_payer: 'R13: an instruction names the fee payer as its program',
    program_index_out_of_range: 'R14: a program is not among the static keys',
    account_index_out_of_range: 'R15: an instruction names an account that does not exist',
    too_many_instructions: 'R16: more than 64 top-level instructions',
    lookup_empty: 'R18: a lookup table entry loads no account',
    too_many_accounts: 'R19: more than 256 static and looked-up accounts',
    too_many_lookups: 'R20: more lookup tables than the transaction has room for',
    trailing_bytes: 'R21: bytes follow the last field; a leader would drop the transaction silently',
    duplicate_account: 'R22: a static key occurs twice; locking its account would fail',
    duplicate_lookup: 'R23: the same entry of the same lookup table is loaded twice',
    config_mask_invalid:
      'version 1: the config mask has an unknown bit, or only one of the two for the priority fee',
    heap_size_invalid: 'version 1: the heap is not a multiple of 1,024 bytes from 32,768 to 262,144',
    signature_invalid: 'R26: a signature does not verify strictly; `index` says which',
    transaction_not_signed: 'R27: a required signature is still all zeros; `index` says which',
  }),
  ...group(400, 'route', {
    unsupported_chain:
      'the chain is not served here (CHAINS), or no provider is configured for it, or for this pair of chains',
    unsupported_route:
      'no route that can be proved leads from this token and chain to that one; the message says what is possible',
    insufficient_balance:
      'the wallet holds too little of what is sold, or of the coin for network fees, so the material cannot be proved; `required` and `available` say how much, in base units',
    no_route: 'no provider found a route for this pair and amount',
    unknown_token: 'the token does not exist on this chain, or no provider knows it',
    amount_too_small: "the amount is zero in base units, or below a route's minimum",
    amount_too_large: "the amount is above a route's maximum",
    unsupported_slippage: 'the provider does not accept this slippage; the message says what it accepts',
    quote_mismatch: 'the quote was edited, was sealed by another gateway, or is for another request',
    quote_moved: 'the market moved below the minimum of the quote; `minOut` and `expectedOut` say how far',
  }),
  ...group(502, 'provider', {
    material_refused: 'what the provider built does not match the order; `rule` names the failed check',
    contract_not_allowed:
      'what the provider built calls a contract or program that CONTRACTS or PROGRAMS does not list, or names an address that the operator refuses; `address` is it',
    price_out_of_line:
      'the offer is far below what two independent price sources say that the amount is worth; `expectedOut` and `fairOut` say how far',
    material_unproved:
      'what the provider built cannot be verified to the level of MIN_VERIFICATION; `rule` names what is missing',
  }),
  ...group(502, 'rpc', {
    upstream_unavailable:
      'no upstream could be reached, or all of them are cooling down; `retryAfterMs` says until when',
    upstream_timeout: 'the upstream did not answer in time',
    upstream_unusable: 'the upstream sent something other than one JSON-RPC response to the request',
    upstream_refused: "the upstream refused the gateway's credentials or address",
    upstream_rate_limited:
      "the upstream's own rate limit is reached; `retryAfterMs` says until when, if the upstream said so",
    upstream_failed: 'the upstream answered with a server error; `upstreamStatus` says which',
    upstream_status: "the upstream's own status, which is none of the others, passed through",
    wrong_cluster:
      'the upstreams belong to another Solana cluster than the one served here, and get no calls',
    signature_mismatch: 'the upstream acknowledged another signature than the one sent',
  }),
  ...group(502, 'internal', {
    internal_error: 'a fault of the gateway itself; the log has it under the request id',
  }),
}

export type Code = keyof typeof CODES

/**
 * The extra properties of an Error body, in addition to `error`, `scope` and `code` (spec §7 allows them).
 */
export interface ErrorFields {
  readonly field?: string
  readonly index?: number
  readonly transaction?: number
  readonly provider?: string
  readonly upstreamStatus?: number
  readonly retryAfterMs?: number
  readonly budget?: string
  /** Overrides the code's own scope: an upstream may be an RPC node or a provider. */
  readonly scope?: ErrorScope
  readonly rule?: string
  /** The contract, program or account that is not allowed. */
  readonly address?: string
  readonly minOut?: string
  readonly expectedOut?: string
  readonly fairOut?: string
  /** The missing amount, in base units. */
  readonly required?: string
  readonly available?: string
}

/**
 * An error that is an answer. Its message is sent to the client: it says what is wrong and what would be
 * accepted, and never quotes an upstream, a URL or a key. It captures no stack, because it isn't a bug.
 */
export class GatewayError extends Error {
  readonly code: Code
  readonly status: number
  readonly scope: ErrorScope
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

/** The Error body (spec §7). */
export const errorBody = (code: Code, message: string, fields: ErrorFields = {}) => ({
  error: message,
  scope: CODES[code].scope,
  code,
  ...fields,
})

/** For `catch`: null in place of an error that is an answer, as the log and the metrics have it. @throws any other: a bug */
export function nullIfRefused(error: unknown): null {
  if (error instanceof GatewayError) return null
  throw error
}

/** The same, while somebody waits for the answer. */
export function nullWhileAwaited(scope: { readonly isCancelled: boolean }): (error: unknown) => null {
  return (error) => {
    if (scope.isCancelled) throw error
    return nullIfRefused(error)
  }
}

/** Null in place of the error of an upstream that did not answer. */
export function nullIfUnanswered(error: unknown): null {
  if (error instanceof GatewayError && error.code.startsWith('upstream_')) return null
  throw error
}

/** @param field  the name of the field in the request */
export function invalidParameter(field: string, message: string): GatewayError {
  return new GatewayError('invalid_parameter', message, { field })
}
