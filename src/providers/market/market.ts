/**
 * The interface of market providers, independent of their wire format: rows of
 * many tokens, lists of noteworthy tokens, the parts of one token's profile, and
 * prices. Each provider's file implements what the provider offers;
 * `providers/markets.ts` lists the providers.
 *
 * A provider answers with cleaned values (see clean.ts): finite, non-negative
 * numbers; bounded text without control characters; https links; canonical
 * addresses. Unknown values are null or absent, never guessed. A provider that
 * cannot answer throws a GatewayError `upstream_*`. Numbers here are for display,
 * not base units.
 *
 * Source: §2 TokenRow, TokenProfile, §4.1, §4.2
 */
import type { Call } from '../../flow/call.ts'
import type { TokenRow } from '../../runtime/resources/tokens.ts'

/** The identity of a token: a chain key and its canonical address. */
export interface TokenId {
  readonly chain: string
  readonly address: string
}

/** @returns a key that is unique over all chains */
export const idOf = ({ chain, address }: TokenId): string => `${chain} ${address}`

/** The spans of time for which sources report changes. */
export const SPANS = ['m5', 'h1', 'h6', 'h24'] as const
export type Span = (typeof SPANS)[number]

/** What happened within each span, which ends now. */
export type Changes = Readonly<NonNullable<TokenRow['changes']>>
export type Change = NonNullable<Changes[Span]>

/** Fields that only some sources provide; absent if the source does not. `image` is at one of the source's image hosts. */
export type RowExtras = Pick<
  TokenRow,
  'fdv' | 'image' | 'firstPoolAt' | 'launchpad' | 'changes' | 'creatorPct' | 'topTenPct'
>

/**
 * One source's view of a token's market at one time. `liq` is that of its credible pools, see pools.ts; `liqOf` says that
 * liquidity and volume are those of one pool, of the source's own choice.
 */
export interface MarketRow
  extends TokenId,
    RowExtras,
    Pick<TokenRow, 'symbol' | 'name' | 'liqOf'>,
    Required<Pick<TokenRow, 'price' | 'mcap' | 'liq' | 'vol24' | 'holders'>> {
  /** The time of the price: the source's own if it gives one, otherwise the time of the request; ms epoch. */
  readonly priceTs: number
}

/** Rows for several tokens in one call. */
export interface RowSource {
  /**
   * Present if its rows cover all of a token's pools: the list asks such a source
   * first, but no more often than this, in ms, because other features share its
   * quota.
   */
  readonly everyMs?: number
  /** The most addresses per call. */
  readonly maxTokens: number
  /** @returns a row for each known token; unknown tokens are absent */
  ask(chain: string, addresses: readonly string[], call: Call): Promise<readonly MarketRow[]>
}

/** The lists that feed the token list, besides the curated one and the operator's. */
export type DiscoveredBook = 'trending' | 'new' | 'boosted'

/** A source of tokens for a book. */
export interface Discovery {
  readonly book: DiscoveredBook
  /** The book's `source`, such as `geckoterminal trending pools`. */
  readonly title: string
  /** The interval between requests, ms. */
  readonly everyMs: number
  /** The chains to ask one by one; null if one call covers all chains. */
  readonly chains: readonly string[] | null
  /**
   * @param chain  null if `chains` is null
   * @returns best first
   */
  ask(chain: string | null, call: Call): Promise<readonly Discovered[]>
}

/** A discovered token, with its row if the answer contains one. */
export interface Discovered extends TokenId {
  readonly row: MarketRow | null
}

/** How a token describes itself. */
export interface About {
  readonly description: string | null
  readonly image: string | null
  /** https only. */
  readonly links: readonly { readonly type: string; readonly url: string }[]
  /** When it or its first pool was created, ms epoch. */
  readonly createdAt: number | null
  /**
   * Who may mint more or freeze accounts: an address, `none` if there is no such authority, null if unknown.
   */
  readonly mintAuthority: string | null
  readonly freezeAuthority: string | null
}

export interface TokenHolder {
  readonly address: string
  /** Percent of the supply, 0 to 100. */
  readonly percent: number
  /** A decimal, in whole tokens or base units as the source writes it. */
  readonly balance: string | null
  /** Such as `contract`, `locked`, or the source's own label. */
  readonly tags: readonly string[]
}

/** Prices and volume of one interval, in dollars. */
export interface Candle {
  /** The start of the interval, ms epoch. */
  readonly ts: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
}

export interface Trade {
  readonly ts: number
  readonly kind: 'buy' | 'sell'
  readonly tx: string
  readonly trader: string | null
  /** Whole tokens, decimal. */
  readonly amount: string
  readonly priceUsd: number | null
  readonly volumeUsd: number | null
}

/**
 * A token's beginnings: one entry for the first pool, one for the creator, one for each known first buyer.
 */
export type Early =
  | {
      readonly kind: 'pool'
      readonly address: string
      readonly venue: string | null
      readonly at: number | null
    }
  | { readonly kind: 'creator'; readonly address: string }
  | {
      readonly kind: 'buyer'
      readonly address: string
      readonly at: number
      readonly tx: string
      readonly amount: string
    }

/**
 * One source's findings about a token's risks, in its own terms and scales, and the
 * flags that the list's risk filter uses.
 */
export interface Security {
  /** When the source was asked, ms epoch. */
  readonly at: number
  /** Selected fields of the source with their original names, cleaned and bounded. */
  readonly facts: Readonly<Record<string, unknown>>
  readonly flags: RiskFlags
  /** Whether the source has verified the token; absent if it does not say. */
  readonly verified?: boolean
}

/** Null is unknown, which never counts as safe. */
const UNKNOWN = null as boolean | null
const UNKNOWN_PCT = null as number | null

/** Flags of a source without any finding. */
export const UNKNOWN_FLAGS = {
  honeypot: UNKNOWN,
  blacklisted: UNKNOWN,
  cannotSell: UNKNOWN,
  cannotBuy: UNKNOWN,
  /** Whether an authority can freeze or pause holders' tokens. */
  freezable: UNKNOWN,
  mintable: UNKNOWN,
  nonTransferable: UNKNOWN,
  /** Percent; null if unknown. A fee on every transfer counts as a sell tax. */
  sellTaxPct: UNKNOWN_PCT,
  buyTaxPct: UNKNOWN_PCT,
  /** Whether an authority can change these two taxes. */
  taxModifiable: UNKNOWN,
  /** Whether an authority can set a different tax for single holders. */
  taxPerAddress: UNKNOWN,
  /** Whether the contract hides its owner. */
  hiddenOwner: UNKNOWN,
  /** Whether the owner can change holders' balances. */
  balancesModifiable: UNKNOWN,
  selfDestructs: UNKNOWN,
  /** Whether its creator, or an account with power over it, created malicious tokens. */
  maliciousCreator: UNKNOWN,
  /** Whether a delegate may move and burn any holder's tokens (Token-2022). */
  permanentDelegate: UNKNOWN,
  /** Whether a program can reject any transfer (Token-2022). */
  transferHook: UNKNOWN,
  /** Whether new accounts are frozen until the freeze authority thaws them (Token-2022). */
  bornFrozen: UNKNOWN,
  /** Whether transfers are paused now. */
  paused: UNKNOWN,
}

/** True and false are findings. An owner's power is false if the owner renounced it. */
export type RiskFlags = Readonly<typeof UNKNOWN_FLAGS>

/** The source that reads a token's own account. Its findings override those of other sources. */
export const ONCHAIN = 'onchain'

/** The locked and burned shares of a token's pools, in the source's own terms. */
export type LiquidityLock = Readonly<Record<string, unknown>>

/** The parts of a token's profile. Each is requested and cached on its own, and may be missing on its own. */
export interface Parts {
  readonly row: MarketRow
  readonly about: About
  readonly holders: readonly TokenHolder[]
  readonly early: readonly Early[]
  readonly candles: readonly Candle[]
  readonly trades: readonly Trade[]
  readonly security: Security
  readonly lp: LiquidityLock
}
export type Part = keyof Parts

/** One part from one source. */
export interface PartSource<P extends Part> {
  /** How long an answer may be cached, ms. */
  readonly keepMs: number
  /** @returns null if the source says that there is no such token */
  ask(token: TokenId, call: Call): Promise<Parts[P] | null>
  /** A cheaper answer with what the token list's risk filter needs. */
  askBriefly?(token: TokenId, call: Call): Promise<Parts[P] | null>
  /** Whether the source has not finished, so it should be asked again after PARTIAL_KEEP_MS. */
  isPartial?(value: Parts[P]): boolean
  /**
   * If true, the list asks it only on chains without another source of this part: profiles need its quota.
   */
  readonly isScarce?: boolean
}

/** How long an unfinished answer may be cached. */
export const PARTIAL_KEEP_MS = 15_000

/** A price that is reliable enough for a portfolio's total. */
export interface Price extends TokenId {
  readonly price: number
  readonly priceTs: number
  /** Dollars in its pools; null for a source that rates the reliability of its prices itself. */
  readonly liq: number | null
}

/** A token with its own symbol and name, cleaned; null if the source or the operator gives none. */
export interface Named extends TokenId {
  readonly symbol: string | null
  readonly name: string | null
}

/** Prices for several tokens in one call, on one or more chains. */
interface PriceSource {
  readonly maxTokens: number
  /**
   * @param tokens   tokens on chains that the provider serves
   * @param onNamed  called with the names of known tokens, priced or not, if the answer contains them
   * @returns the reliable prices; other tokens are absent
   */
  ask(tokens: readonly TokenId[], call: Call, onNamed?: (named: Named) => void): Promise<readonly Price[]>
}

/** The length and resolution of a chart. */
export interface ChartSpan {
  readonly intervalMs: number
  /** The number of candles, including the current one. */
  readonly count: number
}

export interface Chart {
  /** The pool whose trades the candles summarize. */
  readonly pool: string
  /** Oldest first, without intervals that had no trades. */
  readonly candles: readonly Candle[]
}

/** Candles of a token at a requested resolution. */
interface ChartSource {
  /** @returns null if the source knows no pool of the token */
  ask(token: TokenId, span: ChartSpan, call: Call): Promise<Chart | null>
}

/** Finds the tokens with one address on any chain. */
interface AddressSource {
  /**
   * @param text  an address in any spelling
   * @returns a row for each chain where a pool contains the token
   */
  ask(text: string, call: Call): Promise<readonly MarketRow[]>
}

export interface MarketProvider {
  /** The provider's name in sources, errors, logs and metrics. */
  readonly label: string
  /** Keys of the chains that it serves. */
  readonly chains: ReadonlySet<string>
  readonly rows?: RowSource
  readonly discoveries?: readonly Discovery[]
  readonly parts?: { readonly [P in Part]?: PartSource<P> }
  readonly prices?: PriceSource
  readonly charts?: ChartSource
  readonly byAddress?: AddressSource
}

/** A provider that has prices. */
export type PriceProvider = MarketProvider & { readonly prices: PriceSource }

export function hasPrices(provider: MarketProvider): provider is PriceProvider {
  return provider.prices !== undefined
}
