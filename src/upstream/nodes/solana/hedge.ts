/**
 * Hedging: if a node takes longer than usual, the next node is tried as well, and
 * the first answer counts. A read is then slow only if two nodes are slow at once. The number of second calls is bounded, so that a node
 * that is slow for every read does not double the calls.
 *
 *   node 1  |─────── p95 ───┼ · · · · · · · · · · · |  drained: read to its end
 *   node 2                  |──────────| answers
 *
 * Source: Dean and Barroso, "The Tail at Scale" (2013)
 */
import type { Call } from '../../../flow/call.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Upstream } from '../../upstream.ts'

/** Upper bounds of the histogram, ms: each a quarter above the one before, up to half a minute. */
const BOUNDS_MS = Array.from({ length: 48 }, (_, i) => 1.25 ** i)
/** A p95 of fewer samples says little. */
const MIN_SAMPLES = 40
/** Then all counts are halved, so that old samples fade. */
const MAX_SAMPLES = 1_024
const PERCENTILE = 0.95

/** How long one node takes for one method. */
export class Latencies {
  readonly #counts = new Uint16Array(BOUNDS_MS.length)
  #total = 0

  add(ms: number): void {
    const bucket = BOUNDS_MS.findIndex((bound) => ms <= bound)
    this.#counts[bucket === -1 ? BOUNDS_MS.length - 1 : bucket]!++
    if (++this.#total < MAX_SAMPLES) return
    this.#total = 0
    for (let i = 0; i < this.#counts.length; i++) this.#total += this.#counts[i]! >>= 1
  }

  /** The 95th percentile of the answers, rounded up to a bound; null while there are too few. */
  get p95(): number | null {
    if (this.#total < MIN_SAMPLES) return null
    let below = 0
    for (let i = 0; ; i++) if ((below += this.#counts[i]!) >= this.#total * PERCENTILE) return BOUNDS_MS[i]!
  }
}

/** The share of all reads that may have a second call. */
const SHARE = 0.05
/** Unused second calls that can be saved for a moment in which a node stalls. */
const MAX_SAVED = 10

/** Bounds the second calls by the number of reads. */
export class HedgeAllowance {
  #saved = 0

  /** Called for each read. */
  earn(): void {
    this.#saved = Math.min(this.#saved + SHARE, MAX_SAVED)
  }

  /** Spends a second call. @returns false if none may be made */
  spend(): boolean {
    // In floating point, twenty times a twentieth is a little less than one.
    if (this.#saved < 1 - 1e-9) return false
    this.#saved = Math.max(0, this.#saved - 1)
    return true
  }
}

interface HedgeOptions<Answer> {
  /** In the order in which they are asked. */
  readonly nodes: readonly Upstream[]
  readonly clock: Clock
  /** How long to wait for a node before the next one is tried; null for as long as it takes. */
  usualMs(node: Upstream): number | null
  /** Whether a node may get a second call. */
  isEligible(node: Upstream): boolean
  /** Whether a second call may be made; asked right before it. */
  mayAsk(): boolean
  ask(node: Upstream, call: Call): Promise<Answer>
  /** Whether an answer is about the node's own state, and does not count. */
  isNodeFault(answer: Answer): boolean
  /** Called if a second call's answer came first. */
  onWon(): void
}

/** One read, which may be in progress at two nodes at once. */
export class Hedge<Answer> {
  readonly #options: HedgeOptions<Answer>
  readonly #begun = new Map<Upstream, Promise<Answer>>()

  constructor(options: HedgeOptions<Answer>) {
    this.#options = options
  }

  /** A node's answer, or the next node's if it comes first. No node is tried twice. */
  ask(node: Upstream, call: Call): Promise<Answer> {
    const begun = this.#begun.get(node)
    if (begun !== undefined) return begun
    const { nodes, clock, usualMs, isEligible, mayAsk, isNodeFault, onWon } = this.#options
    const own = this.#begin(node, call)
    const usual = usualMs(node)
    if (usual === null || usual >= call.leftMs) return own

    return new Promise((resolve, reject) => {
      let isOver = false
      const second = (): void => {
        const next = nodes
          .slice(nodes.indexOf(node) + 1)
          .find((other) => !this.#begun.has(other) && isEligible(other))
        if (next === undefined || !mayAsk()) return
        const win = (answer: Answer): void => {
          if (isOver || isNodeFault(answer)) return
          isOver = true
          onWon()
          resolve(answer)
        }
        // A failure is reported when the node's own turn comes.
        this.#begin(next, call).then(win, () => {})
      }
      const cancelTimer = clock.after(usual, second)
      const end = (): void => {
        isOver = true
        cancelTimer()
      }
      // Before the answer is given: callbacks of one promise run in their order.
      own.then(end, end)
      own.then(resolve, reject)
    })
  }

  #begin(node: Upstream, call: Call): Promise<Answer> {
    const asked = this.#options.ask(node, call)
    this.#begun.set(node, asked)
    return asked
  }
}
