/**
 * An auction for scarce room, slot by slot: the highest bids win. There is one for a leader's block, by the price of a
 * compute unit, and one for a service's path to the leaders, by the tip. Rivals aren't simulated one by one: they are the
 * least bid that succeeds.
 *
 *   slot   100  101  102  103  104        demand 400: full
 *   least  100  200  300  400  100        in turns
 */
import { MAX_LAG } from './slots.ts'

/** After this many slots the bids repeat. */
const TURNS = 4

export class Auction {
  readonly #room: number
  /** The oldest first. */
  readonly #demands: { readonly slot: number; readonly bid: number }[] = []
  /** The newest slot that took a bid, and how many. */
  #slot = -1
  #taken = 0

  /** @param room  how many bids a slot takes while there is demand */
  constructor(room: number) {
    this.#room = room
  }

  /**
   * From this slot on, the least successful bid cycles from a quarter of `bid` up to all of it; 0: there is
   * room for all.
   */
  setDemand(slot: number, bid: number): void {
    this.#demands.push({ slot, bid })
    while (this.#demands.length > 1 && this.#demands[1]!.slot < slot - MAX_LAG) this.#demands.shift()
  }

  /** The least that got in. */
  least(slot: number): number {
    return Math.ceil((this.#demandAt(slot) * (1 + (slot % TURNS))) / TURNS)
  }

  /** Whether a bid succeeds, which uses up room: the highest have to be offered first. */
  takes(slot: number, bid: number): boolean {
    if (this.#demandAt(slot) === 0) return true
    if (slot !== this.#slot) this.#taken = 0
    this.#slot = slot
    if (bid < this.least(slot) || this.#taken === this.#room) return false
    this.#taken++
    return true
  }

  #demandAt(slot: number): number {
    return this.#demands.findLast((demand) => demand.slot <= slot)?.bid ?? 0
  }
}
