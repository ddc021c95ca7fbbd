/**
 * Confusable names: they look like a major's but are written with letters of
 * another script, invisible characters or blanks. A name written exactly like a
 * major's is not marked: the address and the sources' verdicts tell the two apart.
 */
import { skeletonOf } from '../../chains/confusable.ts'
import { findMajor, MAJORS } from '../../chains/majors.ts'
import type { TokenId } from '../../providers/market/market.ts'
import { getOrInsert } from '../../runtime/lists.ts'

/** Symbols and names of majors in lower case, by skeleton. */
const MAJOR_NAMES = new Map<string, Set<string>>()
for (const majors of MAJORS.values()) {
  for (const { symbol, name } of majors) {
    for (const text of [symbol, name]) {
      getOrInsert(MAJOR_NAMES, skeletonOf(text), () => new Set<string>()).add(text.toLowerCase())
    }
  }
}

/** Whether a token that is not a major of its chain has a symbol or name confusable with a major's. */
export function isNameSuspicious(
  { chain, address }: TokenId,
  symbol: string | null,
  name: string | null,
): boolean {
  if (findMajor(chain, address) !== null) return false
  return [symbol, name].some((text) => text !== null && imitates(text))
}

function imitates(text: string): boolean {
  const imitated = MAJOR_NAMES.get(skeletonOf(text))
  return imitated !== undefined && !imitated.has(text.toLowerCase())
}
