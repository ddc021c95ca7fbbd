/** When instances look, renew and publish: over a store in memory, by a clock that stands still. */
import t from 'tap'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import { MAX_SKEW_MS, RedisAnswers } from '../../../src/gateway/redis/answers.ts'
import type { Store } from '../../../src/gateway/redis/store.ts'
import { loggerTo } from '../../../src/runtime/log.ts'
import type { AnswerAge, Codec } from '../../../src/upstream/answers/shared-answers.ts'
import { type HandClock, handClock, until } from '../../fixtures/clock.ts'

interface Answer {
  readonly text: string
  readonly age?: AnswerAge
}

const CODEC: Codec<Answer> = {
  write: ({ text }) => (text === 'secret' ? null : text),
  read: (text, age) => ({ text, age }),
}

/** The three scripts of answers.ts over a Map, and what they were asked. */
function memory(clock: HandClock) {
  const values = new Map<string, { value: string; until: number }>()
  const runs: { at: number; kind: 'ask' | 'hold' | 'put'; args: readonly string[] }[] = []
  const find = (name: string) => {
    const found = values.get(name)
    return found !== undefined && found.until > clock.now() ? found : undefined
  }
  const run = async ({ text }: { text: string }, [name]: readonly string[], args: readonly string[]) => {
    const kind = text.includes("'NX'") ? 'ask' : text.includes('PEXPIRE') ? 'hold' : 'put'
    runs.push({ at: clock.now(), kind, args })
    const lease = `L${args[0]}`
    const found = find(name!)
    if (kind === 'ask') {
      if (found !== undefined) return [found.value, found.until - clock.now()]
      values.set(name!, { value: lease, until: clock.now() + Number(args[1]) })
      return ['lease']
    }
    if (kind === 'put' ? found !== undefined && found.value !== lease : found?.value !== lease) return 0
    const value = kind === 'put' ? args[1]! : lease
    values.set(name!, { value, until: clock.now() + Number(args.at(-1)) })
    return 1
  }
  return { store: { key: (tag: string) => tag, run } as unknown as Store, values, runs }
}

function world({ callMs = 8_000, maxChars = 64 * 1024, keepMs = 2_000 } = {}) {
  const clock = handClock()
  const { store, values, runs } = memory(clock)
  const log = loggerTo({ write: () => {} }, 'silent')
  const startedAt = clock.now()
  const instance = (aheadMs = 0) => {
    const own = { ...clock, date: () => clock.date() + aheadMs }
    const answers = new RedisAnswers({ store, secret: 'x'.repeat(32), configuration: 'c', clock: own, log })
    const shared = answers.of('test', CODEC, { callMs, maxChars })
    const land: ((text: string) => void)[] = []
    const join = (scope = new CancellationScope()) =>
      shared.join(
        'question',
        scope,
        () => new Promise<Answer>((resolve) => land.push((text) => resolve({ text }))),
        () => keepMs,
      )
    return { counts: answers.counts, join, land }
  }
  /** The times of what was run, ms from the start. */
  const timesOf = (kind: string, from = 0): number[] =>
    runs.slice(from).flatMap((run) => (run.kind === kind ? [run.at - startedAt] : []))
  /** Millisecond by millisecond; what is due comes to its end before the next. */
  const pass = async (ms: number): Promise<void> => {
    await settle()
    for (let i = 0; i < ms; i++) {
      clock.advance(1)
      await settle()
    }
  }
  return { clock, values, runs, instance, timesOf, pass }
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate)
}

t.test(
  'who waits looks after a tenth of its wait so far, between 5 and 50 ms, and for no longer than a call',
  async (t) => {
    const { instance, runs, timesOf, pass } = world({ callMs: 700 })
    const leader = instance()
    const leading = leader.join()
    await until(() => leader.land.length === 1)
    const before = runs.length
    const follower = instance()
    const following = follower.join()
    await pass(900)
    const looks = timesOf('ask', before)
    t.same(looks.slice(0, 12), [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55])
    for (const [i, at] of looks.slice(1).entries()) {
      const waited = at - looks[i]!
      // The clock of the test moves by whole milliseconds.
      t.equal(waited, Math.ceil(Math.min(50, Math.max(5, looks[i]! / 10))), `after ${looks[i]} ms`)
    }
    t.ok(looks.at(-1)! >= 700 && looks.at(-1)! < 750)
    t.equal(follower.land.length, 1, 'it asks for itself')
    leader.land[0]!('a')
    follower.land[0]!('b')
    t.equal((await leading).text, 'a')
    t.equal((await following).text, 'b')
  },
)

t.test('a lease is renewed every half second, for as long as a call may last', async (t) => {
  const { instance, timesOf, runs, pass } = world({ callMs: 1_000 })
  const leader = instance()
  const leading = leader.join()
  await pass(3_000)
  t.same(timesOf('hold'), [500, 1_000])
  t.same(
    runs.flatMap(({ kind, args }) => (kind === 'hold' ? [args[1]] : [])),
    ['1500', '1500'],
  )
  leader.land[0]!('late')
  await leading
  await pass(1_000)
  t.equal(timesOf('hold').length, 2)
})

t.test(
  'an answer stays for as long as it serves; what is not for others leaves a mark for 250 ms',
  async (t) => {
    for (const [text, keepMs, isThrottled, written] of [
      ['for all', 2_000, false, '2000'],
      ['for all', 1, false, '1'],
      ['for all', 0, false, null],
      ['secret', 2_000, false, null],
      ['for one', 2_000, true, null],
    ] as const) {
      const { instance, runs } = world({ keepMs })
      const leader = instance()
      const scope = new CancellationScope()
      const leading = leader.join(scope)
      await until(() => leader.land.length === 1)
      if (isThrottled) scope.markThrottled()
      leader.land[0]!(text)
      t.equal((await leading).text, text)
      await until(() => runs.some(({ kind }) => kind === 'put'))
      const [, value, ms] = runs.find(({ kind }) => kind === 'put')!.args
      t.same(
        [value === 'N', ms],
        written === null ? [true, '250'] : [false, written],
        `${text}, ${keepMs} ms`,
      )
      t.equal(leader.counts.put, written === null ? 0 : 1)
      const other = instance()
      void other.join()
      await until(() => other.land.length === 1 || other.counts.taken === 1)
      t.equal(other.counts.taken, written === null ? 0 : 1)
    }
  },
)

t.test('a client that has left releases its lease at once', async (t) => {
  const { instance, runs } = world()
  const leader = instance()
  const scope = new CancellationScope()
  const leading = leader.join(scope)
  await until(() => leader.land.length === 1)
  scope.cancel()
  leader.land[0]!('a')
  await leading
  t.same(
    runs.flatMap(({ kind, args }) => (kind === 'ask' ? [] : [[kind, args[1]]])),
    [['hold', '0']],
  )
})

t.test(
  'an answer is taken with its age, from the first moment to the last, where the clocks agree',
  async (t) => {
    for (const [afterMs, aheadMs, isTaken] of [
      [0, 0, true],
      [1_999, 0, true],
      [5, MAX_SKEW_MS, true],
      [5, -MAX_SKEW_MS, true],
      [5, MAX_SKEW_MS + 1, false],
      [5, -MAX_SKEW_MS - 1, false],
    ] as const) {
      const { clock, instance, runs } = world()
      const leader = instance()
      const leading = leader.join()
      await until(() => leader.land.length === 1)
      leader.land[0]!('a')
      await leading
      await until(() => runs.some(({ kind }) => kind === 'put'))
      clock.advance(afterMs)
      const other = instance(aheadMs)
      const asked = other.join()
      await until(() => other.land.length + other.counts.taken === 1)
      t.equal(other.counts.taken, isTaken ? 1 : 0, `${aheadMs} ms ahead`)
      t.equal(other.counts.ignored, isTaken ? 0 : 1)
      if (isTaken) t.same((await asked).age, { ageMs: afterMs, leftMs: 2_000 - afterMs, skewMs: aheadMs })
    }
  },
)

t.test(
  'a text of 4,096 characters is compressed, a shorter one is not, and both fit by their bytes',
  async (t) => {
    const put = async (text: string, maxChars: number) => {
      const { instance, runs } = world({ maxChars })
      const leader = instance()
      const leading = leader.join()
      await until(() => leader.land.length === 1)
      leader.land[0]!(text)
      await leading
      await until(() => runs.some(({ kind }) => kind === 'put'))
      const value = runs.find(({ kind }) => kind === 'put')!.args[1]!
      const other = instance()
      if (value !== 'N') t.equal((await other.join()).text, text)
      return { value, tooLarge: leader.counts.tooLarge }
    }
    const whole = await put('é'.repeat(4_095), 64 * 1024)
    t.match(whole.value, /\["plain",/)
    const bytes = Buffer.byteLength(whole.value)
    t.equal((await put('é'.repeat(4_095), bytes)).tooLarge, 0)
    t.same(await put('é'.repeat(4_095), bytes - 1), { value: 'N', tooLarge: 1 })
    const packed = await put('é'.repeat(4_096), 64 * 1024)
    t.match(packed.value, /\["deflate",/)
    t.ok(packed.value.length < 300)
  },
)

t.test('what Redis says that no instance has written is not waited for', async (t) => {
  for (const reply of [undefined, 7, [], ['lease!', 5], ['X', 5], ['A', 'soon'], [7, 5], ['N', 5]]) {
    const clock = handClock()
    const store = { key: (tag: string) => tag, run: async () => reply } as unknown as Store
    const log = loggerTo({ write: () => {} }, 'silent')
    const answers = new RedisAnswers({ store, secret: 'x'.repeat(32), configuration: 'c', clock, log })
    const shared = answers.of('test', CODEC, { callMs: 1_000, maxChars: 1_000 })
    const { text } = await shared.join(
      'q',
      new CancellationScope(),
      async () => ({ text: 'own' }),
      () => 0,
    )
    t.equal(text, 'own')
    const isForeign = Array.isArray(reply) && reply[0] !== 'N'
    t.equal(answers.counts.ignored, isForeign ? 1 : 0, JSON.stringify(reply))
  }
})

t.test('a text of 16 MiB is short in Redis, and a longer one is not for others', async (t) => {
  for (const [length, put] of [
    [16 * 1024 * 1024, 1],
    [16 * 1024 * 1024 + 1, 0],
  ] as const) {
    const { instance, runs } = world({ maxChars: 256 * 1024 })
    const leader = instance()
    const leading = leader.join()
    await until(() => leader.land.length === 1)
    leader.land[0]!(' '.repeat(length))
    await leading
    await until(() => runs.some(({ kind }) => kind === 'put'))
    t.same([leader.counts.put, leader.counts.tooLarge], [put, 1 - put], `${length} characters`)
    t.ok(runs.find(({ kind }) => kind === 'put')!.args[1]!.length <= 256 * 1024)
  }
})

t.test('an answer that served no longer when it was written stays for a millisecond', async (t) => {
  const clock = handClock()
  const { store, runs } = memory(clock)
  const log = loggerTo({ write: () => {} }, 'silent')
  const answers = new RedisAnswers({ store, secret: 'x'.repeat(32), configuration: 'c', clock, log })
  for (const [takesMs, ms] of [
    [0, '20'],
    [19, '1'],
    [20, '1'],
    [50, '1'],
  ] as const) {
    const slow: Codec<Answer> = {
      ...CODEC,
      write: (answer) => {
        clock.advance(takesMs)
        return CODEC.write(answer)
      },
    }
    const from = runs.length
    const shared = answers.of(`in ${takesMs} ms`, slow, { callMs: 8_000, maxChars: 1_024 })
    await shared.join(
      'question',
      new CancellationScope(),
      async () => ({ text: 'a' }),
      () => 20,
    )
    await until(() => runs.slice(from).some(({ kind }) => kind === 'put'))
    // Redis refuses to keep a value for no time.
    t.equal(runs.at(-1)!.args[2], ms, `written in ${takesMs} ms`)
  }
})
