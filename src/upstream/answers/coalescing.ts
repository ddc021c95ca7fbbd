/**
 * Request coalescing (singleflight), with a short cache: identical requests within a moment share one call,
 * which is cancelled when the last of them has left. StaleIfErrorCache and `sharedCalls` are built on it.
 *
 * The call is charged to the first client. If so many of that client's calls were rejected that the answer
 * may fall short, only that client gets it: the others share a new call of their own.
 */
import { CancellationScope, type Client, GATEWAY } from '../../flow/cancellation.ts'
import { type BoundedCache, boundedCache } from '../../runtime/bounded-cache.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { recorded } from '../../runtime/tape.ts'

/** Distinct keys kept at once. */
const MAX_KEYS = 2_000

/** A bound over all cached answers; the least recently used one is evicted. */
export interface CacheBounds<T> {
  readonly maxBytes: number
  /** The size of an answer, at least 1. */
  bytesOf(answer: T): number
}

interface CoalescedCall<T> {
  readonly promise: Promise<T>
  readonly scope: CancellationScope
  /** By the coalescer's clock. */
  readonly begunAt: number
  waiting: number
  isSettled: boolean
  /** Null while it is in progress, and if it failed. */
  answer: T | null
}

/** Answers so far, by source: a call of its own, a call in progress or the cache. */
export interface AnswerCounts {
  asked: number
  coalesced: number
  cached: number
}

/** A cache's state, for operators. Expired entries count until their space is needed. */
export interface CacheState extends AnswerCounts {
  readonly entries: number
  /** Null if only the number of entries is bounded. */
  readonly bytes: number | null
}

/** The state of several bounded caches together. */
export const totalOf = (caches: readonly CacheState[]): CacheState => ({
  asked: caches.reduce((sum, { asked }) => sum + asked, 0),
  coalesced: caches.reduce((sum, { coalesced }) => sum + coalesced, 0),
  cached: caches.reduce((sum, { cached }) => sum + cached, 0),
  entries: caches.reduce((sum, { entries }) => sum + entries, 0),
  bytes: caches.reduce((sum, { bytes }) => sum + bytes!, 0),
})

type KeepMs<T> = number | ((answer: T) => number)
type Start<T> = (scope: CancellationScope) => Promise<T>

export class Coalescer<T extends object> {
  readonly counts: AnswerCounts = { asked: 0, coalesced: 0, cached: 0 }
  #made: BoundedCache<string, CoalescedCall<T>> | null = null
  readonly #keepMs: KeepMs<T>
  readonly #clock: Clock
  readonly #bounds: CacheBounds<T> | null

  /**
   * @param keepMs  how long an answer is cached; 0: it serves only the requests already waiting, as a
   * failure does
   * @param bounds  for answers so large that their number alone bounds nothing
   */
  constructor(keepMs: KeepMs<T>, clock: Clock = CLOCK, bounds: CacheBounds<T> | null = null) {
    this.#keepMs = keepMs
    this.#clock = clock
    this.#bounds = bounds
  }

  /** Created for the first request: a gateway has thirty of them. */
  get #calls(): BoundedCache<string, CoalescedCall<T>> {
    const max = this.#bounds?.maxBytes ?? MAX_KEYS
    this.#made ??= boundedCache({ max, clock: this.#clock, isRecorded: true })
    return this.#made
  }

  get cache(): CacheState {
    const bytes = this.#bounds === null ? null : (this.#made?.calculatedSize ?? 0)
    return { ...this.counts, entries: this.size, bytes }
  }

  /** Calls in progress, and cached answers. */
  get size(): number {
    return this.#made?.size ?? 0
  }

  /** Whether a call is in progress or an answer is cached, so that `join` would start nothing. */
  has(key: string, client: Client = GATEWAY): boolean {
    return recorded(this.#clock, `has ${key}`, () => {
      const call = this.#calls.peek(key)
      return call !== undefined && serves(call, client)
    })
  }

  /** The cached answer, without waiting: null if there is none that `join` would give. */
  cached(key: string, client: Client, since: number): T | null {
    return recorded(this.#clock, `cached ${key}`, () => this.#cached(key, client, since))
  }

  #cached(key: string, client: Client, since: number): T | null {
    const call = this.#known(key, client, since)
    if (call === undefined || call.answer === null || call.scope.isThrottled) return null
    this.counts.cached++
    return call.answer
  }

  /**
   * The answer of the call in progress, the cached answer, or that of a new call.
   *
   * @param scope  cancelled when this request's client leaves; null for one that never does
   * @param start  begins the call on the first client's account; its scope is cancelled when nobody waits any longer
   * @param since  a call that began before is neither joined nor used, and a new one takes its key
   */
  join(
    key: string,
    scope: CancellationScope | null,
    start: Start<T>,
    since = Number.NEGATIVE_INFINITY,
  ): Promise<T> {
    const tape = this.#clock.tape?.() ?? null
    if (tape === null) return this.#join(key, scope, start, since)
    const client = scope?.client ?? GATEWAY
    const join = (): Promise<T> => this.#join(key, scope, start, since)
    const isKnown = (): boolean => this.#known(key, client, since) !== undefined
    // A call of its own runs on the tape; another request's answer is state that this one reads.
    return tape.value(`known ${key}`, isKnown) ? tape.value(`answer ${key}`, join) : join()
  }

  #join(key: string, scope: CancellationScope | null, start: Start<T>, since: number): Promise<T> {
    const client = scope?.client ?? GATEWAY
    const known = this.#known(key, client, since)
    if (known !== undefined) this.counts[known.isSettled ? 'cached' : 'coalesced']++
    const call = known ?? this.#begin(key, scope, start)
    if (!call.isSettled) this.#wait(key, call, scope)
    else if (call.scope.isThrottled) scope?.markThrottled()
    if (call.scope.client === client) return call.promise
    return this.#unlessThrottled(call, () => this.#join(key, scope, start, since))
  }

  /** Weighs a cached answer again after it has grown; one that is no longer cached is ignored. */
  reweigh(key: string, answer: T): void {
    const call = this.#calls.peek(key, { allowStale: true })
    if (this.#bounds === null || call?.answer !== answer) return
    const ttl = this.#calls.getRemainingTTL(key)
    this.#calls.delete(key)
    if (ttl > 0) this.#calls.set(key, call, { ttl, size: this.#bounds.bytesOf(answer) })
  }

  /** Another client's answer; or one of its own if that client was throttled. */
  async #unlessThrottled(call: CoalescedCall<T>, joinAgain: () => Promise<T>): Promise<T> {
    try {
      const answer = await call.promise
      if (!call.scope.isThrottled) return answer
    } catch (error) {
      if (!call.scope.isThrottled) throw error
    }
    return joinAgain()
  }

  /** What may serve a client that accepts nothing older than `since`. */
  #known(key: string, client: Client, since: number): CoalescedCall<T> | undefined {
    const call = this.#calls.get(key)
    return call !== undefined && call.begunAt >= since && serves(call, client) ? call : undefined
  }

  #wait(key: string, call: CoalescedCall<T>, scope: CancellationScope | null): void {
    const isJoining = call.waiting++ > 0
    if (scope === null) return
    // The request that began the call times its upstream calls itself.
    const awaited = isJoining ? scope.request?.timing.upstream : undefined
    awaited?.begin()
    const isOwn = call.scope.client === scope.client
    const watcher = {
      cancel: () => {
        scope.unwatch(watcher)
        if (--call.waiting > 0 || call.isSettled) return
        this.#drop(key, call)
        call.scope.cancel()
      },
    }
    const settle = (): void => {
      awaited?.end()
      scope.unwatch(watcher)
      if (isOwn && call.scope.isThrottled) scope.markThrottled()
    }
    call.promise.then(settle, settle)
    if (scope.isCancelled) watcher.cancel()
    else scope.watch(watcher)
  }

  #begin(key: string, first: CancellationScope | null, start: Start<T>): CoalescedCall<T> {
    const scope = first?.detached() ?? new CancellationScope()
    // A client that has already left costs no call.
    if (first?.isCancelled) scope.cancel()
    const begunAt = this.#clock.now()
    this.counts.asked++
    const call: CoalescedCall<T> = {
      promise: start(scope),
      scope,
      begunAt,
      waiting: 0,
      isSettled: false,
      answer: null,
    }
    // The answer's bytes aren't known yet: the call counts as one.
    this.#calls.set(key, call, { ttl: 0 })
    if (this.#calls.size > MAX_KEYS) this.#calls.pop()
    call.promise.then(
      (answer) => {
        call.isSettled = true
        call.answer = answer
        this.#keep(key, call, answer)
      },
      () => {
        call.isSettled = true
        this.#drop(key, call)
      },
    )
    return call
  }

  /** Caches an answer, from now on, for as long as it is worth it. */
  #keep(key: string, call: CoalescedCall<T>, answer: T): void {
    if (this.#calls.peek(key) !== call) return
    const ttl = typeof this.#keepMs === 'number' ? this.#keepMs : this.#keepMs(answer)
    // LRUCache ignores the new size of a value that it already has.
    this.#calls.delete(key)
    if (ttl === 0) return
    this.#calls.set(key, call, { ttl, ...(this.#bounds && { size: this.#bounds.bytesOf(answer) }) })
  }

  #drop(key: string, call: CoalescedCall<T>): void {
    if (this.#calls.peek(key) === call) this.#calls.delete(key)
  }
}

/** Whether the client may wait for the call, or have its answer. */
function serves({ isSettled, scope }: CoalescedCall<object>, client: Client): boolean {
  return !isSettled || !scope.isThrottled || scope.client === client
}
