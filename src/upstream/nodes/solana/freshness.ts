/**
 * Tracks the slot of each node, and orders the nodes by it: as the operator
 * prefers, but nodes known to have the requested slot come first, and nodes that
 * have been behind for a while come last. How far a node is behind is measured in
 * time, by the pace of slots, so that answers of different moments can be
 * compared:
 *
 *   others  ──100──────104──────────────────109──   by more than maxBehindMs,
 *   node    ──88─(behind since here)─90─────92───   2 s later still: tried last
 *
 * A node at the end gets few reads, so its answers would not show when it has
 * caught up; nor would those of the others while the first one answers every
 * read. So all nodes are polled for their slot now and then, while there are
 * reads: see `due`.
 */
import type { Clock } from '../../../runtime/clock.ts'
import type { Upstream } from '../../upstream.ts'
import type { SlotPace } from './slot-pace.ts'
import { type CommitmentLevel, PROCESSED } from './slots.ts'

/** How far a node may be behind by default. */
export const MAX_BEHIND_MS = 2_000
/** How long a node must be behind to be tried last. */
const BEHIND_MS = 2_000
/** How often nodes are polled for their slot, while there are reads. */
const LOOK_MS = 2_000
/** Answers that are further apart are not compared: their distance would be measured by the pace alone. */
const COMPARED_MS = 3_000
/** With this many hosts, one that is ahead of all others isn't the measure. */
const HOSTS_TO_DOUBT = 3

/** The slots of a node's last answers. */
interface NodeProgress {
  /** Slots, by level; 0 for none. */
  readonly slots: [number, number, number]
  /** When they were answered. */
  readonly seenAt: [number, number, number]
  behindSince: number | null
  isBehind: boolean
}

interface FreshnessOptions {
  readonly clock: Clock
  /** A node that is further behind the others for a while is tried last. */
  readonly maxBehindMs: number
  readonly pace: Pick<SlotPace, 'slotMs'>
}

export class Freshness {
  readonly #nodes: readonly Upstream[]
  readonly #progress: ReadonlyMap<Upstream, NodeProgress>
  readonly #options: FreshnessOptions
  #lookedAt: number

  /** @param nodes  in order of preference */
  constructor(nodes: readonly Upstream[], options: FreshnessOptions) {
    this.#nodes = nodes
    this.#options = options
    this.#lookedAt = options.clock.now()
    this.#progress = new Map(nodes.map((node) => [node, unseen()]))
  }

  /** Records that a node answered as of this slot. */
  saw(node: Upstream, level: CommitmentLevel, slot: number): void {
    const now = this.#options.clock.now()
    const progress = this.#progress.get(node)!
    progress.slots[level] = slot
    progress.seenAt[level] = now
    const compared = [...this.#progress].filter(([, { seenAt }]) => now - seenAt[level] <= COMPARED_MS)
    const measure = this.#measure(compared, level)
    for (const [, view] of compared) {
      if (measure - this.#leadMs(view, level) > this.#options.maxBehindMs) {
        view.behindSince ??= now
        view.isBehind ||= now - view.behindSince >= BEHIND_MS
      } else if (compared.length > 1) {
        // A single answer is compared with nothing.
        view.behindSince = null
        view.isBehind = false
      }
    }
  }

  isBehind(node: Upstream): boolean {
    return this.#progress.get(node)!.isBehind
  }

  /**
   * The nodes in the order in which to try them.
   * @param slot    the slot that the answer must have reached at this level; 0 for any
   * @param isLast  more nodes to try last
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
    const now = this.#options.clock.now()
    if (this.#nodes.length === 1 || now - this.#lookedAt < LOOK_MS) return []
    this.#lookedAt = now
    return this.#nodes.filter((node) => now - this.#progress.get(node)!.seenAt[PROCESSED] >= LOOK_MS)
  }

  /** A node that has finalized a slot has confirmed it, and one that has confirmed it has processed it. */
  #has(node: Upstream, level: CommitmentLevel, slot: number): boolean {
    return this.#progress.get(node)!.slots.some((reached, at) => at >= level && reached >= slot)
  }

  /**
   * A node's progress: the difference of two shows how far one is behind the other, whenever they answered.
   */
  #leadMs({ slots, seenAt }: NodeProgress, level: CommitmentLevel): number {
    return slots[level] * this.#options.pace.slotMs - seenAt[level]
  }

  /** The lead that others are compared with. */
  #measure(compared: readonly (readonly [Upstream, NodeProgress])[], level: CommitmentLevel): number {
    const leads = new Map<string, number>()
    for (const [node, view] of compared) {
      if (node.isBarred) continue
      const leadMs = this.#leadMs(view, level)
      leads.set(node.host, Math.max(leadMs, leads.get(node.host) ?? leadMs))
    }
    const ordered = [...leads.values()].sort((a, b) => b - a)
    return ordered[ordered.length >= HOSTS_TO_DOUBT ? 1 : 0] ?? Number.NEGATIVE_INFINITY
  }
}

function unseen(): NodeProgress {
  const never = Number.NEGATIVE_INFINITY
  return { slots: [0, 0, 0], seenAt: [never, never, never], behindSince: null, isBehind: false }
}
