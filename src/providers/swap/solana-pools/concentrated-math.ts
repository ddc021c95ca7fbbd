/**
 * The arithmetic of concentrated liquidity: what an amount gives, tick by tick, in the integers of Orca's Whirlpools and
 * Raydium's CLMM and with their rounding, which are the same but for the prices at ticks and the widths of integers.
 * Prices are square roots of B for one A, times 2^64.
 *
 * A swap that the program would refuse has no result here: one that runs out of ticks, or overflows.
 *
 * Source: orca-so/whirlpools 630c0e0 programs/whirlpool/src/manager/swap_manager.rs, math/swap_math.rs,
 * math/token_math.rs, math/tick_math.rs · raydium-io/raydium-clmm 03b44b7 programs/amm/src/instructions/swap.rs,
 * libraries/swap_math.rs, sqrt_price_math.rs, liquidity_math.rs, tick_math.rs. Compared with the programs' own
 * executions: test/fixtures/solana-pools
 */
import ratios from './tick-ratios.json' with { type: 'json' }

export const MAX_TICK = 443_636
export const FEE_UNIT = 1_000_000n
const MAX_U64 = 2n ** 64n - 1n
const MAX_U128 = 2n ** 128n - 1n

/** What differs between the programs. */
export interface Rules {
  priceAt(tick: number): bigint
  /** How far a swap can move the price. */
  readonly minPrice: bigint
  readonly maxPrice: bigint
  /** The width of the integer that holds liquidity times price. */
  readonly productBits: bigint
}

/** A tick at which liquidity begins or ends. */
export interface Tick {
  readonly index: number
  /** Added to the liquidity as the price rises through it, and taken away as it falls. */
  readonly net: bigint
}

export interface PoolState {
  readonly price: bigint
  readonly liquidity: bigint
  /** Hundredths of a basis point. */
  readonly fee: bigint
}

/** The powers of sqrt(1.0001) by a tick's bits: in 96 bits upwards, in 64 bits downwards, and as Raydium has them. */
const [UP, DOWN, RAYDIUM] = [ratios.up.map(BigInt), ratios.down.map(BigInt), ratios.raydium.map(BigInt)]

const power = (tick: number, powers: readonly bigint[], bits: bigint): bigint =>
  powers.reduce(
    (product, power, i) => (Math.abs(tick) & (1 << i) ? (product * power) >> bits : product),
    1n << bits,
  )

export const ORCA_RULES: Rules = {
  priceAt: (tick) => (tick >= 0 ? power(tick, UP, 96n) >> 32n : power(tick, DOWN, 64n)),
  minPrice: 4_295_048_016n,
  maxPrice: 79_226_673_515_401_279_992_447_579_055n,
  productBits: 192n,
}

/** Without a limit of its price, a swap stops short of the first and the last tick. */
export const RAYDIUM_RULES: Rules = {
  priceAt(tick) {
    const down = power(tick, RAYDIUM, 64n)
    return tick > 0 ? MAX_U128 / down : down
  },
  minPrice: 4_295_048_017n,
  maxPrice: 79_226_673_521_066_979_257_578_248_090n,
  productBits: 256n,
}

/**
 * What the whole amount gives.
 * @param ticks  in the order in which the price meets them, to the last that is known
 * @returns null if the program would refuse it, or not take all of it
 */
export function swapExactIn(
  { price: start, liquidity: from, fee }: PoolState,
  ticks: readonly Tick[],
  amountIn: bigint,
  aToB: boolean,
  rules: Rules,
): bigint | null {
  let [price, liquidity, left, out] = [start, from, amountIn, 0n]
  for (const { index, net } of ticks) {
    let target = rules.priceAt(index)
    if (target < rules.minPrice) target = rules.minPrice
    if (target > rules.maxPrice) target = rules.maxPrice
    const step = swapTo({ price, liquidity, fee }, target, left, aToB, rules)
    if (step === null) return null
    ;[price, left, out] = [step.price, left - step.in - step.fee, out + step.out]
    if (left < 0n || out > MAX_U64) return null
    if (left === 0n) return out
    liquidity += aToB ? -net : net
    if (liquidity < 0n || liquidity > MAX_U128) return null
  }
  return null
}

/** The output at the price before the swap, less the fee. */
export function atSpot({ price, fee }: PoolState, amountIn: bigint, aToB: boolean): bigint {
  const usable = (amountIn * (FEE_UNIT - fee)) / FEE_UNIT
  return aToB ? (usable * price * price) >> 128n : (usable << 128n) / (price * price)
}

/** One step up to the next tick, or as far as what is left of the amount lasts. */
function swapTo(
  { price, liquidity, fee }: PoolState,
  target: bigint,
  left: bigint,
  aToB: boolean,
  rules: Rules,
) {
  const deltaOf = (isA: boolean, next: bigint, roundUp: boolean) =>
    isA ? deltaA(price, next, liquidity, roundUp, rules) : deltaB(price, next, liquidity, roundUp)
  const inputTo = (next: bigint) => deltaOf(aToB, next, true)
  const needed = inputTo(target)
  if (needed === null) return null
  const usable = (left * (FEE_UNIT - fee)) / FEE_UNIT
  const isWhole = needed <= MAX_U64 && needed <= usable
  const next = isWhole ? target : priceAfter(price, liquidity, usable, aToB, rules)
  if (next === null) return null
  // A step may end at the target by rounding, without having needed all of it.
  const isMax = next === target
  const amountIn = isMax && needed <= MAX_U64 ? needed : inputTo(next)
  const amountOut = deltaOf(!aToB, next, false)
  if (amountIn === null || amountOut === null || amountIn > MAX_U64 || amountOut > MAX_U64) return null
  const taken = isMax ? ceilDiv(amountIn * fee, FEE_UNIT - fee) : left - amountIn
  return { price: next, in: amountIn, out: amountOut, fee: taken }
}

const ceilDiv = (a: bigint, b: bigint): bigint => (a + b - 1n) / b

/** The change of A between two prices; null if the program's integers overflow. */
function deltaA(one: bigint, other: bigint, liquidity: bigint, roundUp: boolean, { productBits }: Rules) {
  const [lower, upper] = one < other ? [one, other] : [other, one]
  const product = liquidity * (upper - lower)
  if (product >= 1n << productBits) return null
  return (roundUp ? ceilDiv : floorDiv)(product << 64n, upper * lower)
}

/** The change of B between two prices: more than 64 bits where the program's integers overflow. */
function deltaB(one: bigint, other: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const product = liquidity * (one < other ? other - one : one - other)
  return (roundUp ? ceilDiv : floorDiv)(product, 1n << 64n)
}

const floorDiv = (a: bigint, b: bigint): bigint => a / b

/** The price after an amount came in; null if it is out of bounds. */
function priceAfter(
  price: bigint,
  liquidity: bigint,
  amount: bigint,
  aToB: boolean,
  { minPrice, maxPrice, productBits }: Rules,
): bigint | null {
  if (!aToB) return liquidity === 0n ? null : price + (amount << 64n) / liquidity
  if (amount === 0n) return price
  const numerator = liquidity * price
  if (numerator >= 1n << productBits) return null
  const next = ceilDiv(numerator << 64n, (liquidity << 64n) + price * amount)
  return next < minPrice || next > maxPrice ? null : next
}
