/**
 * Tracks the slot of each node, and orders the nodes by it: as the operator
 * prefers, but nodes known to have the slot that is asked for come first, and
 * nodes that have been behind for a while come last.
 *
 *   best  ──100──────104──────────────────109──   by more than maxSlotsBehind,
 *   node  ──88─(behind since here)─90─────92───   2 s later still: asked last
 *
 * A node at the end gets few reads, so its answers would not show when it has
 * caught up; nor would those of the others while the first one answers every
 * read. So all nodes are asked for their slot now and then, while there are
 * reads: see `due`.
 */
import type { Clock } from '../../runtime/clock.ts'
import type { Upstream } from '../upstream.ts'
import { type CommitmentLevel, PROCESSED } from './solana-slots.ts'

/** Slots that a node may be behind by default: four seconds. */
export const MAX_SLOTS_BEHIND = 10
/** How long a node must be behind to be asked last. */
const BEHIND_MS = 2_000
/** How often nodes are asked for their slot, while there are reads. */
const LOOK_MS = 2_000

/** Answers within one slot's time are compared, in any order. */
const TOGETHER_MS = 400

/** The slots of a node's last answers. */
interface NodeProgress {
  /** Slots, by level; 0 for none. */
  readonly slots: [number, number, number]
  /** When they were answered. */
  readonly seenAt: [number, number, number]
  behindSince: number | null
  isBehind: boolean
}

export class Freshness {
  readonly #nodes: readonly Upstream[]
  readonly #progress: ReadonlyMap<Upstream, NodeProgress>
  readonly #clock: Clock
  readonly #maxSlotsBehind: number
  #lookedAt: number

  /** @param nodes  in order of preference */
  constructor(nodes: readonly Upstream[], clock: Clock, maxSlotsBehind: number) {
    this.#nodes = nodes
    this.#clock = clock
    this.#maxSlotsBehind = maxSlotsBehind
    this.#lookedAt = clock.now()
    this.#progress = new Map(nodes.map((node) => [node, unseen()]))
  }

  /** Records that a node answered as of this slot. */
  saw(node: Upstream, level: CommitmentLevel, slot: number): void {
    const now = this.#clock.now()
    const progress = this.#progress.get(node)!
    progress.slots[level] = slot
    progress.seenAt[level] = now
    const best = this.#best(level)
    const together = [...this.#progress.values()].filter((view) => now - view.seenAt[level] <= TOGETHER_MS)
    for (const view of together) {
      if (best - view.slots[level] > this.#maxSlotsBehind) {
        view.behindSince ??= now
        view.isBehind ||= now - view.behindSince >= BEHIND_MS
      } else if (together.length > 1) {
        // A single answer would be compared with what the best node had a while ago.
        view.behindSince = null
        view.isBehind = false
      }
    }
  }

  isBehind(node: Upstream): boolean {
    return this.#progress.get(node)!.isBehind
  }

  /**
   * The nodes in the order in which to ask them.
   * @param slot    the slot that the answer must have reached at this level; 0 for any
   * @param isLast  more nodes to ask last
   */
  order(level: CommitmentLevel, slot: number, isLast: (node: Upstream) => boolean): readonly Upstream[] {
    const ranks = this.#nodes.map((node) =>
      this.isBehind(node) || isLast(node) ? 2 : slot > 0 && !this.#has(node, level, slot) ? 1 : 0,
    )
    if (ranks.every((rank) => rank === ranks[0])) return this.#nodes
    return [0, 1, 2].flatMap((rank) => this.#nodes.filter((_, i) => ranks[i] === rank))
  }

  /** The nodes to ask for their slot now. */
  due(): readonly Upstream[] {
    const now = this.#clock.now()
    if (this.#nodes.length === 1 || now - this.#lookedAt < LOOK_MS) return []
    this.#lookedAt = now
    return this.#nodes.filter((node) => now - this.#progress.get(node)!.seenAt[PROCESSED] >= LOOK_MS)
  }

  /** A node that has finalized a slot has confirmed it, and one that has confirmed it has processed it. */
  #has(node: Upstream, level: CommitmentLevel, slot: number): boolean {
    return this.#progress.get(node)!.slots.some((reached, at) => at >= level && reached >= slot)
  }

  #best(level: CommitmentLevel): number {
    let best = 0
    for (const [node, { slots }] of this.#progress) if (!node.isBarred) best = Math.max(best, slots[level])
    return best
  }
}

function unseen(): NodeProgress {
  const never = Number.NEGATIVE_INFINITY
  return { slots: [0, 0, 0], seenAt: [never, never, never], behindSince: null, isBehind: false }
}
