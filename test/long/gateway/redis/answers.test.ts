import t, { type Test } from 'tap'
import { CancellationScope } from '../../../../src/flow/cancellation.ts'
import { MAX_SKEW_MS, RedisAnswers } from '../../../../src/gateway/redis/answers.ts'
import { ANSWER_MS, type Store } from '../../../../src/gateway/redis/store.ts'
import { CLOCK, type Clock } from '../../../../src/runtime/clock.ts'
import { loggerTo } from '../../../../src/runtime/log.ts'
import type { AnswerAge, Codec, SharedAnswers } from '../../../../src/upstream/answers/shared-answers.ts'
import { handClock, INSTANT, PATIENT_MS } from '../../../fixtures/clock.ts'
import { openStore, type RedisServer, skipWithoutRedis, startRedis, until } from '../../../fixtures/redis.ts'

const skip = skipWithoutRedis()

interface Answer {
  readonly text: string
  readonly told?: AnswerAge
}

const CODEC: Codec<Answer> = {
  write: ({ text }) => JSON.stringify({ text }),
  read: (text, told) => ({ ...JSON.parse(text), told }),
}

interface InstanceOptions {
  readonly secret?: string
  readonly configuration?: string
  readonly keepMs?: number
  readonly callMs?: number
  readonly clock?: Clock
  /** By which it waits for Redis. */
  readonly storeClock?: Clock
  /** By how much its clock is ahead, ms. */
  readonly aheadMs?: number
  readonly codec?: Codec<Answer>
  readonly maxChars?: number
  /** How long it waits for Redis. */
  readonly answerMs?: number
}

/** No answer comes to an end during a test. */
const KEEP_MS = 600_000

/** One instance, whose flights land when the test says so. */
async function instance(t: Test, redis: RedisServer, options: InstanceOptions = {}) {
  const { storeClock = CLOCK, answerMs = PATIENT_MS } = options
  const { store } = await openStore(t, redis.url, { clock: storeClock, answerMs })
  return instanceOn(store, options)
}

function instanceOn(
  store: Store,
  {
    secret = 'a'.repeat(32),
    configuration = 'live',
    keepMs = KEEP_MS,
    callMs = KEEP_MS,
    clock = CLOCK,
    aheadMs = 0,
    codec = CODEC,
    maxChars = 64 * 1024,
  }: InstanceOptions = {},
) {
  let looks = 0
  const counting: Pick<Store, 'key' | 'run'> = {
    key: (...named) => store.key(...named),
    run: (...asked) => store.run(...asked).finally(() => looks++),
  }
  const faults: unknown[] = []
  const log = loggerTo({ write: (line: string) => void faults.push(JSON.parse(line)) }, 'error')
  const answers = new RedisAnswers({
    store: counting,
    secret,
    configuration,
    clock: { ...clock, date: () => INSTANT + aheadMs },
    log,
    // Neither comes to an end while a busy machine holds up an instance.
    leaseMs: KEEP_MS,
    markMs: KEEP_MS,
  })
  const sharedAnswers: SharedAnswers<Answer> = answers.of('test', codec, { callMs, maxChars })
  const flights: { land(text: string): void; crash(error: Error): void }[] = []
  return {
    answers,
    flights,
    faults,
    /** How often Redis has answered it, or was waited for in vain. */
    looks: () => looks,
    state: () => store.state,
    ask: (key = 'question', scope = new CancellationScope()) =>
      sharedAnswers.join(
        key,
        scope,
        () =>
          new Promise<Answer>((resolve, reject) =>
            flights.push({ land: (text) => resolve({ text }), crash: reject }),
          ),
        () => keepMs,
      ),
  }
}

/** The one key that there is. */
const keyIn = (redis: RedisServer): string => redis.cli('KEYS', '*')

t.test('one instance asks, and what it is answered is that of the others', { skip }, async (t) => {
  const redis = await startRedis(t)
  const all = await Promise.all([1, 2, 3, 4].map(() => instance(t, redis)))
  const asked = all.map(({ ask }) => ask())
  const flown = () => all.flatMap(({ flights }) => flights)
  await until(() => all.every(({ looks }) => looks() > 0))
  t.equal(flown().length, 1)
  flown()[0]!.land('it')
  t.same(
    (await Promise.all(asked)).map(({ text }) => text),
    ['it', 'it', 'it', 'it'],
  )
  const late = await all[0]!.ask()
  t.equal(late.text, 'it', 'it is at hand for who asks later')
  t.ok(late.told!.leftMs > 0 && late.told!.leftMs <= KEEP_MS)
  t.equal(flown().length, 1)
  t.equal(
    all.reduce((sum, { answers }) => sum + answers.counts.taken, 0),
    4,
  )
  const leftMs = Number(redis.cli('PTTL', keyIn(redis)))
  t.ok(leftMs > 0 && leftMs <= KEEP_MS, 'it goes when it no longer serves')
  t.notMatch(keyIn(redis), /question/, 'the name tells nothing of the question')
  all[1]!.ask('another')
  await until(() => flown().length === 2)
})

t.test('a long answer is short in Redis', { skip }, async (t) => {
  const redis = await startRedis(t)
  const [one, other] = [await instance(t, redis), await instance(t, redis)]
  const long = 'pool '.repeat(100_000)
  const asked = one.ask()
  await until(() => one.flights.length === 1)
  one.flights[0]!.land(long)
  await asked
  t.equal((await other.ask()).text, long)
  t.ok(Number(redis.cli('STRLEN', keyIn(redis))) < 10_000)
})

t.test(
  'what is not for others is not shared: each of those that wait asks for itself, at once',
  { skip },
  async (t) => {
    const redis = await startRedis(t)
    const endings: readonly [
      string,
      (flight: { land(text: string): void; crash(error: Error): void }, scope: CancellationScope) => void,
    ][] = [
      [
        'short',
        ({ land }, scope) => {
          scope.markThrottled()
          land('half of it')
        },
      ],
      ['failed', ({ crash }) => crash(new Error('down'))],
      ['too large', ({ land }) => land(Array.from({ length: 100_000 }, () => Math.random()).join())],
    ]
    for (const [name, end] of endings) {
      const [one, two, three] = await Promise.all([1, 2, 3].map(() => instance(t, redis)))
      const scope = new CancellationScope()
      const first = one!.ask(name, scope)
      first.catch(() => {})
      await until(() => one!.flights.length === 1)
      const others = [two!.ask(name), three!.ask(name)]
      await until(() => two!.looks() > 0 && three!.looks() > 0)
      t.equal(two!.flights.length + three!.flights.length, 0, name)
      end(one!.flights[0]!, scope)
      // Were they to follow each other, the third would wait for the second.
      await until(() => two!.flights.length + three!.flights.length === 2)
      two!.flights[0]!.land('all of it')
      three!.flights[0]!.land('all of it')
      t.same(
        (await Promise.all(others)).map(({ text }) => text),
        ['all of it', 'all of it'],
        name,
      )
      t.equal(one!.answers.counts.tooLarge, name === 'too large' ? 1 : 0)
    }
  },
)

t.test(
  'where a leader dies, the others wait for the rest of its lease, and one of them leads',
  { skip },
  async (t) => {
    const redis = await startRedis(t)
    const { store } = await openStore(t, redis.url)
    // Its clock stands still, so that it renews nothing.
    const dead = instanceOn(store, { clock: handClock() })
    void dead.ask()
    await until(() => dead.flights.length === 1)
    // What it would still send reaches nobody.
    store.close()
    const left = () => Number(redis.cli('PTTL', keyIn(redis)))
    t.ok(left() > 0 && left() <= KEEP_MS, 'it ends by itself')
    const clock = handClock()
    const patient = { clock, callMs: 1_000 * KEEP_MS }
    const all = [await instance(t, redis, patient), await instance(t, redis, patient)]
    const flights = () => all.flatMap(({ flights }) => flights)
    const asked = all.map(({ ask }) => ask())
    await until(() => all.every(({ looks }) => looks() > 0))
    t.equal(flights().length, 0, 'until then they wait')
    redis.cli('PEXPIRE', keyIn(redis), '1')
    await until(() => {
      clock.advance(50)
      return flights().length > 0
    })
    redis.cli('PEXPIRE', keyIn(redis), `${2 * KEEP_MS}`)
    clock.advance(KEEP_MS / 3)
    await until(() => left() <= KEEP_MS)
    t.equal(flights().length, 1, 'one that lives renews its lease')
    flights()[0]!.land('it')
    await until(() => {
      clock.advance(50)
      return all.every(({ answers }) => answers.counts.taken + answers.counts.put === 1)
    })
    t.same(
      (await Promise.all(asked)).map(({ text }) => text),
      ['it', 'it'],
    )
  },
)

t.test('if the leader has left, the next client leads', { skip }, async (t) => {
  const redis = await startRedis(t)
  const [one, two] = [await instance(t, redis), await instance(t, redis)]
  const scope = new CancellationScope()
  const first = one.ask('question', scope)
  await until(() => one.flights.length === 1)
  const second = two.ask()
  await until(() => two.looks() > 0)
  scope.cancel()
  one.flights[0]!.crash(new Error('given up'))
  await t.rejects(first, { message: 'given up' })
  await until(() => two.flights.length === 1)
  two.flights[0]!.land('it')
  t.equal((await second).text, 'it')
  t.equal((await one.ask()).text, 'it')
})

t.test('a client that leaves stops waiting, and makes no call', { skip }, async (t) => {
  const redis = await startRedis(t)
  const [one, two] = [await instance(t, redis), await instance(t, redis)]
  void one.ask()
  await until(() => one.flights.length === 1)
  const scope = new CancellationScope()
  const waiting = two.ask('question', scope)
  scope.cancel()
  await t.rejects(waiting)
  t.equal(two.flights.length, 0)
})

t.test('nobody waits for a flight longer than one may last', { skip }, async (t) => {
  const redis = await startRedis(t)
  const [one, two] = [await instance(t, redis), await instance(t, redis, { callMs: 100 })]
  void one.ask()
  await until(() => one.flights.length === 1)
  void two.ask()
  await until(() => two.flights.length === 1)
  t.pass('it asks for itself')
})

t.test('where Redis is away, all is as if there were no others', { skip }, async (t) => {
  const redis = await startRedis(t)
  const clock = handClock()
  const one = await instance(t, redis, { clock, storeClock: clock, answerMs: ANSWER_MS })
  /** @param waitMs  which Redis is waited for */
  const asksItself = async (key: string, waitMs = 0): Promise<void> => {
    const { length } = one.flights
    const asked = one.ask(key)
    await new Promise(setImmediate)
    if (waitMs > 0) t.equal(one.flights.length, length, 'it may still answer')
    clock.advance(waitMs)
    await until(() => one.flights.length === length + 1)
    one.flights.at(-1)!.land('own')
    t.equal((await asked).text, 'own')
  }
  await asksItself('usual')
  redis.pause()
  await asksItself('paused', ANSWER_MS)
  await until(() => {
    clock.advance(ANSWER_MS)
    return one.state() === 'away'
  })
  await asksItself('known to be away')
  redis.resume()
  await redis.kill()
  await asksItself('gone')
})

t.test('a wait ends when Redis goes away', { skip }, async (t) => {
  const redis = await startRedis(t)
  const clock = handClock()
  const [one, two] = [
    await instance(t, redis),
    await instance(t, redis, { clock, storeClock: clock, answerMs: ANSWER_MS }),
  ]
  void one.ask()
  await until(() => one.flights.length === 1)
  void two.ask()
  await until(() => two.looks() > 0)
  redis.pause()
  clock.advance(50) // the look that is due
  await new Promise(setImmediate)
  clock.advance(ANSWER_MS)
  await until(() => two.flights.length === 1)
  t.equal(two.state(), 'degraded', 'although it is not known to be away')
  redis.resume()
})

t.test('values that none of our instances wrote are ignored, and counted', { skip }, async (t) => {
  const redis = await startRedis(t)
  const one = await instance(t, redis)
  const asked = one.ask()
  await until(() => one.flights.length === 1)
  one.flights[0]!.land('it')
  await asked
  await until(() => one.answers.counts.put === 1)
  const key = keyIn(redis)
  await until(() => redis.cli('GET', key).startsWith('A'))
  const value = redis.cli('GET', key)
  t.match(value, /"it"/)
  const [start, end] = [value.slice(0, 10), value.slice(11)]
  const forged: readonly [string, readonly string[]][] = [
    ['another price', ['SET', key, value.replace('"it"', '"IT"'), 'PX', `${KEEP_MS}`]],
    [
      'kept for longer',
      ['SET', key, value.replace(`,${KEEP_MS}]`, `,${2 * KEEP_MS}]`), 'PX', `${2 * KEEP_MS}`],
    ],
    ['another MAC', ['SET', key, `${start}${value[10] === 'x' ? 'y' : 'x'}${end}`, 'PX', `${KEEP_MS}`]],
    ['truncated', ['SET', key, value.slice(0, -1), 'PX', `${KEEP_MS}`]],
    ['cut short', ['SET', key, value.slice(0, 20), 'PX', `${KEEP_MS}`]],
    ['empty', ['SET', key, '', 'PX', `${KEEP_MS}`]],
    ['of another form', ['SET', key, `B${value.slice(1)}`, 'PX', `${KEEP_MS}`]],
    ['for ever', ['SET', key, value]],
    ['younger than it can be', ['SET', key, value, 'PX', `${2 * KEEP_MS}`]],
    ['no text', ['HSET', key, 'a', 'b']],
    ['oversized', ['SET', key, `A${'x'.repeat(70_000)}`, 'PX', `${KEEP_MS}`]],
  ]
  for (const [name, command] of forged) {
    const other = await instance(t, redis)
    redis.cli('DEL', key)
    redis.cli(...command)
    const own = other.ask()
    await until(() => other.flights.length === 1)
    other.flights[0]!.land('own')
    t.equal((await own).text, 'own', name)
    t.match(other.answers.counts, { taken: 0, ignored: 1 }, name)
    t.same(other.faults, [], name)
    t.match(redis.cli('PTTL', key), /^[1-9]/, `${name}: it does not stay for ever`)
    if (name === 'no text') t.equal(redis.cli('TYPE', key), 'string', 'ours takes its place')
  }
  redis.cli('SET', key, value, 'PX', `${KEEP_MS - 500}`)
  const fair = await instance(t, redis)
  t.equal((await fair.ask()).text, 'it', 'the same unchanged is taken')
  redis.cli('SET', key, value, 'PX', `${KEEP_MS - 500}`)
  const small = await instance(t, redis, { maxChars: 20 })
  void small.ask()
  await until(() => small.flights.length === 1)
  t.equal(small.answers.counts.ignored, 1, 'nor is one that is larger than ours may be')
  redis.cli('SET', key, value, 'PX', `${KEEP_MS - 500}`)
  const later = await instance(t, redis, { aheadMs: MAX_SKEW_MS + 2_000 })
  const own = later.ask()
  await until(() => later.flights.length === 1)
  later.flights[0]!.land('own')
  t.equal((await own).text, 'own', 'what is put back later is not')
})

t.test(
  'an answer serves its own question, and instances of one secret and one configuration',
  { skip },
  async (t) => {
    const redis = await startRedis(t)
    const one = await instance(t, redis)
    const asked = one.ask()
    await until(() => one.flights.length === 1)
    one.flights[0]!.land('it')
    await asked
    await until(() => redis.cli('GET', keyIn(redis)).startsWith('A'))
    const [key, value] = [keyIn(redis), redis.cli('GET', keyIn(redis))]
    const others: InstanceOptions[] = [{ secret: 'b'.repeat(32) }, { configuration: 'stated' }]
    for (const options of others) {
      const other = await instance(t, redis, options)
      void other.ask()
      await until(() => other.flights.length === 1)
    }
    // Under the name of another question, what is authentic is an answer to nothing.
    const two = await instance(t, redis)
    void two.ask('another')
    await until(() => two.flights.length === 1)
    const name = redis
      .cli('KEYS', '*')
      .split('\n')
      .find((name) => name !== key && redis.cli('GET', name) !== '')!
    for (const name of redis.cli('KEYS', '*').split('\n'))
      if (name !== key) redis.cli('SET', name, value, 'PX', `${KEEP_MS - 500}`)
    t.ok(name)
    const three = await instance(t, redis)
    void three.ask('another')
    await until(() => three.flights.length === 1)
    t.equal(three.answers.counts.ignored, 1)
  },
)

t.test(
  "ages come from Redis's clock, and other instances' times are converted to ours",
  { skip },
  async (t) => {
    const redis = await startRedis(t)
    const one = await instance(t, redis, { aheadMs: 5_000 })
    const asked = one.ask()
    await until(() => one.flights.length === 1)
    one.flights[0]!.land('it')
    await asked
    await until(() => redis.cli('GET', keyIn(redis)).startsWith('A'))
    redis.cli('PEXPIRE', keyIn(redis), `${KEEP_MS - 2_000}`)
    const { told } = await (await instance(t, redis)).ask()
    t.ok(told!.ageMs >= 2_000)
    t.equal(told!.ageMs + told!.leftMs, KEEP_MS)
    t.equal(told!.skewMs, -5_000 - told!.ageMs)
  },
)

t.test(
  'a codec of ours that cannot read what one of ours wrote is a fault, and costs no answer',
  { skip },
  async (t) => {
    const redis = await startRedis(t)
    const one = await instance(t, redis)
    const asked = one.ask()
    await until(() => one.flights.length === 1)
    one.flights[0]!.land('it')
    await asked
    const read = (): Answer => {
      throw new TypeError('a bug')
    }
    const two = await instance(t, redis, { codec: { ...CODEC, read } })
    const own = two.ask()
    await until(() => two.flights.length === 1)
    two.flights[0]!.land('own')
    t.equal((await own).text, 'own')
    t.match(two.faults, [{ msg: 'fault' }])
  },
)
