/** The verification without a cache, as the console makes it, against the engine of the service. */
import t from 'tap'
import { verifyStrict } from '../../../../src/chains/solana/signatures/signer.ts'
import { createVerifier } from '../../../../src/chains/solana/signatures/verify.ts'
import { KINDS, makeCase, SMALL_ORDER } from '../../../fixtures/ed25519.ts'

t.test('every kind of signature has the verdict that the service gives', async (t) => {
  const verifier = createVerifier('noble')
  const verdicts = new Set<boolean>()
  for (const kind of KINDS) {
    for (const torsion of [0, 3]) {
      const { signature, message, publicKey } = makeCase(kind, 7n, 5n, torsion, Uint8Array.of(1, 2))
      const expected = verifier.verify(signature, message, publicKey)
      t.equal(verifyStrict(signature, message, publicKey), expected, `${kind}, ${torsion}`)
      verdicts.add(expected)
    }
  }
  t.equal(verdicts.size, 2)
})

t.test('a key of small order, a wrong length and a key off the curve verify nothing', async (t) => {
  const { signature, message, publicKey } = makeCase('honest', 7n, 5n, 0, Uint8Array.of(1))
  t.equal(verifyStrict(signature, message, publicKey), true)
  const identity = new Uint8Array(64)
  identity[0] = 1
  t.equal(verifyStrict(identity, message, SMALL_ORDER[0]!.toBytes()), false)
  t.equal(verifyStrict(signature.subarray(0, 63), message, publicKey), false)
  t.equal(verifyStrict(signature, message, publicKey.subarray(0, 31)), false)
  t.equal(verifyStrict(signature, message, new Uint8Array(32).fill(2)), false)
})
