/**
 * A quota that an upstream publishes, kept on our side of the wire: a token
 * bucket that fills at the quota's rate. A call that would overdraw it is
 * rejected here, with the time until it would not; the upstream might lock us
 * out for hours instead.
 *
 * The lowest priority is rejected first: each priority leaves a part of the
 * bucket to those above it.
 *
 *   0 ..... 10 % ........ 20 % ....... 35 % ........ 50 % ......... full
 *   build   + decimals    + quote      + list        + research
 *
 * No client takes all of it: each has a bucket of its own, a fifth of the
 * whole. It may take more only while no other client is active and half of the
 * whole is left, so that the next client finds something. For the lowest priority,
 * which must leave half anyway, three quarters must be left.
 */
import type { Priority } from '../../flow/call.ts'
import { type Client, GATEWAY } from '../../flow/cancellation.ts'
import { type BoundedCache, boundedCache } from '../../runtime/bounded-cache.ts'
import type { Clock } from '../../runtime/clock.ts'
import { getOrInsert } from '../../runtime/lists.ts'
import { TokenBucket } from './token-bucket.ts'

/** Part of the bucket that a call of this priority must leave to higher ones, percent. */
export const RESERVED_PERCENT: Readonly<Record<Priority, number>> = {
  build: 0,
  decimals: 10,
  quote: 20,
  list: 35,
  research: 50,
}

/** The part of a quota that one client gets: a fifth, and the same again for builds. */
export const SHARES = 5
/**
 * What a client that takes more than its share must leave in the bucket, and the least above the reserve,
 * percent.
 */
export const LEFT_TO_NEWCOMERS = { all: 50, aboveReserve: 25 }
/** How long after its last call a client counts as active. */
export const ASKING_MS = 60_000
/** Clients whose shares are remembered; a forgotten client begins with a full share. */
const MAX_CLIENTS = 10_000

/** The rounding error of sums of thirds and sevenths of a window. */
export const ROUNDING_MS = 1e-3

export interface Quota {
  /** Calls that may be made in each window. */
  readonly calls: number
  readonly windowMs: number
  /** Calls that may be made at once. Absent: `calls`. */
  readonly burst?: number
  /** Calls that may be made in a day, if the upstream also limits those. */
  readonly daily?: number
}

/** The sizes of a quota's buckets, and what a call takes from them, ms. */
export interface BucketSizes {
  readonly fullMs: number
  readonly costMs: number
  /** The bucket of one client. */
  readonly shareMs: number
}

/** The key of the client's bucket for this priority: its builds have one of their own. */
export function shareOf(priority: Priority, client: Client): string {
  return priority === 'build' ? `${client} builds` : client
}

export class Governor {
  readonly sizes: BucketSizes
  readonly #quota: Required<Omit<Quota, 'daily'>>
  readonly #clock: Clock
  readonly #bucket: TokenBucket
  /**
   * Created for the first client: it takes 160 KiB from the start, and there are as many governors as
   * upstreams.
   */
  #shares: BoundedCache<string, TokenBucket> | null = null
  #lastClient: Client | null = null
  #lastAt = Number.NEGATIVE_INFINITY
  /** When a client called while another one was active. */
  #othersAt = Number.NEGATIVE_INFINITY

  constructor({ calls, windowMs, burst = calls }: Quota, clock: Clock) {
    this.#quota = { calls, windowMs, burst }
    const costMs = windowMs / calls
    const fullMs = burst * costMs
    // A share is at least one call, however small the quota.
    this.sizes = { fullMs, costMs, shareMs: Math.max(fullMs / SHARES, costMs) }
    this.#clock = clock
    this.#bucket = new TokenBucket(fullMs, clock.now())
  }

  /** Part of the quota that is left, 0 to 1. */
  get left(): number {
    return this.#bucket.credit(this.#clock.now(), 1) / this.#bucket.fullMs
  }

  /** The quota, and how many calls of `burst` could be made at once, and could not. */
  get state() {
    const left = Math.floor((this.#bucket.credit(this.#clock.now(), 1) + ROUNDING_MS) / this.sizes.costMs)
    return { ...this.#quota, left, used: this.#quota.burst - left }
  }

  /** Spends a call, or says in how many ms it could. @returns 0 if it was spent */
  admit(priority: Priority, client: Client = GATEWAY): number {
    const nowMs = this.#clock.now()
    this.#note(client, nowMs)
    const { costMs } = this.sizes
    const creditMs = this.#bucket.credit(nowMs, 1)
    const reserved = RESERVED_PERCENT[priority]
    const missingMs = this.#leaving(reserved) - creditMs
    if (client === GATEWAY) {
      if (missingMs > ROUNDING_MS) return Math.ceil(missingMs)
      this.#bucket.spend(costMs)
      return 0
    }

    const share = this.#shareOf(shareOf(priority, client), nowMs)
    const lackingMs = (costMs - share.credit(nowMs, 1 / SHARES)) * SHARES
    const { all, aboveReserve } = LEFT_TO_NEWCOMERS
    const isSpare =
      nowMs - this.#othersAt >= ASKING_MS &&
      creditMs >= this.#leaving(Math.max(all, reserved + aboveReserve)) - ROUNDING_MS
    const waitMs = Math.max(missingMs, isSpare ? 0 : lackingMs)
    if (waitMs > ROUNDING_MS) return Math.ceil(waitMs)
    share.spend(costMs)
    this.#bucket.spend(costMs)
    return 0
  }

  /**
   * Follows a decision that several instances made together, so that the buckets here are no fuller if this
   * instance has to decide alone again.
   * @param isSpent   whether the call was admitted
   * @param creditMs  what is left in the shared bucket, ms
   */
  follow(priority: Priority, client: Client, isSpent: boolean, creditMs: number): void {
    const nowMs = this.#clock.now()
    this.#note(client, nowMs)
    const { costMs } = this.sizes
    this.#bucket.credit(nowMs, 1)
    if (isSpent) this.#bucket.spend(costMs)
    this.#bucket.lowerTo(creditMs)
    if (!isSpent || client === GATEWAY) return
    const share = this.#shareOf(shareOf(priority, client), nowMs)
    share.credit(nowMs, 1 / SHARES)
    share.spend(costMs)
  }

  /** What the bucket must hold for a call that leaves this part of it, ms; a full bucket always admits one. */
  #leaving(percent: number): number {
    const { fullMs, costMs } = this.sizes
    return Math.min((fullMs * percent) / 100, fullMs - costMs) + costMs
  }

  #shareOf(key: string, nowMs: number): TokenBucket {
    const shares = (this.#shares ??= boundedCache({ max: MAX_CLIENTS }))
    return getOrInsert(shares, key, () => new TokenBucket(this.sizes.shareMs, nowMs))
  }

  #note(client: Client, nowMs: number): void {
    if (client === GATEWAY) return
    if (client !== this.#lastClient) {
      if (nowMs - this.#lastAt < ASKING_MS) this.#othersAt = nowMs
      this.#lastClient = client
    }
    this.#lastAt = nowMs
  }
}
