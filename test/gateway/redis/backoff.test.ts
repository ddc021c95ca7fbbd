/** The store over connections that a test makes and breaks, by a clock that it moves. */
import { ErrorReply } from '@redis/client'
import t, { type Test } from 'tap'
import type { RedisConnection } from '../../../src/gateway/redis/connection.ts'
import { Store, type StoreState } from '../../../src/gateway/redis/store.ts'
import { handClock, until } from '../../fixtures/clock.ts'

interface Sent {
  readonly command: readonly string[]
  answer(reply: unknown): void
  fail(error: Error): void
}

/** A connection whose answers are given by hand. */
class ByHand implements RedisConnection {
  readonly sent: Sent[] = []
  isDestroyed = false
  lose: (error: Error) => void = () => {}
  readonly lost = new Promise<Error>((resolve) => {
    this.lose = resolve
  })

  send(_key: string | null, command: readonly string[]): Promise<unknown> {
    return new Promise((answer, fail) => this.sent.push({ command, answer, fail }))
  }

  destroy(): void {
    this.isDestroyed = true
  }
}

/** Promises that are settled run to their end. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
}

function opening(t: Test, { onBug = (error: Error): void => void t.error(error), answerMs = 50 } = {}) {
  const clock = handClock()
  const tries: { at: number; connectMs: number; succeed(): ByHand; fail(error: Error): void }[] = []
  const changes: [StoreState, string | null][] = []
  const opened = Store.open({
    urls: ['redis://one'],
    prefix: 'p',
    clock,
    answerMs,
    onChange: (state, cause) => changes.push([state, cause]),
    onBug,
    connect: (_urls, connectMs) =>
      new Promise((resolve, fail) => {
        const succeed = () => {
          const connection = new ByHand()
          resolve(connection)
          return connection
        }
        tries.push({ at: clock.now(), connectMs, succeed, fail })
      }),
  })
  /** The last try succeeds, and its ping is answered. */
  const connected = async (): Promise<ByHand> => {
    const connection = tries.at(-1)!.succeed()
    await until(() => connection.sent.length === 1)
    connection.sent.shift()!.answer('PONG')
    await settle()
    return connection
  }
  /** How long the store waited for its next try, to 1 ms. */
  const waitedMs = async (): Promise<number> => {
    const count = tries.length
    const from = clock.now()
    await settle()
    while (tries.length === count) {
      if (clock.now() - from > 10_000) throw new Error('it does not try again')
      clock.advance(1)
      await settle()
    }
    return clock.now() - from
  }
  return { clock, tries, changes, opened, connected, waitedMs }
}

const refused = () => Object.assign(new Error('no'), { code: 'ECONNREFUSED' })

t.test('where it cannot connect, it waits twice as long each time, up to two seconds', async (t) => {
  const { tries, changes, opened, waitedMs } = opening(t)
  t.equal(tries[0]!.connectMs, 1_000)
  for (const most of [100, 200, 400, 800, 1_600, 2_000, 2_000]) {
    tries.at(-1)!.fail(refused())
    const ms = await waitedMs()
    t.ok(ms >= most / 2 && ms <= most + 1, `${ms} of ${most} ms`)
  }
  const store = await opened
  t.equal(store.state, 'away')
  t.same(changes, [['away', 'refused']], 'which is told once')
  t.equal(await store.command('k', ['GET', 'k']), undefined)
  store.close()
})

t.test('a connection that lived ten seconds was stable, and the next is tried for soon', async (t) => {
  for (const [livedMs, most] of [
    [9_999, 200],
    [10_000, 100],
  ] as const) {
    const { clock, tries, changes, opened, connected, waitedMs } = opening(t)
    const first = await connected()
    const store = await opened
    first.lose(refused())
    await waitedMs()
    const second = await connected()
    for (let ms = 0; ms < livedMs; ms++) {
      clock.advance(1)
      if (second.sent.length === 0) continue
      second.sent.shift()!.answer('PONG')
      await settle()
    }
    t.equal(store.state, 'ok')
    second.lose(refused())
    await settle()
    t.equal(store.state, 'away')
    t.ok(first.isDestroyed && second.isDestroyed)
    const ms = await waitedMs()
    t.ok(ms >= most / 2 && ms <= most + 1, `${ms} of ${most} ms`)
    t.equal(tries.length, 3)
    t.same(changes, [
      ['ok', null],
      ['away', 'refused'],
      ['ok', null],
      ['away', 'refused'],
    ])
    store.close()
  }
})

t.test(
  'three misses in a row are too many; an answer between them, and one that came late, make it anew',
  async (t) => {
    const { clock, opened, connected, changes } = opening(t)
    const connection = await connected()
    const store = await opened
    const miss = async (): Promise<void> => {
      const asked = [store.command('k', ['GET', 'k']), store.command('k', ['GET', 'k'])]
      connection.sent.length = 0
      clock.advance(50)
      t.same(await Promise.all(asked), [undefined, undefined])
    }
    await miss()
    await miss()
    const answered = store.command('k', ['GET', 'k'])
    connection.sent.shift()!.answer(null)
    t.equal(await answered, null)
    await miss()
    await miss()
    t.equal(store.state, 'degraded', 'the two of a pair are one miss')
    await miss()
    await settle()
    t.equal(store.state, 'away')
    t.same(changes.at(-1), ['away', 'timeout'])
    store.close()
  },
)

t.test('a bug is reported once, and again if it replaces another reason', async (t) => {
  const bugs: Error[] = []
  const { tries, changes, connected, waitedMs } = opening(t, { onBug: (error) => void bugs.push(error) })
  const [bug, other] = [new TypeError('x is undefined'), new TypeError('y is undefined')]
  const told: [number, number][] = []
  for (const error of [refused(), bug, other, refused(), bug]) {
    tries.at(-1)!.fail(error)
    await waitedMs()
    told.push([changes.length, bugs.length])
  }
  t.same(told, [
    [1, 0],
    [1, 1],
    [1, 1],
    [1, 1],
    [1, 2],
  ])
  const connection = await connected()
  connection.lose(bug)
  await waitedMs()
  t.same(
    [changes, bugs],
    [
      [
        ['away', 'refused'],
        ['ok', null],
      ],
      [bug, bug, bug],
    ],
  )
})

t.test('what a lost connection did not answer is not a miss of the next one', async (t) => {
  // So long that the next connection is there before the first one's time is over.
  const { clock, tries, opened, connected, waitedMs } = opening(t, { answerMs: 1_000 })
  const first = await connected()
  const store = await opened
  const asked = store.command('k', ['GET', 'k'])
  clock.advance(1)
  first.lose(refused())
  await waitedMs()
  t.equal(tries.length, 2)
  const second = await connected()
  first.sent[0]!.fail(refused())
  t.equal(await asked, undefined)
  for (const expected of ['degraded', 'degraded', 'away']) {
    clock.advance(1)
    const next = store.command('k', ['GET', 'k'])
    second.sent.shift()!.fail(refused())
    t.equal(await next, undefined)
    await settle()
    t.equal(store.state, expected)
  }
  store.close()
})

t.test('an answer that has come when the time is over counts', async (t) => {
  const { clock, opened, connected } = opening(t)
  const connection = await connected()
  const store = await opened
  const asked = store.command('k', ['GET', 'k'])
  clock.advance(50)
  connection.sent.shift()!.answer('late')
  t.equal(await asked, 'late')
  store.close()
})

t.test(
  'an error of Redis loses no connection: it is degraded until nothing has failed for ten seconds',
  async (t) => {
    const { clock, tries, opened, connected, changes } = opening(t)
    const connection = await connected()
    const store = await opened
    for (let i = 0; i < 4; i++) {
      const asked = store.command('p:1:{t}:k', ['GET', 'k'])
      connection.sent.shift()!.fail(new ErrorReply('OOM command not allowed'))
      t.equal(await asked, undefined)
      t.same([store.state, store.cause], ['degraded', 'OOM'])
    }
    t.same(
      [...store.failures],
      [
        ['timeout', 0],
        ['OOM', 4],
      ],
    )
    t.same(changes, [['ok', null]], 'what is over at once is not worth a line')
    /** The next probe, and what Redis says to it. */
    const probed = async (reply: string | Error): Promise<void> => {
      clock.advance(1_000)
      await settle()
      const [{ command, answer, fail }, ...others] = connection.sent.splice(0) as [Sent, ...Sent[]]
      t.same([command.slice(0, 2), others], [['SET', 'p:1:{t}:probe'], []], 'beside the key that failed')
      if (reply instanceof Error) fail(reply)
      else answer(reply)
      await settle()
    }
    await probed('OK')
    t.same(changes, [
      ['ok', null],
      ['degraded', 'OOM'],
    ])
    for (let i = 0; i < 8; i++) await probed('OK')
    t.equal(store.state, 'degraded')
    await probed('OK')
    t.same([store.state, store.cause], ['ok', null])
    t.same(changes.slice(2), [['ok', null]])
    t.equal(tries.length, 1)
    clock.advance(1_000)
    await settle()
    t.same(connection.sent.shift()!.command, ['PING'], 'and is pinged again')
    store.close()
  },
)

t.test('another connection takes the place of one that cannot write, if it can', async (t) => {
  const { clock, tries, opened, connected, changes } = opening(t)
  const first = await connected()
  const store = await opened
  const readOnly = () => new ErrorReply("READONLY You can't write against a read only replica.")
  const asked = store.command('p:1:{t}:k', ['SET'])
  first.sent.shift()!.fail(readOnly())
  await asked
  /** The probe fails; another connection is opened, whose own probe is then answered. */
  const tried = async (end: (probe: Sent) => void): Promise<ByHand> => {
    clock.advance(1_000)
    await settle()
    first.sent.shift()!.fail(readOnly())
    await settle()
    const other = tries.at(-1)!.succeed()
    await until(() => other.sent.length === 1)
    t.same(other.sent[0]!.command.slice(0, 2), ['SET', 'p:1:{t}:probe'])
    end(other.sent.shift()!)
    await settle()
    return other
  }
  const second = await tried(({ fail }) => fail(readOnly()))
  t.ok(second.isDestroyed)
  t.notOk(first.isDestroyed)
  t.same([store.state, store.cause], ['degraded', 'READONLY'])
  clock.advance(1_000)
  await settle()
  first.sent.shift()!.fail(readOnly())
  await settle()
  tries.at(-1)!.fail(refused())
  await settle()
  t.equal(store.state, 'degraded', 'that it cannot be opened changes nothing')
  const third = await tried(({ answer }) => answer('OK'))
  t.ok(first.isDestroyed)
  t.equal(store.state, 'ok')
  const wrote = store.command('p:1:{t}:k', ['SET'])
  third.sent.shift()!.answer('OK')
  t.equal(await wrote, 'OK')
  first.lose(refused())
  await settle()
  t.equal(store.state, 'ok', 'the old one is not missed')
  third.lose(refused())
  await settle()
  t.same(changes, [
    ['ok', null],
    ['degraded', 'READONLY'],
    ['ok', null],
    ['away', 'refused'],
  ])
  store.close()
})

t.test('a store that was closed in the meantime drops a new connection', async (t) => {
  const { clock, tries, opened, connected } = opening(t)
  const first = await connected()
  const store = await opened
  const asked = store.command('k', ['SET'])
  first.sent.shift()!.fail(new ErrorReply('OOM command not allowed'))
  await asked
  clock.advance(1_000)
  await settle()
  t.same(first.sent[0]!.command.slice(0, 2), ['SET', 'p:1:{probe}:probe'])
  first.sent.shift()!.fail(new ErrorReply('OOM command not allowed'))
  await settle()
  const other = tries.at(-1)!.succeed()
  await until(() => other.sent.length === 1)
  store.close()
  other.sent.shift()!.answer('OK')
  await settle()
  t.ok(first.isDestroyed && other.isDestroyed)
})

t.test('a connection that is idle for a second is pinged, one in use is not', async (t) => {
  const { clock, opened, connected } = opening(t)
  const connection = await connected()
  const store = await opened
  clock.advance(999)
  await settle()
  t.same(connection.sent, [])
  const asked = store.command('k', ['GET', 'k'])
  connection.sent.shift()!.answer(null)
  await asked
  clock.advance(1)
  await settle()
  t.same(connection.sent, [], 'it was used a moment ago')
  clock.advance(999)
  await settle()
  t.same(
    connection.sent.map(({ command }) => command),
    [['PING']],
  )
  store.close()
})

t.test('a server that takes a connection without answering is not up', async (t) => {
  const { clock, tries, changes, waitedMs } = opening(t)
  const connection = tries[0]!.succeed()
  await until(() => connection.sent.length === 1)
  clock.advance(50)
  await settle()
  t.ok(connection.isDestroyed)
  t.same(changes, [['away', 'timeout']])
  await waitedMs()
  const other = tries[1]!.succeed()
  await until(() => other.sent.length === 1)
  other.sent[0]!.fail(new ErrorReply('NOAUTH Authentication required.'))
  await settle()
  t.ok(other.isDestroyed)
  t.same(changes, [['away', 'timeout']], 'it was away before')
})

t.test('a closed store releases its connection, and stops trying', async (t) => {
  const { clock, tries, opened, connected, changes } = opening(t)
  const connection = await connected()
  const store = await opened
  store.close()
  await settle()
  t.ok(connection.isDestroyed)
  t.equal(store.state, 'away')
  t.same(changes, [['ok', null]])
  clock.advance(10_000)
  await settle()
  t.equal(tries.length, 1)

  const waiting = opening(t)
  waiting.tries[0]!.fail(refused())
  ;(await waiting.opened).close()
  waiting.clock.advance(10_000)
  await settle()
  t.equal(waiting.tries.length, 1)
})

t.test('a script that Redis does not know yet is sent whole', async (t) => {
  const { opened, connected } = opening(t)
  const connection = await connected()
  const store = await opened
  const script = { sha1: 'abc', text: 'return 1' }
  const asked = store.run(script as never, ['k1', 'k2'], ['x'])
  t.same(connection.sent[0]!.command, ['EVALSHA', 'abc', '2', 'k1', 'k2', 'x'])
  connection.sent.shift()!.fail(new ErrorReply('NOSCRIPT No matching script.'))
  await until(() => connection.sent.length === 1)
  t.same(connection.sent[0]!.command, ['EVAL', 'return 1', '2', 'k1', 'k2', 'x'])
  connection.sent.shift()!.answer(1)
  t.equal(await asked, 1)
  t.equal(store.key('tag', 'name'), 'p:1:{tag}:name')
  store.close()
})
