/**
 * A circuit breaker for one upstream: if it keeps failing, it gets no calls for a
 * while, and then one call as a probe.
 *
 *   closed ──5 failures in a row──> open ──time──> half-open
 *     ^                              ^                │ one probe
 *     │                              └────failed──────┤
 *     └───────────────────succeeded───────────────────┘
 *
 * It judges the upstream, not the question. Clients choose the questions, so an
 * attacker who knows one that fails, or that takes for ever, could open the
 * breaker for all clients. Therefore, while several clients are active: the same
 * question of the same client counts once, one client alone does not open
 * the breaker, and a timeout counts only if the upstream has answered nothing
 * since that call began. A connection that cannot be made depends on no
 * question, and always counts.
 *
 * Every admitted call holds a pass and hands its result in with it. Opening
 * starts a new epoch and voids the passes of the old one, so that the late
 * timeouts of an outage neither prolong the open phase nor decide the probe.
 */

import type { Client } from '../../flow/cancellation.ts'
import type { Clock } from '../../runtime/clock.ts'

/** Failures in a row that open it. */
const FAILURES_TO_OPEN = 5
/** How many clients the failures must come from, if more than one is active. */
const CLIENTS_TO_OPEN = 2
/** How long after its last call a client counts as active. */
const ASKING_MS = 30_000
/** Timeouts this close together count as one failure: a single stall causes them all. */
const STALL_MS = 50
/** The first open phase; each failed probe doubles it. */
const MIN_OPEN_MS = 1_000
const MAX_OPEN_MS = 60_000
/** How many failures are remembered. */
const MAX_WITNESSES = 16

/** How an upstream failed. `unreachable`: no connection; `silent`: no complete answer in time; `wrong`: a bad answer. */
export type CallFault = 'unreachable' | 'silent' | 'wrong'

/** A call, as the breaker judges it. */
export interface JudgedCall {
  readonly client: Client
  readonly question: string
  /** By the breaker's clock. */
  readonly begunAt: number
}

export class Breaker {
  readonly #clock: Clock
  #phase: 'closed' | 'open' | 'half-open' = 'closed'
  #epoch = 1
  #openMs = 0
  #openUntil = 0
  #answeredAt = Number.NEGATIVE_INFINITY
  #silentAt = Number.NEGATIVE_INFINITY
  /** The failures that count since the last success, the newest last. */
  #witnesses: Pick<JudgedCall, 'client' | 'question'>[] = []
  #lastClient: Client | null = null
  #othersAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get phase(): 'closed' | 'open' | 'half-open' {
    return this.#phase
  }

  /** Whether `admit` would let a call through now. */
  get isReady(): boolean {
    return this.#phase === 'closed' || (this.#phase === 'open' && this.#clock.now() >= this.#openUntil)
  }

  /** Whether calls are rejected, or one probe is in progress. */
  get isOpen(): boolean {
    return this.#phase !== 'closed'
  }

  /**
   * Asks to make a call. Each pass must be handed in once: to `succeeded`,
   * `failed` or `released`.
   * @returns a pass; 0 if the call must not be made
   */
  admit(client: Client): number {
    if (!this.isReady) return 0
    if (client !== this.#lastClient) {
      if (this.#lastClient !== null) this.#othersAt = this.#clock.now()
      this.#lastClient = client
    }
    if (this.#phase === 'open') this.#phase = 'half-open'
    return this.#epoch
  }

  /** The upstream answered, well or badly: it is not silent. */
  answered(): void {
    this.#answeredAt = this.#clock.now()
  }

  succeeded(pass: number): void {
    if (pass !== this.#epoch) return
    this.#phase = 'closed'
    this.#witnesses.length = 0
    this.#openMs = 0
  }

  failed(pass: number, fault: CallFault, call: JudgedCall): void {
    if (pass !== this.#epoch) return
    if (!this.#counts(fault, call)) {
      this.released(pass)
      return
    }
    this.#witnesses.push(call)
    if (this.#witnesses.length > MAX_WITNESSES) this.#witnesses.shift()
    const opens = this.#phase === 'half-open' || this.#isProved(fault)
    if (opens) this.#open(Math.min(Math.max(2 * this.#openMs, MIN_OPEN_MS), MAX_OPEN_MS))
  }

  /** The upstream failed, and said when to retry: that is its own claim, so it opens at once. */
  rest(pass: number, ms: number): void {
    if (pass === this.#epoch) this.#open(Math.min(ms, MAX_OPEN_MS))
  }

  #open(ms: number): void {
    this.#openMs = ms
    this.#phase = 'open'
    this.#epoch++
    this.#openUntil = this.#clock.now() + ms
  }

  /** The call was cancelled, or failed for a reason that says nothing about the upstream. */
  released(pass: number): void {
    if (pass === this.#epoch && this.#phase === 'half-open') this.#phase = 'open'
  }

  /** Until a call is worth trying, ms; 0 if it is now. */
  get waitMs(): number {
    if (this.isReady) return 0
    // When a probe in progress ends isn't known: try again after the shortest open phase.
    return this.#phase === 'half-open' ? MIN_OPEN_MS : Math.ceil(this.#openUntil - this.#clock.now())
  }

  /** Whether a failure says something new about the upstream. */
  #counts(fault: CallFault, { client, question, begunAt }: JudgedCall): boolean {
    if (fault === 'unreachable') return true
    if (fault === 'silent') {
      const now = this.#clock.now()
      if (this.#answeredAt > begunAt || now - this.#silentAt < STALL_MS) return false
      this.#silentAt = now
    }
    if (!this.#othersAsk()) return true
    return !this.#witnesses.some((known) => known.client === client && known.question === question)
  }

  #isProved(fault: CallFault): boolean {
    if (this.#witnesses.length < FAILURES_TO_OPEN) return false
    if (fault === 'unreachable' || !this.#othersAsk()) return true
    return new Set(this.#witnesses.map(({ client }) => client)).size >= CLIENTS_TO_OPEN
  }

  /** Whether more than one client has called recently. */
  #othersAsk(): boolean {
    return this.#clock.now() - this.#othersAt < ASKING_MS
  }
}
