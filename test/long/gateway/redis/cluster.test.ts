/** Four instances before a cluster of several nodes, which have the budgets between them. */
import t, { type Test } from 'tap'
import { type RedisServer, skipWithoutRedis, startRedis, until } from '../../../fixtures/redis.ts'
import { budgetInstances, reach } from '../../../fixtures/shared-budget.ts'

const skip = skipWithoutRedis()
const LIMIT = 60
const NAMES = ['swap', 'portfolio', 'rpcRead', 'rpcSend'] as const
const SLOTS = [
  ['0', '5460'],
  ['5461', '10922'],
  ['10923', '16383'],
] as const

interface Cluster {
  readonly primaries: readonly RedisServer[]
  /** Of the primary that has the budget `swap`. */
  readonly replica: RedisServer
  /** That primary. */
  readonly replicated: RedisServer
}

async function startNodes(t: Test): Promise<Cluster> {
  const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '60000']
  const nodes = await Promise.all(Array.from({ length: 4 }, () => startRedis(t, ...settings)))
  const [replica, ...primaries] = nodes as [RedisServer, ...RedisServer[]]
  primaries.forEach((node, i) => {
    node.cli('CLUSTER', 'SET-CONFIG-EPOCH', String(i + 1))
    node.cli('CLUSTER', 'ADDSLOTSRANGE', ...SLOTS[i]!)
  })
  for (const node of nodes) replica.cli('CLUSTER', 'MEET', '127.0.0.1', String(node.port))
  await until(() => nodes.every((node) => node.cli('CLUSTER', 'INFO').includes('cluster_known_nodes:4')))
  const slot = Number(primaries[0]!.cli('CLUSTER', 'KEYSLOT', 'swapgate:1:{swap}:window'))
  const replicated = primaries[SLOTS.findIndex(([, last]) => slot <= Number(last))]!
  replica.cli('CLUSTER', 'REPLICATE', replicated.cli('CLUSTER', 'MYID'))
  await until(() => nodes.every((node) => node.cli('CLUSTER', 'INFO').includes('cluster_state:ok')))
  await until(() => replica.cli('INFO', 'replication').includes('master_link_status:up'))
  return { primaries, replica, replicated }
}

t.test('four instances and a cluster of three', { skip }, async (t) => {
  const { primaries, replica, replicated } = await startNodes(t)
  // A node that is named alone, and dies, is no way to the others.
  const urls = primaries.map(({ url }) => url)
  const instances = await budgetInstances(t, LIMIT, Array(4).fill(urls))

  await t.test('admit of each budget exactly what it has, whichever node has it', async (t) => {
    for (const name of NAMES.slice(1)) {
      const admitted = await Promise.all(instances.map(({ burst }) => burst(30, name)))
      t.equal(
        admitted.reduce((sum, one) => sum + one),
        LIMIT,
        name,
      )
    }
    const busy = primaries.filter((node) => node.cli('DBSIZE') !== '0')
    t.ok(busy.length > 1, 'the budgets are on several nodes')
    for (const { alone } of instances) t.equal(alone(), 0)
  })

  await t.test('go on at the replica of a node that dies, and admit no more than the bound', async (t) => {
    for (const { burst } of instances) t.equal(await burst(5), 5)
    const leftToEach = instances.reduce((sum, { left }) => sum + left(), 0)
    await replicated.kill()
    let admitted = 0
    for (const { burst, store } of instances) {
      admitted += await burst(2)
      t.not(store.state, 'ok')
    }
    t.equal(replica.cli('CLUSTER', 'FAILOVER', 'TAKEOVER'), 'OK')
    const others = primaries.filter((node) => node !== replicated)
    await until(() => others.every((node) => node.cli('CLUSTER', 'SLOTS').includes(String(replica.port))))
    for (const instance of instances) {
      // Requests of another budget go on all the while, so that the connection is not given up.
      await instance.burst(1, 'portfolio')
      await reach([instance], 'ok', 200)
    }
    for (const { burst } of instances) admitted += await burst(100)
    t.ok(admitted <= leftToEach, `${admitted} of ${leftToEach}`)
    for (const { burst } of instances) t.equal(await burst(10), 0)
  })
})
