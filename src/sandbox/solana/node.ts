/**
 * One node's view of the chain at one request: up to the slot that it has reached, and
 * with its fault.
 *
 * Simulations use the newest accounts, because the virtual machine has no others. All
 * reads, and the known blockhashes, are as of the slot that a commitment has at the node.
 *
 * Source: anza-xyz/agave rpc/src/rpc_health.rs, rpc-client-api/src/custom_error.rs
 */

import type { Fault } from '../dials.ts'
import type { Bank, Landed } from './ledger/bank.ts'
import { RpcError } from './ledger/params.ts'
import { NodeSlots } from './ledger/slots.ts'
import type { SubmittedTransaction } from './ledger/transaction.ts'

/** DELINQUENT_VALIDATOR_SLOT_DISTANCE: a node that is further behind calls itself unhealthy. */
const HEALTHY_SLOTS_BEHIND = 128

export class Node {
  readonly bank: Bank
  readonly slots: NodeSlots
  readonly fault: Fault | null
  readonly #newest: number

  /** @param now  the time that the node lives in, Unix ms */
  constructor(bank: Bank, now: number, fault: Fault | null) {
    const newest = bank.clock.newestAt(now)
    this.bank = bank
    this.fault = fault
    this.slots = new NodeSlots(bank.clock, () => newest)
    this.#newest = newest
  }

  /** A landed transaction that the node has seen. */
  find(signature: string): Landed | undefined {
    const landed = this.bank.find(signature)
    return landed !== undefined && landed.slot <= this.#newest ? landed : undefined
  }

  /** Whether it landed after this slot, and so is still valid for a node that has seen no more. */
  landsAfter(slot: number, { signature, wire }: SubmittedTransaction): boolean {
    const landed = this.bank.find(signature)
    if (landed === undefined || landed.slot <= slot) return false
    return Buffer.compare(landed.sent.wire.bytes, wire.bytes) === 0
  }

  isHealthy(): boolean {
    return this.#slotsBehind <= HEALTHY_SLOTS_BEHIND
  }

  /** @throws -32005 */
  checkHealth(): void {
    if (this.isHealthy()) return
    const numSlotsBehind = this.#slotsBehind
    throw new RpcError(-32005, `Node is behind by ${numSlotsBehind} slots`, { numSlotsBehind })
  }

  get #slotsBehind(): number {
    return this.bank.clock.newest - this.#newest
  }
}
