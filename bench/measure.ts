/**
 * One row of a benchmark: a piece of code alone, in nanoseconds per call.
 * Seven samples after a warm-up; reported are the median and the extremes.
 */

const SAMPLES = 7
const SAMPLE_MS = 50

/** What was measured: nanoseconds per call. */
export interface Row {
  readonly name: string
  /** Median of the samples. */
  readonly ns: number
  readonly min: number
  readonly max: number
  /** How many times as long the row takes as the one it is compared with. */
  readonly ratio?: number
}

/** Calls the code so many times, and returns a sum over its answers. */
export type Loop = (times: number) => number | Promise<number>

/** Takes up all answers, so that no call can be optimised away. */
let sink = 0

/** Time a loop; its length is chosen such that a sample takes some 50 ms. */
export async function measure(name: string, loop: Loop): Promise<Row> {
  let times = 64
  while ((await time(loop, times)) < SAMPLE_MS) times *= 2

  const samples: number[] = []
  for (let i = 0; i < SAMPLES; i++) samples.push(((await time(loop, times)) * 1e6) / times)
  samples.sort((a, b) => a - b)
  return { name, ns: samples[SAMPLES >> 1]!, min: samples[0]!, max: samples[SAMPLES - 1]! }
}

/**
 * Bytes that one call allocates on the heap, on average; what was collected in
 * between does not hide any, because only growth is summed.
 */
export function allocated(loop: (times: number) => number): number {
  const calls = 10_000
  const growth = (times: number): number => {
    const before = process.memoryUsage().heapUsed
    sink += loop(times)
    return process.memoryUsage().heapUsed - before
  }
  for (let i = 0; i < 10; i++) growth(10 * calls) // until it is compiled
  let bytes = 0
  for (let i = 0; i < 100; i++) bytes += Math.max(0, growth(calls)) - Math.max(0, growth(0))
  return Math.max(0, bytes / (100 * calls))
}

/** A row as a line of text. */
export function format({ name, ns, min, max, ratio }: Row): string {
  const figures = `${ns.toFixed(1).padStart(9)} ns [${min.toFixed(1)}..${max.toFixed(1)}]`
  return `${name.padEnd(52)}${figures}${ratio === undefined ? '' : `  ${ratio.toFixed(1)}x`}`
}

async function time(loop: Loop, times: number): Promise<number> {
  const startMs = performance.now()
  sink += await loop(times)
  return performance.now() - startMs
}

process.once('exit', () => {
  if (Number.isNaN(sink)) throw new TypeError('A loop must return a number.')
})
