/**
 * Candles without gaps: one for each interval. Where nothing was traded, the
 * price is the last one.
 */
import type { Candle, ChartSpan } from './market.ts'

export interface Whole {
  /** Oldest first, `intervalMs` apart. */
  readonly candles: readonly Candle[]
  /** How many of them are not the source's: volume 0 at the last close. */
  readonly filled: number
}

/**
 * @param until  ms epoch, in the last interval: nothing later is believed
 * @returns the last `count` intervals, without those before the first candle that there is
 */
export function withoutGaps(
  candles: readonly Candle[],
  { intervalMs, count }: ChartSpan,
  until: number,
): Whole {
  const beginOf = (ts: number): number => Math.floor(ts / intervalMs) * intervalMs
  const last = beginOf(until)
  const since = last - (count - 1) * intervalMs
  const byBegin = new Map(candles.map((candle) => [beginOf(candle.ts), candle]))
  const before = [...byBegin.keys()].filter((begin) => begin < since)
  let close = before.length === 0 ? null : byBegin.get(Math.max(...before))!.close

  const whole: Candle[] = []
  let filled = 0
  for (let ts = since; ts <= last; ts += intervalMs) {
    const candle = byBegin.get(ts)
    if (candle !== undefined) {
      whole.push({ ...candle, ts })
      close = candle.close
    } else if (close !== null) {
      whole.push({ ts, open: close, high: close, low: close, close, volume: 0 })
      filled++
    }
  }
  return { candles: whole, filled }
}
