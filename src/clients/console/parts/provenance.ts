/** Where a figure comes from: its tip tells. */
import { age, time } from '../format.ts'

export interface Provenance {
  /** Such as `GET /api/tokens, book majors`. */
  readonly source: string
  /** When it was true, ms of the wall clock; null where nobody says. */
  readonly at?: number | null | undefined
  /** What else there is to say; for what is unknown, why. */
  readonly notes?: readonly (string | null | undefined)[] | undefined
}

/** The tip's lines. */
export function linesOf({ source, at, notes = [] }: Provenance, now: number): readonly string[] {
  const aged = at === undefined || at === null ? 'age not told' : `${age(now - at)} old, of ${time(at, now)}`
  return [source, aged, ...notes.filter((note): note is string => typeof note === 'string')]
}
