/**
 * The chain as one node sees it at one request: up to the slot that it has
 * reached, and with what its dial says is wrong with it.
 *
 * What a transaction would do is judged on the newest accounts, because the
 * virtual machine has no others; all that a node reads, and the blockhashes that
 * it knows, are of its own slot.
 *
 * Source: anza-xyz/agave rpc/src/rpc_health.rs, rpc-client-api/src/custom_error.rs
 */

import type { Fault } from '../dials.ts'
import type { Bank, Landed } from './bank.ts'
import { RpcError } from './params.ts'
import { Slots } from './slots.ts'
import type { ReadAccount } from './tokens.ts'
import type { Sent } from './transaction.ts'
import type { Account } from './vm.ts'

/** DELINQUENT_VALIDATOR_SLOT_DISTANCE: a node that is further behind calls itself unhealthy. */
const HEALTHY_SLOTS_BEHIND = 128

export class Node {
  readonly bank: Bank
  readonly slots: Slots
  readonly fault: Fault | null
  readonly #newest: number

  /** @param now  the time that the node lives in, Unix ms */
  constructor(bank: Bank, now: number, fault: Fault | null) {
    const newest = bank.clock.newestAt(now)
    this.bank = bank
    this.fault = fault
    this.slots = new Slots(bank.clock, () => newest)
    this.#newest = newest
  }

  readonly account: ReadAccount = (address) => this.bank.accountAt(address, this.#newest)

  accountsOf(program: Uint8Array): { address: Uint8Array; account: Account }[] {
    return this.bank.accountsAt(program, this.#newest)
  }

  /** A transaction that landed, and that the node knows of. */
  find(signature: string): Landed | undefined {
    const landed = this.bank.find(signature)
    return landed !== undefined && landed.slot <= this.#newest ? landed : undefined
  }

  /** Has it landed after this slot? Then it is good for whoever has seen no more of the chain. */
  landsAfter(slot: number, { signature, wire }: Sent): boolean {
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
