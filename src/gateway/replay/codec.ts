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

/** The objects that were written, with their numbers. */
export type Written = Map<object, number>

/** What a written value refers to outside itself. */
export interface WriteReferences {
  /** The name of an object that outlives requests, such as a provider; undefined for any other. */
  nameOf(object: object): string | undefined
  /** @returns the number under which the promise's result will be recorded */
  promised(promise: Promise<unknown>, written: Written): number
}

export interface ReadReferences {
  named(name: string): object | undefined
  promise(number: number, read: object[]): Promise<unknown>
}

type Inner = (one: unknown) => unknown

interface Kind {
  is(value: object): boolean
  write(value: object, inner: Inner): unknown
  read(json: unknown, inner: Inner): object
}

const kind = <T extends object, Json>(
  is: (value: object) => value is T,
  write: (value: T, inner: Inner) => Json,
  read: (json: Json, inner: Inner) => T,
) => ({ is, write, read }) as unknown as Kind

const of =
  <T extends object>(made: abstract new (...args: never[]) => T) =>
  (value: object): value is T =>
    value instanceof made

/** A class whose members are all that it has. */
const members = <T extends object>(made: { readonly prototype: T }) =>
  kind(
    (value): value is T => Object.getPrototypeOf(value) === made.prototype,
    (value, inner) => inner({ ...value }),
    (json, inner) => Object.assign(Object.create(made.prototype as object), inner(json)),
  )

const KINDS: Readonly<Record<string, Kind>> = {
  text: kind(
    (value): value is Buffer => Buffer.isBuffer(value) && isUtf8(value),
    (bytes) => bytes.toString(),
    (json) => Buffer.from(json),
  ),
  bytes: kind(
    of(Uint8Array),
    (bytes) => Buffer.from(bytes).toString('base64'),
    (json) => Buffer.from(json, 'base64') as Uint8Array<ArrayBuffer>,
  ),
  map: kind(
    of(Map),
    (map, inner) => inner([...map]),
    (json, inner) => new Map(inner(json) as [unknown, unknown][]),
  ),
  set: kind(
    of(Set),
    (set, inner) => inner([...set]),
    (json, inner) => new Set(inner(json) as unknown[]),
  ),
  scope: kind(
    of(CancellationScope),
    ({ isThrottled }) => isThrottled,
    (isThrottled) => {
      const scope = new CancellationScope()
      if (isThrottled) scope.markThrottled()
      return scope
    },
  ),
  refusal: kind(
    of(GatewayError),
    ({ code, message, fields, status }, inner) => inner([code, message, fields, status]),
    (json, inner) => new GatewayError(...(inner(json) as ConstructorParameters<typeof GatewayError>)),
  ),
  error: kind(
    of(Error),
    ({ message }) => message,
    (message) => new Error(message),
  ),
  // It goes on changing: this is what it is now.
  listed: kind(
    of(ListEntry),
    ({ state }, inner) => inner(state),
    (json, inner) => {
      const state = inner(json) as ListEntry['state']
      const entry = new ListEntry(state)
      entry.follow(state)
      return entry
    },
  ),
  pieces: members(Pieces),
  representation: members(Representation),
  sharedPieces: members(SharedPieces),
}

/** In the order in which they are tried. */
const TRIED = Object.entries(KINDS)

type Tagged = { readonly $: string; readonly v?: unknown }

const tagged = ($: string, v?: unknown): Tagged => ({ $, v })

const mapped = (object: object, inner: Inner): object =>
  Object.fromEntries(Object.entries(object).map(([key, member]) => [key, inner(member)]))

/** @throws Unwritable */
export function encode(value: unknown, written: Written, references: WriteReferences): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (value === undefined) return tagged('undefined')
  if (typeof value === 'number')
    return Number.isFinite(value) && !Object.is(value, -0) ? value : tagged('number', String(value))
  if (typeof value === 'bigint') return tagged('bigint', String(value))
  if (typeof value !== 'object') throw new Unwritable(`a ${typeof value}`)
  const name = references.nameOf(value)
  if (name !== undefined) return tagged('named', name)
  const known = written.get(value)
  if (known !== undefined) return tagged('same', known)
  written.set(value, written.size)
  const inner = (one: unknown): unknown => encode(one, written, references)
  if (Array.isArray(value)) return value.map(inner)
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null)
    return '$' in value ? tagged('object', mapped(value, inner)) : mapped(value, inner)
  if (value instanceof Promise) return tagged('promise', references.promised(value, written))
  const found = TRIED.find(([, { is }]) => is(value))
  if (found === undefined) throw new Unwritable(`a ${prototype.constructor.name}`)
  return tagged(found[0], found[1].write(value, inner))
}

/** @param read  the objects so far, by their numbers */
export function decode(json: unknown, read: object[], references: ReadReferences): unknown {
  const inner = (one: unknown): unknown => decode(one, read, references)
  if (json === null || typeof json !== 'object') return json
  const { $: name, v = null } = json as Tagged
  if (name === 'undefined') return undefined
  if (name === 'number') return Number(v)
  if (name === 'bigint') return BigInt(v as string)
  if (name === 'named') return references.named(v as string)
  if (name === 'same') return read[v as number]
  const at = read.push(json) - 1
  const made = Array.isArray(json)
    ? json.map(inner)
    : name === undefined
      ? mapped(json, inner)
      : name === 'object'
        ? mapped(v as object, inner)
        : name === 'promise'
          ? references.promise(v as number, read)
          : KINDS[name]!.read(v, inner)
  read[at] = made
  return made
}
