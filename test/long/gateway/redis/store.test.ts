import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { script } from '../../../../src/gateway/redis/script.ts'
import { ANSWER_MS, type StoreState } from '../../../../src/gateway/redis/store.ts'
import { handClock } from '../../../fixtures/clock.ts'
import {
  openStore,
  skipWithoutRedis,
  startCluster,
  startRedis,
  tryStore,
  until,
} from '../../../fixtures/redis.ts'

const skip = skipWithoutRedis()

/** A cluster takes two seconds to be one, in which the other tests run. */
const cluster = skip ? null : startCluster(t, '--requirepass', 'correct-horse-battery')

const COUNT = script("return redis.call('INCRBY', KEYS[1], ARGV[1])")

t.test('Redis on a Unix socket, with a password and without', { skip }, async (t) => {
  for (const password of [null, 'correct horse%battery']) {
    // The path of a socket has at most 107 characters.
    const folder = mkdtempSync(join(tmpdir(), 'redis socket-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'redis.sock')
    await startRedis(t, '--unixsocket', path, ...(password === null ? [] : ['--requirepass', password]))
    const credentials = password === null ? '' : `default:${encodeURIComponent(password)}@localhost`
    const { store } = await openStore(t, `unix://${credentials}${encodeURI(path)}`)
    t.equal(await store.run(COUNT, [store.key('count', 'all')], ['2']), 2)
    const wrong = await tryStore(t, `unix://default:wrong@localhost${encodeURI(path)}`)
    t.equal(wrong.store.state, password === null ? 'ok' : 'away')
  }
  t.equal((await tryStore(t, 'unix:///nowhere/redis.sock')).store.state, 'away')
})

t.test('a script runs in one round trip once Redis knows it', { skip }, async (t) => {
  const redis = await startRedis(t)
  const { store, changes } = await openStore(t, redis.url)
  t.equal(store.state, 'ok')
  t.strictSame(changes, [['ok', null]])
  const key = store.key('count', 'all')
  t.equal(key, 'swapgate:1:{count}:all')
  t.equal(await store.run(COUNT, [key], ['2']), 2)
  t.equal(await store.run(COUNT, [key], ['3']), 5)
  const calls = redis.cli('INFO', 'commandstats')
  t.match(calls, /cmdstat_eval:calls=1,/)
  t.match(calls, /cmdstat_evalsha:calls=2,/)

  redis.cli('SCRIPT', 'FLUSH')
  t.equal(await store.run(COUNT, [key], ['1']), 6, 'nor does it matter that Redis forgets it')
})

t.test('a command distinguishes an empty value from no answer', { skip }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url)
  const key = store.key('answer', 'a')
  t.equal(await store.command(key, ['GET', key]), null)
  t.equal(await store.command(key, ['SET', key, 'ä', 'PX', '60000']), 'OK')
  t.equal(await store.command(key, ['GET', key]), 'ä')
  t.equal(await store.command(key, ['HGET', key, 'of another type']), undefined, 'what fails is no answer')
  t.equal(await store.command(key, ['GET', key]), 'ä')
  t.same([store.state, store.cause], ['degraded', 'WRONGTYPE'])
})

t.test('Redis that is not there at the start is there once it is', { skip }, async (t) => {
  const redis = await startRedis(t)
  await redis.kill()
  const { store, changes } = await tryStore(t, redis.url)
  t.equal(store.state, 'away')
  t.equal(await store.command('a', ['GET', 'a']), undefined)
  await redis.restart()
  await until(() => store.state === 'ok')
  t.equal(await store.command('a', ['GET', 'a']), null)
  t.strictSame(changes, [
    ['away', 'refused'],
    ['ok', null],
  ])
})

t.test('Redis that is killed is noticed at once, and found again', { skip }, async (t) => {
  const redis = await startRedis(t)
  const { store, changes } = await openStore(t, redis.url)
  await redis.kill()
  await until(() => store.state === 'away')
  t.match(changes[1], ['away', /^(reset|refused)$/])
  await redis.restart()
  await until(() => store.state === 'ok')
  t.equal(await store.run(COUNT, ['a'], ['1']), 1, 'although the new one knows no scripts')
  t.strictSame(
    changes.map(([state]) => state),
    ['ok', 'away', 'ok'],
  )
})

t.test('Redis that hangs is waited for 50 ms, three times, and no more', { skip }, async (t) => {
  const redis = await startRedis(t)
  const clock = handClock()
  const { store, changes } = await openStore(t, redis.url, { clock, answerMs: ANSWER_MS })
  redis.pause()
  for (let i = 0; i < 3; i++) {
    t.same(
      [store.state, store.cause],
      i === 0 ? ['ok', null] : ['degraded', 'timeout'],
      `before wait ${i + 1}`,
    )
    let over = 0
    const asked = Array.from({ length: 100 }, () => store.run(COUNT, ['a'], ['1']).finally(() => over++))
    clock.advance(49)
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
    t.equal(over, 0, 'it may still answer')
    clock.advance(1)
    t.strictSame(new Set(await Promise.all(asked)), new Set([undefined]))
  }
  await until(() => store.state === 'away')
  for (let i = 0; i < 100; i++)
    t.equal(await store.run(COUNT, ['a'], ['1']), undefined, 'nobody waits any more')

  redis.resume()
  clock.advance(100) // the first try to connect again
  await until(() => store.state === 'ok')
  t.type(await store.run(COUNT, ['a'], ['1']), 'number')
  t.strictSame(changes, [
    ['ok', null],
    ['away', 'timeout'],
    ['ok', null],
  ])
})

t.test('Redis that hangs while idle is noticed, too', { skip }, async (t) => {
  const redis = await startRedis(t)
  const clock = handClock()
  const { store, changes } = await openStore(t, redis.url, { clock, answerMs: ANSWER_MS })
  redis.pause()
  await until(() => {
    clock.advance(50)
    return store.state === 'away'
  })
  t.same(changes[1], ['away', 'timeout'])
  redis.resume()
  clock.advance(100)
  await until(() => store.state === 'ok')
})

t.test('an instance that is itself late still reads the answer', { skip }, async (t) => {
  const redis = await startRedis(t)
  const clock = handClock()
  const { store } = await openStore(t, redis.url, { clock, answerMs: ANSWER_MS })
  await store.run(COUNT, ['a'], ['1'])
  const asked = store.run(COUNT, ['a'], ['1'])
  await sleep(1) // it is sent; and timers run before what has arrived is read
  while (redis.cli('GET', 'a') !== '2') {} // the event loop is held up until Redis has answered
  clock.advance(ANSWER_MS)
  t.equal(await asked, 2)
})

t.test('a password is used', { skip }, async (t) => {
  const redis = await startRedis(t, '--requirepass', 'correct-horse-battery')
  const right = await openStore(t, redis.url)
  t.equal(right.store.state, 'ok')
})

t.test('each way to be away has a cause of its own', { skip }, async (t) => {
  const redis = await startRedis(t, '--requirepass', 'correct-horse-battery')
  const raw = async (onConnection: (socket: Socket) => void): Promise<number> => {
    const server = createServer((socket) => onConnection(socket.on('error', () => {}))).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => server.close())
    return (server.address() as AddressInfo).port
  }
  const speaksNoTls = await raw((socket) => socket.end('hello, I speak no TLS\r\n'))
  const resets = await raw((socket) => socket.once('data', () => socket.resetAndDestroy()))
  const closes = await raw((socket) => socket.once('data', () => socket.end()))
  // No port of this machine's own choice, which others may be given meanwhile.
  const closed = 1
  for (const [urls, cause] of [
    [['redis://name.invalid'], 'dns'],
    [[`redis://127.0.0.1:${closed}`], 'refused'],
    [[`rediss://127.0.0.1:${speaksNoTls}`], 'tls'],
    [[`redis://127.0.0.1:${resets}`], 'reset'],
    [[`redis://127.0.0.1:${closes}`], 'reset'],
    [[redis.url.replace('correct', 'wrong')], 'WRONGPASS'],
    [[redis.url.replace(/:[^:@]*@/, '')], 'NOAUTH'],
    // Nodes of a cluster are tried one after the other.
    [[`redis://127.0.0.1:${closed}`, `redis://127.0.0.1:${closed}`], 'refused'],
    [Array(2).fill(redis.url.replace('correct', 'wrong')), 'WRONGPASS'],
    [[redis.url, redis.url], 'ERR'],
  ] as const) {
    const { changes } = await tryStore(t, urls)
    t.strictSame(changes, [['away', cause]], urls.join())
  }
})

t.test('an error that is not known is named by its class', async (t) => {
  class SurpriseError extends Error {}
  const told: unknown[] = []
  await tryStore(t, 'redis://127.0.0.1:1', {
    connect: () => Promise.reject(new SurpriseError('redis://:secret@host')),
    onChange: (...change) => told.push(change),
  })
  t.strictSame(told, [['away', 'unknown', 'SurpriseError']])
})

t.test('a bug is reported as one, and Redis is not at fault', async (t) => {
  const bugs: Error[] = []
  let tries = 0
  let sends = 0
  const { store, changes } = await openStore(t, 'redis://127.0.0.1:1', {
    onBug: (error) => bugs.push(error),
    async connect() {
      if (++tries < 4)
        throw tries < 2 ? Object.assign(new Error(), { code: 'ECONNREFUSED' }) : new TypeError('bug')
      return {
        async send(_key, [name]) {
          if (name === 'PING') return 'PONG'
          sends++
          throw new RangeError('bug')
        },
        lost: new Promise(() => {}),
        destroy() {},
      }
    },
  })
  await until(() => store.state === 'ok')
  t.match(bugs, [TypeError], 'once for all tries in a row')
  for (let i = 0; i < 5; i++) t.equal(await store.command('a', ['GET', 'a']), undefined)
  t.equal(sends, 5, 'Redis is still asked')
  t.equal(bugs.length, 6)
  t.strictSame(changes, [
    ['away', 'refused'],
    ['ok', null],
  ])
})

t.test('a cluster is found by one node of it, or by several', { skip }, async (t) => {
  const redis = (await cluster)!
  for (const urls of [[redis.url], [redis.url, redis.url.replace('127.0.0.1', 'localhost')]]) {
    const { store } = await openStore(t, urls)
    t.equal(store.state, 'ok')
    const keys = [store.key('count', 'all'), store.key('count', 'one')] as const
    t.type(await store.run(COUNT, keys, ['1']), 'number')
    t.equal(
      await store.run(COUNT, [keys[0], store.key('other', 'all')], ['1']),
      undefined,
      'two tags are two nodes',
    )
    store.close()
  }
})

t.test('a cluster that is killed, or hangs, is noticed and found again', { skip }, async (t) => {
  const redis = (await cluster)!
  const clock = handClock()
  const { store, changes } = await openStore(t, redis.url, { clock })
  const key = store.key('count', 'all')
  const later = (stepMs: number, state: StoreState) =>
    until(() => {
      clock.advance(stepMs)
      return store.state === state
    })
  await redis.kill()
  await until(async () => (await store.run(COUNT, [key], ['1'])) === undefined && store.state === 'away')
  await redis.restart()
  await later(10, 'ok') // little beside what an answer may take
  await until(async () => {
    clock.advance(10)
    return (await store.run(COUNT, [key], ['1'])) !== undefined
  })
  redis.pause()
  await later(1_000, 'away')
  redis.resume()
  await later(10, 'ok')
  t.type(await store.run(COUNT, [key], ['1']), 'number')
  t.same(changes[0], ['ok', null])
  t.same(changes.at(-1), ['ok', null])
})

t.test("a closed store closes Redis's connection", { skip }, async (t) => {
  const redis = await startRedis(t)
  const { store, changes } = await openStore(t, redis.url)
  store.close()
  await until(() => redis.cli('CLIENT', 'LIST', 'TYPE', 'normal').split('\n').length === 1)
  t.equal(await store.command('a', ['GET', 'a']), undefined)
  t.strictSame(changes, [['ok', null]], 'and says nothing of it')
})
