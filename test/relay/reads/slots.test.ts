import t from 'tap'
import { Slots } from '../../../src/relay/reads/slots.ts'
import { handClock } from '../../fixtures/clock.ts'

function slotsOver() {
  const clock = handClock()
  const watchers = new Set<(slot: number) => void>()
  const slots = new Slots({
    clock,
    statuses: {
      watchSlots(onSlot) {
        watchers.add(onSlot)
        return () => watchers.delete(onSlot)
      },
    },
  })
  const see = (slot: number) => {
    for (const onSlot of watchers) onSlot(slot)
  }
  return { clock, watchers, slots, see }
}

t.test('each higher slot is sent to all listeners, and polled while there is one', async (t) => {
  const { watchers, slots, see } = slotsOver()
  const told: string[] = []
  const leave = slots.listen((slot) => told.push(`a${slot}`))
  const leaveToo = slots.listen((slot) => told.push(`b${slot}`))
  t.equal(watchers.size, 1)
  for (const slot of [7, 7, 6, 9]) see(slot)
  t.same(told.splice(0), ['a7', 'b7', 'a9', 'b9'])
  leave()
  see(10)
  t.same(told.splice(0), ['b10'])
  leaveToo()
  t.equal(watchers.size, 0)
  slots.listen((slot) => told.push(`c${slot}`))
  see(8)
  t.same(told, ['c8'], 'who listens anew has seen nothing')
})

t.test('slots that stay lower have gone back', async (t) => {
  const { clock, slots, see } = slotsOver()
  const told: number[] = []
  slots.listen((slot) => told.push(slot))
  see(100)
  clock.advance(9_999)
  see(50)
  clock.advance(1)
  see(51)
  see(52)
  see(51)
  t.same(told, [100, 51, 52])
})
