/**
 * What every upstream call carries: the account that it is charged to, its cancellation, its urgency and its
 * deadline. A request makes one, and each step passes it on; a step with less time passes on a shorter one.
 */

import { type Clock, orLate } from '../runtime/clock.ts'
import { CancellationScope } from './cancellation.ts'

/** If an upstream's quota runs short, higher priorities go first; the highest is listed first. */
export type Priority = 'build' | 'decimals' | 'quote' | 'list' | 'research'

export class Call {
  readonly clock: Clock
  readonly scope: CancellationScope
  readonly priority: Priority
  /** Monotonic, ms. */
  readonly deadlineAt: number

  /** @param scope  absent: the gateway's own, which nothing cancels */
  constructor(clock: Clock, priority: Priority, deadlineAt: number, scope = new CancellationScope()) {
    this.clock = clock
    this.scope = scope
    this.priority = priority
    this.deadlineAt = deadlineAt
  }

  /** A call that may take this many ms from now on. */
  static of(clock: Clock, priority: Priority, ms: number, scope?: CancellationScope): Call {
    return new Call(clock, priority, clock.now() + ms, scope)
  }

  /** Until the deadline, ms; 0 once it has passed. */
  get leftMs(): number {
    return Math.max(0, this.deadlineAt - this.clock.now())
  }

  /** The same, with at most this many ms from now on. */
  within(ms: number): Call {
    const at = Math.min(this.deadlineAt, this.clock.now() + ms)
    return new Call(this.clock, this.priority, at, this.scope)
  }

  /** What the promise resolves to, or `late` at the deadline. */
  orLate<T>(asked: Promise<T>, late: T): Promise<T> {
    return orLate(this.clock, this.leftMs, asked, late)
  }

  as(priority: Priority): Call {
    return priority === this.priority ? this : new Call(this.clock, priority, this.deadlineAt, this.scope)
  }

  /** The same on another scope, such as one that several requests share. */
  in(scope: CancellationScope): Call {
    return new Call(this.clock, this.priority, this.deadlineAt, scope)
  }

  /** A branch: cancelled with this call, or alone. */
  fork(): Call {
    return this.in(this.scope.fork())
  }
}
