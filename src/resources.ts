/**
 * The shapes of spec §2 that are served so far, in §2's order. Validation,
 * TypeScript types and the OpenAPI document all come from these.
 */
import { type Static, Type } from 'typebox'
import { METHOD_NAMES } from './solana/methods.ts'

const Uri = Type.String({ format: 'uri' })
const nullable = <T extends ReturnType<typeof Type.Integer | typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()])

export const Chain = Type.Object({
  key: Type.String({ description: "the service's chain key" }),
  evm: Type.Optional(Type.Boolean()),
  sui: Type.Optional(Type.Boolean()),
  ton: Type.Optional(Type.Boolean()),
  chainId: Type.Optional(nullable(Type.Integer())),
  chainIdHex: Type.Optional(nullable(Type.String())),
  name: Type.String(),
  native: Type.String({ description: 'native asset' }),
  decimals: Type.Integer(),
  rpc: Type.Optional(Type.Array(Uri, { description: 'public RPC candidates' })),
  explorer: Uri,
  aggregator: Type.Optional(nullable(Type.String({ description: 'route provider label' }))),
  xprovChainId: Type.Optional(
    nullable(
      Type.Integer({ description: 'numeric chain id used by the cross-chain provider; may exceed 2^53 - 1' }),
    ),
  ),
})
export type Chain = Static<typeof Chain>

export const Chains = Type.Object({ chains: Type.Array(Chain) })

export const SolanaRpcRequest = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Unknown({ description: 'comes back exactly as it was sent' })),
    method: Type.Enum([...METHOD_NAMES]),
    params: Type.Array(Type.Unknown()),
  },
  { additionalProperties: false },
)
export type SolanaRpcRequest = Static<typeof SolanaRpcRequest>

export const SolanaRpcResponse = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(Type.Unknown()),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Unknown()),
})

/** The Error body (§7): extra properties are allowed, and these are the ones that occur. */
export const ErrorBody = Type.Object({
  error: Type.String({ description: 'what is wrong, and what would be accepted' }),
  scope: Type.Optional(Type.String()),
  code: Type.Optional(Type.String({ description: 'stable and machine-readable' })),
  field: Type.Optional(Type.String({ description: 'the input at fault' })),
  index: Type.Optional(Type.Integer({ description: 'the signature at fault' })),
  transaction: Type.Optional(Type.Integer({ description: 'the transaction of a batch at fault' })),
  provider: Type.Optional(Type.String()),
  upstreamStatus: Type.Optional(Type.Integer()),
  retryAfterMs: Type.Optional(Type.Integer()),
  budget: Type.Optional(Type.String()),
})

export const Health = Type.Object({
  status: Type.Enum(['ok', 'draining']),
  mode: Type.Enum(['sandbox', 'live']),
  version: Type.String(),
  uptime: Type.Number({ description: 'seconds' }),
  providers: Type.Array(
    Type.Object({
      name: Type.String(),
      state: Type.Enum(['ok', 'cooling', 'untried'], {
        description: 'cooling: skipped after failures, for a while',
      }),
      lastSuccessAgoMs: nullable(Type.Integer()),
      failures: Type.Integer({ description: 'in a row' }),
    }),
  ),
  sandbox: Type.Optional(
    Type.Object({
      solanaRpc: Type.String({ description: 'the simulated node, with a faucet: requestAirdrop' }),
    }),
  ),
})

export const Settings = Type.Object({
  mode: Type.Enum(['sandbox', 'live']),
  version: Type.String(),
  limits: Type.Record(
    Type.String(),
    Type.Object({
      client: nullable(Type.Integer()),
      global: nullable(Type.Integer()),
      windowSeconds: Type.Integer(),
    }),
    { description: 'requests per window, by budget; null where a limit is lifted' },
  ),
  relay: Type.Object({
    methods: Type.Array(Type.String()),
    maxTransactionBytes: Type.Integer(),
    maxRetries: Type.Integer(),
    minBatch: Type.Integer(),
    maxBatch: Type.Integer(),
  }),
})

/** What the OpenAPI document lists by name. */
export const COMPONENTS = {
  Chain,
  Chains,
  SolanaRpcRequest,
  SolanaRpcResponse,
  ErrorBody,
  Health,
  Settings,
}
