/** A block of a family: a range of its cases, tried one after the other in one process. */

import { createHash } from 'node:crypto'
import { Comparison, VERDICTS } from './compare.ts'
import { Digits } from './digits.ts'
import { FAMILIES } from './families.ts'
import { countOf, type Family } from './family.ts'
import { Shape } from './shape.ts'

export const BLOCK_CASES = 1_048_576

export interface Block {
  /** Its number in `FAMILIES`. */
  readonly family: number
  readonly from: number
  readonly to: number
}

export interface Result {
  /** SHA-256 of the verdicts' numbers, a byte each. */
  readonly digest: string
  /** How many cases had each verdict, by its number. */
  readonly counts: readonly number[]
  /** The first case on which the two disagree; null if none. */
  readonly disagreement: Disagreement | null
}

export interface Disagreement {
  /** As `--case` takes it. */
  readonly name: string
  readonly message: string
  readonly hex: string
}

/** All of these families, in order. */
export function blocksOf(families: readonly Family[]): Block[] {
  return families.flatMap((one) => {
    const count = countOf(one)
    return Array.from({ length: Math.ceil(count / BLOCK_CASES) }, (_, i) => ({
      family: FAMILIES.indexOf(one),
      from: i * BLOCK_CASES,
      to: Math.min(count, (i + 1) * BLOCK_CASES),
    }))
  })
}

const digits = new Digits()
const shape = new Shape()
const comparison = new Comparison()
const verdicts = new Uint8Array(BLOCK_CASES)

/** @returns a view that holds until the next case */
export function writeCase(family: Family, n: number): Uint8Array<ArrayBuffer> {
  digits.open(n)
  family.write(digits, shape)
  if (digits.rest !== 0) throw new Error(`${family.name} has no case ${n}`)
  return shape.bytes()
}

export function tryBlock({ family, from, to }: Block): Result {
  const one = FAMILIES[family]!
  const counts = VERDICTS.map(() => 0)
  let disagreement: Disagreement | null = null
  let n = from
  try {
    for (; n < to; n++) {
      const verdict = comparison.compare(writeCase(one, n))
      verdicts[n - from] = verdict
      counts[verdict]!++
    }
  } catch (error) {
    const hex = Buffer.from(shape.bytes()).toString('hex')
    disagreement = { name: `${one.name}:${n}`, message: (error as Error).message, hex }
  }
  const digest = createHash('sha256')
    .update(verdicts.subarray(0, n - from))
    .digest('hex')
  return { digest, counts, disagreement }
}
