/**
 * Reads the optional members of a provider's answer one by one: a member that is
 * missing or has an unexpected type is unknown, without affecting the others.
 */
import { Type } from 'typebox'
import type { Fields } from '../../chains/json/fields.ts'
import * as clean from './clean.ts'

/** A JSON object with any members. */
export const AnyObject = Type.Record(Type.String(), Type.Unknown())

const MAX_TEXT_LENGTH = 200

/** @returns the members that are not null */
export function knownOf<T extends object>(members: { readonly [Name in keyof T]: T[Name] | null }) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as Partial<T>
}

/** @returns the named members that are a text, a number or a boolean, cleaned */
export function keepFields(fields: Fields, names: readonly string[]): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const name of names) {
    const value = fields[name]
    const isText = typeof value === 'string'
    const read = isText
      ? clean.text(value, MAX_TEXT_LENGTH)
      : typeof value === 'boolean'
        ? value
        : clean.number(value)
    if (read !== null) kept[name] = read
  }
  return kept
}

const MAX_LINK_TYPE_LENGTH = 20

/** @returns those that have a type and a link to any host */
export function cleanLinks(links: readonly { readonly type: string; readonly url: unknown }[]) {
  return links.flatMap((link) => {
    const [type, url] = [clean.text(link.type, MAX_LINK_TYPE_LENGTH), clean.link(link.url)]
    return type === null || url === null ? [] : [{ type, url }]
  })
}

/** Reads a finding. @param yes, no  the values by which the source says so; any other is unknown */
export const findingIn =
  (yes: readonly unknown[], no: readonly unknown[]) =>
  (value: unknown): boolean | null =>
    yes.includes(value) ? true : no.includes(value) ? false : null
