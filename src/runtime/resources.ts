/** The resources of spec §2 as schemas, which validation, TypeScript types and the OpenAPI document share. */
import { type Static, type TSchema, type TSchemaOptions, Type } from 'typebox'
import { LEVELS } from './levels.ts'

/** Extra properties are allowed (§2), and responses have some. */
const OPEN = { additionalProperties: true } as const

const Uri = Type.String({ format: 'uri' })
export const nullable = <T extends TSchema>(schema: T, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)
/** Beyond the specification: it may change. */
export const UNVERIFIED = { 'x-stability': 'unverified' } as const

export const Chain = Type.Object({
  key: Type.String({ description: "the service's chain key" }),
  evm: Type.Optional(Type.Boolean()),
  sui: Type.Optional(Type.Boolean()),
  ton: Type.Optional(Type.Boolean()),
  chainId: Type.Optional(nullable(Type.Integer())),
  chainIdHex: Type.Optional(nullable(Type.String())),
  name: Type.String(),
  native: Type.String({ description: 'symbol of the native coin' }),
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
  pricePct: NullableNumber('change in percent; negative for a fall'),
  buys: NullableNumber('number of buys'),
  sells: NullableNumber('number of sells'),
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
    mcap: Type.Optional(NullableNumber('dollars; some sources include the supply on other chains')),
    fdv: Type.Optional(NullableNumber('dollars: the total supply on this chain at this price')),
    liq: Type.Optional(NullableNumber("dollars in the token's trusted pools")),
    liqOf: Type.Optional(
      Type.Enum(['pool'], { description: '`liq` and `vol24` cover one pool only, chosen by the source' }),
    ),
    vol24: Type.Optional(NullableNumber('dollars')),
    holders: Type.Optional(NullableNumber('number of holders')),
    changes: Type.Optional(
      Type.Object(
        {
          m5: Type.Optional(Change),
          h1: Type.Optional(Change),
          h6: Type.Optional(Change),
          h24: Type.Optional(Change),
        },
        { description: 'over the 5 minutes, 1 hour, 6 hours and 24 hours before `priceTs`' },
      ),
    ),
    image: Type.Optional(
      Type.String({ description: 'an https URL on a host where the source keeps images' }),
    ),
    firstPoolAt: Type.Optional(Type.Integer({ description: 'when the first pool was created, ms epoch' })),
    launchpad: Type.Optional(Type.String({ description: 'the launchpad of the token' })),
    creatorPct: Type.Optional(Type.Number({ description: "the creator's share of the supply, percent" })),
    topTenPct: Type.Optional(
      Type.Number({ description: "the ten largest holders' share of the supply, percent" }),
    ),
    verified: Type.Optional(
      Type.Record(Type.String(), Type.Boolean(), {
        description: "which sources vouch for the token's identity; `curated` is the service's own table",
      }),
    ),
    nameSuspicious: Type.Optional(
      Type.Boolean({ description: 'the symbol or name is confusable with a native coin or stablecoin' }),
    ),
    security: Type.Optional(
      NullableObject('by source, each with its time `at`; null means unknown, not safe'),
    ),
    lp: Type.Optional(NullableObject('how much of the liquidity is locked or burned, by source')),
    book: Type.Optional(Type.String({ description: 'the list that has the token' })),
    metaTs: Type.Optional(NullableTime),
    profileTs: Type.Optional(NullableTime),
    gate: Type.Optional(
      Type.Array(
        Type.Object({
          rule: Type.String(),
          source: nullable(Type.String()),
          reason: Type.String(),
        }),
        { description: 'why the risk filter rejects the token; only with `all`' },
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
      count: Type.Integer({ description: 'rows of the book that pass the risk filter' }),
      updatedAt: NullableTime,
      ageMs: nullable(
        Type.Integer({ description: "age of this book's last answer when the list was built" }),
      ),
    }),
  ),
  gated: Type.Optional(Type.Integer({ description: 'rows in scope that the risk filter rejects' })),
  updatedAt: Type.Integer({ description: 'when the list was built, ms epoch' }),
})
export type TokenList = Static<typeof TokenList>

const PartNames = (description: string) => Type.Array(Type.String(), { description })

/** What is known against a token: what no source checked is unknown, not safe. */
export const TokenRisks = Type.Object(
  {
    chain: Type.String(),
    token: Type.String({ description: 'its address, in canonical spelling' }),
    symbol: nullable(Type.String()),
    name: nullable(Type.String()),
    checked: Type.Enum(['chosen', 'sources', 'nobody'], {
      description:
        'chosen: by hand, such as a native coin, a stablecoin or one of the operator, and not checked; sources: those of `checkedBy` were asked; nobody: no source has been asked lately, so it is unknown',
    }),
    checkedBy: Type.Array(
      Type.Object({ source: Type.String(), at: Type.Integer({ description: 'ms epoch' }) }),
    ),
    flags: Type.Array(
      Type.Object({
        flag: Type.String({ description: 'the rule, such as `honeypot` or `freezable`' }),
        isGrave: Type.Boolean({
          description: 'holders can lose everything now, rather than by a power that may be used later',
        }),
        source: nullable(Type.String({ description: 'null: the market figures or its name' })),
        at: nullable(Type.Integer({ description: 'when the source was asked, ms epoch' })),
        reason: Type.String({ description: 'for people' }),
      }),
      { description: 'grave ones first' },
    ),
  },
  UNVERIFIED,
)
export type TokenRisks = Static<typeof TokenRisks>

/** Of both tokens of a swap: what is paid, and what is received. */
export const SWAP_RISKS = Type.Optional(
  Type.Array(TokenRisks, {
    description: 'what is known against the two tokens: what is paid, then what is received',
    ...UNVERIFIED,
  }),
)

export const TokenProfile = Type.Object(
  {
    chain: Type.String({ description: 'chain key' }),
    token: Type.String({ description: 'the address of the token, in canonical spelling' }),
    updatedAt: Type.Integer({ description: 'ms epoch of the newest answer in the profile' }),
    row: Type.Optional(Type.Union([TokenRow, Type.Null()])),
    profile: Type.Optional(
      NullableObject(
        'description, image, links, createdAt, mintAuthority and freezeAuthority; an authority is an address, `none` if there is none, null if it is not known',
      ),
    ),
    holders: Type.Optional(
      Type.Array(FreeForm, { description: 'the largest holders, with their percent of the supply and tags' }),
    ),
    early: Type.Optional(
      Type.Array(FreeForm, {
        description: 'by `kind`: the first pool, each creator, and the first buyers while the pool is young',
      }),
    ),
    candles: Type.Optional(Type.Array(FreeForm, { description: 'in dollars, `ts` in ms, oldest first' })),
    trades: Type.Optional(Type.Array(FreeForm, { description: 'newest first' })),
    security: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({
          at: Type.Integer({ description: 'when the source was asked, ms epoch' }),
          facts: Type.Object({}, { description: "the source's own fields" }),
          flags: Type.Object(
            {},
            { description: "the gateway's reading of the facts; null means unknown, not safe" },
          ),
          verified: Type.Optional(
            Type.Boolean({ description: "whether the source vouches for the token's identity" }),
          ),
        }),
        { description: 'by source; sources may contradict each other' },
      ),
    ),
    risks: Type.Optional(TokenRisks),
    origins: Type.Record(
      Type.String(),
      Type.Object({
        source: Type.String(),
        at: Type.Integer({ description: 'ms epoch' }),
        stale: Type.Boolean({ description: 'the source has failed since' }),
      }),
      { description: 'the sources of the price, holders, candles and trades, by part' },
    ),
    sources: Type.Array(
      Type.Object({
        provider: Type.String(),
        status: Type.Enum(['ok', 'stale', 'partial', 'missing', 'failed'], {
          description:
            'stale: an earlier answer stands in; partial: some parts are missing; missing: the source does not know the token',
        }),
        at: nullable(Type.Integer({ description: "ms epoch of the source's oldest answer" })),
        parts: PartNames('parts that the source gave'),
        failed: PartNames('parts that the source could not give'),
        code: Type.Optional(Type.String({ description: 'why the status is not ok' })),
        retryAfterMs: Type.Optional(Type.Integer()),
      }),
      { description: 'the outcome of each source that was asked' },
    ),
  },
  OPEN,
)
export type TokenProfile = Static<typeof TokenProfile>

export const PortfolioHolding = Type.Object({
  address: Type.String({ description: "the token's address" }),
  symbol: nullable(Type.String()),
  name: nullable(Type.String()),
  isNative: Type.Boolean({
    description: "the chain's native coin; on Solana including the wallet's wrapped SOL",
  }),
  listed: Type.Boolean({
    description: 'the native coin, or a token of the token list that passes the risk filter',
  }),
  amount: Type.String({ description: 'base units, decimal' }),
  decimals: nullable(Type.Integer()),
  amountHuman: NullableNumber('whole tokens; null if `decimals` is'),
  wrapped: Type.Optional(
    Type.String({ description: 'base units, the part of `amount` that is wrapped SOL' }),
  ),
  price: NullableNumber('dollars; null if no pool is deep enough for a meaningful price'),
  priceTs: NullableTime,
  priceStale: Type.Optional(
    Type.Boolean({
      description: 'the price is of more than an hour ago, and no source had a newer one',
    }),
  ),
  valueUsd: NullableNumber('dollars, rounded down to millionths; null if unpriced'),
  cappedBy: Type.Optional(
    Type.Enum(['liquidity'], {
      description:
        '`valueUsd` is capped at a fifth of the liquidity in the pools, because amount times price is more than could be sold',
    }),
  ),
  notes: Type.Array(Type.Enum(['frozen', 'scaled', 'gated']), {
    description:
      'frozen: a part cannot be moved; scaled: wallets show another amount; gated: the risk filter of the token list rejects the token',
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
      description:
        'number of tokens, or lists of tokens, that were not read, or whose prices were not requested',
    }),
  ),
})
export type PortfolioProblem = Static<typeof PortfolioProblem>

export const PortfolioEntry = Type.Object({
  chain: Type.String({ description: 'chain key' }),
  status: Type.Enum(['complete', 'partial', 'failed'], { description: '`problems` says what is missing' }),
  block: Type.Optional(nullable(Type.Integer({ description: 'the block at which an EVM chain was read' }))),
  slot: Type.Optional(nullable(Type.Integer({ description: 'the slot at which Solana was read' }))),
  at: Type.String({ format: 'date-time', description: 'when the chain was read' }),
  usd: Type.Number({ description: 'the sum of `valueUsd`, hidden holdings included' }),
  tokenCount: Type.Integer({ description: 'number of tokens held, hidden ones included' }),
  unpriced: Type.Integer({ description: 'number of tokens held that have no value' }),
  holdings: Type.Array(PortfolioHolding, { description: 'most valuable first' }),
  hidden: Type.Object(
    { count: Type.Integer(), unpriced: Type.Integer(), usd: Type.Number() },
    {
      description:
        'holdings that are not shown: unlisted and worth less than `dust`, or beyond the first 500',
    },
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
/** An amount (§4.5): a positive decimal. The pattern alone does not exclude zero. */
const Amount = Type.String({
  pattern: '^\\d*\\.?\\d+$',
  maxLength: 100,
  title: 'a positive decimal such as 1.5',
  description: 'in whole units of the coin or token that is spent',
})
/** §4.5 */
export const MIN_SLIPPAGE_BPS = 1
export const MAX_SLIPPAGE_BPS = 5000
/** For a request without slippage. */
export const DEFAULT_SLIPPAGE_BPS = 300
const SLIPPAGE_BPS = {
  minimum: MIN_SLIPPAGE_BPS,
  maximum: MAX_SLIPPAGE_BPS,
  description: 'in hundredths of a percent',
} as const
const BaseUnits = Type.String({ description: 'base units, decimal' })

/** The other side of a swap. */
export const Against = (description: string) =>
  Type.Optional(Type.String({ description, maxLength: 256, ...UNVERIFIED }))
const AGAINST = Against(
  "address of a token that replaces the chain's native coin: what a `buy` spends, and a `sell` gets",
)

/** The terms of a swap: §4.5's query, whose fields §2's BuildRequest has as well. */
export const QuoteQuery = Type.Object({
  chain: Type.String({ description: 'chain key' }),
  side: Side,
  token: Type.String({ description: 'chain-specific token address or identifier', maxLength: 256 }),
  amount: Amount,
  slippageBps: Type.Integer({ ...SLIPPAGE_BPS, default: DEFAULT_SLIPPAGE_BPS }),
  from: Type.Optional(Type.String({ description: 'public sender address', maxLength: 256 })),
  against: AGAINST,
})
export type QuoteQuery = Static<typeof QuoteQuery>

/** What an offer is compared with. */
const Worth = {
  fairOut: Type.Optional(
    nullable(
      Type.String({
        description:
          'what the amount is worth by prices that two independent sources agree on; base units, decimal',
      }),
      UNVERIFIED,
    ),
  ),
  unpriced: Type.Optional(
    Type.Boolean({
      description:
        'no two independent sources agree on the prices, so that nothing holds the offer against them',
      ...UNVERIFIED,
    }),
  ),
}

/** A provider's fee, in addition to what its pools keep. */
export const Fee = Type.Object({
  bps: Type.Number({ description: 'of what it is taken of' }),
  amount: Type.String({ description: 'at the expected output, in base units' }),
  token: Type.String({ description: 'what it is taken in' }),
  recipient: nullable(Type.String({ description: 'null if the material does not show it' })),
  whose: nullable(
    Type.String({ description: "the provider whose account that is; null if it is not known as one's" }),
  ),
})
export type Fee = Static<typeof Fee>

const DELIVERY_LOSS = Type.Optional(
  Type.Integer({
    description:
      'hundredths of a percent that the provider was seen to deliver less than it offers, with which its offer is ranked; absent where it is little: /api/bake-off',
    ...UNVERIFIED,
  }),
)

const FIGURE_SOURCES = Type.Optional(
  Type.Record(Type.String(), Type.Array(Type.String()), {
    description:
      "by figure: the sources and nodes that it was checked against; `stated` is the provider's word, `token_list` that of the list's sources, and none is nobody's",
    ...UNVERIFIED,
  }),
)

export const Quote = Type.Object(
  {
    provider: Type.String(),
    chain: Type.String(),
    chainId: nullable(Type.Integer()),
    side: Side,
    against: Type.Optional(
      Type.String({
        description: 'the token on the other side, where it is not the native coin',
        ...UNVERIFIED,
      }),
    ),
    from: nullable(Type.String()),
    amountIn: BaseUnits,
    amountInHuman: Type.Number(),
    expectedOut: nullable(BaseUnits),
    expectedOutHuman: Type.Union([Type.Number(), Type.Null()]),
    minOut: nullable(BaseUnits),
    slippageBps: Type.Integer(),
    priceImpactPct: nullable(
      Type.Number({ description: 'percent of `fairOut`, positive is a loss; null if that is not known' }),
    ),
    rankedBy: Type.Optional(
      Type.Enum(['net', 'gross'], {
        description:
          'what ranked the offers: what is left after gas, or where gas cannot be counted the amount',
        ...UNVERIFIED,
      }),
    ),
    gasUsd: Type.Optional(
      nullable(
        Type.Number({ description: 'dollars of gas, by the units that the provider states' }),
        UNVERIFIED,
      ),
    ),
    costBoundBps: Type.Optional(
      Type.Integer({
        description:
          'with `rankedBy: "net"`: no offer was ranked by more gas than this share of it; 200 where nodes of two hosts do not agree on what gas costs',
        ...UNVERIFIED,
      }),
    ),
    netOut: Type.Optional(
      nullable(
        Type.String({
          description: '`expectedOut` less gas, in base units; below zero where gas takes more',
        }),
        UNVERIFIED,
      ),
    ),
    netOutUsd: Type.Optional(nullable(Type.Number({ description: 'the same in dollars' }), UNVERIFIED)),
    deliveryLossBps: DELIVERY_LOSS,
    ...Worth,
    sources: FIGURE_SOURCES,
    suggestedSlippageBps: Type.Optional(
      Type.Integer({
        description:
          "the slippage that fits: at most 300, and beyond that the token's own fee on transfers. What was asked for is `slippageBps`",
        ...UNVERIFIED,
      }),
    ),
    slippageReasons: Type.Optional(
      Type.Array(
        Type.Object({
          what: Type.Enum(['base', 'depth', 'volatility', 'hops', 'transfer_fee']),
          bps: Type.Integer(),
          why: Type.String({ description: 'for people' }),
        }),
        { description: 'what `suggestedSlippageBps` is made of', ...UNVERIFIED },
      ),
    ),
    risks: SWAP_RISKS,
    route: Type.Object(
      {
        asOf: Type.Integer({ description: 'when the provider answered, ms epoch' }),
        seal: Type.String({ description: 'shows /api/build that the quote is unchanged' }),
        raw: Type.String({ description: "the provider's own answer, as JSON text" }),
        fees: Type.Array(Fee, {
          description: "the provider's own: `expectedOut` and `minOut` are net of them",
        }),
        buildBy: nullable(
          Type.String({
            description: 'the provider that /api/build will ask; null if none of the providers builds',
          }),
        ),
        stated: Type.Object(
          { priceImpactPct: nullable(Type.Number()) },
          { description: "the provider's word, with hops and gas: nothing of it is checked", ...OPEN },
        ),
        alternatives: Type.Array(
          Type.Object(
            {
              provider: Type.String(),
              outcome: Type.String({ description: 'offered, outlier, failed or late' }),
              behindBps: Type.Optional(
                Type.Integer({
                  description: 'of an offer: behind this one, by what `rankedBy` says',
                  ...UNVERIFIED,
                }),
              ),
              deliveryLossBps: DELIVERY_LOSS,
            },
            OPEN,
          ),
          { description: 'the outcomes of the other providers' },
        ),
      },
      { description: 'how the swap is made; further fields are free-form', ...OPEN },
    ),
  },
  OPEN,
)
export type Quote = Static<typeof Quote>

export const BuildRequest = Type.Object(
  {
    chain: Type.String({ description: 'chain key' }),
    side: Side,
    token: Type.String({ description: 'chain-specific token address or identifier', maxLength: 256 }),
    amount: Amount,
    // Generators take a body's member for required if it has a default.
    slippageBps: Type.Optional(
      Type.Integer({
        ...SLIPPAGE_BPS,
        description: `${SLIPPAGE_BPS.description}; ${DEFAULT_SLIPPAGE_BPS} if absent`,
      }),
    ),
    from: Type.String({
      description: "the signing wallet's public address; the output goes to it",
      maxLength: 256,
    }),
    quote: Type.Object({}, { description: 'the response of /api/quote, unchanged' }),
    against: AGAINST,
    priority: Type.Optional(
      Type.Union(
        [
          Type.Enum(['none', 'low', 'medium', 'high']),
          Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        ],
        {
          title: 'none, low, medium, high, or an integer of micro-lamports per compute unit',
          description:
            'on Solana, the priority fee: a level of the current prices in /api/priority-fees, or micro-lamports per compute unit. If absent, the provider decides',
          ...UNVERIFIED,
        },
      ),
    ),
  },
  { additionalProperties: false },
)
export type BuildRequest = Static<typeof BuildRequest>

/** How material was verified before it was handed out: docs/verification.md. */
export const Verification = Type.Object(
  {
    level: Type.Enum([...LEVELS], { description: 'the level of verification that the material reached' }),
    checks: Type.Array(Type.String(), { description: 'the rules that were checked and hold' }),
    stated: Type.Array(Type.String(), { description: "facts that rest on the provider's word alone" }),
    fees: Type.Optional(
      Type.Array(Fee, { description: 'that the material takes; the minimum is net of them' }),
    ),
    refundFee: Type.Optional(
      Type.Object(
        {
          bps: Type.Integer({ description: 'of the amount sent, rounded up' }),
          amount: Type.String({ description: 'base units of what is sent' }),
        },
        {
          description: 'of an order that somebody has to fill: what a refund costs, if nobody does',
          ...UNVERIFIED,
        },
      ),
    ),
    simulation: nullable(
      Type.Object({
        by: Type.String({ description: 'how the material was executed' }),
        at: nullable(Type.Integer({ description: 'block, slot or checkpoint' })),
        changes: Type.Array(Type.Object({ token: Type.String(), amount: Type.String() })),
      }),
    ),
  },
  OPEN,
)
export type Verification = Static<typeof Verification>

/** §2 shows no inner structure: this is what `eth_sendTransaction` takes. */
const TransactionRequest = Type.Object(
  {
    from: Type.String(),
    to: Type.String(),
    chainId: Type.String(),
    data: Type.String({ description: 'calldata' }),
    value: Type.String({ description: 'wei' }),
    gasPrice: Type.Optional(Type.String({ description: 'with `gas`, or the wallet estimates both' })),
    gas: Type.Optional(Type.String()),
  },
  { description: 'as `eth_sendTransaction` takes it: numbers are hex quantities', ...OPEN },
)

/** What EIP-5792's `wallet_sendCalls` takes of a transaction and its approval. */
const CALLS = {
  calls: Type.Optional(
    Type.Array(
      Type.Object({
        to: Type.String(),
        data: Type.String(),
        value: Type.String({ description: 'wei, a hex quantity' }),
      }),
      {
        description:
          'on EVM chains, what `wallet_sendCalls` takes, in order: the allowance set to zero where the token needs that, the approval of exactly the amount, the swap',
        ...UNVERIFIED,
      },
    ),
  ),
  atomicRequired: Type.Optional(
    Type.Boolean({
      description: 'with `calls`, for `wallet_sendCalls`: true where an approval comes before the swap',
      ...UNVERIFIED,
    }),
  ),
}

/** TonConnect's SendTransactionRequest. */
const TonConnect = Type.Object(
  {
    validUntil: Type.Integer({ description: 'Unix seconds' }),
    from: Type.String(),
    network: Type.String(),
    messages: Type.Array(
      Type.Object({
        address: Type.String(),
        amount: Type.String({ description: 'nanoTON, decimal' }),
        payload: Type.String({ description: 'base64 BOC' }),
        stateInit: Type.Optional(Type.String()),
      }),
    ),
  },
  { description: "`tonMessage` as TonConnect's `sendTransaction` takes it" },
)

/** What a Solana transaction pays for priority. */
const PAID_PRIORITY = Type.Optional(
  Type.Object(
    {
      computeUnitPrice: Type.String({ description: 'micro-lamports' }),
      computeUnitLimit: nullable(
        Type.Integer({ description: 'what executing it took, and a margin; else the limit of the provider' }),
      ),
      lamports: Type.String({ description: 'both together' }),
      unitsConsumed: nullable(Type.Integer({ description: 'null if it could not be executed' })),
      slots: nullable(Type.Integer({ description: 'whose prices a level was taken from' })),
    },
    {
      description: 'where the request has one; `lamports` is never above a tenth of the worth',
      ...UNVERIFIED,
    },
  ),
)

const COST_KINDS = [
  'network_fee',
  'priority_fee',
  'l1_fee',
  'approval_fee',
  'rent',
  'tip',
  'messaging_fee',
  'attached_gas',
  'other_fee',
] as const

export const Cost = Type.Object({
  kind: Type.Enum([...COST_KINDS]),
  amount: Type.String({ description: 'base units, decimal, above zero' }),
  currency: Type.String({ description: "the chain's native coin" }),
  refundable: Type.Boolean({
    description: 'comes back: rent when the account is closed, attached gas as far as it is not used',
  }),
  source: Type.Enum(['material', 'simulation', 'node', 'provider', 'estimate'], {
    description:
      "the bytes of the material; its execution at a node; the node's prices; units of gas that the provider states, or 60,000 for an approval, at the node's price",
  }),
  nodes: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'on EVM chains: the nodes of different hosts that agree on the price of gas; one alone is its word',
    }),
  ),
})
export type Cost = Static<typeof Cost>

/** Everything that leaves the wallet in addition to the swapped amount: src/swap/costs.ts. */
const COSTS = {
  costs: Type.Optional(
    Type.Array(Cost, {
      description: 'what leaves the wallet beside what is swapped; what is not known is not listed',
      ...UNVERIFIED,
    }),
  ),
  costsComplete: Type.Optional(
    Type.Boolean({
      description: 'whether `costs` has all of it: if false, something is not known',
      ...UNVERIFIED,
    }),
  ),
}
export interface Costs {
  readonly costs: Cost[]
  readonly costsComplete: boolean
}

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
    transactionRequest: Type.Optional(TransactionRequest),
    ...CALLS,
    swapTransaction: Type.Optional(Type.String({ description: 'base64' })),
    solanaTransaction: Type.Optional(Type.String({ description: 'base64' })),
    suiTransaction: Type.Optional(Type.String({ description: 'base64' })),
    tonMessage: Type.Optional(FreeForm),
    tonConnect: Type.Optional(TonConnect),
    lastValidBlockHeight: Type.Optional(
      Type.Integer({ description: 'the last block height at which `solanaTransaction` can land' }),
    ),
    priority: PAID_PRIORITY,
    ...COSTS,
    expectedOut: Type.Optional(BaseUnits),
    minOut: Type.Optional(BaseUnits),
    verification: Type.Optional(Verification),
  },
  OPEN,
)
export type BuildResult = Static<typeof BuildResult>

/** A token of a cross-chain quote, by our own sources. */
const CrossChainToken = Type.Object({
  address: Type.String({
    description: "canonical; a native coin as the cross-chain provider's API writes it",
  }),
  isNative: Type.Boolean(),
  symbol: nullable(
    Type.String({ description: "the chain's own or the token list's; null if neither has the token" }),
  ),
  decimals: nullable(
    Type.Integer({
      description: 'null if no two sources agree on them: then `verification.stated` has `decimals`',
    }),
  ),
})

const StatedCost = {
  name: nullable(Type.String()),
  chain: Type.String({ description: 'chain key' }),
  token: CrossChainToken,
  amount: BaseUnits,
  amountHuman: NullableNumber("whole tokens; null if the token's decimals are not known"),
  amountUsd: nullable(Type.String({ description: 'dollars, decimal' })),
}

/** The description of a cross-chain quote, without its material: src/swap/estimate.ts. */
const Estimate = Type.Object(
  {
    fromAmount: Type.String({ description: 'base units, decimal: the amount that was asked for' }),
    fromAmountHuman: Type.Number(),
    toAmount: Type.String({
      description:
        'base units, decimal: what the provider expects. `toAmountMin` is below it by no more than the slippage',
    }),
    toAmountHuman: NullableNumber('null if `toToken.decimals` is'),
    toAmountMin: Type.String({
      description:
        'base units, decimal: what the material guarantees, unless `verification.stated` has `minimum`',
    }),
    toAmountMinHuman: NullableNumber('null if `toToken.decimals` is'),
    approvalAddress: Type.Optional(
      Type.String({ description: 'only where an approval is needed: `approval.spender`, which is checked' }),
    ),
    approvalReset: Type.Optional(Type.Boolean({ description: 'with `approvalAddress`: `approval.reset`' })),
    stated: Type.Object(
      {
        tool: nullable(Type.String({ description: "the route's key at the provider" })),
        fromAmountUsd: nullable(Type.String({ description: 'dollars, decimal' })),
        toAmountUsd: nullable(Type.String({ description: 'dollars, decimal' })),
        executionDuration: NullableNumber('seconds'),
        feeCosts: Type.Array(
          Type.Object({
            ...StatedCost,
            included: Type.Boolean({ description: 'whether it is a part of the input' }),
          }),
        ),
        gasCosts: Type.Array(Type.Object(StatedCost)),
      },
      { description: "the provider's word: nothing of it is checked", ...OPEN },
    ),
  },
  OPEN,
)

export const CrossChainQuote = Type.Object(
  {
    provider: Type.Literal('xprov'),
    id: Type.Optional(Type.String({ description: "the provider's" })),
    kind: Type.Enum(['evm', 'solana', 'sui']),
    fromChain: Type.Integer({ description: 'numeric provider chain id' }),
    toChain: Type.Integer({ description: 'numeric provider chain id' }),
    from: Type.String(),
    to: Type.String(),
    estimate: Estimate,
    ...Worth,
    sources: FIGURE_SOURCES,
    transactionRequest: Type.Optional(Type.Union([TransactionRequest, Type.Null()])),
    ...CALLS,
    solanaTransaction: Type.Optional(nullable(Type.String({ description: 'base64' }))),
    lastValidBlockHeight: Type.Optional(
      Type.Integer({ description: 'the last block height at which `solanaTransaction` can land' }),
    ),
    suiTransaction: Type.Optional(nullable(Type.String({ description: 'base64' }))),
    priority: PAID_PRIORITY,
    ...COSTS,
    approval: Type.Optional(Type.Union([FreeForm, Type.Null()])),
    verification: Type.Optional(FreeForm),
    tool: Type.Optional(nullable(Type.String({ description: "the route's key, as the provider states it" }))),
    transactionId: Type.Optional(
      Type.String({ description: "the provider's id of the transaction: /api/xstatus takes it" }),
    ),
    fromToken: Type.Optional(CrossChainToken),
    toToken: Type.Optional(CrossChainToken),
    risks: SWAP_RISKS,
  },
  OPEN,
)
export type CrossChainQuote = Static<typeof CrossChainQuote>

/**
 * The methods of `POST /api/solrpc`, in the specification's order. `relay/methods/params.ts` has their parameters.
 */
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
/** Reads that are relayed only with RPC_COMPAT=node, or if the operator lists them in EXTRA_RPC_METHODS. */
export const EXTRA_METHOD_NAMES = [
  'getMinimumBalanceForRentExemption',
  'getFeeForMessage',
  'isBlockhashValid',
  'getSignaturesForAddress',
  'getEpochInfo',
  'getVersion',
  'getGenesisHash',
  'getAgGenesisCert',
  'getHealth',
] as const
export type ExtraMethodName = (typeof EXTRA_METHOD_NAMES)[number]
export type MethodName = (typeof METHOD_NAMES)[number] | ExtraMethodName

/** @param methods  the methods that are relayed */
export const solanaRpcRequest = (methods: readonly MethodName[]) =>
  Type.Object(
    {
      jsonrpc: Type.Literal('2.0', { description: 'the version of JSON-RPC' }),
      id: Type.Optional(Type.Unknown({ description: 'returned exactly as it was sent' })),
      method: Type.Enum([...methods], {
        description: 'one of the relayed methods',
        'x-unlisted': 'method_not_allowed',
      }),
      params: Type.Array(Type.Unknown(), { description: "the method's parameters, as a node takes them" }),
    },
    { additionalProperties: false },
  )

/** What the relay's endpoint accepts: as the specification says, or as a node does. */
export const RPC_COMPATS = ['strict', 'node'] as const
export type RpcCompat = (typeof RPC_COMPATS)[number]

/** The most calls of an array. */
export const MAX_ARRAY_CALLS = 10

/** A call as a node takes it. @param methods  the methods that are relayed */
export const nodeRpcCall = (methods: readonly MethodName[]) =>
  Type.Object(
    {
      jsonrpc: Type.Literal('2.0'),
      id: Type.Optional(
        Type.Unknown({
          description:
            'returned exactly as it was sent; a call without it is not forwarded, and has no answer',
        }),
      ),
      method: Type.Enum([...methods], { 'x-unlisted': 'method_not_allowed' }),
      params: Type.Optional(
        Type.Union([Type.Array(Type.Unknown()), Type.Null()], { description: 'absent: []' }),
      ),
    },
    { additionalProperties: false },
  )
export type NodeRpcCall = Static<ReturnType<typeof nodeRpcCall>>

/** The body with RPC_COMPAT=node. @param methods  the methods that are relayed */
export const nodeRpcRequest = (methods: readonly MethodName[]) =>
  Type.Union([
    nodeRpcCall(methods),
    Type.Array(Type.Unknown(), {
      description:
        'calls, but no submissions: each is checked, charged and answered as its own, in the order in which they stand',
      minItems: 1,
      maxItems: MAX_ARRAY_CALLS,
    }),
  ])
export type NodeRpcRequest = Static<ReturnType<typeof nodeRpcRequest>>

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

const Micros = Type.Integer({ description: 'microseconds since the request was received' })

export const SubmissionReceipt = Type.Object({
  digest: Type.String({ description: "the transaction's first signature" }),
  receivedAt: Type.String({ format: 'date-time' }),
  parsedUs: Micros,
  verifiedUs: Micros,
  upstreams: Type.Array(
    Type.Object({
      name: Type.String(),
      sends: Type.Integer({ description: 'how often the transaction was sent to this upstream' }),
      sentUs: Micros,
      answeredUs: Type.Union([Micros, Type.Null()]),
      outcome: Type.Union(
        [Type.Enum(['accepted', 'refused', 'failed', 'untipped', 'unpriced', 'throttled']), Type.Null()],
        {
          description:
            '`accepted` if the upstream ever accepted, else its last answer; null while there is none. `untipped`, `unpriced`, `throttled`: not sent there, as the submission service asks for a tip or a price of compute units that the transaction does not have, or takes no more transactions at the moment',
        },
      ),
    }),
  ),
  landed: Type.Union([Type.Object({ slot: Type.Integer(), us: Micros }), Type.Null()], {
    description:
      'the slot, and when the transaction was first seen in it; null if it was not looked for or not seen',
  }),
})
export type SubmissionReceipt = Static<typeof SubmissionReceipt>

export const Rebroadcasts = Type.Object({
  everyMs: Type.Integer({ description: 'five slots as long as they take at present, at most 2000' }),
  count: Type.Integer({ description: 'number of transactions that are being resent' }),
  transactions: Type.Array(
    Type.Object({
      ageMs: Type.Integer({ description: 'since a node accepted the transaction' }),
      sends: Type.Integer({ description: 'how often it was resent' }),
      retriesLeft: Type.Integer(),
      nextInMs: Type.Integer(),
      lastValidBlockHeight: nullable(Type.Integer()),
    }),
    { description: 'the oldest transactions, at most 100, without their signatures' },
  ),
})
export type Rebroadcasts = Static<typeof Rebroadcasts>

/** The Error body (§7), with the extra properties that occur. */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'what is wrong, and what would be accepted' }),
    scope: Type.Optional(Type.String()),
    code: Type.Optional(Type.String({ description: 'stable and machine-readable' })),
    field: Type.Optional(Type.String({ description: 'the input that is wrong' })),
    index: Type.Optional(Type.Integer({ description: 'the index of the signature that is wrong' })),
    transaction: Type.Optional(
      Type.Integer({ description: 'the index of the transaction of a batch that is wrong' }),
    ),
    provider: Type.Optional(Type.String()),
    upstreamStatus: Type.Optional(Type.Integer()),
    retryAfterMs: Type.Optional(Type.Integer()),
    budget: Type.Optional(Type.String()),
    rule: Type.Optional(Type.String({ description: 'the rule that the built material breaks' })),
    minOut: Type.Optional(Type.String({ description: "the quote's minimum output, in base units" })),
    expectedOut: Type.Optional(
      Type.String({ description: 'the output that the market gives now, in base units' }),
    ),
    fairOut: Type.Optional(
      Type.String({ description: 'what the amount is worth by independent prices, in base units' }),
    ),
    required: Type.Optional(Type.String({ description: 'what the wallet has to hold, in base units' })),
    available: Type.Optional(Type.String({ description: 'what the wallet holds of it, in base units' })),
  },
  OPEN,
)

const HealthState = (description: string) =>
  Type.Enum(['ok', 'degraded', 'refused', 'cooling', 'untried'], { description })

export const Health = Type.Object({
  status: Type.Enum(['ok', 'degraded', 'draining'], {
    description:
      'degraded: requests are accepted, but no provider and no node that was asked answers; draining: the service stops',
  }),
  mode: Type.Enum(['sandbox', 'live']),
  version: Type.String(),
  uptime: Type.Number({ description: 'seconds' }),
  redis: nullable(
    Type.Enum(['ok', 'degraded', 'away'], {
      description:
        'through which instances share budgets; away: this instance counts for itself; degraded: it does so for what Redis leaves unanswered; null if none is configured',
    }),
  ),
  redisCause: nullable(
    Type.String({
      description:
        'why Redis is away or degraded: the code of its own error, such as OOM, or a cause such as timeout; null while it is neither',
    }),
  ),
  providers: Type.Array(
    Type.Object({
      name: Type.String(),
      state: HealthState(
        'cooling: gets no calls for a while, after failures or a 429; refused: it answers, but refuses the gateway or belongs to another cluster; degraded: its last call failed, it never succeeded, or it limits a part of the calls',
      ),
      submissions: Type.Optional(HealthState('the same for the transactions sent to it')),
      lastSuccessAgoMs: nullable(Type.Integer()),
      failures: Type.Integer({ description: 'consecutive failures' }),
      lastError: nullable(
        Type.Object({
          code: Type.String(),
          status: nullable(Type.Integer({ description: 'the HTTP status of the answer' })),
          agoMs: Type.Integer(),
        }),
      ),
    }),
  ),
  sandbox: Type.Optional(
    Type.Object({
      solanaRpc: Type.String({
        description: 'URL of the simulated node, which has a faucet: requestAirdrop',
      }),
      evmRpc: Type.String({ description: 'base URL of the simulated EVM nodes, each at /{chain key}' }),
      control: Type.String({ description: 'URL at which faults of the simulated providers are set' }),
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
        description: 'providers that are asked for quotes, in order of preference',
      }),
      builds: Type.Array(Type.String(), { description: 'the providers that build transactions' }),
    }),
  ),
  providers: Type.Array(Type.String(), {
    description: 'all providers that are switched on: of swaps, prices and cross-chain routes',
  }),
  minVerification: Type.Enum([...LEVELS], {
    description: 'the least level of verification of built material',
  }),
  logos: Type.Boolean({ description: 'whether /api/logo is served' }),
  limits: Type.Record(
    Type.String(),
    Type.Object({
      client: nullable(Type.Integer()),
      global: nullable(Type.Integer()),
      windowSeconds: Type.Integer(),
    }),
    { description: 'requests per window, by budget; null if a limit is lifted' },
  ),
  inFlight: Type.Object(
    { client: nullable(Type.Integer()), global: nullable(Type.Integer()) },
    { description: 'concurrent upstream calls of one client and of all; null if a limit is lifted' },
  ),
  streams: Type.Object(
    { client: Type.Integer(), global: Type.Integer() },
    { description: 'event streams that one client, and all clients, may have open' },
  ),
  relay: Type.Object({
    compat: Type.Enum([...RPC_COMPATS], {
      description: 'strict: what the specification says; node: what stock clients expect of a node',
    }),
    methods: Type.Array(Type.String()),
    maxCalls: Type.Integer({ description: 'calls in one body: 1, or reads in an array' }),
    maxTransactionBytes: Type.Integer(),
    maxV1TransactionBytes: Type.Integer({
      description: 'of a transaction of version 1; beyond maxTransactionBytes only in base64',
    }),
    maxRetries: Type.Integer(),
    minBatch: Type.Integer(),
    maxBatch: Type.Integer(),
  }),
})

/** The schemas that the OpenAPI document lists by name. */
export const COMPONENTS = {
  TokenList,
  TokenRow,
  TokenProfile,
  TokenRisks,
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
