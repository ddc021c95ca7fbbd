import t from 'tap'
import { decodeBase58, encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { describeRefusal } from '../../../src/relay/submissions/refusals.ts'
import {
  MAX_BATCH,
  MIN_BATCH,
  parseBatch,
  parseTransaction,
} from '../../../src/relay/submissions/submission.ts'
import fc from '../../fixtures/fast-check.ts'
import { drafts, serialize, transfer } from '../../fixtures/transactions.ts'

const B64 = { encoding: 'base64' } as const
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
/** A transfer that differs from all others. */
const numbered = (i: number): string =>
  base64(serialize(transfer({ blockhash: new Uint8Array(32).fill(i + 1) })))
const many = (count: number): string[] => Array.from({ length: count }, (_, i) => numbered(i))

t.test(
  'a transaction is the same in either encoding, and goes out as the bytes that were parsed',
  async () => {
    fc.assert(
      fc.property(drafts, (draft) => {
        const bytes = serialize(draft)
        if (bytes.length > 1_232) return true
        const parsed = [
          parseTransaction(base64(bytes), B64),
          parseTransaction(encodeBase58(bytes), { encoding: 'base58' }),
          parseTransaction(encodeBase58(bytes), { encoding: null }),
          parseTransaction(encodeBase58(bytes), {}),
          parseTransaction(encodeBase58(bytes), null),
          parseTransaction(encodeBase58(bytes), undefined),
        ]
        return parsed.every(
          ({ base64: text, signature, wire }) =>
            text === base64(bytes) &&
            Buffer.compare(decodeBase58(signature, 64)!, bytes.subarray(1, 65)) === 0 &&
            Buffer.compare(wire.bytes, bytes) === 0,
        )
      }),
      { numRuns: 30 },
    )
  },
)

t.test('a refusal has its own code and sentence, and the index only in a batch', async (t) => {
  const good = serialize(transfer())
  const cases = [
    ['transaction_encoding_invalid', '!', B64],
    ['transaction_encoding_invalid', base64(good), null],
    ['transaction_too_large', 'A'.repeat(1_648), B64],
    ['trailing_bytes', base64(Uint8Array.from([...good, 0])), B64],
    ['transaction_truncated', encodeBase58(good.subarray(0, -1)), null],
  ] as const
  for (const [code, text, options] of cases) {
    const message = describeRefusal(code)
    t.throws(() => parseTransaction(text, options), { code, message, fields: {} }, code)
    t.throws(() => parseTransaction(text, options, 0), { code, message, fields: { transaction: 0 } })
  }
  const spoiled = base64(Uint8Array.from([...good, 0]))
  t.throws(() => parseBatch([numbered(1), spoiled, spoiled], B64), {
    code: 'trailing_bytes',
    fields: { transaction: 1 },
  })
  try {
    parseTransaction(spoiled, B64)
    t.fail('it is refused')
  } catch (error) {
    t.strictSame((error as { fields: object }).fields, {})
  }
})

t.test('a batch has two to ten transactions', async (t) => {
  const sizeRefusal = { code: 'batch_size_invalid', fields: { field: 'params[0]' } }
  t.same([MIN_BATCH, MAX_BATCH], [2, 10])
  for (const count of [0, 1, 11]) t.throws(() => parseBatch(many(count), B64), sizeRefusal, `${count}`)
  for (const count of [2, 10]) {
    t.same(
      parseBatch(many(count), B64).map(({ base64 }) => base64),
      many(count),
      `${count}, in their order`,
    )
  }
})

t.test('the second of two that are the same is refused, wherever they stand', async (t) => {
  for (let first = 0; first < 9; first++) {
    for (const second of [first + 1, 9]) {
      const texts = many(10)
      texts[second] = texts[first]!
      t.throws(() => parseBatch(texts, B64), { code: 'batch_duplicate', fields: { transaction: second } })
    }
  }
})
