/**
 * Schemas of the OpenAPI document as TypeScript: what a reader of the client's
 * types sees. Only the keywords that the document has are understood; another
 * one of them that constrains a type is a mistake here, and is thrown.
 */
export type Json = Record<string, unknown>

/**
 * What a type is for. What is sent may have a member that is undefined, which is
 * left out; what is answered either has the member or not.
 */
export type Use = 'input' | 'answer'

/** Inputs that are lists with commas: the client joins an array. */
const LISTS = ['chains', 'tokens', 'only']

export function typeOf(schema: Json, use: Use): string {
  const { $ref, anyOf, type, items } = schema
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map((member: Json) => typeOf(member, use)))].join(' | ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  switch (type) {
    case undefined:
      return 'unknown'
    case 'string':
      return 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
    case 'null':
      return type
    case 'array':
      return `${use === 'input' ? 'readonly ' : ''}(${typeOf(items as Json, use)})[]`
    case 'object':
      return objectType(schema, use)
    default:
      throw new TypeError(`No type is written for ${JSON.stringify(schema)}.`)
  }
}

/** An object without members is whatever is there; of one with members, those are told and no others. */
function objectType(schema: Json, use: Use): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>)
  if (properties.length > 0) return members(schema, use)
  const [values] = Object.values((schema.patternProperties ?? {}) as Record<string, Json>)
  return `{ [name: string]: ${values === undefined ? 'unknown' : typeOf(values, use)} }`
}

/** The members of an object in braces, each with its description. */
function members(schema: Json, use: Use): string {
  const required = new Set(schema.required as readonly string[] | undefined)
  const rows = Object.entries(schema.properties as Record<string, Json>).map(([name, property]) => {
    const mark = required.has(name) ? '' : '?'
    const isInput = use === 'input'
    const type = isInput && LISTS.includes(name) ? 'string | readonly string[]' : typeOf(property, use)
    const maybe = isInput && mark === '?' ? `${type} | undefined` : type
    return `${comment(descriptionOf(property))}${isInput ? 'readonly ' : ''}${nameOf(name)}${mark}: ${maybe}`
  })
  return `{\n${rows.join('\n')}\n}`
}

/** What stands at the schema, or at the one that it is when it is not null; and what it is where left out. */
function descriptionOf(schema: Json): string {
  const inner = ((schema.anyOf ?? []) as Json[]).find(({ description }) => description !== undefined)
  const said = (schema.description ?? inner?.description ?? '') as string
  return [said, schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`]
    .filter(Boolean)
    .join('; ')
}

/** A doc comment and the end of its line; nothing where there is nothing to say. */
export function comment(text: string): string {
  const safe = text.replaceAll('*/', '*\\/')
  if (safe === '') return ''
  if (!safe.includes('\n')) return `/** ${safe} */\n`
  return `/**\n${safe
    .split('\n')
    .map((line) => ` * ${line}`.trimEnd())
    .join('\n')}\n */\n`
}

const nameOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))
