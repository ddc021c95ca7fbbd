/**
 * Facts about the sandbox's tokens beyond their prices: supply, age, creators, holders,
 * links. The token and the time determine them, so every research provider of
 * the sandbox reports the same.
 */
import { findEvmChain } from '../../chains/find.ts'
import { draw } from '../draw.ts'
import { poolAddress } from './pool.ts'
import type { PoolState, Prices } from './prices.ts'
import { type Kind, LISTINGS, type MarketToken, PRICES, USD_DECIMALS } from './tokens.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Young tokens are recreated this often, so that there are always some. */
const GENERATION_MS = DAY_MS / 4
const HOLDERS = 12
/** The n-th holder has n to this power as much as the first. */
const RANK_POWER = -1.1

type Range = readonly [least: number, most: number]
/** Usual values for each kind of token. */
const USUAL: Readonly<Record<Kind, Readonly<Record<'turnover' | 'worth' | 'holders' | 'topTenPct', Range>>>> =
  {
    stable: { turnover: [0.6, 2.5], worth: [300, 2_000], holders: [200_000, 5_000_000], topTenPct: [15, 30] },
    coin: { turnover: [0.4, 1.2], worth: [800, 4_000], holders: [100_000, 2_000_000], topTenPct: [20, 40] },
    large: { turnover: [0.2, 0.8], worth: [50, 300], holders: [80_000, 700_000], topTenPct: [25, 45] },
    tail: { turnover: [0.1, 0.6], worth: [15, 80], holders: [5_000, 80_000], topTenPct: [30, 50] },
    meme: { turnover: [0.8, 5], worth: [20, 120], holders: [20_000, 900_000], topTenPct: [12, 30] },
    new: { turnover: [5, 30], worth: [2, 8], holders: [40, 900], topTenPct: [45, 80] },
    odd: { turnover: [0.05, 0.3], worth: [2, 8], holders: [40, 900], topTenPct: [45, 80] },
  }
/** A token that claims to be worth a fortune has this many. */
const SPAM_SUPPLY = 1_000_000n

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
  /** The part of its pools' holdings that is traded in a day, on average; 0: it was never traded. */
  readonly turnover: number
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
    holders: holdersOf(token, supply),
    holderCount: Math.floor(within(usualOf(token).holders, `${key} holders`)),
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
 * The pairs that it is listed in, deepest first. Each side of the chain's main pool is also the base of a
 * pair of its own, the coin's with the larger part.
 */
export function pairsOf(prices: Prices, token: MarketToken): readonly SandboxPair[] {
  return prices.pools(token).flatMap((pool) => {
    const { base, quote } = pool
    // A quote-only token is the quote side here too.
    if (base.trait === 'quote-only') return [listed(reversed(pool), prices.at)]
    if (base.symbol !== 'USDC' || !quote.isNative) return [listed(pool, prices.at)]
    const share = Math.floor(PARTS * (0.22 + 0.16 * draw(`${base.chain} ${pool.address} share`)))
    return [listed(reversed(part(pool, PARTS - share)), prices.at), listed(part(pool, share), prices.at)]
  })
}

/** Windows that sites show, in hours. */
export const WINDOWS = { m5: 1 / 12, h1: 1, h6: 6, h24: 24 } as const

/** @returns each value, converted */
export const mapped = <Name extends string, From, To>(
  record: Readonly<Record<Name, From>>,
  turn: (value: From) => To,
): Readonly<Record<Name, To>> =>
  Object.fromEntries(Object.entries<From>(record).map(([name, value]) => [name, turn(value)])) as Readonly<
    Record<Name, To>
  >

/**
 * How far the price of a pair's base has moved in windows, in percent, or since a younger pair opened. @param
 * windows  hours
 */
export function changesOf<Name extends string = keyof typeof WINDOWS>(
  prices: Prices,
  { base, createdAt }: Pick<SandboxPair, 'base' | 'createdAt'>,
  windows: Readonly<Record<Name, number>> = WINDOWS as never,
): Readonly<Record<Name, number>> {
  return mapped(windows, (hours) => prices.changePct(base, Math.max(createdAt, prices.at - hours * HOUR_MS)))
}

export function isYoung({ trait }: MarketToken): boolean {
  return trait === 'young' || trait === 'freezable' || trait === 'spam' || trait === 'honeypot'
}

/**
 * Drawn values of tokens and pools, of which there are as many as the market lists: a hash takes as long as
 * everything else.
 */
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

const usualOf = ({ asset }: MarketToken) => USUAL[PRICES[asset]!.kind]

/** A number of the range, constant for a key; most are nearer to its lower end. */
const within = ([least, most]: Range, key: string): number => least * (most / least) ** draw(key)

/** Worth this many times what is usually in its pools. */
function supplyOf(token: MarketToken): bigint {
  if (token.trait === 'spam') return SPAM_SUPPLY * 10n ** BigInt(token.decimals)
  const times = within(usualOf(token).worth, `${token.chain} ${token.address} supply`)
  const scale = 10n ** BigInt(USD_DECIMALS + token.decimals)
  return (BigInt(Math.floor(times * pooledUsd(token))) * scale) / PRICES[token.asset]!.usd
}

/** Dollars in all of its pools, on average. A coin and its wrapper trade in the pools of all tokens of the chain. */
function pooledUsd(token: MarketToken): number {
  const listings = LISTINGS.filter((one) => one.token.chain === token.chain)
  const own = listings.find((one) => one.token.address === token.address)!
  const pooled = own.isWrapper || own.token.isNative ? listings : [own]
  const sides = pooled.reduce((sum, one) => sum + one.depthUsd + one.usdcDepthUsd, 0)
  return Math.max(2 * sides, 1_000)
}

function holdersOf(token: MarketToken, supply: bigint): readonly SandboxHolder[] {
  const { chain, address } = token
  const key = `${chain} ${address}`
  const weights = Array.from(
    { length: HOLDERS },
    (_, i) => (i + 1) ** RANK_POWER * (0.9 + 0.2 * draw(`${key} share ${i}`)),
  ).sort((a, b) => b - a)
  const topTen = weights.slice(0, 10).reduce((sum, weight) => sum + weight, 0)
  const topTenPct = within(usualOf(token).topTenPct, `${key} top`)
  return weights.map((weight, i) => {
    const perMyriad = Math.floor((100 * topTenPct * weight) / topTen)
    return {
      address: poolAddress(chain, `holder ${i} ${key}`),
      percent: perMyriad / 100,
      balance: (supply * BigInt(perMyriad)) / 10_000n,
    }
  })
}

/** What the ten largest holders have of it together, in percent. */
export function topTenPct({ holders }: Pick<Facts, 'holders'>): number {
  return Math.round(100 * holders.slice(0, 10).reduce((sum, { percent }) => sum + percent, 0)) / 100
}

function listed(pool: PoolState, now: number): SandboxPair {
  const key = `${pool.base.chain} ${pool.address}`
  const isTraded = pool.base.trait !== 'freezable'
  return {
    ...pool,
    // As old as the younger of its tokens.
    createdAt: Math.max(createdAt(pool.base, now), createdAt(pool.quote, now)),
    turnover: isTraded
      ? known(TURNOVERS, key, () => within(usualOf(pool.base).turnover, `${key} turnover`))
      : 0,
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

const PARTS = 1_000

function part(pool: PoolState, parts: number): PoolState {
  return {
    ...pool,
    baseReserve: (pool.baseReserve * BigInt(parts)) / BigInt(PARTS),
    quoteReserve: (pool.quoteReserve * BigInt(parts)) / BigInt(PARTS),
    liquidityUsd: String((Number(pool.liquidityUsd) * parts) / PARTS),
    usualUsd: (pool.usualUsd * parts) / PARTS,
  }
}
