/**
 * The Solana nodes. Reads go to one upstream after another, in the operator's
 * order, until one answers: reads.ts. A signed transaction goes to all
 * send upstreams at once: submissions.ts.
 *
 * Source: spec §4.9, §7 · JSON-RPC 2.0
 */

import { Call } from '../../../flow/call.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { createUpstreamContext, type UpstreamContext } from '../../context.ts'
import { type NodeState, newerError } from '../../health.ts'
import { type QuotaLeft, quotasOf, Upstream } from '../../upstream.ts'
import { joinedAnswer, type RpcAnswer, RpcCall } from '../json-rpc.ts'
import { onePerHost } from '../voters.ts'
import { Clusters } from './clusters.ts'
import { MAX_BEHIND_MS } from './freshness.ts'
import { type LandingService, landingServiceOf } from './landing-services.ts'
import publicLimits from './public-limits.json' with { type: 'json' }
import { SolanaReads } from './reads.ts'
import { SlotPace } from './slot-pace.ts'
import { SolanaSubmissions } from './submissions.ts'

/** The deadline of a warm-up, which no request waits for. */
const WARM_UP_DEADLINE_MS = 10_000
/** How long the other upstreams may still accept a transaction that one has refused. */
const GRACE_MS = 2_000

/** Bound of a reply: the largest possible account, 10 MiB, fits in base64. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024

/**
 * `hosts` aren't secret: the clusters' public endpoints, and the second default. The others are the limits of the public
 * endpoints for one address: 100 calls in 10 s, 40 of one method, and 40 connections. Submissions get a fifth. The burst
 * plus the refill during a window stays within the limit. The second default publishes none, and gets the same.
 * Source: solana.com/docs/references/clusters
 */
const { hosts: PUBLIC_HOSTS, ...PUBLIC_LIMITS } = publicLimits

export type { ReadReply, RpcAnswer, RpcReply } from '../json-rpc.ts'

export interface SolanaRpcOptions {
  /** The nodes that reads go to, in order of preference; at least one. */
  readonly readUrls: readonly string[]
  /** Signed transactions go to all of them; at least one. */
  readonly sendUrls: readonly string[]
  /** Submission services: they get each transaction that a node has accepted. */
  readonly submissionServiceUrls?: readonly string[]
  /** What is known of such services. */
  readonly landingServices?: readonly LandingService[]
  /** Bound of a reply's body. */
  readonly maxBytes?: number
  readonly graceMs?: number
  /** A node that is further behind the others is tried last, ms. */
  readonly maxBehindMs?: number
  /** The length of a slot until it is measured; ms. */
  readonly slotMs?: number
  /**
   * Called for each node of another cluster, which gets no calls, and again if that turns out to be wrong.
   */
  readonly onCluster?: (upstream: string, isForeign: boolean) => void
  readonly context?: UpstreamContext
}

export class SolanaRpc {
  readonly submissions: SolanaSubmissions
  readonly reads: SolanaReads
  readonly #clock: Clock
  readonly #pace: SlotPace
  readonly #readers: readonly Upstream[]
  readonly #senders: readonly Upstream[]
  readonly #services: readonly Upstream[]

  constructor(options: SolanaRpcOptions) {
    const context = options.context ?? createUpstreamContext()
    const maxBytes = options.maxBytes ?? MAX_REPLY_BYTES
    // One URL is one node with one label, however often it is listed. Submissions to it have
    // connections, a circuit breaker and a quota of their own, so that reads cannot use those up.
    const hrefs = hrefsOf([...options.readUrls, ...options.sendUrls])
    const upstreamsAt = (urls: readonly string[], carries: 'reads' | 'submissions'): readonly Upstream[] =>
      hrefsOf(urls).map(
        (url) =>
          new Upstream({
            label: `solana-${hrefs.indexOf(url) + 1}`,
            url,
            maxBytes,
            publicHosts: PUBLIC_HOSTS,
            carries,
            ...((context.limitsAsPublic || PUBLIC_HOSTS.includes(new URL(url).host)) &&
              PUBLIC_LIMITS[carries]),
            context,
          }),
      )
    this.#readers = upstreamsAt(options.readUrls, 'reads')
    this.#senders = upstreamsAt(options.sendUrls, 'submissions')
    this.#clock = context.clock
    this.#pace = new SlotPace(context.clock, options.slotMs)
    this.reads = new SolanaReads({
      nodes: this.#readers,
      clusters: new Clusters(this.#distinct, (label, isForeign) => {
        for (const upstream of this.#nodes) {
          if (upstream.label === label) upstream.bar(isForeign ? 'wrong_cluster' : null)
        }
        options.onCluster?.(label, isForeign)
      }),
      clock: context.clock,
      maxBehindMs: options.maxBehindMs ?? MAX_BEHIND_MS,
      pace: this.#pace,
    })
    const services = hrefsOf(options.submissionServiceUrls ?? []).map((url) =>
      landingServiceOf(url, options.landingServices),
    )
    this.#services = services.map(
      ({ url }, at) =>
        new Upstream({ label: `solana-landing-${at + 1}`, url, maxBytes, carries: 'submissions', context }),
    )
    this.submissions = new SolanaSubmissions({
      senders: this.#senders,
      services: this.#services,
      serviceRows: services.map(({ row }) => row),
      graceMs: options.graceMs ?? GRACE_MS,
      clock: context.clock,
      pace: this.#pace,
    })
  }

  /**
   * Tries one node after another until one answers: see SolanaReads.
   * @param paramsJson  a JSON array, validated
   * @param call  over all attempts; its priority decides if a node's quota runs short
   * @param minSlot  an answer of an older slot, at the requested level, does not count; 0 for any
   * @throws GatewayError  upstream_*: the most preferred upstream's, if none answered
   */
  async read(method: string, paramsJson: string, call: Call, minSlot = 0): Promise<RpcAnswer> {
    return joinedAnswer(await this.reads.read({ method, paramsJson, minSlot }, call))
  }

  /** One node of each host, without failover: for questions on which several must agree. */
  get voters(): readonly Pick<SolanaRpc, 'read'>[] {
    return onePerHost(this.#readers).map((node) => ({
      read: async (method, paramsJson, call, minSlot = 0) =>
        joinedAnswer(await this.reads.read({ method, paramsJson, minSlot }, call, [node])),
    }))
  }

  /** The length of a slot, as measured from nodes' answers; ms. */
  get slotMs(): number {
    return this.#pace.slotMs
  }

  /** Opens a connection to each node, and learns its cluster. Failures are only logged. */
  async warmUp(ms: number = WARM_UP_DEADLINE_MS): Promise<void> {
    const call = Call.of(this.#clock, 'build', ms)
    await Promise.allSettled([this.reads.warmUp(call), ...this.#greetings(call)])
  }

  /** Asks each node for its cluster once, over the connections for submissions if it has those. */
  #greetings(call: Call): Promise<unknown>[] {
    if (this.#distinct.length === 1) {
      // A single node is of the right cluster.
      const request = new RpcCall('solana', { id: 1, method: 'getSlot', paramsJson: '[]' })
      return this.#senders.map((upstream) => upstream.ask(request, call))
    }
    const senders = new Set(this.#senders.map(({ label }) => label))
    const others = this.#readers.filter(({ label }) => !senders.has(label))
    return [...this.#senders, ...others].map((upstream) => this.reads.askCluster(upstream, call.leftMs))
  }

  /** Each node once, then the submission services. */
  state(): NodeState[] {
    const states = new Map<string, NodeState>()
    for (const { state } of this.#readers) states.set(state.name, state)
    for (const { state } of this.#senders) {
      const reads = states.get(state.name)
      const lastError = newerError(reads?.lastError ?? null, state.lastError)
      states.set(state.name, reads === undefined ? state : { ...reads, lastError, submissions: state.state })
    }
    return [...states.values(), ...this.#services.map(({ state }) => state)]
  }

  get quotas(): QuotaLeft[] {
    return quotasOf(this.#nodes)
  }

  /** Closes all connections; calls in progress fail. */
  async close(): Promise<void> {
    this.submissions.close()
    await Promise.all([...this.#nodes, ...this.#services].map((upstream) => upstream.close()))
  }

  get #nodes(): readonly Upstream[] {
    return [...this.#readers, ...this.#senders]
  }

  /** Each node once, whether it takes reads, submissions or both. */
  get #distinct(): readonly Upstream[] {
    return [...new Map(this.#nodes.map((node) => [node.label, node])).values()]
  }
}

/** Each URL once, however it is spelled. */
const hrefsOf = (urls: readonly string[]): string[] => [...new Set(urls.map((url) => new URL(url).href))]
