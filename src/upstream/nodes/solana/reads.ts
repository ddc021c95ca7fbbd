/**
 * Reads of Solana nodes, tried at one after another until one answers. The order depends on their slots
 * (freshness.ts) and on their clusters (clusters.ts). If a node takes long, the next one is tried as well
 * (hedge.ts).
 */
import { parsedOrNone } from '../../../chains/json/parse.ts'
import { Call } from '../../../flow/call.ts'
import { type Clock, sleep } from '../../../runtime/clock.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import { getOrInsert } from '../../../runtime/lists.ts'
import { recorded } from '../../../runtime/tape.ts'
import { coolingDown, type Upstream } from '../../upstream.ts'
import { failOver, shortestWaitMs } from '../fail-over.ts'
import { ReadCall, type ReadReply } from '../json-rpc.ts'
import type { Clusters } from './clusters.ts'
import { Freshness } from './freshness.ts'
import { Hedge, HedgeAllowance, Latencies } from './hedge.ts'
import type { SlotPace } from './slot-pace.ts'
import { isAboutNode, isOlder, levelOf, minContextSlotOf, slotOf } from './slots.ts'

/** The deadline of the gateway's own calls, which no request waits for. */
const OWN_DEADLINE_MS = 10_000
/** How often to wait for nodes that are a slot or two behind. */
const MAX_WAITS = 3
/** A genesis hash has 44 characters. */
const MAX_GENESIS_BYTES = 64

/** One read, as nodes receive it. */
interface NodeRead {
  readonly method: string
  /** A JSON array, validated. */
  readonly paramsJson: string
  /** An answer of an older slot, at the requested level, does not count. */
  readonly minSlot: number
}

interface SolanaReadsOptions {
  /** In order of preference; at least one. */
  readonly nodes: readonly Upstream[]
  readonly clusters: Clusters
  readonly clock: Clock
  readonly maxBehindMs: number
  /** The wait for lagging nodes is a slot at a time. */
  readonly pace: SlotPace
}

export class SolanaReads {
  /** Reads with a second call, and those that the second call answered first. */
  readonly hedges = { asked: 0, won: 0 }
  readonly #options: SolanaReadsOptions
  /** The single node; null if there are several. */
  readonly #single: Upstream | null
  readonly #freshness: Freshness
  readonly #allowance = new HedgeAllowance()
  /** By node and method, our own names, of bounded number. */
  readonly #latencies = new Map<string, Latencies>()
  #lastId = 0

  constructor(options: SolanaReadsOptions) {
    const { nodes } = options
    this.#options = options
    this.#single = nodes.length === 1 ? nodes[0]! : null
    this.#freshness = new Freshness(nodes, options)
  }

  /**
   * Tries one node after another until one answers: see failOver. If all answers are of older slots than the
   * client has seen, it waits for the nodes.
   * @param among  the nodes to try; absent: all of them
   * @returns the first answer; if all answers are about the nodes' own state, the first of those
   * @throws GatewayError  upstream_*: the most preferred node's, if none answered
   */
  read(read: NodeRead, call: Call, among?: readonly Upstream[]): Promise<ReadReply> {
    const node = this.#single
    if (node === null || read.minSlot > 0) return this.#readAmong(read, call, among)
    // There is no other node to try, and no older slot.
    if (!node.isReady(read.method)) return Promise.reject(coolingDown(node.waitMs(read.method)))
    return this.#learn(node, read, node.ask(this.#callOf(read), call))
  }

  async #readAmong(read: NodeRead, call: Call, among?: readonly Upstream[]): Promise<ReadReply> {
    recorded(this.#options.clock, 'probes', () => this.#probeSlots())
    for (let wait = 0; ; wait++) {
      const reply = await this.#readOnce(read, call, among)
      if (!isOlder(read.method, reply, read.minSlot)) return reply
      const { slotMs } = this.#options.pace
      if (wait === MAX_WAITS || call.leftMs < 2 * slotMs || call.scope.isCancelled) throw behind(slotMs)
      await sleep(this.#options.clock, slotMs)
    }
  }

  async #readOnce(
    read: NodeRead,
    call: Call,
    among: readonly Upstream[] = this.#orderFor(read),
  ): Promise<ReadReply> {
    const { method, minSlot } = read
    const isNodeFault = (reply: ReadReply): boolean => isAboutNode(reply) || isOlder(method, reply, minSlot)
    const request = this.#callOf(read)
    const ask = (node: Upstream, share: Call) => this.#learn(node, read, node.ask(request, share))
    const hedge = among.length === 1 ? null : this.#hedge(method, among, ask, isNodeFault)
    const reply = await failOver(among, {
      call,
      lane: method,
      ask: hedge === null ? ask : (node, share) => hedge.ask(node, share),
      isNodeFault,
    })
    if (reply === null) throw coolingDown(shortestWaitMs(among, method))
    return reply
  }

  #hedge(
    method: string,
    nodes: readonly Upstream[],
    ask: (node: Upstream, call: Call) => Promise<ReadReply>,
    isNodeFault: (reply: ReadReply) => boolean,
  ): Hedge<ReadReply> {
    this.#allowance.earn()
    const { clock } = this.#options
    const spend = () => {
      const may = this.#allowance.spend()
      if (may) this.hedges.asked++
      return may
    }
    return new Hedge({
      nodes,
      clock,
      usualMs: (node) =>
        recorded(clock, `p95 ${node.label} ${method}`, () => this.#latenciesOf(node, method).p95),
      isEligible: (node) =>
        node.isReady(method) &&
        !recorded(clock, `behind ${node.label}`, () => this.#freshness.isBehind(node)),
      mayAsk: () => recorded(clock, 'hedges', spend),
      ask,
      isNodeFault,
      onWon: () => void this.hedges.won++,
    })
  }

  #latenciesOf(node: Upstream, method: string): Latencies {
    return getOrInsert(this.#latencies, `${node.label} ${method}`, () => new Latencies())
  }

  /** Opens a connection to each node, and learns its slot. Failures are only logged. */
  async warmUp(call: Call): Promise<void> {
    await Promise.allSettled(this.#options.nodes.map((node) => this.#probe(node, call)))
  }

  /** Asks a node for its cluster. */
  async askCluster(node: Upstream, ms: number = OWN_DEADLINE_MS): Promise<void> {
    const { label } = node
    try {
      const { result } = await node.ask(this.#callOf(GENESIS), Call.of(this.#options.clock, 'research', ms))
      const isHash = Buffer.isBuffer(result) && result.length <= MAX_GENESIS_BYTES
      const hash = isHash ? parsedOrNone(result) : null
      this.#options.clusters.note(label, typeof hash === 'string' ? { hash } : 'mute')
    } catch {
      this.#options.clusters.note(label, 'silent')
    }
  }

  /** Polls nodes for their slot now and then, while there are reads. */
  #probeSlots(): void {
    for (const node of this.#freshness.due()) {
      if (!node.isReady(SLOT_PROBE.method)) continue
      if (this.#options.clusters.isOpen(node.label)) void this.askCluster(node)
      this.#probe(node, Call.of(this.#options.clock, 'research', OWN_DEADLINE_MS)).catch(() => {})
    }
  }

  #probe(node: Upstream, call: Call): Promise<ReadReply> {
    return this.#learn(node, SLOT_PROBE, node.ask(this.#callOf(SLOT_PROBE), call))
  }

  /** Learns from an answer: how long the node took, and its slot. */
  async #learn(
    node: Upstream,
    { method, paramsJson }: NodeRead,
    asked: Promise<ReadReply>,
  ): Promise<ReadReply> {
    const { clock, pace } = this.#options
    const askedAt = clock.now()
    const reply = await asked
    const isAlone = this.#single !== null
    if (!isAlone) this.#latenciesOf(node, method).add(clock.now() - askedAt)
    const level = levelOf(method, paramsJson)
    const slot = isAlone && !pace.wants(node.host, level) ? null : slotOf(method, reply)
    if (slot !== null) {
      pace.saw(node.host, level, slot)
      if (!isAlone) this.#freshness.saw(node, level, slot)
    }
    return reply
  }

  #orderFor({ method, paramsJson, minSlot }: NodeRead): readonly Upstream[] {
    if (this.#single !== null) return this.#options.nodes
    const slot = Math.max(minSlot, minContextSlotOf(paramsJson))
    const { nodes, clusters, clock } = this.#options
    const order = () =>
      this.#freshness
        .order(levelOf(method, paramsJson), slot, ({ label }) => clusters.isUnproved(label))
        .map((node) => nodes.indexOf(node))
    return recorded(clock, `order ${method}`, order).map((at) => nodes[at]!)
  }

  #callOf({ method, paramsJson }: NodeRead): ReadCall {
    const id = recorded(this.#options.clock, `id ${method} ${paramsJson}`, () => ++this.#lastId)
    return new ReadCall('solana', { id, method, paramsJson })
  }
}

const GENESIS: NodeRead = { method: 'getGenesisHash', paramsJson: '[]', minSlot: 0 }
const SLOT_PROBE: NodeRead = {
  method: 'getSlot',
  paramsJson: '[{"commitment":"processed"}]',
  minSlot: 0,
}

/** Every node that answered would show an older state than the client has seen. */
function behind(slotMs: number): GatewayError {
  const message =
    'No upstream has reached the slot in which your transaction was confirmed. Try again when retryAfterMs have passed.'
  return new GatewayError('upstream_unavailable', message, { retryAfterMs: Math.ceil(slotMs) })
}
