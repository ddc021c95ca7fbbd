/**
 * The token list as the other parts of research see it. A portfolio, for
 * example, looks for these tokens in a wallet and values it with their prices.
 */
import type { Named } from '../../providers/market/market.ts'
import type { ListEntry } from './list-entry.ts'

type Figures = 'decimals' | 'price' | 'priceTs' | 'liq' | 'vol24' | 'checkedTs' | 'isListed'

/** The native coin has an address, too. `isChosen` is absent for a placeholder. */
export type ListedToken = Named & Readonly<Pick<ListEntry, Figures> & Partial<Pick<ListEntry, 'isChosen'>>>

/** A row of the list, with its book and the risk filter's findings; `risks` is absent for a placeholder. */
export type ListedRow = ListedToken &
  Readonly<Pick<ListEntry, 'book' | 'findings'> & Partial<Pick<ListEntry, 'risks'>>>

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
