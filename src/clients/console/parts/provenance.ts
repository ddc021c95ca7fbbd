/** The source and age of a figure, which its tooltip shows. */
import { titleOf } from '../data/words.ts'
import { age, time } from '../format.ts'

export interface Provenance {
  /** A provider by its label, or words such as `GET /api/tokens, book majors`. */
  readonly source: string
  /** When the figure was current, ms of the wall clock; null if unknown. */
  readonly at?: number | null | undefined
  /** Further lines; for an unknown figure, the reason. */
  readonly notes?: readonly (string | null | undefined)[] | undefined
}

/** The tooltip's lines. */
export function linesOf({ source, at, notes = [] }: Provenance, now: number): readonly string[] {
  const aged = at === undefined || at === null ? 'age unknown' : `${age(now - at)} old, from ${time(at, now)}`
  return [titleOf(source), aged, ...notes.filter((note): note is string => typeof note === 'string')]
}
