/**
 * The headers of replies, as components of the document. None is required: a refused connection has no
 * request to name.
 *
 * Source: RFC 9110 §10.2.3 (Retry-After) · draft-ietf-httpapi-ratelimit-headers-10 · W3C Server Timing
 */
import headers from './reply-headers.json' with { type: 'json' }

export const HEADERS = headers

export type HeaderName = keyof typeof HEADERS

export function refersTo(names: readonly HeaderName[]): Record<string, { readonly $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
