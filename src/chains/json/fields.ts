/** Reads the members of JSON of an unknown form. */

export type Fields = Readonly<Record<string, unknown>>

const NONE: Fields = {}

/** @returns the members of a JSON object; none for anything else */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : NONE
}
