/**
 * Sources that list the tokens of a chain: addresses, symbols, names and decimals.
 * The list's author is responsible for symbols and names. Decimals count only if
 * the chain confirms them. Prices in such lists are not used.
 */
import type { Call } from '../../flow/call.ts'
import type { TokenId } from '../market/market.ts'

export interface KnownToken extends TokenId {
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  /** An https link to its picture, at any host; absent if the list names none. */
  readonly logo?: string
  /** Whether the list's author has reviewed the token: a list of everything vouches for nothing. */
  readonly isVouched: boolean
}

export interface TokenSource {
  /** The source's name in logs. */
  readonly label: string
  /** Keys of the chains whose tokens it lists. */
  readonly chains: ReadonlySet<string>
  /** The interval between reads of its list, ms. */
  readonly everyMs: number
  /** @returns each token once, the most likely to be held first, without the rest of a longer list */
  ask(chain: string, call: Call): Promise<readonly KnownToken[]>
}
