/**
 * The nodes of one EVM chain: read-only calls, to one node after the other
 * until one answers.
 *
 * A call that the contract refuses is an answer, not a fault: nodes say it in
 * many words, and which words is decided here. Every other error is the node's
 * own (rate limits, a missing block, a method that is switched off), and the
 * next one is asked.
 *
 * Source: ethereum/execution-apis (eth_call, eth_chainId) · geth core/vm/errors.go ·
 * EIP-1474 (error codes)
 */

import { findEvmChain } from '../chains/find.ts'
import { type Clock, countdown } from '../clock.ts'
import { type Code, GatewayError } from '../errors.ts'
import { Flights } from '../flights.ts'
import { parsedOrNone } from '../json/parse.ts'
import { EnvelopeScan } from '../json/scan.ts'
import { type AskOptions, LIMITED, type UpstreamRequest } from '../upstream/call.ts'
import type { Caller } from '../upstream/caller.ts'
import { type Commons, createCommons } from '../upstream/commons.ts'
import type { UpstreamState } from '../upstream/standing.ts'
import { Upstream } from '../upstream/upstream.ts'
import { failOver, shortestWaitMs } from './fail-over.ts'
import { errorCode, errorFields, RpcCall } from './json-rpc.ts'

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
  readonly commons?: Commons
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
  readonly #ofChain: Flights<object>
  /** Monotonic, ms; of those whose answers were not sound. */
  readonly #doubtedUntil = new Map<Upstream, number>()
  #lastId = 0

  constructor({ chainKey, urls, commons = createCommons() }: EvmRpcOptions) {
    this.#chainKey = chainKey
    this.#chainId = findEvmChain(chainKey)?.chainId ?? null
    this.#clock = commons.clock
    this.#ofChain = new Flights(SAME_CHAIN_MS, commons.clock)
    this.#upstreams = urls.map((url, i) => {
      return new Upstream({
        label: evmLabel(chainKey, i),
        url,
        maxBytes: MAX_REPLY_BYTES,
        scope: 'provider',
        commons,
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
    caller: Caller | null = null,
    judge: Judge = () => 'sound',
  ): Promise<string | null> {
    const { hex } = await this.#ask('eth_call', [{ to, data }, 'latest'], isData, deadlineMs, caller, judge)
    return hex
  }

  /**
   * The chain that the nodes say they are on.
   * @throws GatewayError  502 upstream_*
   */
  async chainId(deadlineMs: number, caller: Caller | null = null): Promise<number> {
    const { hex } = await this.#ask('eth_chainId', [], isQuantity, deadlineMs, caller)
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
    { deadlineMs, caller = null }: AskOptions,
  ): Promise<string | null> {
    const able = this.#upstreams.filter(({ label }) => !this.#unable.has(`${label} ${method}`))
    const rpcCall = new RpcCall(this.#scan, ++this.#lastId, method, JSON.stringify(params), true)
    const answer = await failOver(able, {
      deadlineMs,
      caller,
      clock: this.#clock,
      ask: async (upstream, shareMs) => {
        const options = { deadlineMs: shareMs, caller }
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
    { deadlineMs, caller = null }: AskOptions,
  ): Promise<Thing | null> {
    const rpcCall = new RpcCall(this.#scan, ++this.#lastId, method, JSON.stringify(params), true)
    const call = new LookCall(rpcCall, read)
    let isAbsent = false
    const answer = await failOver(this.#upstreams, {
      deadlineMs,
      caller,
      clock: this.#clock,
      ask: async (upstream, shareMs) => {
        const leftMs = countdown(this.#clock, shareMs)
        await this.#requireChain(upstream, leftMs() / 2, caller)
        const found = await upstream.ask(call, { deadlineMs: leftMs(), caller })
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
  async #requireChain(upstream: Upstream, deadlineMs: number, caller: Caller | null): Promise<void> {
    const { label } = upstream
    await this.#ofChain.join(label, caller, async (shared) => {
      const rpcCall = new RpcCall(this.#scan, ++this.#lastId, 'eth_chainId', '[]', true)
      const isOurs = (text: string): boolean =>
        isQuantity(text) && Number(text.slice(1, -1)) === this.#chainId
      const answer = await upstream.ask(new HexCall(rpcCall, isOurs), { deadlineMs, caller: shared })
      if (answer === UNWELL || answer.hex === null) throw this.#unwell()
      return answer
    })
  }

  /** The nodes but the most preferred one, for a second opinion; null where there is only that. */
  get others(): Pick<EvmRpc, 'call'> | null {
    const [, ...others] = this.#upstreams
    if (others.length === 0) return null
    return {
      call: async (to, data, deadlineMs, caller = null) =>
        (
          await this.#ask(
            'eth_call',
            [{ to, data }, 'latest'],
            isData,
            deadlineMs,
            caller,
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
    caller: Caller | null,
    judge: Judge = () => 'sound',
    upstreams: readonly Upstream[] = this.#upstreams,
  ): Promise<HexAnswer> {
    const rpcCall = new RpcCall(this.#scan, ++this.#lastId, method, JSON.stringify(params), true)
    const call = new HexCall(rpcCall, accepts, judge)
    const answer = await failOver(this.#doubtedLast(upstreams), {
      deadlineMs,
      caller,
      clock: this.#clock,
      ask: async (upstream, shareMs) => {
        const answer = await upstream.ask(call, { deadlineMs: shareMs, caller })
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

/**
 * What an answer shows of the node that gave it: `behind`, where it is right and old, so that another
 * may know more; `foreign`, where the node is of another chain or lacks what every node of this one has.
 */
export type Shown = 'sound' | 'behind' | 'foreign'
type Judge = (hex: string) => Shown

interface HexAnswer {
  /** null where there is none, because the call reverted or the node is unwell. */
  readonly hex: string | null
  readonly isUnwell: boolean
  readonly shows: Shown
}

const UNWELL: HexAnswer = { hex: null, isUnwell: true, shows: 'sound' }

/** A call whose result is hex in a JSON string. */
class HexCall implements UpstreamRequest<HexAnswer> {
  readonly method = 'POST'
  readonly path = ''
  readonly resend = true
  readonly body: string
  readonly question: string
  readonly #call: RpcCall
  readonly #accepts: (text: string) => boolean
  readonly #judge: Judge

  constructor(call: RpcCall, accepts: (text: string) => boolean, judge: Judge = () => 'sound') {
    this.#call = call
    this.#accepts = accepts
    this.#judge = judge
    this.body = call.body
    this.question = call.question
  }

  read(status: number, body: Buffer): HexAnswer | typeof LIMITED | null {
    const reply = this.#call.read(status, body)
    // A status such as 404 or 413 is about where the node is and what it takes: the caller cannot mend it.
    if (reply === null) return status === 200 ? null : UNWELL
    if (reply.error !== null && LIMIT_CODES.has(errorCode(reply.error))) return LIMITED
    if (reply.error !== null) return { hex: null, isUnwell: !isRevert(reply.error), shows: 'sound' }
    const text = reply.result!.toString('latin1')
    if (!this.#accepts(text)) return null
    const hex = text.slice(1, -1)
    return { hex, isUnwell: false, shows: this.#judge(hex) }
  }

  failureOf({ isUnwell, shows }: HexAnswer): Code | null {
    return isUnwell || shows !== 'sound' ? 'upstream_failed' : null
  }
}

interface Found<Thing> {
  readonly thing: Thing
}

/** The node has not got what it was asked for. */
const ABSENT: Found<null> = { thing: null }
/** The node answered with an error. */
const REFUSED: Found<null> = { thing: null }

/** A call whose result may be null. */
class LookCall<Thing extends object> implements UpstreamRequest<Found<Thing | null>> {
  readonly method = 'POST'
  readonly path = ''
  readonly resend = true
  readonly body: string
  readonly question: string
  readonly #call: RpcCall
  readonly #read: (result: unknown) => Thing | null

  constructor(call: RpcCall, read: (result: unknown) => Thing | null) {
    this.#call = call
    this.#read = read
    this.body = call.body
    this.question = call.question
  }

  read(status: number, body: Buffer): Found<Thing | null> | typeof LIMITED | null {
    const reply = this.#call.read(status, body)
    if (reply === null) return status === 200 ? null : REFUSED
    if (reply.error !== null) return LIMIT_CODES.has(errorCode(reply.error)) ? LIMITED : REFUSED
    const result = parsedOrNone(reply.result!)
    if (result === null) return ABSENT
    const thing = this.#read(result)
    return thing === null ? null : { thing }
  }

  failureOf(found: Found<Thing | null>): Code | null {
    return found === REFUSED ? 'upstream_failed' : null
  }
}

interface TextAnswer {
  /** The result; null for an error. */
  readonly text: string | null
  /** The node does not know the method. */
  readonly isUnknown: boolean
  /** What answered is no node. */
  readonly isForeign: boolean
}

/** A call whose result is read by whoever asks. */
class TextCall implements UpstreamRequest<TextAnswer> {
  readonly method = 'POST'
  readonly path = ''
  readonly resend = true
  readonly body: string
  readonly question: string
  readonly #call: RpcCall

  constructor(call: RpcCall) {
    this.#call = call
    this.body = call.body
    this.question = call.question
  }

  read(status: number, body: Buffer): TextAnswer | typeof LIMITED | null {
    const reply = this.#call.read(status, body)
    if (reply === null) return status === 200 ? null : { text: null, isUnknown: false, isForeign: true }
    if (reply.error === null) return { text: reply.result!.toString(), isUnknown: false, isForeign: false }
    if (LIMIT_CODES.has(errorCode(reply.error))) return LIMITED
    return { text: null, isUnknown: isMethodUnknown(reply.error), isForeign: false }
  }

  failureOf({ isForeign }: TextAnswer): Code | null {
    return isForeign ? 'upstream_failed' : null
  }
}

/** So much of an error's message is looked at: some of the patterns go over it again for each word of theirs. */
const MAX_CHARACTERS = 512

const METHOD_NOT_FOUND = -32_601
/** The words of a node that has other codes for a method which it lacks or which its operator switched off. */
const METHOD_MISSING =
  /\bmethod\b.*\b(not (be )?(found|supported|available|allowed|enabled|whitelisted)|does(n.t| not) exist|unsupported|disabled|unavailable)|(unknown|unsupported|unavailable|disabled|no such) method/i

/** Whether an error says that the node lacks a method, whatever it was asked with. */
function isMethodUnknown(error: Buffer): boolean {
  if (errorCode(error) === METHOD_NOT_FOUND) return true
  const { message } = errorFields(error)
  return typeof message === 'string' && METHOD_MISSING.test(message.slice(0, MAX_CHARACTERS))
}

/** Whole bytes. */
function isData(text: string): boolean {
  return text.length % 2 === 0 && /^"0x[0-9a-fA-F]*"$/.test(text)
}

/** A number below 2^52. */
function isQuantity(text: string): boolean {
  return /^"0x[0-9a-fA-F]{1,13}"$/.test(text)
}

/** Whether an error says that the EVM ended the call: by REVERT, or by a failure that every node would see. */
function isRevert(error: Buffer): boolean {
  const { code, message } = errorFields(error)
  return (
    REVERT_CODES.has(code) ||
    (typeof message === 'string' && EVM_FAILURE.test(message.slice(0, MAX_CHARACTERS)))
  )
}

/** The codes of "limit exceeded", and what many public nodes say in its place. */
const LIMIT_CODES: ReadonlySet<number | null> = new Set([-32005, 429])
/**
 * The codes of a revert: geth's and anvil's with data; Nethermind's and
 * OpenEthereum's "VM execution error".
 */
const REVERT_CODES: ReadonlySet<unknown> = new Set([3, -32015])
/** The words of a failed call, for nodes that say -32000 for everything. */
const EVM_FAILURE =
  /revert|invalid opcode|invalid jump|out of gas|stack underflow|stack limit reached|return data out of bounds|write protection/i
