import t, { type Test } from 'tap'
import { RedisRows } from '../../../src/gateway/redis/rows.ts'
import type { Store } from '../../../src/gateway/redis/store.ts'
import { type CountedSwap, Deliveries } from '../../../src/http/counts/deliveries.ts'
import { Mac } from '../../../src/runtime/mac.ts'
import { INSTANT, STILL } from '../../fixtures/clock.ts'
import { openStore, skipWithoutRedis, startRedis, until } from '../../fixtures/redis.ts'

const SECRET = 's'.repeat(32)

const swap = {
  row: {
    ...{ chain: 'base', provider: 'kyberswap', size: null, token: '0x1', isNative: false },
    ...{ stated: '10000', minimum: '9000', simulated: null, simulatedAt: null },
    ...{ otherNativeOut: null, gasStated: null },
  },
  ...{ isMajor: true, costs: [], edits: null },
}
const landing = (hash: string) => ({
  ...{ at: INSTANT, got: '9990', gasUsed: null, hash, signature: null, block: 1, slot: null },
})

/** An instance of its own, with what it counts. */
function instance(t: Test, store: Store, secret = SECRET) {
  const deliveries = new Deliveries(STILL, secret)
  const rows = new RedisRows({ store, secret, clock: STILL, everyMs: 20 })
  t.teardown(() => rows.close())
  rows.start(deliveries)
  const land = (hash: string, client: string): void => {
    deliveries.built(hash, swap, client)
    deliveries.landed(deliveries.find(hash, null)!, landing(hash))
  }
  const hashes = (): string[] =>
    deliveries.truth
      .lines()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).hash)
      .sort()
  return { deliveries, rows, land, hashes, of: () => deliveries.truth.of('base', 'kyberswap') }
}

t.test(
  'instances count together, and one that starts later counts what was',
  { skip: skipWithoutRedis() },
  async (t) => {
    const redis = await startRedis(t)
    const { store } = await openStore(t, redis.url)
    const [one, two] = [instance(t, store), instance(t, store)]
    one.land('0x1', 'a')
    two.land('0x2', 'a')
    two.land('0x3', 'b')
    await until(() => one.hashes().length === 3 && two.hashes().length === 3)
    for (const { of } of [one, two]) t.match(of(), { swaps: 3, clients: 2, medianBps: 10 })
    const late = instance(t, store)
    await until(() => late.hashes().length === 3)
    t.same(late.of(), one.of())
    t.same(late.hashes(), ['0x1', '0x2', '0x3'])
  },
)

t.test('a swap that two instances report counts once', { skip: skipWithoutRedis() }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url)
  const [one, two] = [instance(t, store), instance(t, store)]
  one.land('0x1', 'a')
  await until(() => two.hashes().length === 1)
  two.land('0x1', 'b')
  one.land('0x2', 'a')
  await until(() => two.hashes().length === 2)
  for (const { of } of [one, two]) t.match(of(), { swaps: 2, clients: 1 })
  t.equal(redis.cli('XLEN', store.key('rows', 'landed')), '2')
})

t.test('what is no row of ours counts for nothing', { skip: skipWithoutRedis() }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url)
  const key = store.key('rows', 'landed')
  redis.cli('SET', key, 'of another program')
  const one = instance(t, store)
  one.land('0x1', 'a')
  await until(() => redis.cli('TYPE', key) === 'stream')
  await until(() => redis.cli('XLEN', key) === '1')
  const [, , sealed = ''] = redis.cli('XRANGE', key, '-', '+').split('\n')
  const [mac, json = ''] = [sealed.slice(0, 22), sealed.slice(23)]
  t.match(JSON.parse(json) as CountedSwap, { row: { hash: '0x1' }, client: Number })
  const forged = json.replace('"0x1"', '"0x9"').replace('9990', '1')
  const ours = Mac.for('rows of landed swaps', SECRET)
  const strange = ['{"row":{"hash":"0x7"},"client":1,"builtAt":1}', '{}', 'null'].map(
    (other) => `${ours.of(other).subarray(0, 16).toString('base64url')} ${other}`,
  )
  for (const text of [`${mac} ${forged}`, forged, '', sealed, ...strange])
    redis.cli('XADD', key, '*', 'row', text)
  instance(t, store, 'o'.repeat(32)).land('0x8', 'a')
  one.land('0x2', 'a')
  const two = instance(t, store)
  await until(() => two.hashes().includes('0x2'))
  t.same(two.hashes(), ['0x1', '0x2'])
  t.same(one.hashes(), ['0x1', '0x2'])
})

t.test('what Redis misses is sent once it is back', { skip: skipWithoutRedis() }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url)
  const one = instance(t, store)
  one.land('0x1', 'a')
  await until(() => redis.cli('XLEN', store.key('rows', 'landed')) === '1')
  await redis.kill()
  await until(() => store.state === 'away')
  for (let nth = 2; nth < 300; nth++) one.land(`0x${nth}`, `client ${nth}`)
  t.equal(one.hashes().length, 299, 'an instance alone counts what it finds')
  await redis.restart()
  const two = instance(t, store)
  await until(() => two.hashes().length === 298)
  t.notOk(two.hashes().includes('0x1'), 'this one it had sent')
})

t.test('rows are bounded in number and time', { skip: skipWithoutRedis() }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url)
  const key = store.key('rows', 'landed')
  redis.cli('XADD', key, '1000-1', 'row', 'of 1970')
  redis.cli('EVAL', `for i = 1, 6000 do redis.call('XADD', KEYS[1], '*', 'row', 'x') end`, '1', key)
  const one = instance(t, store)
  one.land('0x1', 'a')
  const two = instance(t, store)
  await until(() => two.hashes().length === 1)
  t.equal(redis.cli('XLEN', key), '5000')
  const ms = Number(redis.cli('PTTL', key))
  t.ok(ms > 7 * 86_400_000 && ms <= 8 * 86_400_000, `${ms}`)

  redis.cli('DEL', key)
  redis.cli('XADD', key, '1000-1', 'row', 'of 1970')
  await until(() => redis.cli('XLEN', key) === '0')
})

t.test(
  'one with a clock that was set back is read from its beginning',
  { skip: skipWithoutRedis() },
  async (t) => {
    const redis = await startRedis(t)
    const { store } = await openStore(t, redis.url)
    const key = store.key('rows', 'landed')
    const one = instance(t, store)
    one.land('0x1', 'a')
    const two = instance(t, store)
    await until(() => two.hashes().length === 1)
    two.rows.close()
    one.land('0x2', 'a')
    const [, , , , , sealed = ''] = await rowsIn()
    redis.cli('DEL', key)
    redis.cli('XADD', key, `${Date.now() - 3_600_000}-0`, 'row', sealed)
    two.rows.start(two.deliveries)
    await until(() => two.hashes().length === 2)

    async function rowsIn(): Promise<string[]> {
      await until(() => redis.cli('XLEN', key) === '2')
      return redis.cli('XRANGE', key, '-', '+').split('\n')
    }
  },
)
