import t from 'tap'
import { type Note, replicate } from '../../../src/gateway/threads/replicated.ts'
import { createCounts } from '../../../src/http/counts/counts.ts'
import { Confirmations } from '../../../src/relay/reads/confirmations.ts'
import { STILL } from '../../fixtures/clock.ts'

/** Threads that repeat to each other what they note, each note cloned as a message is. */
function threads(count: number) {
  const all = Array.from({ length: count }, () => ({
    ...createCounts(STILL, 's'.repeat(32)),
    confirmations: new Confirmations(STILL),
  }))
  const repeats = all.map((one, at) =>
    replicate(one, (note) => {
      const clone: Note = structuredClone(note)
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

t.test('a race that one thread ends is shown to the listeners of another', async (t) => {
  const [one, two] = threads(2)
  const seen: unknown[] = []
  two!.bakeOff.watch((race) => seen.push(race))
  one!.bakeOff.record({ chain: 'base', side: 'buy', pair: 'major-major', runs: [] } as never)
  t.equal(seen.length, 1)
})
