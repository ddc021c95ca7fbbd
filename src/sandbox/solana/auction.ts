/**
 * What there is little room for, slot by slot: it goes to who bids most. A leader's block is one, by the price of a
 * compute unit; a service's way to the leaders another, by the tip. Rivals are not played one by one: they are the least
 * bid that gets in.
 *
 *   slot   100  101  102  103  104        demand 400: full
 *   least  100  200  300  400  100        in turns
 */
import { MAX_LAG } from './slots.ts'

/** In so many slots bids are the same again. */
const TURNS = 4

export class Auction {
  readonly #room: number
  /** The oldest first. */
  readonly #demands: { readonly slot: number; readonly bid: number }[] = []
  /** The newest slot that anything was taken in, and how much. */
  #slot = -1
  #taken = 0

  /** @param room  how many are taken in one slot while there is a demand */
  constructor(room: number) {
    this.#room = room
  }

  /** From this slot on the least that gets in is from a quarter of a bid up to all of it, in turns; 0 for room for all. */
  setDemand(slot: number, bid: number): void {
    this.#demands.push({ slot, bid })
    while (this.#demands.length > 1 && this.#demands[1]!.slot < slot - MAX_LAG) this.#demands.shift()
  }

  /** The least that got in. */
  least(slot: number): number {
    return Math.ceil((this.#demandAt(slot) * (1 + (slot % TURNS))) / TURNS)
  }

  /** Whether a bid gets in, which takes up its room: the highest have to be offered first. */
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
