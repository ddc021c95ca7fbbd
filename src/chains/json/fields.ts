/** Reads the members of JSON of an unknown form. */

export type Fields = Readonly<Record<string, unknown>>

const NONE: Fields = {}

/** Whether it is a JSON object. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @returns the members of a JSON object; none for anything else */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : NONE
}
