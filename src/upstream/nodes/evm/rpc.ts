/**
 * The nodes of one EVM chain: read-only calls, tried at one node after another
 * until one answers.
 *
 * Source: ethereum/execution-apis (eth_call, eth_chainId)
 */
import { crc32 } from 'node:zlib'
import { findEvmChain } from '../../../chains/find.ts'
import type { Call } from '../../../flow/call.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import { named, recorded } from '../../../runtime/tape.ts'
import { Coalescer } from '../../answers/coalescing.ts'
import { createUpstreamContext } from '../../context.ts'
import type { Upstream } from '../../upstream.ts'
import { ChainNodes, type NodesOptions } from '../chain-nodes.ts'
import { failOver } from '../fail-over.ts'
import { RpcCall } from '../json-rpc.ts'
import { onePerHost } from '../voters.ts'
import {
  ABSENT,
  arrayCall,
  FAILING,
  type HexAnswer,
  hexCall,
  isData,
  isQuantity,
  type JudgeNode,
  lookCall,
  NODE_FAULT,
  type NodeCondition,
  REFUSED,
  textCall,
} from './calls.ts'

/** Bound of a reply: room for a batch of a thousand reads. */
const MAX_REPLY_BYTES = 1024 * 1024
/** How long a node's report of its chain is trusted. */
const SAME_CHAIN_MS = 60_000
/** How long a node that refused a JSON-RPC array gets none. */
const NO_ARRAYS_MS = 3_600_000
/** How long a node that is behind, or of another chain, is tried after all others. */
const DOUBT_MS = 60_000

export interface EvmRpcOptions extends NodesOptions {
  readonly chainKey: string
}

/** One node alone. */
export interface EvmVoter extends Pick<EvmRpc, 'call' | 'gasPrice'> {
  readonly label: string
  /** A contract's code, 0x hex: '0x' if there is none. @throws GatewayError  502 upstream_* */
  code(address: string, call: Call): Promise<string>
}

/** A question whose answer is one hex string. */
interface HexQuestion {
  readonly method: string
  readonly params: readonly unknown[]
  readonly accepts: (text: string) => boolean
  readonly judge?: JudgeNode | undefined
  readonly nodes: readonly Upstream[]
}

export class EvmRpc extends ChainNodes {
  readonly #chainKey: string
  readonly #chainId: number | null
  readonly #clock: Clock
  /** `<label> <method>` for each method that a node lacks. */
  readonly #unable = new Set<string>()
  /** Answers of nodes that belong to this chain, by label. */
  readonly #ofChain: Coalescer<object>
  /** Until when a node is tried last, because one of its answers was not sound; monotonic, ms. */
  readonly #doubtedUntil = new Map<Upstream, number>()
  /** Until when a node gets no JSON-RPC arrays; monotonic, ms. */
  readonly #noArraysUntil = new Map<Upstream, number>()
  #lastId = 0

  constructor({ chainKey, urls, context = createUpstreamContext() }: EvmRpcOptions) {
    super(chainKey, { urls, context }, { maxBytes: MAX_REPLY_BYTES })
    this.#chainKey = chainKey
    this.#chainId = findEvmChain(chainKey)?.chainId ?? null
    this.#clock = named(context.clock, chainKey)
    this.#ofChain = new Coalescer(SAME_CHAIN_MS, this.#clock)
  }

  /**
   * Calls a contract's function at the latest block.
   * @param to  an address
   * @param data  calldata, 0x hex
   * @param call  over all attempts
   * @param judge  says what an answer, 0x hex, shows about its node
   * @param nodes  the nodes to try
   * @returns 0x hex, '0x' if there is no contract; null if the call reverts
   * @throws GatewayError  502 upstream_*
   * @throws ForeignNode  if no node belongs to the chain
   */
  async call(
    to: string,
    data: string,
    call: Call,
    judge?: JudgeNode,
    nodes: readonly Upstream[] = this.nodes,
  ): Promise<string | null> {
    const params = [{ to, data }, 'latest']
    return (await this.#ask({ method: 'eth_call', params, accepts: isData, judge, nodes }, call)).hex
  }

  /**
   * The same for several calls of one contract, in one request to a node that takes JSON-RPC arrays. The node
   * runs each with gas of its own.
   * @param judge  the same, with the call's place
   * @returns in the order of the calls: null if a call was not answered, or reverted, and has to be made
   *          alone. Null if no node that could be asked takes arrays
   * @throws GatewayError  502 upstream_*
   */
  async callAll(
    to: string,
    datas: readonly string[],
    call: Call,
    judge: (hex: string, place: number) => NodeCondition,
  ): Promise<readonly (string | null)[] | null> {
    const calls = datas.map((data, place) => {
      const paramsJson = JSON.stringify([{ to, data }, 'latest'])
      const id = this.#nextId(`eth_call ${paramsJson}`)
      const rpcCall = new RpcCall('evm', { id, method: 'eth_call', paramsJson })
      return [String(id), hexCall(rpcCall, isData, (hex) => judge(hex, place))] as const
    })
    const request = arrayCall(new Map(calls))
    const now = this.#clock.now()
    const able = this.#those('arrays', this.nodes, (node) => (this.#noArraysUntil.get(node) ?? -1) <= now)
    const answer = await failOver(this.#doubtedLast(able), {
      call,
      ask: async (upstream, share) => {
        const { answers } = await upstream.ask(request, share)
        if (answers === null) this.#noArraysUntil.set(upstream, this.#clock.now() + NO_ARRAYS_MS)
        const isSound = answers?.every((one) => one === null || one.shows === 'sound') ?? true
        if (!isSound) this.#doubtedUntil.set(upstream, this.#clock.now() + DOUBT_MS)
        return { answers: isSound ? answers : null }
      },
      isNodeFault: ({ answers }) => answers === null,
    })
    return answer?.answers?.map((one) => one?.hex ?? null) ?? null
  }

  /**
   * Wei per unit of gas, as a transaction would pay it now.
   * @param nodes  the nodes to try
   * @throws GatewayError  502 upstream_*
   */
  async gasPrice(call: Call, nodes: readonly Upstream[] = this.nodes): Promise<bigint> {
    return BigInt(await this.#hex({ method: 'eth_gasPrice', params: [], accepts: isQuantity, nodes }, call))
  }

  /** @throws GatewayError  502 upstream_*, also for what reverted */
  async #hex(question: HexQuestion, call: Call): Promise<string> {
    const { hex } = await this.#ask(question, call)
    if (hex === null) throw this.#nodeFailure()
    return hex
  }

  /**
   * The result of a method that not every node has, as JSON text. A node that lacks it isn't asked for it
   * again.
   * @param method  a name that needs no escaping
   * @returns null if no node has it, or if they refuse to run it
   * @throws GatewayError  502 upstream_*
   */
  async query(method: string, params: readonly unknown[], call: Call): Promise<string | null> {
    const able = this.#those(method, this.nodes, ({ label }) => !this.#unable.has(`${label} ${method}`))
    const rpcCall = this.#callOf(method, params)
    const answer = await failOver(able, {
      call,
      ask: async (upstream, share) => {
        const reply = await upstream.ask(textCall(rpcCall), share)
        if (reply.isUnknown) this.#unable.add(`${upstream.label} ${method}`)
        return reply
      },
      isNodeFault: ({ text }) => text === null,
    })
    return answer?.text ?? null
  }

  /**
   * Asks for something that a node may not have, such as a transaction. A node
   * that does not have it may be behind, so the next one is tried. A node of
   * another chain would not have it either, so each is first asked for its chain.
   * @param method  a name that needs no escaping
   * @param read    turns the result into a value; null if it does not answer the question, which is the
   *                node's fault
   * @returns null if no node that answered has it
   * @throws GatewayError  502 upstream_*, if none answered
   */
  async look<Value extends object>(
    method: string,
    params: readonly unknown[],
    read: (result: unknown) => Value | null,
    call: Call,
  ): Promise<Value | null> {
    const rpcCall = this.#callOf(method, params)
    const request = lookCall(rpcCall, read)
    let isAbsent = false
    const answer = await failOver(this.nodes, {
      call,
      ask: async (upstream, share) => {
        await this.#requireChain(upstream, share.within(share.leftMs / 2))
        const found = await upstream.ask(request, share)
        isAbsent ||= found === ABSENT
        return found
      },
      isNodeFault: (found) => found === ABSENT || found === REFUSED || found === FAILING,
    })
    if (answer === null) throw this.coolingDown("The chain's")
    if ((answer === REFUSED || answer === FAILING) && !isAbsent) throw this.#nodeFailure()
    return answer.value
  }

  /** Asks each node for its chain. */
  override async greet(call: Call): Promise<void> {
    await Promise.allSettled(this.nodes.map((node) => this.#requireChain(node, call)))
  }

  /** @throws GatewayError  upstream_*, also for a node of another chain */
  async #requireChain(upstream: Upstream, call: Call): Promise<void> {
    const { label } = upstream
    await this.#ofChain.join(label, call.scope, async (shared) => {
      const rpcCall = this.#callOf('eth_chainId', [])
      const isOurs = (text: string): boolean =>
        isQuantity(text) && Number(text.slice(1, -1)) === this.#chainId
      const answer = await upstream.ask(hexCall(rpcCall, isOurs), call.in(shared))
      if (answer === NODE_FAULT || answer.hex === null) throw this.#nodeFailure()
      return answer
    })
  }

  /** One node of each host, without failover: for questions on which several must agree. */
  get voters(): readonly EvmVoter[] {
    return onePerHost(this.nodes).map((node) => ({
      label: node.label,
      gasPrice: (call) => this.gasPrice(call, [node]),
      call: (to, data, call, judge) => this.call(to, data, call, judge, [node]),
      code: (address, call) => {
        const params = [address, 'latest']
        return this.#hex({ method: 'eth_getCode', params, accepts: isData, nodes: [node] }, call)
      },
    }))
  }

  #callOf(method: string, params: readonly unknown[]): RpcCall {
    const paramsJson = JSON.stringify(params)
    return new RpcCall('evm', { id: this.#nextId(`${method} ${paramsJson}`), method, paramsJson })
  }

  /** @param question  has kilobytes where many calls are one: a recording names it by its checksum */
  #nextId(question: string): number {
    return recorded(this.#clock, `id ${crc32(question)}`, () => ++this.#lastId)
  }

  /** Those of the nodes of which this holds. */
  #those(what: string, nodes: readonly Upstream[], holds: (node: Upstream) => boolean): readonly Upstream[] {
    const name = (node: Upstream): string => `${what} ${node.label}`
    return nodes.filter((node) => recorded(this.#clock, name(node), () => holds(node)))
  }

  async #ask({ method, params, accepts, judge, nodes }: HexQuestion, call: Call): Promise<HexAnswer> {
    const request = hexCall(this.#callOf(method, params), accepts, judge)
    const answer = await failOver(this.#doubtedLast(nodes), {
      call,
      ask: async (upstream, share) => {
        const answer = await upstream.ask(request, share)
        if (answer.shows !== 'sound') this.#doubtedUntil.set(upstream, this.#clock.now() + DOUBT_MS)
        if (answer.shows === 'foreign') throw new ForeignNode(this.#chainKey)
        return answer
      },
      isNodeFault: ({ isNodeFault, shows }) => isNodeFault || shows !== 'sound',
    })
    if (answer === null) throw this.coolingDown("The chain's")
    if (answer.isNodeFault) throw this.#nodeFailure()
    return answer
  }

  /** A node that was recently not sound is tried after all others. */
  #doubtedLast(upstreams: readonly Upstream[]): readonly Upstream[] {
    const now = this.#clock.now()
    const doubted = this.#those('doubted', upstreams, (one) => (this.#doubtedUntil.get(one) ?? -1) > now)
    if (doubted.length === 0) return upstreams
    return [...upstreams.filter((one) => !doubted.includes(one)), ...doubted]
  }

  #nodeFailure(): GatewayError {
    const message = "The chain's nodes answered with errors of their own. Try again later."
    return new GatewayError('upstream_failed', message, { provider: this.#chainKey, scope: 'provider' })
  }
}

/** Thrown if only nodes of other chains answered. A smaller question would not help. */
export class ForeignNode extends GatewayError {
  constructor(chainKey: string) {
    const message = "The chain's nodes answered without this chain's Multicall3: they are of another chain."
    super('upstream_unusable', message, { provider: chainKey, scope: 'provider' })
  }
}
