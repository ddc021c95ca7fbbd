/**
 * On whose behalf upstream calls are made: whose share of what is scarce they
 * take, and whether anybody still waits for them. Any number of calls may hang
 * on one, and `fork` makes a branch of it: the branch is given up with its
 * parent, or alone.
 *
 *   client ── quote ─┬─ provider a ── call
 *                    └─ provider b ─┬─ call
 *                                   └─ call
 */
import type { Timing } from './timing.ts'
import type { TraceContext } from './trace-context.ts'

/** What can be given up. */
export interface Cancellable {
  cancel(): void
}

/** The client that shares are counted by, as http/client/ tells clients apart; opaque here. */
export type Client = string

/** The request that calls are made for. */
export interface OriginatingRequest {
  /** For the log. */
  readonly id: string
  /** Null where the caller names none. */
  readonly trace: TraceContext | null
  readonly timing: Timing
}

/** What the gateway asks for by itself, such as the token list's rows. */
export const GATEWAY: Client = 'house'

export class CancellationScope implements Cancellable {
  readonly client: Client
  /** Null for what no request asks for. */
  readonly request: OriginatingRequest | null
  #parent: CancellationScope | null = null
  readonly #watchers = new Set<Cancellable>()
  #isCancelled = false
  #isThrottled = false

  constructor(client: Client = GATEWAY, request: OriginatingRequest | null = null) {
    this.client = client
    this.request = request
  }

  get isCancelled(): boolean {
    return this.#isCancelled || (this.#parent?.isCancelled ?? false)
  }

  /** Whether a call of it, or of a branch, was refused because too much was asked on its client's account. */
  get isThrottled(): boolean {
    return this.#isThrottled
  }

  /** Notes that a call was refused so: what comes of it may be less than another client would get. */
  markThrottled(): void {
    this.#isThrottled = true
    this.#parent?.markThrottled()
  }

  /** Gives up all that hangs on it, and what is begun with it later. */
  cancel(): void {
    this.#isCancelled = true
    for (const watcher of this.#watchers) watcher.cancel()
  }

  /** @param watcher  is cancelled with this one, until `unwatch` */
  watch(watcher: Cancellable): void {
    this.#watchers.add(watcher)
    // The parent knows a branch only while something hangs on it: one that is
    // kept for as long as an answer does not keep what the answer was made of.
    this.#parent?.watch(this)
  }

  unwatch(watcher: Cancellable): void {
    this.#watchers.delete(watcher)
    if (this.#watchers.size === 0) this.#parent?.unwatch(this)
  }

  /** A branch: given up with this one, and by itself without it. */
  fork(): CancellationScope {
    const branch = new CancellationScope(this.client, this.request)
    branch.#parent = this
    return branch
  }

  /** The same client, for what others come to share: it is not given up when this one leaves. */
  staying(): CancellationScope {
    return new CancellationScope(this.client, this.request)
  }
}
