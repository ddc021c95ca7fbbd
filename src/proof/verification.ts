/**
 * What was proved of a piece of unsigned material before it was handed out.
 * It travels with the material, so that a wallet can show it.
 *
 * Source: design.md "Providers" · issue 3, "What must hold"
 */

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
