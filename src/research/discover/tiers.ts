/**
 * How deep a token's pools are, in words: dollars from which on a tier begins.
 *
 * Source: §4.10 `/api/discover/tokens` (`tier`)
 */
const TIERS = [
  { name: 'deep', from: 1_000_000 },
  { name: 'mid', from: 50_000 },
  { name: 'thin', from: 0 },
] as const

/** What is not known is in a tier of its own: it may be anything. */
export const TIER_NAMES = [...TIERS.map(({ name }) => name), 'unknown' as const]
export type TierName = (typeof TIER_NAMES)[number]

/** The tiers and their bounds, as the documents tell them. Without Intl, whose first use takes longer than all else here. */
export const TIER_BOUNDS = TIERS.map(({ name, from }) => `${name} from $${grouped(from)}`).join(', ')

function grouped(dollars: number): string {
  return String(dollars).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** @param liq  dollars in its pools; null where that is not known */
export function tierOf(liq: number | null): TierName {
  return liq === null ? 'unknown' : (TIERS.find(({ from }) => liq >= from)?.name ?? 'unknown')
}
