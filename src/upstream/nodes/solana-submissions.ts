/**
 * Signed transactions on their way out: identical bytes and options to all send
 * upstreams at once, and the first acceptance answers. An acceptance says that
 * preflight has passed, so from then on the same bytes also go to services that
 * take transactions only without preflight, and never before.
 *
 *   submit ─┬─ solana-1 ── refused: it does not know the blockhash yet ── a slot later ── solana-1
 *           └─ solana-2 ── accepted ─┬─ solana-landing-1
 *                                    └─ solana-landing-2
 *
 * Source: spec §4.9
 */

import { EnvelopeScan } from '../../chains/json/scan.ts'
import type { CancellationScope } from '../../runtime/cancellation.ts'
import { type Clock, countdown } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { AskOptions } from '../call.ts'
import { coolingDown, type Upstream } from '../upstream.ts'
import { shortestWaitMs } from './fail-over.ts'
import { firstAcceptance } from './first-acceptance.ts'
import { RpcCall, type RpcReply } from './json-rpc.ts'
import { isAboutNode } from './solana-faults.ts'

/** After so long a node that is a slot or two behind has caught up. */
const SLOT_MS = 400
/** How long a landing service may take; nobody waits for it. */
const LANDING_DEADLINE_MS = 10_000

const SEND = 'sendTransaction'

/** A signed transaction, as it goes out. */
export interface Outgoing {
  /** The params of sendTransaction, built from what was verified. */
  readonly paramsJson: string
  /** The same transaction in base64, for the landing services; null keeps it from them. */
  readonly transaction: string | null
  /** The first signature in base58, which is what an acceptance says. */
  readonly signature: string
}

/** How an upstream answered: it took the transaction, refused it with a JSON-RPC error, or gave no usable answer. */
export type Outcome = 'accepted' | 'refused' | 'failed'

/** Told what happens at each upstream, by its place among the labels. */
export interface Trace {
  sent(upstream: number): void
  answered(upstream: number, outcome: Outcome): void
}

/** When a refusal says only that the node lags behind. */
export interface LagRules {
  /** Whether this error means that the node will know the transaction's blockhash soon. */
  isLag(error: Buffer): boolean
  /** Whether it may be sent to the node once more; asked once for each that lags. */
  mayRetry(): boolean
}

export interface SubmitOptions {
  readonly deadlineMs: number
  /** On whose account it is; it is never given up. */
  readonly scope?: CancellationScope | null
  readonly lag?: LagRules | null
  readonly trace?: Trace | null
}

export interface SolanaSubmissionsOptions {
  readonly senders: readonly Upstream[]
  readonly landers: readonly Upstream[]
  /** Once one upstream has refused a transaction, how long the others may still accept it. */
  readonly graceMs: number
  readonly clock: Clock
}

export class SolanaSubmissions {
  /** Of the send upstreams, then of the landing services. */
  readonly labels: readonly string[]
  readonly #senders: readonly Upstream[]
  readonly #landers: readonly Upstream[]
  readonly #graceMs: number
  readonly #clock: Clock
  readonly #scan = new EnvelopeScan()
  readonly #pauses = new Set<() => void>()
  #isClosed = false
  #lastId = 0

  constructor({ senders, landers, graceMs, clock }: SolanaSubmissionsOptions) {
    this.#senders = senders
    this.#landers = landers
    this.#graceMs = graceMs
    this.#clock = clock
    this.labels = [...senders, ...landers].map(({ label }) => label)
  }

  /**
   * Send a transaction to all send upstreams at once; the same bytes and
   * options to each, once, and once more to one that lags. It cannot be
   * cancelled: the bytes may have left, so a caller that goes away does not
   * unsend them, and the answers are worth having in the log.
   * @returns the first acceptance, else the refusal of the most preferred upstream that refused
   * @throws GatewayError  signature_mismatch, else upstream_*, when none answered
   */
  submit(outgoing: Outgoing, options: SubmitOptions): Promise<RpcReply> {
    const { deadlineMs, scope = null, lag = null, trace = null } = options
    const senders = this.#ready(this.#senders)
    if (senders.length === 0) return Promise.reject(coolingDown(shortestWaitMs(this.#senders, SEND)))
    const leftMs = countdown(this.#clock, deadlineMs)
    const id = ++this.#lastId
    const lagging = new Set<RpcReply>()

    const attempt = async (sender: Upstream): Promise<RpcReply> => {
      const call = new SendCall(this.#scan, id, outgoing.paramsJson, outgoing.signature, sender.label)
      const ask = () => this.#ask(sender, call, { deadlineMs: leftMs(), scope }, trace)
      const isLag = (reply: RpcReply): boolean => reply.error !== null && lag?.isLag(reply.error) === true
      let reply = await ask()
      if (isLag(reply)) {
        lagging.add(reply)
        if (leftMs() <= SLOT_MS || !lag!.mayRetry()) return reply
        await this.#pause(SLOT_MS)
        if (this.#isClosed || leftMs() < 1 || !sender.isReady(SEND)) return reply
        reply = await ask()
        if (isLag(reply)) lagging.add(reply)
      }
      return reply
    }

    let isLanding = false
    const attempts = senders.map(async (sender) => {
      const reply = await attempt(sender)
      if (reply.error === null && !isLanding) {
        isLanding = true
        void this.#land(outgoing, scope, trace)
      }
      return reply
    })
    const isAboutLag = (reply: RpcReply): boolean => lagging.has(reply) || isAboutNode(reply)
    return firstAcceptance(attempts, isAboutLag, this.#graceMs, this.#clock)
  }

  /**
   * Send a transaction that a node has accepted to all upstreams again, once,
   * on the gateway's own account and after everything else.
   */
  async resend(outgoing: Outgoing, deadlineMs: number, trace: Trace | null): Promise<void> {
    const id = ++this.#lastId
    const asked: AskOptions = { deadlineMs, priority: 'research' }
    const sends = this.#ready(this.#senders).map((sender) => {
      const call = new SendCall(this.#scan, id, outgoing.paramsJson, outgoing.signature, sender.label)
      return this.#ask(sender, call, asked, trace).catch(isKnown)
    })
    await Promise.all([...sends, this.#land(outgoing, null, trace, asked)])
  }

  /** Ends what waits; what was sent was sent. */
  close(): void {
    this.#isClosed = true
    for (const end of this.#pauses) end()
  }

  /** Hands a transaction to the landing services, which nobody waits for. */
  async #land(
    { transaction, signature }: Outgoing,
    scope: CancellationScope | null,
    trace: Trace | null,
    asked: AskOptions = { deadlineMs: LANDING_DEADLINE_MS, scope },
  ): Promise<void> {
    if (transaction === null || this.#landers.length === 0) return
    const params = `["${transaction}",{"encoding":"base64","skipPreflight":true,"maxRetries":0}]`
    const id = ++this.#lastId
    const sends = this.#ready(this.#landers).map((lander) => {
      const call = new SendCall(this.#scan, id, params, signature, lander.label)
      return this.#ask(lander, call, asked, trace).catch(isKnown)
    })
    await Promise.all(sends)
  }

  async #ask(upstream: Upstream, call: SendCall, asked: AskOptions, trace: Trace | null): Promise<RpcReply> {
    if (trace === null) return upstream.ask(call, asked)
    const at = this.labels.indexOf(upstream.label)
    trace.sent(at)
    try {
      const reply = await upstream.ask(call, asked)
      trace.answered(at, reply.error === null ? 'accepted' : 'refused')
      return reply
    } catch (error) {
      trace.answered(at, 'failed')
      throw error
    }
  }

  #ready(upstreams: readonly Upstream[]): Upstream[] {
    return upstreams.filter((upstream) => upstream.isReady(SEND))
  }

  /** Waits, or until this is closed. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#pauses.delete(end)
        callOff()
        resolve()
      }
      const callOff = this.#clock.after(ms, end)
      this.#pauses.add(end)
    })
  }
}

/** A submission: an acceptance of another transaction than the one that was sent is none. */
class SendCall extends RpcCall {
  readonly #signature: string
  readonly #label: string

  constructor(scan: EnvelopeScan, id: number, paramsJson: string, signature: string, label: string) {
    super(scan, id, SEND, paramsJson, false)
    this.#signature = signature
    this.#label = label
  }

  override read(status: number, body: Buffer): RpcReply | null {
    const reply = super.read(status, body)
    if (reply === null || reply.result === null) return reply
    if (reply.result.toString('latin1') === `"${this.#signature}"`) return reply
    const message =
      'The upstream acknowledged another signature than the transaction has. It may not have sent it.'
    throw new GatewayError('signature_mismatch', message, { provider: this.#label })
  }
}

/** The log and the metrics have it already. */
function isKnown(error: unknown): void {
  if (!(error instanceof GatewayError)) throw error
}
