import t from 'tap'
import { Receipts } from '../../../src/relay/submissions/receipts.ts'
import { clockOf, handClock } from '../../fixtures/clock.ts'
import { cpuTimer } from '../../fixtures/cpu.ts'
import { collectGarbage } from '../../fixtures/garbage.ts'

/** Its first bytes spread as those of real signatures. */
function spread(signature: Buffer): Uint8Array {
  signature.writeUInt32LE(Math.imul(signature.readUInt32BE(8), 2_654_435_761) >>> 0, 0)
  return signature
}

/** A signature that differs from all others; many begin alike. */
function signatureOf(i: number): Uint8Array {
  const signature = new Uint8Array(64)
  new DataView(signature.buffer).setUint32(8, i)
  signature[0] = i % 7
  return signature
}

t.test('a receipt has the time of each step, in microseconds from the request', async (t) => {
  const clock = handClock()
  const receipts = new Receipts({ upstreams: ['a', 'b', 'landing'], clock })
  const receivedAt = clock.date()
  const startedAt = clock.now()
  clock.advance(1.25)
  const arrival = { startedAt, parsedAt: startedAt + 0.0001, verifiedAt: clock.now() }
  const notes = receipts.begin(signatureOf(1), arrival)
  notes.sent(0)
  notes.sent(1)
  t.match(receipts.find(signatureOf(1)), { upstreams: [{ name: 'a', answeredUs: null, outcome: null }, {}] })
  clock.advance(10)
  notes.answered(1, 'failed')
  clock.advance(5)
  notes.answered(0, 'accepted')
  clock.advance(2_000)
  notes.sent(0)
  notes.answered(0, 'refused')
  notes.sent(1)
  notes.answered(1, 'refused')
  notes.landed(77)
  clock.advance(60_000)
  notes.landed(77)
  t.same(receipts.find(signatureOf(1)), {
    receivedAt,
    parsedUs: 1,
    verifiedUs: 1_250,
    upstreams: [
      { name: 'a', sends: 2, sentUs: 1_250, answeredUs: 16_250, outcome: 'accepted' },
      { name: 'b', sends: 2, sentUs: 1_250, answeredUs: 2_016_250, outcome: 'refused' },
    ],
    landed: { slot: 77, us: 2_016_250 },
  })
  t.equal(receipts.find(signatureOf(8)), null, 'another that begins alike')
})

t.test('the last ones are listed with their signatures, each once', async (t) => {
  const receipts = new Receipts({ upstreams: ['a'], clock: handClock(), capacity: 4 })
  const arrival = { startedAt: 0, parsedAt: 0, verifiedAt: 0 }
  const listed = (most: number): number[] =>
    receipts
      .last(most)
      .map(({ signature }) => new DataView(signature.buffer, signature.byteOffset).getUint32(8))
  t.same(listed(10), [])
  for (const i of [1, 2, 3, 2]) receipts.begin(signatureOf(i), arrival).landed(i)
  t.same(listed(10), [2, 3, 1], 'the last first, and what came twice as its newest')
  t.same(listed(2), [2, 3])
  for (const i of [5, 6]) receipts.begin(signatureOf(i), arrival)
  t.same(listed(10), [6, 5, 2, 3], 'the ring has come round')
  t.same(receipts.last(4)[3], {
    signature: Buffer.from(signatureOf(3)),
    receipt: receipts.find(signatureOf(3)),
  })
})

t.test('the last ones are kept, and notes of older ones go nowhere', async (t) => {
  const clock = handClock()
  const receipts = new Receipts({ upstreams: ['a'], clock, capacity: 100 })
  const arrival = { startedAt: 0, parsedAt: 0, verifiedAt: 0 }
  const notes = Array.from({ length: 250 }, (_, i) => receipts.begin(signatureOf(i), arrival))
  for (const [i, note] of notes.entries()) {
    note.sent(0)
    note.answered(0, 'accepted')
    note.landed(i)
  }
  for (let i = 0; i < 250; i++) {
    const receipt = receipts.find(signatureOf(i))
    if (i < 150) t.equal(receipt, null)
    else t.match(receipt, { upstreams: [{ sends: 1 }], landed: { slot: i } })
  }
})

t.test('ten thousand are kept by default', async (t) => {
  const receipts = new Receipts({ upstreams: [], clock: handClock() })
  const arrival = { startedAt: 0, parsedAt: 0, verifiedAt: 0 }
  for (let i = 0; i < 10_000; i++) receipts.begin(signatureOf(i), arrival)
  t.not(receipts.find(signatureOf(0)), null)
  receipts.begin(signatureOf(10_000), arrival)
  t.equal(receipts.find(signatureOf(0)), null)
  t.equal(receipts.last(20_000).length, 10_000)
})

t.test('for a repeated signature the newest submission is shown', async (t) => {
  const receipts = new Receipts({ upstreams: ['a'], clock: handClock(), capacity: 3 })
  const arrival = { startedAt: 0, parsedAt: 0, verifiedAt: 0 }
  receipts.begin(signatureOf(1), arrival).landed(5)
  receipts.begin(signatureOf(1), arrival)
  t.match(receipts.find(signatureOf(1)), { landed: null, upstreams: { length: 0 } })
  receipts.landed(signatureOf(1), 6)
  receipts.landed(signatureOf(2), 6)
  t.match(receipts.find(signatureOf(1)), { landed: { slot: 6 } })
  for (let i = 2; i < 5; i++) receipts.begin(signatureOf(i), arrival)
  t.equal(receipts.find(signatureOf(1)), null)
})

t.test('finding one costs the same whatever else came: much the same, or one thing again and again', (t) => {
  const arrival = { startedAt: 0, parsedAt: 0, verifiedAt: 0 }
  const cpuMsOf = cpuTimer(t)
  const msOf = (signatureAt: (i: number) => Uint8Array): number => {
    const receipts = new Receipts({ upstreams: ['a'], clock: handClock() })
    return cpuMsOf(() => {
      for (let i = 0; i < 30_000; i++) {
        receipts.begin(signatureAt(i), arrival)
        // None of those that are there, so that no place ends the search early.
        receipts.find(signatureOf(1_000_000 + 7 * i))
      }
    })
  }
  msOf(signatureOf)
  const usual = msOf((i) => spread(Buffer.from(signatureOf(i))))
  for (const [name, signatureAt] of [
    ['alike', (i: number) => signatureOf(7 * i)],
    ['the same', () => signatureOf(7)],
  ] as const) {
    const ms = msOf(signatureAt)
    t.comment(`${name}: ${ms.toFixed()} ms; usual: ${usual.toFixed()} ms`)
    t.ok(ms < 20 * usual, name)
  }
  t.end()
})

t.test('ten thousand take little memory, whatever is noted', async (t) => {
  await collectGarbage()
  const before = process.memoryUsage()
  const receipts = new Receipts({ upstreams: ['a', 'b', 'c'], clock: clockOf({}) })
  const arrival = { startedAt: 0, parsedAt: 0, verifiedAt: 0 }
  for (let i = 0; i < 25_000; i++) {
    const notes = receipts.begin(signatureOf(i), arrival)
    for (let upstream = 0; upstream < 3; upstream++) {
      for (let sends = 0; sends < 300; sends += 100) notes.sent(upstream)
      notes.answered(upstream, 'accepted')
    }
    notes.landed(i)
  }
  await collectGarbage()
  const after = process.memoryUsage()
  const bytes = after.arrayBuffers - before.arrayBuffers
  t.comment(`${bytes} bytes`)
  t.ok(bytes < 2_000_000, String(bytes))
  const inAll = bytes + after.heapUsed - before.heapUsed
  t.ok(inAll < 3_000_000, String(inAll))
  t.match(receipts.find(signatureOf(24_999)), { landed: { slot: 24_999 } })
})

t.test('the funnel counts each accepted transaction once, and each landed one once', async (t) => {
  const counted: string[] = []
  const funnel = { count: (step: string, family: string) => void counted.push(`${family} ${step}`) }
  const receipts = new Receipts({ upstreams: ['a', 'b'], funnel, clock: handClock(), capacity: 20 })
  const arrival = { startedAt: 0, parsedAt: 0, verifiedAt: 0 }
  const told = () => counted.splice(0)

  const notes = receipts.begin(signatureOf(1), arrival)
  notes.answered(0, 'refused')
  notes.landed(5)
  t.same(told(), [], 'nobody took it')
  notes.answered(0, 'accepted')
  notes.answered(1, 'accepted')
  t.same(told(), ['solana submit'])
  notes.landed(5, true)
  t.same(told(), [], 'it failed in its block')
  receipts.begin(signatureOf(1), arrival).answered(0, 'accepted')
  t.same(told(), [], 'the same once more')
  receipts.landed(signatureOf(1), 5)
  receipts.landed(signatureOf(1), 5)
  t.same(told(), ['solana confirmed'])

  for (let i = 2; i <= 16; i++) receipts.begin(signatureOf(i * 7), arrival)
  receipts.begin(signatureOf(14), arrival).answered(0, 'accepted')
  t.same(told(), ['solana submit'])
  receipts.begin(signatureOf(14), arrival).answered(0, 'accepted')
  t.same(told(), [], 'however many came between that begin alike')
})
