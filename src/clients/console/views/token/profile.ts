/**
 * A token's profile as this view reads it: the contract leaves the parts of a
 * profile free-form, so that each member is looked at before it is shown.
 */
import type { TokenProfile } from '../../../client/index.ts'
import type { Provenance } from '../../parts/provenance.ts'

export type Entry = Readonly<Record<string, unknown>>

export interface Candle {
  /** When it began, ms of the wall clock. */
  readonly ts: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** Dollars; null where the source does not tell it. */
  readonly volume: number | null
}

export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** @returns a finite number; amounts come as decimal text */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** Where a part of the profile is from; a part that nobody gave has the sources that could not give it. */
export function originOf({ origins, sources }: TokenProfile, part: string): Provenance {
  const origin = origins[part]
  if (origin !== undefined) {
    const { source, at, stale } = origin
    return { source, at, notes: [stale ? 'It failed since; this is what it gave before.' : null] }
  }
  const failed = sources.filter(({ failed }) => failed.includes(part))
  const why = failed.map(({ provider, code }) => `${provider} could not give it${code ? `: ${code}` : ''}.`)
  return { source: 'No source gave it', at: null, notes: why }
}

/** Oldest first, each time once, as a chart needs them. */
export function candlesOf({ candles = [] }: Pick<TokenProfile, 'candles'>): readonly Candle[] {
  const byTime = new Map<number, Candle>()
  for (const entry of candles) {
    const [ts, open, high, low, close] = ['ts', 'open', 'high', 'low', 'close'].map((name) =>
      numberOf(entry[name]),
    )
    if (ts == null || open == null || high == null || low == null || close == null) continue
    byTime.set(ts, { ts, open, high, low, close, volume: numberOf(entry.volume) })
  }
  return [...byTime.values()].sort((a, b) => a.ts - b.ts)
}

/** What one candle lasts, ms: the shortest time between two of them; null of fewer than two. */
export function intervalOf(candles: readonly Candle[]): number | null {
  const steps = candles.slice(1).map(({ ts }, i) => ts - candles[i]!.ts)
  return steps.length === 0 ? null : Math.min(...steps)
}

/** A link that a token's maker gave: shown where it leads to a page, with the host that it leads to. */
export function linkOf(entry: unknown): { readonly type: string; readonly url: URL } | null {
  if (typeof entry !== 'object' || entry === null) return null
  const { type, url } = entry as Entry
  const parsed = URL.canParse(String(url)) ? new URL(String(url)) : null
  if (parsed === null || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) return null
  return { type: textOf(type) ?? 'link', url: parsed }
}
