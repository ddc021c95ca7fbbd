/**
 * Many reads of one EVM chain's contracts through Multicall3, in chunks. A call
 * in a chunk gets all of the gas but a 64th, whatever `allowFailure` says, so
 * one token that burns it leaves that 64th to those behind it, and two leave
 * nothing. Hence chunks so short that a 64th is enough for all of one; calls to
 * tokens that nobody vouches for are in chunks of their own, and come last; and
 * a chunk that is too much, for the gas, the node's time or its bodies, is
 * halved, until whatever eats all gas or returns megabytes is alone. It is
 * remembered, and alone from the start the next time.
 *
 * Each chunk begins with the block's number and time and the chain's id. They
 * prove that it was Multicall3 that answered, because the same address may be
 * nothing or another contract elsewhere, that it answered for this chain, and
 * how old what it answered is.
 *
 * Source: mds1/multicall3 README and deployments.json · OffchainLabs/nitro-contracts src/precompiles/ArbSys.sol
 */

import { LRUCache } from 'lru-cache'
import { MULTICALL3 } from '../../chains/contracts.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import type { CancellationScope } from '../../runtime/cancellation.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type Code, GatewayError } from '../../runtime/errors.ts'
import type { NodeCondition } from '../../upstream/nodes/evm-calls.ts'
import { type EvmRpc, ForeignNode } from '../../upstream/nodes/evm-rpc.ts'
import { encodeAddress, readUint } from './abi.ts'
import { type Call, decodeAggregate3, encodeAggregate3 } from './multicall.ts'

/** A 64th of 50 million gas, which most nodes grant a call, is enough for 82 reads of tokens behind proxies. */
const MAX_CALLS = 80
/** Chains whose nodes grant 30 million unless told otherwise: a 64th of that is enough for 49. */
const FEWER_CALLS: Readonly<Record<string, number>> = { monad: 40 }
/** Failures that a few bad tokens cause in their chunks; with as many and no answer the nodes are at fault. */
const MAX_FAILURES = 24
/** With answers in between, so many: a bad token costs its chunk seven. */
const MAX_FAILURES_BETWEEN = 64
/** Calls that are made alone because they reverted among others, and such as spoiled a chunk before. */
const MAX_ALONE = 24
/** Functions that failed even alone are known for so long: what they take from others they take once. */
const MAX_SPOILERS = 500
const SPOILERS_FOR_MS = 3_600_000
/** Every chain makes a block within seconds. */
const MAX_HEAD_AGE_MS = 900_000
/** Whoever was refused sooner did not wait for a turn. */
const MIN_TURN_MS = 20
const MAX_BLOCK = BigInt(Number.MAX_SAFE_INTEGER)

/** Failures that a smaller chunk may not meet. */
const TOO_MUCH: ReadonlySet<Code> = new Set(['upstream_failed', 'upstream_timeout', 'upstream_unusable'])

/** What is needed of a chain's nodes. */
export type EthCall = Pick<EvmRpc, 'call'>

export interface EvmReaderOptions {
  readonly chain: ChainDefinition
  readonly rpc: EthCall
  readonly clock: Clock
}

/** The bytes that a call returned. Who reverted has answered too; who is unread may have another answer next time. */
export type Outcome = Buffer | 'reverted' | 'unread'

export interface Reads {
  /** In the order of the calls. */
  readonly outcomes: readonly Outcome[]
  /** The oldest that a chunk was read at. */
  readonly block: number
  /** Whether that block is so old that it says little of the present. */
  readonly isBehind: boolean
}

/** Places of calls. */
type Chunk = readonly number[]

interface ChunkResults {
  readonly block: number
  readonly isBehind: boolean
  readonly results: readonly (Buffer | null)[]
}

interface Failure {
  readonly error: GatewayError
  /** Whether a chunk with fewer calls may not meet it. */
  readonly isTooMuch: boolean
}

export class EvmReader {
  readonly #chain: ChainDefinition
  readonly #rpc: EthCall
  readonly #clock: Clock
  readonly #preface: readonly Call[]
  readonly #maxCalls: number
  /** By contract and function. */
  readonly #spoilers: LRUCache<string, true>

  constructor({ chain, rpc, clock }: EvmReaderOptions) {
    this.#chain = chain
    this.#rpc = rpc
    this.#clock = clock
    this.#preface = [BLOCK_NUMBERS[chain.key] ?? GET_BLOCK_NUMBER, GET_BLOCK_TIME, GET_CHAIN_ID]
    this.#maxCalls = FEWER_CALLS[chain.key] ?? MAX_CALLS
    this.#spoilers = new LRUCache({ max: MAX_SPOILERS, ttl: SPOILERS_FOR_MS, ttlResolution: 0, perf: clock })
  }

  /**
   * One chunk after the other, because public nodes count calls by the second.
   * @param calls    at least one
   * @param until    on the reader's clock; what is not read by then stays unread
   * @param vouched  so many of the first calls are to contracts that somebody vouches for
   * @throws GatewayError  502 upstream_*, when no chunk was answered
   */
  async read(
    calls: readonly Call[],
    until: number,
    scope: CancellationScope | null,
    vouched = calls.length,
  ): Promise<Reads> {
    const outcomes = new Array<Outcome>(calls.length).fill('unread')
    const pending = this.#chunksOf(calls, vouched)
    const failures: GatewayError[] = []
    let block: number | null = null
    let isBehind = false
    let again = 0
    /** Places of calls that were made alone. */
    const alone = new Set<number>()
    for (let chunk = pending.shift(); chunk !== undefined; chunk = pending.shift()) {
      const leftMs = until - this.#clock.now()
      if (leftMs < 1) break
      if (chunk.length === 1) alone.add(chunk[0]!)
      // Half of the time is kept: the chunk may have to be asked again in halves.
      const deadlineMs = chunk.length > 1 ? leftMs / 2 : leftMs
      const answer = await this.#ask(
        chunk.map((place) => calls[place]!),
        deadlineMs,
        scope,
      )
      if ('error' in answer && isOutOfTurn(answer.error, leftMs - (until - this.#clock.now()), scope)) {
        pending.unshift(chunk)
        failures[0] ??= answer.error
      } else if ('error' in answer) {
        failures.push(answer.error)
        const most = block === null ? MAX_FAILURES : MAX_FAILURES_BETWEEN
        if (scope?.isCancelled || !answer.isTooMuch || failures.length === most) break
        if (chunk.length > 1) pending.unshift(...halvesOf(chunk))
      } else {
        block = Math.min(block ?? answer.block, answer.block)
        isBehind ||= answer.isBehind
        for (const [i, returned] of answer.results.entries()) {
          const place = chunk[i]!
          outcomes[place] = returned ?? 'reverted'
          // The calls before it may have left too little gas; alone, it has all of the gas.
          const isCertain = returned !== null || chunk.length === 1 || again++ >= MAX_ALONE
          if (!isCertain) pending.push([place])
        }
      }
    }
    if (block === null || scope?.isCancelled) throw failures[0] ?? this.#outOfTime()
    for (const place of alone) {
      const call = calls[place]!
      // Whatever fails at Multicall3 itself fails for the node's reasons.
      if (typeof outcomes[place] === 'string' && call.target !== MULTICALL3) {
        this.#spoilers.set(functionOf(call), true)
      }
    }
    return { outcomes, block, isBehind }
  }

  /** What is vouched for, then what is not, then each that has spoiled a chunk, alone. */
  #chunksOf(calls: readonly Call[], vouched: number): Chunk[] {
    const places = calls.keys()
    const groups: [vouched: number[], others: number[], spoilers: number[]] = [[], [], []]
    for (const place of places) {
      const isSpoiler = this.#spoilers.has(functionOf(calls[place]!))
      groups[isSpoiler ? 2 : place < vouched ? 0 : 1].push(place)
    }
    const [first, second, spoilers] = groups
    return [
      ...inChunks(first, this.#maxCalls),
      ...inChunks(second, this.#maxCalls),
      ...spoilers.slice(0, MAX_ALONE).map((place) => [place]),
    ]
  }

  async #ask(
    calls: readonly Call[],
    deadlineMs: number,
    scope: CancellationScope | null,
  ): Promise<ChunkResults | Failure> {
    const all = [...this.#preface, ...calls]
    const judge = (hex: string): NodeCondition => {
      const results = this.#decode(hex, all.length)
      return results === null ? 'foreign' : results.isBehind ? 'behind' : 'sound'
    }
    let hex: string | null
    try {
      hex = await this.#rpc.call(MULTICALL3, encodeAggregate3(all), deadlineMs, scope, judge)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      return { error, isTooMuch: TOO_MUCH.has(error.code) && !(error instanceof ForeignNode) }
    }
    // `aggregate3` itself reverts only for want of gas, because each call in it may fail.
    if (hex === null) return { error: this.#unusable(REVERTED), isTooMuch: true }
    return this.#decode(hex, all.length)!
  }

  /** @returns null for what this chain's Multicall3 does not answer */
  #decode(hex: string, count: number): ChunkResults | null {
    const [block, time, chainId, ...results] = decodeAggregate3(hex, count) ?? []
    const number = block ? readUint(block, 0) : null
    const seconds = time ? readUint(time, 0) : null
    if (number === null || number > MAX_BLOCK || seconds === null || !chainId) return null
    if (readUint(chainId, 0) !== BigInt(this.#chain.chainId!)) return null
    const isBehind = seconds < BigInt(Math.floor((this.#clock.date() - MAX_HEAD_AGE_MS) / 1_000))
    return { block: Number(number), isBehind, results }
  }

  #unusable(message: string): GatewayError {
    return new GatewayError('upstream_unusable', message, { provider: this.#chain.key, scope: 'provider' })
  }

  #outOfTime(): GatewayError {
    const fields = { provider: this.#chain.key, scope: 'provider' } as const
    return new GatewayError(
      'upstream_timeout',
      "The chain's nodes were not asked in time. Try again later.",
      fields,
    )
  }
}

const REVERTED = "The chain's nodes cannot execute even one read through Multicall3."

const GET_BLOCK_NUMBER: Call = { target: MULTICALL3, data: '42cbb15c' }
const GET_BLOCK_TIME: Call = { target: MULTICALL3, data: '0f28c97d' }
const GET_CHAIN_ID: Call = { target: MULTICALL3, data: '3408e470' }
/** Where the EVM's block number is another chain's: Arbitrum's is Ethereum's, so ArbSys is asked for `arbBlockNumber()`. */
const BLOCK_NUMBERS: Readonly<Record<string, Call>> = {
  arbitrum: { target: '0x0000000000000000000000000000000000000064', data: 'a3b1b31d' },
}

/** The wei that a wallet holds. */
export function nativeBalanceCall(owner: string): Call {
  return { target: MULTICALL3, data: `4d2301cc${encodeAddress(owner)}` }
}

/**
 * Whether the client's other calls, such as those to other chains, left no place for this one: it waited,
 * and may wait again. What is refused at once would be refused at once again.
 */
function isOutOfTurn({ code }: GatewayError, waitedMs: number, scope: CancellationScope | null): boolean {
  return code === 'upstream_rate_limited' && scope?.isThrottled === true && waitedMs >= MIN_TURN_MS
}

const functionOf = ({ target, data }: Call): string => `${target} ${data.slice(0, 8)}`

function inChunks(places: readonly number[], size: number): Chunk[] {
  const chunks: Chunk[] = []
  for (let start = 0; start < places.length; start += size) chunks.push(places.slice(start, start + size))
  return chunks
}

/** @param chunk  of more than one call */
function halvesOf(chunk: Chunk): Chunk[] {
  const middle = chunk.length >> 1
  return [chunk.slice(0, middle), chunk.slice(middle)]
}
