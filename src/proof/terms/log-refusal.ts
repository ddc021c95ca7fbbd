import type { Logger } from 'pino'
import { GatewayError } from '../../runtime/errors.ts'

/**
 * Logs refused material: the client learns only the rule, and the operator needs to see what the provider
 * built.
 * @param error     logged only if it is a refusal of material
 * @param asked     the order; JSON values only
 * @param material  what the provider built
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
