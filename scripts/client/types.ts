/**
 * Schemas of the OpenAPI document as TypeScript, formatted to be read. Only the
 * keywords that the document has are understood; a type that is none of them is
 * an error.
 */
export type Json = Record<string, unknown>

/**
 * What a type is for. What is sent may have a member that is undefined, which is
 * left out; what is answered either has the member or not.
 */
export type Use = 'input' | 'answer'

/** Inputs that are lists with commas: the client joins an array. */
const LISTS = ['accounts', 'chains', 'tokens', 'only']

/** @throws TypeError  where the schema is of a type that is not known here */
export function typeOf(schema: Json, use: Use): string {
  const { $ref, anyOf, type, items } = schema
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  if ('not' in schema) return 'never'
  if (Array.isArray(anyOf)) return union(anyOf.map((member: Json) => typeOf(member, use)))
  if ('const' in schema) return literal(schema.const)
  if (Array.isArray(schema.enum)) return union(schema.enum.map(literal))
  switch (type) {
    case undefined:
      return 'unknown'
    case 'string':
      return schema.pattern === '^0x' ? `\`0x\${string}\`` : 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
    case 'null':
      return type
    case 'array':
      return arrayOf(items as Json, use)
    case 'object':
      return objectType(schema, use)
    default:
      throw new TypeError(`No type is written for ${JSON.stringify(schema)}.`)
  }
}

/** The schemas of an object's variants by name, each with its own members, and none of the others'. */
export function variantsOf({ 'x-variants': listed = {}, ...schema }: Json): [name: string, variant: Json][] {
  const variants = Object.entries(listed as Record<string, Json & { required: string[] }>)
  const all = variants.flatMap(([, { required }]) => required)
  return variants.map(([name, { required, properties }]) => {
    const absent = all.filter((member) => !required.includes(member)).map((member) => [member, { not: {} }])
    const members = { ...(schema.properties as Json), ...(properties as Json), ...Object.fromEntries(absent) }
    return [
      name,
      { ...schema, properties: members, required: [...(schema.required as string[]), ...required] },
    ]
  })
}

const union = (members: readonly string[]): string => [...new Set(members)].join(' | ')

function arrayOf(items: Json, use: Use): string {
  const element = typeOf(items, use)
  // A union and `readonly` bind less than the brackets.
  const isOneTerm = !('anyOf' in items || 'enum' in items || element.startsWith('readonly '))
  return `${use === 'input' ? 'readonly ' : ''}${isOneTerm ? element : `(${element})`}[]`
}

/** In single quotes where it is text. */
export function literal(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  const escaped = JSON.stringify(value).slice(1, -1)
  return `'${escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** An object without members may hold anything; one with members holds those and no others. */
function objectType(schema: Json, use: Use): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>)
  if (properties.length > 0) return members(schema, use)
  const [values] = Object.values((schema.patternProperties ?? {}) as Record<string, Json>)
  return `{ [name: string]: ${values === undefined ? 'unknown' : typeOf(values, use)} }`
}

/** The members of an object in braces, each with its description, two spaces deeper. */
function members(schema: Json, use: Use): string {
  const required = new Set(schema.required as readonly string[] | undefined)
  const rows = Object.entries(schema.properties as Record<string, Json>).map(([name, property]) => {
    const mark = required.has(name) ? '' : '?'
    const isInput = use === 'input'
    const type = isInput && LISTS.includes(name) ? 'string | readonly string[]' : typeOf(property, use)
    const maybe = isInput && mark === '?' ? `${type} | undefined` : type
    return `${comment(descriptionOf(property))}${isInput ? 'readonly ' : ''}${nameOf(name)}${mark}: ${maybe}`
  })
  return `{\n${indent(rows.join('\n'))}\n}`
}

export const indent = (text: string): string => text.replace(/^(?=.)/gm, '  ')

/** What stands at the schema, or at the one that it is when it is not null; and what it is where left out. */
function descriptionOf(schema: Json): string {
  const inner = ((schema.anyOf ?? []) as Json[]).find(({ description }) => description !== undefined)
  const said = (schema.description ?? inner?.description ?? '') as string
  return [said, schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`]
    .filter(Boolean)
    .join('; ')
}

/** A doc comment and the end of its line; nothing where there is nothing to say. */
export const comment = (text: string): string =>
  text === '' ? '' : `/** ${text.replaceAll('*/', '*\\/')} */\n`

const nameOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name))
