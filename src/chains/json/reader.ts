/** Reads JSON documents of a known form. */
import type { Static, TSchema } from 'typebox'
import { checkOf } from '../../runtime/validate.ts'
import { parsedOrNone } from './parse.ts'

/**
 * @param schema  compiled at the first document, not at the start
 * @returns a reader, which returns null for a document that is not bounded JSON, or does not fit the schema
 */
export function jsonReader<const Schema extends TSchema>(
  schema: Schema,
): (json: Buffer | string) => Static<Schema> | null {
  const fits = checkOf(schema)
  return (json) => {
    const value = parsedOrNone(json)
    return fits(value) ? value : null
  }
}
