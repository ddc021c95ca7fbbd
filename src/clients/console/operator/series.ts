/**
 * What a scrape says, as numbers.
 *
 * Source: Prometheus, text-based format 0.0.4; rate() for counters that begin anew, histogram_quantile()
 */

export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** By the metric's name, and by its labels as they are written: what two scrapes have in common. */
export type Samples = ReadonlyMap<string, ReadonlyMap<string, Sample>>

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g
const ESCAPED: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' }

/** @param text  of GET /metrics; lines that are no samples count for nothing */
export function parse(text: string): Samples {
  const samples = new Map<string, Map<string, Sample>>()
  for (const line of text.split('\n')) {
    const match = LINE.exec(line)
    if (match === null) continue
    const [, name, written = '', number] = match
    const labels = Object.fromEntries(
      [...written.matchAll(LABEL)].map(([, key, text]) => [key, plain(text!)]),
    )
    const series = samples.get(name!) ?? new Map<string, Sample>()
    series.set(written, { labels, value: numberOf(number!) })
    samples.set(name!, series)
  }
  return samples
}

/** The samples of a metric that have these labels. */
export function pick(
  samples: Samples,
  name: string,
  wanted: Readonly<Record<string, string>> = {},
): readonly Sample[] {
  const all = [...(samples.get(name)?.values() ?? [])]
  return all.filter(({ labels }) => Object.entries(wanted).every(([key, value]) => labels[key] === value))
}

/** Their sum; null where there are none. */
export function sumOf(
  samples: Samples,
  name: string,
  wanted: Readonly<Record<string, string>> = {},
): number | null {
  const found = pick(samples, name, wanted)
  return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0)
}

/** The sums by one label, the greatest first, without what is 0. */
export function sumsBy(samples: readonly Sample[], label: string): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>()
  for (const { labels, value } of samples) {
    const key = labels[label] ?? ''
    sums.set(key, (sums.get(key) ?? 0) + value)
  }
  return [...sums].filter(([, sum]) => sum > 0).sort(([, a], [, b]) => b - a)
}

/**
 * What counters grew by since an earlier scrape. One that is smaller than it was
 * has begun anew, with the service.
 */
export function increase(now: Samples, before: Samples): Samples {
  const grown = [...now].map(([name, series]) => {
    const old = before.get(name)
    const differences = [...series].map(([key, { labels, value }]) => {
      const was = old?.get(key)?.value ?? 0
      return [key, { labels, value: value >= was ? value - was : value }] as const
    })
    return [name, new Map(differences)] as const
  })
  return new Map(grown)
}

/**
 * As histogram_quantile() has it: within a bucket evenly spread; above the last bound that bound.
 *
 * @param name  without `_bucket`
 * @param part  0 to 1
 * @returns null where nothing was counted
 */
export function quantileOf(
  samples: Samples,
  name: string,
  wanted: Readonly<Record<string, string>>,
  part: number,
): number | null {
  const counts = new Map<number, number>()
  for (const { labels, value } of pick(samples, `${name}_bucket`, wanted)) {
    const bound = numberOf(labels.le!)
    counts.set(bound, (counts.get(bound) ?? 0) + value)
  }
  const buckets = [...counts].sort(([a], [b]) => a - b)
  const rank = part * (buckets.at(-1)?.[1] ?? 0)
  if (rank === 0) return null
  const at = buckets.findIndex(([, count]) => count >= rank)
  const [bound, count] = buckets[at]!
  const [from, below] = buckets[at - 1] ?? [0, 0]
  return bound === Number.POSITIVE_INFINITY
    ? from
    : from + (bound - from) * ((rank - below) / (count - below))
}

function plain(text: string): string {
  return text.replace(/\\./g, (escaped) => ESCAPED[escaped] ?? escaped)
}

function numberOf(text: string): number {
  return text === '+Inf'
    ? Number.POSITIVE_INFINITY
    : text === '-Inf'
      ? Number.NEGATIVE_INFINITY
      : Number(text)
}
