/**
 * Fills the gaps in candles: one candle for each interval. An interval without
 * trades repeats the last close.
 */
import type { Candle, ChartSpan } from './market.ts'

/**
 * @param until  a time within the last interval, ms epoch; later candles are dropped
 * @returns the last `count` intervals, oldest first, starting no earlier than the first known candle; and how many
 *          of them were filled in, with volume 0 at the last close
 */
export function withoutGaps(candles: readonly Candle[], { intervalMs, count }: ChartSpan, until: number) {
  const beginOf = (ts: number): number => Math.floor(ts / intervalMs) * intervalMs
  const last = beginOf(until)
  const since = last - (count - 1) * intervalMs
  const byBegin = new Map(candles.map((candle) => [beginOf(candle.ts), candle]))
  const before = [...byBegin.keys()].filter((begin) => begin < since)
  let close = before.length === 0 ? null : byBegin.get(Math.max(...before))!.close

  const filledCandles: Candle[] = []
  let filled = 0
  for (let ts = since; ts <= last; ts += intervalMs) {
    const candle = byBegin.get(ts)
    if (candle !== undefined) {
      filledCandles.push({ ...candle, ts })
      close = candle.close
    } else if (close !== null) {
      filledCandles.push({ ts, open: close, high: close, low: close, close, volume: 0 })
      filled++
    }
  }
  return { candles: filledCandles, filled }
}
