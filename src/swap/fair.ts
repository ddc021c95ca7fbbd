/**
 * What an order should give by prices that two independent sources agree on, and the least that an offer may
 * give. A provider that offers a thousandth of the value, and proves that as a minimum, has proved nothing
 * useful.
 *
 * The floor is `floorBps` below the fair output. A pool gives less the more of it is taken: if two sources
 * say that a token's pools are thin for the order, the floor is lowered by a constant-product pool's loss.
 * Fees between chains are flat, so small cross-chain swaps lose more of their value to them.
 *
 * Source: §4.5, §4.7, §4.10
 */
import { nativeAddress } from '../chains/address.ts'
import type { ChainDefinition } from '../chains/definition.ts'
import { PRICE_DECIMALS, USD_DECIMALS, valueAt } from '../chains/usd.ts'
import type { Call } from '../flow/call.ts'
import type { Order, OutputOrder, Token } from '../proof/terms/order.ts'
import type { Offer } from '../providers/provider.ts'
import { GatewayError } from '../runtime/errors.ts'

/** What at least two sources agree on. */
export interface AgreedPrice {
  /** The lower and the higher of two prices, 10^-36 dollars per whole token. */
  readonly low: bigint
  readonly high: bigint
  /** Micro-dollars in the token's pools, if two sources report them. */
  readonly depth: bigint | null
  readonly sources: readonly string[]
  /** The time of the older price, ms epoch. */
  readonly priceTs: number
}

/**
 * @param isThin  whether a depth, micro-dollars, would lower the floor, so that another source should confirm it
 * @returns null if no two sources agree; never rejects because of a source
 */
export type PriceOf = (
  chainKey: string,
  address: string,
  call: Call,
  isThin: (depth: bigint) => boolean,
) => Promise<AgreedPrice | null>

export interface ChainFees {
  /** The nodes of different hosts that agree on both; one alone is not confirmed. */
  readonly nodes: readonly string[]
  /** Wei per unit. */
  readonly price: bigint
  /** Wei for 1,024 bytes of calldata on layer 1; zero if it costs only its gas. */
  readonly dataFee: bigint
}

/** How an order's gas is counted. */
export interface Gas extends ChainFees {
  /** The sources of the two prices in dollars. */
  readonly prices: readonly string[]
  /** Base units of the output token that a whole native coin is worth. */
  readonly outPerCoin: bigint
  /** 10^-36 dollars per whole coin, and per whole output token; null if no two sources agree. */
  readonly usdPerCoin: bigint | null
  readonly usdPerOut: bigint | null
}

export interface Fair {
  /** Base units of the output token; null if no two sources know both tokens. */
  readonly out: bigint | null
  /** The least that an offer may give; null if there is no fair output, or no floor. */
  readonly floor: bigint | null
  /** The sources of both prices, each once. */
  readonly sources: readonly string[]
  /**
   * Micro-dollars: the value of the swap, and what is in the pools of both tokens, null if no two sources
   * report it.
   */
  readonly market?: { readonly value: bigint; readonly depths: readonly (bigint | null)[] }
  /** How gas is counted. Absent: it cannot be, and gross amounts decide. */
  readonly gas?: Gas | null
  /** The proved shortfalls of providers, bps. */
  readonly losses?: Readonly<Record<string, number>>
}

/** What is known of an order that no two sources can price. */
export const UNPRICED: Fair = { out: null, floor: null, sources: [] }

export interface PricedOrder {
  readonly chainIn: ChainDefinition
  readonly chainOut: ChainDefinition
  readonly tokenIn: Token
  readonly tokenOut: Token
  readonly amountIn: bigint
}

/** Never rejects because of a source. @param call  the deadline is over all prices: beyond it the order is unpriced */
export type FairOf = (order: PricedOrder, call: Call) => Promise<Fair>

/**
 * The value of the sold amount, in base units of its chain's native coin, for bounds on fees that are paid in
 * that coin; null if no two sources price both. Never rejects because of a source.
 */
export type WorthOf = (
  order: Pick<PricedOrder, 'chainIn' | 'tokenIn' | 'amountIn'>,
  call: Call,
) => Promise<bigint | null>

const ALL_BPS = 10_000n
/**
 * The most that relayers and messages between chains cost whatever the amount: three dollars, in
 * micro-dollars.
 */
const CROSSING_FEE = 3n * 10n ** BigInt(USD_DECIMALS)
/** Depth matters for orders above a hundredth of it. */
const THIN_PARTS = 100n

/**
 * @param floorBps  how far an offer may be below the fair output; 10,000 for no floor
 */
export const fairBy =
  (priceOf: PriceOf, floorBps: number): FairOf =>
  (order, call) =>
    call.orLate(weigh(order, priceOf, floorBps, call), UNPRICED)

export function worthBy(priceOf: PriceOf): WorthOf {
  return async ({ chainIn, tokenIn, amountIn }, call) => {
    if (tokenIn.isNative) return amountIn
    const priceAt = (address: string) => priceOf(chainIn.key, address, call, () => false)
    const asking = Promise.all([priceAt(tokenIn.address), priceAt(nativeAddress(chainIn))])
    const [sold, coin] = await call.orLate(asking, [null, null])
    // Rounds for caution: the less an order is worth, the less it may pay.
    return sold && coin && outputOf(amountIn, tokenIn, sold.low, chainIn, coin.high)
  }
}

type Counted = Pick<Token, 'decimals'>

/** Base units that an amount of one token is worth in another, by prices in dollars per whole token. */
const outputOf = (amountIn: bigint, tokenIn: Counted, priceIn: bigint, out: Counted, priceOut: bigint) =>
  (amountIn * priceIn * 10n ** BigInt(out.decimals)) / (priceOut * 10n ** BigInt(tokenIn.decimals))

async function weigh(
  { chainIn, chainOut, tokenIn, tokenOut, amountIn }: PricedOrder,
  priceOf: PriceOf,
  floorBps: number,
  call: Call,
): Promise<Fair> {
  const [priceIn, priceOut] = await Promise.all([
    priceOf(chainIn.key, listed(chainIn, tokenIn), call, () => false),
    priceOf(chainOut.key, listed(chainOut, tokenOut), call, () => false),
  ])
  if (priceIn === null || priceOut === null) return UNPRICED
  const value = valueAt(amountIn, tokenIn.decimals, priceIn.low)
  const isThin = (depth: bigint): boolean => depth < value * THIN_PARTS
  const [deepIn, deepOut] = await Promise.all([
    confirmed(priceIn, () => priceOf(chainIn.key, listed(chainIn, tokenIn), call, isThin)),
    confirmed(priceOut, () => priceOf(chainOut.key, listed(chainOut, tokenOut), call, isThin)),
  ])
  // Rounds for caution: the input at its lowest value, the output at its highest price.
  const outOf = (worth: bigint): bigint =>
    (worth * 10n ** BigInt(tokenOut.decimals + PRICE_DECIMALS - USD_DECIMALS)) / priceOut.high
  const out = outputOf(amountIn, tokenIn, priceIn.low, tokenOut, priceOut.high)
  const sources = [...new Set([...priceIn.sources, ...priceOut.sources])]
  const market = { value, depths: [deepIn, deepOut] }
  if (floorBps >= Number(ALL_BPS)) return { out, floor: null, sources, market }
  const left = throughPool(throughPool(out, value, deepIn), value, deepOut)
  const flat = chainIn === chainOut ? 0n : outOf(CROSSING_FEE)
  const floor = (left * (ALL_BPS - BigInt(floorBps))) / ALL_BPS - flat
  return { out, floor: floor > 0n ? floor : 0n, sources, market }
}

/** The cross-chain provider has its own names for native coins. */
const listed = (chain: ChainDefinition, { address, isNative }: Token): string =>
  isNative ? nativeAddress(chain) : address

/** The depth that two sources report; if only one has so far, others are asked. */
async function confirmed(known: AgreedPrice, again: () => Promise<AgreedPrice | null>) {
  return known.depth ?? (await again())?.depth ?? null
}

/** What a constant-product pool with half of the depth on each side gives of an output. */
function throughPool(out: bigint, value: bigint, depth: bigint | null): bigint {
  if (depth === null) return out
  const side = depth / 2n
  return side === 0n ? 0n : (out * side) / (side + value)
}

/** More than any amount. */
const LARGE = 2n ** 256n

/**
 * What an offer is compared by, and what `Fair` is in: its output. Offers of an exact output differ by what they
 * take, so that its value is in the input: the fair input is worth itself, and twice as much the half of it.
 * @param cost  of gas, in the same token
 */
export function offerValue({ expectedOut, takes }: Compared, { out }: Pick<Fair, 'out'>, cost = 0n): bigint {
  if (takes === undefined) return expectedOut - cost
  const fairIn = out ?? LARGE
  return (fairIn * fairIn) / (takes.amountIn + cost)
}

/** Offers differ by this amount: what they give, or take for an exact output. */
export const amountOf = ({ expectedOut, takes }: Compared): bigint => takes?.amountIn ?? expectedOut

/** The fair output for what an offer is expected to take. */
export const fairOutOf = ({ expectedOut, takes }: Compared, { out }: Pick<Fair, 'out'>): bigint | null =>
  takes === undefined || out === null || out === 0n ? out : (expectedOut * takes.amountIn) / out

/** The order by whose output offers differ: an exact output backwards, since they differ by what they take. */
export const comparedOrder = (order: Order | OutputOrder): Order =>
  'amountOut' in order
    ? { ...order, tokenIn: order.tokenOut, tokenOut: order.tokenIn, amountIn: order.amountOut }
    : order

type Compared = Pick<Offer, 'expectedOut' | 'takes'>

/** Refuses an offer that is below the floor. @throws GatewayError  price_out_of_line */
export function requireInLine(offer: Compared, fair: Fair, provider: string): void {
  const refusal = outOfLine(offer, fair, provider)
  if (refusal !== null) throw refusal
}

/** @returns null for an offer that is not below the floor */
export function outOfLine(offer: Compared, fair: Fair, provider: string): GatewayError | null {
  if (isInLine(offer, fair)) return null
  const { takes, expectedOut } = offer
  return new GatewayError(
    'price_out_of_line',
    `The offer is far ${takes === undefined ? 'below' : 'above'} what ${fair.sources.join(' and ')} say that the amount is worth. Try another amount, or again later.`,
    {
      provider,
      ...(takes === undefined
        ? { expectedOut: String(expectedOut), fairOut: String(fair.out) }
        : { amountIn: String(takes.amountIn), fairIn: String(fair.out) }),
    },
  )
}

export const isInLine = (offer: Compared, fair: Pick<Fair, 'floor' | 'out'>): boolean =>
  fair.floor === null || offerValue(offer, fair) >= fair.floor

const PERCENT_DIGITS = 4
/** Percent of the fair output that an offer loses, positive is a loss; null if it is unknown. */
export function lossPct(offer: Compared, { out }: Pick<Fair, 'out'>): number | null {
  if (out === null || out === 0n) return null
  const scale = 10n ** BigInt(PERCENT_DIGITS + 2)
  return Number(((out - offerValue(offer, { out })) * scale) / out) / 10 ** PERCENT_DIGITS
}
