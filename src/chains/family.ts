/**
 * Which chain a text means, and which family of address formats it is of.
 *
 * Source: §4.5, §4.7 (a chain key, or the cross-chain provider's numeric id)
 */
import type { Chain } from '../resources.ts'
import { CHAINS } from './chains.ts'

export type Family = 'evm' | 'solana' | 'sui' | 'ton'

/** A chain that the cross-chain provider serves. */
export type XprovChain = Chain & { readonly xprovChainId: number }

export function familyOf(chain: Chain): Family {
  if (chain.sui) return 'sui'
  if (chain.ton) return 'ton'
  return chain.evm ? 'evm' : 'solana'
}

/** @param key  a chain key, exactly as GET /api/chains lists it */
export function findChain(key: string): Chain | null {
  return BY_KEY.get(key) ?? null
}

/**
 * @param text  a chain key, or a numeric id in its one decimal spelling: it is
 *              compared as text, because ids may exceed 2^53 - 1
 */
export function findXprovChain(text: string): XprovChain | null {
  return XPROV.get(text) ?? null
}

const BY_KEY: ReadonlyMap<string, Chain> = new Map(CHAINS.map((chain) => [chain.key, chain]))

const XPROV: ReadonlyMap<string, XprovChain> = new Map(
  CHAINS.filter(isXprovChain).flatMap((chain) => [
    [chain.key, chain],
    [String(chain.xprovChainId), chain],
  ]),
)

function isXprovChain(chain: Chain): chain is XprovChain {
  return typeof chain.xprovChainId === 'number'
}
