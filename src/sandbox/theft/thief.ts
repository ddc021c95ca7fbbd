/**
 * A compromised provider, behind the fault `steal`: its answer is parsed, changed in one
 * place so that signing it robs the wallet, and written again. Each answer uses the next
 * theft of a list; one build that is asked for once more with less slippage keeps its theft.
 */

/** The thief's address, as recipient and as contract. */
export const THIEF = '0x00000000000000000000000000000000deadbeef'

/** More base units than any wallet holds. */
export const ALL = 2n ** 256n - 1n

/** The members of a JSON answer, or of a part of it. */
export type Fields = Readonly<Record<string, unknown>>

export interface Theft {
  /** What the thief does, such as `lets a stranger receive`. */
  readonly what: string
  /** The changed body. */
  rob(): Fields
  /** Writes what no object can say, such as doubled names. Absent, the body is written as it is. */
  write?(body: Fields): string
  /**
   * Changes nothing that costs the wallet, only how it is written or what is said beside it: where it is not
   * refused, the answer has none of it.
   */
  readonly isSpelling?: true
}

/** @returns the thefts that an honest body allows; none if it holds nothing to sign */
export type Thief = (body: Fields) => readonly Theft[]

/** The thefts of a list that share one parsed honest part. */
export function theftsOf<Part>(
  part: Part,
  write: (changed: Part) => Fields,
  changes: readonly (readonly [what: string, change: (part: Part) => Part])[],
): readonly Theft[] {
  return changes.map(([what, change]) => ({ what, rob: () => write(change(part)) }))
}

/** The same values otherwise written, or untrue words beside them. */
export function spellingsOf(
  write: (changed: Fields) => Fields,
  changes: readonly (readonly [what: string, change: () => Fields])[],
): readonly Theft[] {
  return changes.map(([what, change]) => ({ what, rob: () => write(change()), isSpelling: true }))
}

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}
