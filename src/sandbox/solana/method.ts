/**
 * The definition of a JSON-RPC method of the sandbox's node: its number of parameters
 * and its answer.
 *
 * Source: anza-xyz/agave rpc/src/rpc.rs
 */

import type { Json, JsonObject } from './ledger/json.ts'
import type { Node } from './node.ts'
import type { CommitmentView } from './view.ts'

/** The release whose runtime LiteSVM 1.5.0 is built from. */
export const AGAVE_VERSION = '4.3.0'

export interface Method {
  readonly minParams: number
  readonly maxParams: number
  /** @throws RpcError */
  answer(node: Node, params: readonly unknown[]): Json
}

export const method = (minParams: number, maxParams: number, answer: Method['answer']): Method => ({
  minParams,
  maxParams,
  answer,
})

/** The result of methods that report the slot they read. */
export const withContext = ({ slot }: Pick<CommitmentView, 'slot'>, value: Json): JsonObject => ({
  context: { slot, apiVersion: AGAVE_VERSION },
  value,
})
