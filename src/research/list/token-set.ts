/**
 * The token list as the other parts of research see it. A portfolio, for
 * example, looks for these tokens in a wallet and values it with their prices.
 */
import type { Named } from '../../providers/market/market.ts'
import type { TokenRisks } from '../../runtime/resources/token-profile.ts'
import type { BookName } from './books.ts'
import type { Finding } from './risk.ts'

/** The native coin has an address, too. */
export interface ListedToken extends Named {
  /** Null if unknown. */
  readonly decimals: number | null
  /** Dollars; null if no source has one. */
  readonly price: number | null
  /** Ms epoch; null if `price` is. */
  readonly priceTs: number | null
  /** Dollars in all pools that the source lists; null if unknown. */
  readonly liq: number | null
  /** Dollars traded in a day; null if unknown. */
  readonly vol24: number | null
  /** When a source last reported on its risks, ms epoch; null if none has. */
  readonly checkedTs: number | null
  /** False for a token that the risk filter rejects. */
  readonly isListed: boolean
  /** Whether it was chosen by hand: a major, or the operator's. */
  readonly isChosen?: boolean
}

/** A row of the list, with its book and the risk filter's findings. */
export interface ListedRow extends ListedToken {
  readonly book: BookName
  /** Why the risk filter rejects it; empty if it does not. */
  readonly findings: readonly Finding[]
  /** What is known against it; absent for a placeholder row. */
  readonly risks?: TokenRisks
}

export interface TokenSet {
  /**
   * Notes that the list is read. Resolves at once if it was built, else when the
   * first build ends or the deadline passes: chosen tokens are listed from the
   * start, without prices. Never rejects.
   */
  ready(deadlineMs: number): Promise<void>
  /** Keys of the chains that have tokens. */
  chains(): readonly string[]
  /** The tokens of one chain, rejected ones included; empty for an unknown chain. */
  tokens(chain: string): readonly ListedToken[]
  /** @param address  canonical */
  find(chain: string, address: string): ListedToken | null
}
