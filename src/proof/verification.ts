/**
 * What was proved of a piece of unsigned material before it was handed out.
 * It travels with the material, so that a wallet can show it.
 */

import type { Logger } from 'pino'
import { GatewayError } from '../errors.ts'

/** JSON values only; amounts are decimal strings. */
export interface Verification {
  /** The rules that held, by the names that a refusal's `rule` would have had. */
  readonly checks: readonly string[]
  readonly [fact: string]: unknown
}

/** @param rule  stable, snake_case: which promise the material breaks */
export function refuseMaterial(rule: string): GatewayError {
  const message =
    'The provider built something else than what was asked for, so it is not handed out. Ask for a new quote.'
  return new GatewayError('material_refused', message, { rule })
}

/**
 * Leaves refused material in the log: the caller learns no more than the rule,
 * and whoever runs the service wants to see what the provider built.
 * @param asked  what was ordered; JSON values only
 */
export function logRefusal(
  log: Logger,
  error: unknown,
  provider: string,
  asked: object,
  material: unknown,
): void {
  if (!(error instanceof GatewayError) || error.code !== 'material_refused') return
  log.warn({ provider, rule: error.fields.rule, asked, material }, 'material refused')
}
