import t, { type Test } from 'tap'
import { shareDeliveries } from '../../../src/gateway/redis/deliveries.ts'
import type { Store } from '../../../src/gateway/redis/store.ts'
import { type CountedSwap, Deliveries } from '../../../src/http/counts/deliveries.ts'
import { Mac } from '../../../src/runtime/mac.ts'
import { INSTANT, STILL } from '../../fixtures/clock.ts'
import { openStore, type RedisServer, skipWithoutRedis, startRedis, until } from '../../fixtures/redis.ts'

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

/** What is asked for only. */
const NEVER_MS = 1_000_000

/** An instance of its own, with what it counts. */
function instance(store: Store, secret = SECRET, everyMs = 20) {
  const deliveries = new Deliveries(STILL, secret)
  shareDeliveries({ store, secret, everyMs }, deliveries)
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
  return { deliveries, land, hashes, of: () => deliveries.truth.of('base', 'kyberswap') }
}

/** The ids, the names and the texts of a stream, once it has one. */
async function entriesIn(redis: RedisServer, key: string): Promise<readonly string[]> {
  await until(() => redis.cli('XLEN', key) !== '0')
  return redis.cli('XRANGE', key, '-', '+').split('\n')
}

t.test(
  'instances count together, and one that starts later counts what was',
  { skip: skipWithoutRedis() },
  async (t) => {
    const redis = await startRedis(t)
    const { store } = await openStore(t, redis.url)
    const [one, two] = [instance(store), instance(store)]
    one.land('0x1', 'a')
    two.land('0x2', 'a')
    two.land('0x3', 'b')
    await until(() => one.hashes().length === 3 && two.hashes().length === 3)
    for (const { of } of [one, two]) t.match(of(), { swaps: 3, clients: 2, medianBps: 10 })
    const late = instance(store)
    await until(() => late.hashes().length === 3)
    t.same(late.of(), one.of())
    t.same(late.hashes(), ['0x1', '0x2', '0x3'])
  },
)

t.test('a swap that two instances report counts once', { skip: skipWithoutRedis() }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url)
  const [one, two] = [instance(store), instance(store)]
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
  const one = instance(store)
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
  instance(store, 'o'.repeat(32)).land('0x8', 'a')
  one.land('0x2', 'a')
  const two = instance(store)
  await until(() => two.hashes().includes('0x2'))
  t.same(two.hashes(), ['0x1', '0x2'])
  t.same(one.hashes(), ['0x1', '0x2'])
})

t.test('what Redis misses is sent once it is back', { skip: skipWithoutRedis() }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url)
  const one = instance(store)
  one.land('0x1', 'a')
  await until(() => redis.cli('XLEN', store.key('rows', 'landed')) === '1')
  await redis.kill()
  await until(() => store.state === 'away')
  for (let nth = 2; nth < 300; nth++) one.land(`0x${nth}`, `client ${nth}`)
  t.equal(one.hashes().length, 299, 'an instance alone counts what it finds')
  await redis.restart()
  const two = instance(store)
  await until(() => two.hashes().length === 298)
  t.notOk(two.hashes().includes('0x1'), 'this one it had sent')
})

t.test('rows are bounded in number and time', { skip: skipWithoutRedis() }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url)
  const key = store.key('rows', 'landed')
  redis.cli('XADD', key, '1000-1', 'row', 'of 1970')
  redis.cli('EVAL', `for i = 1, 6000 do redis.call('XADD', KEYS[1], '*', 'row', 'x') end`, '1', key)
  const one = instance(store)
  one.land('0x1', 'a')
  const two = instance(store)
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
    const one = instance(store)
    one.land('0x1', 'a')
    const two = instance(store)
    await until(() => two.hashes().length === 1)
    const { store: apart } = await openStore(t, redis.url, { prefix: 'another' })
    instance(apart).land('0x2', 'a')
    const [, , sealed = ''] = await entriesIn(redis, apart.key('rows', 'landed'))
    redis.cli('DEL', key)
    redis.cli('XADD', key, `${Date.now() - 3_600_000}-0`, 'row', sealed)
    await until(() => two.hashes().length === 2)
  },
)

/** Two instances, of which the second reads builds only if it is asked for one. */
async function pair(t: Test) {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url)
  const key = store.key('builds', 'built')
  return { redis, store, key, one: instance(store), two: instance(store, SECRET, NEVER_MS) }
}

const edits = (blockhash: string) => ({
  ...{ blockhash, price: '18446744073709551615', limit: null, guards: 1, memos: 0, nonces: 0 },
})

t.test(
  'what one instance built, another finds once it is asked, and both count it',
  { skip: skipWithoutRedis() },
  async (t) => {
    const { redis, key, one, two } = await pair(t)
    const kind = { kind: 'tip', source: 'material' } as const
    const costs = [{ ...kind, amount: '5', currency: 'SOL', refundable: false }]
    one.deliveries.built('0x1', swap, '192.0.2.7')
    one.deliveries.built('two', { ...swap, costs, edits: edits('b0') }, '192.0.2.7')
    await until(() => redis.cli('XLEN', key) === '2')
    t.equal(two.deliveries.find('0x1', null), null)
    const found = await two.deliveries.search('0x1', null)
    t.same(found, one.deliveries.find('0x1', null))
    for (const blockhash of ['b0', 'restamped'])
      t.match(await two.deliveries.search('two', edits(blockhash)), { costs, edits: edits('b0') })
    t.equal(await two.deliveries.search('0x3', null), null, 'nobody built it')
    two.deliveries.landed(found!, landing('0x1'))
    await until(() => one.hashes().length === 1)
    for (const { of } of [one, two]) t.match(of(), { swaps: 1, clients: 1, medianBps: 10 })
    t.notMatch(redis.cli('XRANGE', key, '-', '+'), /192\.0\.2/)
  },
)

t.test(
  'a build that lands twice counts once, at whichever instance',
  { skip: skipWithoutRedis() },
  async (t) => {
    const { store, one } = await pair(t)
    one.land('0x1', 'a')
    for (const everyMs of [20, NEVER_MS]) {
      const other = instance(store, SECRET, everyMs)
      await until(() => other.hashes().length === 1)
      const found = await other.deliveries.search('0x1', null)
      other.deliveries.landed(found!, landing('0x2'))
      t.same(other.hashes(), ['0x1'])
    }
  },
)

t.test('what is no build of ours is not found', { skip: skipWithoutRedis() }, async (t) => {
  const { redis, store, key, one, two } = await pair(t)
  redis.cli('SET', key, 'of another program')
  one.deliveries.built('0x1', swap, 'a')
  const [, , sealed = ''] = await until(() => redis.cli('TYPE', key) === 'stream').then(() =>
    entriesIn(redis, key),
  )
  const [mac, json = ''] = [sealed.slice(0, 22), sealed.slice(23)]
  const sealedFor = (purpose: string, text: string) =>
    `${Mac.for(purpose, SECRET).of(text).subarray(0, 16).toString('base64url')} ${text}`
  const [forged, old] = [json.replace('0x1', '0x2'), json.replace('0x1', '0x3').replace('isMajor', 'is')]
  const strange = [sealedFor('rows of landed swaps', forged), sealedFor('builds of swaps', old)]
  for (const text of [`${mac} ${forged}`, forged, '', sealed, ...strange])
    redis.cli('XADD', key, '*', 'row', text)
  instance(store, 'o'.repeat(32)).deliveries.built('0x4', swap, 'a')
  await until(() => redis.cli('XLEN', key) === '8')
  const found = await Promise.all(['0x1', '0x2', '0x3', '0x4'].map((one) => two.deliveries.search(one, null)))
  t.same(
    found.map((one) => one?.digest),
    ['0x1', undefined, undefined, undefined],
  )
})

t.test('builds are bounded in number and time', { skip: skipWithoutRedis() }, async (t) => {
  const { redis, key, one } = await pair(t)
  redis.cli('XADD', key, '1000-1', 'row', 'of 1970')
  redis.cli('EVAL', `for i = 1, 13000 do redis.call('XADD', KEYS[1], '*', 'row', 'x') end`, '1', key)
  one.deliveries.built('0x1', swap, 'a')
  await until(() => redis.cli('XLEN', key) === '12000')
  const ms = Number(redis.cli('PTTL', key))
  t.ok(ms > 0 && ms <= 600_000, `${ms}`)
})

t.test('without Redis each finds its own', { skip: skipWithoutRedis() }, async (t) => {
  const { redis, store, key, one, two } = await pair(t)
  await redis.kill()
  await until(() => store.state === 'away')
  one.deliveries.built('0x1', swap, 'a')
  t.ok(await one.deliveries.search('0x1', null))
  t.equal(await two.deliveries.search('0x1', null), null)
  await redis.restart()
  await until(() => redis.cli('XLEN', key) === '1')
  t.ok(await two.deliveries.search('0x1', null), 'what it missed it has then')
})
