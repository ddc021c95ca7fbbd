/**
 * The outside of the Solana relay. Reads go to one upstream after the other, in
 * the operator's order, until one answers; a signed transaction goes to all
 * send upstreams at once, and the first acceptance answers.
 *
 * Source: spec §4.9, §7 · JSON-RPC 2.0
 */

import type { Logger } from 'pino'
import { CLOCK, type Clock } from '../clock.ts'
import { GatewayError } from '../errors.ts'
import { EnvelopeScan } from '../json/scan.ts'
import type { Caller } from '../upstream/caller.ts'
import { coolingDown, Upstream, type UpstreamState } from '../upstream/upstream.ts'
import { failOver, logged, shortestWaitMs } from './fail-over.ts'
import { firstAcceptance } from './first-acceptance.ts'
import { errorCode, RpcCall, type RpcReply } from './json-rpc.ts'

/** The deadline of a warm-up, for which nobody waits. */
const WARM_UP_DEADLINE_MS = 10_000
/** Once one upstream has refused a transaction, how long the others may still accept it. */
const GRACE_MS = 2_000

/** Bound of a reply: the largest account there can be, 10 MiB, fits in base64. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024

/** Hosts that are no secret: the clusters' public endpoints. */
const PUBLIC_HOSTS = ['api.mainnet-beta.solana.com', 'api.devnet.solana.com', 'api.testnet.solana.com']

/**
 * Errors about the node, not about the request: unhealthy or behind; block
 * status not yet available; minimum context slot not reached; long-term
 * storage unreachable. Another node may answer.
 * Source: anza-xyz/agave rpc-client-api/src/custom_error.rs
 */
const ELSEWHERE: ReadonlySet<number | null> = new Set([-32005, -32014, -32016, -32019])

export type { RpcReply } from './json-rpc.ts'

export interface SolanaRpcOptions {
  /** The nodes that reads go to, in order of preference; at least one. */
  readonly readUrls: readonly string[]
  /** Signed transactions go to all of them; at least one. */
  readonly sendUrls: readonly string[]
  readonly log?: Logger
  /** Bound of a reply's body. */
  readonly maxBytes?: number
  readonly graceMs?: number
  readonly clock?: Clock
}

export class SolanaRpc {
  readonly #readers: readonly Upstream[]
  readonly #senders: readonly Upstream[]
  readonly #upstreams: readonly Upstream[]
  readonly #log: Logger | undefined
  readonly #clock: Clock
  readonly #graceMs: number
  readonly #scan = new EnvelopeScan()
  #lastId = 0

  constructor(options: SolanaRpcOptions) {
    this.#log = options.log
    this.#clock = options.clock ?? CLOCK
    this.#graceMs = options.graceMs ?? GRACE_MS
    const maxBytes = options.maxBytes ?? MAX_REPLY_BYTES
    // One URL is one upstream, however often it is listed: one pool, one breaker.
    const byUrl = new Map<string, Upstream>()
    const upstreamAt = (url: string): Upstream => {
      const { href } = new URL(url)
      const known = byUrl.get(href)
      if (known !== undefined) return known
      const label = `solana-${byUrl.size + 1}`
      const upstream = new Upstream({ label, url, maxBytes, publicHosts: PUBLIC_HOSTS, clock: this.#clock })
      byUrl.set(href, upstream)
      return upstream
    }
    this.#readers = [...new Set(options.readUrls.map(upstreamAt))]
    this.#senders = [...new Set(options.sendUrls.map(upstreamAt))]
    this.#upstreams = [...byUrl.values()]
  }

  /**
   * Ask one upstream after the other until one answers: see failOver.
   * @param paramsJson  a JSON array, validated
   * @param deadlineMs  over all attempts
   * @returns the first answer; if all that answer speak of their own state, the first of those
   * @throws GatewayError  upstream_*: the most preferred upstream's, when none answered
   */
  async read(
    method: string,
    paramsJson: string,
    deadlineMs: number,
    caller: Caller | null = null,
  ): Promise<RpcReply> {
    const call = new RpcCall(this.#scan, ++this.#lastId, method, paramsJson, true)
    const reply = await failOver(this.#readers, {
      deadlineMs,
      caller,
      clock: this.#clock,
      ask: (upstream, shareMs) => this.#ask(upstream, call, shareMs, caller),
      isUnwell: ({ error }) => error !== null && ELSEWHERE.has(errorCode(error)),
    })
    if (reply === null) throw coolingDown(shortestWaitMs(this.#readers))
    return reply
  }

  /**
   * Send a signed transaction to all send upstreams at once; the same bytes and
   * options to each, once. It cannot be cancelled: the bytes may have left, so
   * a caller that goes away does not unsend them, and the answers are worth
   * having in the log.
   * @param paramsJson  the params of sendTransaction, built from what was verified
   * @param signature  the transaction's first signature in base58, which is what an acceptance says
   * @returns the first acceptance, else the refusal of the most preferred upstream that refused
   * @throws GatewayError  signature_mismatch, else upstream_*, when none answered
   */
  submit(paramsJson: string, signature: string, deadlineMs: number): Promise<RpcReply> {
    const senders = this.#senders.filter((upstream) => upstream.breaker.isReady)
    if (senders.length === 0) return Promise.reject(coolingDown(shortestWaitMs(this.#senders)))
    const call = new RpcCall(this.#scan, ++this.#lastId, 'sendTransaction', paramsJson, false)
    const attempts = senders.map((upstream) => this.#send(upstream, call, signature, deadlineMs))
    return firstAcceptance(attempts, this.#graceMs)
  }

  /** Open a connection to each upstream, and learn whether it answers. Failures are only logged. */
  async warmUp(deadlineMs: number = WARM_UP_DEADLINE_MS): Promise<void> {
    const call = new RpcCall(this.#scan, ++this.#lastId, 'getSlot', '[]', true)
    await Promise.allSettled(this.#upstreams.map((upstream) => this.#ask(upstream, call, deadlineMs, null)))
  }

  state(): UpstreamState[] {
    return this.#upstreams.map((upstream) => upstream.state)
  }

  /** Closes all connections; calls that are still under way fail. */
  async close(): Promise<void> {
    await Promise.all(this.#upstreams.map((upstream) => upstream.close()))
  }

  async #send(upstream: Upstream, call: RpcCall, signature: string, deadlineMs: number): Promise<RpcReply> {
    const reply = await this.#ask(upstream, call, deadlineMs, null)
    if (reply.result === null || reply.result.toString('latin1') === `"${signature}"`) return reply
    const message =
      'The upstream acknowledged another signature than the transaction has. It may not have sent it.'
    const error = new GatewayError('signature_mismatch', message, { provider: upstream.label })
    this.#log?.error({ upstream: upstream.label, failure: error.code }, 'upstream call failed')
    throw error
  }

  #ask(upstream: Upstream, call: RpcCall, deadlineMs: number, caller: Caller | null): Promise<RpcReply> {
    const answer = upstream.ask(call, { deadlineMs, caller }).then(async (reply) => {
      if (reply.error !== null && (await upstream.isRevealedByMany(reply.body))) throw withheld(upstream)
      return reply
    })
    return logged(answer, upstream, caller, this.#log)
  }
}

function withheld(upstream: Upstream): GatewayError {
  const message = 'The upstream answered an error that is not passed on, because it contains private details.'
  return new GatewayError('upstream_failed', message, { provider: upstream.label })
}
