/**
 * The tokens that the service knows, as those see them who look for tokens
 * instead of serving the list: a portfolio looks for these in a wallet, and
 * values it with their prices.
 */
import type { BookName } from './books.ts'
import type { Finding } from './risk.ts'

export interface ListedToken {
  readonly chain: string
  /** The canonical address, see chains/address.ts; the native coin has one too. */
  readonly address: string
  /** The symbol, cleaned; null where no source told. */
  readonly symbol: string | null
  readonly name: string | null
  /** Null where it is not known. */
  readonly decimals: number | null
  /** Dollars; null where no source has one. */
  readonly price: number | null
  /** Ms epoch; null where `price` is. */
  readonly priceTs: number | null
  /** Dollars in all of its pools that the source lists; null where that is not known. */
  readonly liq: number | null
  /** Dollars traded in a day; null where that is not known. */
  readonly vol24: number | null
  /** Ms epoch when a source last told of its risks; null where none has. */
  readonly checkedTs: number | null
  /** False for a token that the risk gate holds back. */
  readonly isListed: boolean
  /** Whether it was chosen by hand: a major, or the operator's. */
  readonly isChosen?: boolean
}

/** A row of the list, as those see it who look for rows. */
export interface ListedRow extends ListedToken {
  readonly book: BookName
  /** Why the risk gate holds it back; none where it does not. */
  readonly findings: readonly Finding[]
}

export interface TokenSet {
  /**
   * Has the list rebuilt where it is due. Resolves at once where there is one,
   * else when the first is there or the deadline passes: what is curated is
   * listed from the start, without prices. Never rejects.
   */
  ready(deadlineMs: number): Promise<void>
  /** Keys of the chains that have tokens. */
  chains(): readonly string[]
  /** The tokens of one chain, held back ones included; none for a chain that is not known. */
  tokens(chain: string): readonly ListedToken[]
  /** @param address  canonical */
  find(chain: string, address: string): ListedToken | null
}
