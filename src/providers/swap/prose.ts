/**
 * What a provider means that refuses in prose instead of codes: swap.coffee's
 * `{"error":"…"}`, the text bodies of STON.fi and Aftermath. None of them
 * publishes its sentences, so only what they must be about is looked for; a
 * sentence that says none of it is passed through as a status (§7).
 *
 * Source: docs.swap.coffee · github.com/ston-fi/api · github.com/AftermathFinance/aftermath-ts-sdk
 */
import { type Code, GatewayError } from '../../runtime/errors.ts'
import type { UpstreamRequest } from '../../upstream/call.ts'

/** A longer body is no refusal. */
const MAX_BYTES = 4_096
/** By then a sentence has said what it is about. */
const MAX_CHARACTERS = 512

const AMOUNT = '(amount|units|input|size)'

// The first that matches counts: an amount is named more exactly than a route, and a route than a token.
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

/** What a provider's sentences mean; of several patterns that match the first counts. */
export type Meanings = readonly (readonly [RegExp, Code, string])[]

/**
 * Looked for in the beginning of the text only: these patterns go over it again
 * for each word that they look for, and whoever writes it may write a lot.
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
 * The reader of a provider that refuses in prose.
 * @param read  of a 200; null is no answer to the question
 */
export function proseReader<Value>(
  provider: string,
  read: (body: Buffer) => Value | null,
): UpstreamRequest<Value>['read'] {
  return (status, body) => {
    if (status === 200) return read(body)
    const refusal = refusalIn(body, provider)
    if (refusal !== null) throw refusal
    return null
  }
}
