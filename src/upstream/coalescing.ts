/**
 * One flight per key: requests that ask the same within a moment share one
 * answer, and the flight is called off when the last of them has left.
 *
 * It is flown on the first one's account. Where that one has asked for so much
 * that calls were refused, only its own client gets what came of it: the others
 * begin a flight on their own account.
 *
 * Where there are other instances, one of them flies, and its answer is theirs too.
 */

import { LRUCache } from 'lru-cache'
import { CancellationScope, type Client, GATEWAY } from '../runtime/cancellation.ts'
import { CLOCK, type Clock } from '../runtime/clock.ts'
import type { SharedAnswers } from './shared-answers.ts'

/** Distinct keys kept at once. */
const MAX_KEYS = 2_000
/** What a flight counts for while nobody knows how large its answer will be. */
const UNKNOWN_BYTES = 1

/** A bound over all answers that are kept; the one that was used longest ago gives way. */
export interface CacheBounds<T> {
  readonly maxBytes: number
  /** The size of an answer, at least 1. */
  bytesOf(answer: T): number
}

interface CoalescedCall<T> {
  readonly promise: Promise<T>
  readonly scope: CancellationScope
  /** By the flights' clock. */
  readonly begunAt: number
  waiting: number
  landed: boolean
  /** Null while it is under way, and where it failed. */
  answer: T | null
}

/** Answers so far, by where they came from: asked for, together with those that wait, at hand, or another instance's. */
export interface AnswerCounts {
  asked: number
  joined: number
  kept: number
  shared: number
}

/** A cache, for whoever looks after it. What has expired counts until its place is needed. */
export interface CacheState extends AnswerCounts {
  readonly entries: number
  /** Null where nothing but the number of entries bounds it. */
  readonly bytes: number | null
}

type KeepMs<T> = number | ((answer: T) => number)

export class Coalescer<T extends object> {
  readonly counts: AnswerCounts = { asked: 0, joined: 0, kept: 0, shared: 0 }
  readonly #flights: LRUCache<string, CoalescedCall<T>>
  readonly #keepMs: KeepMs<T>
  readonly #clock: Clock
  readonly #room: CacheBounds<T> | null
  readonly #peers: SharedAnswers<T> | null

  /**
   * @param keepMs  how long an answer serves those who come later; 0, and it serves only those already waiting, as a failure does
   * @param room    where answers are so large that their number alone bounds nothing
   * @param peers   other instances, where there are any
   */
  constructor(
    keepMs: KeepMs<T>,
    clock: Clock = CLOCK,
    room: CacheBounds<T> | null = null,
    peers: SharedAnswers<T> | null = null,
  ) {
    this.#keepMs = keepMs
    this.#peers = peers
    this.#clock = clock
    this.#room = room
    this.#flights = new LRUCache({
      max: MAX_KEYS,
      ...(room === null ? {} : { maxSize: room.maxBytes }),
      ttl: 0,
      ttlResolution: 0,
      perf: clock,
    })
  }

  get cache(): CacheState {
    const bytes = this.#room === null ? null : this.#flights.calculatedSize
    return { ...this.counts, entries: this.size, bytes }
  }

  /** Flights that are under way, and answers that are kept. */
  get size(): number {
    return this.#flights.size
  }

  /** Whether there is an answer under way or at hand, so that `join` starts nothing. */
  has(key: string, client: Client = GATEWAY): boolean {
    const flight = this.#flights.peek(key)
    return flight !== undefined && serves(flight, client)
  }

  /** The answer at hand, without waiting: null where there is none that `join` would give. */
  atHand(key: string, client: Client, since: number): T | null {
    const flight = this.#known(key, client, since)
    if (flight === undefined || flight.answer === null || flight.scope.isThrottled) return null
    this.counts.kept++
    return flight.answer
  }

  /**
   * The answer under way or at hand for this key, or a new one.
   *
   * @param caller  cancelled when this caller leaves; null for one that never does
   * @param start   begins the flight, on the first one's account; its Caller is cancelled when nobody waits any more
   * @param since   a flight that was begun before is neither joined nor taken, and gives its key to a new one;
   *                nor is one of another instance, of which nobody knows when it was
   */
  join(
    key: string,
    scope: CancellationScope | null,
    start: (shared: CancellationScope) => Promise<T>,
    since = Number.NEGATIVE_INFINITY,
  ): Promise<T> {
    const client = scope?.client ?? GATEWAY
    const known = this.#known(key, client, since)
    if (known !== undefined) this.counts[known.landed ? 'kept' : 'joined']++
    const mayShare = since === Number.NEGATIVE_INFINITY
    const flight = known ?? this.#take(key, scope, start, mayShare ? this.#peers : null)
    if (!flight.landed) this.#wait(key, flight, scope)
    else if (flight.scope.isThrottled) scope?.markThrottled()
    return flight.scope.client === client
      ? flight.promise
      : this.#unlessShort(flight, key, scope, start, since)
  }

  /** Counts an answer again that has grown since it was given; one that nobody gets any more is let go. */
  reweigh(key: string, answer: T): void {
    const flight = this.#flights.peek(key, { allowStale: true })
    if (this.#room === null || flight?.answer !== answer) return
    const ttl = this.#flights.getRemainingTTL(key)
    this.#flights.delete(key)
    if (ttl > 0) this.#flights.set(key, flight, { ttl, size: this.#room.bytesOf(answer) })
  }

  /** Another client's answer, or where that is not for all, one of our own. */
  async #unlessShort(
    flight: CoalescedCall<T>,
    key: string,
    scope: CancellationScope | null,
    start: (shared: CancellationScope) => Promise<T>,
    since: number,
  ): Promise<T> {
    try {
      const answer = await flight.promise
      if (!flight.scope.isThrottled) return answer
    } catch (error) {
      if (!flight.scope.isThrottled) throw error
    }
    return this.join(key, scope, start, since)
  }

  /** What may serve a client who asks for nothing older than `since`. */
  #known(key: string, client: Client, since: number): CoalescedCall<T> | undefined {
    const flight = this.#flights.get(key)
    return flight !== undefined && flight.begunAt >= since && serves(flight, client) ? flight : undefined
  }

  #wait(key: string, flight: CoalescedCall<T>, scope: CancellationScope | null): void {
    const isJoining = flight.waiting++ > 0
    if (scope === null) return
    // Whoever began it is told of the calls themselves.
    const awaited = isJoining ? scope.request?.timing.upstream : undefined
    awaited?.begin()
    const isOwn = flight.scope.client === scope.client
    const leaving = {
      cancel: () => {
        scope.unwatch(leaving)
        if (--flight.waiting > 0 || flight.landed) return
        this.#drop(key, flight)
        flight.scope.cancel()
      },
    }
    const stay = (): void => {
      awaited?.end()
      scope.unwatch(leaving)
      if (isOwn && flight.scope.isThrottled) scope.markThrottled()
    }
    flight.promise.then(stay, stay)
    if (scope.isCancelled) leaving.cancel()
    else scope.watch(leaving)
  }

  #take(
    key: string,
    first: CancellationScope | null,
    start: (shared: CancellationScope) => Promise<T>,
    peers: SharedAnswers<T> | null,
  ): CoalescedCall<T> {
    const shared = first?.staying() ?? new CancellationScope()
    // Who has left already costs no call.
    if (first?.isCancelled) shared.cancel()
    const begunAt = this.#clock.now()
    const flight: CoalescedCall<T> = {
      promise: peers === null ? this.#ask(shared, start) : this.#askPeers(peers, key, shared, start),
      scope: shared,
      begunAt,
      waiting: 0,
      landed: false,
      answer: null,
    }
    this.#flights.set(key, flight, { ttl: 0, ...(this.#room && { size: UNKNOWN_BYTES }) })
    flight.promise.then(
      (answer) => {
        flight.landed = true
        flight.answer = answer
        if (this.#flights.peek(key) !== flight) return
        // An answer's time begins with the answer, not with the question.
        const ttl = this.#keepMsOf(answer)
        // The cache does not look at the new size of a value that it has already.
        this.#flights.delete(key)
        if (ttl === 0) return
        this.#flights.set(key, flight, { ttl, ...(this.#room && { size: this.#room.bytesOf(answer) }) })
      },
      () => {
        flight.landed = true
        this.#drop(key, flight)
      },
    )
    return flight
  }

  #ask(shared: CancellationScope, start: (shared: CancellationScope) => Promise<T>): Promise<T> {
    this.counts.asked++
    return start(shared)
  }

  async #askPeers(
    peers: SharedAnswers<T>,
    key: string,
    shared: CancellationScope,
    start: (shared: CancellationScope) => Promise<T>,
  ): Promise<T> {
    let isOwn = false
    const fly = (): Promise<T> => {
      isOwn = true
      return this.#ask(shared, start)
    }
    const answer = await peers.join(key, shared, fly, (answer) => this.#keepMsOf(answer))
    if (!isOwn) this.counts.shared++
    return answer
  }

  #keepMsOf(answer: T): number {
    return typeof this.#keepMs === 'number' ? this.#keepMs : this.#keepMs(answer)
  }

  #drop(key: string, flight: CoalescedCall<T>): void {
    if (this.#flights.peek(key) === flight) this.#flights.delete(key)
  }
}

/** Whether the client may wait for the flight, or have its answer. */
function serves({ landed, scope }: CoalescedCall<object>, client: Client): boolean {
  return !landed || !scope.isThrottled || scope.client === client
}
