/**
 * Compiles schemas to validators, and turns a refused value into the sentence of the Error body: which field
 * is wrong, and what it accepts.
 *
 * A valid input costs one `Check`. A refused one is walked again along its schema, because typebox's own list
 * of errors stops at eight and mixes the members of a union. The walk stops at the first field that fails.
 *
 * A schema's `title`, if it has one, is the noun phrase that completes "must be": `a base58 address of 32
 * bytes`.
 *
 * Source: JSON Schema 2020-12
 */
import type { Static, TSchema } from 'typebox'
import { Check, Compile, type Validator } from 'typebox/schema'
import { type Code, GatewayError } from './errors.ts'
import { once } from './once.ts'

export type { Validator }

/** The JSON Schema keywords that the walk follows or describes. */
interface Keywords {
  readonly title?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Keywords[]
  readonly properties?: Readonly<Record<string, Keywords>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly items?: Keywords
  readonly prefixItems?: readonly Keywords[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  /**
   * Our own keyword: the error code for a string that `enum` does not list, instead of `invalid_parameter`.
   */
  readonly 'x-unlisted'?: Code
}

/** An error repeats the name of an unknown property only if it has this form. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/**
 * By the text of the schema: half of the routes share one with another route, most often that of no
 * parameters.
 */
const compiled = new Map<string, Validator>()

/**
 * Compiles a schema.
 * @throws TypeError  if the process may not generate code: each check would have to walk the schema
 */
export function compile<const Schema extends TSchema>(schema: Schema): Validator<Schema> {
  const text = JSON.stringify(schema)
  const known = compiled.get(text)
  if (known !== undefined) return known as Validator<Schema>
  const validator = Compile(schema)
  if (!validator.IsAccelerated()) {
    throw new TypeError(
      'Validators must compile: start Node.js without --disallow-code-generation-from-strings.',
    )
  }
  compiled.set(text, validator as Validator)
  return validator
}

/** Compiles a schema when it is first needed. */
export function compiledOnce<const Schema extends TSchema>(schema: Schema): () => Validator<Schema> {
  return once(() => compile(schema))
}

/** Whether a value fits the schema, which is compiled at the first value, not at the start. */
export function checkOf<const Schema extends TSchema>(
  schema: Schema,
): (value: unknown) => value is Static<Schema> {
  const compiled = compiledOnce(schema)
  return (value): value is Static<Schema> => compiled().Check(value)
}

/**
 * The refusal of a value for which `validator.Check` returned false.
 * @param path  the name of the value in messages: `params`, or empty for a body or a query
 */
export function refuseInput(validator: Validator, value: unknown, path = ''): GatewayError {
  return explain(validator.Schema() as Keywords, value, path)
}

function explain(schema: Keywords, value: unknown, path: string): GatewayError {
  if (schema.anyOf !== undefined) {
    const meant = schema.anyOf.find((member) => member.type === structureOf(value))
    return meant === undefined ? mustBe(schema, path) : explain(meant, value, path)
  }
  if (schema.properties !== undefined && structureOf(value) === 'object') {
    return explainObject(schema, schema.properties, value as Readonly<Record<string, unknown>>, path)
  }
  if (schema.type === 'array' && Array.isArray(value)) return explainArray(schema, value, path)
  return mustBe(schema, path)
}

function explainObject(
  schema: Keywords,
  properties: Readonly<Record<string, Keywords>>,
  value: Readonly<Record<string, unknown>>,
  path: string,
): GatewayError {
  // An unlisted value comes first: other fields may be wrong because of it.
  for (const [name, property] of Object.entries(properties)) {
    const code = property['x-unlisted']
    if (code !== undefined && typeof value[name] === 'string' && !Check(property, value[name])) {
      return mustBe(property, member(path, name), 'must be', code)
    }
  }
  const missing = schema.required?.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) {
    return mustBe(properties[missing]!, member(path, missing), 'is required and must be')
  }
  if (schema.additionalProperties === false) {
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(properties, name))
    if (unknown !== undefined) return unknownProperty(unknown, Object.keys(properties), path)
  }
  for (const [name, property] of Object.entries(properties)) {
    if (Object.hasOwn(value, name) && !Check(property, value[name])) {
      return explain(property, value[name], member(path, name))
    }
  }
  return mustBe(schema, path)
}

function explainArray(schema: Keywords, value: readonly unknown[], path: string): GatewayError {
  if (value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? Infinity)) {
    return mustBe(schema, path)
  }
  for (let i = 0; i < value.length; i++) {
    const item = schema.prefixItems === undefined ? schema.items : schema.prefixItems[i]
    if (item !== undefined && !Check(item, value[i])) return explain(item, value[i], `${path}[${i}]`)
  }
  return mustBe(schema, path)
}

function mustBe(schema: Keywords, path: string, verb = 'must be', code?: Code): GatewayError {
  return refusal(path, `${subject(path)} ${verb} ${phrase(schema)}.`, code)
}

function unknownProperty(name: string, accepted: readonly string[], path: string): GatewayError {
  const list = accepted.join(', ')
  if (!IDENTIFIER.test(name)) {
    return refusal(
      path,
      `${subject(path)} has a property that is not accepted; the accepted ones are ${list}.`,
    )
  }
  const field = member(path, name)
  return refusal(field, `${subject(field)} is not accepted; the accepted properties are ${list}.`)
}

const refusal = (path: string, message: string, code: Code = 'invalid_parameter'): GatewayError =>
  new GatewayError(code, message, path === '' ? {} : { field: path })

const member = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

const subject = (path: string): string => (path === '' ? 'The body' : `\`${path}\``)

function structureOf(value: unknown): 'object' | 'array' | null {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'object' && value !== null ? 'object' : null
}

/** Describes what a schema accepts, in words that complete "must be". */
function phrase(schema: Keywords): string {
  if (schema.title !== undefined) return schema.title
  if (schema.enum !== undefined) return `one of ${schema.enum.map(literal).join(', ')}`
  if (schema.const !== undefined) return literal(schema.const)
  // Null means absent wherever it is accepted, so it is not mentioned.
  if (schema.anyOf !== undefined) {
    return schema.anyOf
      .filter(({ type }) => type !== 'null')
      .map(phrase)
      .join(', or ')
  }
  const form = schema.pattern === undefined ? '' : ` that matches ${schema.pattern}`
  const each = schema.items === undefined ? '' : `, each ${phrase(schema.items)}`
  switch (schema.type) {
    case 'boolean':
      return 'true or false'
    case 'integer':
      return `an integer${range(schema.minimum, schema.maximum)}`
    case 'number':
      return `a number${range(schema.minimum, schema.maximum)}`
    case 'string':
      return `a string${count(schema.minLength, schema.maxLength, 'character')}${form}`
    case 'array':
      return `an array${count(schema.minItems, schema.maxItems, 'item')}${each}`
    case 'object':
      return 'an object'
    default:
      return 'as /openapi.json describes it'
  }
}

const literal = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function range(from: number | undefined, to: number | undefined): string {
  if (from === undefined) return to === undefined ? '' : ` of at most ${to}`
  return to === undefined ? ` of at least ${from}` : ` from ${from} to ${to}`
}

function count(min = 0, max: number | undefined, unit: string): string {
  const units = (max ?? min) === 1 ? unit : `${unit}s`
  if (max === undefined) return min === 0 ? '' : ` of at least ${min} ${units}`
  if (min === max) return ` of ${max} ${units}`
  return min === 0 ? ` of at most ${max} ${units}` : ` of ${min} to ${max} ${units}`
}
