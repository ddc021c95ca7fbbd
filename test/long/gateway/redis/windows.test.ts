/** The script that decides for all instances, against the window that decides for one. */
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { script } from '../../../../src/gateway/redis/script.ts'
import type { Store } from '../../../../src/gateway/redis/store.ts'
import { DECIDE, RedisWindows } from '../../../../src/gateway/redis/windows.ts'
import { FixedWindow, type WindowCounts } from '../../../../src/http/limit/fixed-window.ts'
import fc from '../../../fixtures/fast-check.ts'
import {
  openStore,
  type RedisServer,
  skipWithoutRedis,
  startCluster,
  startRedis,
  until,
} from '../../../fixtures/redis.ts'

const skip = skipWithoutRedis()

const NOTHING: WindowCounts = { number: 0, clientSpent: 0, globalSpent: 0 }
/** So long that none ends during a test. */
const LONG_MS = 1e10

/** A cluster takes two seconds to be one, in which the other tests run. */
const cluster = skip ? null : startCluster(t)

async function start(t: Test): Promise<{ redis: RedisServer; store: Store }> {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url)
  return { redis, store }
}

/** The script with the clock that it is given, in the place of Redis's. */
const DECIDE_AT = script(DECIDE.text.replace("redis.call('TIME')", '{ARGV[10], ARGV[11]}'))

t.test('decides as the window of one instance does', { skip }, async (t) => {
  t.not(DECIDE_AT.text, DECIDE.text)
  const { store } = await start(t)
  const limit = fc.option(fc.integer({ min: 1, max: 6 }), { nil: Infinity })
  const step = fc.record({
    client: fc.integer({ min: 0, max: 5 }),
    cost: fc.constantFrom(0, 1, 1, 1),
    laterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 }), fc.integer({ min: 900, max: 2_500 })),
  })
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      limit,
      limit,
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 60 }),
      async (clientMax, globalMax, maxClients, steps) => {
        const windowMs = 1_000
        const window = new FixedWindow({ clientMax, globalMax, windowMs, maxClients })
        const key = store.key('swap', `run ${run++}`)
        const ofLimit = (max: number): string => String(max === Infinity ? -1 : max)
        // Keys of the past expire at once, so that it is the future that the clock begins in.
        let now = 4e12
        for (const { client, cost, laterMs } of steps) {
          now += laterMs
          const isAdmitted = cost === 0 ? window.at(now).peek(0, client, 1) : window.at(now).take(0, client)
          const reply = (await store.run(
            DECIDE_AT,
            [key],
            [
              ...[`0:${client}`, ofLimit(clientMax), ofLimit(globalMax), String(cost)],
              ...[String(windowMs), String(Math.min(maxClients, globalMax)), '0', '0', '0'],
              ...[String(Math.floor(now / 1_000)), String((now % 1_000) * 1_000)],
            ],
          )) as number[]
          const [refusal, number, clientSpent, globalSpent, remainingMs] = reply
          if (cost > 0) {
            const refusedBy = isAdmitted ? 0 : window.refusedBy === 'client' ? 1 : 2
            if (refusal !== refusedBy) return false
          }
          if (number !== Math.floor(now / windowMs)) return false
          if (clientMax !== Infinity && clientMax - clientSpent! !== window.clientRemaining) return false
          if (globalMax - globalSpent! !== window.globalRemaining) return false
          if (remainingMs !== window.remainingMs) return false
        }
        return true
      },
    ),
    { numRuns: 150 },
  )
})

t.test('a clock that steps back stays in the window that it was in', { skip }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url, { answerMs: 5_000 })
  const key = store.key('swap', 'stepping')
  const WINDOW_MS = 1_000
  /** Spends one of five, at a time of Redis's clock. @returns the refusal, the window, what is spent, and what is left of it */
  const spendAt = async (now: number) =>
    (await store.run(
      DECIDE_AT,
      [key],
      [
        ...['0:1', '5', '-1', '1', String(WINDOW_MS), '9', '0', '0', '0'],
        ...[String(Math.floor(now / 1_000)), String((now % 1_000) * 1_000)],
      ],
    )) as number[]
  const begin = 4e12
  const window = begin / WINDOW_MS
  t.same(await spendAt(begin + 100), [0, window, 1, 1, 900])
  t.same(await spendAt(begin + 50), [0, window, 2, 2, 950], 'within the window')
  t.same(await spendAt(begin - 1), [0, window, 3, 3, 1_001], 'to the one before')
  t.same(await spendAt(begin - 1_000), [0, window, 4, 4, 2_000], 'to its beginning')
  t.same(await spendAt(begin + 999), [0, window, 5, 5, 1])
  t.same(await spendAt(begin - 500), [1, window, 5, 5, 1_500], 'and frees nobody')
  t.same(await spendAt(begin + 1_000), [0, window + 1, 1, 1, 1_000])
  const back = begin - 3_600_000
  const then = back / WINDOW_MS
  t.same(await spendAt(back), [0, then, 2, 2, 1_000], 'and from further back brings along what is spent')
  t.equal(redis.cli('PEXPIRETIME', key), String(back + 2_000))
  for (let spent = 3; spent <= 5; spent++) t.match(await spendAt(back), [0, then, spent])
  const further = back - 3_600_000
  t.same(await spendAt(further), [1, further / WINDOW_MS, 5, 5, 1_000], 'also to a refusal')
  t.equal(redis.cli('PEXPIRETIME', key), String(further + 2_000))
  t.same(await spendAt(further + 1_000), [0, further / WINDOW_MS + 1, 1, 1, 1_000], 'which lasts no longer')
})

t.test(
  'a Redis that lost its data, by a clock behind, goes on from what instances saw',
  { skip },
  async (t) => {
    const { store } = await start(t)
    const number = 4e9
    /** The window as an instance knows it, so many windows ahead of Redis's clock. */
    const decide = async (ahead: number, clientSpent: number, globalSpent: number, name: string) =>
      (await store.run(
        DECIDE_AT,
        [store.key('swap', name)],
        [
          ...['0:1', '5', '9', '1', '1000', '9', String(number + ahead), String(clientSpent)],
          ...[String(globalSpent), String(number), '0'],
        ],
      )) as number[]
    t.same(await decide(1, 4, 8, 'one'), [0, number + 1, 5, 9, 2_000])
    t.same(await decide(0, 0, 0, 'one'), [1, number + 1, 5, 9, 2_000], 'and all others with it')
    t.same(
      await decide(1, 0, 0, 'unused'),
      [0, number, 1, 1, 1_000],
      'a window that is unused is not begun early',
    )
    t.same(await decide(2, 4, 8, 'two'), [0, number, 5, 9, 1_000], 'what is further ahead counts in this one')
    t.same(await decide(-1, 4, 8, 'past'), [0, number, 1, 1, 1_000])
  },
)

for (const [title, offMs, keepsData] of [
  ['two seconds behind, with its data', -2_000, true],
  ['two seconds behind, without it', -2_000, false],
  ['two seconds ahead, with its data', 2_000, true],
  ['two seconds ahead, without it', 2_000, false],
] as const) {
  t.test(`a Redis whose clock is ${title} takes over from four instances`, { skip }, async (t) => {
    const { redis, store } = await start(t)
    const [MAX, WINDOW_MS] = [20, 60_000]
    const windows = Array.from(
      { length: 4 },
      () => new FixedWindow({ clientMax: Infinity, globalMax: MAX, windowMs: WINDOW_MS }),
    )
    const begin = 4e12 - (4e12 % WINDOW_MS)
    /** Each instance asks so many times, by its own clock and Redis's. @returns how many were admitted */
    const burst = async (requests: number, at: number, offMs: number): Promise<number> => {
      const [now, redisNow] = [begin + at, begin + at + offMs]
      let admitted = 0
      for (let i = 0; i < 4 * requests; i++) {
        const window = windows[i % 4]!
        const { number, clientSpent, globalSpent } = window.at(now).view(0, 1)
        const reply = (await store.run(
          DECIDE_AT,
          [store.key('swap', 'window')],
          [
            ...['0:1', '-1', String(MAX), '1', String(WINDOW_MS), '9'],
            ...[number, clientSpent, globalSpent].map(String),
            ...[String(Math.floor(redisNow / 1_000)), String((redisNow % 1_000) * 1_000)],
          ],
        )) as [number, number, number, number, number]
        const decision = {
          ...{ refusedBy: reply[0] === 0 ? null : ('global' as const), number: reply[1] },
          ...{ clientSpent: reply[2], globalSpent: reply[3], remainingMs: reply[4] },
        }
        if (window.at(now).adopt(0, 1, decision)) admitted++
      }
      return admitted
    }
    t.equal(await burst(3, 59_000, 0), 12)
    // A moment ago the window has turned by the first clock.
    t.equal(await burst(1, 60_500, 0), 4)
    if (!keepsData) redis.cli('FLUSHALL')
    // Three of the four did not see what those after them spent.
    t.equal(await burst(10, 61_000, offMs), keepsData ? MAX - 4 : MAX - 1, 'the window goes on')
    for (let at = 62_000; at < 120_000 - offMs; at += 9_500) {
      t.equal(await burst(2, at, offMs), 0, `${at}: until it ends by the clock of now`)
    }
    t.equal(await burst(10, 120_500 - offMs, offMs), MAX, 'and the next is whole')
    t.equal(await burst(10, 179_000 - offMs, offMs), 0)
  })
}

t.test(
  "another program's value under a budget's key decides nothing, and does not stay",
  { skip },
  async (t) => {
    const { redis, store } = await start(t)
    const windows = new RedisWindows(store, LONG_MS)
    const key = store.key('swap', 'window')
    const decide = (cost: 0 | 1 = 1) =>
      windows.decide('swap', { client: 2, global: 3 }, { hi: 0, lo: 1 }, cost, NOTHING)
    const { number } = (await decide())!
    const hash = (...fields: string[]) => ['HSET', key, 'window', String(number), ...fields]
    for (const [title, command] of [
      ['a text', ['SET', key, 'x']],
      ['a list', ['RPUSH', key, 'x']],
      ['a set', ['SADD', key, 'x']],
      ['a sorted set', ['ZADD', key, '1', 'x']],
      ['a hash without a window', ['HSET', key, 'all', '3', '0:1', '2']],
      ['a window that is none', ['HSET', key, 'window', 'nan', 'all', '3', '0:1', '2']],
      ['counts below 0', hash('all', '-5', '0:1', '-5')],
      ['counts that are not whole', hash('all', '1.5', '0:1', '0.5')],
      ['counts beyond all numbers', hash('all', 'inf', '0:1', '1e300')],
      ['counts that are no numbers', hash('all', 'x', '0:1', 'nan')],
    ] as const) {
      redis.cli('DEL', key)
      t.notMatch(redis.cli(...command), /ERR/, title)
      t.match(await decide(0), { refusedBy: null, clientSpent: 0, globalSpent: 0 }, title)
      t.match(await decide(), { refusedBy: null, clientSpent: 1, globalSpent: 1 }, title)
      t.match(await decide(), { refusedBy: null, clientSpent: 2, globalSpent: 2 }, title)
      t.match(await decide(), { refusedBy: 'client' }, title)
      t.equal(redis.cli('PEXPIRETIME', key), String((number + 1) * LONG_MS + 1_000), title)
    }
    redis.cli('PERSIST', key)
    await decide(0)
    t.equal(redis.cli('PEXPIRETIME', key), String((number + 1) * LONG_MS + 1_000), 'nor without an end')
    t.equal(store.state, 'ok')
  },
)

t.test('a refusal and a peek spend nothing, and write nothing', { skip }, async (t) => {
  const { redis, store } = await start(t)
  const windows = new RedisWindows(store, LONG_MS)
  const decide = (lo: number, cost: 0 | 1) =>
    windows.decide('swap', { client: 2, global: 3 }, { hi: 0, lo }, cost, NOTHING)
  t.match(await decide(1, 0), { refusedBy: null, clientSpent: 0, globalSpent: 0 })
  t.equal(redis.cli('DBSIZE'), '0')
  t.match(await decide(1, 1), { refusedBy: null, clientSpent: 1, globalSpent: 1 })
  t.match(await decide(1, 1), { refusedBy: null, clientSpent: 2, globalSpent: 2 })
  t.match(await decide(1, 1), { refusedBy: 'client', clientSpent: 2, globalSpent: 2 })
  t.match(await decide(2, 1), { refusedBy: null, clientSpent: 1, globalSpent: 3 })
  t.match(await decide(2, 1), { refusedBy: 'global', clientSpent: 1, globalSpent: 3 })
  t.match(await decide(1, 1), { refusedBy: 'client' }, 'where both refuse it is the client')
  t.match(await decide(3, 0), { refusedBy: null, clientSpent: 0, globalSpent: 3 })
  t.equal(redis.cli('DBSIZE'), '1', 'a budget is one key')
  t.strictSame(redis.cli('KEYS', '*'), 'swapgate:1:{swap}:window')
  t.equal(redis.cli('HLEN', 'swapgate:1:{swap}:window'), '4', 'the window, all, and two clients')
})

t.test('a reply that the script cannot have given decides nothing', async (t) => {
  const seen: WindowCounts = { number: 0, clientSpent: 0, globalSpent: 0 }
  const limit = { client: 10, global: 100 }
  const decide = (reply: unknown) => {
    const store = {
      key: (tag: string, name: string) => `${tag} ${name}`,
      run: async () => reply,
      state: 'ok' as const,
    }
    return new RedisWindows(store, 60_000).decide('swap', limit, { hi: 1, lo: 2 }, 1, seen)
  }
  t.match(await decide([1, 7, 10, 10, 120_000]), { refusedBy: 'client', number: 7, remainingMs: 120_000 })
  const wrong: readonly unknown[] = [
    undefined,
    null,
    'OK',
    [],
    [0, 7, 1, 1],
    [0, 7, 1, 1, 5, 5],
    [3, 7, 1, 1, 5],
    [0, 7, 1, -1, 5],
    [0, 7, '1', 1, 5],
    [0, 7, 1, Number.NaN, 5],
    [0, 7, 1, 1, 120_001],
    ['0', 7, 1, 1, 'x\r\nSet-Cookie: a'],
  ]
  for (const reply of wrong) t.equal(await decide(reply), null, JSON.stringify(reply))
})

t.test('a window is gone from Redis a second after its end', { skip }, async (t) => {
  const { redis, store } = await start(t)
  const decision = await new RedisWindows(store, 60_000).decide(
    'swap',
    { client: 2, global: 3 },
    { hi: 0, lo: 1 },
    1,
    NOTHING,
  )
  const { number, remainingMs } = decision!
  t.equal(redis.cli('PEXPIRETIME', 'swapgate:1:{swap}:window'), String((number + 1) * 60_000 + 1_000))
  t.ok(remainingMs > 0 && remainingMs <= 60_000)
})

t.test('what an instance knows is not forgotten with Redis', { skip }, async (t) => {
  const { redis, store } = await start(t)
  const windows = new RedisWindows(store, LONG_MS)
  const limit = { client: 10, global: 20 }
  const client = { hi: 0, lo: 1 }
  const { number } = (await windows.decide('swap', limit, client, 1, NOTHING))!
  await redis.kill()
  await until(() => store.state === 'away')
  t.equal(await windows.decide('swap', limit, client, 1, NOTHING), null)
  await redis.restart()
  await until(() => store.state === 'ok')
  const seen = { number, clientSpent: 9, globalSpent: 18 }
  t.match(await windows.decide('swap', limit, client, 1, seen), {
    refusedBy: null,
    clientSpent: 10,
    globalSpent: 19,
  })
  t.match(await windows.decide('swap', limit, client, 1, NOTHING), { refusedBy: 'client' })
  const other = { hi: 0, lo: 2 }
  const former = { number: number - 1, clientSpent: 10, globalSpent: 20 }
  t.match(
    await windows.decide('swap', limit, other, 1, former),
    { refusedBy: null, clientSpent: 1, globalSpent: 20 },
    'but what it knows of another window is nothing',
  )
})

t.test('all keys of a decision are on one node of a cluster', { skip }, async (t) => {
  const redis = (await cluster)!
  const { store } = await openStore(t, redis.url, { prefix: 'nodes' })
  const windows = new RedisWindows(store, LONG_MS)
  for (const name of ['swap', 'portfolio', 'rpcSend'] as const) {
    t.match(await windows.decide(name, { client: 1, global: 2 }, { hi: 0, lo: 1 }, 1, NOTHING), {
      refusedBy: null,
      globalSpent: 1,
    })
  }
})

t.test('a window takes at most the documented memory', { skip }, async (t) => {
  const { redis, store } = await start(t)
  const windows = new RedisWindows(store, LONG_MS)
  const limit = { client: 60, global: 1_200 }
  for (let i = 0; i < 1_200; i += 100) {
    const clients = Array.from({ length: 100 }, (_, j) => ({
      hi: 0x2001_0db8,
      lo: Math.imul(i + j, 2_654_435_761),
    }))
    await Promise.all(clients.map((client) => windows.decide('swap', limit, client, 1, NOTHING)))
  }
  const key = store.key('swap', 'window')
  t.equal(redis.cli('HLEN', key), '1202')
  const bytes = Number(redis.cli('MEMORY', 'USAGE', key, 'SAMPLES', '0'))
  t.ok(bytes > 0 && bytes <= 1_200 * 110, `${bytes} bytes`)
})

t.test('the documented Redis user can do everything that is needed', { skip }, async (t) => {
  const docs = readFileSync(new URL('../../../../docs/instances.md', import.meta.url), 'utf8')
  const [, rules] = /ACL SETUSER swapgate (.+)/.exec(docs)!
  for (const redis of [await startRedis(t), (await cluster)!]) {
    t.equal(redis.cli('ACL', 'SETUSER', 'swapgate', ...rules!.split(' ')), 'OK')
    const url = redis.url.replace('//', '//swapgate:password@')
    const decide = async (prefix: string) => {
      const { store } = await openStore(t, url, { prefix })
      const limit = { client: 1, global: 2 }
      return new RedisWindows(store, LONG_MS).decide('swap', limit, { hi: 0, lo: 1 }, 1, NOTHING)
    }
    t.match(await decide('swapgate'), { globalSpent: 1 })
    t.match(await decide('swapgate'), { refusedBy: 'client' })
    t.equal(await decide('other'), null, 'and nothing beside its prefix')
  }
})
