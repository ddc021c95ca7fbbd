/** The intervals of a chart: one is that of the profile's candles, and the others have a history of their own. */
import type { NativeHistoryInput } from '../../../client/index.ts'

export type IntervalName = NonNullable<NativeHistoryInput['interval']>

const MINUTE_MS = 60_000

export interface ChartInterval {
  readonly name: IntervalName
  readonly ms: number
}

const MINUTES: Record<IntervalName, number> = {
  '1m': 1,
  '5m': 5,
  '15m': 15,
  '1h': 60,
  '4h': 240,
  '1d': 1_440,
}
export const INTERVALS = Object.entries(MINUTES).map(
  ([name, minutes]): ChartInterval => ({ name: name as IntervalName, ms: minutes * MINUTE_MS }),
)

/**
 * @param name   the chosen interval; null if none was chosen
 * @param ownMs  the interval of the profile's candles; null if it has none
 * @returns the chosen interval, else the profile's; null if there is nothing to show unless one is chosen
 */
export const chosenOf = (name: string | null, ownMs: number | null): ChartInterval | null =>
  INTERVALS.find((one) => one.name === name) ?? INTERVALS.find(({ ms }) => ms === ownMs) ?? null
