/**
 * Many reads of one EVM chain's contracts through Multicall3, in chunks that
 * are halved where one is too much: for the node's gas cap, its time, or what
 * it takes and sends as a body. So a token that eats all gas, or returns
 * megabytes, ends up alone, and the others are read without it.
 *
 * Each chunk begins with the block's number and the chain's id. They prove
 * that it was Multicall3 that answered, because the same address may be
 * nothing or another contract elsewhere, and that it answered for this chain.
 *
 * Source: mds1/multicall3 README and deployments.json · OffchainLabs/nitro-contracts src/precompiles/ArbSys.sol
 */

import { MULTICALL3 } from '../../chains/contracts.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import type { Clock } from '../../clock.ts'
import { type Code, GatewayError } from '../../errors.ts'
import type { Caller } from '../../upstream/caller.ts'
import { encodeAddress, readUint } from './abi.ts'
import { type Call, decodeAggregate3, encodeAggregate3 } from './multicall.ts'

/** An ERC-20 costs some 30,000 gas to read; nodes grant a call ten million and more. */
const MAX_CALLS = 150
/** Failures that a few bad tokens cause in their chunks; with more than this the nodes are at fault. */
const MAX_FAILURES = 24
/** Calls that are asked again alone because they reverted among others. */
const MAX_ALONE = 24
const MAX_BLOCK = BigInt(Number.MAX_SAFE_INTEGER)

/** Failures that a smaller chunk may not meet. */
const TOO_MUCH: ReadonlySet<Code> = new Set(['upstream_failed', 'upstream_timeout', 'upstream_unusable'])

/** What is needed of a chain's nodes. @see EvmRpc */
export interface EthCall {
  /** @returns 0x hex; null when the call reverts */
  call(to: string, data: string, deadlineMs: number, caller: Caller | null): Promise<string | null>
}

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
}

/** Calls from `start` up to, not including, `end`. */
interface Chunk {
  readonly start: number
  readonly end: number
}

interface ChunkResults {
  readonly block: number
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

  constructor({ chain, rpc, clock }: EvmReaderOptions) {
    this.#chain = chain
    this.#rpc = rpc
    this.#clock = clock
    this.#preface = [BLOCK_NUMBERS[chain.key] ?? GET_BLOCK_NUMBER, GET_CHAIN_ID]
  }

  /**
   * One chunk after the other, because public nodes count calls by the second.
   * @param calls  at least one
   * @param until  on the reader's clock; what is not read by then stays unread
   * @throws GatewayError  502 upstream_*, when no chunk was answered
   */
  async read(calls: readonly Call[], until: number, caller: Caller | null): Promise<Reads> {
    const outcomes = new Array<Outcome>(calls.length).fill('unread')
    const pending = chunksOf(calls.length)
    const failures: GatewayError[] = []
    let block: number | null = null
    let alone = 0
    for (let chunk = pending.shift(); chunk !== undefined; chunk = pending.shift()) {
      const { start, end } = chunk
      const leftMs = until - this.#clock.now()
      if (leftMs < 1) break
      // Half of the time is kept: the chunk may have to be asked again in halves.
      const deadlineMs = end - start > 1 ? leftMs / 2 : leftMs
      const answer = await this.#ask(calls.slice(start, end), deadlineMs, caller)
      if ('error' in answer) {
        failures.push(answer.error)
        if (caller?.isCancelled || !answer.isTooMuch || failures.length === MAX_FAILURES) break
        pending.unshift(...halvesOf(chunk))
      } else {
        block = Math.min(block ?? answer.block, answer.block)
        for (const [i, returned] of answer.results.entries()) {
          const at = start + i
          outcomes[at] = returned ?? 'reverted'
          // The calls before it may have left too little gas; alone, it has all of the gas.
          const isCertain = returned !== null || end - start === 1 || alone++ >= MAX_ALONE
          if (!isCertain) pending.push({ start: at, end: at + 1 })
        }
      }
    }
    if (block === null || caller?.isCancelled) throw failures[0] ?? this.#outOfTime()
    return { outcomes, block }
  }

  async #ask(
    calls: readonly Call[],
    deadlineMs: number,
    caller: Caller | null,
  ): Promise<ChunkResults | Failure> {
    const all = [...this.#preface, ...calls]
    let hex: string | null
    try {
      hex = await this.#rpc.call(MULTICALL3, encodeAggregate3(all), deadlineMs, caller)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      return { error, isTooMuch: TOO_MUCH.has(error.code) }
    }
    // `aggregate3` itself reverts only for want of gas, because each call in it may fail.
    if (hex === null) return { error: this.#unusable(REVERTED), isTooMuch: true }
    const [block, chainId, ...results] = decodeAggregate3(hex, all.length) ?? []
    const number = block ? readUint(block, 0) : null
    if (number === null || number > MAX_BLOCK || !chainId || readUint(chainId, 0) !== this.#chainId()) {
      return { error: this.#unusable(STRANGER), isTooMuch: false }
    }
    return { block: Number(number), results }
  }

  #chainId(): bigint {
    return BigInt(this.#chain.chainId!)
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
const STRANGER = "What answered on the chain's nodes is not this chain's Multicall3."

const GET_BLOCK_NUMBER: Call = { target: MULTICALL3, data: '42cbb15c' }
const GET_CHAIN_ID: Call = { target: MULTICALL3, data: '3408e470' }
/** Where the EVM's block number is another chain's: Arbitrum's is Ethereum's, so ArbSys is asked for `arbBlockNumber()`. */
const BLOCK_NUMBERS: Readonly<Record<string, Call>> = {
  arbitrum: { target: '0x0000000000000000000000000000000000000064', data: 'a3b1b31d' },
}

/** The wei that a wallet holds. */
export function nativeBalanceCall(owner: string): Call {
  return { target: MULTICALL3, data: `4d2301cc${encodeAddress(owner)}` }
}

function chunksOf(count: number): Chunk[] {
  const chunks: Chunk[] = []
  for (let start = 0; start < count; start += MAX_CALLS) {
    chunks.push({ start, end: Math.min(start + MAX_CALLS, count) })
  }
  return chunks
}

/** @returns two chunks; none for a chunk of one call */
function halvesOf({ start, end }: Chunk): Chunk[] {
  if (end - start === 1) return []
  const middle = (start + end) >> 1
  return [
    { start, end: middle },
    { start: middle, end },
  ]
}
