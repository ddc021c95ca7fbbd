/**
 * The requests sent to the compared servers, and the replies that all of them must
 * give: the gateway's own, written down once for its peers.
 */
export const BALANCE_CALL =
  '{"jsonrpc":"2.0","id":1,"method":"getBalance","params":["Vote111111111111111111111111111111111111111",{"commitment":"confirmed"}]}'

const BALANCE_START = '{"jsonrpc":"2.0","result":{"context":{"apiVersion":"2.3.8","slot":357841208},"value":'

/** A node's reply to any call, with the call's id. The lamports exceed what a double holds exactly. */
export const balanceReply = (id: string): string => `${BALANCE_START}9007199254740993},"id":${id}}`

/** The headers that are the same in every reply of the gateway; names and values alternate. */
export const CONSTANT_HEADERS: readonly string[] = [
  'Content-Type',
  'application/json; charset=utf-8',
  'Cache-Control',
  'no-store',
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'X-Request-Id, X-Swapgate-Mode, Retry-After, RateLimit, RateLimit-Policy, Server-Timing, ETag',
  'Timing-Allow-Origin',
  '*',
]

/** Stand-ins, of the usual length, for the headers that the gateway computes for each request. */
export const SAMPLE_HEADERS: readonly string[] = [
  'X-Request-Id',
  'k3x09a7q-1z4d',
  'Server-Timing',
  'validate;dur=0.012, total;dur=0.034',
]
export const SAMPLE_LIMITS: readonly string[] = [
  'RateLimit',
  '"rpcRead-client";r=999990000;t=60, "rpcRead-global";r=999990000;t=60',
  'RateLimit-Policy',
  '"rpcRead-client";q=1000000000;w=60, "rpcRead-global";q=1000000000;w=60',
]
