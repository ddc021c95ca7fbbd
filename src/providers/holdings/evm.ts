/**
 * A wallet's holdings on one EVM chain: its native coin, and the requested tokens
 * with a balance. A token's metadata is read only if the caller does not know it,
 * and cached.
 *
 * Source: §4.4 · EIP-20
 */

import { LRUCache } from 'lru-cache'
import { nativeAddress } from '../../chains/address.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import type { CancellationScope } from '../../runtime/cancellation.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { growing } from '../../runtime/growing.ts'
import {
  balanceCall,
  METADATA_CALLS,
  type Metadata,
  metadataCalls,
  readBalance,
  readMetadata,
} from './erc20.ts'
import { type CallOutcome, type EvmCallRpc, EvmReader, nativeBalanceCall } from './evm-reader.ts'
import type { AskedToken, Holding, Holdings, HoldingsOptions, HoldingsProvider } from './holdings.ts'

/** Tokens whose metadata is cached: a few hundred bytes each. */
const MAX_METADATA = 2_000
/**
 * Vouched tokens whose metadata is read along with the balances where it fits into the same request: a wallet
 * is likely to hold some of them, and then needs no second one. Once an hour for all wallets.
 */
const MAX_AHEAD = 80
/** A contract behind a proxy may change its metadata. */
const METADATA_FOR_MS = 3_600_000

interface EvmHoldingsOptions {
  readonly chain: ChainDefinition
  readonly rpc: EvmCallRpc
  readonly clock?: Clock
}

/** A token with a balance above zero. */
interface HeldToken {
  readonly token: AskedToken
  readonly amount: bigint
}

interface FetchedMetadata {
  /** By address. */
  readonly metadata: ReadonlyMap<string, Metadata>
  /** Tokens whose decimals could not be read. */
  readonly missing: number
}

export class EvmHoldings implements HoldingsProvider {
  readonly #chain: ChainDefinition
  readonly #native: string
  readonly #reader: EvmReader
  readonly #clock: Clock
  readonly #metadata: LRUCache<string, Metadata>

  constructor({ chain, rpc, clock = CLOCK }: EvmHoldingsOptions) {
    this.#chain = chain
    this.#native = nativeAddress(chain)
    this.#reader = new EvmReader({ chain, rpc, clock })
    this.#clock = clock
    // A resolution of 0 reads the clock each time instead of keeping a timer.
    this.#metadata = new LRUCache({
      ...growing(MAX_METADATA),
      ttl: METADATA_FOR_MS,
      ttlResolution: 0,
      perf: clock,
    })
  }

  async ask(
    owner: string,
    tokens: readonly AskedToken[],
    { deadlineMs, scope }: HoldingsOptions,
  ): Promise<Holdings> {
    const until = this.#clock.now() + deadlineMs
    const asked = this.#erc20s(tokens)
    const calls = [nativeBalanceCall(owner), ...asked.map(({ address }) => balanceCall(address, owner))]
    const vouched = calls.length - asked.filter(isDoubtful).length
    const ahead = asked
      .filter((token) => !isDoubtful(token) && !isKnown(token) && !this.#metadata.has(token.address))
      .slice(0, MAX_AHEAD)
    const aheadCalls = ahead.flatMap(({ address }) => metadataCalls(address))
    const read = await this.#reader.read(calls, until, scope, vouched, aheadCalls)
    const { block, isBehind } = read
    const outcomes = read.outcomes.slice(0, calls.length)
    for (const [i, { address }] of ahead.entries()) {
      const words = read.outcomes.slice(calls.length + i * METADATA_CALLS).slice(0, METADATA_CALLS)
      // A revert may be for lack of gas here: such a token is asked by itself where it is held.
      if (words.every((word) => typeof word !== 'string')) this.#metadata.set(address, readMetadata(words))
    }
    const amounts = outcomes.map((outcome) => (typeof outcome === 'string' ? null : readBalance(outcome)))
    const unread = amounts.filter((amount) => amount === null).length

    const [native = null, ...others] = amounts
    const held = asked.flatMap((token, i) => (others[i] ? [{ token, amount: others[i] }] : []))
    const { metadata, missing } = await this.#fetchMetadata(held, until, scope)
    const holdings = held.map((one) => this.#holding(one, metadata.get(one.token.address)))
    if (native) holdings.unshift(this.#coin(native))
    return {
      at: { block, slot: null },
      isBehind,
      holdings,
      missing: unread + missing,
      isCoinMissing: native === null,
    }
  }

  /** The tokens except the native coin, each once, unvouched ones last. */
  #erc20s(tokens: readonly AskedToken[]): readonly AskedToken[] {
    const byAddress = new Map(tokens.map((token) => [token.address, token]))
    byAddress.delete(this.#native)
    const all = [...byAddress.values()]
    return [...all.filter((token) => !isDoubtful(token)), ...all.filter(isDoubtful)]
  }

  /** Reads metadata that is not known yet. A token whose metadata cannot be read is still a holding. */
  async #fetchMetadata(
    held: readonly HeldToken[],
    until: number,
    scope: CancellationScope | null,
  ): Promise<FetchedMetadata> {
    const metadata = new Map<string, Metadata>()
    const unknown: AskedToken[] = []
    for (const { token } of held) {
      if (isKnown(token)) continue
      const cached = this.#metadata.get(token.address)
      if (cached === undefined) unknown.push(token)
      else metadata.set(token.address, cached)
    }
    if (unknown.length === 0) return { metadata, missing: 0 }

    const outcomes = await this.#readMetadata(unknown, until, scope)
    let missing = 0
    for (const [i, token] of unknown.entries()) {
      const words = outcomes.slice(i * METADATA_CALLS, (i + 1) * METADATA_CALLS)
      const read = readMetadata(words.map((word) => (typeof word === 'string' ? null : word)))
      metadata.set(token.address, read)
      if (!words.includes('unread')) this.#metadata.set(token.address, read)
      else if (words[0] === 'unread' && !isNumber(token.decimals)) missing++
    }
    return { metadata, missing }
  }

  async #readMetadata(
    tokens: readonly AskedToken[],
    until: number,
    scope: CancellationScope | null,
  ): Promise<readonly CallOutcome[]> {
    const calls = tokens.flatMap(({ address }) => metadataCalls(address))
    try {
      return (await this.#reader.read(calls, until, scope)).outcomes
    } catch (error) {
      if (!(error instanceof GatewayError) || scope?.isCancelled) throw error
      return calls.map(() => 'unread')
    }
  }

  /** The caller's metadata takes precedence over the token's own, unless it describes another token. */
  #holding({ token, amount }: HeldToken, own: Metadata | undefined): Holding {
    const listed = isAnother(token, own) ? null : token
    return {
      token: { chain: this.#chain.key, address: token.address, isNative: false },
      amount,
      decimals: token.decimals ?? own?.decimals ?? null,
      symbol: listed?.symbol ?? own?.symbol ?? null,
      name: listed?.name ?? own?.name ?? null,
      wrapped: null,
      notes: [],
    }
  }

  #coin(amount: bigint): Holding {
    const { key, decimals, native, name } = this.#chain
    return {
      token: { chain: key, address: this.#native, isNative: true },
      amount,
      decimals,
      symbol: native,
      name,
      wrapped: null,
      notes: [],
    }
  }
}

const isDoubtful = ({ isVouched }: AskedToken): boolean => isVouched === false

/**
 * Whether the list's entry for this address describes another token, because its decimals differ from the
 * chain's.
 */
function isAnother({ listedDecimals }: AskedToken, own: Metadata | undefined): boolean {
  const decimals = own?.decimals ?? null
  return listedDecimals !== undefined && decimals !== null && decimals !== listedDecimals
}

/** Whether all metadata of the token is known. */
function isKnown({ decimals, symbol, name }: AskedToken): boolean {
  return isNumber(decimals) && typeof symbol === 'string' && typeof name === 'string'
}

const isNumber = (value: unknown): boolean => typeof value === 'number'
