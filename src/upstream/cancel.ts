/**
 * Held by whoever may give calls up, because the client went away. Any number
 * of calls may hang on one, and `fork` makes a branch of it: the branch is
 * cancelled with its parent, or alone.
 *
 *   client ── quote ─┬─ provider a ── call
 *                    └─ provider b ─┬─ call
 *                                   └─ call
 */

/** What can be given up. */
export interface Cancellable {
  cancel(): void
}

export class Cancel implements Cancellable {
  #parent: Cancel | null = null
  readonly #watchers = new Set<Cancellable>()
  #isCancelled = false

  get isCancelled(): boolean {
    return this.#isCancelled || (this.#parent?.isCancelled ?? false)
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

  /** A branch: cancelled with this one, and by itself without it. */
  fork(): Cancel {
    const branch = new Cancel()
    branch.#parent = this
    return branch
  }
}
