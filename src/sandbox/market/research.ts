/**
 * Facts about the sandbox's tokens beyond their prices: supply, age, creators, holders,
 * links, trades. The token and the time determine them, so every research provider of
 * the sandbox reports the same.
 */
import { createHash } from 'node:crypto'
import { findEvmChain } from '../../chains/find.ts'
import { encodeBase58 } from '../../chains/solana/base58.ts'
import { poolAddress } from './pool.ts'
import type { PoolState, Prices } from './prices.ts'
import { LISTINGS, type MarketToken, PRICES, USD_DECIMALS } from './tokens.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Young tokens are recreated this often, so that there are always some. */
const GENERATION_MS = DAY_MS / 4
const HOLDERS = 12

interface SandboxHolder {
  readonly address: string
  /** 0 to 100, of the supply. */
  readonly percent: number
  /** Base units. */
  readonly balance: bigint
}

export interface Facts {
  /** Base units. */
  readonly supply: bigint
  /** When the token and its first pool were created, ms epoch. */
  readonly createdAt: number
  readonly creator: string
  /** Null: nobody can mint more, or freeze accounts. */
  readonly mintAuthority: string | null
  readonly freezeAuthority: string | null
  /** The largest, largest first. */
  readonly holders: readonly SandboxHolder[]
  readonly holderCount: number
  readonly isHoneypot: boolean
  readonly buyTaxPct: number
  readonly sellTaxPct: number
  readonly description: string
  readonly website: string
  /** The account's name there. */
  readonly twitter: string
  readonly telegram: string
}

/** A pair as the sites list it. */
export interface SandboxPair extends PoolState {
  readonly createdAt: number
  /** Dollars, of the past 24 hours. */
  readonly volumeUsd: number
}

export interface SandboxTrade {
  readonly at: number
  readonly kind: 'buy' | 'sell'
  readonly tx: string
  readonly trader: string
  /** Dollars. */
  readonly worth: number
}

/** The token that sites show in its pools: the wrapper for the native coin of an EVM chain. */
export function tradedAs(token: MarketToken): MarketToken {
  const wrapper = token.isNative ? findEvmChain(token.chain)?.wrappedNative : undefined
  if (wrapper === undefined) return token
  const { symbol } = token
  return { ...token, address: wrapper, symbol: `W${symbol}`, name: `Wrapped ${symbol}`, isNative: false }
}

type LastingFacts = Omit<Facts, 'createdAt'>

/** They take forty hashes, and each answer about a token needs some of them. */
const LASTING = new WeakMap<MarketToken, LastingFacts>()

/** @param now  Unix time in ms */
export function factsOf(token: MarketToken, now: number): Facts {
  const lasting = LASTING.get(token) ?? lastingFacts(token)
  LASTING.set(token, lasting)
  return { ...lasting, createdAt: createdAt(token, now) }
}

/** All but the age, which starts again with each generation. */
function lastingFacts(token: MarketToken): LastingFacts {
  const key = `${token.chain} ${token.address}`
  const { symbol, trait } = token
  const supply = supplyOf(token)
  const creator = poolAddress(token.chain, `creator ${key}`)
  const handle = `sandbox${Buffer.from(symbol).toString('hex').slice(0, 8)}`
  return {
    supply,
    creator,
    mintAuthority: trait === 'freezable' ? creator : null,
    freezeAuthority: trait === 'freezable' ? creator : null,
    holders: holdersOf(token.chain, key, supply),
    holderCount: isYoung(token)
      ? Math.floor(20 + 200 * draw(`${key} holders`))
      : 4_000 + 731 * String(supply).length,
    isHoneypot: trait === 'honeypot',
    buyTaxPct: trait === 'taxed' ? 1 : 0,
    sellTaxPct: trait === 'taxed' ? 99 : 0,
    description: `${token.name} is a token of the sandbox's market.`,
    website: `https://${handle}.example/`,
    twitter: handle,
    telegram: handle,
  }
}

/**
 * The pairs that it is listed in, deepest first; of the chain's main pool each
 * side is listed as the base of a pair of its own.
 */
export function pairsOf(prices: Prices, token: MarketToken): readonly SandboxPair[] {
  return prices.pools(token).flatMap((pool) => {
    const { base, quote } = pool
    // A quote-only token is the quote side here too.
    if (base.trait === 'quote-only') return [listed(reversed(pool), prices.at)]
    if (base.symbol !== 'USDC' || !quote.isNative) return [listed(pool, prices.at)]
    const half = halved(pool)
    return [listed(reversed(half), prices.at), listed(half, prices.at)]
  })
}

/** How far the price of a pair's base has moved in each of the sites' windows, in percent: in a younger pair, since it opened. */
export function changesOf(prices: Prices, { base, createdAt }: Pick<SandboxPair, 'base' | 'createdAt'>) {
  const over = (hours: number) => prices.changePct(base, Math.max(createdAt, prices.at - hours * HOUR_MS))
  return { m5: over(1 / 12), h1: over(1), h6: over(6), h24: over(24) }
}

/** The trades of the past 24 hours, newest first; a honeypot's are all buys. */
export function tradesOf(pair: SandboxPair, now: number, most: number): readonly SandboxTrade[] {
  const { base, address, createdAt } = pair
  if (base.trait === 'freezable') return []
  const everyMs = DAY_MS / most
  const trades: SandboxTrade[] = []
  const last = Math.floor(now / everyMs)
  for (let i = 0; i < most; i++) {
    const key = `${base.chain} ${address} ${last - i}`
    const at = Math.floor((last - i - draw(`${key} at`)) * everyMs)
    if (at < createdAt || at < now - DAY_MS) break
    const trader = Math.floor(40 * draw(`${key} who`))
    trades.push({
      at,
      kind: base.trait === 'honeypot' || draw(`${key} kind`) < 0.55 ? 'buy' : 'sell',
      tx: transactionId(base.chain, key),
      trader: poolAddress(base.chain, `trader ${trader}`),
      worth: Math.round(100 * (pair.volumeUsd / most) * (0.2 + 1.6 * draw(`${key} worth`))) / 100,
    })
  }
  return trades
}

export function isYoung({ trait }: MarketToken): boolean {
  return trait === 'young' || trait === 'freezable' || trait === 'spam' || trait === 'honeypot'
}

/** A pseudo-random number from 0 to below 1, constant for a key. */
export function draw(key: string): number {
  return createHash('sha256').update(key).digest().readUIntBE(0, 6) / 2 ** 48
}

/** What was drawn of tokens and pools, of which there are as many as the market lists: a hash takes as long as all else. */
const AGES = new WeakMap<MarketToken, number>()
const TURNOVERS = new Map<string, number>()
const REVERSED = new Map<string, string>()

interface Cache<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

function known<K, V>(cache: Cache<K, V>, key: K, make: () => V): V {
  let value = cache.get(key)
  if (value === undefined) cache.set(key, (value = make()))
  return value
}

function createdAt(token: MarketToken, now: number): number {
  const part = known(AGES, token, () => draw(`${token.chain} ${token.address} age`))
  if (!isYoung(token)) return Math.floor(Date.UTC(2021, 0) + part * 4 * 365 * DAY_MS)
  const generation = Math.floor(now / GENERATION_MS) * GENERATION_MS
  return Math.floor(generation - (0.1 + part) * GENERATION_MS)
}

/** Worth some twenty to a hundred and twenty times what is in its pools. */
function supplyOf(token: MarketToken): bigint {
  const listing = LISTINGS.find((candidate) => candidate.token === token)!
  const depth = BigInt(Math.max(listing.depthUsd + listing.usdcDepthUsd, 1_000))
  const times = BigInt(20 + Math.floor(100 * draw(`${token.chain} ${token.address} supply`)))
  const scale = 10n ** BigInt(USD_DECIMALS + token.decimals)
  return (depth * times * scale) / PRICES[listing.asset]!.usd
}

function holdersOf(chain: string, key: string, supply: bigint): readonly SandboxHolder[] {
  return Array.from({ length: HOLDERS }, (_, i) => {
    // Each at most half of the one before: together less than all.
    const perMyriad = Math.floor((3_000 + 1_500 * draw(`${key} share`)) / 2 ** i)
    return {
      address: poolAddress(chain, `holder ${i} ${key}`),
      percent: perMyriad / 100,
      balance: (supply * BigInt(perMyriad)) / 10_000n,
    }
  })
}

function listed(pool: PoolState, now: number): SandboxPair {
  const liquidity = Number(pool.liquidityUsd)
  const key = `${pool.base.chain} ${pool.address}`
  const turnover = 0.1 + 1.5 * known(TURNOVERS, key, () => draw(`${key} turnover`))
  const isTraded = pool.base.trait !== 'freezable'
  return {
    ...pool,
    // As old as the younger of its tokens.
    createdAt: Math.max(createdAt(pool.base, now), createdAt(pool.quote, now)),
    volumeUsd: isTraded ? Math.round(liquidity * turnover * 100) / 100 : 0,
  }
}

function reversed(pool: PoolState): PoolState {
  const { base, quote, baseReserve, quoteReserve } = pool
  return {
    ...pool,
    address: known(REVERSED, `${base.chain} ${pool.address}`, () =>
      poolAddress(base.chain, `${pool.address} reversed`),
    ),
    base: quote,
    quote: base,
    baseReserve: quoteReserve,
    quoteReserve: baseReserve,
  }
}

function halved(pool: PoolState): PoolState {
  return {
    ...pool,
    baseReserve: pool.baseReserve / 2n,
    quoteReserve: pool.quoteReserve / 2n,
    liquidityUsd: String(Number(pool.liquidityUsd) / 2),
  }
}

function transactionId(chain: string, key: string): string {
  // The form of an address of 32 bytes is that of a hash on every chain but Solana, whose signatures are longer.
  const digest = createHash('sha512').update(key).digest()
  if (chain === 'solana') return encodeBase58(digest)
  return `${chain === 'ton' ? '' : '0x'}${digest.toString('hex', 0, 32)}`
}
