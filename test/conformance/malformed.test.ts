/** Transactions spoilt in one place each, with the verdict that a relay must give. */

import t from 'tap'
import { createVerifier } from '../../src/chains/solana/signatures/verify.ts'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import { SignatureChecker } from '../../src/relay/submissions/signatures.ts'
import { readVectors, skipWithout } from '../fixtures/vectors.ts'

const FILE = 'solana-malformed.json'

interface Malformed {
  readonly id: string
  readonly base64: string
  readonly stage: string
  readonly relay: 'accept' | 'reject'
  /** Where the verdict is another since version 1 is taken. */
  readonly relayWithVersion1?: 'accept' | 'reject'
}

for (const engine of ['noble', 'native'] as const) {
  t.test(
    `every spoilt transaction gets its verdict, by ${engine}`,
    { skip: skipWithout(FILE) },
    async (t) => {
      const { cases } = readVectors<{ cases: Malformed[] }>(FILE)
      t.equal(cases.length, 59)
      const wire = new WireTransaction()
      const checker = new SignatureChecker(createVerifier(engine))
      for (const { id, base64, stage, relay: before, relayWithVersion1 } of cases) {
        const relay = relayWithVersion1 ?? before
        const refusal = wire.parse(new Uint8Array(Buffer.from(base64, 'base64')))
        t.equal(refusal === null, relay === 'accept' || stage === 'signature', `${id}: ${refusal}`)
        if (refusal === null) t.equal((await checker.findBad([wire])) === null, relay === 'accept', id)
      }
    },
  )
}
