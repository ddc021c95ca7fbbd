/**
 * The headers of replies, as components of the document. None is required: a refused connection has no
 * request to name.
 *
 * Source: RFC 9110 §10.2.3 (Retry-After) · draft-ietf-httpapi-ratelimit-headers-10 · W3C Server Timing
 */

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

export const HEADERS = {
  'X-Request-Id': text(
    "The request's own id, where it is 1 to 128 visible ASCII characters, or else a new one; log lines carry it.",
    'kx2v81fw-1',
  ),
  'X-Error-Code': text(
    'The `code` of the error; the reason phrase of HTTP/1.1 has it, too.',
    'invalid_parameter',
  ),
  'Server-Timing': text('Where the time of the reply went, in milliseconds.', 'total;dur=12.4'),
  RateLimit: text(
    "What is left of the client's window of the budget, and the seconds to its end.",
    '"swap-client";r=59;t=42, "swap-global";r=1199;t=42',
  ),
  'RateLimit-Policy': text(
    'How many requests a window of the budget holds, and its seconds.',
    '"swap-client";q=60;w=60, "swap-global";q=1200;w=60',
  ),
  'Retry-After': {
    description: 'Seconds after which the same request may be answered.',
    schema: { type: 'integer', minimum: 0 },
    example: 42,
  },
} as const

export type HeaderName = keyof typeof HEADERS

export function refersTo(names: readonly HeaderName[]): Record<string, { readonly $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
