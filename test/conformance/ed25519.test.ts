/** 1,697 signatures of six published sets, with the answer of a validator's own verifier. */

import t from 'tap'
import { createVerifier } from '../../src/chains/solana/signatures/verify.ts'
import { readVectors, skipWithout } from '../fixtures/vectors.ts'

const FILE = 'ed25519.json'

interface Vector {
  readonly set: string
  readonly id: string
  readonly pk: string
  readonly msg: string
  readonly sig: string
  readonly verify_strict: boolean
}

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))

for (const engine of ['noble', 'native'] as const) {
  t.test(
    `${engine} gives verify_strict's answer, with and without tables`,
    { skip: skipWithout(FILE) },
    async (t) => {
      const { vectors } = readVectors<{ vectors: Vector[] }>(FILE)
      t.equal(vectors.length, 1_697)
      const verifier = createVerifier(engine)
      for (let round = 0; round < 2; round++) {
        const wrong = vectors.filter(({ sig, msg, pk, verify_strict }) => {
          const verdict = verifier.verify(hex(sig), hex(msg), hex(pk))
          verifier.prepareTables()
          return verdict !== verify_strict
        })
        t.same(wrong, [])
      }
    },
  )
}
