/**
 * Tiers of liquidity: how deep a token's pools are. `from` is the least dollars of a tier.
 *
 * Source: §4.10 `/api/discover/tokens` (`tier`)
 */
const TIERS = [
  { name: 'deep', from: 1_000_000 },
  { name: 'mid', from: 50_000 },
  { name: 'thin', from: 0 },
] as const

/** Unknown liquidity is a tier of its own. */
export const TIER_NAMES = [...TIERS.map(({ name }) => name), 'unknown' as const]
export type TierName = (typeof TIER_NAMES)[number]

/** The tiers and their bounds, for the documents. Formatted without Intl, whose first use is slow. */
export const TIER_BOUNDS = TIERS.map(({ name, from }) => `${name} from $${grouped(from)}`).join(', ')

function grouped(dollars: number): string {
  return String(dollars).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** @param liq  dollars in the token's pools; null if unknown */
export function tierOf(liq: number | null): TierName {
  return liq === null ? 'unknown' : (TIERS.find(({ from }) => liq >= from)?.name ?? 'unknown')
}
