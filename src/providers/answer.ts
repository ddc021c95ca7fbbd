/**
 * A provider's answer, from bytes to a value of which the part that we use has
 * the shape that we expect.
 */
import type { Static, TSchema } from 'typebox'
import { parsedOrNone } from '../chains/json/parse.ts'
import { compile, type Validator } from '../runtime/validate.ts'

export interface Parsed<Value> {
  readonly value: Value
  /** The answer byte for byte, as JSON text. */
  readonly text: string
}

/**
 * @param schema  compiled at the first answer, not at the start
 * @returns a reader that answers null for what is not JSON in UTF-8, is more than may be parsed at once,
 *          or does not fit
 */
export function answerReader<const Schema extends TSchema>(
  schema: Schema,
): (body: Buffer) => Parsed<Static<Schema>> | null {
  let validator: Validator<Schema> | null = null
  return (body) => {
    const value = parsedOrNone(body)
    validator ??= compile(schema)
    return validator.Check(value) ? { value: value as Static<Schema>, text: body.toString() } : null
  }
}
