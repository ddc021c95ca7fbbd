/** Error messages where the schema validator's would not help: a stock client sends what a node accepts. */
import { GatewayError } from '../../runtime/errors.ts'
import { MAX_ARRAY_CALLS, type RpcCompat } from '../../runtime/resources/solrpc.ts'
import { EXTRA_METHODS } from './methods.ts'

/**
 * @param refusal  the schema's
 * @returns the same, or a more helpful one
 */
export function refusalOfBody(compat: RpcCompat, refusal: GatewayError, body: unknown): GatewayError {
  const size = `1 to ${MAX_ARRAY_CALLS}`
  if (compat === 'node') {
    if (!Array.isArray(body)) return refusal
    const message = `An array holds ${size} calls; this one holds ${body.length}.`
    return new GatewayError('array_size_invalid', message)
  }
  if (Array.isArray(body)) {
    const message = `The body must be one call: arrays of calls are not taken. With RPC_COMPAT=node, an operator lets arrays of ${size} reads through.`
    return new GatewayError('array_not_allowed', message)
  }
  const { method, params } = (body ?? {}) as Readonly<Record<string, unknown>>
  if (refusal.fields.field === 'params' && (params ?? null) === null) {
    return more(
      refusal,
      'Send `"params": []`; with RPC_COMPAT=node, an operator lets calls without it through.',
    )
  }
  if (refusal.code === 'method_not_allowed' && EXTRA_METHODS.has(method as string)) {
    return more(refusal, 'An operator adds this method with RPC_COMPAT=node or EXTRA_RPC_METHODS.')
  }
  return refusal
}

const more = ({ code, message, fields }: GatewayError, sentence: string): GatewayError =>
  new GatewayError(code, `${message} ${sentence}`, fields)
