/**
 * Names that look like a major's without being written as one: by letters of
 * another script, characters that have no glyph, or blanks. A name that is
 * written the same is not marked: the token's address and what sources vouch
 * for tell it from the major.
 */
import { skeletonOf } from '../../chains/confusable.ts'
import { findMajor, MAJORS } from '../../chains/majors.ts'
import type { TokenId } from '../../providers/market/market.ts'

/** What majors are called, as plain texts, by skeleton. */
const MAJOR_NAMES = new Map<string, Set<string>>()
for (const majors of MAJORS.values()) {
  for (const { symbol, name } of majors) {
    for (const text of [symbol, name]) {
      const skeleton = skeletonOf(text)
      const texts = MAJOR_NAMES.get(skeleton) ?? new Set()
      MAJOR_NAMES.set(skeleton, texts.add(text.toLowerCase()))
    }
  }
}

/** Whether a token that is no major of its chain looks like one by its symbol or name. */
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
