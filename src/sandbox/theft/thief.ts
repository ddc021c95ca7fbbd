/**
 * A provider that was taken over, behind the `steal` dial: what it answers is
 * read, one thing in it is changed so that whoever signs it is robbed, and it
 * is written again. Each answer is changed in the next way of a list.
 */

/** What thieves receive at, and stand for as a contract. */
export const THIEF = '0x00000000000000000000000000000000deadbeef'

/** Base units beyond what any wallet holds. */
export const ALL = 2n ** 256n - 1n

/** The members of a JSON answer, or of a part of it. */
export type Fields = Readonly<Record<string, unknown>>

export interface Theft {
  /** Said of the thief, such as `lets a stranger receive`. */
  readonly what: string
  /** The body that answers instead. */
  rob(): Fields
}

/** @returns the ways to rob with this honest body; none where it holds nothing to sign */
export type Thief = (body: Fields) => readonly Theft[]

/** The thefts of a list whose honest part was read once. */
export function theftsOf<Part>(
  part: Part,
  write: (changed: Part) => Fields,
  changes: readonly (readonly [what: string, change: (part: Part) => Part])[],
): readonly Theft[] {
  return changes.map(([what, change]) => ({ what, rob: () => write(change(part)) }))
}

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}
