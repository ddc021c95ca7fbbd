import t from 'tap'
import { type Note, replicate } from '../../../src/gateway/threads/replicated.ts'
import { createCounts } from '../../../src/http/counts/counts.ts'
import { Confirmations } from '../../../src/relay/reads/confirmations.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import { clockOf, STILL } from '../../fixtures/clock.ts'

/** Threads that repeat to each other what they note, each note cloned as a message is. */
function threads(count: number, notes: Note[] = [], clock: Clock = STILL) {
  const all = Array.from({ length: count }, () => ({
    ...createCounts(clock, 's'.repeat(32)),
    confirmations: new Confirmations(clock),
  }))
  const repeats = all.map((one, at) =>
    replicate(one, clock, (note) => {
      const clone: Note = structuredClone(note)
      notes.push(clone)
      for (const [other, repeat] of repeats.entries()) if (other !== at) repeat(clone)
    }),
  )
  return all
}

const swap = (provider: string) => ({
  row: {
    ...{ chain: 'base', provider, size: null, token: '0x1', isNative: false },
    ...{ stated: '10000', minimum: '9000', simulated: null, simulatedAt: null },
    ...{ otherNativeOut: null, gasStated: null },
  },
  ...{ isMajor: true, costs: [], edits: null },
})

t.test('what one thread notes, all know', async (t) => {
  const [one, two, three] = threads(3) as [ReturnType<typeof threads>[0], ...ReturnType<typeof threads>]
  one.funnel.count('quote', 'evm')
  two!.funnel.count('quote', 'solana')
  for (const { funnel } of [one, two!, three!]) t.equal(funnel.days().today.totals.quote, 2)
  two!.confirmations.note('client', { confirmed: 7, finalized: 3 })
  t.equal(
    three!.confirmations.slotFor('client', 'confirmed' as never),
    one.confirmations.slotFor('client', 'confirmed' as never),
  )
  one.deliveries.built('digest', swap('kyberswap'), 'client')
  t.match(three!.deliveries.find('digest', null), { row: { provider: 'kyberswap', stated: '10000' } })
})

t.test('a client is the same one in all threads, so that it counts as one', async (t) => {
  const [one, two] = threads(2)
  for (const [nth, thread] of [one!, two!, one!, two!].entries()) {
    thread.deliveries.built(`digest ${nth}`, swap('kyberswap'), 'client')
    thread.deliveries.landed(thread.deliveries.find(`digest ${nth}`, null)!, {
      ...{ hash: `hash ${nth}`, signature: null, block: 1, slot: null },
      ...{ at: STILL.date(), got: '9000', gasUsed: null },
    })
  }
  for (const { deliveries } of [one!, two!])
    t.match(deliveries.truth.of('base', 'kyberswap'), { swaps: 4, clients: 1, medianBps: 1_000 })
  t.equal(one!.deliveries.truth.lines(), two!.deliveries.truth.lines())
})

t.test(
  'a build that lands twice counts once, although each landing is read in a thread of its own',
  async (t) => {
    const [one, two] = threads(2)
    one!.deliveries.built('digest', swap('kyberswap'), 'client')
    for (const [nth, { deliveries }] of [one!, two!].entries())
      deliveries.landed(deliveries.find('digest', null)!, {
        ...{ hash: `hash ${nth}`, signature: null, block: 1, slot: null },
        ...{ at: STILL.date(), got: '9000', gasUsed: null },
      })
    for (const { deliveries } of [one!, two!]) t.equal(deliveries.truth.of('base', 'kyberswap')!.swaps, 1)
  },
)

t.test(
  'a swap that another instance found counts in all threads, and one found here is sent once',
  async (t) => {
    const [one, two] = threads(2)
    const sent: string[][] = [[], []]
    for (const [nth, { deliveries }] of [one!, two!].entries())
      deliveries.onCounted = ({ row }) => void sent[nth]!.push(row.hash!)
    const landing = {
      ...{ hash: 'hash 1', signature: null, block: 1, slot: null },
      ...{ at: STILL.date(), got: '9000', gasUsed: null },
    }
    const origin = { client: 1, builtAt: STILL.date() }
    one!.deliveries.shared({ ...origin, row: { ...landing, ...swap('velora').row }, exact: 'another' })
    for (const { deliveries } of [one!, two!]) t.equal(deliveries.truth.of('base', 'velora')!.swaps, 1)
    t.same(sent, [[], []], 'it is not sent back')
    two!.deliveries.built('digest', swap('velora'), 'client')
    two!.deliveries.landed(two!.deliveries.find('digest', null)!, { ...landing, hash: 'hash 2' })
    for (const { deliveries } of [one!, two!]) t.equal(deliveries.truth.of('base', 'velora')!.swaps, 2)
    t.same(sent, [['hash 2'], ['hash 2']], 'of the threads of an instance, one sends')
  },
)

t.test('a build of another instance is known in all threads, and one of a thread is sent once', async (t) => {
  const [one, two] = threads(2)
  const sent: string[] = []
  one!.deliveries.onBuilt = ({ digest }) => void sent.push(digest)
  const kept = { ...swap('velora'), digest: 'digest', client: 1, builtAt: STILL.date() }
  one!.deliveries.sharedBuild(kept)
  for (const { deliveries } of [one!, two!]) t.same(deliveries.find('digest', null), kept)
  t.same(sent, [], 'it is not sent back')
  for (const { deliveries } of [two!, two!, one!]) deliveries.built('another', swap('velora'), 'client')
  t.same(sent, ['another'])
})

t.test('what is repeated later counts for its own time', async (t) => {
  const DAY_MS = 86_400_000
  let date = STILL.date()
  const clock = clockOf({ date: () => date })
  const notes: Note[] = []
  const since = date
  const [one] = threads(1, notes, clock)
  one!.funnel.count('quote', 'evm')
  one!.bakeOff.record({ chain: 'base', side: 'buy', pair: 'stable-stable', size: null, runs: [] })
  one!.deliveries.built('digest', swap('kyberswap'), 'client')
  date += DAY_MS
  const late = { ...createCounts(clock, 's'.repeat(32), since), confirmations: new Confirmations(clock) }
  const repeat = replicate(late, clock, () => {})
  for (const note of notes) repeat(note)
  t.same(late.funnel.days(), one!.funnel.days())
  t.equal(late.funnel.days().days[0]!.totals.quote, 1)
  t.same(late.bakeOff.report('7d'), one!.bakeOff.report('7d'))
  t.equal(late.deliveries.find('digest', null)!.builtAt, since)
})

t.test('a race that one thread ends is shown to the listeners of another', async (t) => {
  const [one, two] = threads(2)
  const seen: unknown[] = []
  two!.bakeOff.watch((race) => seen.push(race))
  one!.bakeOff.record({ chain: 'base', side: 'buy', pair: 'major-major', size: null, runs: [] } as never)
  t.equal(seen.length, 1)
})
