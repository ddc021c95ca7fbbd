/**
 * The arithmetic of a Whirlpool: what an amount gives, tick by tick, in the integers of the program and with its
 * rounding. Prices are square roots of B for one A, times 2^64.
 *
 * A swap that the program would refuse has no result here: one that runs out of ticks, or overflows.
 *
 * Source: orca-so/whirlpools 630c0e0 programs/whirlpool/src/manager/swap_manager.rs, math/swap_math.rs,
 * math/token_math.rs, math/tick_math.rs. Compared with the program's own executions: test/fixtures/solana-pools
 */
import ratios from './tick-ratios.json' with { type: 'json' }

export const MAX_TICK = 443_636
export const FEE_UNIT = 1_000_000n
const MAX_U64 = 2n ** 64n - 1n
const MAX_U128 = 2n ** 128n - 1n
/** What the price can be, at the first tick and at the last. */
export const MIN_PRICE = 4_295_048_016n
export const MAX_PRICE = 79_226_673_515_401_279_992_447_579_055n

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

/** The powers of sqrt(1.0001) by the bits of the tick: in 96 bits upwards, in 64 bits downwards. */
const [UP, DOWN] = [ratios.up.map(BigInt), ratios.down.map(BigInt)]

/** The price at a tick. */
export function priceAt(tick: number): bigint {
  const [powers, bits] = tick >= 0 ? [UP, 96n] : [DOWN, 64n]
  const distance = Math.abs(tick)
  const ratio = powers.reduce(
    (product, power, i) => (distance & (1 << i) ? (product * power) >> bits : product),
    1n << bits,
  )
  return tick >= 0 ? ratio >> 32n : ratio
}

/**
 * What the whole amount gives.
 * @param ticks  with liquidity, in the order in which the price meets them
 * @param end    the tick at which the known ones end
 * @returns null if the program would refuse it, or not take all of it
 */
export function swapExactIn(
  { price: start, liquidity: from, fee }: PoolState,
  ticks: readonly Tick[],
  end: number,
  amountIn: bigint,
  aToB: boolean,
): bigint | null {
  let [price, liquidity, left, out] = [start, from, amountIn, 0n]
  for (const { index, net } of [...ticks, { index: end, net: 0n }]) {
    const step = swapTo({ price, liquidity, fee }, priceAt(index), left, aToB)
    if (step === null) return null
    ;[price, left, out] = [step.price, left - step.in - step.fee, out + step.out]
    if (left < 0n || out > MAX_U64) return null
    if (left === 0n) return out
    liquidity += aToB ? -net : net
    if (liquidity < 0n || liquidity > MAX_U128) return null
  }
  return null
}

/** One step up to the next tick, or as far as what is left of the amount lasts. */
function swapTo({ price, liquidity, fee }: PoolState, target: bigint, left: bigint, aToB: boolean) {
  const inputTo = (next: bigint) => (aToB ? deltaA : deltaB)(price, next, liquidity, true)
  const needed = inputTo(target)
  if (needed === null) return null
  const usable = (left * (FEE_UNIT - fee)) / FEE_UNIT
  const isWhole = needed <= MAX_U64 && needed <= usable
  const next = isWhole ? target : priceAfter(price, liquidity, usable, aToB)
  if (next === null) return null
  // A step may end at the target by rounding, without having needed all of it.
  const isMax = next === target
  const amountIn = isMax && needed <= MAX_U64 ? needed : inputTo(next)
  const amountOut = (aToB ? deltaB : deltaA)(price, next, liquidity, false)
  if (amountIn === null || amountOut === null || amountIn > MAX_U64 || amountOut > MAX_U64) return null
  const taken = isMax ? ceilDiv(amountIn * fee, FEE_UNIT - fee) : left - amountIn
  return { price: next, in: amountIn, out: amountOut, fee: taken }
}

const ceilDiv = (a: bigint, b: bigint): bigint => (a + b - 1n) / b

/** The change of A between two prices; null if the program's integers overflow. */
function deltaA(one: bigint, other: bigint, liquidity: bigint, roundUp: boolean): bigint | null {
  const [lower, upper] = one < other ? [one, other] : [other, one]
  const product = liquidity * (upper - lower)
  if (product >= 1n << 192n) return null
  return (roundUp ? ceilDiv : floorDiv)(product << 64n, upper * lower)
}

/** The change of B between two prices: more than 64 bits where the program's integers overflow. */
function deltaB(one: bigint, other: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const product = liquidity * (one < other ? other - one : one - other)
  return (roundUp ? ceilDiv : floorDiv)(product, 1n << 64n)
}

const floorDiv = (a: bigint, b: bigint): bigint => a / b

/** The price after an amount came in; null if it is out of bounds. */
function priceAfter(price: bigint, liquidity: bigint, amount: bigint, aToB: boolean): bigint | null {
  if (!aToB) return liquidity === 0n ? null : price + (amount << 64n) / liquidity
  if (amount === 0n) return price
  const numerator = liquidity * price
  if (numerator >= 1n << 192n) return null
  const next = ceilDiv(numerator << 64n, (liquidity << 64n) + price * amount)
  return next < MIN_PRICE || next > MAX_PRICE ? null : next
}
