/**
 * Values as JSON, and back: what JSON has no form for is `{"$": kind, "v": ...}`. An object that occurs twice in a value
 * is one object again.
 */
import { isUtf8 } from 'node:buffer'
import { CancellationScope } from '../../flow/cancellation.ts'
import { Pieces } from '../../flow/pieces.ts'
import { Representation, SharedPieces } from '../../http/reply/representation.ts'
import { ListEntry } from '../../research/list/list-entry.ts'
import { GatewayError } from '../../runtime/errors.ts'

/** Thrown for a value that cannot be written. */
export class Unwritable extends Error {}

/** The objects of a value, in the order in which they occur. */
export class Objects {
  readonly numbers = new Map<object, number>()
  readonly list: object[] = []

  add<T extends object>(object: T): T {
    this.numbers.set(object, this.list.length)
    this.list.push(object)
    return object
  }
}

/** What a value refers to outside itself. */
export interface References {
  /** The name of an object that outlives requests, such as a provider; undefined for any other. */
  nameOf(object: object): string | undefined
  named(name: string): object | undefined
  /** @returns the number under which the promise's result will be recorded */
  promised(promise: Promise<unknown>, objects: Objects): number
  promise(number: number, objects: Objects): Promise<unknown>
}

/** Classes whose members are all that they have. */
const CLASSES: Readonly<Record<string, { readonly prototype: object }>> = {
  Pieces,
  Representation,
  SharedPieces,
}

/** What is read of a row of the token list, which goes on changing. */
const listed = (entry: ListEntry) => {
  const { chain, address, decimals, symbol, name, isListed, isChosen } = entry
  const { price, priceTs, liq, vol24, image, checkedTs } = entry
  return {
    chain,
    address,
    decimals,
    symbol,
    name,
    isListed,
    isChosen,
    price,
    priceTs,
    liq,
    vol24,
    image,
    checkedTs,
  }
}

type Tagged = { readonly $: string; readonly v?: unknown }
type Members = Record<string, unknown>

/** @throws Unwritable */
export function encode(value: unknown, objects: Objects, references: References): unknown {
  const inner = (one: unknown): unknown => encode(one, objects, references)
  const tagged = ($: string, v?: unknown): Tagged => ({ $, v })
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (value === undefined) return tagged('undefined')
  if (typeof value === 'number') {
    return Number.isFinite(value) && !Object.is(value, -0) ? value : tagged('number', String(value))
  }
  if (typeof value === 'bigint') return tagged('bigint', String(value))
  if (typeof value !== 'object') throw new Unwritable(`a ${typeof value}`)
  const name = references.nameOf(value)
  if (name !== undefined) return tagged('named', name)
  const known = objects.numbers.get(value)
  if (known !== undefined) return tagged('same', known)
  objects.add(value)
  if (Array.isArray(value)) return value.map(inner)
  if (Buffer.isBuffer(value)) {
    return isUtf8(value) ? tagged('text', value.toString()) : tagged('bytes', value.toString('base64'))
  }
  if (value instanceof Uint8Array) return tagged('octets', Buffer.from(value).toString('base64'))
  if (value instanceof Map)
    return tagged(
      'map',
      [...value].map((entry) => entry.map(inner)),
    )
  if (value instanceof Set) return tagged('set', [...value].map(inner))
  if (value instanceof Promise) return tagged('promise', references.promised(value, objects))
  if (value instanceof CancellationScope) return tagged('scope')
  if (value instanceof GatewayError) {
    const { code, message, fields, status } = value
    return tagged('refusal', [code, message, fields, status])
  }
  if (value instanceof Error) return tagged('error', value.message)
  const membersOf = (object: object) =>
    Object.fromEntries(Object.entries(object).map(([key, member]) => [key, inner(member)]))
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null)
    return '$' in value ? tagged('object', membersOf(value)) : membersOf(value)
  if (value instanceof ListEntry) return membersOf(listed(value))
  const found = Object.entries(CLASSES).find(([, one]) => one.prototype === prototype)
  if (found === undefined) throw new Unwritable(`a ${prototype.constructor.name}`)
  return tagged(found[0], membersOf(value))
}

export function decode(json: unknown, objects: Objects, references: References): unknown {
  const inner = (one: unknown): unknown => decode(one, objects, references)
  if (json === null || typeof json !== 'object') return json
  if (Array.isArray(json)) {
    const list: unknown[] = objects.add([])
    for (const one of json) list.push(inner(one))
    return list
  }
  const membersInto = (object: object, members: unknown): object => {
    for (const [key, member] of Object.entries(members as Members)) {
      Object.defineProperty(object, key, {
        value: inner(member),
        enumerable: true,
        writable: true,
        configurable: true,
      })
    }
    return object
  }
  if (!('$' in json)) return membersInto(objects.add({}), json)
  const { $: kind, v } = json as Tagged
  const text = v as string
  switch (kind) {
    case 'undefined':
      return undefined
    case 'number':
      return Number(text)
    case 'bigint':
      return BigInt(text)
    case 'named':
      return references.named(text)
    case 'same':
      return objects.list[v as number]
    case 'text':
      return objects.add(Buffer.from(text))
    case 'bytes':
      return objects.add(Buffer.from(text, 'base64'))
    case 'octets':
      return objects.add(Uint8Array.from(Buffer.from(text, 'base64')))
    case 'map': {
      const map = objects.add(new Map())
      for (const [key, member] of v as [unknown, unknown][]) map.set(inner(key), inner(member))
      return map
    }
    case 'set': {
      const set = objects.add(new Set())
      for (const member of v as unknown[]) set.add(inner(member))
      return set
    }
    case 'promise': {
      const at = objects.list.length
      objects.list.push({})
      const promise = references.promise(v as number, objects)
      objects.list[at] = promise
      return promise
    }
    case 'scope':
      return objects.add(new CancellationScope())
    case 'refusal':
      return objects.add(new GatewayError(...(v as ConstructorParameters<typeof GatewayError>)))
    case 'error':
      return objects.add(new Error(text))
    case 'object':
      return membersInto(objects.add({}), v)
    default:
      return membersInto(objects.add(Object.create(CLASSES[kind]!.prototype)), v)
  }
}
