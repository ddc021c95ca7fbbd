/**
 * The tokens that a wallet is searched for, the likeliest to be held first:
 *
 *   chosen rows of the list ─> vouched tokens of the universe ─> other rows ─> other tokens of the universe
 */

import type { AskedToken, Holding } from '../../providers/holdings/holdings.ts'
import type { KnownToken } from '../../providers/tokens/token-source.ts'
import type { ListedToken } from '../list/token-set.ts'
import type { Universe } from '../universe/universe.ts'

/** @returns each token of one chain once */
export function candidateTokens(
  listed: readonly ListedToken[],
  known: readonly KnownToken[],
): readonly AskedToken[] {
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

/** The holding with its name from the universe: nodes that list a wallet's tokens give no names. */
export function withKnownName(universe: Pick<Universe, 'find'>, holding: Holding): Holding {
  const { token, decimals, symbol, name } = holding
  const known = symbol === null ? universe.find(token.chain, token.address) : null
  // An entry with other decimals is about another token.
  if (known === null || (decimals !== null && decimals !== known.decimals)) return holding
  return { ...holding, symbol: known.symbol, name: name ?? known.name }
}

/** Whether it was chosen by hand: a major, which has decimals in the chain table, or the operator's. */
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
