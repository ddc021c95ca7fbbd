/**
 * A token of the list: everything known about it, and the JSON text of its row,
 * which is serialized again only after a change.
 *
 * Source: §2 TokenRow
 */
import { findMajor } from '../../chains/majors.ts'
import { listedAs } from '../../providers/market/listed-as.ts'
import type { MarketRow, Named, Price, Security, TokenId } from '../../providers/market/market.ts'
import type { TokenRisks } from '../../runtime/resources/token-profile.ts'
import type { TokenRow } from '../../runtime/resources/tokens.ts'
import type { BookName } from './books.ts'
import { type HourlyPrices, NO_PRICES, withPrice } from './hourly-prices.ts'
import { isPriceOld, isPriceStale } from './price-age.ts'
import { type Finding, findRisks, risksOf, type SecuritySummary, summarizeRisk } from './risk.ts'
import { lasting, toExtras } from './row-extras.ts'

/** What a list that follows this one needs of an entry; plain values, whose version rises with each change. */
export type EntryState = ListEntry['state']

/** A token's market where only the price is known. */
const PRICE_ONLY = { symbol: null, name: null, mcap: null, liq: null, vol24: null, holders: null }

export class ListEntry implements Named {
  readonly chain: string
  readonly address: string
  /** Null if unknown. */
  readonly decimals: number | null
  /** The address that markets list it under: for a native coin, its wrapper's. */
  readonly quotedAs: string
  /** When sources were last asked for its row; monotonic, ms. */
  askedAt = Number.NEGATIVE_INFINITY
  /** The row source that last knew it; null if none has. A row that came with a discovery does not count. */
  quotedBy: string | null = null
  /** When each security source was last asked; monotonic, ms. */
  readonly checkedAt = new Map<string, number>()
  book: BookName = 'new'
  /** When a source last reported on its risks, ms epoch; null if none has. */
  checkedTs: number | null = null
  hourly: HourlyPrices = NO_PRICES
  /** Why the risk filter rejects it; empty if it does not. */
  findings: readonly Finding[] = []
  /** The source of the price. */
  #priceBy: string | null = null
  /** The list's own symbol and name, which come before the markets'; null if it has none. */
  #ownSymbol: string | null = null
  #ownName: string | null = null
  #row: MarketRow | null = null
  /** The flags by source. Everything else that a source found is shown by the profile. */
  readonly #security = new Map<string, SecuritySummary>()
  #text: string | null = null
  #isTextStale = false
  #version = 0

  constructor({ chain, address }: TokenId) {
    this.chain = chain
    this.address = address
    this.decimals = findMajor(chain, address)?.decimals ?? null
    this.quotedAs = listedAs(chain, address)
  }

  get symbol(): string | null {
    return this.#ownSymbol ?? this.#row?.symbol ?? null
  }

  get name(): string | null {
    return this.#ownName ?? this.#row?.name ?? null
  }

  /** Dollars; null if no source has one. */
  get price(): number | null {
    return this.#row?.price ?? null
  }

  /** Ms epoch; null if `price` is. */
  get priceTs(): number | null {
    return this.price === null ? null : this.#row!.priceTs
  }

  /** Dollars in all pools that the source lists; null if unknown. */
  get liq(): number | null {
    return this.#row?.liq ?? null
  }

  /** Dollars traded in a day; null if unknown. */
  get vol24(): number | null {
    return this.#row?.vol24 ?? null
  }

  /** The link to its picture that a source has; null if none has. */
  get image(): string | null {
    return this.#row?.image ?? null
  }

  /** False for a token that the risk filter rejects. */
  get isListed(): boolean {
    return this.findings.length === 0
  }

  /** Whether the token was chosen by hand: a major, or the operator's. Such a token is neither checked nor gated. */
  get isChosen(): boolean {
    return this.book === 'operator' || this.book === 'majors'
  }

  get state() {
    return {
      chain: this.chain,
      address: this.address,
      version: this.#version,
      book: this.book,
      ownSymbol: this.#ownSymbol,
      ownName: this.#ownName,
      row: this.#row,
      priceBy: this.#priceBy,
      security: [...this.#security],
      checkedTs: this.checkedTs,
      hourly: this.hourly,
    }
  }

  /** Becomes what it is in the list that this one follows. */
  follow(state: EntryState): void {
    this.hourly = state.hourly
    if (state.version === this.#version) return
    this.book = state.book
    this.#ownSymbol = state.ownSymbol
    this.#ownName = state.ownName
    this.#row = state.row
    this.#priceBy = state.priceBy
    this.#security.clear()
    for (const [source, summary] of state.security) this.#security.set(source, summary)
    this.checkedTs = state.checkedTs
    this.#changed()
    this.#version = state.version
  }

  /** Sets the book, and the list's own symbol and name; null leaves them to the markets. */
  place(book: BookName, { symbol, name }: Pick<Named, 'symbol' | 'name'>): void {
    if (book === this.book && symbol === this.#ownSymbol && name === this.#ownName) return
    this.book = book
    this.#ownSymbol = symbol
    this.#ownName = name
    this.#changed()
  }

  /** @param by  the row's source */
  refresh(row: MarketRow, by: string): void {
    const last = this.#row
    this.#priceBy = by
    this.#row = {
      ...lasting(last ?? {}),
      ...row,
      symbol: row.symbol ?? last?.symbol ?? null,
      name: row.name ?? last?.name ?? null,
      // Some sources do not count holders.
      holders: row.holders ?? last?.holders ?? null,
      // A wrapper's market cap and holders are only part of the coin's.
      ...(this.quotedAs === this.address ? {} : { mcap: null, fdv: null, holders: null }),
    }
    this.#changed()
  }

  /** Takes a newer price from a source that knows nothing else about the token. */
  reprice({ price, priceTs }: Pick<Price, 'price' | 'priceTs'>, by: string): void {
    if (this.price !== null && this.#row!.priceTs >= priceTs) return
    this.#priceBy = by
    const { chain, address } = this
    this.#row = { ...PRICE_ONLY, ...this.#row, chain, address, price, priceTs }
    this.#changed()
  }

  /** @param at  the time of a rebuild, ms epoch */
  keepPrice(at: number): void {
    const { price, priceTs } = this
    if (priceTs !== null && !isPriceOld(priceTs, at)) this.hourly = withPrice(this.hourly, price, at)
  }

  setSecurity(source: string, { at, flags, verified }: Security): void {
    this.#security.set(source, { at, flags, ...(verified !== undefined && { verified }) })
    this.checkedTs = Math.max(this.checkedTs ?? 0, at)
    this.#changed()
  }

  /**
   * The token's row as JSON.
   * @param at  ms epoch; a price more than a minute older is marked as stale
   */
  render(at: number): string {
    const isStale = isPriceStale(this.priceTs, at)
    if (this.#text === null || isStale !== this.#isTextStale) {
      this.#text = JSON.stringify(this.#toRow(isStale))
      this.#isTextStale = isStale
    }
    return this.#text
  }

  /**
   * How its price moves, and the lowest fee on a purchase and on a sale that a source reports; null is
   * unknown.
   */
  swapFacts() {
    const flags = [...this.#security.values()].map((summary) => summary.flags)
    const least = (taxes: readonly (number | null)[]): number | null => {
      const known = taxes.filter((tax) => tax !== null)
      return known.length === 0 ? null : Math.min(...known)
    }
    return {
      liq: this.liq,
      hourPct: this.#row?.changes?.h1?.pricePct ?? null,
      buyTaxPct: least(flags.map(({ buyTaxPct }) => buyTaxPct)),
      sellTaxPct: least(flags.map(({ sellTaxPct }) => sellTaxPct)),
    }
  }

  /** What is known against it. */
  get risks(): TokenRisks {
    const { chain, address, symbol, name, isChosen } = this
    const security = [...this.#security]
    return risksOf({ chain, address, symbol, name, isChosen, subject: this.#subject(), security })
  }

  #subject() {
    const { fdv = null, liq = null, holders = null } = this.#row ?? {}
    return { fdv, liq, holders }
  }

  #changed(): void {
    this.#version++
    this.#text = null
    const flags = [...this.#security].map(([source, security]) => [source, security.flags] as const)
    this.findings = this.isChosen ? [] : findRisks(this.#subject(), flags)
  }

  #toRow(isStale: boolean): TokenRow {
    const { mcap = null, fdv = null, holders = null } = this.#row ?? {}
    const security = [...this.#security].map(([source, found]) => [source, summarizeRisk(found)])
    return {
      chain: this.chain,
      address: this.address,
      symbol: this.symbol,
      name: this.name,
      ...(this.decimals === null ? {} : { decimals: this.decimals }),
      price: this.price,
      priceTs: this.priceTs,
      priceStale: isStale,
      ...(this.price === null || this.#priceBy === null ? {} : { priceBy: this.#priceBy }),
      mcap,
      fdv,
      liq: this.liq,
      ...(this.#row?.liqOf === undefined ? {} : { liqOf: this.#row.liqOf }),
      vol24: this.vol24,
      holders,
      ...toExtras(this, this.#row ?? {}, this.#security, this.quotedAs !== this.address),
      security: security.length === 0 ? null : Object.fromEntries(security),
      book: this.book,
      metaTs: this.checkedTs,
      ...(this.isListed ? {} : { gate: [...this.findings] }),
    }
  }
}
