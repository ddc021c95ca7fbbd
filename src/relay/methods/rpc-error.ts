/**
 * JSON-RPC's own error codes, and an error of the gateway in its form.
 *
 * Source: JSON-RPC 2.0 §5.1
 */
import type { GatewayError } from '../../runtime/errors.ts'

export const RPC_ERRORS = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
}

/** @returns JSON text, with the Error body as `data` */
export function rpcErrorOf(rpcCode: number, { code, message, scope, fields }: GatewayError): string {
  return JSON.stringify({ code: rpcCode, message, data: { error: message, scope, code, ...fields } })
}
