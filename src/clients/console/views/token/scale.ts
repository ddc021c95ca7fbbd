/** How precisely a chart shows its prices: one number of decimals for its axis, tags, summary and table. */
import { zerosCounted } from '../../format.ts'
import type { ChartCandle } from './profile.ts'

/** The most steps between the labels of an axis. */
const MAX_STEPS = 6
/** The share of its span that an axis shows below and above. */
const PAD = 0.05
/** The assumed span of prices that do not move, as a share: less around a dollar, where stablecoins are. */
const FLAT = 0.005
const FLAT_STABLE = 0.001
/** More decimals have their leading zeros counted. */
const MAX_PLAIN = 6
const MAX_DECIMALS = 18

/**
 * @param candles  at least one
 * @returns `minMove` is the smallest difference that is shown: 10 to the power of minus `decimals`
 */
export function scaleOf(candles: readonly Pick<ChartCandle, 'low' | 'high'>[]) {
  const low = Math.min(...candles.map((candle) => candle.low))
  const high = Math.max(...candles.map((candle) => candle.high))
  const flat = (Math.abs(high - 1) < 0.01 ? FLAT_STABLE : FLAT) * Math.abs(high)
  const span = Math.max(high - low, flat, 10 ** -MAX_DECIMALS) * (1 + 2 * PAD)
  // The step is the least of 1, 2 and 5 times a power of ten that is large enough.
  const least = span / MAX_STEPS
  const power = Math.floor(Math.log10(least))
  const exponent = least > 5 * 10 ** power ? power + 1 : power
  // A tenth of a step: the tag of the last price doesn't repeat the label next to it.
  const decimals = Math.min(Math.max(0, 1 - exponent), MAX_DECIMALS)
  const digits = new Intl.NumberFormat('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  })
  const format = (price: number): string => {
    const text = digits.format(price)
    return `$${decimals > MAX_PLAIN ? zerosCounted(text) : text}`
  }
  return { decimals, minMove: Number(`1e-${decimals}`), format }
}
