import t from 'tap'
import { type BuiltSwap, Deliveries, shortBps } from '../../../src/http/counts/deliveries.ts'
import { clockOf } from '../../fixtures/clock.ts'

const HOUR_MS = 3_600_000
const SWAP: BuiltSwap = {
  chain: 'base',
  provider: 'a',
  token: '0x1',
  isNative: false,
  isMajor: true,
  expectedOut: 1_000_000n,
  minOut: 900_000n,
  otherNativeOut: 0n,
  costs: [],
  edits: null,
}

function world() {
  const at = { date: Date.UTC(2026, 10, 22) }
  const deliveries = new Deliveries(clockOf({ date: () => at.date }))
  let nth = 0
  /** One swap after the other, of which so many bps less arrive. */
  const deliver = (client: string, bps: number, swap: Partial<BuiltSwap> = {}, afterMs = 1_000): string => {
    const digest = `swap ${nth++}`
    deliveries.built(digest, { ...SWAP, ...swap }, client)
    deliveries.landed(
      deliveries.find(digest, null)!,
      digest,
      1_000_000n - BigInt(bps) * 100n,
      at.date + afterMs,
    )
    return digest
  }
  const wait = (ms: number) => {
    at.date += ms
  }
  return { deliveries, deliver, wait, now: () => at.date, of: () => deliveries.of('base', 'a') }
}

const CLIENTS = ['1', '2', '3', '4', '5', '6']

t.test('a provider that delivers less is ranked with the median of that', async (t) => {
  const { deliveries, deliver, of } = world()
  t.equal(of(), null)
  for (const client of CLIENTS) for (let i = 0; i < 4; i++) deliver(client, 30)
  t.same(of(), { swaps: 24, clients: 6, medianBps: 30, lossBps: 30 })
  t.same(deliveries.lossesOf('base', ['b', 'a']), { a: 30 })
  t.equal(deliveries.lossesOf('base', ['b']), null)
  t.equal(deliveries.lossesOf('solana', ['a']), null, 'each chain has its own')
})

t.test('ordinary market moves cost a provider nothing, and a surplus is not a bonus', async (t) => {
  for (const bps of [5, 0, -50]) {
    const { deliver, of } = world()
    for (const client of CLIENTS) for (let i = 0; i < 4; i++) deliver(client, bps)
    t.match(of(), { medianBps: bps, lossBps: 0 })
  }
})

t.test('a few clients decide nothing, however much they swap', async (t) => {
  const { deliver, of } = world()
  for (let i = 0; i < 400; i++) deliver(`${i % 3}`, 500)
  t.match(of(), { clients: 3, medianBps: 500, lossBps: 0 })
  t.equal(of()!.swaps, 48, 'nor do they push out what others delivered')
  for (const client of ['a', 'b', 'c', 'd', 'e']) for (let i = 0; i < 4; i++) deliver(client, 1)
  t.match(of(), { clients: 8, medianBps: 1, lossBps: 0 }, 'a minority does not move the median')
})

t.test('a loss is bounded, and forgotten', async (t) => {
  const { deliver, wait, of } = world()
  for (const client of CLIENTS) for (let i = 0; i < 4; i++) deliver(client, 9_000)
  t.match(of(), { medianBps: 1_000, lossBps: 100 })
  wait(12 * HOUR_MS)
  t.equal(of()!.lossBps, 100)
  wait(24 * HOUR_MS)
  t.equal(of()!.lossBps, 0, 'until somebody swaps by it again')
  deliver('6', 1)
  t.equal(of()!.medianBps, 1_000, 'one fresh swap weighs less than what many did two days ago')
  wait(400 * 24 * HOUR_MS)
  t.match(of(), { swaps: 25, medianBps: 1_000, lossBps: 0 }, 'a median stays one, however old')
})

t.test(
  'a swap counts once, between majors, soon after its build, and only where it was built here',
  async (t) => {
    const { deliveries, deliver, now, of } = world()
    deliver('1', 30, {}, 120_001)
    deliver('1', 30, {}, -120_001)
    deliver('1', 30, { isMajor: false })
    t.equal(of(), null)
    const digest = deliver('1', 30)
    const counted = deliveries.find(digest, null)!
    for (let i = 0; i < 9; i++) deliveries.landed(counted, `another ${i}`, 0n, now())
    t.match(of(), { swaps: 1, medianBps: 30 })
    deliveries.built(digest, { ...SWAP, expectedOut: 9_000_000n }, '2')
    t.equal(deliveries.find(digest, null)!.expectedOut, 1_000_000n, 'the same transaction is the same swap')
    t.equal(deliveries.find('other', null), null)
  },
)

t.test('a client with many builds evicts only its own', async (t) => {
  const { deliveries } = world()
  deliveries.built('mine', SWAP, 'me')
  for (let i = 0; i < 1_300; i++) deliveries.built(`theirs ${i}`, SWAP, 'them')
  t.ok(deliveries.find('mine', null))
  t.equal(deliveries.find('theirs 0', null), null)
  t.equal(deliveries.find('theirs 99', null), null)
  t.ok(deliveries.find('theirs 100', null))
})

t.test('a slow signer is found after ten minutes of all the builds that the budgets allow', async (t) => {
  const { deliveries } = world()
  const edits = { price: 0n, limit: null, guards: 0, memos: 0, nonces: 1 }
  const name = (client: number, i: number) => `${client} ${i}`
  for (let i = 0; i < 600; i++) {
    for (let client = 0; client < 20; client++) {
      const swap = { ...SWAP, edits: { ...edits, blockhash: name(client, i) } }
      deliveries.built(name(client, i), swap, String(client))
    }
  }
  for (let client = 0; client < 20; client++) t.ok(deliveries.find(name(client, 0), null))
  for (let i = 0; i < 30_000; i++) deliveries.built(`flood ${i}`, SWAP, `flood ${i}`)
  t.equal(deliveries.find(name(0, 0), null), null, 'memory has a bound')
})

t.test('hundredths of a percent', async (t) => {
  t.equal(shortBps(10_000n, 9_970n), 30)
  t.equal(shortBps(10_000n, 10_001n), -1)
  t.equal(shortBps(3n, 0n), 10_000)
})

t.test('a swap that was built again is found by its blockhash, and else by the newest', async (t) => {
  const at = { date: 1_000 }
  const deliveries = new Deliveries(clockOf({ date: () => at.date }))
  const edits = (blockhash: string) => ({ blockhash, price: 0n, limit: null, guards: 0, memos: 0, nonces: 0 })
  const builds = [11_000n, 10_000n].map((expectedOut, i) => ({ ...SWAP, expectedOut, edits: edits(`b${i}`) }))
  for (const [i, swap] of builds.entries()) {
    at.date = i * 130_000
    deliveries.built('swap', swap, `client ${i}`)
  }
  const quotedFor = (blockhash: string) => deliveries.find('swap', edits(blockhash))?.expectedOut
  t.same(['b0', 'b1', 'restamped'].map(quotedFor), [11_000n, 10_000n, 10_000n])
  // One transaction counts once, however often it is built again.
  for (const blockhash of ['restamped', 'b1', 'b0'])
    deliveries.landed(deliveries.find('swap', edits(blockhash))!, 'signature', 9_990n, at.date)
  t.match(deliveries.of(SWAP.chain, SWAP.provider), { swaps: 1, medianBps: 10 })
})

t.test('another client cannot take the place of what was built last', async (t) => {
  const at = { date: 1_000 }
  const deliveries = new Deliveries(clockOf({ date: () => at.date }))
  const edits = (blockhash: string) => ({ blockhash, price: 0n, limit: null, guards: 0, memos: 0, nonces: 0 })
  const build = (digest: string, blockhash: string, client: string, expectedOut = 0n) =>
    deliveries.built(digest, { ...SWAP, edits: edits(blockhash), expectedOut }, client)
  const found = (blockhash: string) => deliveries.find('swap', edits(blockhash))?.expectedOut
  build('swap', 'b0', 'me', 1n)
  build('swap', 'b1', 'a stranger', 9n)
  t.equal(found('restamped'), 1n)
  t.equal(found('b1'), 9n, 'which the stranger still finds by its blockhash')
  at.date += 120_001
  build('swap', 'b2', 'a stranger', 8n)
  t.equal(found('restamped'), 8n, 'until the first is too old to count')
  for (let i = 0; i < 600; i++) build(`other ${i}`, 'b0', 'a stranger')
  t.equal(found('b2'), undefined, 'a build takes two of the 1,200 places of its client')
})
