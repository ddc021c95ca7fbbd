/**
 * The nodes of one EVM chain: read-only calls, to one node after the other
 * until one answers.
 *
 * Source: ethereum/execution-apis (eth_call, eth_chainId)
 */
import { findEvmChain } from '../../chains/find.ts'
import { EnvelopeScan } from '../../chains/json/scan.ts'
import type { CancellationScope } from '../../runtime/cancellation.ts'
import { type Clock, countdown } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { AskOptions } from '../call.ts'
import { Coalescer } from '../coalescing.ts'
import { createUpstreamContext, type UpstreamContext } from '../context.ts'
import type { UpstreamState } from '../health.ts'
import { Upstream } from '../upstream.ts'
import {
  ABSENT,
  type HexAnswer,
  HexCall,
  isData,
  isQuantity,
  type Judge,
  LookCall,
  REFUSED,
  TextCall,
  UNWELL,
} from './evm-calls.ts'
import { failOver, shortestWaitMs } from './fail-over.ts'
import { RpcCall } from './json-rpc.ts'

/** Bound of a reply: a batch of a thousand reads has room in it. */
const MAX_REPLY_BYTES = 1024 * 1024
/** For so long a node is taken to be of the chain that it said it is of. */
const SAME_CHAIN_MS = 60_000
/** How long a node that is behind, or of another chain, is asked after all others. */
const DOUBT_MS = 60_000

export interface EvmRpcOptions {
  /** Its key stands in the labels of its nodes: `base-1`. */
  readonly chainKey: string
  /** The nodes' URLs, in order of preference; at least one. */
  readonly urls: readonly string[]
  readonly context?: UpstreamContext
}

export class EvmRpc {
  readonly #chainKey: string
  readonly #chainId: number | null
  readonly #upstreams: readonly Upstream[]
  readonly #clock: Clock
  readonly #scan = new EnvelopeScan()
  /** Node and method, of those that do not go together. */
  readonly #unable = new Set<string>()
  /** By label, of nodes that said that they are of this chain. */
  readonly #ofChain: Coalescer<object>
  /** Monotonic, ms; of those whose answers were not sound. */
  readonly #doubtedUntil = new Map<Upstream, number>()
  #lastId = 0

  constructor({ chainKey, urls, context = createUpstreamContext() }: EvmRpcOptions) {
    this.#chainKey = chainKey
    this.#chainId = findEvmChain(chainKey)?.chainId ?? null
    this.#clock = context.clock
    this.#ofChain = new Coalescer(SAME_CHAIN_MS, context.clock)
    this.#upstreams = urls.map((url, i) => {
      return new Upstream({
        label: evmLabel(chainKey, i),
        url,
        maxBytes: MAX_REPLY_BYTES,
        scope: 'provider',
        context,
      })
    })
  }

  /**
   * What a contract's function answers, at the latest block.
   * @param to  an address
   * @param data  calldata, 0x hex
   * @param deadlineMs  over all attempts
   * @param judge  what an answer, 0x hex, shows of the node that gave it
   * @returns 0x hex, '0x' where there is no contract; null when the call reverts
   * @throws GatewayError  502 upstream_*
   * @throws ForeignNode  when no node is the chain's
   */
  async call(
    to: string,
    data: string,
    deadlineMs: number,
    scope: CancellationScope | null = null,
    judge: Judge = () => 'sound',
  ): Promise<string | null> {
    const { hex } = await this.#ask('eth_call', [{ to, data }, 'latest'], isData, deadlineMs, scope, judge)
    return hex
  }

  /**
   * The chain that the nodes say they are on.
   * @throws GatewayError  502 upstream_*
   */
  async chainId(deadlineMs: number, scope: CancellationScope | null = null): Promise<number> {
    const { hex } = await this.#ask('eth_chainId', [], isQuantity, deadlineMs, scope)
    if (hex === null) throw this.#unwell()
    return Number(hex)
  }

  /**
   * The result of a method that not every node has, as JSON text. A node that
   * lacks it is not asked for it again.
   * @param method  a name that needs no escaping
   * @returns null where no node has it, or where they refuse to run it
   * @throws GatewayError  502 upstream_*
   */
  async query(
    method: string,
    params: readonly unknown[],
    { deadlineMs, scope = null }: AskOptions,
  ): Promise<string | null> {
    const able = this.#upstreams.filter(({ label }) => !this.#unable.has(`${label} ${method}`))
    const rpcCall = new RpcCall(this.#scan, ++this.#lastId, method, JSON.stringify(params), true)
    const answer = await failOver(able, {
      deadlineMs,
      scope,
      clock: this.#clock,
      ask: async (upstream, shareMs) => {
        const options = { deadlineMs: shareMs, scope }
        const reply = await upstream.ask(new TextCall(rpcCall), options)
        if (reply.isUnknown) this.#unable.add(`${upstream.label} ${method}`)
        return reply
      },
      isUnwell: ({ text }) => text === null,
    })
    return answer?.text ?? null
  }

  /**
   * What a node tells of a thing that it may not have, such as a transaction. A
   * node that has not got it may only be behind, so the next one is asked; and
   * one of another chain would not have it either, so each says first which it
   * is of.
   * @param method  a name that needs no escaping
   * @param read    what is made of the result; null where it is no answer to the question, which is the node's fault
   * @returns null where no node that answered has it
   * @throws GatewayError  502 upstream_*, when none answered
   */
  async look<Thing extends object>(
    method: string,
    params: readonly unknown[],
    read: (result: unknown) => Thing | null,
    { deadlineMs, scope = null }: AskOptions,
  ): Promise<Thing | null> {
    const rpcCall = new RpcCall(this.#scan, ++this.#lastId, method, JSON.stringify(params), true)
    const call = new LookCall(rpcCall, read)
    let isAbsent = false
    const answer = await failOver(this.#upstreams, {
      deadlineMs,
      scope,
      clock: this.#clock,
      ask: async (upstream, shareMs) => {
        const leftMs = countdown(this.#clock, shareMs)
        await this.#requireChain(upstream, leftMs() / 2, scope)
        const found = await upstream.ask(call, { deadlineMs: leftMs(), scope })
        isAbsent ||= found === ABSENT
        return found
      },
      isUnwell: (found) => found === ABSENT || found === REFUSED,
    })
    if (answer === null) throw this.#coolingDown()
    if (answer === REFUSED && !isAbsent) throw this.#unwell()
    return answer.thing
  }

  /** @throws GatewayError  upstream_*: for a node of another chain, too */
  async #requireChain(
    upstream: Upstream,
    deadlineMs: number,
    scope: CancellationScope | null,
  ): Promise<void> {
    const { label } = upstream
    await this.#ofChain.join(label, scope, async (shared) => {
      const rpcCall = new RpcCall(this.#scan, ++this.#lastId, 'eth_chainId', '[]', true)
      const isOurs = (text: string): boolean =>
        isQuantity(text) && Number(text.slice(1, -1)) === this.#chainId
      const answer = await upstream.ask(new HexCall(rpcCall, isOurs), { deadlineMs, scope: shared })
      if (answer === UNWELL || answer.hex === null) throw this.#unwell()
      return answer
    })
  }

  /** The nodes but the most preferred one, for a second opinion; null where there is only that. */
  get others(): Pick<EvmRpc, 'call'> | null {
    const [, ...others] = this.#upstreams
    if (others.length === 0) return null
    return {
      call: async (to, data, deadlineMs, scope = null) =>
        (
          await this.#ask(
            'eth_call',
            [{ to, data }, 'latest'],
            isData,
            deadlineMs,
            scope,
            () => 'sound',
            others,
          )
        ).hex,
    }
  }

  state(): UpstreamState[] {
    return this.#upstreams.map((upstream) => upstream.state)
  }

  /** Closes all connections; calls that are still under way fail. */
  async close(): Promise<void> {
    await Promise.all(this.#upstreams.map((upstream) => upstream.close()))
  }

  async #ask(
    method: string,
    params: readonly unknown[],
    accepts: (text: string) => boolean,
    deadlineMs: number,
    scope: CancellationScope | null,
    judge: Judge = () => 'sound',
    upstreams: readonly Upstream[] = this.#upstreams,
  ): Promise<HexAnswer> {
    const rpcCall = new RpcCall(this.#scan, ++this.#lastId, method, JSON.stringify(params), true)
    const call = new HexCall(rpcCall, accepts, judge)
    const answer = await failOver(this.#doubtedLast(upstreams), {
      deadlineMs,
      scope,
      clock: this.#clock,
      ask: async (upstream, shareMs) => {
        const answer = await upstream.ask(call, { deadlineMs: shareMs, scope })
        if (answer.shows !== 'sound') this.#doubtedUntil.set(upstream, this.#clock.now() + DOUBT_MS)
        if (answer.shows === 'foreign') throw new ForeignNode(this.#chainKey)
        return answer
      },
      isUnwell: ({ isUnwell, shows }) => isUnwell || shows !== 'sound',
    })
    if (answer === null) throw this.#coolingDown()
    if (answer.isUnwell) throw this.#unwell()
    return answer
  }

  /** Whoever was not sound a moment ago is asked where nobody else is well. */
  #doubtedLast(upstreams: readonly Upstream[]): readonly Upstream[] {
    const now = this.#clock.now()
    const isDoubted = (upstream: Upstream): boolean => (this.#doubtedUntil.get(upstream) ?? -1) > now
    if (!upstreams.some(isDoubted)) return upstreams
    return [...upstreams.filter((one) => !isDoubted(one)), ...upstreams.filter(isDoubted)]
  }

  #coolingDown(): GatewayError {
    const message =
      "The chain's nodes are cooling down after failures. Try again when retryAfterMs have passed."
    const retryAfterMs = shortestWaitMs(this.#upstreams)
    return new GatewayError('upstream_unavailable', message, {
      provider: this.#chainKey,
      scope: 'provider',
      retryAfterMs,
    })
  }

  #unwell(): GatewayError {
    const message = "The chain's nodes answered with errors of their own. Try again later."
    return new GatewayError('upstream_failed', message, { provider: this.#chainKey, scope: 'provider' })
  }
}

/** What a chain's nodes are called, in the order of their URLs. */
export function evmLabel(chainKey: string, index: number): string {
  return `${chainKey}-${index + 1}`
}

/** Thrown where what answered is not the chain's node, and no other did better: a smaller question would not help. */
export class ForeignNode extends GatewayError {
  constructor(chainKey: string) {
    const message = "What answered on the chain's nodes is not this chain's Multicall3."
    super('upstream_unusable', message, { provider: chainKey, scope: 'provider' })
  }
}
