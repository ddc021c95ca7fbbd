/** What a worker asks the primary for, which has to serve all others too. */
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import { Port } from '../../../src/gateway/threads/port.ts'
import { WorkerLink } from '../../../src/gateway/threads/worker-link.ts'
import { movedClock } from '../../fixtures/clock.ts'

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
