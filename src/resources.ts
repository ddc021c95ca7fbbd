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

const Side = Type.Enum(['buy', 'sell'])
/** §4.5; a positive decimal, which the pattern alone does not ensure. */
const Amount = Type.String({
  pattern: '^\\d*\\.?\\d+$',
  maxLength: 100,
  title: 'a positive decimal such as 1.5',
})
const SlippageBps = Type.Integer({ minimum: 1, maximum: 5000, default: 300 })
const FreeForm = Type.Object({}, { description: 'free-form' })
const BaseUnits = Type.String({ description: 'base units, decimal' })

/** What a swap is asked for by: §4.5's query, and the same fields of §2's BuildRequest. */
export const QuoteQuery = Type.Object({
  chain: Type.String({ description: 'chain key' }),
  side: Side,
  token: Type.String({ description: 'chain-specific token address or identifier', maxLength: 256 }),
  amount: Amount,
  slippageBps: SlippageBps,
  from: Type.Optional(Type.String({ description: 'public sender address', maxLength: 256 })),
})
export type QuoteQuery = Static<typeof QuoteQuery>

export const Quote = Type.Object({
  provider: Type.String(),
  chain: Type.String(),
  chainId: nullable(Type.Integer()),
  side: Side,
  from: nullable(Type.String()),
  amountIn: BaseUnits,
  amountInHuman: Type.Number(),
  expectedOut: nullable(BaseUnits),
  expectedOutHuman: Type.Union([Type.Number(), Type.Null()]),
  minOut: nullable(BaseUnits),
  slippageBps: Type.Integer(),
  priceImpactPct: Type.Union([Type.Number({ description: 'percent, positive is a loss' }), Type.Null()]),
  route: Type.Object(
    {
      asOf: Type.Integer({ description: 'when the provider answered, ms epoch' }),
      seal: Type.String({ description: 'proves to /api/build that the quote is unchanged' }),
      raw: Type.String({ description: "the provider's own answer, as JSON text" }),
      alternatives: Type.Array(FreeForm, { description: 'what became of the other providers' }),
    },
    { description: "the provider's route, free-form beyond these" },
  ),
})
export type Quote = Static<typeof Quote>

export const BuildRequest = Type.Object(
  {
    chain: Type.String(),
    side: Side,
    token: Type.String({ maxLength: 256 }),
    amount: Amount,
    slippageBps: Type.Optional(SlippageBps),
    from: Type.String({
      description: 'public signing-wallet address; output is bound to it',
      maxLength: 256,
    }),
    quote: Type.Object({}, { description: 'the prior /api/quote response, unchanged' }),
  },
  { additionalProperties: false },
)
export type BuildRequest = Static<typeof BuildRequest>

export const BuildResult = Type.Object({
  provider: Type.String(),
  chain: Type.String(),
  chainId: Type.Optional(nullable(Type.Integer())),
  from: Type.String(),
  to: Type.Optional(Type.String()),
  data: Type.Optional(Type.String({ description: 'calldata' })),
  value: Type.Optional(Type.String({ description: 'wei, decimal' })),
  approval: Type.Optional(Type.Union([FreeForm, Type.Null()])),
  swapTransaction: Type.Optional(Type.String({ description: 'base64' })),
  solanaTransaction: Type.Optional(Type.String({ description: 'base64' })),
  suiTransaction: Type.Optional(Type.String({ description: 'base64' })),
  tonMessage: Type.Optional(FreeForm),
  lastValidBlockHeight: Type.Optional(Type.Integer()),
  expectedOut: Type.Optional(BaseUnits),
  minOut: Type.Optional(BaseUnits),
  verification: Type.Optional(Type.Object({}, { description: 'what was proved of the material' })),
})
export type BuildResult = Static<typeof BuildResult>

export const CrossChainQuote = Type.Object({
  provider: Type.Literal('xprov'),
  id: Type.Optional(Type.String()),
  kind: Type.Enum(['evm', 'solana', 'sui']),
  fromChain: Type.Integer({ description: 'numeric provider chain id' }),
  toChain: Type.Integer({ description: 'numeric provider chain id' }),
  from: Type.String(),
  to: Type.String(),
  estimate: FreeForm,
  transactionRequest: Type.Optional(Type.Union([FreeForm, Type.Null()])),
  solanaTransaction: Type.Optional(nullable(Type.String({ description: 'base64' }))),
  suiTransaction: Type.Optional(nullable(Type.String({ description: 'base64' }))),
  approval: Type.Optional(Type.Union([FreeForm, Type.Null()])),
  verification: Type.Optional(FreeForm),
})
export type CrossChainQuote = Static<typeof CrossChainQuote>

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
      control: Type.String({ description: "where the simulated providers' faults are set" }),
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
  Quote,
  BuildRequest,
  BuildResult,
  CrossChainQuote,
  SolanaRpcRequest,
  SolanaRpcResponse,
  ErrorBody,
  Health,
  Settings,
}
