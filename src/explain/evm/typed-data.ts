/** Reads EIP-712 typed data, and refuses what signers would not read alike. */

import { hexToBytes } from '@noble/hashes/utils.js'
import { isFields } from '../../chains/json/fields.ts'
import { canonical } from './context.ts'

interface Field {
  readonly name: string
  readonly type: string
}

/** Longer, deeper or wider typed data is not read. */
const MOST = { types: 64, fields: 512, name: 128, type: 256, depth: 10, values: 4_096 } as const

/** A field with a parsed type: the base, and the length of each array around it, null if it is open. */
interface ReadField extends Field {
  readonly base: string
  readonly lengths: readonly (number | null)[]
}

const STRUCT_NAME = /^[A-Za-z]\w*(?::\w+)?$/

const FIELD_NAME = /^[A-Za-z_$][\w$]*$/

/** A struct with this name would be read differently by some signers. */
const BASE_TYPE = /^(?:address|bool|string|bytes\d*|u?int\d*|function)$/

/** Typed data that all signers read alike: eth-sig-util 8 and 9, ethers 6 and viem (test/long/proof/signers.test.ts). */
export class TypedData {
  readonly primaryType: string
  /** As it was given; `signedDomain` returns the signed part. */
  readonly domain: Readonly<Record<string, unknown>>
  readonly #types = new Map<string, readonly ReadField[]>()
  readonly #message: unknown
  /** Members that no type has: they are not signed, and may say anything. */
  readonly extra: string[] = []
  /** Members that no signer looks at. */
  readonly unlisted: readonly string[]
  #left: number = MOST.values

  /** @throws RangeError  if it isn't typed data */
  constructor({ types, primaryType, domain, message, ...unlisted }: Readonly<Record<string, unknown>>) {
    if (!isFields(types)) raise('types')
    const named = Object.entries(types)
    if (named.length > MOST.types) raise(`more than ${MOST.types} types`)
    let left: number = MOST.fields
    for (const [name, fields] of named) {
      const isName = name.length <= MOST.name && STRUCT_NAME.test(name) && !BASE_TYPE.test(name)
      if (!isName || !Array.isArray(fields)) raise(`the type ${name.slice(0, 64)}`)
      if ((left -= fields.length) < 0) raise(`more than ${MOST.fields} members of types`)
      const read = fields.map((field) => fieldOf(field) ?? raise(`a member of the type ${name}`))
      if (new Set(read.map((field) => field.name)).size < read.length) raise(`the type ${name}, twice`)
      this.#types.set(name, read)
    }
    if (typeof primaryType !== 'string' || !this.#types.has(primaryType)) raise('primaryType')
    this.primaryType = primaryType
    if (domain !== undefined && !isFields(domain)) raise('domain')
    this.domain = domain ?? {}
    this.#message = message
    this.unlisted = Object.keys(unlisted)
  }

  /** The members of EIP712Domain; null if the types do not have it. */
  get domainFields(): readonly Field[] | null {
    return this.#types.get('EIP712Domain') ?? null
  }

  /** The type's text, with those that it refers to in their order. */
  encodeType(): string {
    const found = new Set<string>()
    const visit = (name: string): void => {
      const fields = this.#types.get(name)
      if (fields === undefined || found.has(name)) return
      found.add(name)
      for (const { base } of fields) visit(base)
    }
    visit(this.primaryType)
    found.delete(this.primaryType)
    const textOf = (name: string) =>
      `${name}(${this.#types
        .get(name)!
        .map(({ type, name: of }) => `${type} ${of}`)
        .join()})`
    return [this.primaryType, ...[...found].sort()].map(textOf).join('')
  }

  /** @throws RangeError  naming the value that not all signers read, or not alike */
  values(): Readonly<Record<string, unknown>> {
    return this.#struct(this.#message, this.primaryType, 0)
  }

  #value(value: unknown, field: ReadField, dimensions: number, depth: number): unknown {
    if (depth > MOST.depth || --this.#left < 0) raise('deeper or longer than is read')
    const { name, base, lengths } = field
    if (dimensions > 0) {
      const length = lengths[dimensions - 1]
      if (!Array.isArray(value) || (length !== null && value.length !== length)) raise(amiss(field))
      return value.map((one) => this.#value(one, field, dimensions - 1, depth + 1))
    }
    if (this.#types.has(base)) return this.#struct(value, base, depth, name)
    return atomOf(value, base) ?? raise(amiss(field))
  }

  #struct(value: unknown, type: string, depth: number, name = 'message'): Record<string, unknown> {
    if (!isFields(value)) raise(`${name} of the type ${type}`)
    const fields = this.#types.get(type)!
    const names = new Set(fields.map((field) => field.name))
    this.extra.push(...Object.keys(value).filter((one) => !names.has(one)))
    return Object.fromEntries(
      fields.map((field) => {
        const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined
        return [field.name, this.#value(given, field, field.lengths.length, depth + 1)]
      }),
    )
  }
}

const amiss = ({ name, type }: Field): string => `${name}: signers do not read it as ${type}, or not alike`

function raise(what: string): never {
  throw new RangeError(what)
}

/** @throws RangeError  naming a member that no field has */
function fieldOf(field: unknown): ReadField | null {
  if (!isFields(field)) return null
  const { name, type, ...others } = field
  for (const other of Object.keys(others)) raise(`${other.slice(0, 64)} in the types`)
  if (typeof name !== 'string' || name.length > MOST.name || !FIELD_NAME.test(name)) return null
  if (typeof type !== 'string' || type.length > MOST.type) return null
  const [, base, arrays] = /^([A-Za-z][\w:]*)((?:\[\d{0,6}\])*)$/.exec(type) ?? []
  if (base === undefined) return null
  const lengths = [...arrays!.matchAll(/\[(\d*)\]/g)].map(([, digits]) => (digits ? Number(digits) : null))
  return { name, type, base, lengths }
}

/** @returns null for a value that signers refuse, or do not all read as the same */
export function atomOf(value: unknown, type: string): unknown {
  if (type === 'address') return typeof value === 'string' ? canonical(value) : null
  // Some signers sign the text "false" as true.
  if (type === 'bool') return typeof value === 'boolean' ? value : value === 'true' || null
  if (type === 'string') return typeof value === 'string' && !/\p{Cs}/u.test(value) ? value : null
  const [, kind, digits] = /^(u?int|bytes)(\d{0,3})$/.exec(type) ?? []
  const width = Number(digits)
  if (kind === 'bytes') {
    const bytes = bytesOf(value)
    return digits === '' || (width >= 1 && width <= 32 && bytes?.length === width) ? bytes : null
  }
  if (kind === undefined || width < 8 || width > 256 || width % 8 !== 0) return null
  const number = intOf(value)
  if (number === null) return null
  const isHeld = kind === 'int' ? BigInt.asIntN(width, number) : BigInt.asUintN(width, number)
  return isHeld === number ? number : null
}

function bytesOf(value: unknown): Uint8Array | null {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value)) return null
  return hexToBytes(value.slice(2))
}

function intOf(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : null
  return typeof value === 'string' && /^(?:0|-?[1-9]\d{0,77}|0x[0-9a-fA-F]{1,64})$/.test(value)
    ? BigInt(value)
    : null
}
