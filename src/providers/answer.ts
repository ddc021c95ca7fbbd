/**
 * Reads a provider's answer from bytes, and checks the shape of the part that is
 * used here.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { parsedOrNone } from '../chains/json/parse.ts'
import { checkOf } from '../runtime/validate.ts'

/** By the bytes: readers try one body against one schema after another, an offer's and a refusal's. */
const PARSED = new WeakMap<Buffer, { readonly value: unknown }>()

function parsed(body: Buffer): unknown {
  const known = PARSED.get(body)
  if (known !== undefined) return known.value
  const value = parsedOrNone(body)
  PARSED.set(body, { value })
  return value
}

/** Base units, in decimal: a uint256 has at most 78 digits. */
export const Amount = Type.String({ pattern: '^\\d{1,78}$' })

/** A member that may be absent, or null. */
export const maybe = <const Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

export interface Parsed<Value> {
  readonly value: Value
  /** The answer as JSON text, byte for byte. */
  readonly text: string
}

/**
 * @param schema  compiled at the first answer, not at the start
 * @returns a reader, which returns null for a body that is not JSON in UTF-8, is longer than may be parsed
 *          at once, or does not fit the schema
 */
export function answerReader<const Schema extends TSchema>(
  schema: Schema,
): (body: Buffer) => Parsed<Static<Schema>> | null {
  const fits = checkOf(schema)
  return (body) => {
    const value = parsed(body)
    return fits(value) ? { value, text: body.toString() } : null
  }
}
