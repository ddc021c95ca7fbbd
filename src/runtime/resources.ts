/**
 * The shapes of spec §2. Validation, TypeScript types and the OpenAPI document
 * all come from these.
 */
import { type Static, type TSchema, Type } from 'typebox'

/** Extra properties are allowed (§2), and come. */
const OPEN = { additionalProperties: true } as const

const Uri = Type.String({ format: 'uri' })
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** How far built material can be trusted: from the provider's word, by executing it, to its bytes alone. */
export const LEVELS = ['stated', 'simulated', 'proved'] as const
export type Level = (typeof LEVELS)[number]

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

const NullableNumber = (description: string) => Type.Union([Type.Number({ description }), Type.Null()])
const NullableTime = Type.Union([Type.Integer({ description: 'ms epoch' }), Type.Null()])
const FreeForm = Type.Object({}, { description: 'free-form' })
const NullableObject = (description: string) => Type.Union([Type.Object({}, { description }), Type.Null()])

const Change = Type.Object({
  pricePct: NullableNumber('percent, negative where it fell'),
  buys: NullableNumber('how many'),
  sells: NullableNumber('how many'),
})

export const TokenRow = Type.Object(
  {
    chain: Type.String({ description: 'chain key' }),
    address: Type.String(),
    symbol: nullable(Type.String()),
    name: nullable(Type.String()),
    decimals: Type.Optional(Type.Integer()),
    price: Type.Optional(NullableNumber('dollars')),
    priceTs: Type.Optional(NullableTime),
    priceStale: Type.Optional(Type.Boolean({ description: 'the price is more than 60 seconds old' })),
    priceBy: Type.Optional(Type.String({ description: 'the source of the price' })),
    mcap: Type.Optional(NullableNumber('dollars; some sources count what is on other chains')),
    fdv: Type.Optional(NullableNumber('dollars: the whole supply on this chain at this price')),
    liq: Type.Optional(NullableNumber('dollars in those of its pools that are believed')),
    liqOf: Type.Optional(
      Type.Enum(['pool'], { description: '`liq` and `vol24` are of one pool, of the source’s own choice' }),
    ),
    vol24: Type.Optional(NullableNumber('dollars')),
    holders: Type.Optional(NullableNumber('how many')),
    changes: Type.Optional(
      Type.Object(
        {
          m5: Type.Optional(Change),
          h1: Type.Optional(Change),
          h6: Type.Optional(Change),
          h24: Type.Optional(Change),
        },
        { description: 'over the 5 minutes, 1, 6 and 24 hours before `priceTs`' },
      ),
    ),
    image: Type.Optional(Type.String({ description: 'https, at a host where the source keeps images' })),
    firstPoolAt: Type.Optional(Type.Integer({ description: 'when its first pool was made, ms epoch' })),
    launchpad: Type.Optional(Type.String({ description: 'where it was launched' })),
    creatorPct: Type.Optional(Type.Number({ description: "its maker's share of the supply, percent" })),
    topTenPct: Type.Optional(Type.Number({ description: 'the share of the ten largest holders, percent' })),
    verified: Type.Optional(
      Type.Record(Type.String(), Type.Boolean(), {
        description: "which sources vouch that it is what it says; `curated` is the service's own table",
      }),
    ),
    nameSuspicious: Type.Optional(
      Type.Boolean({ description: 'its symbol or name looks like a major, and is written otherwise' }),
    ),
    security: Type.Optional(
      NullableObject('by source, each with its own time `at`; null is unknown, not safe'),
    ),
    lp: Type.Optional(NullableObject('what is locked or burned of its pools, by source')),
    book: Type.Optional(Type.String({ description: 'the list that it is in' })),
    metaTs: Type.Optional(NullableTime),
    profileTs: Type.Optional(NullableTime),
    gate: Type.Optional(
      Type.Array(
        Type.Object({
          rule: Type.String(),
          source: nullable(Type.String()),
          reason: Type.String(),
        }),
        { description: 'why it is held back; only with `all`' },
      ),
    ),
  },
  OPEN,
)
export type TokenRow = Static<typeof TokenRow>

export const TokenList = Type.Object({
  tokens: Type.Array(TokenRow),
  books: Type.Array(
    Type.Object({
      book: Type.String(),
      title: Type.String(),
      source: Type.String(),
      count: Type.Integer({ description: 'rows in it that are not held back' }),
      updatedAt: NullableTime,
      ageMs: nullable(Type.Integer({ description: "when the list was built, of this book's last answer" })),
    }),
  ),
  gated: Type.Optional(Type.Integer({ description: 'rows in scope that the risk gate holds back' })),
  updatedAt: Type.Integer({ description: 'ms epoch when the list was built' }),
})
export type TokenList = Static<typeof TokenList>

const PartNames = (description: string) => Type.Array(Type.String(), { description })

export const TokenProfile = Type.Object(
  {
    chain: Type.String({ description: 'chain key' }),
    token: Type.String({ description: 'its address, in canonical spelling' }),
    updatedAt: Type.Integer({ description: 'ms epoch of the newest answer in it' }),
    row: Type.Optional(Type.Union([TokenRow, Type.Null()])),
    profile: Type.Optional(
      NullableObject(
        'description, image, links, createdAt, mintAuthority and freezeAuthority; an authority is an address, `none` for nobody, null where it is not known',
      ),
    ),
    holders: Type.Optional(
      Type.Array(FreeForm, { description: 'the largest, with their percent of the supply and tags' }),
    ),
    early: Type.Optional(
      Type.Array(FreeForm, {
        description: 'by `kind`: the first pool, each creator, the first buyers while the pool is young',
      }),
    ),
    candles: Type.Optional(Type.Array(FreeForm, { description: 'dollars; `ts` in ms; oldest first' })),
    trades: Type.Optional(Type.Array(FreeForm, { description: 'newest first' })),
    security: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({
          at: Type.Integer({ description: 'when the source was asked, ms epoch' }),
          facts: Type.Object({}, { description: "in the source's own words" }),
          flags: Type.Object({}, { description: 'what is read of them; null is unknown, not safe' }),
          verified: Type.Optional(
            Type.Boolean({ description: 'whether the source vouches that it is what it says' }),
          ),
        }),
        { description: 'by source; sources may contradict each other' },
      ),
    ),
    origins: Type.Record(
      Type.String(),
      Type.Object({
        source: Type.String(),
        at: Type.Integer({ description: 'ms epoch' }),
        stale: Type.Boolean({ description: 'the source failed since' }),
      }),
      { description: 'where the price, holders, candles and trades are from, by part' },
    ),
    sources: Type.Array(
      Type.Object({
        provider: Type.String(),
        status: Type.Enum(['ok', 'stale', 'partial', 'missing', 'failed'], {
          description:
            'stale: what it gave before; partial: not all of its parts; missing: it knows no such token',
        }),
        at: Type.Union([Type.Integer({ description: 'ms epoch of its oldest answer' }), Type.Null()]),
        parts: PartNames('what it gave'),
        failed: PartNames('what it could not give'),
        code: Type.Optional(Type.String({ description: 'why it is not ok' })),
        retryAfterMs: Type.Optional(Type.Integer()),
      }),
      { description: 'what became of each source that was asked' },
    ),
  },
  OPEN,
)
export type TokenProfile = Static<typeof TokenProfile>

export const PortfolioHolding = Type.Object({
  address: Type.String({ description: "the token's" }),
  symbol: nullable(Type.String()),
  name: nullable(Type.String()),
  isNative: Type.Boolean({ description: "the chain's native coin; on Solana with the wallet's wrapped SOL" }),
  listed: Type.Boolean({ description: 'the native coin, or in the token list and not held back' }),
  amount: Type.String({ description: 'base units, decimal' }),
  decimals: nullable(Type.Integer()),
  amountHuman: NullableNumber('whole tokens; null where `decimals` is'),
  wrapped: Type.Optional(Type.String({ description: 'base units of `amount` that are wrapped SOL' })),
  price: NullableNumber('dollars; null where no pool is deep enough for a price to mean something'),
  priceTs: NullableTime,
  valueUsd: NullableNumber('dollars, rounded down to millionths; null: unpriced'),
  cappedBy: Type.Optional(
    Type.Enum(['liquidity'], {
      description:
        '`valueUsd` is less than amount times price: a fifth of what is in the pools, which is more than could be sold',
    }),
  ),
  notes: Type.Array(Type.Enum(['frozen', 'scaled', 'gated']), {
    description:
      'frozen: a part cannot be moved; scaled: wallets show another amount; gated: the token list holds it back',
  }),
})
export type PortfolioHolding = Static<typeof PortfolioHolding>

export const PortfolioProblem = Type.Object({
  part: Type.Enum(['holdings', 'prices']),
  error: Type.String(),
  code: Type.Optional(Type.String({ description: 'as in Error bodies' })),
  provider: Type.Optional(Type.String()),
  missing: Type.Optional(
    Type.Integer({
      description: 'tokens, or lists of them, that were not read, or whose prices were not asked for',
    }),
  ),
})
export type PortfolioProblem = Static<typeof PortfolioProblem>

export const PortfolioEntry = Type.Object({
  chain: Type.String({ description: 'chain key' }),
  status: Type.Enum(['complete', 'partial', 'failed'], { description: '`problems` says what is missing' }),
  block: Type.Optional(nullable(Type.Integer({ description: 'that an EVM chain was read at' }))),
  slot: Type.Optional(nullable(Type.Integer({ description: 'that Solana was read at' }))),
  at: Type.String({ format: 'date-time', description: 'when it was read' }),
  usd: Type.Number({ description: 'the sum of `valueUsd`, and of what is hidden' }),
  tokenCount: Type.Integer({ description: 'how many are held: those in `holdings`, and those hidden' }),
  unpriced: Type.Integer({ description: 'of those, how many have no value' }),
  holdings: Type.Array(PortfolioHolding, { description: 'the most valuable first' }),
  hidden: Type.Object(
    { count: Type.Integer(), unpriced: Type.Integer(), usd: Type.Number() },
    { description: 'held, and not shown: unlisted and worth less than `dust`, or beyond the 500 shown' },
  ),
  problems: Type.Array(PortfolioProblem),
})
export type PortfolioEntry = Static<typeof PortfolioEntry>

export const Portfolio = Type.Object({
  address: Type.Optional(nullable(Type.String())),
  sol: Type.Optional(nullable(Type.String())),
  chains: Type.Array(PortfolioEntry),
  totalUsd: Type.Number({ description: "the sum of the entries' `usd`" }),
  tokenCount: Type.Integer({ description: "the sum of the entries' `tokenCount`" }),
  unpriced: Type.Integer({ description: "the sum of the entries' `unpriced`" }),
  at: Type.String({ format: 'date-time' }),
})
export type Portfolio = Static<typeof Portfolio>

const Side = Type.Enum(['buy', 'sell'], { description: '`buy` spends the native coin, `sell` the token' })
/** An amount (§4.5): a positive decimal, which the pattern alone does not ensure. */
const Amount = Type.String({
  pattern: '^\\d*\\.?\\d+$',
  maxLength: 100,
  title: 'a positive decimal such as 1.5',
  description: 'in units of the coin or token that is spent',
})
/** §4.5 */
export const MIN_SLIPPAGE_BPS = 1
export const MAX_SLIPPAGE_BPS = 5000
/** Where a request names none. */
export const DEFAULT_SLIPPAGE_BPS = 300
const SlippageBps = Type.Integer({
  minimum: MIN_SLIPPAGE_BPS,
  maximum: MAX_SLIPPAGE_BPS,
  default: DEFAULT_SLIPPAGE_BPS,
  description: 'in hundredths of a percent',
})
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

export const Quote = Type.Object(
  {
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
        buildBy: nullable(
          Type.String({
            description: 'the provider that /api/build will ask; null where none of them builds',
          }),
        ),
        alternatives: Type.Array(FreeForm, { description: 'what became of the other providers' }),
      },
      { description: "the provider's route, free-form beyond these", ...OPEN },
    ),
  },
  OPEN,
)
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

/** What was proved of material before it was handed out: docs/verification.md. */
export const Verification = Type.Object(
  {
    level: Type.Enum([...LEVELS], { description: 'how far the material can be trusted' }),
    checks: Type.Array(Type.String(), { description: 'the rules that were checked, and held' }),
    stated: Type.Array(Type.String(), { description: "what is the provider's word even so" }),
    simulation: Type.Union([
      Type.Object({
        by: Type.String({ description: 'how it was executed' }),
        at: nullable(Type.Integer({ description: 'block, slot or checkpoint' })),
        changes: Type.Array(Type.Object({ token: Type.String(), amount: Type.String() })),
      }),
      Type.Null(),
    ]),
  },
  OPEN,
)
export type Verification = Static<typeof Verification>

export const BuildResult = Type.Object(
  {
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
    verification: Type.Optional(Verification),
  },
  OPEN,
)
export type BuildResult = Static<typeof BuildResult>

export const CrossChainQuote = Type.Object(
  {
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
  },
  OPEN,
)
export type CrossChainQuote = Static<typeof CrossChainQuote>

/** The methods that `POST /api/solrpc` relays, in the specification's order; `relay/params.ts` says what each takes. */
export const METHOD_NAMES = [
  'getBalance',
  'getTokenAccountsByOwner',
  'getLatestBlockhash',
  'getSignatureStatuses',
  'getAccountInfo',
  'getMultipleAccounts',
  'getTokenAccountBalance',
  'sendTransaction',
  'sendTransactions',
  'simulateTransaction',
  'getTransaction',
  'getBlockHeight',
  'getSlot',
  'getRecentPrioritizationFees',
] as const
/** Reads that are relayed where the operator lists them in EXTRA_RPC_METHODS. */
export const EXTRA_METHOD_NAMES = [
  'getMinimumBalanceForRentExemption',
  'getFeeForMessage',
  'isBlockhashValid',
  'getSignaturesForAddress',
  'getEpochInfo',
  'getVersion',
  'getGenesisHash',
] as const
export type ExtraMethodName = (typeof EXTRA_METHOD_NAMES)[number]
export type MethodName = (typeof METHOD_NAMES)[number] | ExtraMethodName

/** @param methods  those that are relayed */
export const solanaRpcRequest = (methods: readonly MethodName[]) =>
  Type.Object(
    {
      jsonrpc: Type.Literal('2.0'),
      id: Type.Optional(Type.Unknown({ description: 'comes back exactly as it was sent' })),
      method: Type.Enum([...methods], { 'x-unlisted': 'method_not_allowed' }),
      params: Type.Array(Type.Unknown()),
    },
    { additionalProperties: false },
  )
export const SolanaRpcRequest = solanaRpcRequest(METHOD_NAMES)
export type SolanaRpcRequest = Static<ReturnType<typeof solanaRpcRequest>>

export const SolanaRpcResponse = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Unknown()),
    result: Type.Optional(Type.Unknown()),
    error: Type.Optional(Type.Unknown()),
  },
  OPEN,
)

const Micros = Type.Integer({ description: 'microseconds from the receipt of the request' })

export const SubmissionReceipt = Type.Object({
  digest: Type.String({ description: "the transaction's first signature" }),
  receivedAt: Type.String({ format: 'date-time' }),
  parsedUs: Micros,
  verifiedUs: Micros,
  upstreams: Type.Array(
    Type.Object({
      name: Type.String(),
      sends: Type.Integer({ description: 'how often it was sent there' }),
      sentUs: Micros,
      answeredUs: Type.Union([Micros, Type.Null()]),
      outcome: Type.Union([Type.Enum(['accepted', 'refused', 'failed']), Type.Null()], {
        description: 'its acceptance, or else its last other answer; null while there is none',
      }),
    }),
  ),
  landed: Type.Union([Type.Object({ slot: Type.Integer(), us: Micros }), Type.Null()], {
    description: 'the slot, and when it was first seen there; null where it was not looked for, or not seen',
  }),
})
export type SubmissionReceipt = Static<typeof SubmissionReceipt>

export const Rebroadcasts = Type.Object({
  everyMs: Type.Integer(),
  count: Type.Integer({ description: 'transactions that are being sent again' }),
  transactions: Type.Array(
    Type.Object({
      ageMs: Type.Integer({ description: 'since a node accepted it' }),
      sends: Type.Integer({ description: 'how often it was sent again' }),
      retriesLeft: Type.Integer(),
      nextInMs: Type.Integer(),
      lastValidBlockHeight: nullable(Type.Integer()),
    }),
    { description: 'the oldest, at most 100; without their signatures' },
  ),
})
export type Rebroadcasts = Static<typeof Rebroadcasts>

/** The Error body (§7): extra properties are allowed, and these are the ones that occur. */
export const ErrorBody = Type.Object(
  {
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
    rule: Type.Optional(Type.String({ description: 'what built material was refused for' })),
    minOut: Type.Optional(Type.String({ description: "the quote's, in base units" })),
    expectedOut: Type.Optional(Type.String({ description: 'what the market gives now, in base units' })),
  },
  OPEN,
)

const UpstreamWord = (description: string) =>
  Type.Enum(['ok', 'degraded', 'refused', 'cooling', 'untried'], { description })

export const Health = Type.Object({
  status: Type.Enum(['ok', 'draining']),
  mode: Type.Enum(['sandbox', 'live']),
  version: Type.String(),
  uptime: Type.Number({ description: 'seconds' }),
  redis: nullable(
    Type.Enum(['ok', 'away'], {
      description:
        'what instances share budgets through; away: this one counts for itself; null where none is configured',
    }),
  ),
  providers: Type.Array(
    Type.Object({
      name: Type.String(),
      state: UpstreamWord(
        'cooling: held back for a while, after failures or a 429; refused: it answers, but refuses the gateway, or is of another cluster; degraded: it failed last, never did what it was asked, or limits a part of the calls',
      ),
      submissions: Type.Optional(UpstreamWord('the same of the transactions that are sent to it')),
      lastSuccessAgoMs: nullable(Type.Integer()),
      failures: Type.Integer({ description: 'in a row' }),
      lastError: Type.Union([
        Type.Object({
          code: Type.String(),
          status: nullable(Type.Integer({ description: 'of its answer' })),
          agoMs: Type.Integer(),
        }),
        Type.Null(),
      ]),
    }),
  ),
  sandbox: Type.Optional(
    Type.Object({
      solanaRpc: Type.String({ description: 'the simulated node, with a faucet: requestAirdrop' }),
      evmRpc: Type.String({ description: 'the simulated nodes of EVM chains, at /{chain key} below it' }),
      control: Type.String({ description: "where the simulated providers' faults are set" }),
    }),
  ),
})

export const Settings = Type.Object({
  mode: Type.Enum(['sandbox', 'live']),
  version: Type.String(),
  chains: Type.Array(
    Type.Object({
      chain: Type.String(),
      quotes: Type.Array(Type.String(), {
        description: 'providers that are asked for quotes, by preference',
      }),
      builds: Type.Array(Type.String(), { description: 'those of them that build' }),
    }),
  ),
  providers: Type.Array(Type.String(), {
    description: 'all that are switched on: of swaps, prices and routes across chains',
  }),
  minVerification: Type.Enum([...LEVELS], {
    description: 'what built material must have been verified by',
  }),
  limits: Type.Record(
    Type.String(),
    Type.Object({
      client: nullable(Type.Integer()),
      global: nullable(Type.Integer()),
      windowSeconds: Type.Integer(),
    }),
    { description: 'requests per window, by budget; null where a limit is lifted' },
  ),
  inFlight: Type.Object(
    { client: nullable(Type.Integer()), global: nullable(Type.Integer()) },
    { description: 'upstream calls at one time, of one client and of all; null where a limit is lifted' },
  ),
  streams: Type.Object(
    { client: Type.Integer(), global: Type.Integer() },
    { description: 'event streams that may be open, of one client and of all' },
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
  TokenList,
  TokenRow,
  TokenProfile,
  Chain,
  Chains,
  Portfolio,
  Quote,
  BuildRequest,
  BuildResult,
  CrossChainQuote,
  SolanaRpcRequest,
  SolanaRpcResponse,
  SubmissionReceipt,
  Rebroadcasts,
  ErrorBody,
  Health,
  Settings,
}
