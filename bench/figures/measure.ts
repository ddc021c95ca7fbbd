/**
 * Measures a piece of code alone, in nanoseconds per call: seven samples after a
 * warm-up, of which the median and the extremes are reported.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { spread, type Timing } from './report.ts'

const SAMPLES = 7
const SAMPLE_MS = 50

/** Calls the code `times` times, and returns a sum over its answers. */
export type Loop = (times: number) => number | Promise<number>

/** Sums up all answers, so that no call can be optimised away. */
let sink = 0

/** Times a loop, with as many calls as make a sample of about 50 ms. */
export async function measure(name: string, loop: Loop): Promise<Timing> {
  const [timing] = await compare([[name, loop]])
  return { name, ns: timing!.ns }
}

/** Times several loops that do the same, in alternation. */
export async function compare(
  candidates: readonly (readonly [name: string, loop: Loop])[],
): Promise<Timing[]> {
  const lengths: number[] = []
  for (const [, loop] of candidates) lengths.push(await lengthOf(loop))
  const samples = candidates.map((): number[] => [])
  for (let i = 0; i < SAMPLES; i++) {
    for (const [at, [, loop]] of candidates.entries()) {
      samples[at]!.push(((await time(loop, lengths[at]!)) * 1e6) / lengths[at]!)
    }
  }
  return candidates.map(([name], at) => ({
    name,
    ns: spread(samples[at]!),
    ...(at > 0 && { ratio: spread(samples[at]!.map((ns, i) => ns / samples[0]![i]!)) }),
  }))
}

/**
 * Bytes that one call allocates on the heap, on average. Only growth is summed, so a
 * garbage collection in between hides nothing.
 */
export function allocated(loop: (times: number) => number): number {
  const calls = 10_000
  const growth = (times: number): number => {
    const before = process.memoryUsage().heapUsed
    sink += loop(times)
    return process.memoryUsage().heapUsed - before
  }
  for (let i = 0; i < 10; i++) growth(10 * calls) // warm-up: the loop is compiled
  let bytes = 0
  for (let i = 0; i < 100; i++) bytes += Math.max(0, growth(calls)) - Math.max(0, growth(0))
  return Math.max(0, bytes / (100 * calls))
}

/** @returns how many calls take about SAMPLE_MS; finding that out is the warm-up */
async function lengthOf(loop: Loop): Promise<number> {
  let times = 16
  while ((await time(loop, times)) < SAMPLE_MS) times *= 2
  return times
}

async function time(loop: Loop, times: number): Promise<number> {
  const startMs = performance.now()
  sink += await loop(times)
  return performance.now() - startMs
}

/** Memory of the heap and of buffers after garbage collection, MiB. */
export async function heldMiB(): Promise<number> {
  // Some memory of buffers is released only after the first collection.
  for (let i = 0; i < 3; i++) {
    gc!()
    await sleep(50)
  }
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}

process.once('exit', () => {
  if (Number.isNaN(sink)) throw new TypeError('A loop must return a number.')
})
