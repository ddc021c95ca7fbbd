/** The intervals of a chart: those that the gateway has candles of, and longer ones that are put together from them. */
import type { NativeHistoryInput } from '../../../client/index.ts'
import type { ChartCandle } from './profile.ts'

type Span = NonNullable<NativeHistoryInput['span']>

const MINUTE_MS = 60_000

/** Each with the span of a native coin's history whose candles make it up. */
const INTERVALS = [
  { name: '1m', ms: MINUTE_MS, of: '1h' },
  { name: '5m', ms: 5 * MINUTE_MS, of: '1h' },
  { name: '15m', ms: 15 * MINUTE_MS, of: '24h' },
  { name: '1h', ms: 60 * MINUTE_MS, of: '7d' },
  { name: '4h', ms: 240 * MINUTE_MS, of: '30d' },
  { name: '1d', ms: 1_440 * MINUTE_MS, of: '30d' },
] as const satisfies readonly { readonly name: string; readonly ms: number; readonly of: Span }[]

export interface ChartInterval {
  readonly name: string
  readonly ms: number
  /** The span of the native coin's history; null: of the profile's candles. */
  readonly span: Span | null
}

/**
 * @param ownMs   the interval of the profile's candles; null if it has none
 * @param isCoin  whether the token is a native coin or its wrapper, which have histories of their own
 */
export function intervalsOf(ownMs: number | null, isCoin: boolean): readonly ChartInterval[] {
  return INTERVALS.flatMap(({ name, ms, of }): ChartInterval[] => {
    // A history of 30 days has more candles of a day than a profile of seven.
    if (isCoin && ms !== ownMs) return [{ name, ms, span: of }]
    return ownMs !== null && ms % ownMs === 0 ? [{ name, ms, span: null }] : []
  })
}

/** The names of the intervals that are not among these. */
export function missingOf(known: readonly ChartInterval[]): readonly string[] {
  return INTERVALS.map(({ name }) => name as string).filter((name) => known.every((one) => one.name !== name))
}

/**
 * Candles of a longer interval, which begin at its multiples in UTC. A first one that is not whole is left out:
 * its opening price is unknown. The last may still be going on.
 *
 * @param candles  oldest first, of one interval
 */
export function joined(candles: readonly ChartCandle[], intervalMs: number): readonly ChartCandle[] {
  const all: ChartCandle[] = []
  for (const candle of candles) {
    const ts = Math.floor(candle.ts / intervalMs) * intervalMs
    const last = all.at(-1)
    if (last?.ts === ts) all[all.length - 1] = together(last, candle)
    else if (last !== undefined || candle.ts === ts) all.push({ ...candle, ts })
  }
  return all
}

function together(first: ChartCandle, next: ChartCandle): ChartCandle {
  const { ts, open, high, low, volume } = first
  return {
    ts,
    open,
    high: Math.max(high, next.high),
    low: Math.min(low, next.low),
    close: next.close,
    volume: volume === null || next.volume === null ? null : volume + next.volume,
  }
}
