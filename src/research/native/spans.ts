/**
 * The spans of charts: the length of their candles, how many there are, and how
 * long a chart is fresh, which is half a candle and half an hour at most.
 *
 * Source: §4.10 (`span`)
 */
import type { ChartSpan } from '../../providers/market/market.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export const SPANS = {
  '1h': { intervalMs: MINUTE_MS, count: 60, keepMs: MINUTE_MS / 2 },
  '24h': { intervalMs: 15 * MINUTE_MS, count: 96, keepMs: 5 * MINUTE_MS },
  '7d': { intervalMs: HOUR_MS, count: 168, keepMs: 15 * MINUTE_MS },
  '30d': { intervalMs: 4 * HOUR_MS, count: 180, keepMs: 30 * MINUTE_MS },
} as const satisfies Record<string, ChartSpan & { readonly keepMs: number }>
export type SpanName = keyof typeof SPANS

export const SPAN_NAMES = Object.keys(SPANS) as SpanName[]
