/**
 * Schemas as the document shows them: JSON without our own keywords, and a reference for each component
 * within another schema.
 *
 * Source: JSON Schema 2020-12
 */
import type { TSchema } from 'typebox'

/** The schemas of the components, each with its name. */
export type Names = ReadonlyMap<TSchema, string>

/** The keywords of ours that the document shows. */
const OURS = ['x-stability', 'x-variants']

/** A schema within the document. */
export function namedSchema(schema: unknown, names: Names): unknown {
  if (Array.isArray(schema)) return schema.map((member) => namedSchema(member, names))
  if (typeof schema !== 'object' || schema === null) return schema
  const name = names.get(schema as TSchema)
  return name === undefined ? asComponent(schema, names) : { $ref: `#/components/schemas/${name}` }
}

/** A schema as a component of its own. */
export function asComponent(schema: object, names: Names): Record<string, unknown> {
  const keywords = Object.entries(schema).filter(([key]) => !key.startsWith('x-') || OURS.includes(key))
  const json = Object.fromEntries(keywords.map(([key, value]) => [key, namedSchema(value, names)]))
  // A choice of texts is a text: not every reader concludes that.
  if (Array.isArray(json.enum) && json.type === undefined) {
    const [type, ...others] = new Set(json.enum.map((value) => typeof value))
    if (others.length === 0) json.type = type
  }
  // An object without any keyword is free-form; this says so to readers that take silence for "nothing else".
  const isFreeForm = json.type === 'object' && Object.keys(json.properties ?? {}).length === 0
  if (!isFreeForm || 'additionalProperties' in json || 'patternProperties' in json) return json
  const { properties: _, ...rest } = json
  return { ...rest, additionalProperties: true }
}
