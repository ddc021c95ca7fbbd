/**
 * Whether a call to an upstream may be made now, as far as that is a matter of
 * the upstream's limits: its quotas, and what a 429 holds back. Alone that is
 * told at once. Where instances keep them together, one question answers for
 * both, and what it says holds here too: the buckets and the pauses here follow,
 * and decide alone while there is no answer.
 */

import type { Client } from '../runtime/cancellation.ts'
import type { Clock } from '../runtime/clock.ts'
import { Cooldowns } from './cooldown.ts'
import { Governor, type Priority, type Quota } from './governor.ts'
import type { SharedDecision, SharedLimits, SharedQuota } from './shared-limits.ts'
import { TokenBucket } from './token-bucket.ts'

/** What the others hold back is known after so long at most, where no quota has to be asked for anyway. */
const LOOK_MS = 250

export interface AdmissionOptions {
  readonly clock: Clock
  readonly quota: Quota | null
  /** Of each lane besides. */
  readonly laneQuota: Quota | null
  readonly maxPauseMs: number
  readonly probeMs: number
  /** Null where no other instance has a part in it. */
  readonly shared: SharedLimits | null
}

/** A quota, and what was spent of it that other instances do not know of. */
interface LocalQuota {
  readonly lane: string | null
  readonly governor: Governor
  /** Full where nothing was; it fills as the quota's own bucket does. */
  readonly unbooked: TokenBucket
}

/** When the others were asked what they hold back, and the question while it is under way. */
interface Look {
  readonly at: number
  asking: Promise<AdmissionVerdict> | null
}

/** What all instances together say of a call. */
export interface AdmissionVerdict {
  /** Until the quotas have room; 0 where the call is within them, and was spent. */
  readonly waitMs: number
  /** Its lane is held back, and it is not the one that goes through to see. */
  readonly isHeld: boolean
}

const FREE: AdmissionVerdict = { waitMs: 0, isHeld: false }

export class Admission {
  readonly pauses: Cooldowns
  readonly #clock: Clock
  readonly #whole: LocalQuota | null
  readonly #laneQuota: Quota | null
  readonly #lanes = new Map<string, LocalQuota>()
  readonly #shared: SharedLimits | null
  readonly #probeMs: number
  /** The last one of each lane. */
  readonly #looks = new Map<string, Look>()
  /** Lanes that are held back, until the others say otherwise. */
  readonly #watched = new Map<string, () => void>()
  #isClosed = false

  constructor({ clock, quota, laneQuota, maxPauseMs, probeMs, shared }: AdmissionOptions) {
    this.#clock = clock
    this.#shared = shared
    this.#probeMs = probeMs
    this.#whole = quota === null ? null : this.#keep(null, quota)
    this.#laneQuota = laneQuota
    const sharing = shared && {
      onPaused: (lane: string) => void this.#tell(lane, shared),
      onResumed: (lane: string) => shared.resume(lane),
    }
    this.pauses = new Cooldowns(clock, { maxMs: maxPauseMs, probeMs, ...sharing })
  }

  /** Of the whole upstream; null where it publishes none. */
  get governor(): Governor | null {
    return this.#whole?.governor ?? null
  }

  /**
   * Spends a call of the quotas, or says in how many ms it could; 0 when it was spent. Whether its lane is
   * held back is for `pauses` to say, but where others have a part in that.
   * @param lane   of the quota; undefined for a call that has none
   * @param held   the lane that a 429 would pause
   * @returns a promise where other instances are asked
   */
  spend(
    lane: string | undefined,
    held: string,
    priority: Priority,
    client: Client,
  ): number | Promise<AdmissionVerdict> {
    const laneKept = this.#keptOf(lane)
    if (this.#shared === null) {
      const laneMs = laneKept?.governor.admit(priority, client) ?? 0
      return laneMs > 0 ? laneMs : (this.#whole?.governor.admit(priority, client) ?? 0)
    }
    const kept: LocalQuota[] = []
    if (laneKept !== null) kept.push(laneKept)
    if (this.#whole !== null) kept.push(this.#whole)
    // Of those that find a pause ended, one goes through to see: each has to ask whether it is the one.
    if (kept.length > 0 || this.pauses.has(held)) {
      return this.#spendTogether(this.#shared, kept, held, priority, client)
    }
    const last = this.#looks.get(held)
    if (last !== undefined && this.#clock.now() - last.at < LOOK_MS) {
      return last.asking === null ? 0 : this.#spendAfter(last.asking, held, priority, client)
    }
    const asking = this.#spendTogether(this.#shared, kept, held, priority, client)
    const look: Look = { at: this.#clock.now(), asking }
    this.#looks.set(held, look)
    void asking.then(() => {
      look.asking = null
    })
    return asking
  }

  close(): void {
    this.#isClosed = true
    for (const callOff of this.#watched.values()) callOff()
  }

  /** Waits for what another call has asked; where that found a pause, only one of the two may be the one that looks. */
  async #spendAfter(
    asking: Promise<AdmissionVerdict>,
    held: string,
    priority: Priority,
    client: Client,
  ): Promise<AdmissionVerdict> {
    await asking
    return this.pauses.has(held) ? this.#spendTogether(this.#shared!, [], held, priority, client) : FREE
  }

  async #spendTogether(
    shared: SharedLimits,
    kept: readonly LocalQuota[],
    held: string,
    priority: Priority,
    client: Client,
  ): Promise<AdmissionVerdict> {
    const nowMs = this.#clock.now()
    const quotas = kept.map((one) => quotaOf(one, nowMs))
    const decision = await shared.decide({ lane: held, quotas, priority, client, probeMs: this.#probeMs })
    const bookedOf = decision?.creditsMs.length ?? 0
    for (let i = bookedOf; i < kept.length; i++) kept[i]!.unbooked.spend(quotas[i]!.unbookedMs)
    if (decision === null) {
      const isHeld = !this.pauses.isReady(held)
      return { waitMs: isHeld ? 0 : this.#spendAlone(kept, priority, client), isHeld }
    }
    const { waitMs, pause, creditsMs } = decision
    this.#adopt(held, pause)
    for (const [i, creditMs] of creditsMs.entries()) {
      const isSpent = waitMs === 0 || i < creditsMs.length - 1
      kept[i]!.governor.follow(priority, client, isSpent, creditMs)
    }
    // The others' word counts, and not what is known here: by now it may be that this very call looks.
    const isHeld = pause === null ? !this.pauses.isReady(held) : pause.probeInMs > 0
    return waitMs === 0 && !isHeld ? FREE : { waitMs, isHeld }
  }

  #spendAlone(kept: readonly LocalQuota[], priority: Priority, client: Client): number {
    for (const { governor, unbooked } of kept) {
      const waitMs = governor.admit(priority, client)
      if (waitMs > 0) return waitMs
      unbooked.credit(this.#clock.now(), 1)
      unbooked.spend(governor.sizes.costMs)
    }
    return 0
  }

  async #tell(lane: string, shared: SharedLimits): Promise<void> {
    this.#watch(lane)
    const pause = this.pauses.told(lane)
    if (pause !== null && (await shared.pause(lane, pause))) this.pauses.shared(lane)
  }

  #adopt(lane: string, pause: SharedDecision['pause']): void {
    this.pauses.adopt(lane, pause)
    if (pause !== null) this.#watch(lane)
  }

  /** Looks whether the others still hold a lane back, for as long as they do: who would ask is held back itself. */
  #watch(lane: string): void {
    if (this.#watched.has(lane) || this.#isClosed) return
    const look = async (): Promise<void> => {
      const pause = await this.#shared!.look(lane)
      this.#watched.delete(lane)
      if (pause !== undefined) this.pauses.adopt(lane, pause)
      if (this.pauses.leftMs(lane) > 0) this.#watch(lane)
    }
    this.#watched.set(lane, this.#clock.after(LOOK_MS, look))
  }

  #keptOf(lane: string | undefined): LocalQuota | null {
    if (this.#laneQuota === null || lane === undefined) return null
    let kept = this.#lanes.get(lane)
    if (kept === undefined) this.#lanes.set(lane, (kept = this.#keep(lane, this.#laneQuota)))
    return kept
  }

  #keep(lane: string | null, quota: Quota): LocalQuota {
    const governor = new Governor(quota, this.#clock)
    return { lane, governor, unbooked: new TokenBucket(governor.sizes.fullMs, this.#clock.now()) }
  }
}

/** What is not booked is handed over with the question, and comes back where it was not booked. */
function quotaOf({ lane, governor: { sizes }, unbooked }: LocalQuota, nowMs: number): SharedQuota {
  const unbookedMs = unbooked.fullMs - unbooked.credit(nowMs, 1)
  unbooked.fill()
  return { lane, sizes, unbookedMs }
}
