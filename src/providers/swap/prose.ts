/**
 * Reads refusals of a provider that writes sentences instead of codes: swap.coffee's `{"error":"…"}`. It doesn't
 * publish them, so only a few topics are recognized; any other refusal is passed through as a status (§7).
 *
 * Source: docs.swap.coffee
 */
import { type Code, GatewayError } from '../../runtime/errors.ts'
import type { UpstreamRequest } from '../../upstream/request.ts'
import { throwIf } from '../refusals.ts'
import rows from './prose-rows.json' with { type: 'json' }

const PATTERNS = new Map(
  Object.values(rows).flatMap((some) => some.map(({ pattern }) => [pattern, new RegExp(pattern, 'i')])),
)

/** A longer body is not taken for a refusal. */
const MAX_BYTES = 4_096
/** How much of a sentence is looked at. */
const MAX_CHARACTERS = 512

/**
 * What a provider's sentence means. The first row that matches counts: a sentence about an amount often names a route, and
 * one about a route a token. Looks at the beginning of the text only: the patterns backtrack, and a provider may send a
 * long text.
 * @param whose  the rows of prose-rows.json: `prose` are those of providers that publish none
 * @returns null when the refusal is about something else
 */
export function meaningOf(text: string, whose: keyof typeof rows, provider: string): GatewayError | null {
  const beginning = text.slice(0, MAX_CHARACTERS)
  const row = rows[whose].find(({ pattern }) => PATTERNS.get(pattern)!.test(beginning))
  return row === undefined ? null : new GatewayError(row.code as Code, row.message, { provider })
}

/**
 * The reader for a provider that refuses in sentences.
 * @param read  reads the body of a 200; null if it is not an answer to the request
 */
export function proseReader<Value>(
  provider: string,
  read: (body: Buffer) => Value | null,
): UpstreamRequest<Value>['read'] {
  return (status, body) => {
    if (status === 200) return read(body)
    return body.length > MAX_BYTES ? null : throwIf(meaningOf(body.toString(), 'prose', provider))
  }
}
