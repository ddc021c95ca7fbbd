import t from 'tap'
import { isEligible } from '../../../../src/chains/solana/signatures/strict.ts'

/** The y of the eight points of small order, the last two not reduced: RFC 8032 and ed25519-dalek's list. */
const SMALL_ORDER = [
  `${'00'.repeat(32)}`,
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
]
const GOOD = Buffer.alloc(32, 9)
const signatureOf = (r: Buffer) => Buffer.concat([r, Buffer.alloc(32)])

t.test('points of small order neither sign nor are a nonce, with either sign', async (t) => {
  for (const hex of SMALL_ORDER) {
    for (const sign of [0, 0x80]) {
      const point = Buffer.from(hex, 'hex')
      point[31]! |= sign
      t.equal(isEligible(signatureOf(GOOD), point), false, `a key of ${hex}`)
      t.equal(isEligible(signatureOf(point), GOOD), false, `a nonce of ${hex}`)
    }
  }
})

t.test('what differs from them in any byte is eligible', async (t) => {
  const all = new Set(SMALL_ORDER)
  for (const hex of SMALL_ORDER) {
    for (let at = 0; at < 32; at++) {
      const point = Buffer.from(hex, 'hex')
      point[at]! ^= 0x10
      if (all.has(point.toString('hex'))) continue
      t.equal(isEligible(signatureOf(GOOD), point), true, `${hex}, byte ${at}`)
      t.equal(isEligible(signatureOf(point), GOOD), true, `${hex}, byte ${at}`)
    }
  }
})

t.test('a key has 32 bytes and a signature 64', async (t) => {
  t.equal(isEligible(signatureOf(GOOD), GOOD), true)
  for (const length of [0, 31, 33]) t.equal(isEligible(signatureOf(GOOD), Buffer.alloc(length, 9)), false)
  for (const length of [0, 32, 63, 65]) t.equal(isEligible(Buffer.alloc(length, 9), GOOD), false)
})
