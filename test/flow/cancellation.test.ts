import t from 'tap'
import { CancellationScope, GATEWAY } from '../../src/flow/cancellation.ts'

/** What can be given up, and how often it was. */
function watcher() {
  return {
    times: 0,
    cancel() {
      this.times++
    },
  }
}

t.test('everything that depends on it is cancelled, except what has ended', (t) => {
  const scope = new CancellationScope()
  const watchers = [watcher(), watcher(), watcher()] as const
  for (const one of watchers) scope.watch(one)
  scope.unwatch(watchers[1])
  t.notOk(scope.isCancelled)
  scope.cancel()
  t.ok(scope.isCancelled)
  t.same(
    watchers.map(({ times }) => times),
    [1, 0, 1],
  )
  t.end()
})

t.test('one that ends because another is given up does not lose the others', (t) => {
  const scope = new CancellationScope()
  const last = watcher()
  const ends = { cancel: () => scope.unwatch(ends) }
  for (const one of [ends, last]) scope.watch(one)
  scope.cancel()
  t.equal(last.times, 1)
  t.end()
})

t.test('a branch is cancelled with its parent, or alone', (t) => {
  const parent = new CancellationScope()
  const [a, b] = [parent.fork(), parent.fork()] as const
  const leaf = b.fork()
  const watchers = [watcher(), watcher(), watcher()] as const
  a.watch(watchers[0])
  b.watch(watchers[1])
  leaf.watch(watchers[2])
  a.cancel()
  t.same(
    [parent, a, b, leaf].map(({ isCancelled }) => isCancelled),
    [false, true, false, false],
  )
  parent.cancel()
  t.same(
    [parent, b, leaf, parent.fork()].map(({ isCancelled }) => isCancelled),
    [true, true, true, true],
  )
  t.same(
    watchers.map(({ times }) => times > 0),
    [true, true, true],
  )
  t.end()
})

t.test('a branch without watchers is not notified, and can be used again', (t) => {
  const parent = new CancellationScope()
  const branch = parent.fork()
  const [first, second] = [watcher(), watcher()] as const
  branch.watch(first)
  branch.unwatch(first)
  branch.unwatch(first)
  branch.watch(second)
  parent.cancel()
  t.same([first.times, second.times], [0, 1])
  t.end()
})

t.test('its branches, and what stays when it leaves, are on the same account', async (t) => {
  const scope = new CancellationScope('one')
  t.equal(scope.fork().client, 'one')
  const detached = scope.detached()
  scope.cancel()
  t.equal(detached.client, 'one')
  t.notOk(detached.isCancelled)
  t.equal(new CancellationScope().client, GATEWAY)
})

t.test('a throttled branch marks its parents, not its siblings', (t) => {
  const scope = new CancellationScope('alice')
  const [one, other] = [scope.fork(), scope.fork()]
  const detached = scope.detached()
  t.notOk(scope.isThrottled)
  one.markThrottled()
  t.same(
    [one, scope, other, detached].map(({ isThrottled }) => isThrottled),
    [true, true, false, false],
  )
  t.end()
})
