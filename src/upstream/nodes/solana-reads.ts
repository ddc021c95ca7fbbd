/**
 * Reads of Solana's nodes: of one after the other, until one answers. Which is
 * the first depends on what is known of how far they are (freshness.ts), and of
 * which cluster they are (clusters.ts); one that takes long has the next one
 * asked beside it (hedge.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parsedOrNone } from '../../chains/json/parse.ts'
import { EnvelopeScan } from '../../chains/json/scan.ts'
import type { CancellationScope } from '../../runtime/cancellation.ts'
import { type Clock, countdown } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { AskOptions } from '../call.ts'
import type { Priority } from '../governor.ts'
import { coolingDown, type Upstream } from '../upstream.ts'
import type { Clusters } from './clusters.ts'
import { failOver, shortestWaitMs } from './fail-over.ts'
import { Freshness } from './freshness.ts'
import { Allowance, Hedge, Latencies } from './hedge.ts'
import { RpcCall, type RpcReply } from './json-rpc.ts'
import { isAboutNode, isOlder, levelOf, minContextSlotOf, SLOT_MS, slotOf } from './solana-slots.ts'

/** The deadline of what the gateway asks for by itself, for which nobody waits. */
const OWN_DEADLINE_MS = 10_000
/** How often a node that is a slot or two behind is waited for, and each time how long. */
const MAX_WAITS = 3
/** A genesis hash has 44 characters. */
const MAX_GENESIS_BYTES = 64

/** What is asked for. */
export interface Read {
  readonly method: string
  /** A JSON array, validated. */
  readonly paramsJson: string
  /** Its rank where a node's quota runs short. */
  readonly priority: Priority
  /** An answer of an older slot, at the level asked for, is none. */
  readonly minSlot: number
}

export interface SolanaReadsOptions {
  /** In order of preference; at least one. */
  readonly nodes: readonly Upstream[]
  readonly clusters: Clusters
  readonly clock: Clock
  readonly maxSlotsBehind: number
  /** How long a node that is behind is waited for at a time. */
  readonly slotMs: number
}

export class SolanaReads {
  /** Reads that were asked of a second node, and those of them that it answered first. */
  readonly hedges = { asked: 0, won: 0 }
  readonly #nodes: readonly Upstream[]
  readonly #clusters: Clusters
  readonly #clock: Clock
  readonly #slotMs: number
  readonly #freshness: Freshness
  readonly #allowance = new Allowance()
  /** By node and method: both are names of ours. */
  readonly #latencies = new Map<string, Latencies>()
  readonly #scan = new EnvelopeScan()
  #lastId = 0

  constructor({ nodes, clusters, clock, maxSlotsBehind, slotMs }: SolanaReadsOptions) {
    this.#nodes = nodes
    this.#clusters = clusters
    this.#clock = clock
    this.#slotMs = slotMs
    this.#freshness = new Freshness(nodes, clock, maxSlotsBehind)
  }

  /**
   * Ask one node after the other until one answers: see failOver. Where all that
   * answer are of older slots than the client has seen, they are waited for.
   * @returns the first answer; if all that answer speak of their own state, the first of those
   * @throws GatewayError  upstream_*: the most preferred node's, when none answered
   */
  async read(read: Read, deadlineMs: number, scope: CancellationScope | null): Promise<RpcReply> {
    this.#lookAround()
    const leftMs = countdown(this.#clock, deadlineMs)
    for (let wait = 0; ; wait++) {
      const reply = await this.#readOnce(read, leftMs(), scope)
      if (!isOlder(read.method, reply, read.minSlot)) return reply
      if (wait === MAX_WAITS || leftMs() < 2 * this.#slotMs || scope?.isCancelled) throw behind()
      await sleep(this.#slotMs)
    }
  }

  async #readOnce(read: Read, deadlineMs: number, scope: CancellationScope | null): Promise<RpcReply> {
    const { method, paramsJson, priority, minSlot } = read
    const isUnwell = (reply: RpcReply): boolean => isAboutNode(reply) || isOlder(method, reply, minSlot)
    const call = this.#callOf(method, paramsJson)
    const nodes = this.#orderFor(read)
    const ask = (node: Upstream, shareMs: number) =>
      this.#ask(node, call, read, { deadlineMs: shareMs, priority, scope })
    const hedge = nodes.length === 1 ? null : this.#hedge(method, nodes, ask, isUnwell)
    const reply = await failOver(nodes, {
      deadlineMs,
      lane: method,
      scope,
      clock: this.#clock,
      ask: hedge === null ? ask : (node, shareMs) => hedge.ask(node, shareMs),
      isUnwell,
    })
    if (reply === null) throw coolingDown(shortestWaitMs(this.#nodes, method))
    return reply
  }

  #hedge(
    method: string,
    nodes: readonly Upstream[],
    ask: (node: Upstream, deadlineMs: number) => Promise<RpcReply>,
    isUnwell: (reply: RpcReply) => boolean,
  ): Hedge<RpcReply> {
    this.#allowance.earn()
    return new Hedge({
      nodes,
      usualMs: (node) => this.#latenciesOf(node, method).p95,
      isFit: (node) => node.isReady(method) && !this.#freshness.isBehind(node),
      mayAsk: () => {
        const may = this.#allowance.spend()
        if (may) this.hedges.asked++
        return may
      },
      ask,
      isUnwell,
      onWon: () => void this.hedges.won++,
    })
  }

  #latenciesOf(node: Upstream, method: string): Latencies {
    const key = `${node.label} ${method}`
    let latencies = this.#latencies.get(key)
    if (latencies === undefined) this.#latencies.set(key, (latencies = new Latencies()))
    return latencies
  }

  /** Opens a connection to each node, and learns how far it is. Failures are only logged. */
  async warmUp(deadlineMs: number): Promise<void> {
    const call = this.#callOf(LOOK.method, LOOK.paramsJson)
    await Promise.allSettled(
      this.#nodes.map((node) => this.#ask(node, call, LOOK, { deadlineMs, priority: 'build', scope: null })),
    )
  }

  /** Asks a node which cluster it is of; by whichever of its connections. */
  async askCluster(node: Upstream, deadlineMs: number = OWN_DEADLINE_MS): Promise<void> {
    const { label } = node
    try {
      const call = this.#callOf('getGenesisHash', '[]')
      const { result } = await node.ask(call, { deadlineMs, priority: 'research' })
      const hash = result === null || result.length > MAX_GENESIS_BYTES ? null : parsedOrNone(result)
      this.#clusters.note(label, typeof hash === 'string' ? { hash } : 'mute')
    } catch {
      this.#clusters.note(label, 'silent')
    }
  }

  /** While there are reads, all nodes are asked for their slot now and then. */
  #lookAround(): void {
    for (const node of this.#freshness.due()) {
      if (!node.isReady(LOOK.method)) continue
      if (this.#clusters.isOpen(node.label)) void this.askCluster(node)
      const call = this.#callOf(LOOK.method, LOOK.paramsJson)
      const asked = { deadlineMs: OWN_DEADLINE_MS, priority: LOOK.priority, scope: null }
      this.#ask(node, call, LOOK, asked).catch(() => {})
    }
  }

  async #ask(
    node: Upstream,
    call: RpcCall,
    { method, paramsJson }: Read,
    asked: AskOptions,
  ): Promise<RpcReply> {
    if (this.#nodes.length === 1) return node.ask(call, asked)
    const askedAt = this.#clock.now()
    const reply = await node.ask(call, asked)
    this.#latenciesOf(node, method).add(this.#clock.now() - askedAt)
    const slot = slotOf(method, reply)
    if (slot !== null) this.#freshness.saw(node, levelOf(method, paramsJson), slot)
    return reply
  }

  #orderFor({ method, paramsJson, minSlot }: Read): readonly Upstream[] {
    if (this.#nodes.length === 1) return this.#nodes
    const slot = Math.max(minSlot, minContextSlotOf(paramsJson))
    return this.#freshness.order(levelOf(method, paramsJson), slot, ({ label }) =>
      this.#clusters.isUnproved(label),
    )
  }

  #callOf(method: string, paramsJson: string): RpcCall {
    return new RpcCall(this.#scan, ++this.#lastId, method, paramsJson, true)
  }
}

const LOOK: Read = {
  method: 'getSlot',
  paramsJson: '[{"commitment":"processed"}]',
  priority: 'research',
  minSlot: 0,
}

/** All nodes that answered would show a state from before what the client has seen. */
function behind(): GatewayError {
  const message =
    'No upstream has reached the slot in which your transaction was confirmed. Try again when retryAfterMs have passed.'
  return new GatewayError('upstream_unavailable', message, { retryAfterMs: SLOT_MS })
}
