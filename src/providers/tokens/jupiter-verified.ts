/**
 * The mints that Jupiter has verified: one list with a few kilobytes per mint, most
 * of it about markets.
 *
 * Source: developers.jup.ag, Tokens API V2, GET /tokens/v2/tag?query=verified
 */
import { findChain } from '../../chains/find.ts'
import { type Fields, fieldsOf } from '../../chains/json/fields.ts'
import type { AdapterUpstream } from '../requests.ts'
import { type ListCandidate, longList } from './long-list.ts'
import type { TokenSource } from './token-source.ts'

const SOLANA = findChain('solana')!
/** The list is long and changes by a few mints a day. */
const EVERY_MS = 21_600_000
const MAX_BYTES = 16 * 1024 * 1024
const MAX_TOKENS = 5_000

export function jupiterVerified(upstream: AdapterUpstream): TokenSource {
  return {
    label: 'jupiter',
    chains: new Set([SOLANA.key]),
    everyMs: EVERY_MS,
    ask(_chain, options) {
      const request = longList({
        path: '/tokens/v2/tag?query=verified',
        chain: SOLANA,
        maxBytes: MAX_BYTES,
        maxTokens: MAX_TOKENS,
        find: () => 0,
        read: candidateOf,
      })
      return upstream.ask(request, options)
    },
  }
}

/** The presence of `audit.isSus` excludes a token. The highest organic score ranks first. */
function candidateOf({ id, audit, organicScore, ...token }: Fields): ListCandidate | null {
  if ('isSus' in fieldsOf(audit)) return null
  const rank = typeof organicScore === 'number' ? -organicScore : 0
  return { item: { ...token, address: id }, isVouched: true, rank }
}
