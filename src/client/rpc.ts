/** The bounded Solana JSON-RPC relay, `POST /api/solrpc`. */
import { type RpcError, SwapgateError } from './errors.ts'
import { parseExact } from './json.ts'
import type { CallOptions } from './options.ts'
import type { Answer, Transport } from './transport.ts'

/** What is relayed where the operator changes nothing; EXTRA_RPC_METHODS lets others through. */
export type RpcMethod =
  | 'getBalance'
  | 'getTokenAccountsByOwner'
  | 'getLatestBlockhash'
  | 'getSignatureStatuses'
  | 'getAccountInfo'
  | 'getMultipleAccounts'
  | 'getTokenAccountBalance'
  | 'sendTransaction'
  | 'sendTransactions'
  | 'simulateTransaction'
  | 'getTransaction'
  | 'getBlockHeight'
  | 'getSlot'
  | 'getRecentPrioritizationFees'

export interface Rpc {
  /**
   * The `result` of a call. Integers beyond 2^53 are `bigint`s in it; all others are numbers.
   * @throws SwapgateError  `rpc_error` where the node answers with an error, which is then in `rpc`
   */
  rpc<Result = unknown>(
    method: RpcMethod | (string & {}),
    params?: readonly unknown[],
    options?: CallOptions,
  ): Promise<Result>
  /** The whole response as it came, byte for byte, also where it is an error of the node. */
  rpcText(
    method: RpcMethod | (string & {}),
    params?: readonly unknown[],
    options?: CallOptions,
  ): Promise<string>
}

export function createRpc(transport: Transport): Rpc {
  let lastId = 0
  const send = (
    method: string,
    params: readonly unknown[] = [],
    options: CallOptions = {},
  ): Promise<Answer> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params })
    const request = { operation: 'rpc', method: 'POST', target: '/api/solrpc', body } as const
    return transport.call({ ...request, budgetKey: `rpc ${method}` }, options)
  }
  return {
    async rpc<Result>(method: string, params?: readonly unknown[], options?: CallOptions) {
      const { text, status, requestId } = await send(method, params, options)
      const { result, error } = parseExact(text) as { result?: Result; error?: RpcError }
      if (error === undefined || error === null) return result as Result
      throw new SwapgateError('rpc_error', error.message, { status, requestId, rpc: error })
    },
    async rpcText(method, params, options) {
      return (await send(method, params, options)).text
    },
  }
}
