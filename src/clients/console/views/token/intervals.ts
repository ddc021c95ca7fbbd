/** The intervals of a chart: one is that of the profile's candles, and the others have a history of their own. */
import type { NativeHistoryInput } from '../../../client/index.ts'

export type IntervalName = NonNullable<NativeHistoryInput['interval']>

const MINUTE_MS = 60_000

export const INTERVALS: readonly { readonly name: IntervalName; readonly ms: number }[] = [
  { name: '1m', ms: MINUTE_MS },
  { name: '5m', ms: 5 * MINUTE_MS },
  { name: '15m', ms: 15 * MINUTE_MS },
  { name: '1h', ms: 60 * MINUTE_MS },
  { name: '4h', ms: 240 * MINUTE_MS },
  { name: '1d', ms: 1_440 * MINUTE_MS },
]

/**
 * @param name   the chosen interval; null if none was chosen
 * @param ownMs  the interval of the profile's candles; null if it has none
 * @returns the chosen interval, else the profile's; null if there is nothing to show unless one is chosen
 */
export const chosenOf = (name: string | null, ownMs: number | null) =>
  INTERVALS.find((one) => one.name === name) ?? INTERVALS.find(({ ms }) => ms === ownMs) ?? null
