/**
 * The charts that are served: candles of six lengths, or as many of one of them as
 * a span has. A chart is fresh for half a candle, and half an hour at most.
 *
 * Source: §4.10 (`span`)
 */
import type { ChartSpan } from '../../providers/market/market.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Of each length, so that one call serves every request: three hours of minutes, half a year of days. */
const COUNT = 180

export type KeptSpan = ChartSpan & { readonly keepMs: number }

export const INTERVALS = {
  '1m': { intervalMs: MINUTE_MS, count: COUNT, keepMs: MINUTE_MS / 2 },
  '5m': { intervalMs: 5 * MINUTE_MS, count: COUNT, keepMs: 2 * MINUTE_MS },
  '15m': { intervalMs: 15 * MINUTE_MS, count: COUNT, keepMs: 5 * MINUTE_MS },
  '1h': { intervalMs: HOUR_MS, count: COUNT, keepMs: 15 * MINUTE_MS },
  '4h': { intervalMs: 4 * HOUR_MS, count: COUNT, keepMs: 30 * MINUTE_MS },
  '1d': { intervalMs: 24 * HOUR_MS, count: COUNT, keepMs: 30 * MINUTE_MS },
} as const satisfies Record<string, KeptSpan>
export type IntervalName = keyof typeof INTERVALS

export const INTERVAL_NAMES = Object.keys(INTERVALS) as IntervalName[]

export const CHART_SPANS = {
  '1h': { interval: '1m', count: 60 },
  '24h': { interval: '15m', count: 96 },
  '7d': { interval: '1h', count: 168 },
  '30d': { interval: '4h', count: COUNT },
} as const satisfies Record<string, { readonly interval: IntervalName; readonly count: number }>
export type SpanName = keyof typeof CHART_SPANS

export const SPAN_NAMES = Object.keys(CHART_SPANS) as SpanName[]
export const DEFAULT_SPAN: SpanName = '24h'
