/**
 * Measures how long a slot takes, from the slots that nodes' answers name. The
 * cluster changes it (400 ms, then 350, 300, 250 and 200), so no constant
 * converts slots to time.
 *
 *   host   slot 100 ──4 s── 120 ──3 s── 135     7 s for 35 slots: 200 ms
 *            from           next        last    after 4 s `next` becomes `from`
 *
 * Each host has one vote, and the median is the pace. A node that stands still,
 * or goes back, has none. If the number of votes is even, the present pace is
 * one more, so that neither of two different hosts sets it alone: it stays
 * between the two, or as it is.
 *
 * Source: SIMD-0525
 */
import type { Clock } from '../../../runtime/clock.ts'
import { getOrInsert } from '../../../runtime/lists.ts'
import { recorded } from '../../../runtime/tape.ts'
import type { CommitmentLevel } from './slots.ts'

/** The pace until it is measured: early polls cost a call, late ones a landing. */
export const UNMEASURED_SLOT_MS = 200
/** Pacing stays within these bounds, whatever nodes report. */
const MIN_SLOT_MS = 50
const MAX_SLOT_MS = 1_000
/** The shortest span of a vote: answers arrive about ten milliseconds early or late. */
const MIN_SPAN_MS = 2_000
/** After this long the older half of a host's slots is dropped. */
const HALF_SPAN_MS = 4_000
/**
 * A host that has reported no slot for this long has no vote, and starts again: the pace may have changed in
 * the meantime.
 */
const SILENT_MS = 10_000
/** One slot of each host and level in this time is enough. */
const APART_MS = 250

interface SlotSighting {
  readonly slot: number
  readonly at: number
}

/** The slots of one host at one level. */
interface SlotTrack {
  from: SlotSighting
  next: SlotSighting
  last: SlotSighting
}

export class SlotPace {
  readonly #clock: Clock
  /** By host, then by level. */
  readonly #tracks = new Map<string, (SlotTrack | undefined)[]>()
  #slotMs: number

  /** @param slotMs  the pace until it is measured */
  constructor(clock: Clock, slotMs: number = UNMEASURED_SLOT_MS) {
    this.#clock = clock
    this.#slotMs = slotMs
  }

  /** How long a slot takes at present, ms. */
  get slotMs(): number {
    return recorded(this.#clock, 'slot', () => this.#slotMs)
  }

  /** Whether a slot that this host reports now would change anything. */
  wants(host: string, level: CommitmentLevel): boolean {
    const track = this.#tracks.get(host)?.[level]
    return track === undefined || this.#clock.now() - track.last.at >= APART_MS
  }

  /** Records that a node at this host has just answered as of a slot. */
  saw(host: string, level: CommitmentLevel, slot: number): void {
    if (!this.wants(host, level)) return
    const tracks = getOrInsert(this.#tracks, host, () => [])
    const seen = { slot, at: this.#clock.now() }
    const track = tracks[level]
    if (track === undefined || slot < track.last.slot || seen.at - track.last.at > SILENT_MS) {
      tracks[level] = { from: seen, next: seen, last: seen }
      return
    }
    track.last = seen
    if (seen.at - track.next.at >= HALF_SPAN_MS) {
      track.from = track.next
      track.next = seen
    }
    this.#slotMs = this.#median()
  }

  #median(): number {
    const votes: number[] = []
    for (const tracks of this.#tracks.values()) {
      const vote = this.#voteOf(tracks)
      if (vote !== null) votes.push(Math.min(Math.max(vote, MIN_SLOT_MS), MAX_SLOT_MS))
    }
    if (votes.length % 2 === 0) votes.push(this.#slotMs)
    return votes.sort((a, b) => a - b)[(votes.length - 1) / 2]!
  }

  /** By the lowest level: when finality changes, finalized slots jump, and processed ones do not. */
  #voteOf(tracks: readonly (SlotTrack | undefined)[]): number | null {
    const now = this.#clock.now()
    for (const track of tracks) {
      if (track === undefined || now - track.last.at > SILENT_MS) continue
      const { from, last } = track
      const slots = last.slot - from.slot
      if (slots > 0 && last.at - from.at >= MIN_SPAN_MS) return (last.at - from.at) / slots
    }
    return null
  }
}
