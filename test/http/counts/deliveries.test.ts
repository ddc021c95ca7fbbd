import t from 'tap'
import {
  type BuiltSwap,
  type CountedSwap,
  Deliveries,
  type KeptSwap,
  type Landing,
} from '../../../src/http/counts/deliveries.ts'
import { clockOf, handClock } from '../../fixtures/clock.ts'

const SWAP: BuiltSwap = {
  row: {
    ...{ chain: 'base', provider: 'a', size: 'small', token: '0x1', isNative: false },
    ...{ stated: '1000000', minimum: '900000', simulated: '999000', simulatedAt: 7 },
    ...{ otherNativeOut: null, gasStated: '200000' },
  },
  ...{ isMajor: true, costs: [], edits: null },
}
const offering = (stated: string): BuiltSwap => ({ ...SWAP, row: { ...SWAP.row, stated } })

/** Of a wallet that sets nothing but the blockhash. */
const edits = (blockhash: string) => ({
  ...{ blockhash, price: '0', limit: null },
  ...{ guards: 0, memos: 0, nonces: 0 },
})

const landing = (hash: string, got: bigint, at: number): Landing => ({
  ...{ hash, signature: null, block: 8, slot: null, gasUsed: '210000' },
  ...{ at, got: String(got) },
})

function world() {
  const at = { date: Date.UTC(2026, 10, 22) }
  const deliveries = new Deliveries(clockOf({ date: () => at.date }))
  let nth = 0
  /** One swap after the other, of which so many bps less arrive. */
  const deliver = (client: string, bps: number, swap: Partial<BuiltSwap> = {}, afterMs = 1_000): string => {
    const digest = `swap ${nth++}`
    deliveries.built(digest, { ...SWAP, ...swap }, client)
    const got = 1_000_000n - BigInt(bps) * 100n
    deliveries.landed(deliveries.find(digest, null)!, landing(digest, got, at.date + afterMs))
    return digest
  }
  return { deliveries, deliver, now: () => at.date, of: () => deliveries.truth.of('base', 'a') }
}

t.test('what is shown of a swap is what anybody can read again', async (t) => {
  const { deliveries, deliver, now } = world()
  t.equal(deliveries.truth.lines(), '')
  deliver('1', 30)
  t.same(JSON.parse(deliveries.truth.lines()), {
    ...{ at: now() + 1_000, chain: 'base', provider: 'a', size: 'small', token: '0x1', isNative: false },
    ...{ stated: '1000000', minimum: '900000', simulated: '999000', simulatedAt: 7, got: '997000' },
    ...{ otherNativeOut: null, gasStated: '200000', gasUsed: '210000' },
    ...{ hash: 'swap 0', signature: null, block: 8, slot: null },
  })
  t.match(deliveries.truth.of('base', 'a'), { medianBps: 30, medianSimulatedBps: 10, medianGasBps: -500 })
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
    for (let i = 0; i < 9; i++) deliveries.landed(counted, landing(`another ${i}`, 0n, now()))
    t.match(of(), { swaps: 1, medianBps: 30 })
    deliveries.built(digest, offering('9000000'), '2')
    t.equal(deliveries.find(digest, null)!.row.stated, '1000000', 'the same transaction is the same swap')
    t.equal(deliveries.find('other', null), null)
  },
)

t.test('what was counted elsewhere does not count again, whichever is known here first', async (t) => {
  const [one, two] = [world(), world()]
  one.deliveries.onBuilt = (swap) => (built = swap)
  one.deliveries.onCounted = (swap) => (counted = swap)
  let built = null as KeptSwap | null
  let counted = null as CountedSwap | null
  one.deliver('1', 30)
  two.deliveries.shared(counted!)
  two.deliveries.sharedBuild(built!)
  two.deliveries.landed(two.deliveries.find('swap 0', null)!, landing('another', 0n, two.now()))
  for (const { of } of [one, two]) t.match(of(), { swaps: 1, medianBps: 30 })
})

t.test('a receipt waits a second at most for what other instances have built', async (t) => {
  const clock = handClock()
  const deliveries = new Deliveries(clock)
  deliveries.catchUp = () => new Promise(() => {})
  deliveries.built('here', SWAP, 'me')
  t.match(await deliveries.search('here', null), { digest: 'here' })
  const searched = deliveries.search('elsewhere', null)
  clock.advance(1_000)
  t.equal(await searched, null)
  t.equal(clock.waiting, 0)
})

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
  const edits = { price: '0', limit: null, guards: 0, memos: 0, nonces: 1 }
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

t.test('a swap that was built again is found by its blockhash, and else by the newest', async (t) => {
  const at = { date: 1_000 }
  const deliveries = new Deliveries(clockOf({ date: () => at.date }))
  const builds = ['11000', '10000'].map((stated, i) => ({ ...offering(stated), edits: edits(`b${i}`) }))
  for (const [i, swap] of builds.entries()) {
    at.date = i * 130_000
    deliveries.built('swap', swap, `client ${i}`)
  }
  const quotedFor = (blockhash: string) => deliveries.find('swap', edits(blockhash))?.row.stated
  t.same(['b0', 'b1', 'restamped'].map(quotedFor), ['11000', '10000', '10000'])
  // One transaction counts once, however often it is built again.
  for (const blockhash of ['restamped', 'b1', 'b0'])
    deliveries.landed(deliveries.find('swap', edits(blockhash))!, landing('signature', 9_990n, at.date))
  t.match(deliveries.truth.of('base', 'a'), { swaps: 1, medianBps: 10 })
})

t.test('another client cannot take the place of what was built last', async (t) => {
  const at = { date: 1_000 }
  const deliveries = new Deliveries(clockOf({ date: () => at.date }))
  const build = (digest: string, blockhash: string, client: string, stated = '0') =>
    deliveries.built(digest, { ...offering(stated), edits: edits(blockhash) }, client)
  const found = (blockhash: string) => deliveries.find('swap', edits(blockhash))?.row.stated
  build('swap', 'b0', 'me', '1')
  build('swap', 'b1', 'a stranger', '9')
  t.equal(found('restamped'), '1')
  t.equal(found('b1'), '9', 'which the stranger still finds by its blockhash')
  at.date += 120_001
  build('swap', 'b2', 'a stranger', '8')
  t.equal(found('restamped'), '8', 'until the first is too old to count')
  const kept = deliveries.find('swap', edits('b2'))!
  deliveries.sharedBuild({ ...kept, edits: edits('b3'), builtAt: 1_000, row: { ...kept.row, stated: '7' } })
  t.equal(found('restamped'), '8', 'an older one of another instance comes late')
  t.equal(found('b3'), '7')
  for (let i = 0; i < 600; i++) build(`other ${i}`, 'b0', 'a stranger')
  t.equal(found('b2'), undefined, 'a build takes two of the 1,200 places of its client')
})
