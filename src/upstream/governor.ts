/**
 * A quota that an upstream publishes, kept on our side of the wire: a bucket
 * that fills at the quota's rate. A call that would overdraw it is refused,
 * with the time at which it would not, instead of being refused by the
 * upstream, which may lock us out for hours.
 *
 * What is asked for last is refused first: each priority leaves a part of the
 * bucket to those above it.
 *
 *   0 ..... 10 % ........ 20 % ....... 35 % ........ 50 % ......... full
 *   build   + decimals    + quote      + list        + research
 *
 * And nobody takes it all: a client has a bucket of its own, a fifth of the
 * whole, and takes more only while nobody else asks and half of the whole is
 * left, so that whoever comes next finds something: of what is asked for last
 * three quarters, since half is not for it.
 */
import { LRUCache } from 'lru-cache'
import { type Client, GATEWAY } from '../runtime/cancellation.ts'
import type { Clock } from '../runtime/clock.ts'
import { TokenBucket } from './token-bucket.ts'

/** How urgent a call is: the first keeps its share longest. */
export type Priority = 'build' | 'decimals' | 'quote' | 'list' | 'research'

/** Part of the bucket that a call of this priority leaves to the others, percent. */
export const RESERVED_PERCENT: Readonly<Record<Priority, number>> = {
  build: 0,
  decimals: 10,
  quote: 20,
  list: 35,
  research: 50,
}

/** Clients share a quota by this: a fifth each, and the same again for builds. */
export const SHARES = 5
/** What a client that takes more than its share leaves in the bucket, and at least above the reserve, percent. */
export const LEFT_TO_NEWCOMERS = { all: 50, aboveReserve: 25 }
/** How long a client is one that is asking. */
export const ASKING_MS = 60_000
/** Clients whose shares are remembered; a forgotten one begins with a full share. */
const MAX_CLIENTS = 10_000

/** What sums of thirds and sevenths of a window may be off by. */
export const ROUNDING_MS = 1e-3

export interface Quota {
  /** Calls that may be made in each window. */
  readonly calls: number
  readonly windowMs: number
  /** Calls that may be made at once; `calls` where absent. */
  readonly burst?: number
}

/** A quota, and what is left of it. */
export interface QuotaState extends Required<Quota> {
  /** Calls that could be made at once, of `burst`. */
  readonly left: number
}

/** How large a quota's buckets are, and what a call takes from them, ms. */
export interface BucketSizes {
  readonly fullMs: number
  readonly costMs: number
  /** Of one client. */
  readonly shareMs: number
}

/** Whose bucket a call of this client and priority is taken from: its builds have one of their own. */
export function shareOf(priority: Priority, client: Client): string {
  return priority === 'build' ? `${client} builds` : client
}

export class Governor {
  readonly sizes: BucketSizes
  readonly #quota: Required<Quota>
  readonly #clock: Clock
  readonly #bucket: TokenBucket
  /** Made for the first client: it takes 160 KiB from the start, and there are as many governors as upstreams. */
  #shares: LRUCache<string, TokenBucket> | null = null
  #lastClient: Client | null = null
  #lastAt = Number.NEGATIVE_INFINITY
  #othersAt = Number.NEGATIVE_INFINITY

  constructor({ calls, windowMs, burst = calls }: Quota, clock: Clock) {
    this.#quota = { calls, windowMs, burst }
    const costMs = windowMs / calls
    const fullMs = burst * costMs
    // However small the quota, a share is one call.
    this.sizes = { fullMs, costMs, shareMs: Math.max(fullMs / SHARES, costMs) }
    this.#clock = clock
    this.#bucket = new TokenBucket(fullMs, clock.now())
  }

  /** Part of the quota that is left, 0 to 1. */
  get left(): number {
    return this.#bucket.credit(this.#clock.now(), 1) / this.#bucket.fullMs
  }

  get state(): QuotaState {
    const left = Math.floor((this.#bucket.credit(this.#clock.now(), 1) + ROUNDING_MS) / this.sizes.costMs)
    return { ...this.#quota, left }
  }

  /** Spends a call, or says in how many ms it could. @returns 0 when it was spent */
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
   * What several instances decided together about such a call: the buckets here
   * follow, so that they are no fuller when each has to decide alone again.
   * @param isSpent   whether it was admitted
   * @param creditMs  what is left in the bucket that they have in common
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

  /** What the bucket must hold for a call that leaves this part of it; there is always room for one. */
  #leaving(percent: number): number {
    const { fullMs, costMs } = this.sizes
    return Math.min((fullMs * percent) / 100, fullMs - costMs) + costMs
  }

  #shareOf(key: string, nowMs: number): TokenBucket {
    const shares = (this.#shares ??= new LRUCache({ max: MAX_CLIENTS }))
    let share = shares.get(key)
    if (share === undefined) shares.set(key, (share = new TokenBucket(this.sizes.shareMs, nowMs)))
    return share
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
