import t from 'tap'
import { Confirmations } from '../../../src/relay/reads/confirmations.ts'
import { CONFIRMED, FINALIZED } from '../../../src/upstream/nodes/solana/slots.ts'
import { handClock } from '../../fixtures/clock.ts'

t.test('each of the two slots only rises, whichever comes first', async (t) => {
  const confirmations = new Confirmations(handClock())
  const slots = () => [confirmations.slotFor('a', CONFIRMED), confirmations.slotFor('a', FINALIZED)]
  t.same(slots(), [0, 0])
  confirmations.note('a', { confirmed: 10, finalized: 0 })
  t.same(slots(), [10, 0])
  confirmations.note('a', { confirmed: 5, finalized: 5 })
  t.same(slots(), [10, 5])
  confirmations.note('a', { confirmed: 11, finalized: 0 })
  t.same(slots(), [11, 5])
  confirmations.note('a', { confirmed: 0, finalized: 12 })
  t.same(slots(), [12, 12], 'what is finalized is confirmed')
})

t.test('news dates from when it came, and is forgotten after half a minute', async (t) => {
  const clock = handClock()
  const confirmations = new Confirmations(clock)
  t.equal(confirmations.since('a'), Number.NEGATIVE_INFINITY)
  const at = clock.now()
  confirmations.note('a', { confirmed: 10, finalized: 3 })
  clock.advance(10)
  confirmations.note('a', { confirmed: 10, finalized: 3 })
  t.equal(confirmations.since('a'), at, 'it knew that')
  confirmations.note('a', { confirmed: 10, finalized: 4 })
  t.equal(confirmations.since('a'), at + 10)
  clock.advance(30_000)
  t.equal(confirmations.slotFor('a', CONFIRMED), 10)
  clock.advance(1)
  t.equal(confirmations.slotFor('a', CONFIRMED), 0)
  t.equal(confirmations.since('b'), Number.NEGATIVE_INFINITY)
})
