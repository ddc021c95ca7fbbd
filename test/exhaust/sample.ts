/** A sample of each family: its cases are spread over all of it, and are the same in every run. */

import { writeCase } from './block.ts'
import { Comparison } from './compare.ts'
import { FAMILIES } from './families.ts'
import { countOf, type Family } from './family.ts'

/** Small families are tried whole. */
export const SAMPLE_CASES = 5_000
/** Steps by the golden ratio leave no gap that is much longer than the others. */
const STEP = (Math.sqrt(5) - 1) / 2

/** The numbers of at most `most` cases. */
export function* sampleOf(family: Family, most: number = SAMPLE_CASES): Generator<number> {
  const count = countOf(family)
  const tried = Math.min(count, most)
  for (let i = 0; i < tried; i++) yield count <= most ? i : Math.floor(((i * STEP) % 1) * count)
}

/**
 * @returns how many cases there were
 * @throws Error  if there is a disagreement, with the case
 */
export function trySamples(comparison = new Comparison(), most: number = SAMPLE_CASES): number {
  let cases = 0
  for (const family of FAMILIES) {
    for (const n of sampleOf(family, most)) {
      try {
        comparison.compare(writeCase(family, n))
      } catch (cause) {
        throw new Error(`${family.name}:${n}, ${(cause as Error).message}`, { cause })
      }
      cases++
    }
  }
  return cases
}
