/**
 * Query string and path values to a route's input: one flat object in the
 * schema's declared order. A value that cannot be coerced stays a string, so
 * that the validator refuses it by name.
 *
 * Source: WHATWG URL, application/x-www-form-urlencoded
 */
import type { TObject } from 'typebox'
import { GatewayError, invalidParameter } from '../../runtime/errors.ts'
import { nearest } from '../../runtime/nearest.ts'

/** Only undeclared names of this form, and only the first few, are compared with the declared ones. */
const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
const MAX_UNDECLARED = 32

/** The keyword of a list's schema: the separator of its elements. */
const LIST = 'x-separator'

type ScalarKind = 'string' | 'integer' | 'number' | 'boolean'

interface Field {
  readonly name: string
  readonly kind: ScalarKind
  readonly fallback: unknown
  /** Whether it is a list of elements separated by commas. */
  readonly isList: boolean
}

/** One element of a list, as HTTP libraries write it. */
const ELEMENT = /^([^[\]]+)\[\d{0,6}\]$/

export class QueryReader {
  readonly #fields: readonly Field[]
  readonly #path: readonly string[]

  /**
   * @param schema  scalars only
   * @param path    the names of the path's parameters, in their order
   */
  constructor(schema: TObject, path: readonly string[]) {
    this.#path = path
    this.#fields = Object.entries(schema.properties).map(([name, property]) => {
      const { type, enum: members, default: fallback } = property as Record<string, unknown>
      const kind = type ?? (Array.isArray(members) ? 'string' : undefined)
      if (kind !== 'string' && kind !== 'integer' && kind !== 'number' && kind !== 'boolean') {
        throw new TypeError(`query parameter ${name}: not a scalar`)
      }
      return { name, kind, fallback, isList: LIST in property }
    })
    for (const name of path) {
      if (!this.#fields.some((field) => field.name === name))
        throw new TypeError(`path parameter ${name}: no schema`)
    }
  }

  /**
   * The input, not validated yet. A list may be given in parts, as `name[]` or `name[0]`. Undeclared
   * parameters are ignored if they are well formed, unless one is a likely misspelling of a declared one that
   * is not given: ignoring it would silently use the default.
   *
   * @param query   without the question mark
   * @param values  raw values of the path's parameters
   * @throws 400    malformed percent-encoding or UTF-8, a parameter given twice, or a misspelled one
   */
  read(query: string, values: readonly string[]): Record<string, unknown> {
    const texts = new Map<string, string>()
    for (let i = 0; i < values.length; i++)
      texts.set(this.#path[i]!, decoded(values[i]!, 'malformed_path', 'path'))
    if (query !== '') this.#readPairs(query, texts)

    const input: Record<string, unknown> = {}
    for (const { name, kind, fallback } of this.#fields) {
      const text = texts.get(name)
      const value = text === undefined ? fallback : coerce(text, kind)
      if (value !== undefined) input[name] = value
    }
    return input
  }

  #readPairs(query: string, texts: Map<string, string>): void {
    let undeclared: string[] | null = null
    for (let start = 0; start <= query.length; ) {
      const ampersand = query.indexOf('&', start)
      const end = ampersand === -1 ? query.length : ampersand
      const equals = query.indexOf('=', start)
      const split = equals === -1 || equals > end ? end : equals
      const given = decode(query.slice(start, split))
      const text = decode(query.slice(split + 1, end))
      const element = given.endsWith(']') ? ELEMENT.exec(given) : null
      const name = element?.[1] ?? given
      const field = this.#fields.find((field) => field.name === name)
      if (field === undefined || (element !== null && !field.isList)) {
        undeclared ??= []
        undeclared.push(given)
      } else if (!texts.has(name)) texts.set(name, text)
      else if (element !== null) texts.set(name, `${texts.get(name)},${text}`)
      else {
        throw new GatewayError('malformed_query', `\`${name}\` is given more than once; give it once.`, {
          field: name,
        })
      }
      start = end + 1
    }
    if (undeclared !== null) this.#refuseMisspelled(undeclared, texts)
  }

  #refuseMisspelled(undeclared: readonly string[], texts: ReadonlyMap<string, string>): void {
    const missing = this.#fields.map(({ name }) => name).filter((name) => !texts.has(name))
    for (const name of undeclared.slice(0, MAX_UNDECLARED)) {
      const [plain] = name.split('[', 1)
      const meant = IDENTIFIER.test(plain!) ? nearest(plain!, missing) : null
      if (meant === null) continue
      const message = `\`${name}\` is not a parameter here; did you mean \`${meant}\`?`
      throw invalidParameter(meant, message)
    }
  }
}

function coerce(text: string, kind: ScalarKind): unknown {
  if (kind === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  if (kind === 'number') return coerceNumber(text)
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}

/** As JSON writes numbers, and also `.5`, `5.` and leading zeros. Not a number that would become infinity. */
function coerceNumber(text: string): unknown {
  if (!/^-?(\d{1,15}(\.\d{0,20})?|\.\d{1,20})([eE][+-]?\d{1,3})?$/.test(text)) return text
  const value = Number(text)
  return Number.isFinite(value) ? value : text
}

const decode = (text: string): string =>
  decoded(text.includes('+') ? text.replaceAll('+', ' ') : text, 'malformed_query', 'query string')

function decoded(text: string, code: 'malformed_query' | 'malformed_path', what: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new GatewayError(code, `The ${what} must be UTF-8 in valid percent-encoding.`)
  }
}
