/**
 * The tokens that the cross-chain provider can move, by chain: LI.FI's list. LI.FI
 * has verified some of them and prices most.
 *
 * Source: docs.li.fi, GET /v1/tokens · LI.FI OpenAPI 1.0.0 · @lifi/types 18.4.0 (verificationStatus)
 */

import { CHAINS } from '../../chains/chains.ts'
import type { ChainDefinition, Family } from '../../chains/definition.ts'
import { findXprovChain } from '../../chains/find.ts'
import type { Fields } from '../../chains/json/fields.ts'
import { startOfMember } from '../../chains/json/member.ts'
import type { AdapterUpstream } from '../requests.ts'
import { type ListCandidate, longList } from './long-list.ts'
import type { TokenSource } from './token-source.ts'

const EVERY_MS = 1_800_000
/** About 300 bytes per token; the largest chains have several thousand tokens. */
const MAX_BYTES = 8 * 1024 * 1024
const MAX_TOKENS = 2_000

/** The provider's names of the families. Without one it lists tokens of EVM chains only. */
const TYPES: Readonly<Record<Exclude<Family, 'solana'>, string>> = { evm: 'EVM', sui: 'MVM', ton: 'TVM' }

/** Solana is excluded: Jupiter lists its tokens. */
const isListed = (chain: ChainDefinition): boolean => chain.xprovChainId !== null && chain.family !== 'solana'

export function xprovTokens(upstream: AdapterUpstream): TokenSource {
  return {
    label: 'xprov',
    chains: new Set(CHAINS.filter(isListed).map(({ key }) => key)),
    everyMs: EVERY_MS,
    ask(chain, options) {
      const definition = findXprovChain(chain)!
      const chains = String(definition.xprovChainId)
      const chainTypes = TYPES[definition.family as keyof typeof TYPES]
      const request = longList({
        path: `/v1/tokens?${new URLSearchParams({ chains, chainTypes })}`,
        chain: definition,
        maxBytes: MAX_BYTES,
        maxTokens: MAX_TOKENS,
        find(body) {
          // The documentation also shows the map of chains without the enclosing `tokens` member.
          const map = startOfMember(body, 0, 'tokens')
          return startOfMember(body, Math.max(map, 0), chains)
        },
        read: candidateOf,
      })
      return upstream.ask(request, options)
    },
  }
}

/** Tokens that the provider has named or verified rank first, then those with a price. */
function candidateOf(item: Fields): ListCandidate | null {
  const { verificationStatus, coinKey, priceUSD } = item
  if (verificationStatus === 'flagged') return null
  const isVouched = verificationStatus === 'verified' || typeof coinKey === 'string'
  return { item, isVouched, rank: isVouched ? 0 : Number(priceUSD) > 0 ? 1 : 2 }
}
