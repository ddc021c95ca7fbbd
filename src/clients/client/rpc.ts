/** The bounded Solana JSON-RPC relay, `POST /api/solrpc`. */
import { type RpcError, SwapgateError } from './errors.ts'
import type { RpcMethod } from './generated/operations.ts'
import { parseExact } from './json.ts'
import type { CallOptions } from './options.ts'
import { parseAnswer } from './responses.ts'
import type { Transport } from './transport.ts'

type Method = RpcMethod | (string & {})

export interface Rpc {
  /**
   * The `result` of a call. Integers beyond 2^53 are `bigint`s; all others are numbers.
   * @throws SwapgateError  `rpc_error` if the node answers with an error, which is then in `rpc`
   */
  rpc<Result = unknown>(method: Method, params?: readonly unknown[], options?: CallOptions): Promise<Result>
  /** The whole response, byte for byte, even if it is the node's error. */
  rpcText(method: Method, params?: readonly unknown[], options?: CallOptions): Promise<string>
}

export function createRpc(transport: Transport): Rpc {
  let lastId = 0
  const send = (method: string, params: readonly unknown[] = [], options: CallOptions = {}) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params })
    const request = { operation: 'rpc', method: 'POST', target: '/api/solrpc', body } as const
    return transport.call({ ...request, budgetKey: `rpc ${method}` }, options)
  }
  return {
    async rpc<Result>(method: string, params?: readonly unknown[], options?: CallOptions) {
      const answer = await send(method, params, options)
      const { result, error } = parseAnswer(answer, parseExact) as { result?: Result; error?: RpcError }
      if (error == null) return result as Result
      const { status, requestId } = answer
      throw new SwapgateError('rpc_error', String(error.message), { status, requestId, rpc: error })
    },
    async rpcText(method, params, options) {
      return (await send(method, params, options)).text
    },
  }
}
