/**
 * Reads a token's profile. The API's contract leaves the profile's parts free-form, so
 * each member is checked before it is shown.
 */
import type { TokenProfile } from '../../../client/index.ts'
import type { Provenance } from '../../parts/provenance.ts'

export type ProfileEntry = Readonly<Record<string, unknown>>

export interface ChartCandle {
  /** The candle's start, ms of the wall clock. */
  readonly ts: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** Dollars; null if the source does not report it. */
  readonly volume: number | null
}

export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** @returns a finite number or null; amounts come as decimal strings */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** The provenance of a part of the profile; for a missing part, the sources that failed to give it. */
export function originOf({ origins, sources }: TokenProfile, part: string): Provenance {
  const origin = origins[part]
  if (origin !== undefined) {
    const { source, at, stale } = origin
    return { source, at, notes: [stale ? 'It has failed since; this is its earlier answer.' : null] }
  }
  const failed = sources.filter(({ failed }) => failed.includes(part))
  const why = failed.map(({ provider, code }) => `${provider} could not give it${code ? `: ${code}` : ''}.`)
  return { source: 'No source gave it', at: null, notes: why }
}

/** The candles, oldest first and one per time, as the chart requires. */
export function candlesOf({ candles = [] }: Pick<TokenProfile, 'candles'>): readonly ChartCandle[] {
  const byTime = new Map<number, ChartCandle>()
  for (const entry of candles) {
    const [ts, open, high, low, close] = ['ts', 'open', 'high', 'low', 'close'].map((name) =>
      numberOf(entry[name]),
    )
    if (ts == null || open == null || high == null || low == null || close == null) continue
    byTime.set(ts, { ts, open, high, low, close, volume: numberOf(entry.volume) })
  }
  return [...byTime.values()].sort((a, b) => a.ts - b.ts)
}

/** A candle's duration, ms: the shortest time between two; null for fewer than two. */
export function intervalOf(candles: readonly ChartCandle[]): number | null {
  const steps = candles.slice(1).map(({ ts }, i) => ts - candles[i]!.ts)
  return steps.length === 0 ? null : Math.min(...steps)
}

/** A link given by a token's creators. @returns null unless it is an http or https URL */
export function linkOf(entry: unknown): { readonly type: string; readonly url: URL } | null {
  if (typeof entry !== 'object' || entry === null) return null
  const { type, url } = entry as ProfileEntry
  const parsed = URL.canParse(String(url)) ? new URL(String(url)) : null
  if (parsed === null || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) return null
  return { type: textOf(type) ?? 'link', url: parsed }
}
