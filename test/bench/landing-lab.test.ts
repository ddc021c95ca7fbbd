import t from 'tap'
import { type LabLane, type LabMarket, LandingLab } from '../../bench/landing-lab.ts'
import { Auction } from '../../src/sandbox/solana/ledger/auction.ts'
import { MAX_LAG, SLOT_MS } from '../../src/sandbox/solana/ledger/slots.ts'
import { handClock } from '../fixtures/clock.ts'

const NODE: LabLane = { name: 'node', loss: 0, stormLoss: 0, delayMs: 0, tip: null }
const SERVICE: LabLane = { ...NODE, name: 'service', tip: { floor: 1_000, most: 0 } }
const QUIET: LabMarket = { name: 'quiet', price: 0, skipped: 0, storms: 0, lanes: [NODE, SERVICE] }
const COPY = { signature: 'a', price: 0, tip: 0, retries: 0 }

function labOf(market: Partial<LabMarket>, seed = 1) {
  const clock = handClock()
  const lab = new LandingLab({ market: { ...QUIET, ...market }, seed, clock })
  return { lab, clock, slots: (count: number) => clock.advance(count * SLOT_MS) }
}

t.test('an auction has the least bid of each slot, and room for so many', (t) => {
  const auction = new Auction(2)
  t.equal(auction.least(7), 0)
  t.ok(
    [0, 0, 0].every((bid) => auction.takes(7, bid)),
    'room for all',
  )
  auction.setDemand(8, 400)
  t.same(
    [7, 8, 9, 10, 11, 12].map((slot) => auction.least(slot)),
    [0, 100, 200, 300, 400, 100],
  )
  t.same(
    [99, 100, 500, 500].map((bid) => auction.takes(8, bid)),
    [false, true, true, false],
  )
  t.ok(auction.takes(9, 200), 'the next slot has its own room')
  auction.setDemand(8 + MAX_LAG, 0)
  auction.setDemand(9 + 2 * MAX_LAG, 4)
  t.equal(auction.least(8), 0, 'what no node remembers is forgotten')
  t.equal(auction.least(9 + MAX_LAG), 0)
  t.end()
})

t.test('a node forwards everything, a service from its floor on', (t) => {
  const { lab, slots } = labOf({})
  lab.send('node', COPY)
  lab.send('service', { ...COPY, signature: 'tipped', tip: 1_000 })
  lab.send('service', { ...COPY, signature: 'untipped', tip: 999 })
  slots(1)
  t.equal(lab.landed('a'), 0)
  slots(10)
  t.equal(lab.landed('tipped'), 1, 'a slot later')
  t.equal(lab.landed('untipped'), null)
  t.equal(lab.slot, 11)
  t.throws(() => lab.send('elsewhere', COPY), TypeError)
  t.end()
})

t.test('a full block has room for twenty, by price', (t) => {
  const { lab, slots } = labOf({ price: 400, storms: 1 })
  for (let at = 0; at < 30; at++) lab.send('node', { ...COPY, signature: `s${at}`, price: 1_000 + at })
  lab.send('node', { ...COPY, signature: 'cheap', price: 99 })
  slots(1)
  const first = Array.from({ length: 30 }, (_, at) => lab.landed(`s${at}`))
  t.same(first, [...new Array(10).fill(null), ...new Array(20).fill(0)])
  slots(1)
  t.equal(lab.landed('s0'), 1)
  slots(20)
  t.equal(lab.landed('cheap'), null)
  t.same(
    lab.leastPrices().slice(0, 5),
    [100, 200, 300, 400, 100].map((price, slot) => ({ slot, price })),
  )
  t.end()
})

t.test('a service forwards five of those that bid what others bid', (t) => {
  const lanes = [{ ...SERVICE, tip: { floor: 1_000, most: 40_000 } }]
  const { lab, slots } = labOf({ storms: 1, lanes })
  // Forwarded in slot 1, where the least is half.
  for (let at = 0; at < 8; at++) lab.send('service', { ...COPY, signature: `s${at}`, tip: 20_000 + at })
  lab.send('service', { ...COPY, signature: 'low', tip: 19_999 })
  slots(12)
  t.same(
    Array.from({ length: 8 }, (_, at) => lab.landed(`s${at}`)),
    [null, null, null, 1, 1, 1, 1, 1],
  )
  t.equal(lab.landed('low'), null)
  t.end()
})

t.test('a node sends again by itself until it landed', (t) => {
  const { lab, slots } = labOf({ lanes: [{ ...NODE, loss: 0.5 }] })
  const lost = (retries: number) => {
    for (let at = 0; at < 200; at++) lab.send('node', { ...COPY, signature: `${retries} ${at}`, retries })
    slots(60)
    return Array.from({ length: 200 }, (_, at) => lab.landed(`${retries} ${at}`)).filter(
      (one) => one === null,
    ).length
  }
  const once = lost(0)
  t.ok(once > 30 && once < 70, `a quarter, as two leaders get it: ${once}`)
  t.equal(lost(5), 0)
  t.end()
})

t.test('a turn without a block and weather follow from the seed, and so does a run', (t) => {
  const run = (seed: number) => {
    const { lab, clock, slots } = labOf(
      {
        price: 1_000,
        skipped: 0.2,
        storms: 0.3,
        lanes: [
          { ...NODE, loss: 0.3, stormLoss: 0.9, delayMs: 90 },
          { ...SERVICE, loss: 0.05, tip: { floor: 1_000, most: 50_000 } },
        ],
      },
      seed,
    )
    for (let at = 0; at < 500; at++) {
      lab.send('node', { ...COPY, signature: `n${at}`, price: 200 + at, retries: at % 3 })
      lab.send('service', { ...COPY, signature: `s${at}`, price: 1_000, tip: 100 * at })
      slots(1)
    }
    slots(40)
    lab.close()
    clock.advance(5_000)
    t.equal(clock.waiting, 0, 'a closed lab ends')
    return Array.from({ length: 500 }, (_, at) => [lab.landed(`n${at}`), lab.landed(`s${at}`)])
  }
  const first = run(7)
  t.same(run(7), first)
  t.notSame(run(8), first)
  const landed = first.flat().filter((slot) => slot !== null)
  t.ok(landed.length > 300 && landed.length < 950, `${landed.length} of 1,000`)
  const turns = new Set(landed.map((slot) => Math.floor(slot! / 4)))
  t.ok(turns.size < 115 && turns.size > 85, `some of 125 turns have no block: ${turns.size}`)
  t.end()
})
