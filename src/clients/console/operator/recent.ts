/** What the listener reports of the last half hour and of durations, and computing with it. */

/** A duration, ms, and how often it was observed. */
type DurationCount = readonly [ms: number, count: number]
export type Durations = Readonly<Record<string, readonly DurationCount[]>>

/** What was counted in a step of time. */
export interface RecentStep {
  /** When it began, ms epoch. */
  readonly at: number
  /** Replies by the class of their status: 2xx, 3xx, 4xx, 5xx. */
  readonly ok: number
  readonly redirect: number
  readonly refused: number
  readonly failed: number
  /** Those that a budget refused, and those that were shed. */
  readonly budget: number
  readonly shed: number
  /** Calls to upstreams. */
  readonly calls: number
  readonly failedCalls: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
}

export interface RecentError {
  readonly at: number
  readonly count: number
  readonly where: string
  readonly code: string
  readonly cause: string | null
  readonly requestId: string | null
}

export interface RecentReport {
  /** The service's time, ms epoch. */
  readonly at: number
  readonly stepMs: number
  readonly steps: readonly RecentStep[]
  readonly lastMinute: { readonly p50Ms: number | null; readonly p95Ms: number | null }
  readonly durations: { readonly routes: Durations; readonly upstreams: Durations }
  readonly errors: readonly RecentError[]
}

/** A chart shows at least this many steps, however young the service is. */
const LEAST_STEPS = 30
const MINUTE_MS = 60_000

/** A step of a chart: rates per second, and latencies; null if nothing was measured. */
export interface ChartStep {
  /** ms epoch. */
  readonly at: number
  readonly rates: Readonly<Record<Rate, number>>
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
}

const RATES = ['ok', 'redirect', 'refused', 'failed', 'budget', 'shed', 'calls', 'failedCalls'] as const
export type Rate = (typeof RATES)[number]

/** Every step up to now, oldest first; those of which nothing is reported are zero. */
export function chartSteps({ at: now, stepMs, steps }: RecentReport): readonly ChartStep[] {
  const last = steps.at(-1)?.at ?? now
  const end = last + Math.floor((now - last) / stepMs) * stepMs
  const indexOf = ({ at }: RecentStep): number => Math.round((end - at) / stepMs)
  const byIndex = new Map(steps.map((step) => [indexOf(step), step]))
  const count = Math.max(LEAST_STEPS, ...[...byIndex.keys()].map((index) => index + 1))
  return Array.from({ length: count }, (_, i): ChartStep => {
    const index = count - 1 - i
    const at = end - index * stepMs
    const step = byIndex.get(index)
    const seconds = Math.min(stepMs, Math.max(1_000, now - at)) / 1_000
    const rates = Object.fromEntries(RATES.map((name) => [name, (step?.[name] ?? 0) / seconds]))
    return {
      at,
      rates: rates as Record<Rate, number>,
      p50Ms: step?.p50Ms ?? null,
      p95Ms: step?.p95Ms ?? null,
      p99Ms: step?.p99Ms ?? null,
    }
  })
}

export interface LastMinute {
  readonly perSecond: number
  /** The share of replies with a 5xx, percent; null without replies. */
  readonly errors: number | null
}

export function lastMinuteOf({ at: now, steps }: RecentReport): LastMinute {
  const recent = steps.filter(({ at }) => at > now - MINUTE_MS)
  const sum = (name: Rate): number => recent.reduce((total, step) => total + step[name], 0)
  const replies = sum('ok') + sum('redirect') + sum('refused') + sum('failed')
  const from = recent[0]?.at ?? now
  return {
    perSecond: replies / (Math.max(1_000, now - from) / 1_000),
    errors: replies === 0 ? null : (100 * sum('failed')) / replies,
  }
}

/** What was observed since an earlier report. A service that was restarted has less, and all of it is new. */
export function durationsSince(now: Durations, before: Durations): Durations {
  const sum = (counts: readonly DurationCount[]): number =>
    counts.reduce((total, [, count]) => total + count, 0)
  return Object.fromEntries(
    Object.entries(now).map(([name, counts]) => {
      const old = before[name] ?? []
      if (sum(old) > sum(counts)) return [name, counts]
      const was = new Map(old)
      const grown = counts.map(([ms, count]): DurationCount => [ms, count - (was.get(ms) ?? 0)])
      return [name, grown.filter(([, count]) => count > 0)]
    }),
  )
}

/** The least duration that this part of the observations does not exceed, ms. @param part  0 to 1 */
export function quantileOf(counts: readonly DurationCount[] = [], part: number): number | null {
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  let below = 0
  for (const [ms, count] of counts) {
    below += count
    if (below >= part * total) return ms
  }
  return null
}
