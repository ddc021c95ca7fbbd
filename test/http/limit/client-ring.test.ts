/** The ring of a window's clients, and the index that finds them. */

import t from 'tap'
import { ClientRing, SPENT, tabulationHash } from '../../../src/http/limit/client-ring.ts'
import fc from '../../fixtures/fast-check.ts'
import { COLLIDING_SEED, randomWords, seedOf } from '../../fixtures/limiter.ts'

/** Spends one for the client, in the slot that is found or opened. @returns the slot's number */
function spendIn(ring: ClientRing, client: number): number {
  const found = ring.find(client, -client)
  const slot = found < 0 ? ring.open(client, -client, found, 0) : found
  ring.words[slot | SPENT]!++
  return slot / 4
}

t.test('a window is an arc: the next one begins where it ends, and goes around', async (t) => {
  const ring = new ClientRing(5, seedOf(1))
  t.same(
    [1, 2, 1, 3].map((client) => spendIn(ring, client)),
    [0, 1, 0, 2],
  )
  ring.begin()
  t.ok(ring.find(1, -1) < 0, 'the last window does not count')
  t.same(
    [1, 4, 5, 1, 6].map((client) => spendIn(ring, client)),
    [3, 4, 0, 3, 1],
  )
  ring.begin()
  t.same(
    [7, 8, 9, 7].map((client) => spendIn(ring, client)),
    [2, 3, 4, 2],
  )
  for (const client of [1, 4, 5, 6]) t.ok(ring.find(client, -client) < 0)
})

t.test('clients beyond its slots share one, which begins with nothing', async (t) => {
  const ring = new ClientRing(2, seedOf(1))
  const shared = 2
  t.same(
    [1, 2, 3, 4, 1].map((client) => spendIn(ring, client)),
    [0, 1, shared, shared, 0],
  )
  t.equal(ring.words[(4 * shared) | SPENT], 2)
  t.same(
    [0, 1, shared].map((slot) => ring.isShared(4 * slot)),
    [false, false, true],
  )
  ring.begin()
  t.equal(ring.words[(4 * shared) | SPENT], 0)
  t.equal(ring.most(3).length, 0)
})

t.test('the clients that spent most, in order', async (t) => {
  const ring = new ClientRing(4_000, seedOf(2))
  ring.begin()
  // 1,500 clients, more than the first ring has: the nth spends n modulo 7.
  for (let round = 1; round < 7; round++) {
    for (let client = 1; client <= 1_500; client++) if (client % 7 >= round) spendIn(ring, client)
  }
  const most = ring.most(3)
  t.same(
    most,
    [6, 13, 20].map((client) => ({ hi: client, lo: -client, spent: 6 })),
    'of equals, the one that began first',
  )
  t.equal(ring.most(5_000).length, 1_500 - Math.floor(1_500 / 7), 'those that spent nothing have no slot')
})

t.test('the clients that spent most match a sorted list', async (t) => {
  const property = fc.property(
    fc.array(fc.nat(12), { maxLength: 60 }),
    fc.array(fc.nat(12), { maxLength: 60 }),
    fc.nat(14),
    fc.boolean(),
    (before, clients, count, collide) => {
      const ring = new ClientRing(10, collide ? COLLIDING_SEED : seedOf(3))
      for (const client of before) spendIn(ring, client)
      ring.begin()
      const spent = new Map<number, number>()
      for (const client of clients) {
        if (!spent.has(client) && spent.size === 10) continue
        spendIn(ring, client)
        spent.set(client, (spent.get(client) ?? 0) + 1)
      }
      // The sort is stable, and a Map has its keys in the order of their first use.
      const sorted = [...spent].sort((a, b) => b[1] - a[1]).slice(0, count)
      return String(ring.most(count).map(({ hi, spent }) => [hi, spent])) === String(sorted)
    },
  )
  t.doesNotThrow(() => fc.assert(property))
})

t.test('every byte of a client has a word of the seed', async (t) => {
  const seed = seedOf(4)
  const bytes = Buffer.alloc(8)
  const next = randomWords(5)
  for (let i = 0; i < 300; i++) {
    for (let at = 0; at < 8; at++) bytes[at] = next()
    // The lowest byte of the upper word comes first.
    const expected = bytes.reduce((hash, byte, at) => hash ^ seed[256 * at + byte]!, 0)
    t.equal(tabulationHash(seed, bytes.readInt32LE(0), bytes.readInt32LE(4)), expected, bytes.toString('hex'))
  }
})
