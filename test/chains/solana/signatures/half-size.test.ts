/** What makes the shortened equation say the same as the whole one, and that it is shorter. */

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import t from 'tap'
import { absolute, halfSize } from '../../../../src/chains/solana/signatures/half-size.ts'
import fc from '../../../fixtures/fast-check.ts'

const L = ed25519.Point.Fn.ORDER
const scalars = fc.bigInt({ min: 0n, max: L - 1n })

/** Exact for every k, because signers can choose among many. */
function requireSame(k: bigint): void {
  const { c, d } = halfSize(k)
  assert.equal((c - d * k) % (8n * L), 0n, 'c = d k, also for points of small order')
  assert.equal(absolute(d) % 2n, 1n, 'd is invertible modulo 8')
  assert.ok(absolute(d) < L, 'and modulo L')
  assert.ok(c >= 0n && c < L)
}

t.test('the two equations are the same, for every k', async () => {
  fc.assert(fc.property(scalars, requireSame), { numRuns: 2_000 })
  for (const k of [0n, 1n, 2n, 7n, 8n, L - 1n, L - 2n, (L - 1n) / 2n, 1n << 127n, 1n << 128n, 1n << 251n]) {
    requireSame(k)
  }
})

t.test('also where the short pair of numbers has an even d, so that only a long one will do', async (t) => {
  for (let d = 2n; d <= 64n; d += 2n) {
    for (let remainder = -4n; remainder <= 4n; remainder++) {
      for (let n = 1n; n < d && n <= 8n; n += 2n) {
        const k = (n * 8n * L) / d + remainder
        if (k > 0n && k < L) requireSame(k)
      }
    }
  }
  const { c, d } = halfSize(L / 2n)
  t.ok(c > 1n << 200n || absolute(d) > 1n << 200n, 'such a k costs time, not the verdict')
})

t.test('a k that comes of a hash is halved', async (t) => {
  let bits = 0
  let most = 0
  for (let i = 0; i < 500; i++) {
    const k = BigInt(`0x${createHash('sha512').update(String(i)).digest('hex')}`) % L
    const { c, d } = halfSize(k)
    const longer = Math.max(c.toString(2).length, absolute(d).toString(2).length)
    bits += longer
    most = Math.max(most, longer)
  }
  t.ok(bits / 500 < 129, `${bits / 500} bits on average`)
  t.ok(most <= 132, `of two that would do it is the shorter: ${most} bits`)
})
