/** What the resources of spec §2 share; each is a schema, from which validation, types and the document follow. */
import { type TSchema, type TSchemaOptions, Type } from 'typebox'

/** Extra properties are allowed (§2), and responses have some. */
export const OPEN = { additionalProperties: true } as const

export const Uri = Type.String({ format: 'uri' })

export const nullable = <T extends TSchema>(schema: T, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)

/** Beyond the specification: it may change. */
export const UNVERIFIED = { 'x-stability': 'unverified' } as const

export const NullableNumber = (description: string) => Type.Union([Type.Number({ description }), Type.Null()])

export const NullableTime = Type.Union([Type.Integer({ description: 'ms epoch' }), Type.Null()])

export const FreeForm = Type.Object({}, { description: 'free-form' })

export const NullableObject = (description: string) =>
  Type.Union([Type.Object({}, { description }), Type.Null()])
