/**
 * What Redis left unanswered over a connection that holds. Whoever asked went on
 * alone, so Redis counts as degraded until it has failed at nothing for a while.
 */

/** A server names its errors as it likes: further names are counted together. */
const MAX_CAUSES = 32
const OTHER_CAUSE = 'other'

/** The last failure. */
interface Failure {
  /** The code of Redis's own error, such as OOM, or a cause as upstreams have it. */
  readonly cause: string
  /** The class of the error, where the cause is `unknown`. */
  readonly error: string | null
  /** What was asked about; null for no key. */
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
  /** Whether it was told that Redis is degraded. */
  isTold = false

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
    this.isTold = false
  }
}
