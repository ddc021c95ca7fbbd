/** Transactions as they are found in the world, and a whole mainnet block: what a relay says of each. */

import t from 'tap'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { createVerifier } from '../../src/chains/solana/signatures/verify.ts'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import { SignatureChecker } from '../../src/relay/submissions/signatures.ts'
import { readVectorLines, readVectors, skipWithout } from '../fixtures/vectors.ts'

const FILE = 'solana-transactions.json'
const BLOCK = 'solana-mainnet-block-254170887.jsonl'

interface Transaction {
  readonly id: string
  readonly base64: string
  readonly version: 'legacy' | 0
  readonly numSignatures: number
  readonly numKeys: number
  readonly numInstructions: number
  readonly numLookupTables: number
  readonly header: [number, number, number]
  readonly blockhash: string
  readonly feePayer: string
  readonly signature: string
  readonly signers: string[]
  readonly expected: string
}

const decode = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))

t.test(
  'every transaction parses into its fields and gets its verdict',
  { skip: skipWithout(FILE) },
  async (t) => {
    const { transactions } = readVectors<{ transactions: Transaction[] }>(FILE)
    t.equal(transactions.length, 379)
    const wire = new WireTransaction()
    const checkers = (['noble', 'native'] as const).map(
      (engine) => new SignatureChecker(createVerifier(engine)),
    )
    for (const transaction of transactions) {
      const refusal = wire.parse(decode(transaction.base64))
      if (refusal !== null) {
        t.equal('reject:sanitize', transaction.expected, `${transaction.id}: ${refusal}`)
        continue
      }
      const fields = {
        version: wire.version,
        numSignatures: wire.signatureCount,
        numKeys: wire.keyCount,
        numInstructions: wire.instructions().length,
        numLookupTables: wire.lookups().length,
        header: [wire.requiredSignatures, wire.readonlySigned, wire.readonlyUnsigned],
        blockhash: encodeBase58(wire.blockhash()),
        feePayer: encodeBase58(wire.key(0)),
        signature: encodeBase58(wire.signature(0)),
        signers: transaction.signers.map((_, i) => encodeBase58(wire.key(i))),
      }
      const wanted = Object.fromEntries(
        Object.keys(fields).map((name) => [name, transaction[name as keyof Transaction]]),
      )
      t.same(fields, wanted, transaction.id)
      for (const checker of checkers) {
        const bad = await checker.findBad([wire])
        t.equal(bad === null ? 'accept' : 'reject:signature', transaction.expected, transaction.id)
      }
    }
  },
)

t.test('every transaction of a mainnet block is accepted', { skip: skipWithout(BLOCK) }, async (t) => {
  const block = readVectorLines<{ signature: string; base64: string }>(BLOCK)
  t.equal(block.length, 602)
  const transactions = block.map(({ signature, base64 }) => {
    const wire = new WireTransaction()
    const verdict = wire.parse(decode(base64)) ?? encodeBase58(wire.signature(0))
    if (verdict !== signature) t.fail(`${signature}: ${verdict}`)
    return wire
  })
  for (const engine of ['noble', 'native'] as const) {
    const verifier = createVerifier(engine)
    t.equal(await new SignatureChecker(verifier).findBad(transactions), null)
  }
})
