/**
 * Reads many contracts of one EVM chain through Multicall3, in chunks. Each call in a chunk gets all
 * remaining gas but a 64th, even with `allowFailure`. So one token that burns its gas leaves a 64th for the
 * calls after it, and two leave nothing. Three measures limit the damage. Chunks are short enough that a 64th
 * suffices for a whole one; each is an eth_call of its own, also within a JSON-RPC array. Unvouched tokens
 * are read last, in chunks of their own. A chunk that exceeds the gas, the node's time or the size of its
 * bodies is halved until the offending call is alone; that call is remembered and made alone from the start
 * the next time.
 *
 * Each chunk begins with the block's number and time and the chain's id. They prove that Multicall3 itself
 * answered, because its address may be empty or hold another contract, that it answered for this chain, and
 * how old its state is.
 *
 * Source: mds1/multicall3 README and deployments.json · OffchainLabs/nitro-contracts
 * src/precompiles/ArbSys.sol
 */

import { MULTICALL3 } from '../../chains/contracts.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import type { Call } from '../../flow/call.ts'
import type { CancellationScope } from '../../flow/cancellation.ts'
import { type BoundedCache, boundedCache } from '../../runtime/bounded-cache.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type Code, GatewayError, nullIfRefused } from '../../runtime/errors.ts'
import { chunksOf } from '../../runtime/lists.ts'
import { named, recorded } from '../../runtime/tape.ts'
import type { NodeCondition } from '../../upstream/nodes/evm/calls.ts'
import { type EvmRpc, ForeignNode } from '../../upstream/nodes/evm/rpc.ts'
import { encodeAddress, readUint } from './abi.ts'
import { type ContractCall, decodeAggregate3, encodeAggregate3 } from './multicall.ts'

/** Most nodes grant a call 50 million gas; a 64th of that is enough for 82 reads of tokens behind proxies. */
const MAX_CALLS = 80
/** Chains whose nodes grant 30 million by default; a 64th of that is enough for 49 reads. */
const FEWER_CALLS: Readonly<Record<string, number>> = { monad: 40 }
/** A few bad tokens can cause this many failed chunks. With as many and no answer, the nodes are at fault. */
const MAX_FAILURES = 24
/** The limit once a chunk was answered: one bad token costs its chunk seven failures. */
const MAX_FAILURES_BETWEEN = 64
/**
 * The most calls made alone because they reverted in a chunk, and the most made alone because they spoiled
 * one before.
 */
const MAX_ALONE = 24
/** Functions that failed even alone are remembered, so they spoil other calls only once. */
const MAX_SPOILERS = 500
const SPOILERS_FOR_MS = 3_600_000
/** Every chain makes a block within seconds. */
const MAX_HEAD_AGE_MS = 900_000
/** A call refused sooner did not wait for a slot. */
const MIN_SLOT_WAIT_MS = 20
const MAX_BLOCK = BigInt(Number.MAX_SAFE_INTEGER)

/** Failures that a smaller chunk may not meet. */
const TOO_MUCH: ReadonlySet<Code> = new Set(['upstream_failed', 'upstream_timeout', 'upstream_unusable'])

/** Aggregates in one JSON-RPC array: nodes bound how many they take. */
const MAX_TOGETHER = 8

/** The part of a chain's RPC client that is needed; without `callAll` every aggregate goes out by itself. */
export type EvmCallRpc = Pick<EvmRpc, 'call'> & Partial<Pick<EvmRpc, 'callAll'>>

interface EvmReaderOptions {
  readonly chain: ChainDefinition
  readonly rpc: EvmCallRpc
  readonly clock: Clock
}

/**
 * The bytes that a call returned. A revert is an answer as well; an unread call may be answered next time.
 */
export type CallOutcome = Buffer | 'reverted' | 'unread'

/** Indexes of calls. */
type Chunk = readonly number[]

interface ChunkResults {
  readonly block: number
  readonly isBehind: boolean
  readonly results: readonly (Buffer | null)[]
}

export class EvmReader {
  readonly #chain: ChainDefinition
  readonly #rpc: EvmCallRpc
  readonly #clock: Clock
  readonly #preface: readonly ContractCall[]
  readonly #maxCalls: number
  /** By contract and function. */
  readonly #spoilers: BoundedCache<string, true>
  /** Until when nothing is read ahead; monotonic, ms. */
  #noneAheadUntil = Number.NEGATIVE_INFINITY

  constructor({ chain, rpc, clock }: EvmReaderOptions) {
    this.#chain = chain
    this.#rpc = rpc
    this.#clock = clock
    this.#preface = [BLOCK_NUMBERS[chain.key] ?? GET_BLOCK_NUMBER, GET_BLOCK_TIME, GET_CHAIN_ID]
    this.#maxCalls = FEWER_CALLS[chain.key] ?? MAX_CALLS
    this.#spoilers = boundedCache({
      max: MAX_SPOILERS,
      ttlMs: SPOILERS_FOR_MS,
      clock: named(clock, 'spoilers'),
    })
  }

  /**
   * Reads all chunks in one request, as a JSON-RPC array. A chunk without an answer in it is read by itself.
   * If no node takes arrays, all are: one after the other, because public nodes limit calls per second.
   * @param calls    at least one
   * @param call     calls that are unfinished at its deadline stay unread
   * @param vouched  the number of leading calls to vouched contracts
   * @param ahead    calls that are made only if they fit into the same request; their outcomes come last
   * @returns the outcomes in the order of the calls
   * @throws GatewayError  502 upstream_*, if no chunk was answered
   */
  async read(
    calls: readonly ContractCall[],
    call: Call,
    vouched = calls.length,
    ahead: readonly ContractCall[] = [],
  ) {
    const noneAheadUntil = recorded(this.#clock, 'none ahead', () => this.#noneAheadUntil)
    const isTaken = this.#clock.now() >= noneAheadUntil && this.#rpc.callAll !== undefined
    const all = isTaken ? [...calls, ...ahead] : calls
    const isAhead = (chunk: Chunk): boolean => chunk[0]! >= calls.length
    const outcomes = new Array<CallOutcome>(calls.length + ahead.length).fill('unread')
    const failures: GatewayError[] = []
    /** The oldest block that a chunk was read at. */
    let block = null as number | null
    /** Whether a block was too old to represent the current state. */
    let isBehind = false
    let again = 0
    /** Indexes of calls that were made alone. */
    const alone = new Set<number>()
    /** @returns calls that reverted, and have to be made alone: those before them may have left too little gas */
    const keep = (chunk: Chunk, answer: ChunkResults): Chunk[] => {
      block = Math.min(block ?? answer.block, answer.block)
      isBehind ||= answer.isBehind
      const uncertain: Chunk[] = []
      for (const [i, returned] of answer.results.entries()) {
        const place = chunk[i]!
        outcomes[place] = returned ?? 'reverted'
        const isCertain = returned !== null || chunk.length === 1 || isAhead(chunk) || again++ >= MAX_ALONE
        if (!isCertain) uncertain.push([place])
      }
      return uncertain
    }
    const { together, apart } = this.#chunksOf(calls, vouched)
    together.push(...chunksOf([...all.keys()].slice(calls.length), this.#maxCalls))
    const unanswered: Chunk[] = []
    while (together.length > 1) {
      const { leftMs } = call
      const chunks = together.splice(0, MAX_TOGETHER)
      // Half of the time is reserved: chunks may have to be asked again by themselves.
      const answers = leftMs < 1 ? null : await this.#askTogether(chunks, all, call.within(leftMs / 2))
      if (answers === null) {
        // They may have been too much for the node.
        if (all.length > calls.length) this.#noneAheadUntil = this.#clock.now() + SPOILERS_FOR_MS
        together.unshift(...chunks)
        break
      }
      for (const [i, chunk] of chunks.entries()) {
        const answer = answers[i] ?? null
        if (answer === null) {
          unanswered.push(chunk)
          continue
        }
        if (chunk.length === 1) alone.add(chunk[0]!)
        together.push(...keep(chunk, answer))
      }
    }
    const pending = [...together, ...unanswered, ...apart].filter((chunk) => !isAhead(chunk))
    for (let chunk = pending.shift(); chunk !== undefined; chunk = pending.shift()) {
      const { leftMs } = call
      if (leftMs < 1) break
      if (chunk.length === 1) alone.add(chunk[0]!)
      // Half of the time is reserved: the chunk may have to be asked again in halves.
      const own = chunk.length > 1 ? call.within(leftMs / 2) : call
      const answer = await this.#ask(
        chunk.map((place) => calls[place]!),
        own,
      )
      if ('error' in answer && isRefusedAfterWait(answer.error, leftMs - call.leftMs, call.scope)) {
        pending.unshift(chunk)
        failures[0] ??= answer.error
      } else if ('error' in answer) {
        failures.push(answer.error)
        const most = block === null ? MAX_FAILURES : MAX_FAILURES_BETWEEN
        if (call.scope.isCancelled || !answer.isTooMuch || failures.length === most) break
        if (chunk.length > 1) pending.unshift(...halvesOf(chunk))
      } else pending.push(...keep(chunk, answer))
    }
    if (block === null || call.scope.isCancelled)
      throw failures[0] ?? this.#failed('upstream_timeout', OUT_OF_TIME)
    for (const place of alone) {
      const made = calls[place]!
      // A call to Multicall3 itself fails only because of the node.
      if (typeof outcomes[place] === 'string' && made.target !== MULTICALL3) {
        this.#spoilers.set(functionOf(made), true)
      }
    }
    return { outcomes, block, isBehind }
  }

  /**
   * Vouched calls first, then unvouched ones. Each call that has spoiled a chunk before goes out alone: one
   * that is too much for the node would be too much for a whole array.
   */
  #chunksOf(calls: readonly ContractCall[], vouched: number) {
    const places = calls.keys()
    const groups: [vouched: number[], others: number[], spoilers: number[]] = [[], [], []]
    for (const place of places) {
      const isSpoiler = this.#spoilers.has(functionOf(calls[place]!))
      groups[isSpoiler ? 2 : place < vouched ? 0 : 1].push(place)
    }
    const [first, second, spoilers] = groups
    return {
      together: [...chunksOf(first, this.#maxCalls), ...chunksOf(second, this.#maxCalls)],
      apart: spoilers.slice(0, MAX_ALONE).map((place) => [place]),
    }
  }

  /**
   * @returns in the order of the chunks, null for one without an answer; null if none was answered, so that
   *          each has to be asked by itself, which shows why
   */
  async #askTogether(chunks: readonly Chunk[], calls: readonly ContractCall[], call: Call) {
    const all = chunks.map((chunk) => [...this.#preface, ...chunk.map((place) => calls[place]!)])
    const datas = all.map(encodeAggregate3)
    const judge = (hex: string, place: number) => this.#judge(hex, all[place]!.length)
    const answers = await this.#rpc.callAll?.(MULTICALL3, datas, call, judge).catch(nullIfRefused)
    if (answers?.some((hex) => hex !== null) !== true) return null
    return answers.map((hex, i) => (hex === null ? null : this.#decode(hex, all[i]!.length)))
  }

  /** @returns the results; or why there are none, and whether fewer calls in a chunk may succeed */
  async #ask(calls: readonly ContractCall[], call: Call) {
    const all = [...this.#preface, ...calls]
    const judge = (hex: string) => this.#judge(hex, all.length)
    let hex: string | null
    try {
      hex = await this.#rpc.call(MULTICALL3, encodeAggregate3(all), call, judge)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      return { error, isTooMuch: TOO_MUCH.has(error.code) && !(error instanceof ForeignNode) }
    }
    // Every call in `aggregate3` may fail, so it reverts as a whole only for lack of gas.
    if (hex === null) return { error: this.#failed('upstream_unusable', REVERTED), isTooMuch: true }
    return this.#decode(hex, all.length)!
  }

  #judge(hex: string, count: number): NodeCondition {
    const results = this.#decode(hex, count)
    return results === null ? 'foreign' : results.isBehind ? 'behind' : 'sound'
  }

  /** @returns null if this cannot be an answer of this chain's Multicall3 */
  #decode(hex: string, count: number): ChunkResults | null {
    const [block, time, chainId, ...results] = decodeAggregate3(hex, count) ?? []
    const number = block ? readUint(block, 0) : null
    const seconds = time ? readUint(time, 0) : null
    if (number === null || number > MAX_BLOCK || seconds === null || !chainId) return null
    if (readUint(chainId, 0) !== BigInt(this.#chain.chainId!)) return null
    const isBehind = seconds < BigInt(Math.floor((this.#clock.date() - MAX_HEAD_AGE_MS) / 1_000))
    return { block: Number(number), isBehind, results }
  }

  #failed(code: 'upstream_unusable' | 'upstream_timeout', message: string): GatewayError {
    return new GatewayError(code, message, { provider: this.#chain.key, scope: 'provider' })
  }
}

const OUT_OF_TIME = "There was no time left to ask the chain's nodes. Try again later."
const REVERTED = "The chain's nodes cannot execute a single read through Multicall3."

const GET_BLOCK_NUMBER: ContractCall = { target: MULTICALL3, data: '42cbb15c' }
const GET_BLOCK_TIME: ContractCall = { target: MULTICALL3, data: '0f28c97d' }
const GET_CHAIN_ID: ContractCall = { target: MULTICALL3, data: '3408e470' }
/**
 * Chains whose EVM reports another chain's block number: Arbitrum reports Ethereum's, so ArbSys's
 * `arbBlockNumber()` is called.
 */
const BLOCK_NUMBERS: Readonly<Record<string, ContractCall>> = {
  arbitrum: { target: '0x0000000000000000000000000000000000000064', data: 'a3b1b31d' },
}

/** A call that returns a wallet's native balance in wei. */
export function nativeBalanceCall(owner: string): ContractCall {
  return { target: MULTICALL3, data: `4d2301cc${encodeAddress(owner)}` }
}

/**
 * Whether the client's other calls, such as those to other chains, left no slot for this one: it waited
 * and may wait again. A call that was refused at once would be refused at once again.
 */
function isRefusedAfterWait({ code }: GatewayError, waitedMs: number, scope: CancellationScope | null) {
  return code === 'upstream_rate_limited' && scope?.isThrottled === true && waitedMs >= MIN_SLOT_WAIT_MS
}

const functionOf = ({ target, data }: ContractCall): string => `${target} ${data.slice(0, 8)}`

/** @param chunk  of more than one call */
function halvesOf(chunk: Chunk): Chunk[] {
  const middle = chunk.length >> 1
  return [chunk.slice(0, middle), chunk.slice(middle)]
}
