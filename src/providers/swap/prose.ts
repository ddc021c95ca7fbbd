/**
 * Reads refusals of a provider that writes sentences instead of codes: swap.coffee's `{"error":"…"}`. It doesn't
 * publish them, so only a few topics are recognized; any other refusal is passed through as a status (§7).
 *
 * Source: docs.swap.coffee
 */
import { type Code, GatewayError } from '../../runtime/errors.ts'
import type { UpstreamRequest } from '../../upstream/request.ts'
import { throwIf } from '../refusals.ts'

/** A longer body is not taken for a refusal. */
const MAX_BYTES = 4_096
/** How much of a sentence is looked at. */
const MAX_CHARACTERS = 512

const AMOUNT = '(amount|units|input|size)'

// The first match counts: a sentence about an amount often names a route, and one about a route a token.
const MEANINGS: Meanings = [
  [
    new RegExp(`${AMOUNT}.*(too (small|low)|below|less than|at least|minim)|insufficient ${AMOUNT}`, 'i'),
    'amount_too_small',
    'The amount is below what a route takes. Try a larger one.',
  ],
  [
    new RegExp(`${AMOUNT}.*(too (large|big|high|much)|above|exceed|greater than|at most|maxim)`, 'i'),
    'amount_too_large',
    'The amount is above what a route takes. Try a smaller one.',
  ],
  [
    /\bno\b.*\b(routes?|paths?|pools?)\b|\b(routes?|paths?|pools?)\b.*\bnot\b.*\bfound\b|liquidity/i,
    'no_route',
    'No route was found for this pair and amount. Try another amount or token.',
  ],
  [
    /\b(tokens?|jettons?|assets?|coins?|coin ?type|address)\b.*(unknown|unsupported|invalid|not\b.*(found|exist|support|valid|list))|(unknown|unsupported|invalid|no such) (tokens?|jettons?|assets?|coins?)/i,
    'unknown_token',
    'The provider does not know one of the two tokens. Check the address.',
  ],
]

/** What a provider's sentences mean; the first pattern that matches counts. */
export type Meanings = readonly (readonly [RegExp, Code, string])[]

/**
 * Looks at the beginning of the text only: the patterns backtrack, and a provider
 * may send a long text.
 * @returns null when the refusal is about something else
 */
export function meaningOf(text: string, meanings: Meanings, provider: string): GatewayError | null {
  const beginning = text.slice(0, MAX_CHARACTERS)
  const meaning = meanings.find(([pattern]) => pattern.test(beginning))
  return meaning === undefined ? null : new GatewayError(meaning[1], meaning[2], { provider })
}

/** @returns null when the refusal is about something else */
export function refusalIn(body: Buffer, provider: string): GatewayError | null {
  return body.length > MAX_BYTES ? null : meaningOf(body.toString(), MEANINGS, provider)
}

/**
 * The reader for a provider that refuses in sentences.
 * @param read  reads the body of a 200; null if it is not an answer to the request
 */
export function proseReader<Value>(
  provider: string,
  read: (body: Buffer) => Value | null,
): UpstreamRequest<Value>['read'] {
  return (status, body) => (status === 200 ? read(body) : throwIf(refusalIn(body, provider)))
}
