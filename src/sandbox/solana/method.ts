/**
 * What every JSON-RPC method of the sandbox's node is: how many parameters it
 * takes, and what the node answers.
 *
 * Source: anza-xyz/agave rpc/src/rpc.rs
 */

import type { Json, JsonObject } from './json.ts'
import type { Node } from './node.ts'
import type { View } from './view.ts'

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

/** The result of the methods that say which slot they saw. */
export const withContext = ({ slot }: Pick<View, 'slot'>, value: Json): JsonObject => ({
  context: { slot, apiVersion: AGAVE_VERSION },
  value,
})
