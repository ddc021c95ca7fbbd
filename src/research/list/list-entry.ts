/**
 * A token of the list: what is known of it, and the text of its row, which is
 * written anew only when something in it has changed.
 *
 * Source: §2 TokenRow
 */
import { findMajor } from '../../chains/majors.ts'
import { listedAs } from '../../providers/market/listed-as.ts'
import type { MarketRow, Named, Price, Security, TokenId } from '../../providers/market/market.ts'
import type { TokenRow } from '../../runtime/resources.ts'
import type { BookName } from './books.ts'
import type { EntryState } from './list-snapshot.ts'
import { isPriceStale } from './price-age.ts'
import { type Finding, findRisks, type SecuritySummary, summarize } from './risk.ts'
import { lasting, toExtras } from './row-extras.ts'
import type { ListedRow } from './token-set.ts'

/** What is known of a token's market where only its price is. */
const UNTOLD = { symbol: null, name: null, mcap: null, liq: null, vol24: null, holders: null }

export class ListEntry implements ListedRow {
  readonly chain: string
  readonly address: string
  readonly decimals: number | null
  /** The address that markets know it by: a native coin's is its wrapper's. */
  readonly quotedAs: string
  /** Monotonic, ms; when sources were last asked for its row. */
  askedAt = Number.NEGATIVE_INFINITY
  /** The source of rows that knew it last: those are current, and what comes along with a discovery is not. */
  quotedBy: string | null = null
  /** Monotonic, ms; when each source of security was last asked. */
  readonly checkedAt = new Map<string, number>()
  /** The source of the price. */
  #priceBy: string | null = null
  #book: BookName = 'new'
  /** What the list itself calls it, whatever the markets call it; null where it does not. */
  #ownSymbol: string | null = null
  #ownName: string | null = null
  #row: MarketRow | null = null
  /** The flags by source; what else a source found is the profile's to tell. */
  readonly #security = new Map<string, SecuritySummary>()
  #metaTs: number | null = null
  #findings: readonly Finding[] = []
  #text: string | null = null
  #isTextStale = false

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

  get price(): number | null {
    return this.#row?.price ?? null
  }

  get priceTs(): number | null {
    return this.price === null ? null : this.#row!.priceTs
  }

  get liq(): number | null {
    return this.#row?.liq ?? null
  }

  get vol24(): number | null {
    return this.#row?.vol24 ?? null
  }

  get checkedTs(): number | null {
    return this.#metaTs
  }

  get book(): BookName {
    return this.#book
  }

  get findings(): readonly Finding[] {
    return this.#findings
  }

  get isListed(): boolean {
    return this.#findings.length === 0
  }

  /** Whether the token was chosen by hand, and so is neither checked nor gated. */
  get isChosen(): boolean {
    return this.#book === 'operator' || this.#book === 'majors'
  }

  /** @param own  what the list calls it, null where that is left to the markets */
  place(book: BookName, { symbol, name }: Pick<Named, 'symbol' | 'name'>): void {
    if (book === this.#book && symbol === this.#ownSymbol && name === this.#ownName) return
    this.#book = book
    this.#ownSymbol = symbol
    this.#ownName = name
    this.#changed()
  }

  /** @param by  the source that tells it */
  refresh(row: MarketRow, by: string): void {
    const last = this.#row
    this.#priceBy = by
    this.#row = {
      ...lasting(last ?? {}),
      ...row,
      symbol: row.symbol ?? last?.symbol ?? null,
      name: row.name ?? last?.name ?? null,
      // Not every source counts holders.
      holders: row.holders ?? last?.holders ?? null,
      // A wrapper's market cap and holders are only a part of the coin's.
      ...(this.quotedAs === this.address ? {} : { mcap: null, fdv: null, holders: null }),
    }
    this.#changed()
  }

  /** A newer price, from a source that tells nothing else of it. */
  reprice({ price, priceTs }: Pick<Price, 'price' | 'priceTs'>, by: string): void {
    if (this.price !== null && this.#row!.priceTs >= priceTs) return
    this.#priceBy = by
    const { chain, address } = this
    this.#row = { ...UNTOLD, ...this.#row, chain, address, price, priceTs }
    this.#changed()
  }

  setSecurity(source: string, { at, flags, verified }: Security): void {
    this.#security.set(source, { at, flags, ...(verified !== undefined && { verified }) })
    this.#metaTs = Math.max(this.#metaTs ?? 0, at)
    this.#changed()
  }

  /** All that is known of it but its place, for another instance; null where that is nothing. */
  state(): EntryState | null {
    if (this.#row === null && this.#security.size === 0) return null
    const { chain, address, quotedBy, askedAt } = this
    return {
      chain,
      address,
      row: this.#row,
      security: [...this.#security],
      quotedBy,
      priceBy: this.#priceBy,
      askedAt,
      checkedAt: [...this.checkedAt],
    }
  }

  /** Takes from what another instance knows whatever was asked for later than what is known here. */
  adopt({ row, security, quotedBy, priceBy, askedAt, checkedAt }: EntryState): void {
    if (row !== null && (this.#row === null || askedAt >= this.askedAt)) {
      this.#row = row
      this.quotedBy = quotedBy
      this.#priceBy = priceBy
    }
    this.askedAt = Math.max(this.askedAt, askedAt)
    for (const [source, told] of security) {
      if (told.at < (this.#security.get(source)?.at ?? 0)) continue
      this.#security.set(source, told)
      this.#metaTs = Math.max(this.#metaTs ?? 0, told.at)
    }
    for (const [source, at] of checkedAt) {
      this.checkedAt.set(source, Math.max(at, this.checkedAt.get(source) ?? at))
    }
    this.#changed()
  }

  /**
   * The token's row as JSON.
   * @param at  ms epoch: a price that is a minute older is marked as stale
   */
  render(at: number): string {
    const isStale = isPriceStale(this.priceTs, at)
    if (this.#text === null || isStale !== this.#isTextStale) {
      this.#text = JSON.stringify(this.#toRow(isStale))
      this.#isTextStale = isStale
    }
    return this.#text
  }

  #changed(): void {
    this.#text = null
    const flags = [...this.#security].map(([source, security]) => [source, security.flags] as const)
    const { fdv = null, liq = null, holders = null } = this.#row ?? {}
    this.#findings = this.isChosen ? [] : findRisks({ fdv, liq, holders }, flags)
  }

  #toRow(isStale: boolean): TokenRow {
    const { mcap = null, fdv = null, holders = null } = this.#row ?? {}
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
      security: this.#security.size === 0 ? null : this.#summaries(),
      book: this.#book,
      metaTs: this.#metaTs,
      ...(this.isListed ? {} : { gate: [...this.#findings] }),
    }
  }

  #summaries(): Record<string, unknown> {
    return Object.fromEntries([...this.#security].map(([source, security]) => [source, summarize(security)]))
  }
}
