/**
 * Parses a scrape of /metrics, and computes with its samples.
 *
 * Source: Prometheus, text-based format 0.0.4; rate() for counter resets
 */

interface MetricSample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Samples by metric name and by the labels' text, which identifies a series across scrapes. */
export type Samples = ReadonlyMap<string, ReadonlyMap<string, MetricSample>>

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g
const ESCAPED: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' }

/** @param text  the body of GET /metrics; lines that are not samples are ignored */
export function parse(text: string): Samples {
  const samples = new Map<string, Map<string, MetricSample>>()
  for (const line of text.split('\n')) {
    const match = LINE.exec(line)
    if (match === null) continue
    const [, name, written = '', number] = match
    const labels = Object.fromEntries(
      [...written.matchAll(LABEL)].map(([, key, text]) => [key, plain(text!)]),
    )
    const series = samples.get(name!) ?? new Map<string, MetricSample>()
    series.set(written, { labels, value: numberOf(number!) })
    samples.set(name!, series)
  }
  return samples
}

/** The samples of a metric that have the wanted labels. */
export function pick(
  samples: Samples,
  name: string,
  wanted: Readonly<Record<string, string>> = {},
): readonly MetricSample[] {
  const all = [...(samples.get(name)?.values() ?? [])]
  return all.filter(({ labels }) => Object.entries(wanted).every(([key, value]) => labels[key] === value))
}

/** The sum of those samples; null without any. */
export function sumOf(
  samples: Samples,
  name: string,
  wanted: Readonly<Record<string, string>> = {},
): number | null {
  const found = pick(samples, name, wanted)
  return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0)
}

/** The sums by one label, largest first, without zeros. */
export function sumsBy(
  samples: readonly MetricSample[],
  label: string,
): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>()
  for (const { labels, value } of samples) {
    const key = labels[label] ?? ''
    sums.set(key, (sums.get(key) ?? 0) + value)
  }
  return [...sums].filter(([, sum]) => sum > 0).sort(([, a], [, b]) => b - a)
}

/**
 * The increase of counters since an earlier scrape. A counter that became smaller was
 * reset by a restart of the service.
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
