/**
 * A circuit breaker for one upstream: when it keeps failing, stop calling for a
 * while, then let one call through to see.
 *
 *   closed ──5 failures in a row──> open ──time──> half-open
 *     ^                              ^                │ one probe
 *     │                              └────failed──────┤
 *     └───────────────────succeeded───────────────────┘
 *
 * It judges the upstream, not the question. Callers choose what is asked for,
 * so whoever knows a question that fails, or that takes for ever, could close
 * an upstream for everybody. Therefore, while several clients are asking:
 * the same question of the same client counts once, one client alone does not
 * open it, and a call that was not answered in time counts only when nothing
 * was answered since it began. That a connection cannot be made is nobody's
 * question, and always counts.
 *
 * Every admitted call holds a pass and hands its verdict in with it. Opening
 * starts a new epoch and voids the passes of the old one, so that the late
 * timeouts of an outage neither prolong the cool-down nor answer for the probe.
 */

import type { Client } from '../runtime/cancellation.ts'
import type { Clock } from '../runtime/clock.ts'

/** Failures in a row that open it. */
const FAILURES_TO_OPEN = 5
/** Clients that they must be of, while more than one is asking. */
const CLIENTS_TO_OPEN = 2
/** How long a client is one that is asking. */
const ASKING_MS = 30_000
/** Calls that expire within so long are one failure: one stall ends them all. */
const STALL_MS = 50
/** First cool-down, doubled by each failed probe. */
const MIN_COOL_DOWN_MS = 1_000
const MAX_COOL_DOWN_MS = 60_000
/** Failures that are remembered. */
const MAX_WITNESSES = 16

/** How an upstream failed. `unreachable`: no connection; `silent`: no whole answer in time; `wrong`: a bad one. */
export type CallFault = 'unreachable' | 'silent' | 'wrong'

/** Who asked what, and when. */
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
  #coolDownMs = 0
  #openUntil = 0
  #answeredAt = Number.NEGATIVE_INFINITY
  #silentAt = Number.NEGATIVE_INFINITY
  /** The failures since the last success that count, the newest last. */
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

  /** Whether calls are held back, or one probe is under way. */
  get isOpen(): boolean {
    return this.#phase !== 'closed'
  }

  /**
   * Ask to make a call. Each pass must be handed in once: to `succeeded`,
   * `failed` or `released`.
   * @returns a pass, or 0 for no
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

  /** The upstream answered something, of whatever worth: it is not silent. */
  answered(): void {
    this.#answeredAt = this.#clock.now()
  }

  succeeded(pass: number): void {
    if (pass !== this.#epoch) return
    this.#phase = 'closed'
    this.#witnesses.length = 0
    this.#coolDownMs = 0
  }

  failed(pass: number, fault: CallFault, asked: JudgedCall): void {
    if (pass !== this.#epoch) return
    if (!this.#counts(fault, asked)) {
      this.released(pass)
      return
    }
    this.#witnesses.push(asked)
    if (this.#witnesses.length > MAX_WITNESSES) this.#witnesses.shift()
    const opens = this.#phase === 'half-open' || this.#isProved(fault)
    if (!opens) return
    this.#coolDownMs = Math.min(Math.max(2 * this.#coolDownMs, MIN_COOL_DOWN_MS), MAX_COOL_DOWN_MS)
    this.#phase = 'open'
    this.#epoch++
    this.#openUntil = this.#clock.now() + this.#coolDownMs
  }

  /** The call was given up, or failed, for a reason that says nothing about the upstream. */
  released(pass: number): void {
    if (pass === this.#epoch && this.#phase === 'half-open') this.#phase = 'open'
  }

  /** How long until a call is worth trying, in ms; 0 when it is now. */
  get waitMs(): number {
    if (this.isReady) return 0
    // A probe under way has no known end; ask again after the shortest cool-down.
    return this.#phase === 'half-open' ? MIN_COOL_DOWN_MS : Math.ceil(this.#openUntil - this.#clock.now())
  }

  /** Whether a failure says something of the upstream that was not known. */
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

  /** Whether more than one client has been asking lately. */
  #othersAsk(): boolean {
    return this.#clock.now() - this.#othersAt < ASKING_MS
  }
}
