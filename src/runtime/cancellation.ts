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
export interface AskedBy {
  /** For the log. */
  readonly id: string
  /** Null where the caller names none. */
  readonly trace: TraceContext | null
  readonly timing: Timing
}

/** What the gateway asks for by itself, such as the token list's rows. */
export const HOUSE: Client = 'house'

export class Caller implements Cancellable {
  readonly client: Client
  /** Null for what no request asks for. */
  readonly request: AskedBy | null
  #parent: Caller | null = null
  readonly #watchers = new Set<Cancellable>()
  #isCancelled = false
  #isShort = false

  constructor(client: Client = HOUSE, request: AskedBy | null = null) {
    this.client = client
    this.request = request
  }

  get isCancelled(): boolean {
    return this.#isCancelled || (this.#parent?.isCancelled ?? false)
  }

  /** Whether a call of it, or of a branch, was refused because too much was asked on its client's account. */
  get isShort(): boolean {
    return this.#isShort
  }

  /** Notes that a call was refused so: what comes of it may be less than another client would get. */
  fallShort(): void {
    this.#isShort = true
    this.#parent?.fallShort()
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
  fork(): Caller {
    const branch = new Caller(this.client, this.request)
    branch.#parent = this
    return branch
  }

  /** The same client, for what others come to share: it is not given up when this one leaves. */
  staying(): Caller {
    return new Caller(this.client, this.request)
  }
}
