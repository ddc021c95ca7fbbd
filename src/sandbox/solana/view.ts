/**
 * The state that a request reads: of which commitment, at which slot.
 *
 * Source: anza-xyz/agave rpc/src/rpc.rs (get_bank_with_config)
 */

import { isCommitment, type RpcConfig, RpcError, readCount } from './ledger/params.ts'
import type { Commitment } from './ledger/slots.ts'
import type { Node } from './node.ts'

/** What a read sees: its commitment and that commitment's slot. */
export interface CommitmentView {
  readonly commitment: Commitment
  readonly slot: number
}

/**
 * The view that `commitment` and `minContextSlot` ask for. A commitment that is
 * not one counts as absent, and absent means finalized (P2, P3).
 *
 * @throws -32016  when the view has not reached `minContextSlot` (P8)
 */
export function readView(node: Node, config: RpcConfig): CommitmentView {
  return viewAt(node, isCommitment(config.commitment) ? config.commitment : 'finalized', config)
}

/** @throws -32016 */
export function viewAt(node: Node, commitment: Commitment, config: RpcConfig): CommitmentView {
  const slot = node.slots.slot(commitment)
  const minimum = readCount(config, 'minContextSlot')
  if (minimum !== undefined && minimum > slot) {
    throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: slot })
  }
  return { commitment, slot }
}
