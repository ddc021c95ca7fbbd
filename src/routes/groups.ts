/** The groups of routes, which are the tags of the OpenAPI document. */
import type { Group } from '../http/route.ts'
import tags from './tags.json' with { type: 'json' }

export const {
  TOKENS,
  PRICES,
  PORTFOLIOS,
  SWAPS,
  SWAP_FORMS,
  CROSS_CHAIN,
  SOLANA,
  TRANSACTIONS,
  DISCOVERY,
  SERVICE,
  STATISTICS,
  COMMUNITY,
}: Readonly<Record<keyof typeof tags, Group>> = tags
