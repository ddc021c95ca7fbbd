/**
 * What providers' refusals mean: the rows of refusal-rows.json, by the providers' own codes, and by a name for what no code
 * of theirs says.
 */
import { type Code, GatewayError } from '../runtime/errors.ts'
import rows from './refusal-rows.json' with { type: 'json' }

/** @returns null for a code that is not listed: it is about the gateway's request, or the provider's failure */
export function refusalOf(provider: keyof typeof rows, reason: string): GatewayError | null {
  const row = rows[provider].find(({ reasons }) => reasons.includes(reason))
  return row === undefined ? null : new GatewayError(row.code as Code, row.message, { provider })
}

/** The refusal of an amount that buys nothing. */
export function tooSmall(provider: string): GatewayError {
  const message = 'The amount buys less than one base unit. Try a larger one.'
  return new GatewayError('amount_too_small', message, { provider })
}
