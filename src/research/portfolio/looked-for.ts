/**
 * Which tokens a wallet is looked through for, the likeliest to be held first,
 * and what those are called that the chain's nodes gave no name for:
 *
 *   chosen rows of the list ─> vouched for in the universe ─> found rows ─> the universe's others
 */

import type { AskedToken, Holding } from '../../providers/holdings/holdings.ts'
import type { KnownToken } from '../../providers/tokens/token-source.ts'
import type { ListedToken, TokenSet } from '../list/token-set.ts'
import type { Universe } from '../universe/universe.ts'

export interface TokenLists {
  readonly tokens: Pick<TokenSet, 'tokens'>
  readonly universe: Pick<Universe, 'tokens' | 'find'>
}

/** Each token once. */
export function lookedFor({ tokens, universe }: TokenLists, chain: string): readonly AskedToken[] {
  const known = universe.tokens(chain)
  const listed = tokens.tokens(chain)
  const asked = new Map<string, AskedToken>()
  const add = (token: AskedToken): void => {
    if (!asked.has(token.address)) asked.set(token.address, token)
  }
  for (const token of listed) if (isChosen(token)) add({ ...listedToken(token), isVouched: true })
  for (const token of known) if (token.isVouched) add(knownToken(token))
  for (const token of listed) add({ ...listedToken(token), isVouched: false })
  for (const token of known) add(knownToken(token))
  return [...asked.values()]
}

/** Nodes that list what a wallet holds do not tell what it is called. */
export function named({ universe }: Pick<TokenLists, 'universe'>, holding: Holding): Holding {
  const { token, decimals, symbol, name } = holding
  const known = symbol === null ? universe.find(token.chain, token.address) : null
  // A list that is wrong about the decimals means another token.
  if (known === null || (decimals !== null && decimals !== known.decimals)) return holding
  return { ...holding, symbol: known.symbol, name: name ?? known.name }
}

/** Chosen by hand: a major, which has decimals in the chain table, or the operator's. */
const isChosen = ({ decimals, isChosen }: ListedToken): boolean => isChosen ?? decimals !== null

const listedToken = ({ address, decimals, symbol, name }: ListedToken): AskedToken => ({
  address,
  decimals,
  symbol,
  name,
})

const knownToken = ({ address, decimals, symbol, name, isVouched }: KnownToken): AskedToken => ({
  address,
  symbol,
  name,
  listedDecimals: decimals,
  isVouched,
})
