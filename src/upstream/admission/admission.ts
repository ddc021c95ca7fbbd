/**
 * Whether an upstream's own limits admit a call now: its quotas, and the
 * cooldowns that its 429s start. A single instance decides at once. Instances
 * that share these limits ask the shared store once for both, and its decision
 * holds here too: the local token buckets and cooldowns follow it, and decide
 * alone while the store does not answer.
 */

import type { Priority } from '../../flow/call.ts'
import type { Client } from '../../flow/cancellation.ts'
import type { Clock } from '../../runtime/clock.ts'
import { getOrInsert } from '../../runtime/lists.ts'
import { Cooldowns } from './cooldown.ts'
import { Governor, type Quota } from './governor.ts'
import type { SharedDecision, SharedLimits, SharedQuota } from './shared-limits.ts'
import { TokenBucket } from './token-bucket.ts'

const DAY_MS = 86_400_000
/** How old the other instances' cooldowns may be here, at an upstream whose calls need no quota anyway. */
const LOOK_MS = 250

export interface AdmissionOptions {
  readonly clock: Clock
  readonly quota: Quota | null
  /** A quota of each lane, in addition. */
  readonly laneQuota: Quota | null
  readonly maxCooldownMs: number
  readonly probeMs: number
  /** Null if no other instance shares the limits. */
  readonly shared: SharedLimits | null
}

/** A quota as this instance keeps it, and what it spent that the other instances do not know of. */
interface LocalQuota {
  readonly lane: string | null
  readonly governor: Governor
  /** Full if everything spent is booked; it fills at the quota's own rate. */
  readonly unbooked: TokenBucket
}

/** When the other instances' cooldowns were last read, and the read in progress. */
interface CooldownLook {
  readonly at: number
  asking: Promise<AdmissionVerdict> | null
}

/** The decision of all instances together on a call. */
export interface AdmissionVerdict {
  /** Until the quotas have room; 0 if the call is within them, and was spent. */
  readonly waitMs: number
  /** Whether its lane is in cooldown, and this call is not the probe. */
  readonly isHeld: boolean
}

const FREE: AdmissionVerdict = { waitMs: 0, isHeld: false }

export class Admission {
  readonly cooldowns: Cooldowns
  readonly #options: AdmissionOptions
  readonly #whole: LocalQuota | null
  /** The part of the whole quota that counts days. */
  readonly #daily: LocalQuota | null
  readonly #lanes = new Map<string, LocalQuota>()
  /** The last one of each lane. */
  readonly #looks = new Map<string, CooldownLook>()
  /** Timers of the lanes in cooldown, which check whether the other instances have ended it. */
  readonly #watched = new Map<string, () => void>()
  #isClosed = false

  constructor(options: AdmissionOptions) {
    const { clock, quota, maxCooldownMs, probeMs, shared } = options
    this.#options = options
    const { daily } = quota ?? {}
    this.#whole = quota === null ? null : this.#openQuota(null, quota)
    this.#daily = daily === undefined ? null : this.#openQuota('daily', { calls: daily, windowMs: DAY_MS })
    const sharing = shared && {
      onStarted: (lane: string) => void this.#shareCooldown(lane, shared),
      onEnded: (lane: string) => shared.endCooldown(lane),
    }
    this.cooldowns = new Cooldowns(clock, { maxMs: maxCooldownMs, probeMs, ...sharing })
  }

  /** The governor of the whole upstream's quota; null if it publishes none. */
  get governor(): Governor | null {
    return this.#whole?.governor ?? null
  }

  /**
   * The part of the whole upstream's quota that is left, 0 to 1, of the scarcest part; null if it publishes
   * none.
   */
  get left(): number | null {
    if (this.#whole === null) return null
    return Math.min(this.#whole.governor.left, this.#daily?.governor.left ?? 1)
  }

  /**
   * Spends a call of the quotas, or says in how many ms it could; 0 if it was spent. The caller checks
   * `cooldowns` itself, unless the limits are shared: the verdict then covers them.
   * @param lane  of the quota; undefined for a call that has none
   * @param held  the lane that a 429 would put into cooldown
   * @returns a promise if other instances are asked
   */
  spend(
    lane: string | undefined,
    held: string,
    priority: Priority,
    client: Client,
  ): number | Promise<AdmissionVerdict> {
    // The day's part comes last: a call that waits for another part has not spent it.
    const quotas: LocalQuota[] = []
    for (const one of [this.#quotaOf(lane), this.#whole, this.#daily]) if (one !== null) quotas.push(one)
    if (this.#options.shared === null) {
      for (const { governor } of quotas) {
        const waitMs = governor.admit(priority, client)
        if (waitMs > 0) return waitMs
      }
      return 0
    }
    // One of the calls that find a cooldown ended is the probe: each has to ask whether it is.
    if (quotas.length > 0 || this.cooldowns.has(held)) {
      return this.#spendTogether(quotas, held, priority, client)
    }
    return this.#look(held, priority, client)
  }

  close(): void {
    this.#isClosed = true
    for (const callOff of this.#watched.values()) callOff()
  }

  /** Reads the other instances' cooldowns, at most once in `LOOK_MS`. */
  #look(held: string, priority: Priority, client: Client): number | Promise<AdmissionVerdict> {
    const last = this.#looks.get(held)
    if (last !== undefined && this.#options.clock.now() - last.at < LOOK_MS) {
      return last.asking === null ? 0 : this.#spendAfter(last.asking, held, priority, client)
    }
    const asking = this.#spendTogether([], held, priority, client)
    const look: CooldownLook = { at: this.#options.clock.now(), asking }
    this.#looks.set(held, look)
    void asking.then(() => {
      look.asking = null
    })
    return asking
  }

  /**
   * Waits for another call's answer; if that found a cooldown, only one of the two calls may be the probe.
   */
  async #spendAfter(
    asking: Promise<AdmissionVerdict>,
    held: string,
    priority: Priority,
    client: Client,
  ): Promise<AdmissionVerdict> {
    await asking
    return this.cooldowns.has(held) ? this.#spendTogether([], held, priority, client) : FREE
  }

  async #spendTogether(
    local: readonly LocalQuota[],
    held: string,
    priority: Priority,
    client: Client,
  ): Promise<AdmissionVerdict> {
    const nowMs = this.#options.clock.now()
    const quotas = local.map((one) => takeUnbooked(one, nowMs))
    const { shared, probeMs } = this.#options
    const decision = await shared!.decide({ lane: held, quotas, priority, client, probeMs })
    const booked = decision?.creditsMs.length ?? 0
    for (let i = booked; i < local.length; i++) local[i]!.unbooked.spend(quotas[i]!.unbookedMs)
    if (decision === null) {
      const isHeld = !this.cooldowns.isReady(held)
      return { waitMs: isHeld ? 0 : this.#spendAlone(local, priority, client), isHeld }
    }
    const { waitMs, cooldown, creditsMs } = decision
    this.#adopt(held, cooldown)
    for (const [i, creditMs] of creditsMs.entries()) {
      const isSpent = waitMs === 0 || i < creditsMs.length - 1
      local[i]!.governor.follow(priority, client, isSpent, creditMs)
    }
    // The shared decision counts, not what is known here: this very call may be the probe by now.
    const isHeld = cooldown === null ? !this.cooldowns.isReady(held) : cooldown.probeInMs > 0
    return waitMs === 0 && !isHeld ? FREE : { waitMs, isHeld }
  }

  #spendAlone(local: readonly LocalQuota[], priority: Priority, client: Client): number {
    for (const { governor, unbooked } of local) {
      const waitMs = governor.admit(priority, client)
      if (waitMs > 0) return waitMs
      unbooked.credit(this.#options.clock.now(), 1)
      unbooked.spend(governor.sizes.costMs)
    }
    return 0
  }

  async #shareCooldown(lane: string, shared: SharedLimits): Promise<void> {
    this.#watch(lane)
    const cooldown = this.cooldowns.toShare(lane)
    if (cooldown !== null && (await shared.startCooldown(lane, cooldown))) this.cooldowns.markShared(lane)
  }

  #adopt(lane: string, cooldown: SharedDecision['cooldown']): void {
    this.cooldowns.adopt(lane, cooldown)
    if (cooldown !== null) this.#watch(lane)
  }

  /** Reads a lane's shared cooldown until it ends, because calls that would ask for it are rejected meanwhile. */
  #watch(lane: string): void {
    if (this.#watched.has(lane) || this.#isClosed) return
    const look = async (): Promise<void> => {
      const cooldown = await this.#options.shared!.look(lane)
      this.#watched.delete(lane)
      if (cooldown !== undefined) this.cooldowns.adopt(lane, cooldown)
      if (this.cooldowns.leftMs(lane) > 0) this.#watch(lane)
    }
    this.#watched.set(lane, this.#options.clock.after(LOOK_MS, look))
  }

  #quotaOf(lane: string | undefined): LocalQuota | null {
    const { laneQuota } = this.#options
    if (laneQuota === null || lane === undefined) return null
    return getOrInsert(this.#lanes, lane, () => this.#openQuota(lane, laneQuota))
  }

  #openQuota(lane: string | null, quota: Quota): LocalQuota {
    const governor = new Governor(quota, this.#options.clock)
    return { lane, governor, unbooked: new TokenBucket(governor.sizes.fullMs, this.#options.clock.now()) }
  }
}

/** Hands over what isn't booked along with the question; the caller takes it back if it stays unbooked. */
function takeUnbooked({ lane, governor: { sizes }, unbooked }: LocalQuota, nowMs: number): SharedQuota {
  const unbookedMs = unbooked.fullMs - unbooked.credit(nowMs, 1)
  unbooked.fill()
  return { lane, sizes, unbookedMs }
}
