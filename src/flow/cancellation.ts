/**
 * The cancellation scope of upstream calls: the client whose share of quotas and
 * slots they take, and whether a request still waits for them. A scope has any
 * number of calls. `fork` makes a branch, which is cancelled with its parent, or
 * alone.
 *
 *   client ── quote ─┬─ provider a ── call
 *                    └─ provider b ─┬─ call
 *                                   └─ call
 */
import type { Timing } from './timing.ts'
import type { TraceContext } from './trace-context.ts'

/** Anything that can be cancelled. */
export interface Cancellable {
  cancel(): void
}

/** The key of a client, as http/client/ identifies clients; opaque here. */
export type Client = string

/** The request that calls are made for. */
export interface OriginatingRequest {
  /** For the log. */
  readonly id: string
  /** Null if the client sends none. */
  readonly trace: TraceContext | null
  readonly timing: Timing
}

/** The client of the gateway's own calls, such as those for the token list. */
export const GATEWAY: Client = 'gateway'

export class CancellationScope implements Cancellable {
  readonly client: Client
  /** Null for calls outside requests. */
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

  /** Whether one of its calls, or of a branch, was rejected because its client made too many. */
  get isThrottled(): boolean {
    return this.#isThrottled
  }

  /** Notes such a rejection: the answer may fall short of what another client would get. */
  markThrottled(): void {
    this.#isThrottled = true
    this.#parent?.markThrottled()
  }

  /** Cancels its calls and branches, and calls that begin with it later. */
  cancel(): void {
    this.#isCancelled = true
    for (const watcher of this.#watchers) watcher.cancel()
  }

  /** @param watcher  is cancelled with this scope, until `unwatch` */
  watch(watcher: Cancellable): void {
    this.#watchers.add(watcher)
    // The parent knows a branch only while the branch has watchers: a scope held by a cached answer does not
    // hold the calls behind the answer.
    this.#parent?.watch(this)
  }

  unwatch(watcher: Cancellable): void {
    this.#watchers.delete(watcher)
    if (this.#watchers.size === 0) this.#parent?.unwatch(this)
  }

  /** A branch: cancelled with this scope, or alone. */
  fork(): CancellationScope {
    const branch = new CancellationScope(this.client, this.request)
    branch.#parent = this
    return branch
  }

  /** A scope of the same client and request for a shared call: it is not cancelled with this one. */
  detached(): CancellationScope {
    return new CancellationScope(this.client, this.request)
  }
}
