import t from 'tap'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { TableChecks } from '../../../src/swap/tables/checks.ts'
import type { TableRow } from '../../../src/swap/tables/rows.ts'
import { handClock, until } from '../../fixtures/clock.ts'

type Answer = string | null | Error

function start() {
  const clock = handClock()
  const answers: Record<string, Answer> = { a: null, b: null }
  const asked: string[] = []
  const log: unknown[][] = []
  const rows: TableRow[] = ['a', 'b'].map((key) => ({
    table: key === 'a' ? 'first' : 'second',
    chain: 'base',
    key,
    async check() {
      asked.push(key)
      const answer = answers[key]!
      if (answer instanceof Error) throw answer
      return answer
    },
  }))
  const lineOf =
    (level: string) =>
    ({ key, why }: Record<string, unknown>, message: string) =>
      void log.push([level, key, ...(why === undefined ? [] : [why]), message])
  const logger = { info: lineOf('info'), warn: lineOf('warn'), error: lineOf('error') }
  const checks = new TableChecks({
    loadRows: async () => rows,
    sources: null as never,
    clock,
    log: logger as never,
  })
  return { checks, clock, answers, asked, log }
}

t.test(
  'a row is stale from when that is found until it is right again, and each change is one line',
  async (t) => {
    const { checks, clock, answers, log } = start()
    t.same(
      [...(await checks.tables())],
      [
        ['first', { rows: 1, stale: 0, checkedAt: null }],
        ['second', { rows: 1, stale: 0, checkedAt: null }],
      ],
    )
    await checks.round()
    t.same(checks.stale, [])
    const firstAt = clock.date()
    answers.a = 'moved'
    await checks.round()
    clock.advance(5_000)
    await checks.round()
    t.same(checks.stale, [{ table: 'first', chain: 'base', key: 'a', why: 'moved', since: firstAt }])
    t.same((await checks.tables()).get('first'), { rows: 1, stale: 1, checkedAt: firstAt + 5_000 })
    answers.a = 'moved again'
    await checks.round()
    t.match(checks.stale, [{ why: 'moved again', since: firstAt }])
    answers.a = null
    await checks.round()
    t.same(checks.stale, [])
    t.same(log, [
      ['warn', 'a', 'moved', 'a row of a table is stale'],
      ['warn', 'a', 'moved again', 'a row of a table is stale'],
      ['info', 'a', 'a row of a table is right again'],
    ])
  },
)

t.test('if nobody answers a row stays as it was, and a bug in one check ends no other', async (t) => {
  const { checks, clock, answers, asked, log } = start()
  answers.a = 'moved'
  await checks.round()
  const checkedAt = clock.date()
  clock.advance(1_000)
  answers.a = new GatewayError('upstream_failed', 'The node failed.')
  await checks.round()
  t.match(checks.stale, [{ key: 'a', why: 'moved' }])
  t.equal((await checks.tables()).get('first')!.checkedAt, checkedAt)
  answers.a = new TypeError('a bug')
  await checks.round()
  t.same(asked, ['a', 'b', 'a', 'b', 'a', 'b'])
  t.same(log.at(-1), ['error', 'a', 'fault'])
})

t.test(
  'the first round is half a minute after the start, the next an hour after it, one row at a time',
  async (t) => {
    const { checks, clock, asked } = start()
    checks.start()
    clock.advance(29_999)
    t.same(asked, [])
    clock.advance(1)
    await until(() => clock.dueIn(2_000) === 1)
    t.same(asked, ['a'], 'the next row comes after a pause')
    clock.advance(2_000)
    await until(() => asked.length === 2 && clock.dueIn(2_000) === 1)
    clock.advance(2_000)
    await until(() => clock.dueIn(3_600_000) === 1)
    clock.advance(3_600_000)
    await until(() => clock.dueIn(2_000) === 1)
    t.same(asked, ['a', 'b', 'a'])
    checks.close()
    clock.advance(2_000)
    await new Promise(setImmediate)
    t.equal(asked.length, 3)
  },
)
