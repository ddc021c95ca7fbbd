/**
 * Candles without gaps: one for each interval from the first that a source has
 * up to now. Where nothing was traded, the price is the last one.
 */
import type { Candle, ChartSpan } from '../providers/market/market.ts'

export interface Whole {
  /** Oldest first, `intervalMs` apart. */
  readonly candles: readonly Candle[]
  /** How many of them are not the source's: volume 0 at the last close. */
  readonly filled: number
}

/** @param now  ms epoch: nothing later is believed */
export function withoutGaps(
  candles: readonly Candle[],
  { intervalMs, count }: ChartSpan,
  now: number,
): Whole {
  const beginOf = (ts: number): number => Math.floor(ts / intervalMs) * intervalMs
  const last = beginOf(now)
  const since = last - (count - 1) * intervalMs
  const byBegin = new Map(candles.map((candle) => [beginOf(candle.ts), candle]))
  const begins = [...byBegin.keys()].filter((begin) => begin >= since && begin <= last)
  if (begins.length === 0) return { candles: [], filled: 0 }

  const whole: Candle[] = []
  let filled = 0
  for (let ts = Math.min(...begins); ts <= last; ts += intervalMs) {
    const candle = byBegin.get(ts)
    if (candle !== undefined) whole.push({ ...candle, ts })
    else {
      const { close } = whole.at(-1)!
      whole.push({ ts, open: close, high: close, low: close, close, volume: 0 })
      filled++
    }
  }
  return { candles: whole, filled }
}
