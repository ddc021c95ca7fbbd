/**
 * What the resources of spec §2 share; each is a schema, from which validation, types and the document follow. The
 * longer descriptions are in texts.json, by file and member.
 */
import {
  type TNumberOptions,
  type TOptional,
  type TSchema,
  type TSchemaOptions,
  type TStringOptions,
  Type,
} from 'typebox'

/** Extra properties are allowed (§2), and responses have some. */
export const OPEN = { additionalProperties: true } as const

export const string = (description: string, more: TStringOptions = {}) =>
  Type.String({ description, ...more })

export const integer = (description: string, more: TNumberOptions = {}) =>
  Type.Integer({ description, ...more })

export const number = (description: string, more: TNumberOptions = {}) =>
  Type.Number({ description, ...more })

export const boolean = (description: string, more: TSchemaOptions = {}) =>
  Type.Boolean({ description, ...more })

/** What EVM chains write as `0x` and hex. */
export const hex = (description?: string) =>
  Type.String({ pattern: '^0x', ...(description !== undefined && { description }) })

export const Uri = Type.String({ format: 'uri' })

export const nullable = <T extends TSchema>(schema: T, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)

/** Beyond the specification: it may change. */
export const UNVERIFIED = { 'x-stability': 'unverified' } as const

export const NullableNumber = (description: string) => nullable(number(description))

export const Count = Type.Integer({ minimum: 0 })

export const NullableCount = (description: string) => nullable(Count, { description })

export const NullableTime = nullable(integer('ms epoch'))

export const FreeForm = Type.Object({}, { description: 'free-form' })

export const NullableObject = (description: string) => nullable(Type.Object({}, { description }))

const KINDS = {
  string,
  integer,
  strings: (description: string, more: TSchemaOptions) => Type.Array(Type.String(), { description, ...more }),
  stringOrNull: (description: string, more: TSchemaOptions) => nullable(string(description), more),
}
type Kind = keyof typeof KINDS
type Rows = Readonly<Record<string, { readonly [K in Kind]?: string }>>

/** Optional members, of a table that has the kind and the description of each by its name. */
export function optionals<const Table extends Rows>(table: Table, more: TSchemaOptions = {}) {
  const members = Object.entries(table).map(([name, row]) => {
    const [[kind, description]] = Object.entries(row) as [[Kind, string]]
    return [name, Type.Optional(KINDS[kind](description, more))]
  })
  return Object.fromEntries(members) as {
    [Name in keyof Table]: TOptional<ReturnType<(typeof KINDS)[keyof Table[Name] & Kind]>>
  }
}
