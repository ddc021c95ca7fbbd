/**
 * A wallet's holdings on one EVM chain: its native coin, and the requested tokens with a balance. A token's
 * metadata is read only if the caller does not know it, and cached.
 *
 * Some contracts report the native balance as a token's, which would count it twice. Those listed in the
 * chain's definition are not asked. Others are recognized if they report the native balance twice: of this wallet,
 * and of the wrapped coin's contract, which holds all the chain's wrapped coins. No ordinary token has the
 * same balance there.
 *
 * Source: §4.4 · EIP-20
 */

import { nativeAddress } from '../../chains/address.ts'
import type { EvmChain } from '../../chains/definition.ts'
import type { Call } from '../../flow/call.ts'
import { type BoundedCache, boundedCache } from '../../runtime/bounded-cache.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { nullWhileAwaited } from '../../runtime/errors.ts'
import { named } from '../../runtime/tape.ts'
import {
  balanceCall,
  METADATA_CALLS,
  type Metadata,
  metadataCalls,
  readBalance,
  readMetadata,
} from './erc20.ts'
import { type CallOutcome, type EvmCallRpc, EvmReader, nativeBalanceCall } from './evm-reader.ts'
import type { AskedToken, Holding, Holdings, HoldingsProvider } from './holdings.ts'
import type { ContractCall } from './multicall.ts'

/** Tokens whose metadata is cached: a few hundred bytes each. */
const MAX_METADATA = 2_000
/**
 * Vouched tokens whose metadata is read along with the balances if it fits into the same request: a wallet
 * that holds some of them then needs no second one. Once an hour for all wallets.
 */
const MAX_AHEAD = 80
/** A contract behind a proxy may change its metadata. */
const METADATA_FOR_MS = 3_600_000

interface EvmHoldingsOptions {
  readonly chain: EvmChain
  readonly rpc: EvmCallRpc
  readonly clock?: Clock
}

/** A token with a balance above zero. */
interface HeldToken {
  readonly token: AskedToken
  readonly amount: bigint
}

export class EvmHoldings implements HoldingsProvider {
  readonly #chain: EvmChain
  readonly #native: string
  readonly #reader: EvmReader
  readonly #metadata: BoundedCache<string, Metadata>
  /** Whether a token reports the native balance, for tokens whose balance once equalled it. */
  readonly #aliases: BoundedCache<string, boolean>

  constructor({ chain, rpc, clock: all = CLOCK }: EvmHoldingsOptions) {
    const clock = named(all, `holdings ${chain.key}`)
    this.#chain = chain
    this.#native = nativeAddress(chain)
    this.#reader = new EvmReader({ chain, rpc, clock })
    const remembered = { max: MAX_METADATA, ttlMs: METADATA_FOR_MS }
    this.#metadata = boundedCache({ ...remembered, clock: named(clock, 'metadata') })
    this.#aliases = boundedCache({ ...remembered, clock: named(clock, 'aliases') })
  }

  async ask(owner: string, tokens: readonly AskedToken[], call: Call): Promise<Holdings> {
    const asked = this.#erc20s(tokens)
    const calls = [nativeBalanceCall(owner), ...asked.map(({ address }) => balanceCall(address, owner))]
    const vouched = calls.length - asked.filter(isDoubtful).length
    const ahead = asked
      .filter((token) => !isDoubtful(token) && !isKnown(token) && !this.#metadata.has(token.address))
      .slice(0, MAX_AHEAD)
    const aheadCalls = ahead.flatMap(({ address }) => metadataCalls(address))
    const read = await this.#reader.read(calls, call, vouched, aheadCalls)
    const { block, isBehind } = read
    const outcomes = read.outcomes.slice(0, calls.length)
    for (const [i, { address }] of ahead.entries()) {
      const words = read.outcomes.slice(calls.length + i * METADATA_CALLS).slice(0, METADATA_CALLS)
      // A revert may come from too little gas here: if it is held, such a token is read by itself.
      if (words.every((word) => typeof word !== 'string')) this.#metadata.set(address, readMetadata(words))
    }
    const amounts = outcomes.map((outcome) => (typeof outcome === 'string' ? null : readBalance(outcome)))
    const unread = amounts.filter((amount) => amount === null).length

    const [native = null, ...others] = amounts
    const found = asked.flatMap((token, i) => (others[i] ? [{ token, amount: others[i] }] : []))
    const { held, unclear } = await this.#withoutAliases(found, native, call)
    const { metadata, missing } = await this.#fetchMetadata(held, call)
    const holdings = held.map((one) => this.#token(one, metadata.get(one.token.address)))
    const { decimals, native: symbol, name } = this.#chain
    if (native) holdings.unshift(this.#holding(this.#native, native, { decimals, symbol, name }))
    return {
      at: { block, slot: null },
      isBehind,
      holdings,
      missing: unread + unclear + missing,
      isCoinMissing: native === null,
    }
  }

  /** The tokens except the native coin, each once, unvouched ones last. */
  #erc20s(tokens: readonly AskedToken[]): readonly AskedToken[] {
    const byAddress = new Map(tokens.map((token) => [token.address, token]))
    for (const address of [this.#native, ...(this.#chain.nativeAliases ?? [])]) byAddress.delete(address)
    const all = [...byAddress.values()].filter(({ address }) => this.#aliases.get(address) !== true)
    return [...all.filter((token) => !isDoubtful(token)), ...all.filter(isDoubtful)]
  }

  /** The tokens that do not report the native balance, and how many may or may not. */
  async #withoutAliases(found: readonly HeldToken[], native: bigint | null, call: Call) {
    const suspects = found
      .filter(({ token, amount }) => amount === native && !this.#aliases.has(token.address))
      .map(({ token }) => token.address)
    if (suspects.length > 0) {
      const { wrappedNative } = this.#chain
      const calls = suspects.map((address) => balanceCall(address, wrappedNative))
      const [locked, ...balances] = await this.#readMore([nativeBalanceCall(wrappedNative), ...calls], call)
      const coins = Buffer.isBuffer(locked) ? readBalance(locked) : null
      for (const [i, address] of suspects.entries()) {
        const balance = balances[i]!
        if (coins === null || balance === 'unread') continue
        // A chain without a wrapped coin offers nothing to compare.
        const isAlias = balance !== 'reverted' && coins > 0n && readBalance(balance) === coins
        this.#aliases.set(address, isAlias)
      }
    }
    const isUnclear = (address: string) => suspects.includes(address) && !this.#aliases.has(address)
    return {
      held: found.filter(
        ({ token: { address } }) => !isUnclear(address) && this.#aliases.get(address) !== true,
      ),
      unclear: suspects.filter(isUnclear).length,
    }
  }

  /**
   * Reads metadata that is not known yet, by address. A token whose metadata cannot be read is still a holding; `missing`
   * counts those whose decimals could not be read.
   */
  async #fetchMetadata(held: readonly HeldToken[], call: Call) {
    const metadata = new Map<string, Metadata>()
    const unknown: AskedToken[] = []
    for (const { token } of held) {
      if (isKnown(token)) continue
      const cached = this.#metadata.get(token.address)
      if (cached === undefined) unknown.push(token)
      else metadata.set(token.address, cached)
    }
    if (unknown.length === 0) return { metadata, missing: 0 }

    const calls = unknown.flatMap(({ address }) => metadataCalls(address))
    const outcomes = await this.#readMore(calls, call)
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

  /** Reads what balances alone do not show; if nothing answers, all of it is unread. */
  async #readMore(calls: readonly ContractCall[], call: Call): Promise<readonly CallOutcome[]> {
    const read = await this.#reader.read(calls, call).catch(nullWhileAwaited(call.scope))
    return read?.outcomes ?? calls.map(() => 'unread')
  }

  /** The caller's metadata takes precedence over the token's own, unless it describes another token. */
  #token({ token, amount }: HeldToken, own: Metadata | undefined): Holding {
    const listed = isAnother(token, own) ? null : token
    return this.#holding(token.address, amount, {
      decimals: token.decimals ?? own?.decimals ?? null,
      symbol: listed?.symbol ?? own?.symbol ?? null,
      name: listed?.name ?? own?.name ?? null,
    })
  }

  #holding(address: string, amount: bigint, metadata: Metadata): Holding {
    const token = { chain: this.#chain.key, address, isNative: address === this.#native }
    return { token, amount, ...metadata, wrapped: null, notes: [] }
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
