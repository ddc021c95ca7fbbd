/**
 * Commands that Redis left unanswered over a working connection. The callers went on alone, so Redis counts
 * as degraded until nothing has failed for a while.
 */

/** Servers choose the names of their errors: after this many, further ones are counted together. */
const MAX_CAUSES = 32
const OTHER_CAUSE = 'other'

/** The last failure. */
interface Failure {
  /** The code of Redis's own error, such as OOM, or a cause as upstreams have it. */
  readonly cause: string
  /** The class of the error, if the cause is `unknown`. */
  readonly error: string | null
  /** The key in question; null if there is none. */
  readonly key: string | null
  /** On the monotonic clock, ms. */
  readonly at: number
}

export class Failures {
  /** How many there were since the start, by cause. */
  readonly counts = new Map([['timeout', 0]])
  /** Null while Redis is not degraded. */
  last: Failure | null = null
  /** When Redis became degraded, on the monotonic clock, ms. */
  since = 0
  /** Whether it was logged that Redis is degraded. */
  isReported = false

  add(failure: Failure): void {
    const { counts } = this
    const name = counts.has(failure.cause) || counts.size < MAX_CAUSES ? failure.cause : OTHER_CAUSE
    counts.set(name, (counts.get(name) ?? 0) + 1)
    if (this.last === null) this.since = failure.at
    this.last = failure
  }

  /** Redis is not degraded any more, or lost. */
  end(): void {
    this.last = null
    this.isReported = false
  }
}
