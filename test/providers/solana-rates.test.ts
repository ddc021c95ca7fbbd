/** What Solana asks for, by two nodes that may disagree, and by none. */

import t from 'tap'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { createRatesOf } from '../../src/providers/solana-rates.ts'
import { callOf } from '../fixtures/call.ts'
import { movedClock, STILL } from '../fixtures/clock.ts'

const CALL = callOf(600_000)

/** A node's prices; null if it does not answer. */
type Told = { perByte: number; perSignature: number } | null

function ratesBy(...told: readonly Told[]) {
  const asked: string[] = []
  const answers = [...told]
  const voters = told.map((_, i) => ({
    async read(method: string, params: string) {
      asked.push(method)
      const node = answers[i] ?? null
      if (node === null) throw new Error('no answer')
      const answer = {
        getMinimumBalanceForRentExemption: 128 * node.perByte,
        getLatestBlockhash: {
          value: { blockhash: encodeBase58(new Uint8Array(32).fill(9)), lastValidBlockHeight: 7 },
        },
        getFeeForMessage: { value: node.perSignature },
      }[method]
      if (method === 'getFeeForMessage')
        t.equal(Buffer.from(JSON.parse(params)[0], 'base64').length, 3 + 1 + 32 + 32 + 1)
      return { result: Buffer.from(JSON.stringify(answer)) }
    },
  }))
  const clock = movedClock(STILL)
  const ratesOf = createRatesOf({ voters } as never, clock)
  return { ratesOf, asked, answers, clock }
}

t.test('what two nodes agree on counts, and what they do not is bounded', async (t) => {
  const rates = (perByte: bigint, perSignature: bigint) => ({ perByte, perSignature })
  const now = { perByte: 696, perSignature: 5_000 }
  const cases: readonly (readonly [string, readonly Told[], object | null])[] = [
    ['both', [now, now], { most: rates(696n, 5_000n), least: rates(696n, 5_000n) }],
    [
      'in the middle of a step',
      [now, { ...now, perByte: 1_322 }],
      { most: rates(1_322n, 5_000n), least: rates(696n, 5_000n) },
    ],
    [
      'one makes up what it likes',
      [now, { perByte: 1_000_000, perSignature: 1_000_000 }],
      { most: rates(6_960n, 20_000n), least: rates(696n, 5_000n) },
    ],
    [
      'more than ever, by both',
      [
        { ...now, perByte: 9_000 },
        { ...now, perByte: 9_000 },
      ],
      { most: rates(9_000n, 5_000n) },
    ],
    ['one alone', [now], { most: rates(696n, 5_000n) }],
    ['one alone, more than ever', [{ ...now, perByte: 9_000 }], { most: rates(6_960n, 5_000n) }],
    ['the other does not answer', [null, now], { most: rates(696n, 5_000n) }],
    ['nobody', [null, null], null],
  ]
  for (const [name, told, expected] of cases)
    t.match(await ratesBy(...told).ratesOf(CALL), expected as never, name)
})

t.test('they are read again after a few seconds, and the last ones are known meanwhile', async (t) => {
  const { ratesOf, asked, answers, clock } = ratesBy({ perByte: 1_322, perSignature: 5_000 })
  t.equal(ratesOf.last().perByte, 6_960n)
  await ratesOf(CALL)
  await ratesOf(CALL)
  t.equal(asked.length, 3)
  t.equal(ratesOf.last().perByte, 1_322n)
  answers[0] = { perByte: 696, perSignature: 5_000 }
  clock.move(11_000)
  await ratesOf(CALL)
  t.equal(ratesOf.last().perByte, 696n)
  answers[0] = null
  clock.move(11_000)
  t.equal(await ratesOf(CALL), null)
  t.equal(ratesOf.last().perByte, 696n, 'nobody answers')
})
