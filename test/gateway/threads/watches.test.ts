import t from 'tap'
import { RemoteWatches, ServedWatches } from '../../../src/gateway/threads/watches.ts'
import { STILL } from '../../fixtures/clock.ts'

type Watch = readonly unknown[]

/** Both sides, with messages cloned between them, and pollers that only write down what they are asked to watch. */
function connected(isOurs = false) {
  const watched: Watch[] = []
  const ended: Watch[] = []
  const poll = (...watch: unknown[]) => {
    watched.push(watch)
    return () => void ended.push(watch)
  }
  const polling = {
    statuses: { watch: poll },
    accounts: { watch: poll },
    slots: { listen: poll },
    inquiries: { isSubmitted: () => isOurs },
  }
  const served: ServedWatches = new ServedWatches(polling as never, STILL, (id, notice) =>
    remote.notice(id, structuredClone(notice) as never),
  )
  const remote: RemoteWatches = new RemoteWatches({
    watch: (id, what) => served.watch(id, structuredClone(what)),
    unwatch: (id) => served.unwatch(id),
  })
  return { served, remote, watched, ended }
}

t.test('a signature is watched in the other thread, which tells each status and its cost', async (t) => {
  const { remote, watched, ended } = connected(true)
  const told: unknown[] = []
  const stop = remote.statuses.watch(
    'signature',
    { onAsked: (calls) => told.push(['asked', calls]) },
    (...status) => told.push(status),
  )
  const [signature, watching, onStatus] = watched[0] as [
    string,
    { priority: string; isPrompt: boolean; everyMs: number; onAsked: (calls: number) => void },
    (...status: unknown[]) => void,
  ]
  t.equal(signature, 'signature')
  t.match(watching, { priority: 'quote', isPrompt: true, everyMs: 0 })
  watching.onAsked(0.5)
  const status = { slot: 7, err: null, confirmationStatus: 'confirmed' }
  onStatus(status, 12)
  t.same(told, [
    ['asked', 0.5],
    [status, 12],
  ])
  stop()
  t.equal(ended.length, 1)
  onStatus(status, 13)
  t.equal(told.length, 2, 'what comes late is dropped')
  stop()
  t.equal(ended.length, 1)
})

t.test("an account's bytes arrive as a Buffer", async (t) => {
  const { remote, watched } = connected()
  const told: unknown[] = []
  remote.accounts.watch('address', 'confirmed', {
    client: 'one',
    onKnown: (...known) => told.push(known),
    onChange: (_slot, state) => told.push(state),
  })
  const [address, commitment, watcher] = watched[0] as [
    string,
    string,
    Record<string, (...args: unknown[]) => void>,
  ]
  t.same([address, commitment, watcher.client], ['address', 'confirmed', 'one'])
  watcher.onKnown!(7, false)
  watcher.onChange!(8, { lamports: '1', data: Buffer.from('abc') })
  watcher.onChange!(9, null)
  t.same(told[0], [7, false])
  t.ok(Buffer.isBuffer((told[1] as { data: unknown }).data))
  t.equal(String((told[1] as { data: Buffer }).data), 'abc')
  t.equal(told[2], null)
})

t.test('the watches of a thread that ended are over', async (t) => {
  const { remote, served, ended } = connected()
  remote.slots.listen(() => {})
  remote.statuses.watch('signature', {}, () => {})
  served.close()
  t.equal(ended.length, 2)
})
