/** What a worker asks the primary for, which has to serve all others too. */
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import { Port } from '../../../src/gateway/threads/port.ts'
import { WorkerLink } from '../../../src/gateway/threads/worker-link.ts'
import { movedClock, STILL } from '../../fixtures/clock.ts'

t.test(
  'however often clients ask for what no budget covers, the primary is asked once a second',
  async (t) => {
    const { port1, port2 } = new MessageChannel()
    t.teardown(() => port1.close())
    const asked = { health: 0, rebroadcasts: 0 }
    const list = { everyMs: 2_000, count: 0, transactions: [] }
    new Port(port2, {
      health() {
        asked.health++
        return []
      },
      rebroadcasts() {
        asked.rebroadcasts++
        return list
      },
    })
    const clock = movedClock()
    const link = new WorkerLink({} as never, port1, clock, () => {})
    const { inquiries } = link.sending({ rpc: { slotMs: 400 }, clock })
    const all = () =>
      Promise.all(Array.from({ length: 50 }, () => [link.health(), inquiries.rebroadcasts()]).flat())
    t.same([...new Set((await all()).map((one) => JSON.stringify(one)))], ['[]', JSON.stringify(list)])
    t.same(asked, { health: 1, rebroadcasts: 1 })
    clock.move(1_000)
    await all()
    t.same(asked, { health: 2, rebroadcasts: 2 })
  },
)

t.test('receipts that are asked for while the primary answers are one message', async (t) => {
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port1.close())
  const messages: (readonly string[])[] = []
  new Port(port2, {
    receipts(digests: readonly string[]) {
      messages.push(digests)
      if (digests.includes('bad')) throw new Error('it is broken')
      return digests.map((digest) => (digest === 'none' ? null : { digest }))
    },
  })
  const { inquiries } = new WorkerLink({} as never, port1, STILL, () => {}).sending({
    rpc: { slotMs: 400 },
    clock: STILL,
  })
  const first = inquiries.receipt('a')
  await Promise.resolve()
  const later = ['b', 'none', 'b', 'bad'].map((digest) => inquiries.receipt(digest))
  t.match(await first, { digest: 'a' })
  for (const one of later) await t.rejects(Promise.resolve(one), { message: 'it is broken' })
  const last = ['b', 'none', 'c'].map((digest) => inquiries.receipt(digest))
  t.same(await Promise.all(last), [{ digest: 'b' }, null, { digest: 'c' }])
  t.same(messages, [['a'], ['b', 'none', 'b', 'bad'], ['b', 'none', 'c']])
})
