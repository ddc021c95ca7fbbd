/**
 * How far each node has come, and in which order they are asked: as the operator
 * prefers, but first those that are known to have the slot that is asked for,
 * and last those that have been behind for a while.
 *
 *   best  ──100──────104──────────────────109──   by more than maxSlotsBehind,
 *   node  ──88─(behind since here)─90─────92───   2 s later still: to the end
 *
 * A node that is at the end is asked little, so that what it is asked for
 * anyhow would not tell when it has caught up, nor how far the others are while
 * the first one answers all. Therefore all are asked for their slot now and
 * then, while there are reads: see `due`.
 */
import type { Clock } from '../../runtime/clock.ts'
import type { Upstream } from '../upstream.ts'
import { type Level, PROCESSED } from './solana-slots.ts'

/** Slots that a node may be behind, where nothing else is said: four seconds. */
export const MAX_SLOTS_BEHIND = 10
/** How long a node must be behind to be put at the end. */
const BEHIND_MS = 2_000
/** How often nodes are asked for their slot, while there are reads. */
const LOOK_MS = 2_000

/** Answers within one slot's time are compared, in whichever order they come. */
const TOGETHER_MS = 400

/** A node's last answers. */
interface View {
  /** Slots, by level; 0 for none. */
  readonly slots: [number, number, number]
  /** When they were told. */
  readonly toldAt: [number, number, number]
  behindSince: number | null
  isBehind: boolean
}

export class Freshness {
  readonly #nodes: readonly Upstream[]
  readonly #views: ReadonlyMap<Upstream, View>
  readonly #clock: Clock
  readonly #maxSlotsBehind: number
  #lookedAt: number

  /** @param nodes  in order of preference */
  constructor(nodes: readonly Upstream[], clock: Clock, maxSlotsBehind: number) {
    this.#nodes = nodes
    this.#clock = clock
    this.#maxSlotsBehind = maxSlotsBehind
    this.#lookedAt = clock.now()
    this.#views = new Map(nodes.map((node) => [node, unseen()]))
  }

  /** A node answered as of this slot. */
  saw(node: Upstream, level: Level, slot: number): void {
    const now = this.#clock.now()
    const told = this.#views.get(node)!
    told.slots[level] = slot
    told.toldAt[level] = now
    const best = this.#best(level)
    const together = [...this.#views.values()].filter((view) => now - view.toldAt[level] <= TOGETHER_MS)
    for (const view of together) {
      if (best - view.slots[level] > this.#maxSlotsBehind) {
        view.behindSince ??= now
        view.isBehind ||= now - view.behindSince >= BEHIND_MS
      } else if (together.length > 1) {
        // One answer alone may be compared with what the best had a while ago.
        view.behindSince = null
        view.isBehind = false
      }
    }
  }

  isBehind(node: Upstream): boolean {
    return this.#views.get(node)!.isBehind
  }

  /**
   * The nodes in the order in which they are to be asked.
   * @param slot    that the answer must have reached at this level; 0 for any
   * @param isLast  others that are asked last
   */
  order(level: Level, slot: number, isLast: (node: Upstream) => boolean): readonly Upstream[] {
    const ranks = this.#nodes.map((node) =>
      this.isBehind(node) || isLast(node) ? 2 : slot > 0 && !this.#has(node, level, slot) ? 1 : 0,
    )
    if (ranks.every((rank) => rank === ranks[0])) return this.#nodes
    return [0, 1, 2].flatMap((rank) => this.#nodes.filter((_, i) => ranks[i] === rank))
  }

  /** Those that are to be asked for their slot now. */
  due(): readonly Upstream[] {
    const now = this.#clock.now()
    if (this.#nodes.length === 1 || now - this.#lookedAt < LOOK_MS) return []
    this.#lookedAt = now
    return this.#nodes.filter((node) => now - this.#views.get(node)!.toldAt[PROCESSED] >= LOOK_MS)
  }

  /** What is confirmed was processed, and what is finalized was confirmed. */
  #has(node: Upstream, level: Level, slot: number): boolean {
    return this.#views.get(node)!.slots.some((told, at) => at >= level && told >= slot)
  }

  #best(level: Level): number {
    let best = 0
    for (const [node, { slots }] of this.#views) if (!node.isBarred) best = Math.max(best, slots[level])
    return best
  }
}

function unseen(): View {
  const never = Number.NEGATIVE_INFINITY
  return { slots: [0, 0, 0], toldAt: [never, never, never], behindSince: null, isBehind: false }
}
