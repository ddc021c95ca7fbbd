/**
 * A lab of how transactions get into blocks: leaders, and the lanes to them. Nothing is executed; time is that of a
 * clock which is handed in, and each chance follows from a seed, so that a run can be made again.
 *
 *   node     ── lost? ──────────────────────────┬── leader, and the next one ── block, by price
 *   service  ── by tip, slot by slot ── lost? ──┘
 *
 * The schedule has turns of four slots. Some turns have no block. A leader keeps what it got until its turn is over.
 */
import type { Clock } from '../src/runtime/clock.ts'
import { draw } from '../src/sandbox/draw.ts'
import { Auction } from '../src/sandbox/solana/ledger/auction.ts'
import { MAX_BLOCKHASH_AGE, SLOT_MS } from '../src/sandbox/solana/ledger/slots.ts'

/** NUM_CONSECUTIVE_LEADER_SLOTS */
const LEADER_SLOTS = 4
/** For so many slots demand and weather stay as they are. */
const PERIOD_SLOTS = 25
/** What a node sends again by itself goes out so much later. Source: agave's send-transaction-service, retry_rate_ms */
const NODE_AGAIN_MS = 2_000
/** Transactions of the lab that get into one block while it is full. */
const BLOCK_ROOM = 20
/** Transactions of the lab that a service forwards in a slot. */
const SERVICE_ROOM = 5

/** A way to the leaders. */
export interface LabLane {
  readonly name: string
  /** The part of what it forwards that does not reach a leader, in fair weather and in a storm. */
  readonly loss: number
  readonly stormLoss: number
  readonly delayMs: number
  /**
   * Lamports: what a service asks for, and the highest of the least tips that it forwards, where others bid. Null for a
   * node, which forwards everything.
   */
  readonly tip: { readonly floor: number; readonly most: number } | null
}

export interface LabMarket {
  readonly name: string
  /** The highest of the least prices that get into a block, micro-lamports per unit; 0 for room for all. */
  readonly price: number
  /** The part of turns without a block. */
  readonly skipped: number
  /** The part of time in which it storms. */
  readonly storms: number
  readonly lanes: readonly LabLane[]
}

/** What a lane is handed. */
export interface LabCopy {
  readonly signature: string
  /** Micro-lamports per unit. */
  readonly price: number
  /** What it pays to this lane, lamports. */
  readonly tip: number
  /** How often a node sends it again by itself. */
  readonly retries: number
}

interface LabOptions {
  readonly market: LabMarket
  readonly seed: number
  readonly clock: Clock
}

/** A lane with what it holds until the slot is over. */
interface OpenLane extends LabLane {
  readonly auction: Auction
  readonly held: LabCopy[]
}

export class LandingLab {
  readonly #market: LabMarket
  readonly #seed: number
  readonly #clock: Clock
  readonly #lanes: ReadonlyMap<string, OpenLane>
  readonly #blocks = new Auction(BLOCK_ROOM)
  /** What leaders have, by turn. */
  readonly #queues = new Map<number, LabCopy[]>()
  /** The slot of each transaction that landed. */
  readonly #landed = new Map<string, number>()
  /** Those that a node sends again by itself. */
  readonly #retried = new Set<string>()
  #slot = 0
  #chances = 0
  #isStormy = false
  #callOff: () => void

  constructor({ market, seed, clock }: LabOptions) {
    this.#market = market
    this.#seed = seed
    this.#clock = clock
    this.#lanes = new Map(
      market.lanes.map((lane) => [lane.name, { ...lane, auction: new Auction(SERVICE_ROOM), held: [] }]),
    )
    this.#change()
    this.#callOff = clock.after(SLOT_MS, () => this.#endSlot())
  }

  get slot(): number {
    return this.#slot
  }

  /** The slot of its block; null if there is none. */
  landed(signature: string): number | null {
    return this.#landed.get(signature) ?? null
  }

  /** The least price of each slot that nodes remember, the oldest first. */
  leastPrices(): { readonly slot: number; readonly price: number }[] {
    const oldest = Math.max(0, this.#slot - MAX_BLOCKHASH_AGE + 1)
    return Array.from({ length: this.#slot - oldest + 1 }, (_, i) => {
      return { slot: oldest + i, price: this.#blocks.least(oldest + i) }
    })
  }

  /** @throws TypeError  where the market has no such lane */
  send(name: string, copy: LabCopy): void {
    const lane = this.#lanes.get(name)
    if (lane === undefined) throw new TypeError(`The market ${this.#market.name} has no lane ${name}.`)
    this.#clock.after(lane.delayMs, () => {
      if (lane.tip === null) this.#forward(lane, copy)
      else lane.held.push(copy)
    })
    const again = `${name} ${copy.signature}`
    if (lane.tip !== null || this.#retried.has(again)) return
    this.#retried.add(again)
    this.#sendAgain(lane, copy, copy.retries)
  }

  /** No slot follows. */
  close(): void {
    this.#callOff()
  }

  #sendAgain(lane: OpenLane, copy: LabCopy, left: number): void {
    if (left === 0) return
    this.#clock.after(NODE_AGAIN_MS, () => {
      if (this.#landed.has(copy.signature)) return
      this.#forward(lane, copy)
      this.#sendAgain(lane, copy, left - 1)
    })
  }

  /** To the leader of this turn and to the next. */
  #forward(lane: LabLane, copy: LabCopy): void {
    const turn = Math.floor(this.#slot / LEADER_SLOTS)
    const loss = this.#isStormy ? lane.stormLoss : lane.loss
    for (const to of [turn, turn + 1]) {
      if (this.#draw(lane.name, this.#chances++) < loss) continue
      const queue = this.#queues.get(to)
      if (queue === undefined) this.#queues.set(to, [copy])
      else queue.push(copy)
    }
  }

  /** Closes the block, and begins the next slot, for which services forward what they hold. */
  #endSlot(): void {
    const turn = Math.floor(this.#slot / LEADER_SLOTS)
    const isSkipped = this.#draw('skipped', turn) < this.#market.skipped
    if (!isSkipped) {
      const queue = (this.#queues.get(turn) ?? []).sort((a, b) => b.price - a.price)
      for (const { signature, price } of queue) {
        if (this.#landed.has(signature)) continue
        if (this.#blocks.takes(this.#slot, price)) this.#landed.set(signature, this.#slot)
      }
    }
    this.#slot++
    if (this.#slot % LEADER_SLOTS === 0) this.#queues.delete(turn)
    if (this.#slot % PERIOD_SLOTS === 0) this.#change()
    for (const lane of this.#lanes.values()) {
      for (const copy of lane.held.splice(0).sort((a, b) => b.tip - a.tip)) {
        if (copy.tip < lane.tip!.floor) continue
        if (lane.auction.takes(this.#slot, copy.tip)) this.#forward(lane, copy)
      }
    }
    this.#callOff = this.#clock.after(SLOT_MS, () => this.#endSlot())
  }

  #draw(what: string, step: number): number {
    return draw(`${this.#seed} ${what} ${step}`)
  }

  get #period(): number {
    return Math.floor(this.#slot / PERIOD_SLOTS)
  }

  /** Others bid from half of what the market has up to all of it, and all of it in a storm. */
  #change(): void {
    this.#isStormy = this.#draw('storm', this.#period) < this.#market.storms
    const bidOf = (most: number, key: string): number =>
      Math.round(most * (this.#isStormy ? 1 : 0.5 + this.#draw(key, this.#period) / 2))
    this.#blocks.setDemand(this.#slot, bidOf(this.#market.price, 'price'))
    for (const { name, tip, auction } of this.#lanes.values()) {
      if (tip !== null) auction.setDemand(this.#slot, bidOf(tip.most, `tip ${name}`))
    }
  }
}
