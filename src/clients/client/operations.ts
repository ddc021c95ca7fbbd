/**
 * The gateway's operations and their types, as its OpenAPI document has them.
 * Written by `npm run docs`; a test compares.
 */
import type { CallOptions, EventsOptions, OperationRow, ServerEvent } from './options.ts'

export interface TokenList {
  tokens: TokenRow[]
  books: {
    book: string
    title: string
    source: string
    /** rows in it that are not held back */
    count: number
    /** ms epoch */
    updatedAt: number | null
    /** when the list was built, of this book's last answer */
    ageMs: number | null
  }[]
  /** rows in scope that the risk gate holds back */
  gated?: number
  /** ms epoch when the list was built */
  updatedAt: number
}

export interface TokenRow {
  /** chain key */
  chain: string
  address: string
  symbol: string | null
  name: string | null
  decimals?: number
  /** dollars */
  price?: number | null
  /** ms epoch */
  priceTs?: number | null
  /** the price is more than 60 seconds old */
  priceStale?: boolean
  /** the source of the price */
  priceBy?: string
  /** dollars; some sources count what is on other chains */
  mcap?: number | null
  /** dollars: the whole supply on this chain at this price */
  fdv?: number | null
  /** dollars in those of its pools that are believed */
  liq?: number | null
  /** `liq` and `vol24` are of one pool, of the source’s own choice */
  liqOf?: 'pool'
  /** dollars */
  vol24?: number | null
  /** how many */
  holders?: number | null
  /** over the 5 minutes, 1, 6 and 24 hours before `priceTs` */
  changes?: {
    m5?: {
      /** percent, negative where it fell */
      pricePct: number | null
      /** how many */
      buys: number | null
      /** how many */
      sells: number | null
    }
    h1?: {
      /** percent, negative where it fell */
      pricePct: number | null
      /** how many */
      buys: number | null
      /** how many */
      sells: number | null
    }
    h6?: {
      /** percent, negative where it fell */
      pricePct: number | null
      /** how many */
      buys: number | null
      /** how many */
      sells: number | null
    }
    h24?: {
      /** percent, negative where it fell */
      pricePct: number | null
      /** how many */
      buys: number | null
      /** how many */
      sells: number | null
    }
  }
  /** https, at a host where the source keeps images */
  image?: string
  /** when its first pool was made, ms epoch */
  firstPoolAt?: number
  /** where it was launched */
  launchpad?: string
  /** its maker's share of the supply, percent */
  creatorPct?: number
  /** the share of the ten largest holders, percent */
  topTenPct?: number
  /** which sources vouch that it is what it says; `curated` is the service's own table */
  verified?: { [name: string]: boolean }
  /** its symbol or name looks like a major, and is written otherwise */
  nameSuspicious?: boolean
  /** by source, each with its own time `at`; null is unknown, not safe */
  security?: { [name: string]: unknown } | null
  /** what is locked or burned of its pools, by source */
  lp?: { [name: string]: unknown } | null
  /** the list that it is in */
  book?: string
  /** ms epoch */
  metaTs?: number | null
  /** ms epoch */
  profileTs?: number | null
  /** why it is held back; only with `all` */
  gate?: {
    rule: string
    source: string | null
    reason: string
  }[]
}

export interface TokenProfile {
  /** chain key */
  chain: string
  /** its address, in canonical spelling */
  token: string
  /** ms epoch of the newest answer in it */
  updatedAt: number
  row?: TokenRow | null
  /** description, image, links, createdAt, mintAuthority and freezeAuthority; an authority is an address, `none` for nobody, null where it is not known */
  profile?: { [name: string]: unknown } | null
  /** the largest, with their percent of the supply and tags */
  holders?: { [name: string]: unknown }[]
  /** by `kind`: the first pool, each creator, the first buyers while the pool is young */
  early?: { [name: string]: unknown }[]
  /** dollars; `ts` in ms; oldest first */
  candles?: { [name: string]: unknown }[]
  /** newest first */
  trades?: { [name: string]: unknown }[]
  /** by source; sources may contradict each other */
  security?: {
    [name: string]: {
      /** when the source was asked, ms epoch */
      at: number
      /** in the source's own words */
      facts: { [name: string]: unknown }
      /** what is read of them; null is unknown, not safe */
      flags: { [name: string]: unknown }
      /** whether the source vouches that it is what it says */
      verified?: boolean
    }
  }
  /** where the price, holders, candles and trades are from, by part */
  origins: {
    [name: string]: {
      source: string
      /** ms epoch */
      at: number
      /** the source failed since */
      stale: boolean
    }
  }
  /** what became of each source that was asked */
  sources: {
    provider: string
    /** stale: what it gave before; partial: not all of its parts; missing: it knows no such token */
    status: 'ok' | 'stale' | 'partial' | 'missing' | 'failed'
    /** ms epoch of its oldest answer */
    at: number | null
    /** what it gave */
    parts: string[]
    /** what it could not give */
    failed: string[]
    /** why it is not ok */
    code?: string
    retryAfterMs?: number
  }[]
}

export interface Chain {
  /** the service's chain key */
  key: string
  evm?: boolean
  sui?: boolean
  ton?: boolean
  chainId?: number | null
  chainIdHex?: string | null
  name: string
  /** native asset */
  native: string
  decimals: number
  /** public RPC candidates */
  rpc?: string[]
  explorer: string
  /** route provider label */
  aggregator?: string | null
  /** numeric chain id used by the cross-chain provider; may exceed 2^53 - 1 */
  xprovChainId?: number | null
}

export interface Chains {
  chains: Chain[]
}

export interface Portfolio {
  address?: string | null
  sol?: string | null
  chains: {
    /** chain key */
    chain: string
    /** `problems` says what is missing */
    status: 'complete' | 'partial' | 'failed'
    /** that an EVM chain was read at */
    block?: number | null
    /** that Solana was read at */
    slot?: number | null
    /** when it was read */
    at: string
    /** the sum of `valueUsd`, and of what is hidden */
    usd: number
    /** how many are held: those in `holdings`, and those hidden */
    tokenCount: number
    /** of those, how many have no value */
    unpriced: number
    /** the most valuable first */
    holdings: {
      /** the token's */
      address: string
      symbol: string | null
      name: string | null
      /** the chain's native coin; on Solana with the wallet's wrapped SOL */
      isNative: boolean
      /** the native coin, or in the token list and not held back */
      listed: boolean
      /** base units, decimal */
      amount: string
      decimals: number | null
      /** whole tokens; null where `decimals` is */
      amountHuman: number | null
      /** base units of `amount` that are wrapped SOL */
      wrapped?: string
      /** dollars; null where no pool is deep enough for a price to mean something */
      price: number | null
      /** ms epoch */
      priceTs: number | null
      /** dollars, rounded down to millionths; null: unpriced */
      valueUsd: number | null
      /** `valueUsd` is less than amount times price: a fifth of what is in the pools, which is more than could be sold */
      cappedBy?: 'liquidity'
      /** frozen: a part cannot be moved; scaled: wallets show another amount; gated: the token list holds it back */
      notes: ('frozen' | 'scaled' | 'gated')[]
    }[]
    /** held, and not shown: unlisted and worth less than `dust`, or beyond the 500 shown */
    hidden: {
      count: number
      unpriced: number
      usd: number
    }
    problems: {
      part: 'holdings' | 'prices'
      error: string
      /** as in Error bodies */
      code?: string
      provider?: string
      /** tokens, or lists of them, that were not read, or whose prices were not asked for */
      missing?: number
    }[]
  }[]
  /** the sum of the entries' `usd` */
  totalUsd: number
  /** the sum of the entries' `tokenCount` */
  tokenCount: number
  /** the sum of the entries' `unpriced` */
  unpriced: number
  at: string
}

export interface Quote {
  provider: string
  chain: string
  chainId: number | null
  /** `buy` spends the native coin, `sell` the token */
  side: 'buy' | 'sell'
  from: string | null
  /** base units, decimal */
  amountIn: string
  amountInHuman: number
  /** base units, decimal */
  expectedOut: string | null
  expectedOutHuman: number | null
  /** base units, decimal */
  minOut: string | null
  slippageBps: number
  /** percent, positive is a loss */
  priceImpactPct: number | null
  /** the provider's route, free-form beyond these */
  route: {
    /** when the provider answered, ms epoch */
    asOf: number
    /** proves to /api/build that the quote is unchanged */
    seal: string
    /** the provider's own answer, as JSON text */
    raw: string
    /** the provider that /api/build will ask; null where none of them builds */
    buildBy: string | null
    /** what became of the other providers */
    alternatives: { [name: string]: unknown }[]
  }
}

export interface BuildResult {
  provider: string
  chain: string
  chainId?: number | null
  from: string
  to?: string
  /** calldata */
  data?: string
  /** wei, decimal */
  value?: string
  /** free-form */
  approval?: { [name: string]: unknown } | null
  /** base64 */
  swapTransaction?: string
  /** base64 */
  solanaTransaction?: string
  /** base64 */
  suiTransaction?: string
  /** free-form */
  tonMessage?: { [name: string]: unknown }
  lastValidBlockHeight?: number
  /** base units, decimal */
  expectedOut?: string
  /** base units, decimal */
  minOut?: string
  verification?: {
    /** how far the material can be trusted */
    level: 'stated' | 'simulated' | 'proved'
    /** the rules that were checked, and held */
    checks: string[]
    /** what is the provider's word even so */
    stated: string[]
    simulation: {
      /** how it was executed */
      by: string
      /** block, slot or checkpoint */
      at: number | null
      changes: {
        token: string
        amount: string
      }[]
    } | null
  }
}

export interface CrossChainQuote {
  provider: 'xprov'
  id?: string
  kind: 'evm' | 'solana' | 'sui'
  /** numeric provider chain id */
  fromChain: number
  /** numeric provider chain id */
  toChain: number
  from: string
  to: string
  /** free-form */
  estimate: { [name: string]: unknown }
  /** free-form */
  transactionRequest?: { [name: string]: unknown } | null
  /** base64 */
  solanaTransaction?: string | null
  /** base64 */
  suiTransaction?: string | null
  /** free-form */
  approval?: { [name: string]: unknown } | null
  /** free-form */
  verification?: { [name: string]: unknown }
}

export interface SubmissionReceipt {
  /** the transaction's first signature */
  digest: string
  receivedAt: string
  /** microseconds from the receipt of the request */
  parsedUs: number
  /** microseconds from the receipt of the request */
  verifiedUs: number
  upstreams: {
    name: string
    /** how often it was sent there */
    sends: number
    /** microseconds from the receipt of the request */
    sentUs: number
    /** microseconds from the receipt of the request */
    answeredUs: number | null
    /** its acceptance, or else its last other answer; null while there is none */
    outcome: 'accepted' | 'refused' | 'failed' | null
  }[]
  /** the slot, and when it was first seen there; null where it was not looked for, or not seen */
  landed: {
    slot: number
    /** microseconds from the receipt of the request */
    us: number
  } | null
}

export interface Rebroadcasts {
  everyMs: number
  /** transactions that are being sent again */
  count: number
  /** the oldest, at most 100; without their signatures */
  transactions: {
    /** since a node accepted it */
    ageMs: number
    /** how often it was sent again */
    sends: number
    retriesLeft: number
    nextInMs: number
    lastValidBlockHeight: number | null
  }[]
}

export interface ErrorBody {
  /** what is wrong, and what would be accepted */
  error: string
  scope?: string
  /** stable and machine-readable */
  code?: string
  /** the input at fault */
  field?: string
  /** the signature at fault */
  index?: number
  /** the transaction of a batch at fault */
  transaction?: number
  provider?: string
  upstreamStatus?: number
  retryAfterMs?: number
  budget?: string
  /** what built material was refused for */
  rule?: string
  /** the quote's, in base units */
  minOut?: string
  /** what the market gives now, in base units */
  expectedOut?: string
}

export interface Health {
  status: 'ok' | 'draining'
  mode: 'sandbox' | 'live'
  version: string
  /** seconds */
  uptime: number
  /** what instances share budgets through; away: this one counts for itself; null where none is configured */
  redis: 'ok' | 'away' | null
  providers: {
    name: string
    /** cooling: held back for a while, after failures or a 429; refused: it answers, but refuses the gateway, or is of another cluster; degraded: it failed last, never did what it was asked, or limits a part of the calls */
    state: 'ok' | 'degraded' | 'refused' | 'cooling' | 'untried'
    /** the same of the transactions that are sent to it */
    submissions?: 'ok' | 'degraded' | 'refused' | 'cooling' | 'untried'
    lastSuccessAgoMs: number | null
    /** in a row */
    failures: number
    lastError: {
      code: string
      /** of its answer */
      status: number | null
      agoMs: number
    } | null
  }[]
  sandbox?: {
    /** the simulated node, with a faucet: requestAirdrop */
    solanaRpc: string
    /** the simulated nodes of EVM chains, at /{chain key} below it */
    evmRpc: string
    /** where the simulated providers' faults are set */
    control: string
  }
}

export interface Settings {
  mode: 'sandbox' | 'live'
  version: string
  chains: {
    chain: string
    /** providers that are asked for quotes, by preference */
    quotes: string[]
    /** those of them that build */
    builds: string[]
  }[]
  /** all that are switched on: of swaps, prices and routes across chains */
  providers: string[]
  /** what built material must have been verified by */
  minVerification: 'stated' | 'simulated' | 'proved'
  /** requests per window, by budget; null where a limit is lifted */
  limits: {
    [name: string]: {
      client: number | null
      global: number | null
      windowSeconds: number
    }
  }
  /** upstream calls at one time, of one client and of all; null where a limit is lifted */
  inFlight: {
    client: number | null
    global: number | null
  }
  /** event streams that may be open, of one client and of all */
  streams: {
    client: number
    global: number
  }
  relay: {
    methods: string[]
    maxTransactionBytes: number
    maxRetries: number
    minBatch: number
    maxBatch: number
  }
}

/** What `GET /api/tokens` takes. */
export interface TokensInput {
  /** also the tokens that the risk gate holds back, each with its reasons */
  readonly all?: boolean | undefined
  /** the rows of one book, or of one chain */
  readonly scope?:
    | 'operator'
    | 'majors'
    | 'boosted'
    | 'trending'
    | 'new'
    | 'ethereum'
    | 'bsc'
    | 'base'
    | 'arbitrum'
    | 'optimism'
    | 'polygon'
    | 'avalanche'
    | 'linea'
    | 'mantle'
    | 'sonic'
    | 'unichain'
    | 'berachain'
    | 'hyperevm'
    | 'monad'
    | 'plasma'
    | 'scroll'
    | 'gnosis'
    | 'solana'
    | 'sui'
    | 'ton'
    | undefined
}

/** What `GET /api/token/{chain}/{address}` takes. */
export interface TokenInput {
  /** chain key from GET /api/chains */
  readonly chain: string
  /** token address or chain-specific identifier; `native` for the native coin */
  readonly address: string
}

/** What `GET /api/prices/stream` takes. */
export interface PricesInput {
  /** the tokens, each by its chain key and its address there; `native` is the native coin */
  readonly tokens: string | readonly string[]
}

/** What `GET /api/portfolio` takes. */
export interface PortfolioInput {
  /** public EVM address, in any case; required where `sol` is left out */
  readonly address?: string | undefined
  /** public Solana address; required where `address` is left out */
  readonly sol?: string | undefined
  /** comma-separated EVM chain keys to look `address` up on; those that have tokens in the list unless given */
  readonly chains?: string | readonly string[] | undefined
  /** dollars: unlisted holdings that are worth less are counted, and not shown; default 0.01 */
  readonly dust?: number | undefined
}

/** What `GET /api/balances` takes. */
export interface BalancesInput {
  /** public EVM address, in any case; required where `sol` is left out */
  readonly address?: string | undefined
  /** public Solana address; required where `address` is left out */
  readonly sol?: string | undefined
  /** comma-separated EVM chain keys to look `address` up on; those that have tokens in the list unless given */
  readonly chains?: string | readonly string[] | undefined
}

/** What `GET /api/quote` takes. */
export interface QuoteInput {
  /** chain key */
  readonly chain: string
  /** `buy` spends the native coin, `sell` the token */
  readonly side: 'buy' | 'sell'
  /** chain-specific token address or identifier */
  readonly token: string
  /** in units of the coin or token that is spent */
  readonly amount: string
  /** in hundredths of a percent; default 300 */
  readonly slippageBps?: number | undefined
  /** public sender address */
  readonly from?: string | undefined
}

/** What `GET /api/v2quote` takes. */
export interface V2quoteInput {
  /** chain key */
  readonly chain: string
  /** `buy` spends the native coin, `sell` the token */
  readonly side: 'buy' | 'sell'
  /** chain-specific token address or identifier */
  readonly token: string
  /** in units of the coin or token that is spent */
  readonly amount: string
  /** in hundredths of a percent; default 300 */
  readonly slippageBps?: number | undefined
  /** public sender address */
  readonly from?: string | undefined
}

/** What `GET /api/basket/top` takes. */
export interface BasketTopInput {
  /** chain key */
  readonly chain: string
  /** how many; default 10 */
  readonly n?: number | undefined
  /** dollars in the pools of each, at least; default 10000 */
  readonly minLiq?: number | undefined
}

/** What `GET /api/basket/plan` takes. */
export interface BasketPlanInput {
  /** chain key */
  readonly chain: string
  /** the wallet, which goes into each clip's quote request */
  readonly from?: string | undefined
  /** dollars to spend, of the native coin */
  readonly usd: string
  /** clips, at most; default 5 */
  readonly limit?: number | undefined
  /** dollars of each clip, at least; default "10" */
  readonly minClipUsd?: string | undefined
  /** comma list of up to 20 token addresses to choose from; the deepest of the list unless given */
  readonly only?: string | readonly string[] | undefined
  /** in hundredths of a percent; default 300 */
  readonly slippageBps?: number | undefined
}

/** What `POST /api/build` takes. */
export interface BuildInput {
  readonly chain: string
  /** `buy` spends the native coin, `sell` the token */
  readonly side: 'buy' | 'sell'
  readonly token: string
  /** in units of the coin or token that is spent */
  readonly amount: string
  /** in hundredths of a percent; default 300 */
  readonly slippageBps?: number | undefined
  /** public signing-wallet address; output is bound to it */
  readonly from: string
  /** as it was answered, unchanged */
  readonly quote: Quote
}

/** What `GET /api/xquote` takes. */
export interface XquoteInput {
  /** chain key or numeric provider chain id */
  readonly fromChain: string
  /** chain key or numeric provider chain id */
  readonly toChain: string
  /** token address or native; default "native" */
  readonly fromToken?: string | undefined
  /** token address or native; default "native" */
  readonly toToken?: string | undefined
  /** in units of the source token */
  readonly amount: string
  /** sender on the source chain */
  readonly from: string
  /** recipient; required when the address formats of the chains differ */
  readonly to?: string | undefined
  /** decimal fraction below 1; absent, the provider decides */
  readonly slippage?: number | undefined
  /** one of FASTEST, CHEAPEST */
  readonly order?: string | undefined
}

/** What `GET /api/xstatus` takes. */
export interface XstatusInput {
  /** EVM transaction hash, Solana signature, Sui digest, or a quote's `transactionId` */
  readonly txHash: string
  /** chain key or numeric provider chain id; speeds it up */
  readonly fromChain?: string | undefined
  /** chain key or numeric provider chain id */
  readonly toChain?: string | undefined
  /** the bridge's key, which is a quote's `tool`; speeds it up */
  readonly bridge?: string | undefined
}

/** What `GET /api/fast-trade-proof` takes. */
export interface FastTradeProofInput {
  /** the transaction's first signature, whole */
  readonly digest: string
}

/** What `GET /api/native-price` takes. */
export interface NativePriceInput {
  /** chain key from GET /api/chains */
  readonly chain: string
}

/** What `GET /api/native-history` takes. */
export interface NativeHistoryInput {
  /** chain key from GET /api/chains */
  readonly chain: string
  /** how far back; default "24h" */
  readonly span?: '1h' | '24h' | '7d' | '30d' | undefined
}

/** What `GET /api/transaction-status` takes. */
export interface TransactionStatusInput {
  /** chain key: `solana`, or of an EVM chain */
  readonly chain: string
  /** the transaction's hash, on EVM chains */
  readonly hash?: string | undefined
  /** the transaction's first signature, on Solana */
  readonly signature?: string | undefined
}

/** What `GET /api/receipt` takes. */
export interface ReceiptInput {
  /** chain key: `solana`, or of an EVM chain */
  readonly chain: string
  /** the transaction's hash, on EVM chains */
  readonly hash?: string | undefined
  /** the transaction's first signature, on Solana */
  readonly signature?: string | undefined
}

/** What `GET /api/allowance` takes. */
export interface AllowanceInput {
  /** key of an EVM chain */
  readonly chain: string
  /** address of an ERC-20 token */
  readonly token?: string | undefined
  /** who allows it */
  readonly owner?: string | undefined
  /** who may take it: `spender` of a build's `approval` */
  readonly spender?: string | undefined
  /** of an approval transaction, in the place of `token`, `owner` and `spender` */
  readonly hash?: string | undefined
}

/** What `GET /api/discover/feed` takes. */
export interface DiscoverFeedInput {
  /** the `next` of the page before; without one the newest are answered */
  readonly cursor?: string | undefined
  /** events of a page; default 20 */
  readonly limit?: number | undefined
  /** is checked for its form, and changes nothing: the feed is the same for everybody */
  readonly session?: string | undefined
  /** the same; it is no proof of who asks */
  readonly wallet?: string | undefined
}

/** What `GET /api/discover/lookup` takes. */
export interface DiscoverLookupInput {
  /** an address, a coin type or a transaction, in any spelling of its chain */
  readonly address: string
}

/** What `GET /api/discover/tokens` takes. */
export interface DiscoverTokensInput {
  /** a book of the list, a kind of coin, or what the risk gate holds back */
  readonly category?:
    | 'operator'
    | 'majors'
    | 'boosted'
    | 'trending'
    | 'new'
    | 'native'
    | 'wrapped'
    | 'stablecoin'
    | 'gated'
    | undefined
  /** whole symbols come first */
  readonly q?: string | undefined
  /** the rows of one book, or of one chain */
  readonly scope?:
    | 'operator'
    | 'majors'
    | 'boosted'
    | 'trending'
    | 'new'
    | 'ethereum'
    | 'bsc'
    | 'base'
    | 'arbitrum'
    | 'optimism'
    | 'polygon'
    | 'avalanche'
    | 'linea'
    | 'mantle'
    | 'sonic'
    | 'unichain'
    | 'berachain'
    | 'hyperevm'
    | 'monad'
    | 'plasma'
    | 'scroll'
    | 'gnosis'
    | 'solana'
    | 'sui'
    | 'ton'
    | undefined
  /** how deep its pools are: deep from $1,000,000, mid from $50,000, thin from $0 */
  readonly tier?: 'deep' | 'mid' | 'thin' | 'unknown' | undefined
}

/** What `GET /api/discover/{operation}` takes. */
export interface DiscoverInput {
  /** `list` */
  readonly operation: string
}

/** What `GET /api/bake-off` takes. */
export interface BakeOffInput {
  /** up to now: sixty minutes, or 24 or 168 hours, the running one among them; default "24h" */
  readonly range?: '1h' | '24h' | '7d' | undefined
}

/** What `GET /api/funnel/summary` takes. */
export interface FunnelSummaryInput {
  /** how many days, today among them; default 7 */
  readonly days?: number | undefined
}

/** What `GET /api/reels/{operation}` takes. */
export interface ReelsInput {
  /** `list` for all items, or the id of one */
  readonly operation: string
}

/** What `GET /api/reels/feed` takes. */
export interface ReelsFeedInput {
  /** the items after those of that answer; the first ones unless given */
  readonly cursor?: string | undefined
  /** how many items at most; default 20 */
  readonly limit?: number | undefined
  /** only what the feed shows there */
  readonly tab?: string | undefined
}

/** What `GET /api/reels/inbox` takes. */
export interface ReelsInboxInput {
  /** the items after those of that answer; the first ones unless given */
  readonly before?: string | undefined
  /** how many items at most; default 20 */
  readonly limit?: number | undefined
}

/** What `GET /api/reels/moderation/{operation}` takes. */
export interface ReelsModerationInput {
  /** `list` for all items, or the id of one */
  readonly operation: string
}

/** What `GET /api/reels/moderation/audit` takes. */
export interface ReelsModerationAuditInput {
  /** only what is about this reel */
  readonly reelId?: string | undefined
}

/** What `GET /api/reels/moderation/avatars` takes. */
export interface ReelsModerationAvatarsInput {
  /** the items after those of that answer; the first ones unless given */
  readonly before?: string | undefined
  /** only what is about this avatar */
  readonly key?: string | undefined
  /** how many items at most; default 20 */
  readonly limit?: number | undefined
}

/** What `GET /api/reels/people` takes. */
export interface ReelsPeopleInput {
  /** a part of the name or handle, in any case */
  readonly q?: string | undefined
}

/** What `GET /api/social/{operation}` takes. */
export interface SocialInput {
  /** `list` for all items, or the id of one */
  readonly operation: string
}

/** What `GET /api/social/providers` takes. */
export interface SocialProvidersInput {
  /** where a sign-in would redirect to; ignored, as there is no sign-in here */
  readonly callback?: string | undefined
  /** the code of a sign-in; ignored, as there is no sign-in here */
  readonly code?: string | undefined
  /** why a sign-in failed; ignored, as there is no sign-in here */
  readonly error?: string | undefined
  /** the state of a sign-in; ignored, as there is no sign-in here */
  readonly state?: string | undefined
}

/** What `GET /api/game/{operation}` takes. */
export interface GameInput {
  /** `list` for all items, or the id of one */
  readonly operation: string
}

/** What `GET /api/game/achievements` takes. */
export interface GameAchievementsInput {
  /** a public address; it does not prove who asks */
  readonly wallet?: string | undefined
}

/** What `GET /api/game/leaderboard` takes. */
export interface GameLeaderboardInput {
  /** which board; default "main" */
  readonly board?: string | undefined
  /** how many items at most; default 20 */
  readonly limit?: number | undefined
  /** the period of the scores; default "all" */
  readonly window?: 'day' | 'week' | 'month' | 'all' | undefined
}

/** What `GET /api/game/me` takes. */
export interface GameMeInput {
  /** a public address; it does not prove who asks */
  readonly wallet: string
}

/** What `GET /api/referrals/{operation}` takes. */
export interface ReferralsInput {
  /** `list` for all items, or the id of one */
  readonly operation: string
}

/** What `GET /api/arcade/{operation}` takes. */
export interface ArcadeInput {
  /** `list` for all items, or the id of one */
  readonly operation: string
}

/** What `GET /api/onramp/{operation}` takes. */
export interface OnrampInput {
  /** `list` for all items, or the id of one */
  readonly operation: string
}

/** What `GET /api/recovery/{operation}` takes. */
export interface RecoveryInput {
  /** `list` for all items, or the id of one */
  readonly operation: string
}

/** What `GET /api/prices/stream` answers. */
export interface Prices {
  /** all tokens in the order of the request in a snapshot, the changed ones in a change */
  prices: {
    /** chain key */
    chain: string
    /** in its canonical spelling, as in GET /api/tokens */
    address: string
    /** whether GET /api/tokens lists it; if not, its price is refreshed about once a minute, unless the risk gate rejects the token */
    listed: boolean
    /** dollars */
    price: number | null
    /** ms epoch */
    priceTs: number | null
    /** the price is more than 60 seconds old */
    priceStale: boolean
  }[]
  /** when the list was read, ms epoch */
  asOf: number
}

/** What `GET /api/balances` answers. */
export interface Balances {
  /** in EIP-55's mixed case */
  address: string | null
  sol: string | null
  chains: {
    /** chain key */
    chain: string
    /** partial: some of it could not be read, or is not shown; failed: nothing could be read */
    status: 'complete' | 'partial' | 'failed'
    /** the oldest that it was read at, on EVM chains */
    block: number | null
    /** the oldest that it was read at, on Solana */
    slot: number | null
    /** the native coin, possibly zero; null if it could not be read */
    native: {
      address: string
      /** base units */
      amount: string
      /** null if the token does not say */
      decimals: number | null
      symbol: string | null
      name: string | null
      /** the part of `amount` that is wrapped SOL; null on other chains */
      wrapped: string | null
    } | null
    /** tokens with a balance; listed ones first */
    tokens: {
      address: string
      /** base units */
      amount: string
      /** null if the token does not say */
      decimals: number | null
      symbol: string | null
      name: string | null
      /** it is in the token list; the name of any other token is unverified */
      listed: boolean
      /** as in /api/portfolio */
      notes: ('frozen' | 'scaled')[]
    }[]
    problems: {
      error: string
      code?: string
      /** tokens, or whole lists of them, that were not read */
      missing?: number
      /** tokens that are not shown */
      omitted?: number
    }[]
    /** when it was read, ms epoch */
    asOf: number
  }[]
}

/** What `GET /api/v2quote` answers. */
export interface V2quote {
  /** each of them whole, as POST /api/build takes it; the best first */
  quotes: {
    provider: string
    chain: string
    chainId: number | null
    /** `buy` spends the native coin, `sell` the token */
    side: 'buy' | 'sell'
    from: string | null
    /** base units, decimal */
    amountIn: string
    amountInHuman: number
    /** base units, decimal */
    expectedOut: string | null
    expectedOutHuman: number | null
    /** base units, decimal */
    minOut: string | null
    slippageBps: number
    /** percent, positive is a loss */
    priceImpactPct: number | null
    /** the provider's route, free-form beyond these */
    route: {
      /** when the provider answered, ms epoch */
      asOf: number
      /** proves to /api/build that the quote is unchanged */
      seal: string
      /** the provider's own answer, as JSON text */
      raw: string
      /** the provider that /api/build will ask; null where none of them builds */
      buildBy: string | null
      /** what became of the other providers */
      alternatives: { [name: string]: unknown }[]
    }
    /** from 1, which is what /api/quote answers where all are in time */
    rank: number
    /** of `expectedOut` to that of rank 1, towards zero; 1,000,000 for anything from there on. More than 0: what cannot be built from, or an outlier */
    differenceBps: number
    /** too good to be true: it is last, and never wins */
    outlier: boolean
    /** whether its own provider builds; else `route.buildBy` does */
    canBuild: boolean
    /** the level that a build of it is held to reach */
    verification: 'stated' | 'simulated' | 'proved'
    /** why it stands at this rank, for people */
    why: string
  }[]
  /** the providers that have no quote */
  missing: {
    provider: string
    /** late: no answer by the hard deadline */
    outcome: 'failed' | 'late'
    /** as in Error bodies */
    code: string
    /** for people */
    why: string
  }[]
  /** what the token list's prices make of the order; base units, decimal */
  fairOut: string | null
}

/** What `GET /api/swap-options` answers. */
export interface SwapOptions {
  /** `buy` spends the native coin, `sell` the token */
  sides: string[]
  slippageBps: {
    min: number
    max: number
    default: number
    presets: number[]
    /** for people */
    why: string
  }
  amounts: {
    shareBps: {
      presets: number[]
      /** for people */
      why: string
    }
    usd: {
      presets: number[]
      /** for people */
      why: string
    }
  }
  /** the level that this host requires; a build with a lower one is refused */
  minVerification: 'stated' | 'simulated' | 'proved'
  chains: {
    /** chain key */
    key: string
    name: string
    chainId: number | null
    /** symbol */
    native: string
    /** of the native coin */
    decimals: number
    /** whether a provider that builds is configured */
    swaps: boolean
    /** of the best provider that builds */
    state: 'ok' | 'degraded' | 'untried' | 'cooling' | 'refused' | null
    /** the level that builds reach here */
    verification: 'stated' | 'simulated' | 'proved' | null
    /** in order of preference */
    providers: {
      label: string
      /** if false, it only gives a second opinion */
      canBuild: boolean
      /** as in /api/health; for a provider that reads the chain's nodes, the state of the best node */
      state: 'ok' | 'degraded' | 'untried' | 'cooling' | 'refused'
      /** how long /api/build accepts its quote without asking again, ms */
      freshMs: number
    }[]
    /** the native coin first */
    majors: {
      address: string
      symbol: string
      name: string
      decimals: number
      kind: 'native' | 'wrapped' | 'stablecoin'
    }[]
  }[]
  /** null if the cross-chain provider is switched off */
  crossChain: {
    provider: string
    /** as in /api/health */
    state: 'ok' | 'degraded' | 'untried' | 'cooling' | 'refused'
    /** chain keys */
    from: string[]
    /** chain keys: every chain of `from` reaches every one of these */
    to: string[]
    /** the values of `order` in /api/xquote */
    orders: ('FASTEST' | 'CHEAPEST')[]
  } | null
  fees: {
    /** the fee of the gateway itself */
    gatewayBps: number
    /** for people */
    why: string
  }
  /** since when the states are these, ms epoch */
  asOf: number
}

/** What `GET /api/desktop/swap-options` answers. */
export interface DesktopSwapOptions {
  /** `buy` spends the native coin, `sell` the token */
  sides: string[]
  slippageBps: {
    min: number
    max: number
    default: number
    presets: number[]
    /** for people */
    why: string
  }
  amounts: {
    shareBps: {
      presets: number[]
      /** for people */
      why: string
    }
    usd: {
      presets: number[]
      /** for people */
      why: string
    }
  }
  /** the level that this host requires; a build with a lower one is refused */
  minVerification: 'stated' | 'simulated' | 'proved'
  chains: {
    /** chain key */
    key: string
    name: string
    chainId: number | null
    /** symbol */
    native: string
    /** of the native coin */
    decimals: number
    /** whether a provider that builds is configured */
    swaps: boolean
    /** of the best provider that builds */
    state: 'ok' | 'degraded' | 'untried' | 'cooling' | 'refused' | null
    /** the level that builds reach here */
    verification: 'stated' | 'simulated' | 'proved' | null
    /** in order of preference */
    providers: {
      label: string
      /** if false, it only gives a second opinion */
      canBuild: boolean
      /** as in /api/health; for a provider that reads the chain's nodes, the state of the best node */
      state: 'ok' | 'degraded' | 'untried' | 'cooling' | 'refused'
      /** how long /api/build accepts its quote without asking again, ms */
      freshMs: number
    }[]
    /** the native coin first */
    majors: {
      address: string
      symbol: string
      name: string
      decimals: number
      kind: 'native' | 'wrapped' | 'stablecoin'
    }[]
  }[]
  /** null if the cross-chain provider is switched off */
  crossChain: {
    provider: string
    /** as in /api/health */
    state: 'ok' | 'degraded' | 'untried' | 'cooling' | 'refused'
    /** chain keys */
    from: string[]
    /** chain keys: every chain of `from` reaches every one of these */
    to: string[]
    /** the values of `order` in /api/xquote */
    orders: ('FASTEST' | 'CHEAPEST')[]
  } | null
  fees: {
    /** the fee of the gateway itself */
    gatewayBps: number
    /** for people */
    why: string
  }
  /** since when the states are these, ms epoch */
  asOf: number
}

/** What `GET /api/basket/top` answers. */
export interface BasketTop {
  /** chain key */
  chain: string
  /** the deepest first; equals by address */
  tokens: {
    address: string
    symbol: string | null
    name: string | null
    decimals: number | null
    /** dollars */
    price: number | null
    /** time of the price and of the figures beside it, ms epoch */
    priceTs: number | null
    /** the age of `priceTs` */
    ageMs: number | null
    /** dollars in its pools */
    liq: number
    /** dollars */
    vol24: number | null
    /** when a source last checked its risks, ms epoch */
    checkedTs: number | null
  }[]
  /** how many of the chain's tokens in the list are left out, by the first reason that applies */
  excluded: {
    /** native coin, wrapped native coin and stablecoins */
    majors: number
    /** rejected by the risk gate */
    gated: number
    /** their liquidity is unknown */
    unknown: number
    /** their liquidity is below `minLiq` */
    thin: number
  }
  /** ms epoch */
  asOf: number
}

/** What `GET /api/basket/plan` answers. */
export interface BasketPlan {
  /** chain key */
  chain: string
  /** the wallet */
  from: string | null
  /** dollars, decimal */
  usd: string
  /** dollars, decimal */
  minClipUsd: string
  /** `usd` in the native coin; base units, decimal */
  amountIn: string
  native: {
    symbol: string
    decimals: number
    /** dollars; the amounts are converted with it */
    price: number
    /** ms epoch */
    priceTs: number
  }
  /** the deepest first; `usd` and `amountIn` add up to the plan's */
  clips: {
    /** address */
    token: string
    symbol: string | null
    /** dollars, decimal */
    usd: string
    /** of the native coin; base units, decimal */
    amountIn: string
    /** dollars in the token's pools */
    liq: number
    /** the clip as a share of `liq`, hundredths of a percent, rounded up */
    liqBps: number
    /** for people: the clip is more than 1 % of `liq`, or no source has checked the token for risks */
    warnings: string[]
    /** the GET that quotes it; the members of `query` go into the body of /api/build as they are */
    quote: {
      /** path and query */
      url: string
      path: '/api/quote'
      query: {
        chain: string
        side: 'buy'
        token: string
        /** `amountIn` in whole coins */
        amount: string
        slippageBps: number
        from?: string
      }
    }
  }[]
  /** tokens of `only`, or of the deepest, that get nothing */
  left: {
    /** address */
    token: string
    /** unlisted: not in the list; wrapped: the wrapped native coin; gated: rejected by the risk gate; unknown: its liquidity is unknown; limit: beyond `limit`; clip: its part would be less than `minClipUsd` */
    reason: 'unlisted' | 'wrapped' | 'gated' | 'unknown' | 'limit' | 'clip'
  }[]
  /** ms epoch */
  asOf: number
}

/** What `GET /api/xstatus` answers. */
export type Xstatus = { [name: string]: unknown }

/** What `GET /api/native-price` answers. */
export interface NativePrice {
  /** chain key */
  chain: string
  symbol: string
  /** the wrapped coin that markets quote instead; null if they quote the coin itself */
  wrapped: string | null
  /** dollars; null if unknown */
  price: number | null
  /** the time of the price, ms epoch */
  asOf: number | null
  /** the price is more than 60 seconds old, or its source has failed since */
  stale: boolean
  /** `tokens` is the token list */
  source: string | null
  /** the outcome of each source that was asked; empty if the token list sufficed */
  sources: {
    provider: string
    /** stale: it failed, and its last answer is shown; missing: it does not know the token */
    status: 'ok' | 'stale' | 'missing' | 'failed'
    /** when it answered, ms epoch */
    at: number | null
    /** why it is not ok */
    code?: string
    retryAfterMs?: number
  }[]
}

/** What `GET /api/native-history` answers. */
export interface NativeHistory {
  /** chain key */
  chain: string
  symbol: string
  /** the wrapped coin that markets quote instead; null if they quote the coin itself */
  wrapped: string | null
  span: '1h' | '24h' | '7d' | '30d'
  /** of a candle */
  intervalMs: number
  /** dollars; oldest first, one per interval from the first that the source has; null if no source has any, and `sources` says why */
  candles:
    | {
        /** start of the interval, ms epoch */
        ts: number
        open: number
        high: number
        low: number
        close: number
        /** dollars, in `pool` */
        volume: number
      }[]
    | null
  /** how many candles are of intervals without trades: they have the last close and volume 0 */
  filled: number
  /** the pool of the trades */
  pool: string | null
  /** the source of the candles */
  source: string | null
  /** when the source was asked, ms epoch */
  asOf: number | null
  /** how long ago that was */
  ageMs: number | null
  /** the source has failed since */
  stale: boolean
  /** the outcome of each source that was asked; empty if the token list sufficed */
  sources: {
    provider: string
    /** stale: it failed, and its last answer is shown; missing: it does not know the token */
    status: 'ok' | 'stale' | 'missing' | 'failed'
    /** when it answered, ms epoch */
    at: number | null
    /** why it is not ok */
    code?: string
    retryAfterMs?: number
  }[]
}

/** What `GET /api/transaction-status` answers. */
export interface TransactionStatus {
  /** chain key */
  chain: string
  /** on EVM chains; null on Solana */
  hash: string | null
  /** on Solana; null on EVM chains */
  signature: string | null
  /** unknown: no node that answered knows it; pending: in no block of the chain yet; confirmed: in a block that may still be replaced; finalized: in a final block; failed: in a block, without effect except its fee */
  status: 'unknown' | 'pending' | 'confirmed' | 'finalized' | 'failed'
  /** nothing of this can change any more, including a failure */
  isFinal: boolean
  /** blocks since then including its own; slots on Solana; null outside of blocks */
  confirmations: number | null
  /** on EVM chains */
  block: number | null
  /** on Solana */
  slot: number | null
  /** its block's time, ms epoch */
  includedAt: number | null
  /** why it failed, null if it did not: on Solana in the node's own words, on EVM chains `{ reverted }` with the reason if the node gives one */
  err: unknown
  /** true if another transaction of its sender has used its nonce in a final block, so it can never run; null if unknown */
  replaced: boolean | null
  /** the block that it was seen in here and is no longer in; null if there is none */
  droppedFrom: number | null
  /** null if it is not paid yet, or unknown */
  fee: {
    /** base units: all that was paid in the native coin */
    amount: string
    /** base units: the part for data on the layer below; null if there is none */
    l1: string | null
    paidBy: string
  } | null
  /** its page in the chain's explorer */
  explorer: string
  /** the receipt of its submission; null if it was not submitted here recently */
  receipt: SubmissionReceipt | null
  /** when the nodes were asked, ms epoch */
  asOf: number
}

/** What `GET /api/receipt` answers. */
export interface Receipt {
  /** chain key */
  chain: string
  /** on EVM chains; null on Solana */
  hash: string | null
  /** on Solana; null on EVM chains */
  signature: string | null
  /** unknown: no node that answered knows it; pending: in no block of the chain yet; confirmed: in a block that may still be replaced; finalized: in a final block; failed: in a block, without effect except its fee */
  status: 'unknown' | 'pending' | 'confirmed' | 'finalized' | 'failed'
  /** nothing of this can change any more, including a failure */
  isFinal: boolean
  /** blocks since then including its own; slots on Solana; null outside of blocks */
  confirmations: number | null
  /** on EVM chains */
  block: number | null
  /** on Solana */
  slot: number | null
  /** its block's time, ms epoch */
  includedAt: number | null
  /** why it failed, null if it did not: on Solana in the node's own words, on EVM chains `{ reverted }` with the reason if the node gives one */
  err: unknown
  /** true if another transaction of its sender has used its nonce in a final block, so it can never run; null if unknown */
  replaced: boolean | null
  /** the block that it was seen in here and is no longer in; null if there is none */
  droppedFrom: number | null
  /** null if it is not paid yet, or unknown */
  fee: {
    /** base units: all that was paid in the native coin */
    amount: string
    /** base units: the part for data on the layer below; null if there is none */
    l1: string | null
    paidBy: string
  } | null
  /** its page in the chain's explorer */
  explorer: string
  /** the sender; on Solana the fee payer */
  from: string | null
  /** the contract or wallet that it was sent to; null on Solana */
  to: string | null
  /** what the sender lost, without the fee; null while it is in no block */
  paid:
    | {
        /** the token's address; the native coin's is as in quotes */
        token: string
        isNative: boolean
        /** it is the native coin or in the token list; the name of any other token is unverified */
        listed: boolean
        /** base units: above zero */
        amount: string
        decimals: number | null
        symbol: string | null
      }[]
    | null
  /** what the sender gained */
  got:
    | {
        /** the token's address; the native coin's is as in quotes */
        token: string
        isNative: boolean
        /** it is the native coin or in the token list; the name of any other token is unverified */
        listed: boolean
        /** base units: above zero */
        amount: string
        decimals: number | null
        symbol: string | null
      }[]
    | null
  /** movements that are incomplete. `native`: the nodes do not know the balances, `paid` has the transaction’s own value, and `got` has nothing; `tokens`: the nodes do not know the owner of each balance, or more than 256 tokens moved */
  missing: ('native' | 'tokens')[]
  /** when the nodes were asked, ms epoch */
  asOf: number
}

/** What `GET /api/allowance` answers. */
export interface Allowance {
  /** chain key */
  chain: string
  token: string | null
  owner: string | null
  spender: string | null
  /** base units: what the spender may take; for a request by `hash`, what the transaction set, and null if it set none or not yet */
  allowance: string | null
  /** it is more than the supply of any token, as unlimited approvals are */
  isUnlimited: boolean | null
  /** the block at which it was read */
  block: number | null
  /** the approval, for a request by `hash` */
  transaction: {
    /** chain key */
    chain: string
    /** on EVM chains; null on Solana */
    hash: string | null
    /** on Solana; null on EVM chains */
    signature: string | null
    /** unknown: no node that answered knows it; pending: in no block of the chain yet; confirmed: in a block that may still be replaced; finalized: in a final block; failed: in a block, without effect except its fee */
    status: 'unknown' | 'pending' | 'confirmed' | 'finalized' | 'failed'
    /** nothing of this can change any more, including a failure */
    isFinal: boolean
    /** blocks since then including its own; slots on Solana; null outside of blocks */
    confirmations: number | null
    /** on EVM chains */
    block: number | null
    /** on Solana */
    slot: number | null
    /** its block's time, ms epoch */
    includedAt: number | null
    /** why it failed, null if it did not: on Solana in the node's own words, on EVM chains `{ reverted }` with the reason if the node gives one */
    err: unknown
    /** true if another transaction of its sender has used its nonce in a final block, so it can never run; null if unknown */
    replaced: boolean | null
    /** the block that it was seen in here and is no longer in; null if there is none */
    droppedFrom: number | null
    /** null if it is not paid yet, or unknown */
    fee: {
      /** base units: all that was paid in the native coin */
      amount: string
      /** base units: the part for data on the layer below; null if there is none */
      l1: string | null
      paidBy: string
    } | null
    /** its page in the chain's explorer */
    explorer: string
  } | null
  /** when the nodes were asked, ms epoch */
  asOf: number
}

/** What `GET /api/discover/feed` answers. */
export interface DiscoverFeed {
  /** newest first; `token` is as it was then */
  items: {
    /** listed: added to the list; gated: rejected by the risk gate; cleared: no longer rejected; moved: its price moved by a fifth or more within an hour */
    kind: 'listed' | 'gated' | 'cleared' | 'moved'
    /** when the list was built that shows it, ms epoch */
    at: number
    /** percent; null for other kinds than `moved` */
    changePct: number | null
    /** the start of the change, ms epoch */
    since: number | null
    token: {
      /** chain key */
      chain: string
      /** in canonical spelling */
      address: string
      symbol: string | null
      name: string | null
      decimals: number | null
      /** dollars */
      price: number | null
      /** ms epoch */
      priceTs: number | null
      /** dollars in its pools */
      liq: number | null
      /** by `liq`: deep from $1,000,000, mid from $50,000, thin from $0 */
      tier: 'deep' | 'mid' | 'thin' | 'unknown'
      /** the book of the token list; null if the token is not in the list */
      book: string | null
      /** null: it is not in the list, so the risk gate has not checked it */
      gated: boolean | null
      /** why it is rejected */
      gate: {
        rule: string
        /** null: the market figures */
        source: string | null
        reason: string
      }[]
      /** the native coin, wrapped coin or stablecoin whose name it has without being it: a copy or a fake */
      readsLike: {
        chain: string
        address: string
        symbol: string
      } | null
    }
  }[]
  /** the cursor of the next page, with older ones; null: no more */
  next: string | null
}

/** What `GET /api/discover/lookup` answers. */
export interface DiscoverLookup {
  /** what the text may be, by its form alone */
  looksLike: {
    family: 'evm' | 'solana' | 'sui' | 'ton'
    form: 'address' | 'coin_type' | 'transaction'
    /** an address in its canonical spelling */
    text: string
  }[]
  /** the likeliest first; empty if no source knows it */
  candidates: {
    /** chain key */
    chain: string
    /** in canonical spelling */
    address: string
    symbol: string | null
    name: string | null
    decimals: number | null
    /** dollars */
    price: number | null
    /** ms epoch */
    priceTs: number | null
    /** dollars in its pools */
    liq: number | null
    /** by `liq`: deep from $1,000,000, mid from $50,000, thin from $0 */
    tier: 'deep' | 'mid' | 'thin' | 'unknown'
    /** the book of the token list; null if the token is not in the list */
    book: string | null
    /** null: it is not in the list, so the risk gate has not checked it */
    gated: boolean | null
    /** why it is rejected */
    gate: {
      rule: string
      /** null: the market figures */
      source: string | null
      reason: string
    }[]
    /** the native coin, wrapped coin or stablecoin whose name it has without being it: a copy or a fake */
    readsLike: {
      chain: string
      address: string
      symbol: string
    } | null
    family: 'evm' | 'solana' | 'sui' | 'ton'
    /** the kinds beyond tokens are known on Solana only */
    kind: 'native' | 'wrapped' | 'stablecoin' | 'token' | 'wallet' | 'program' | 'token_account' | 'account'
    /** in the token list, and not rejected by the risk gate */
    listed: boolean
    /** the source: `tokens` is the token list, `known` are the lists of known tokens, `chain` are the nodes, any other is a market provider */
    source: string
    /** why it comes before the next, best first: a coin of the chain table; in the operator’s list; in the token list; traded in a pool; in a list of known tokens; on the chain; rejected by the risk gate. Equals are ordered by `liq` */
    why: 'major' | 'operator' | 'listed' | 'market' | 'known' | 'chain' | 'gated'
  }[]
  /** the outcome of each source that was asked; empty if the list knows it */
  sources: {
    provider: string
    /** stale: it failed, and its last answer is shown; missing: it does not know the token */
    status: 'ok' | 'stale' | 'missing' | 'failed'
    /** when it answered, ms epoch */
    at: number | null
    /** why it is not ok */
    code?: string
    retryAfterMs?: number
  }[]
}

/** What `GET /api/discover/tokens` answers. */
export interface DiscoverTokens {
  /** the first 100 */
  tokens: {
    /** chain key */
    chain: string
    /** in canonical spelling */
    address: string
    symbol: string | null
    name: string | null
    decimals: number | null
    /** dollars */
    price: number | null
    /** ms epoch */
    priceTs: number | null
    /** dollars in its pools */
    liq: number | null
    /** by `liq`: deep from $1,000,000, mid from $50,000, thin from $0 */
    tier: 'deep' | 'mid' | 'thin' | 'unknown'
    /** the book of the token list; null if the token is not in the list */
    book: string | null
    /** null: it is not in the list, so the risk gate has not checked it */
    gated: boolean | null
    /** why it is rejected */
    gate: {
      rule: string
      /** null: the market figures */
      source: string | null
      reason: string
    }[]
    /** the native coin, wrapped coin or stablecoin whose name it has without being it: a copy or a fake */
    readsLike: {
      chain: string
      address: string
      symbol: string
    } | null
  }[]
  /** how many match */
  total: number
  /** when the list was built, ms epoch */
  updatedAt: number | null
}

/** What `GET /api/discover/{operation}` answers. */
export interface Discover {
  items: {
    operation: string
    path: string
    summary: string
    parameters: string[]
  }[]
}

/** What `GET /api/diagnostics` answers. */
export interface Diagnostics {
  version: string
  /** the version of Node.js */
  node: string
  /** what checks signatures */
  verifier: string
  /** seconds */
  uptime: number
  /** how late the event loop was in the last whole minute, or since the start */
  eventLoop: {
    windowMs: number
    p50Ms: number
    p99Ms: number
    maxMs: number
  }
  memory: {
    /** bytes, in whole MiB */
    rss: number
    /** bytes, in whole MiB */
    heapUsed: number
    /** bytes, in whole MiB */
    external: number
  }
  /** clients' connections that are open */
  connections: number
  /** event streams that are open */
  streams: number
  /** signatures that are waited for over WebSockets */
  subscriptions: number
  /** transactions that are being sent again */
  rebroadcasts: number
  droppedLogLines: number
  /** upstream calls at this time, of all clients */
  places: {
    calls: {
      underWay: number
      waiting: number
    }
    submissions: {
      underWay: number
      waiting: number
    }
  }
  caches: {
    name: string
    /** what has expired counts until its place is needed */
    entries: number
    /** null where the number of entries bounds it */
    bytes: number | null
    /** misses: an upstream was asked; null where it is not counted */
    asked: number | null
    /** shared with those that waited for the same */
    joined: number | null
    /** hits */
    kept: number | null
    /** taken from another instance */
    shared: number | null
  }[]
  /** those that can be asked by now: a node is connected to when it is first needed */
  upstreams: {
    name: string
    /** what goes through it, where one name has several quotas */
    carries: 'calls' | 'quotes' | 'reads' | 'submissions'
    /** as in GET /api/health */
    state: 'ok' | 'degraded' | 'refused' | 'cooling' | 'untried'
    breaker: 'closed' | 'open' | 'half-open'
    /** until a call is let through */
    breakerMs: number
    /** what a 429 holds back: an RPC method, or all */
    pauses: {
      lane: string
      leftMs: number
    }[]
    /** what the gateway keeps to; null where none is published */
    quota: {
      /** in a window */
      calls: number
      windowMs: number
      /** at once */
      burst: number
      /** of the burst */
      used: number
      /** of the burst */
      left: number
    } | null
    callsUnderWay: number
  }[]
}

/** What `GET /api/bake-off` answers. */
export interface BakeOff {
  range: '1h' | '24h' | '7d'
  /** Unix ms: when counting began; a restart forgets */
  since: number
  /** Unix ms: the beginning of the first minute or hour that is counted; not before counting began */
  from: number
  /** Unix ms: the end of the range */
  asOf: number
  chains: {
    chain: string
    /** quotes that providers were asked for, each once */
    races: number
    /** of those, the ones that somebody won */
    answered: number
    /** those that won most first */
    providers: {
      provider: string
      asked: number
      /** offers in time, outliers among them */
      answered: number
      won: number
      /** offers too good to be true */
      outliers: number
      /** had not answered when the race was decided */
      late: number
      failed: number
      /** by error code */
      failures: { [name: string]: number }
      /** until an offer came, to within an eighth; null without offers */
      medianMs: number | null
      /** how far offers were below the best one, in hundredths of a percent, to within an eighth; exact below 8, null without offers */
      medianDistanceBps: number | null
    }[]
  }[]
}

/** What `GET /api/bake-off/event` answers. */
export interface BakeOffRace {
  /** Unix ms: when the race was decided */
  at: number
  chain: string
  side: 'buy' | 'sell'
  providers: {
    provider: string
    outcome: 'won' | 'offered' | 'outlier' | 'failed' | 'late'
    /** of its failure */
    code: string | null
    /** until it answered or failed; null where it had done neither */
    ms: number | null
    /** below the best offer that could win; null for what could not */
    distanceBps: number | null
  }[]
}

/** What `GET /api/funnel` answers. */
export interface Funnel {
  /** when counting began: what was before is not known */
  since: string
  /** Unix ms */
  asOf: number
  today: {
    /** UTC */
    day: string
    totals: {
      /** answers of GET /api/quote and /api/v2quote */
      quote: number
      /** builds that were handed out */
      build: number
      /** transactions that a node took from the relay, each once */
      submit: number
      /** of those, the ones that were seen in a block without an error */
      confirmed: number
    }
    families: {
      evm: {
        /** answers of GET /api/quote and /api/v2quote */
        quote: number
        /** builds that were handed out */
        build: number
        /** null where transactions do not go through this gateway, so that nobody counts them */
        submit: number | null
        /** the same */
        confirmed: number | null
      }
      solana: {
        /** answers of GET /api/quote and /api/v2quote */
        quote: number
        /** builds that were handed out */
        build: number
        /** null where transactions do not go through this gateway, so that nobody counts them */
        submit: number | null
        /** the same */
        confirmed: number | null
      }
      sui: {
        /** answers of GET /api/quote and /api/v2quote */
        quote: number
        /** builds that were handed out */
        build: number
        /** null where transactions do not go through this gateway, so that nobody counts them */
        submit: number | null
        /** the same */
        confirmed: number | null
      }
      ton: {
        /** answers of GET /api/quote and /api/v2quote */
        quote: number
        /** builds that were handed out */
        build: number
        /** null where transactions do not go through this gateway, so that nobody counts them */
        submit: number | null
        /** the same */
        confirmed: number | null
      }
    }
  }
  /** the days before today since counting began, the newest first, at most 89 */
  days: {
    /** UTC */
    day: string
    totals: {
      /** answers of GET /api/quote and /api/v2quote */
      quote: number
      /** builds that were handed out */
      build: number
      /** transactions that a node took from the relay, each once */
      submit: number
      /** of those, the ones that were seen in a block without an error */
      confirmed: number
    }
  }[]
}

/** What `GET /api/funnel/summary` answers. */
export interface FunnelSummary {
  /** when counting began: what was before is not known */
  since: string
  /** Unix ms */
  asOf: number
  /** the first of the days that are counted, UTC; not before counting began */
  from: string
  /** today, UTC */
  to: string
  totals: {
    /** answers of GET /api/quote and /api/v2quote */
    quote: number
    /** builds that were handed out */
    build: number
    /** transactions that a node took from the relay, each once */
    submit: number
    /** of those, the ones that were seen in a block without an error */
    confirmed: number
  }
  families: {
    evm: {
      /** answers of GET /api/quote and /api/v2quote */
      quote: number
      /** builds that were handed out */
      build: number
      /** null where transactions do not go through this gateway, so that nobody counts them */
      submit: number | null
      /** the same */
      confirmed: number | null
    }
    solana: {
      /** answers of GET /api/quote and /api/v2quote */
      quote: number
      /** builds that were handed out */
      build: number
      /** null where transactions do not go through this gateway, so that nobody counts them */
      submit: number | null
      /** the same */
      confirmed: number | null
    }
    sui: {
      /** answers of GET /api/quote and /api/v2quote */
      quote: number
      /** builds that were handed out */
      build: number
      /** null where transactions do not go through this gateway, so that nobody counts them */
      submit: number | null
      /** the same */
      confirmed: number | null
    }
    ton: {
      /** answers of GET /api/quote and /api/v2quote */
      quote: number
      /** builds that were handed out */
      build: number
      /** null where transactions do not go through this gateway, so that nobody counts them */
      submit: number | null
      /** the same */
      confirmed: number | null
    }
  }
  /** in hundredths of a percent, rounded; null where there is nothing to divide by. Above 10000 where more came than went out, as the relay takes transactions that were built elsewhere */
  conversion: {
    /** of all families */
    quoteToBuildBps: number | null
    /** of Solana: other transactions are sent elsewhere */
    buildToSubmitBps: number | null
    /** of Solana */
    submitToConfirmedBps: number | null
  }
}

/** What `GET /api/announcements` answers. */
export interface Announcements {
  items: {
    id: string
    at: string
    title: string
    text: string
    url?: string
  }[]
}

/** What `GET /api/reels/{operation}` answers. */
export type Reels =
  | {
      items: {
        id: string
        at: string
        /** where the feed shows it */
        tab?: string
        title: string
        /** of `reels-people` */
        author?: string
        video: string
        poster?: string
      }[]
    }
  | {
      id: string
      at: string
      /** where the feed shows it */
      tab?: string
      title: string
      /** of `reels-people` */
      author?: string
      video: string
      poster?: string
    }

/** What `GET /api/reels/appeals` answers. */
export interface ReelsAppeals {
  items: { [name: string]: unknown }[]
  /** clients are not authenticated, so there is no client to answer for */
  anonymous: true
}

/** What `GET /api/reels/feed` answers. */
export interface ReelsFeed {
  items: {
    id: string
    at: string
    /** where the feed shows it */
    tab?: string
    title: string
    /** of `reels-people` */
    author?: string
    video: string
    poster?: string
  }[]
  /** for the next page; null: nothing follows */
  next: string | null
}

/** What `GET /api/reels/inbox` answers. */
export interface ReelsInbox {
  items: {
    id: string
    at: string
    title: string
    text: string
    url?: string
  }[]
  /** for the next page; null: nothing follows */
  next: string | null
}

/** What `GET /api/reels/inbox/seen` answers. */
export interface ReelsInboxSeen {
  seen: null
  /** clients are not authenticated, so there is no client to answer for */
  anonymous: true
}

/** What `GET /api/reels/liked` answers. */
export interface ReelsLiked {
  items: { [name: string]: unknown }[]
  /** clients are not authenticated, so there is no client to answer for */
  anonymous: true
}

/** What `GET /api/reels/mine` answers. */
export interface ReelsMine {
  items: { [name: string]: unknown }[]
  /** clients are not authenticated, so there is no client to answer for */
  anonymous: true
}

/** What `GET /api/reels/moderation/{operation}` answers. */
export type ReelsModeration =
  | {
      items: {
        id: string
        at: string
        queue: 'appeals' | 'audit' | 'avatars' | 'comments' | 'open' | 'safety' | 'suspensions'
        reelId?: string
        /** of the avatar */
        key?: string
        text: string
      }[]
    }
  | {
      id: string
      at: string
      queue: 'appeals' | 'audit' | 'avatars' | 'comments' | 'open' | 'safety' | 'suspensions'
      reelId?: string
      /** of the avatar */
      key?: string
      text: string
    }

/** What `GET /api/reels/moderation/appeals` answers. */
export interface ReelsModerationAppeals {
  items: {
    id: string
    at: string
    queue: 'appeals' | 'audit' | 'avatars' | 'comments' | 'open' | 'safety' | 'suspensions'
    reelId?: string
    /** of the avatar */
    key?: string
    text: string
  }[]
}

/** What `GET /api/reels/moderation/audit` answers. */
export interface ReelsModerationAudit {
  items: {
    id: string
    at: string
    queue: 'appeals' | 'audit' | 'avatars' | 'comments' | 'open' | 'safety' | 'suspensions'
    reelId?: string
    /** of the avatar */
    key?: string
    text: string
  }[]
}

/** What `GET /api/reels/moderation/avatars` answers. */
export interface ReelsModerationAvatars {
  items: {
    id: string
    at: string
    queue: 'appeals' | 'audit' | 'avatars' | 'comments' | 'open' | 'safety' | 'suspensions'
    reelId?: string
    /** of the avatar */
    key?: string
    text: string
  }[]
  /** for the next page; null: nothing follows */
  next: string | null
}

/** What `GET /api/reels/moderation/comments` answers. */
export interface ReelsModerationComments {
  items: {
    id: string
    at: string
    queue: 'appeals' | 'audit' | 'avatars' | 'comments' | 'open' | 'safety' | 'suspensions'
    reelId?: string
    /** of the avatar */
    key?: string
    text: string
  }[]
}

/** What `GET /api/reels/moderation/open` answers. */
export interface ReelsModerationOpen {
  items: {
    id: string
    at: string
    queue: 'appeals' | 'audit' | 'avatars' | 'comments' | 'open' | 'safety' | 'suspensions'
    reelId?: string
    /** of the avatar */
    key?: string
    text: string
  }[]
}

/** What `GET /api/reels/moderation/safety` answers. */
export interface ReelsModerationSafety {
  items: {
    id: string
    at: string
    queue: 'appeals' | 'audit' | 'avatars' | 'comments' | 'open' | 'safety' | 'suspensions'
    reelId?: string
    /** of the avatar */
    key?: string
    text: string
  }[]
}

/** What `GET /api/reels/moderation/suspensions` answers. */
export interface ReelsModerationSuspensions {
  items: {
    id: string
    at: string
    queue: 'appeals' | 'audit' | 'avatars' | 'comments' | 'open' | 'safety' | 'suspensions'
    reelId?: string
    /** of the avatar */
    key?: string
    text: string
  }[]
}

/** What `GET /api/reels/official/upload-session` answers. */
export interface ReelsOfficialUploadSession {
  available: false
}

/** What `GET /api/reels/people` answers. */
export interface ReelsPeople {
  items: {
    id: string
    name: string
    handle?: string
    bio?: string
    image?: string
    url?: string
  }[]
}

/** What `GET /api/social/{operation}` answers. */
export type Social =
  | {
      items: {
        id: string
        at: string
        title: string
        text: string
        url?: string
      }[]
    }
  | {
      id: string
      at: string
      title: string
      text: string
      url?: string
    }

/** What `GET /api/social/invites/me` answers. */
export interface SocialInvitesMe {
  items: { [name: string]: unknown }[]
  /** clients are not authenticated, so there is no client to answer for */
  anonymous: true
}

/** What `GET /api/social/invites/text` answers. */
export interface SocialInvitesText {
  id: string
  at: string
  text: string
  url?: string
}

/** What `GET /api/social/providers` answers. */
export interface SocialProviders {
  items: {
    id: string
    name: string
    url: string
  }[]
}

/** What `GET /api/game/{operation}` answers. */
export type Game =
  | {
      items: {
        id: string
        at: string
        until?: string
        title: string
        text: string
        url?: string
      }[]
    }
  | {
      id: string
      at: string
      until?: string
      title: string
      text: string
      url?: string
    }

/** What `GET /api/game/achievements` answers. */
export interface GameAchievements {
  items: {
    id: string
    title: string
    text: string
    points?: number
    /** a public address; it does not prove who asks */
    wallet?: string
  }[]
}

/** What `GET /api/game/avatar` answers. */
export interface GameAvatar {
  items: {
    id: string
    title: string
    image: string
  }[]
}

/** What `GET /api/game/delegates` answers. */
export interface GameDelegates {
  items: { [name: string]: unknown }[]
  /** clients are not authenticated, so there is no client to answer for */
  anonymous: true
}

/** What `GET /api/game/leaderboard` answers. */
export interface GameLeaderboard {
  items: {
    id: string
    board: string
    window: 'day' | 'week' | 'month' | 'all'
    name: string
    score: number
    /** a public address; it does not prove who asks */
    wallet?: string
  }[]
}

/** What `GET /api/game/me` answers. */
export interface GameMe {
  id: string
  /** a public address; it does not prove who asks */
  wallet: string
  name: string
  score: number
  image?: string
}

/** What `GET /api/referrals/{operation}` answers. */
export type Referrals =
  | {
      items: {
        id: string
        title: string
        text: string
        url?: string
      }[]
    }
  | {
      id: string
      title: string
      text: string
      url?: string
    }

/** What `GET /api/arcade/{operation}` answers. */
export type Arcade =
  | {
      items: {
        id: string
        title: string
        text: string
        url: string
        image?: string
      }[]
    }
  | {
      id: string
      title: string
      text: string
      url: string
      image?: string
    }

/** What `GET /api/onramp/{operation}` answers. */
export type Onramp =
  | {
      items: {
        id: string
        name: string
        text?: string
        url: string
        countries?: string[]
        currencies?: string[]
      }[]
    }
  | {
      id: string
      name: string
      text?: string
      url: string
      countries?: string[]
      currencies?: string[]
    }

/** What `GET /api/push/status` answers. */
export interface PushStatus {
  available: false
}

/** What `GET /api/recovery/{operation}` answers. */
export type Recovery =
  | {
      items: {
        id: string
        title: string
        text: string
        url?: string
      }[]
    }
  | {
      id: string
      title: string
      text: string
      url?: string
    }

/** What `GET /openapi.json` answers. */
export interface Openapi {
  openapi: '3.1.0'
  info: {
    title: string
    version: string
  }
  paths: { [name: string]: unknown }
}

/** What the relay takes where the operator changes nothing; EXTRA_RPC_METHODS lets others through. */
export type RpcMethod =
  | 'getBalance'
  | 'getTokenAccountsByOwner'
  | 'getLatestBlockhash'
  | 'getSignatureStatuses'
  | 'getAccountInfo'
  | 'getMultipleAccounts'
  | 'getTokenAccountBalance'
  | 'sendTransaction'
  | 'sendTransactions'
  | 'simulateTransaction'
  | 'getTransaction'
  | 'getBlockHeight'
  | 'getSlot'
  | 'getRecentPrioritizationFees'

/** A method for each operation of the gateway. */
export interface Operations {
  /** The token list (`GET /api/tokens`). */
  tokens(input?: TokensInput, options?: CallOptions): Promise<TokenList>

  /** Token profile (`GET /api/token/{chain}/{address}`). */
  token(input: TokenInput, options?: CallOptions): Promise<TokenProfile>

  /** Prices as they change (`GET /api/prices/stream`). */
  prices(input: PricesInput, options?: EventsOptions): AsyncGenerator<ServerEvent<Prices>, void, undefined>

  /** Network metadata (`GET /api/chains`). */
  chains(options?: CallOptions): Promise<Chains>

  /** Holdings of public addresses (`GET /api/portfolio`). */
  portfolio(input?: PortfolioInput, options?: CallOptions): Promise<Portfolio>

  /** Raw balances of public addresses, without prices (`GET /api/balances`). */
  balances(input?: BalancesInput, options?: CallOptions): Promise<Balances>

  /** Indicative swap quote (`GET /api/quote`). */
  quote(input: QuoteInput, options?: CallOptions): Promise<Quote>

  /** Every provider's swap quote, ranked (`GET /api/v2quote`). */
  v2quote(input: V2quoteInput, options?: CallOptions): Promise<V2quote>

  /** What a swap form needs when it opens (`GET /api/swap-options`). */
  swapOptions(options?: CallOptions): Promise<SwapOptions>

  /** The same, with the presets of a wide form (`GET /api/desktop/swap-options`). */
  desktopSwapOptions(options?: CallOptions): Promise<DesktopSwapOptions>

  /** The deepest tokens of a chain (`GET /api/basket/top`). */
  basketTop(input: BasketTopInput, options?: CallOptions): Promise<BasketTop>

  /** An amount in dollars, split over tokens by their liquidity (`GET /api/basket/plan`). */
  basketPlan(input: BasketPlanInput, options?: CallOptions): Promise<BasketPlan>

  /** Unsigned transaction material for a quote (`POST /api/build`). */
  build(input: BuildInput, options?: CallOptions): Promise<BuildResult>

  /** Cross-chain quote with unsigned transaction material (`GET /api/xquote`). */
  xquote(input: XquoteInput, options?: CallOptions): Promise<CrossChainQuote>

  /** Status of a cross-chain transfer (`GET /api/xstatus`). */
  xstatus(input: XstatusInput, options?: CallOptions): Promise<Xstatus>

  /** Receipt of a submitted Solana transaction (`GET /api/fast-trade-proof`). */
  fastTradeProof(input: FastTradeProofInput, options?: CallOptions): Promise<SubmissionReceipt>

  /** Solana transactions that are being sent again (`GET /api/rebroadcast`). */
  rebroadcast(options?: CallOptions): Promise<Rebroadcasts>

  /** Price of a native coin (`GET /api/native-price`). */
  nativePrice(input: NativePriceInput, options?: CallOptions): Promise<NativePrice>

  /** Candles of a native coin (`GET /api/native-history`). */
  nativeHistory(input: NativeHistoryInput, options?: CallOptions): Promise<NativeHistory>

  /** Status of a transaction (`GET /api/transaction-status`). */
  transactionStatus(input: TransactionStatusInput, options?: CallOptions): Promise<TransactionStatus>

  /** What a transaction cost and moved (`GET /api/receipt`). */
  receipt(input: ReceiptInput, options?: CallOptions): Promise<Receipt>

  /** What a spender may take of a token (`GET /api/allowance`). */
  allowance(input: AllowanceInput, options?: CallOptions): Promise<Allowance>

  /** What happens on the token list, newest first (`GET /api/discover/feed`). */
  discoverFeed(input?: DiscoverFeedInput, options?: CallOptions): Promise<DiscoverFeed>

  /** Which chain and token an address is (`GET /api/discover/lookup`). */
  discoverLookup(input: DiscoverLookupInput, options?: CallOptions): Promise<DiscoverLookup>

  /** Tokens of the list by name, category, chain and depth (`GET /api/discover/tokens`). */
  discoverTokens(input?: DiscoverTokensInput, options?: CallOptions): Promise<DiscoverTokens>

  /** What can be asked below this path (`GET /api/discover/{operation}`). */
  discover(input: DiscoverInput, options?: CallOptions): Promise<Discover>

  /** Readiness, mode, version and the state of each provider (`GET /api/health`). */
  health(options?: CallOptions): Promise<Health>

  /** Mode, version, chains, providers and this host's bounds (`GET /api/config`). */
  config(options?: CallOptions): Promise<Settings>

  /** Event loop, memory, caches, breakers and quotas of this instance (`GET /api/diagnostics`). */
  diagnostics(options?: CallOptions): Promise<Diagnostics>

  /** How the route providers compare, by chain (`GET /api/bake-off`). */
  bakeOff(input?: BakeOffInput, options?: CallOptions): Promise<BakeOff>

  /** Each race of the route providers, as it is decided (`GET /api/bake-off/event`). */
  bakeOffEvents(options?: EventsOptions): AsyncGenerator<ServerEvent<BakeOffRace>, void, undefined>

  /** Quotes, builds, submissions and confirmations, by day (`GET /api/funnel`). */
  funnel(options?: CallOptions): Promise<Funnel>

  /** The same of several days together, and what part of each step comes to the next (`GET /api/funnel/summary`). */
  funnelSummary(input?: FunnelSummaryInput, options?: CallOptions): Promise<FunnelSummary>

  /** Announcements of the operator (`GET /api/announcements`). */
  announcements(options?: CallOptions): Promise<Announcements>

  /** One reel, or all of them (`GET /api/reels/{operation}`). */
  reels(input: ReelsInput, options?: CallOptions): Promise<Reels>

  /** The client's appeals: always none, as clients are anonymous (`GET /api/reels/appeals`). */
  reelsAppeals(options?: CallOptions): Promise<ReelsAppeals>

  /** Reels by page (`GET /api/reels/feed`). */
  reelsFeed(input?: ReelsFeedInput, options?: CallOptions): Promise<ReelsFeed>

  /** Messages to everybody, by page (`GET /api/reels/inbox`). */
  reelsInbox(input?: ReelsInboxInput, options?: CallOptions): Promise<ReelsInbox>

  /** Which of them the client has seen: unknown, as clients are anonymous (`GET /api/reels/inbox/seen`). */
  reelsInboxSeen(options?: CallOptions): Promise<ReelsInboxSeen>

  /** What the client likes: always nothing, as clients are anonymous (`GET /api/reels/liked`). */
  reelsLiked(options?: CallOptions): Promise<ReelsLiked>

  /** The client's own reels: always none, as clients are anonymous (`GET /api/reels/mine`). */
  reelsMine(options?: CallOptions): Promise<ReelsMine>

  /** One published case of moderation, or all of them (`GET /api/reels/moderation/{operation}`). */
  reelsModeration(input: ReelsModerationInput, options?: CallOptions): Promise<ReelsModeration>

  /** Published appeals (`GET /api/reels/moderation/appeals`). */
  reelsModerationAppeals(options?: CallOptions): Promise<ReelsModerationAppeals>

  /** The published record of decisions (`GET /api/reels/moderation/audit`). */
  reelsModerationAudit(
    input?: ReelsModerationAuditInput,
    options?: CallOptions,
  ): Promise<ReelsModerationAudit>

  /** Published cases of avatars, by page (`GET /api/reels/moderation/avatars`). */
  reelsModerationAvatars(
    input?: ReelsModerationAvatarsInput,
    options?: CallOptions,
  ): Promise<ReelsModerationAvatars>

  /** Published cases of comments (`GET /api/reels/moderation/comments`). */
  reelsModerationComments(options?: CallOptions): Promise<ReelsModerationComments>

  /** Published cases that are open (`GET /api/reels/moderation/open`). */
  reelsModerationOpen(options?: CallOptions): Promise<ReelsModerationOpen>

  /** Published cases of safety (`GET /api/reels/moderation/safety`). */
  reelsModerationSafety(options?: CallOptions): Promise<ReelsModerationSafety>

  /** Published suspensions (`GET /api/reels/moderation/suspensions`). */
  reelsModerationSuspensions(options?: CallOptions): Promise<ReelsModerationSuspensions>

  /** Whether anything can be uploaded: it cannot (`GET /api/reels/official/upload-session`). */
  reelsOfficialUploadSession(options?: CallOptions): Promise<ReelsOfficialUploadSession>

  /** The people who make reels (`GET /api/reels/people`). */
  reelsPeople(input?: ReelsPeopleInput, options?: CallOptions): Promise<ReelsPeople>

  /** One post of the operator, or all of them (`GET /api/social/{operation}`). */
  social(input: SocialInput, options?: CallOptions): Promise<Social>

  /** The client's invitations: always none, as clients are anonymous (`GET /api/social/invites/me`). */
  socialInvitesMe(options?: CallOptions): Promise<SocialInvitesMe>

  /** The newest text of an invitation (`GET /api/social/invites/text`). */
  socialInvitesText(options?: CallOptions): Promise<SocialInvitesText>

  /** Where to find the operator; there is no sign-in (`GET /api/social/providers`). */
  socialProviders(input?: SocialProvidersInput, options?: CallOptions): Promise<SocialProviders>

  /** One season of the game, or all of them (`GET /api/game/{operation}`). */
  game(input: GameInput, options?: CallOptions): Promise<Game>

  /** Published achievements: all, or those of an address (`GET /api/game/achievements`). */
  gameAchievements(input?: GameAchievementsInput, options?: CallOptions): Promise<GameAchievements>

  /** The avatars to choose from (`GET /api/game/avatar`). */
  gameAvatar(options?: CallOptions): Promise<GameAvatar>

  /** The client's delegates: always none, as clients are anonymous (`GET /api/game/delegates`). */
  gameDelegates(options?: CallOptions): Promise<GameDelegates>

  /** The best of one board (`GET /api/game/leaderboard`). */
  gameLeaderboard(input?: GameLeaderboardInput, options?: CallOptions): Promise<GameLeaderboard>

  /** The published player of an address (`GET /api/game/me`). */
  gameMe(input: GameMeInput, options?: CallOptions): Promise<GameMe>

  /** One referral programme, or all of them (`GET /api/referrals/{operation}`). */
  referrals(input: ReferralsInput, options?: CallOptions): Promise<Referrals>

  /** One game of the arcade, or all of them (`GET /api/arcade/{operation}`). */
  arcade(input: ArcadeInput, options?: CallOptions): Promise<Arcade>

  /** One way to buy coins, or all of them (`GET /api/onramp/{operation}`). */
  onramp(input: OnrampInput, options?: CallOptions): Promise<Onramp>

  /** Whether notifications can be pushed: they cannot (`GET /api/push/status`). */
  pushStatus(options?: CallOptions): Promise<PushStatus>

  /** One guide to recovery, or all of them (`GET /api/recovery/{operation}`). */
  recovery(input: RecoveryInput, options?: CallOptions): Promise<Recovery>

  /** This document (`GET /openapi.json`). */
  openapi(options?: CallOptions): Promise<Openapi>
}

/** What the methods are made from; GET where a row names no method. */
export const OPERATIONS: Readonly<Record<keyof Operations, OperationRow>> = {
  tokens: { path: '/api/tokens' },
  token: { path: '/api/token/{chain}/{address}' },
  prices: { path: '/api/prices/stream', isStream: true },
  chains: { path: '/api/chains', takesNothing: true },
  portfolio: { path: '/api/portfolio' },
  balances: { path: '/api/balances' },
  quote: { path: '/api/quote' },
  v2quote: { path: '/api/v2quote' },
  swapOptions: { path: '/api/swap-options', takesNothing: true },
  desktopSwapOptions: { path: '/api/desktop/swap-options', takesNothing: true },
  basketTop: { path: '/api/basket/top' },
  basketPlan: { path: '/api/basket/plan' },
  build: { method: 'POST', path: '/api/build' },
  xquote: { path: '/api/xquote' },
  xstatus: { path: '/api/xstatus' },
  fastTradeProof: { path: '/api/fast-trade-proof' },
  rebroadcast: { path: '/api/rebroadcast', takesNothing: true },
  nativePrice: { path: '/api/native-price' },
  nativeHistory: { path: '/api/native-history' },
  transactionStatus: { path: '/api/transaction-status' },
  receipt: { path: '/api/receipt' },
  allowance: { path: '/api/allowance' },
  discoverFeed: { path: '/api/discover/feed' },
  discoverLookup: { path: '/api/discover/lookup' },
  discoverTokens: { path: '/api/discover/tokens' },
  discover: { path: '/api/discover/{operation}' },
  health: { path: '/api/health', takesNothing: true, also: [503] },
  config: { path: '/api/config', takesNothing: true },
  diagnostics: { path: '/api/diagnostics', takesNothing: true },
  bakeOff: { path: '/api/bake-off' },
  bakeOffEvents: { path: '/api/bake-off/event', takesNothing: true, isStream: true },
  funnel: { path: '/api/funnel', takesNothing: true },
  funnelSummary: { path: '/api/funnel/summary' },
  announcements: { path: '/api/announcements', takesNothing: true },
  reels: { path: '/api/reels/{operation}' },
  reelsAppeals: { path: '/api/reels/appeals', takesNothing: true },
  reelsFeed: { path: '/api/reels/feed' },
  reelsInbox: { path: '/api/reels/inbox' },
  reelsInboxSeen: { path: '/api/reels/inbox/seen', takesNothing: true },
  reelsLiked: { path: '/api/reels/liked', takesNothing: true },
  reelsMine: { path: '/api/reels/mine', takesNothing: true },
  reelsModeration: { path: '/api/reels/moderation/{operation}' },
  reelsModerationAppeals: { path: '/api/reels/moderation/appeals', takesNothing: true },
  reelsModerationAudit: { path: '/api/reels/moderation/audit' },
  reelsModerationAvatars: { path: '/api/reels/moderation/avatars' },
  reelsModerationComments: { path: '/api/reels/moderation/comments', takesNothing: true },
  reelsModerationOpen: { path: '/api/reels/moderation/open', takesNothing: true },
  reelsModerationSafety: { path: '/api/reels/moderation/safety', takesNothing: true },
  reelsModerationSuspensions: { path: '/api/reels/moderation/suspensions', takesNothing: true },
  reelsOfficialUploadSession: { path: '/api/reels/official/upload-session', takesNothing: true },
  reelsPeople: { path: '/api/reels/people' },
  social: { path: '/api/social/{operation}' },
  socialInvitesMe: { path: '/api/social/invites/me', takesNothing: true },
  socialInvitesText: { path: '/api/social/invites/text', takesNothing: true },
  socialProviders: { path: '/api/social/providers' },
  game: { path: '/api/game/{operation}' },
  gameAchievements: { path: '/api/game/achievements' },
  gameAvatar: { path: '/api/game/avatar', takesNothing: true },
  gameDelegates: { path: '/api/game/delegates', takesNothing: true },
  gameLeaderboard: { path: '/api/game/leaderboard' },
  gameMe: { path: '/api/game/me' },
  referrals: { path: '/api/referrals/{operation}' },
  arcade: { path: '/api/arcade/{operation}' },
  onramp: { path: '/api/onramp/{operation}' },
  pushStatus: { path: '/api/push/status', takesNothing: true },
  recovery: { path: '/api/recovery/{operation}' },
  openapi: { path: '/openapi.json', takesNothing: true },
}
