/**
 * Whether a text is base58 of a key or a signature, compared with decoding it by @scure/base.
 */
import { base58 } from '@scure/base'
import { encodeBase58, isBase58Of } from '../../src/chains/solana/base58.ts'
import { sha256 } from '../../test/fixtures/transactions.ts'
import { compare, type Loop } from '../figures/measure.ts'
import { type BenchReport, type Timing, toReport } from '../figures/report.ts'

const SIZES = [
  ['key', 32],
  ['signature', 64],
] as const

export async function benchBase58(): Promise<BenchReport> {
  const timings: Timing[] = []
  for (const [kind, size] of SIZES) {
    const bytes = sample(size)
    const text = encodeBase58(bytes)
    timings.push(
      ...(await compare([
        [`swapgate: is it a ${kind}`, ask(text, (text) => isBase58Of(text, size))],
        [`@scure/base: is it a ${kind}`, ask(text, (text) => base58.decode(text).length === size)],
      ])),
    )
  }
  return toReport('Base58', TEXT, timings, [])
}

const ask =
  (text: string, run: (text: string) => boolean): Loop =>
  (times) => {
    let sum = 0
    for (let i = 0; i < times; i++) if (run(text)) sum++
    return sum
  }

/** Bytes that begin with no zero byte, which base58 would encode as a digit of its own. */
function sample(size: number): Uint8Array {
  const hashes = Array.from({ length: Math.ceil(size / 32) }, (_, i) => sha256(`base58 ${i}`))
  return Uint8Array.from(Buffer.concat(hashes).subarray(0, size))
}

const TEXT = `The same text each time. Every address in a request is checked for being
a key or a signature: swapgate compares the text with the bounds of that length, @scure/base has to decode it.`
