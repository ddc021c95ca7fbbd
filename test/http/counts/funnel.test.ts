import t from 'tap'
import { Funnel, FunnelDays, FunnelSummary, KEPT_DAYS } from '../../../src/http/counts/funnel.ts'
import { Check } from '../../fixtures/check.ts'
import { clockOf } from '../../fixtures/clock.ts'

const DAY_MS = 86_400_000

function funnelAt(start: number) {
  const world = { date: start }
  const funnel = new Funnel(clockOf({ date: () => world.date }))
  return { funnel, world }
}

t.test('days begin at midnight UTC, and are listed from the first counted one', async (t) => {
  const { funnel, world } = funnelAt(Date.UTC(2026, 10, 20, 23, 59, 59, 999))
  funnel.count('quote', 'evm')
  world.date++
  funnel.count('quote', 'evm')
  funnel.count('quote', 'solana')
  funnel.count('build', 'sui')
  const days = funnel.days()
  t.ok(Check(FunnelDays, days))
  t.match(days, {
    since: '2026-11-20T23:59:59.999Z',
    asOf: world.date,
    today: {
      day: '2026-11-21',
      totals: { quote: 2, build: 1, submit: 0, confirmed: 0 },
      families: {
        evm: { quote: 1, build: 0, submit: null, confirmed: null },
        solana: { quote: 1, build: 0, submit: 0, confirmed: 0 },
        sui: { quote: 0, build: 1, submit: null, confirmed: null },
      },
    },
  })
  t.same(days.days, [{ day: '2026-11-20', totals: { quote: 1, build: 0, submit: 0, confirmed: 0 } }])
  t.match(funnel.summary(1), { from: '2026-11-21', to: '2026-11-21', totals: { quote: 2 } })
  t.match(funnel.summary(2), { from: '2026-11-20', to: '2026-11-21', totals: { quote: 3 } })
  t.match(funnel.summary(90), { from: '2026-11-20', totals: { quote: 3 } }, 'nothing is told of before')
})

t.test('history is bounded: the ninety-first day takes the place of the first', async (t) => {
  const { funnel, world } = funnelAt(Date.UTC(2026, 0, 1))
  for (let day = 0; day < 200; day++) {
    funnel.count('quote', 'ton')
    world.date += DAY_MS
  }
  const { today, days } = funnel.days()
  t.equal(today.totals.quote, 0)
  t.equal(days.length, KEPT_DAYS - 1)
  t.ok(days.every(({ totals }) => totals.quote === 1))
  t.equal(funnel.summary(KEPT_DAYS).totals.quote, KEPT_DAYS - 1)
  world.date += 1_000 * DAY_MS
  t.ok(funnel.days().days.every(({ totals }) => totals.quote === 0))
})

t.test('ratios are whole numbers, and absent if there is nothing to divide by', async (t) => {
  const { funnel } = funnelAt(Date.UTC(2026, 10, 22))
  const none = { quoteToBuildBps: null, buildToSubmitBps: null, submitToConfirmedBps: null }
  t.same(funnel.summary(7).conversion, none)
  for (let i = 0; i < 3; i++) funnel.count('quote', 'evm')
  funnel.count('build', 'evm')
  for (let i = 0; i < 3; i++) funnel.count('submit', 'solana')
  funnel.count('confirmed', 'solana')
  const summary = funnel.summary(7)
  t.ok(Check(FunnelSummary, summary))
  const { conversion } = summary
  t.same(conversion, { quoteToBuildBps: 3_333, buildToSubmitBps: null, submitToConfirmedBps: 3_333 })
  funnel.count('build', 'solana')
  t.equal(funnel.summary(7).conversion.buildToSubmitBps, 30_000, 'the relay takes what was built elsewhere')
})

t.test('a clock that is set back counts on', async (t) => {
  const { funnel, world } = funnelAt(Date.UTC(2026, 10, 22, 0, 0, 1))
  funnel.count('quote', 'evm')
  world.date -= 2_000
  funnel.count('quote', 'evm')
  t.equal(funnel.days().today.day, '2026-11-21')
  t.equal(funnel.days().today.totals.quote, 1)
  t.match(funnel.summary(90), { from: '2026-11-21', to: '2026-11-21', totals: { quote: 1 } })
  world.date += 2_000
  t.equal(funnel.days().today.totals.quote, 1)
})
