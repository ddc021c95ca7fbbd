/**
 * JSON as a Solana node writes it: u64 values are plain numbers, in full. They
 * are `bigint` here, which JSON.stringify refuses and `number` would round.
 *
 * Source: serde-rs/json, with which agave writes its answers
 */

export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject

/** A member that is `undefined` is left out. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** @returns the JSON text of `value`; a bigint becomes its digits */
export function toJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(toJson).join(',')}]`
  const members = Object.entries(value).filter((member): member is [string, Json] => member[1] !== undefined)
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${toJson(member)}`).join(',')}}`
}

/** Array.isArray does not narrow a union that holds a readonly array. */
function isList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value)
}
