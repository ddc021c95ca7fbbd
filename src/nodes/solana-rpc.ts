/**
 * The outside of the Solana relay. Reads go to one upstream after the other, in
 * the operator's order, until one answers; a signed transaction goes to all
 * send upstreams at once: solana-submissions.ts.
 *
 * Source: spec §4.9, §7 · JSON-RPC 2.0
 */

import type { Clock } from '../clock.ts'
import { GatewayError } from '../errors.ts'
import { EnvelopeScan } from '../json/scan.ts'
import type { Caller } from '../upstream/caller.ts'
import { type Commons, createCommons } from '../upstream/commons.ts'
import type { Priority } from '../upstream/governor.ts'
import { newerError, type UpstreamState } from '../upstream/standing.ts'
import { coolingDown, type QuotaLeft, Upstream, type UpstreamOptions } from '../upstream/upstream.ts'
import { failOver, shortestWaitMs } from './fail-over.ts'
import { RpcCall, type RpcReply } from './json-rpc.ts'
import { isAboutNode } from './solana-faults.ts'
import { slotOf } from './solana-slots.ts'
import { SolanaSubmissions } from './solana-submissions.ts'

/** The deadline of a warm-up, for which nobody waits. */
const WARM_UP_DEADLINE_MS = 10_000
/** Once one upstream has refused a transaction, how long the others may still accept it. */
const GRACE_MS = 2_000

/** Bound of a reply: the largest account there can be, 10 MiB, fits in base64. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024

/** Hosts that are no secret: the clusters' public endpoints. */
const PUBLIC_HOSTS = ['api.mainnet-beta.solana.com', 'api.devnet.solana.com', 'api.testnet.solana.com']

/**
 * What the public endpoints grant one address: 100 calls in 10 s, 40 of one
 * method, and 40 connections. A fifth is the submissions'. What is granted at
 * once and what flows in during a window are within the limit together.
 * Source: solana.com/docs/references/clusters
 */
const PUBLIC_LIMITS: Readonly<Record<'read' | 'send', Partial<UpstreamOptions>>> = {
  read: {
    quota: { calls: 40, windowMs: 10_000, burst: 40 },
    laneQuota: { calls: 20, windowMs: 10_000, burst: 20 },
    connections: 32,
  },
  send: { quota: { calls: 10, windowMs: 10_000, burst: 10 }, connections: 8 },
}

export type { RpcReply } from './json-rpc.ts'

export interface SolanaRpcOptions {
  /** The nodes that reads go to, in order of preference; at least one. */
  readonly readUrls: readonly string[]
  /** Signed transactions go to all of them; at least one. */
  readonly sendUrls: readonly string[]
  /** Services that get what one of those has accepted. */
  readonly landingUrls?: readonly string[]
  /** Bound of a reply's body. */
  readonly maxBytes?: number
  readonly graceMs?: number
  readonly commons?: Commons
}

export class SolanaRpc {
  readonly submissions: SolanaSubmissions
  readonly #readers: readonly Upstream[]
  readonly #senders: readonly Upstream[]
  readonly #landers: readonly Upstream[]
  readonly #clock: Clock
  readonly #scan = new EnvelopeScan()
  #lastId = 0

  constructor(options: SolanaRpcOptions) {
    const commons = options.commons ?? createCommons()
    this.#clock = commons.clock
    const maxBytes = options.maxBytes ?? MAX_REPLY_BYTES
    // One URL is one node, by one name, however often it is listed; what is sent to it
    // has connections, a breaker and a quota of its own, so that reads can close none of them.
    const hrefs = [...new Set([...options.readUrls, ...options.sendUrls].map((url) => new URL(url).href))]
    const upstreamsAt = (urls: readonly string[], isForSubmissions: boolean): readonly Upstream[] =>
      [...new Set(urls.map((url) => new URL(url).href))].map(
        (url) =>
          new Upstream({
            label: `solana-${hrefs.indexOf(url) + 1}`,
            url,
            maxBytes,
            publicHosts: PUBLIC_HOSTS,
            isForSubmissions,
            ...((commons.limitsAsPublic || PUBLIC_HOSTS.includes(new URL(url).host)) &&
              PUBLIC_LIMITS[isForSubmissions ? 'send' : 'read']),
            commons,
          }),
      )
    this.#readers = upstreamsAt(options.readUrls, false)
    this.#senders = upstreamsAt(options.sendUrls, true)
    this.#landers = [...new Set(options.landingUrls?.map((url) => new URL(url).href))].map(
      (url, at) =>
        new Upstream({ label: `solana-landing-${at + 1}`, url, maxBytes, isForSubmissions: true, commons }),
    )
    this.submissions = new SolanaSubmissions({
      senders: this.#senders,
      landers: this.#landers,
      graceMs: options.graceMs ?? GRACE_MS,
      clock: commons.clock,
    })
  }

  /**
   * Ask one upstream after the other until one answers: see failOver.
   * @param paramsJson  a JSON array, validated
   * @param deadlineMs  over all attempts
   * @param priority  its rank where a node's quota runs short
   * @param minSlot  an answer of an older slot, at the level asked for, is none
   * @returns the first answer; if all that answer speak of their own state, the first of those
   * @throws GatewayError  upstream_*: the most preferred upstream's, when none answered
   */
  async read(
    method: string,
    paramsJson: string,
    deadlineMs: number,
    caller: Caller | null = null,
    priority: Priority = 'build',
    minSlot = 0,
  ): Promise<RpcReply> {
    const isOld = (reply: RpcReply): boolean => minSlot > 0 && (slotOf(method, reply) ?? minSlot) < minSlot
    const call = new RpcCall(this.#scan, ++this.#lastId, method, paramsJson, true)
    const reply = await failOver(this.#readers, {
      deadlineMs,
      lane: method,
      caller,
      clock: this.#clock,
      ask: (upstream, shareMs) => upstream.ask(call, { deadlineMs: shareMs, priority, caller }),
      isUnwell: (reply) => isAboutNode(reply) || isOld(reply),
    })
    if (reply !== null && isOld(reply)) throw behind()
    if (reply === null) throw coolingDown(shortestWaitMs(this.#readers, method))
    return reply
  }

  /** Open a connection to each node, and learn whether it answers. Failures are only logged. */
  async warmUp(deadlineMs: number = WARM_UP_DEADLINE_MS): Promise<void> {
    const call = new RpcCall(this.#scan, ++this.#lastId, 'getSlot', '[]', true)
    await Promise.allSettled(
      [...this.#readers, ...this.#senders].map((upstream) => upstream.ask(call, { deadlineMs })),
    )
  }

  /** Each node once, then the landing services. */
  state(): SolanaNodeState[] {
    const states = new Map<string, SolanaNodeState>()
    for (const { state } of this.#readers) states.set(state.name, state)
    for (const { state } of this.#senders) {
      const reads = states.get(state.name)
      const lastError = newerError(reads?.lastError ?? null, state.lastError)
      states.set(state.name, reads === undefined ? state : { ...reads, lastError, submissions: state.state })
    }
    return [...states.values(), ...this.#landers.map(({ state }) => state)]
  }

  get quotas(): QuotaLeft[] {
    const quotasOf = (upstreams: readonly Upstream[], quota: string): QuotaLeft[] =>
      upstreams.flatMap(({ label, quotaLeft }) =>
        quotaLeft === null ? [] : [{ upstream: label, quota, left: quotaLeft }],
      )
    return [...quotasOf(this.#readers, 'reads'), ...quotasOf(this.#senders, 'submissions')]
  }

  /** Closes all connections; calls that are still under way fail. */
  async close(): Promise<void> {
    this.submissions.close()
    const all = [...this.#readers, ...this.#senders, ...this.#landers]
    await Promise.all(all.map((upstream) => upstream.close()))
  }
}

/** A node's state, with that of its submissions where it takes both. */
export interface SolanaNodeState extends UpstreamState {
  readonly submissions?: UpstreamState['state']
}

/** After which a node that is a slot or two behind has caught up. */
const SLOT_MS = 400

/** All nodes that answered would show a state from before what the client has seen. */
function behind(): GatewayError {
  const message =
    'No upstream has reached the slot in which your transaction was confirmed. Try again when retryAfterMs have passed.'
  return new GatewayError('upstream_unavailable', message, { retryAfterMs: SLOT_MS })
}
