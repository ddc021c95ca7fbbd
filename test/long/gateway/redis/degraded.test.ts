/** Four instances before a Redis that answers with errors, that only some of them reach, or that another replaces. */
import t from 'tap'
import { listen } from '../../../fixtures/gateway.ts'
import { Clients } from '../../../fixtures/instances.ts'
import { skipWithoutRedis, startRedis, until } from '../../../fixtures/redis.ts'
import { type BudgetInstance, budgetInstances, movingName, reach } from '../../../fixtures/shared-budget.ts'

const skip = skipWithoutRedis()
const LIMIT = 60

/** One burst at each instance, one instance after the other. @returns how many were admitted in all */
async function burstAtEach(instances: readonly BudgetInstance[], requests: number): Promise<number> {
  let admitted = 0
  for (const { burst } of instances) admitted += await burst(requests)
  return admitted
}

const leftAtEach = (instances: readonly BudgetInstance[]): number =>
  instances.reduce((sum, { left }) => sum + left(), 0)

for (const [title, name, breaks, mends] of [
  ['a Redis that is full', 'OOM', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
  ['a Redis that is read only', 'READONLY', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
  [
    'a Redis that forbids a command',
    'NOPERM',
    ['ACL', 'SETUSER', 'default', '-evalsha', '-set'],
    ['ACL', 'SETUSER', 'default', '+@all'],
  ],
] as const) {
  t.test(`${title} loses no connection: each counts alone, and says by which error`, { skip }, async (t) => {
    const redis = await startRedis(t, '--maxmemory-policy', 'noeviction')
    const instances = await budgetInstances(t, LIMIT, Array(4).fill(redis.url))
    t.equal(await burstAtEach(instances, 5), 20)
    const leftToEach = leftAtEach(instances)
    t.equal(redis.cli(...breaks), 'OK')
    t.equal(await burstAtEach(instances, 100), leftToEach, 'each admits what it saw left')
    t.equal(leftToEach, 40 + 45 + 50 + 55)
    for (const { store, alone } of instances) {
      t.same([store.state, store.cause], ['degraded', name])
      t.ok(alone() > 0)
    }
    t.equal(redis.cli(...mends), 'OK')
    await reach(instances, 'ok', 1_000)
    t.equal(await burstAtEach(instances, 10), 0, 'what they admitted is known again')
    for (const { changes } of instances) {
      t.same(
        changes,
        [
          ['ok', null],
          ['degraded', name],
          ['ok', null],
        ],
        'and no connection was lost',
      )
    }
  })
}

t.test('health and metrics show a full Redis while it is full', { skip }, async (t) => {
  const redis = await startRedis(t, '--maxmemory-policy', 'noeviction')
  const { url, adminUrl } = await listen(t, {
    ADMIN_PORT: '0',
    REDIS_URL: redis.url,
    QUOTE_SECRET: 's'.repeat(32),
  })
  const health = async () => (await (await fetch(`${url}/api/health`)).json()) as Record<string, unknown>
  const clients = new Clients(t)
  await until(async () => (await health()).redis === 'ok')
  t.match(await health(), { redis: 'ok', redisCause: null })
  redis.cli('CONFIG', 'SET', 'maxmemory', '1')
  await clients.send({ url }, 1, 'rpcSend')
  t.match(await health(), { status: 'ok', redis: 'degraded', redisCause: 'OOM' })
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
  t.match(metrics, /^swapgate_redis_up 0$/m)
  t.match(metrics, /^swapgate_redis_failures_total\{cause="OOM"\} [1-9]/m)
  t.match(metrics, /^swapgate_redis_failures_total\{cause="timeout"\} 0$/m)
  t.match(metrics, /^swapgate_budget_decisions_total\{place="local"\} 1$/m)
})

t.test(
  'instances that are cut off admit what they saw left, and bring it along when they are back',
  { skip },
  async (t) => {
    const redis = await startRedis(t)
    const names = await Promise.all([1, 2].map(() => movingName(t, redis.port)))
    const instances = await budgetInstances(t, LIMIT, [redis.url, redis.url, ...names.map(({ url }) => url)])
    const [near, far] = [instances.slice(0, 2), instances.slice(2)]
    t.equal(await burstAtEach(instances, 5), 20)
    const leftToFar = leftAtEach(far)
    for (const name of names) {
      name.point(null)
      name.cut()
    }
    await reach(far, 'away')
    t.equal(await burstAtEach(far, 100), leftToFar, 'no more than they saw left')
    t.equal(await burstAtEach(near, 100), LIMIT - 20, 'while the others share the rest')
    for (const name of names) name.point(redis.port)
    await reach(far, 'ok')
    t.equal(await burstAtEach(instances, 10), 0)
  },
)

t.test(
  'what some admitted while they were cut off is known to all once they are back',
  { skip },
  async (t) => {
    const redis = await startRedis(t)
    const name = await movingName(t, redis.port)
    const instances = await budgetInstances(t, LIMIT, [redis.url, redis.url, redis.url, name.url])
    t.equal(await burstAtEach(instances, 5), 20)
    const far = instances.slice(3)
    name.point(null)
    name.cut()
    await reach(far, 'away')
    t.equal(await burstAtEach(far, 30), 30)
    name.point(redis.port)
    await reach(far, 'ok')
    t.equal(await burstAtEach(far, 1), 1)
    t.equal(await burstAtEach(instances.slice(0, 3), 10), LIMIT - 51)
  },
)

t.test('a replica that takes over continues from what it and the instances know', { skip }, async (t) => {
  const primary = await startRedis(t)
  const replica = await startRedis(t, '--replicaof', '127.0.0.1', String(primary.port))
  await until(() => replica.cli('INFO', 'replication').includes('master_link_status:up'))
  const name = await movingName(t, primary.port)
  const instances = await budgetInstances(t, LIMIT, Array(4).fill(name.url))
  t.equal(await burstAtEach(instances, 5), 20)
  await until(() => replica.cli('HGET', 'swapgate:1:{swap}:window', 'all') === '20')
  await primary.kill()
  name.point(replica.port)
  replica.cli('REPLICAOF', 'NO', 'ONE')
  await reach(instances, 'away', 1_000)
  await reach(instances, 'ok')
  t.equal(await burstAtEach(instances, 5), 20)
  t.equal(await burstAtEach(instances, 100), LIMIT - 40, 'nothing beyond the budget')
})

t.test('a server that became a replica is left for the one that its name points at', { skip }, async (t) => {
  const [first, second] = [await startRedis(t), await startRedis(t)]
  const name = await movingName(t, first.port)
  const instances = await budgetInstances(t, LIMIT, Array(4).fill(name.url))
  t.equal(await burstAtEach(instances, 5), 20)
  const leftToEach = leftAtEach(instances)
  // The second has none of it, as one that the last writes did not reach.
  first.cli('REPLICAOF', '127.0.0.1', String(second.port))
  name.point(second.port)
  const admitted = await burstAtEach(instances, 2)
  t.equal(admitted, 8, 'alone meanwhile')
  for (const { store } of instances) t.same([store.state, store.cause], ['degraded', 'READONLY'])
  await reach(instances, 'ok', 1_000)
  const rest = await burstAtEach([...instances].reverse(), 100)
  t.ok(admitted + rest <= leftToEach, `${admitted + rest} of ${leftToEach}`)
  t.equal(await burstAtEach(instances, 10), 0)
  t.match(second.cli('HGET', 'swapgate:1:{swap}:window', 'all'), String(LIMIT))
  for (const { changes } of instances) t.notOk(changes.some(([state]) => state === 'away'))
})
