/**
 * Submits signed transactions: identical bytes and options go to all send
 * upstreams at once, and the first acceptance is the answer. An acceptance
 * means that preflight has passed. Only then do the same bytes also go to the
 * submission services, which take transactions without preflight; a service
 * that requires a tip or a price gets only those that have it, and no more than
 * it accepts.
 *
 *   submit ─┬─ solana-1 ── refused: it does not know the blockhash yet ── a slot later ── solana-1
 *           └─ solana-2 ── accepted ─┬─ solana-landing-1
 *                                    └─ solana-landing-2
 *
 * Source: spec §4.9
 */

import { Call } from '../../../flow/call.ts'
import type { Client } from '../../../flow/cancellation.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { GatewayError, nullIfRefused } from '../../../runtime/errors.ts'
import { getOrInsert } from '../../../runtime/lists.ts'
import { Governor } from '../../admission/governor.ts'
import type { AboutUpstream } from '../../request.ts'
import { coolingDown, type Upstream } from '../../upstream.ts'
import { shortestWaitMs } from '../fail-over.ts'
import { RpcCall, type RpcReply } from '../json-rpc.ts'
import { firstAcceptance } from './first-acceptance.ts'
import { type LandingService, lackOf, type Offering, offeringOf } from './landing-services.ts'
import type { SlotPace } from './slot-pace.ts'
import { isAboutNode } from './slots.ts'

/** The deadline of a submission service, which nobody waits for. */
const SERVICE_DEADLINE_MS = 10_000

const SEND = 'sendTransaction'
/** The bound of an answer: the logs of a preflight have about ten thousand bytes. */
const MAX_ANSWER_BYTES = 262_144

/** A signed transaction, as it goes to the nodes. */
export interface Submission {
  readonly base64: string
  /** The first signature in base58, which is what an acceptance answers. */
  readonly signature: string
  /** The params of sendTransaction, built from what was verified. */
  readonly paramsJson: string
  /** Bounds how often it is sent again. */
  readonly retries: LagRetries
  readonly trace: SubmissionTrace
  /** Whether this error means that the node lags, and will soon know the transaction's blockhash. */
  isLag(error: Buffer): boolean
}

export interface LagRetries {
  /** Called once for each node that lags: whether it may get the transaction again. */
  takeForLag(): boolean
}

/**
 * How an upstream answered: it took the transaction, refused it with a JSON-RPC error, or gave no usable
 * answer; or why it got nothing.
 */
export type SendOutcome = 'accepted' | 'refused' | 'failed' | Withheld

/**
 * The transaction lacks the tip or the price that a service requires, or the service takes no more at the
 * moment.
 */
export type Withheld = 'untipped' | 'unpriced' | 'throttled'

/** Records what happens at each upstream, by its index in `labels`. */
export interface SubmissionTrace {
  sent(upstream: number): void
  answered(upstream: number, outcome: SendOutcome): void
}

interface SolanaSubmissionsOptions {
  readonly senders: readonly Upstream[]
  /** Submission services. */
  readonly services: readonly Upstream[]
  /** What each of them requires; null if that is unknown. */
  readonly serviceRows: readonly (LandingService | null)[]
  /** How long the other upstreams may still accept a transaction that one has refused. */
  readonly graceMs: number
  readonly clock: Clock
  readonly pace: Pick<SlotPace, 'slotMs'>
}

export class SolanaSubmissions {
  /** The send upstreams, then the submission services. */
  readonly labels: readonly string[]
  readonly #options: SolanaSubmissionsOptions
  /** What each service requires; null if that is unknown. */
  readonly serviceRows: readonly (LandingService | null)[]
  /** Of the services that have a quota. */
  readonly #governors: readonly (Governor | null)[]
  /**
   * What was read from a transaction for the services, and its sender: repetitions are charged to the same
   * account.
   */
  readonly #offered = new WeakMap<Submission, Offering & { readonly client: Client }>()
  /** Each ends a wait. */
  readonly #waits = new Set<() => void>()
  #isClosed = false
  #lastId = 0

  constructor(options: SolanaSubmissionsOptions) {
    const { senders, services, serviceRows, clock } = options
    this.#options = options
    this.serviceRows = serviceRows
    this.#governors = serviceRows.map((row) => (row?.quota ? new Governor(row.quota, clock) : null))
    this.labels = [...senders, ...services].map(({ label }) => label)
  }

  /**
   * Sends a transaction to all send upstreams at once, and again to one that lags; each gets the same bytes
   * and options. It cannot be cancelled: the bytes may already have left, and the answers belong in the log.
   * @param call  over all attempts
   * @returns the first acceptance, else the refusal of the most preferred upstream that refused
   * @throws GatewayError  signature_mismatch, else upstream_*, if none answered
   */
  submit(submission: Submission, call: Call): Promise<RpcReply> {
    const { clock, pace, graceMs } = this.#options
    const senders = this.#ready(this.#options.senders)
    if (senders.length === 0) {
      return Promise.reject(coolingDown(shortestWaitMs(this.#options.senders, SEND)))
    }
    const id = ++this.#lastId
    const lagging = new Set<RpcReply>()

    const attempt = async (sender: Upstream): Promise<RpcReply> => {
      const request = this.#callOf(submission, submission.paramsJson, sender, id)
      const ask = () => this.#ask(sender, request, call, submission.trace)
      const isLag = (reply: RpcReply): boolean => reply.error !== null && submission.isLag(reply.error)
      let reply = await ask()
      if (isLag(reply)) {
        lagging.add(reply)
        const { slotMs } = pace
        if (call.leftMs <= slotMs || !submission.retries.takeForLag()) return reply
        // By then, a node that is a slot or two behind has caught up.
        await this.#wait(slotMs)
        if (this.#isClosed || call.leftMs < 1 || !sender.isReady(SEND)) return reply
        reply = await ask()
        if (isLag(reply)) lagging.add(reply)
      }
      return reply
    }

    let isAccepted = false
    const attempts = senders.map(async (sender) => {
      const reply = await attempt(sender)
      if (reply.error === null && !isAccepted) {
        isAccepted = true
        void this.#sendToServices(submission, Call.of(clock, call.priority, SERVICE_DEADLINE_MS, call.scope))
      }
      return reply
    })
    const isAboutLag = (reply: RpcReply): boolean => lagging.has(reply) || isAboutNode(reply)
    return firstAcceptance(attempts, isAboutLag, graceMs, clock)
  }

  /**
   * Sends a transaction that a node has accepted to all upstreams again, on the gateway's own account and
   * with the lowest priority.
   */
  async resend(submission: Submission, call: Call): Promise<void> {
    const id = ++this.#lastId
    const sends = this.#ready(this.#options.senders).map((sender) => {
      const request = this.#callOf(submission, submission.paramsJson, sender, id)
      return this.#ask(sender, request, call, submission.trace).catch(nullIfRefused)
    })
    await Promise.all([...sends, this.#sendToServices(submission, call)])
  }

  /** Ends all waits; sent transactions stay sent. */
  close(): void {
    this.#isClosed = true
    for (const end of this.#waits) end()
  }

  async #sendToServices(submission: Submission, call: Call): Promise<void> {
    const { services } = this.#options
    if (services.length === 0) return
    const paramsJson = `["${submission.base64}",{"encoding":"base64","skipPreflight":true,"maxRetries":0}]`
    const id = ++this.#lastId
    const takers = services.filter((service, i) => {
      if (!service.isReady(SEND)) return false
      const withheld = this.#withheld(submission, i, call.scope.client)
      if (withheld !== null) submission.trace.answered(this.labels.indexOf(service.label), withheld)
      return withheld === null
    })
    const sends = takers.map((service) => {
      const request = this.#callOf(submission, paramsJson, service, id)
      return this.#ask(service, request, call, submission.trace).catch(nullIfRefused)
    })
    await Promise.all(sends)
  }

  /** Why a service does not get a transaction; else takes a slot in the service's quota. */
  #withheld(submission: Submission, service: number, client: Client): Withheld | null {
    const row = this.serviceRows[service]
    if (!row) return null
    const offered = getOrInsert(this.#offered, submission, () => ({
      ...offeringOf(submission.base64),
      client,
    }))
    const lack = lackOf(offered, row)
    if (lack !== null) return lack
    const waitMs = this.#governors[service]?.admit('build', offered.client) ?? 0
    return waitMs > 0 ? 'throttled' : null
  }

  #callOf({ signature }: Submission, paramsJson: string, { label }: Upstream, id: number): SendCall {
    return new SendCall(id, paramsJson, signature, label)
  }

  async #ask(upstream: Upstream, request: SendCall, call: Call, trace: SubmissionTrace): Promise<RpcReply> {
    const index = this.labels.indexOf(upstream.label)
    trace.sent(index)
    try {
      const reply = await upstream.ask<RpcReply>(request, call)
      trace.answered(index, reply.error === null ? 'accepted' : 'refused')
      return reply
    } catch (error) {
      trace.answered(index, 'failed')
      throw error
    }
  }

  #ready(upstreams: readonly Upstream[]): Upstream[] {
    return upstreams.filter((upstream) => upstream.isReady(SEND))
  }

  /** Resolves after this many ms, or when this is closed. */
  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#waits.delete(end)
        callOff()
        resolve()
      }
      const callOff = this.#options.clock.after(ms, end)
      this.#waits.add(end)
    })
  }
}

/** A call of sendTransaction, which checks that the node accepted this transaction and no other. */
class SendCall extends RpcCall {
  readonly maxBytes = MAX_ANSWER_BYTES
  readonly #signature: string
  readonly #label: string

  constructor(id: number, paramsJson: string, signature: string, label: string) {
    super('solana', { id, method: SEND, paramsJson, resend: false })
    this.#signature = signature
    this.#label = label
  }

  override read(status: number, body: Buffer): RpcReply | AboutUpstream | null {
    const reply = super.read(status, body)
    if (reply === null || typeof reply === 'symbol' || reply.result === null) return reply
    if (reply.result.toString('latin1') === `"${this.#signature}"`) return reply
    const message =
      'The upstream acknowledged another signature than the transaction has. It may not have sent it.'
    throw new GatewayError('signature_mismatch', message, { provider: this.#label })
  }
}
