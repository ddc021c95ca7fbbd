/** EIP-55 against two other implementations, with and without what is remembered. */

import { addr } from 'micro-eth-signer'
import t from 'tap'
import { getAddress } from 'viem'
import { checksummed } from '../../src/chains/evm-address.ts'
import fc from '../fixtures/fast-check.ts'

const lower = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)

t.test('any address is spelled as other implementations spell it, each time', async () => {
  const property = fc.property(lower, (address) => {
    const expected = getAddress(address)
    return (
      addr.addChecksum(address) === expected &&
      checksummed(address) === expected &&
      checksummed(address) === expected
    )
  })
  fc.assert(property, { numRuns: 1_000 })
})

t.test('the cache is bounded, and forgotten entries are computed again', async (t) => {
  const first = `0x${'ab'.repeat(20)}`
  const expected = getAddress(first)
  t.equal(checksummed(first), expected)
  for (let i = 0; i < 3_000; i++) checksummed(`0x${i.toString(16).padStart(40, '0')}`)
  t.equal(checksummed(first), expected)
})
