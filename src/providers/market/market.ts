/**
 * What the gateway asks of market providers, whatever their wire format: rows
 * of many tokens, lists of tokens worth looking at, the parts of one token's
 * profile, prices. One file per provider implements what it can; `providers/markets.ts`
 * lists them.
 *
 * A provider answers with cleaned values (see clean.ts): numbers finite and not
 * negative, text without control characters and bounded, links https only,
 * addresses in their canonical spelling. What it does not know is null or
 * absent, never a guess. It throws a GatewayError `upstream_*` where it cannot
 * answer. Numbers here are for display and carry no base units.
 *
 * Source: §2 TokenRow, TokenProfile, §4.1, §4.2
 */
import type { CallOptions } from '../provider.ts'

/** Where a token is: a chain key and its canonical address. */
export interface TokenId {
  readonly chain: string
  readonly address: string
}

/** The key of a token among those of all chains. */
export const idOf = ({ chain, address }: TokenId): string => `${chain} ${address}`

/** The spans of time that sources tell changes of. */
export const SPANS = ['m5', 'h1', 'h6', 'h24'] as const
export type Span = (typeof SPANS)[number]

/** What happened within a span that ends now. */
export interface Change {
  /** Percent, negative where it fell. */
  readonly pricePct: number | null
  readonly buys: number | null
  readonly sells: number | null
}

export type Changes = Readonly<Partial<Record<Span, Change>>>

/** What only some sources tell of a token; absent where one does not. */
export interface RowExtras {
  /** What the whole supply on this chain would cost at this price. */
  readonly fdv?: number | null
  /** https, at a host where the source keeps images. */
  readonly image?: string
  /** When its first pool was made, ms epoch. */
  readonly firstPoolAt?: number
  /** Where it was launched. */
  readonly launchpad?: string
  readonly changes?: Changes
  /** Percent of the supply: what its maker has, and the ten largest holders. */
  readonly creatorPct?: number
  readonly topTenPct?: number
}

/** What one source says of a token's market at one time. Dollars. */
export interface MarketRow extends TokenId, RowExtras {
  readonly symbol: string | null
  readonly name: string | null
  readonly price: number | null
  /** What the price is of: the source's own time where it tells one, else when it was asked; ms epoch. */
  readonly priceTs: number
  readonly mcap: number | null
  /** What is in those of its pools that are believed, see pools.ts. */
  readonly liq: number | null
  readonly vol24: number | null
  /** `pool` where the source shows one of its pools, of its own choice: liquidity and volume are of that one. */
  readonly liqOf?: 'pool'
  /** How many hold it. */
  readonly holders: number | null
}

/** Rows of tokens that are asked for together. */
export interface RowSource {
  /**
   * Present where its rows are of all of a token's pools: the list asks such a
   * source before the others, and this often at most, ms, because its quota is
   * for more than lists.
   */
  readonly everyMs?: number
  /** Addresses that one call takes. */
  readonly maxTokens: number
  /** @returns a row for each that it knows; the others are absent */
  ask(chain: string, addresses: readonly string[], options: CallOptions): Promise<readonly MarketRow[]>
}

/** The lists that the token list is made of, beside the curated one and the operator's. */
export type DiscoveredBook = 'trending' | 'new' | 'boosted'

/** Where tokens for a book are found. */
export interface Discovery {
  readonly book: DiscoveredBook
  /** What the book's `source` says, such as `geckoterminal trending pools`. */
  readonly title: string
  /** How often it is worth asking, ms. */
  readonly everyMs: number
  /** Chains that it is asked for one by one; null where one call covers all of them. */
  readonly chains: readonly string[] | null
  /** @param chain  null where `chains` is. @returns best first */
  ask(chain: string | null, options: CallOptions): Promise<readonly Discovered[]>
}

/** A token that was found, with as much of its row as came along. */
export interface Discovered extends TokenId {
  readonly row: MarketRow | null
}

/** Who a token says that it is. */
export interface About {
  readonly description: string | null
  readonly image: string | null
  /** https only. */
  readonly links: readonly { readonly type: string; readonly url: string }[]
  /** When it, or its first pool, was made; ms epoch. */
  readonly createdAt: number | null
  /** Who may mint more, and freeze accounts: an address, `none` where that is known to be nobody, null where it is not known. */
  readonly mintAuthority: string | null
  readonly freezeAuthority: string | null
}

export interface Holder {
  readonly address: string
  /** 0 to 100, of the supply. */
  readonly percent: number
  /** In whole tokens or base units, as the source writes it; a decimal. */
  readonly balance: string | null
  /** Such as `contract`, `locked`, or the source's own name for it. */
  readonly tags: readonly string[]
}

/** Dollars, of one interval. */
export interface Candle {
  /** Begin of the interval, ms epoch. */
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

/** How it began: one entry for the first pool, one for the creator, one for each first buyer that is known. */
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
 * What one source found out about a token's risks, in the source's own words
 * and directions, with what the gate reads of it.
 */
export interface Security {
  /** When the source was asked, ms epoch. */
  readonly at: number
  /** The source's fields that were kept, as it writes them; cleaned and bounded. */
  readonly facts: Readonly<Record<string, unknown>>
  readonly flags: RiskFlags
  /** Whether the source vouches that it is what it says; absent where it does not tell. */
  readonly verified?: boolean
}

/**
 * True and false are findings; null is unknown, which is never safe. What a
 * contract lets its owner do is false where the owner gave it up.
 */
export interface RiskFlags {
  readonly honeypot: boolean | null
  readonly blacklisted: boolean | null
  readonly cannotSell: boolean | null
  readonly cannotBuy: boolean | null
  /** Somebody can freeze or pause what holders have. */
  readonly freezable: boolean | null
  readonly mintable: boolean | null
  readonly nonTransferable: boolean | null
  /** Percent; null where it is unknown. What every transfer costs is what a sale costs. */
  readonly sellTaxPct: number | null
  readonly buyTaxPct: number | null
  /** Somebody can change those two. */
  readonly taxModifiable: boolean | null
  /** Somebody can have single holders pay another tax than the others. */
  readonly taxPerAddress: boolean | null
  /** The contract has an owner whom it does not show. */
  readonly hiddenOwner: boolean | null
  /** The owner can write down what holders have. */
  readonly balancesModifiable: boolean | null
  readonly selfDestructs: boolean | null
  /** Who made it, or has power over it, made tokens that were traps. */
  readonly maliciousCreator: boolean | null
  /** Somebody may move and burn what anybody holds (Token-2022). */
  readonly permanentDelegate: boolean | null
  /** A program of somebody's choice can refuse any transfer (Token-2022). */
  readonly transferHook: boolean | null
  /** Whoever buys it has it frozen, until somebody thaws it (Token-2022). */
  readonly bornFrozen: boolean | null
  /** Nobody can transfer it now. */
  readonly paused: boolean | null
}

/** What a source that looks for nothing has found. */
export const UNKNOWN_FLAGS: RiskFlags = {
  honeypot: null,
  blacklisted: null,
  cannotSell: null,
  cannotBuy: null,
  freezable: null,
  mintable: null,
  nonTransferable: null,
  sellTaxPct: null,
  buyTaxPct: null,
  taxModifiable: null,
  taxPerAddress: null,
  hiddenOwner: null,
  balancesModifiable: null,
  selfDestructs: null,
  maliciousCreator: null,
  permanentDelegate: null,
  transferHook: null,
  bornFrozen: null,
  paused: null,
}

/** The source that reads a token's own account: what it finds there is so, whatever others say. */
export const ONCHAIN = 'onchain'

/** What is locked or burned of the pools' shares; the source's own words. */
export type LiquidityLock = Readonly<Record<string, unknown>>

/** The parts of a token's profile. Each is asked, kept and missed on its own. */
export interface Parts {
  readonly row: MarketRow
  readonly about: About
  readonly holders: readonly Holder[]
  readonly early: readonly Early[]
  readonly candles: readonly Candle[]
  readonly trades: readonly Trade[]
  readonly security: Security
  readonly lp: LiquidityLock
}
export type Part = keyof Parts

/** One part from one source. */
export interface PartSource<P extends Part> {
  /** How long its answer is worth keeping, ms. */
  readonly keepMs: number
  /** @returns null where the source says that there is no such token */
  ask(token: TokenId, options: CallOptions): Promise<Parts[P] | null>
  /** The same as far as the token list's gate needs it, where that costs less. */
  askBriefly?(token: TokenId, options: CallOptions): Promise<Parts[P] | null>
  /** Whether the source is still looking, so that it is worth asking again in PARTIAL_KEEP_MS. */
  isPartial?(value: Parts[P]): boolean
  /** The list asks it only on chains that no other source of this part serves: profiles need its quota. */
  readonly isScarce?: boolean
}

/** How long an answer of a source that is still looking is worth keeping. */
export const PARTIAL_KEEP_MS = 15_000

/** A price that a portfolio may count with. */
export interface Price extends TokenId {
  readonly price: number
  readonly priceTs: number
  /** Dollars in its pools; null for a source that vouches for its prices itself. */
  readonly liq: number | null
}

/** A token with its names, cleaned; null where a source, or the operator, gives none. */
export interface Named extends TokenId {
  readonly symbol: string | null
  readonly name: string | null
}

/** Prices of tokens that are asked for together, those of several chains too. */
export interface PriceSource {
  readonly maxTokens: number
  /**
   * @param tokens   of chains that the provider serves
   * @param onNamed  told what it calls those that it knows, priced or not, where it tells
   * @returns a price for each that it has a reliable one for; the others are absent
   */
  ask(
    tokens: readonly TokenId[],
    options: CallOptions,
    onNamed?: (named: Named) => void,
  ): Promise<readonly Price[]>
}

/** How much of the past a chart shows, and how finely. */
export interface ChartSpan {
  readonly intervalMs: number
  /** Candles, the one that is not over yet included. */
  readonly count: number
}

export interface Chart {
  /** The pool whose trades they are of. */
  readonly pool: string
  /** Oldest first; there is none for an interval without trades. */
  readonly candles: readonly Candle[]
}

/** Candles of a token, as finely as they are asked for. */
export interface ChartSource {
  /** @returns null where the source has no pool of it */
  ask(token: TokenId, span: ChartSpan, options: CallOptions): Promise<Chart | null>
}

/** Tokens of one address, on whichever chains they are. */
export interface AddressSource {
  /** @param text  as somebody wrote it. @returns a row for each chain where it is a token of a pool */
  ask(text: string, options: CallOptions): Promise<readonly MarketRow[]>
}

export interface MarketProvider {
  /** Stands in sources, errors, logs and metrics. */
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
