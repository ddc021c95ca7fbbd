/**
 * JSON-RPC's own error codes, and an error of the gateway in its form.
 *
 * Source: JSON-RPC 2.0 §5.1
 */
import type { GatewayError } from '../../runtime/errors.ts'

export const PARSE_ERROR = -32_700
export const INVALID_REQUEST = -32_600
export const METHOD_NOT_FOUND = -32_601
export const INVALID_PARAMS = -32_602
export const INTERNAL_ERROR = -32_603

/** @returns JSON text, with the Error body as `data` */
export function rpcErrorOf(rpcCode: number, { code, message, scope, fields }: GatewayError): string {
  return JSON.stringify({ code: rpcCode, message, data: { error: message, scope, code, ...fields } })
}
