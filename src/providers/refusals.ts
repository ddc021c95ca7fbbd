/**
 * What providers' refusals mean: the rows of refusal-rows.json, by the providers' own codes, and by a name for what no code
 * of theirs says.
 */
import { type Code, GatewayError } from '../runtime/errors.ts'
import { RequestFailed } from '../upstream/request.ts'
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

/** For the reader of an answer. @returns null for no refusal: the answer's status is passed through. @throws it */
export function throwIf(refusal: GatewayError | null): null {
  if (refusal !== null) throw refusal
  return null
}

/**
 * The failure of a provider to build what it priced a moment ago: its own fault, and often a passing one.
 * @param name  as in sentences
 */
export function notBuilt(provider: string, name: string, upstreamStatus: number): RequestFailed {
  const message = `${name} could not build this swap. Ask for a new quote.`
  const fields = { provider, scope: 'provider', upstreamStatus } as const
  return new RequestFailed(new GatewayError('upstream_failed', message, fields))
}
