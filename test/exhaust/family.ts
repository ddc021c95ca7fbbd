/** A family of cases, which is tried whole. */
import type { Digits } from './digits.ts'
import type { Shape } from './shape.ts'

export interface Family {
  readonly name: string
  /** What its cases are. */
  readonly what: string
  /** How many there are, as a product: each number with what it counts. */
  readonly factors: readonly Factor[]
  /** Writes the case whose digits these are, and takes all of them. */
  write(digits: Digits, shape: Shape): void
}

export type Factor = readonly [count: number, of: string]

export const countOf = ({ factors }: Pick<Family, 'factors'>): number =>
  factors.reduce((product, [count]) => product * count, 1)

/** How many lists of at most `most` things there are, of so many kinds. */
export const listsOf = (kinds: number, most: number): number =>
  most === 0 ? 1 : 1 + kinds * listsOf(kinds, most - 1)

/**
 * Takes one digit, which names a list.
 *
 * @param list  gets its things, each a number below `kinds`
 * @returns its length
 */
export function takeList(digits: Digits, kinds: number, most: number, list: Uint16Array): number {
  let left = digits.take(listsOf(kinds, most))
  let length = 0
  for (let lists = 1; left >= lists; lists *= kinds) {
    left -= lists
    length++
  }
  for (let i = 0; i < length; i++) {
    list[i] = left % kinds
    left = (left / kinds) | 0
  }
  return length
}
