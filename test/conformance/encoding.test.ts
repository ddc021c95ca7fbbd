/** Transactions as parameters of sendTransaction: which texts decode, and which decode to a transaction. */

import t from 'tap'
import { decodeTransaction } from '../../src/chains/solana/encoding.ts'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import { readVectors, skipWithout } from '../fixtures/vectors.ts'

const FILE = 'solana-encoding-cases.json'

interface EncodingCase {
  readonly id: string
  readonly params: unknown[]
  readonly expected: 'accept' | 'reject' | 'policy'
}

t.test('every text gets its verdict', { skip: skipWithout(FILE) }, async (t) => {
  const { cases } = readVectors<{ cases: EncodingCase[] }>(FILE)
  let count = 0
  for (const { id, params, expected } of cases) {
    const [text, options] = params as [unknown, Record<string, unknown> | null | undefined]
    const encoding = options?.encoding ?? 'base58'
    // The other cases are about the parameters around the text: methods' business.
    const isAboutText = typeof text === 'string' && (encoding === 'base58' || encoding === 'base64')
    if (!isAboutText || id.startsWith('maxRetries')) continue
    const decoded = decodeTransaction(text, encoding)
    const refusal = typeof decoded === 'string' ? decoded : new WireTransaction().parse(decoded)
    t.equal(refusal === null, expected !== 'reject', `${id}: ${refusal}`)
    count++
  }
  t.equal(count, 20)
})
