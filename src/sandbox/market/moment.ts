/**
 * The market at one moment: prices, reserves and the results of trades, all determined
 * by the seed and the time.
 */

import { fillFrom, type PoolFill, poolAddress, type Reserves } from './pool.ts'
import type { Fill, PoolHop, PoolState, Prices } from './prices.ts'
import { type Kind, type Listing, type MarketToken, PRICES, USD_DECIMALS } from './tokens.ts'
import { drift, walk } from './walk.ts'

/** The interval between price changes. */
const STEP_MS = 3_000
/** How far a pool's depth swings, independently of the price. */
const DEPTH_SWING_PPM = 100_000
const PPM = 1_000_000n
const PPB = 1_000_000_000
const PPB_SQUARED = BigInt(PPB) ** 2n
/** How far a stablecoin strays from its price by itself, and by leaning against the market. */
const PEG_SWING_PPB = 150_000
const PEG_LEAN_PPM = 150
/** Half of the most that prices of one coin on two chains are apart. */
const BASIS_SWING_PPB = 250_000

/**
 * How much of its moves an asset shares, as a correlation over a day: a coin with the market of all coins,
 * any other with the coin of its chain.
 */
const SHARED: Readonly<Record<Kind, number>> = {
  stable: 0,
  coin: 0.4,
  large: 0.6,
  tail: 0.45,
  meme: 0.35,
  new: 0.1,
  odd: 0,
}
/** Coins that are most of the market. */
const MARKET = new Set(['BTC', 'ETH'])
const MARKET_SHARED = 0.9
/** How much of its own moves a meme shares with the others. */
const MEME_SHARED = 0.8
/** Without the octaves of many days: new tokens start again, and odd ones keep their case. */
const NEAR_OCTAVE = 5

const ONE_USD = 10n ** BigInt(USD_DECIMALS)
/** Decimal places in the output: of a token's price and of an amount's value. */
const PRICE_DIGITS = 12
const WORTH_DIGITS = 10

/** The venue of a chain's pools, as its aggregators name it. */
const VENUES: Readonly<Record<string, string>> = {
  bsc: 'pancake',
  base: 'aerodrome',
  polygon: 'quickswap',
  solana: 'Raydium',
  sui: 'Cetus',
  ton: 'stonfi_v2',
}
const OTHER_VENUE = 'uniswap-v2'

/** Two listings that trade with each other, with the pool's depth. */
export class MarketPool {
  /** Both tokens; identifies the pool. */
  readonly pair: string
  readonly a: Listing
  readonly b: Listing
  readonly depthUsd: number
  #address: string | null = null

  constructor(pair: string, a: Listing, b: Listing, depthUsd: number) {
    this.pair = pair
    this.a = a
    this.b = b
    this.depthUsd = depthUsd
  }

  get venue(): string {
    return VENUES[this.a.token.chain] ?? OTHER_VENUE
  }

  /** Computed at first use: hashing all addresses would slow down the sandbox's start. */
  get address(): string {
    return (this.#address ??= poolAddress(this.a.token.chain, this.pair))
  }
}

/** A market's pools that hold a token, deepest first. */
const POOLS_OF = new WeakMap<ReadonlyMap<string, MarketPool>, Map<MarketToken, readonly MarketPool[]>>()

function poolsOf(all: ReadonlyMap<string, MarketPool>, token: MarketToken): readonly MarketPool[] {
  const known = POOLS_OF.get(all) ?? new Map<MarketToken, readonly MarketPool[]>()
  POOLS_OF.set(all, known)
  let pools = known.get(token)
  if (pools === undefined) {
    pools = [...new Set(all.values())]
      .filter(({ a, b }) => a.token === token || b.token === token)
      .sort((one, other) => other.depthUsd - one.depthUsd)
    known.set(token, pools)
  }
  return pools
}

export class Moment implements Prices {
  readonly at: number
  readonly #step: number
  readonly #seed: number
  readonly #listings: ReadonlyMap<string, Listing>
  readonly #pools: ReadonlyMap<string, MarketPool>
  readonly #native: (chain: string) => MarketToken
  /** Of this moment, by asset and chain. */
  readonly #prices = new Map<string, bigint>()

  constructor(
    at: number,
    seed: number,
    listings: ReadonlyMap<string, Listing>,
    pools: ReadonlyMap<string, MarketPool>,
    native: (chain: string) => MarketToken,
  ) {
    this.at = at
    this.#step = Math.floor(at / STEP_MS)
    this.#seed = seed
    this.#listings = listings
    this.#pools = pools
    this.#native = native
  }

  swap(tokenIn: MarketToken, tokenOut: MarketToken, amountIn: bigint): Fill | null {
    if (amountIn <= 0n || tokenIn.chain !== tokenOut.chain || tokenIn.address === tokenOut.address)
      return null
    const direct = this.#trade([tokenIn, tokenOut], amountIn)
    const around = this.#trade([tokenIn, this.#native(tokenIn.chain), tokenOut], amountIn)
    const isDirect = direct !== null && direct.amountOut >= (around?.amountOut ?? 0n)
    const best = isDirect ? direct : around
    if (best === null) return null
    return {
      amountOut: best.amountOut,
      priceImpactPct: Number(PPM - best.keptPpm) / 10_000,
      amountInUsd: this.#worth(tokenIn, amountIn),
      amountOutUsd: this.#worth(tokenOut, best.amountOut),
      hops: best.hops,
    }
  }

  direct(tokenIn: MarketToken, tokenOut: MarketToken, amountIn: bigint): PoolHop | null {
    return this.#hop(tokenIn, tokenOut, amountIn)?.hop ?? null
  }

  usd(token: MarketToken): string {
    return fixed(this.#price(this.#listing(token)), PRICE_DIGITS)
  }

  changePct(token: MarketToken, since: number): number {
    const listing = this.#listing(token)
    const before = this.#price(listing, Math.floor(since / STEP_MS))
    return Math.round(Number(((this.#price(listing) - before) * PPM) / before) / 100) / 100
  }

  pools(token: MarketToken): readonly PoolState[] {
    return poolsOf(this.#pools, this.#traded(token)).map((pool) => {
      const { a, b, address, venue } = pool
      const depth = this.#depth(pool)
      return {
        address,
        venue,
        base: a.token,
        quote: b.token,
        baseReserve: this.#units(a, depth),
        quoteReserve: this.#units(b, depth),
        liquidityUsd: fixed(2n * depth, WORTH_DIGITS),
        usualUsd: 2 * pool.depthUsd,
      }
    })
  }

  /** @returns null if two neighbours have no pool, or the output is zero */
  #trade(path: readonly MarketToken[], amountIn: bigint) {
    const hops: PoolHop[] = []
    let amountOut = amountIn
    let keptPpm = PPM
    for (let i = 1; i < path.length; i++) {
      const step = this.#hop(path[i - 1]!, path[i]!, amountOut)
      if (step === null || step.hop.amountOut === 0n) return null
      hops.push(step.hop)
      amountOut = step.hop.amountOut
      keptPpm = (keptPpm * step.keptPpm) / PPM
    }
    return { amountOut, keptPpm, hops }
  }

  #hop(
    tokenIn: MarketToken,
    tokenOut: MarketToken,
    amountIn: bigint,
  ): { hop: PoolHop; keptPpm: bigint } | null {
    const from = this.#traded(tokenIn)
    const to = this.#traded(tokenOut)
    if (tokenIn.address === tokenOut.address) return null
    if (from === to) return wrapping(tokenIn, tokenOut, amountIn)
    const pool = this.#pools.get(pairOf(from, to))
    if (pool === undefined) return null
    const { amountOut, fee, keptPpm } = this.#fill(pool, from, amountIn)
    const { address, venue } = pool
    return { hop: { pool: address, venue, tokenIn, tokenOut, amountIn, amountOut, fee }, keptPpm }
  }

  #fill(pool: MarketPool, from: MarketToken, amountIn: bigint): PoolFill {
    const depth = this.#depth(pool)
    const a = this.#units(pool.a, depth)
    const b = this.#units(pool.b, depth)
    const reserves: Reserves = pool.a.token === from ? { in: a, out: b } : { in: b, out: a }
    return fillFrom(reserves, amountIn)
  }

  /** Dollars on each side, in 10^-18. */
  #depth({ pair, depthUsd }: MarketPool): bigint {
    const swing = walk(this.#seed, pair, this.#step, DEPTH_SWING_PPM)
    return (BigInt(depthUsd) * ONE_USD * (PPM + BigInt(swing))) / PPM
  }

  /** The base units that are worth this many dollars. */
  #units(listing: Listing, usd: bigint): bigint {
    return (usd * 10n ** BigInt(listing.token.decimals)) / this.#price(listing)
  }

  #worth(token: MarketToken, amount: bigint): string {
    const usd = (amount * this.#price(this.#listing(token))) / 10n ** BigInt(token.decimals)
    return fixed(usd, WORTH_DIGITS)
  }

  /** The price of one whole token, in 10^-18 dollars. */
  #price({ token: { asset, chain } }: Listing, step = this.#step): bigint {
    const key = `${asset} ${chain}`
    const known = step === this.#step ? this.#prices.get(key) : undefined
    if (known !== undefined) return known
    const { usd, kind, dailyBps } = PRICES[asset]!
    const apart = walk(this.#seed, key, step, kind === 'stable' ? PEG_SWING_PPB : BASIS_SWING_PPB)
    const moved =
      kind === 'stable' ? this.#lean(step) : Math.exp((this.#moves(asset, chain, step) * dailyBps) / 10_000)
    const price = (usd * BigInt(Math.round(moved * PPB)) * BigInt(PPB + apart)) / PPB_SQUARED
    if (step === this.#step) this.#prices.set(key, price)
    return price
  }

  /** How far an asset is from its price, in its own daily deviations. */
  #moves(asset: string, chain: string, step: number): number {
    const { kind } = PRICES[asset]!
    const shared = MARKET.has(asset) ? MARKET_SHARED : SHARED[kind]
    const slowest = kind === 'new' || kind === 'odd' ? NEAR_OCTAVE : undefined
    const alone = drift(this.#seed, asset, step, slowest)
    if (shared === 0) return alone
    const own = kind === 'meme' ? blend(MEME_SHARED, drift(this.#seed, 'memes', step), alone) : alone
    const isCoin = kind === 'coin'
    const other = isCoin
      ? drift(this.#seed, 'market', step)
      : this.#moves(this.#native(chain).asset, chain, step)
    return blend(shared, other, own)
  }

  /** If the market falls, demand for stablecoins rises. */
  #lean(step: number): number {
    const depth = drift(this.#seed, 'market', step, NEAR_OCTAVE)
    return 1 - (PEG_LEAN_PPM * Math.max(-1, Math.min(1, depth / 2))) / 1_000_000
  }

  /** The token that the pools hold for it: the native coin for its wrapper. */
  #traded(token: MarketToken): MarketToken {
    const listing = this.#listing(token)
    return listing.isWrapper ? this.#native(token.chain) : listing.token
  }

  #listing({ chain, address }: MarketToken): Listing {
    const listing = this.#listings.get(keyOf(chain, address))
    if (listing === undefined) throw new TypeError('The token is not one of this market.')
    return listing
  }
}

/** Blends two moves of deviation 1 into one; `shared` is the first one's part. */
const blend = (shared: number, first: number, second: number): number =>
  shared * first + Math.sqrt(1 - shared ** 2) * second

/** Wrapping is one for one, and free; the wrapper is its own pool. */
function wrapping(tokenIn: MarketToken, tokenOut: MarketToken, amountIn: bigint) {
  const pool = tokenIn.isNative ? tokenOut.address : tokenIn.address
  const hop: PoolHop = { pool, venue: 'wrap', tokenIn, tokenOut, amountIn, amountOut: amountIn, fee: 0n }
  return { hop, keptPpm: PPM }
}

export const keyOf = (chain: string, address: string): string => `${chain} ${address}`

export const pairOf = (a: MarketToken, b: MarketToken): string =>
  `${a.chain} ${a.address} ${b.chain} ${b.address}`

/** Formats 10^-18 dollars with a number of decimal places, rounded down. */
function fixed(usd: bigint, digits: number): string {
  const scaled = usd / 10n ** BigInt(USD_DECIMALS - digits)
  const text = scaled.toString().padStart(digits + 1, '0')
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
