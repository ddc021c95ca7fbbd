/**
 * The limits that the threads of one process keep together towards an upstream: the same as instances keep through
 * Redis, decided by one thread for all.
 */
import type { Clock } from '../../runtime/clock.ts'
import { getOrInsert } from '../../runtime/lists.ts'
import { Governor } from './governor.ts'
import type {
  SharedAsk,
  SharedCooldown,
  SharedDecision,
  SharedLimits,
  SharedQuota,
  ShareLimits,
} from './shared-limits.ts'

/** By the monotonic clock, ms. */
interface LaneCooldown {
  readonly until: number
  probeAt: number
}

export class LocalLimits implements SharedLimits {
  readonly #clock: Clock
  /** By lane; null is the whole upstream's. */
  readonly #quotas = new Map<string | null, Governor>()
  readonly #cooldowns = new Map<string, LaneCooldown>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async decide({ lane, quotas, priority, client, probeMs }: SharedAsk): Promise<SharedDecision> {
    const cooldown = this.#cooldown(lane)
    const creditsMs: number[] = []
    if (cooldown !== null && cooldown.probeInMs > 0) return { waitMs: 0, cooldown, creditsMs }
    for (const quota of quotas) {
      const governor = this.#governor(quota)
      const waitMs = governor.admit(priority, client)
      creditsMs.push(governor.left * governor.sizes.fullMs)
      if (waitMs > 0) return { waitMs, cooldown, creditsMs }
    }
    if (cooldown !== null) this.#cooldowns.get(lane)!.probeAt = this.#clock.now() + probeMs
    return { waitMs: 0, cooldown, creditsMs }
  }

  async look(lane: string): Promise<SharedCooldown | null> {
    return this.#cooldown(lane)
  }

  async startCooldown(lane: string, { leftMs, probeInMs }: SharedCooldown): Promise<boolean> {
    const now = this.#clock.now()
    this.#cooldowns.set(lane, { until: now + leftMs, probeAt: now + probeInMs })
    return true
  }

  endCooldown(lane: string): void {
    this.#cooldowns.delete(lane)
  }

  #cooldown(lane: string): SharedCooldown | null {
    const { until, probeAt } = this.#cooldowns.get(lane) ?? { until: 0, probeAt: 0 }
    const now = this.#clock.now()
    if (now >= until) return null
    return { leftMs: until - now, probeInMs: Math.max(0, Math.min(probeAt, until) - now) }
  }

  #governor({ lane, sizes: { costMs, fullMs } }: SharedQuota): Governor {
    const quota = { calls: 1, windowMs: costMs, burst: fullMs / costMs }
    return getOrInsert(this.#quotas, lane, () => new Governor(quota, this.#clock))
  }
}

/** One set of limits for each upstream. */
export function localLimits(clock: Clock): ShareLimits {
  const opened = new Map<string, LocalLimits>()
  return ({ label, carries, fingerprint }) =>
    getOrInsert(opened, `${label}:${carries}:${fingerprint}`, () => new LocalLimits(clock))
}
