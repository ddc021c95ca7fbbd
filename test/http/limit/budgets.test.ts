/** The budgets: spec §8 to the letter, the variable LIMITS, and the headers. */

import t from 'tap'
import {
  Budget,
  type BudgetName,
  type ClientKey,
  createBudgets,
  DEFAULT_BUDGETS,
  limitsText,
  parseLimits,
} from '../../../src/http/limit/budgets.ts'
import fc from '../../fixtures/fast-check.ts'
import { seedOf } from '../../fixtures/limiter.ts'

const OFF = { client: Infinity, global: Infinity }
const CLIENT = { hi: 0, lo: 0x7f000001 }

const take = (budget: Budget, { hi, lo }: ClientKey, nowMs: number): boolean => budget.at(nowMs).take(hi, lo)

t.test('limits are written as they are read', async (t) => {
  t.equal(
    limitsText(DEFAULT_BUDGETS),
    'swap=60/1200,portfolio=12/300,rpcRead=60/1200,rpcSend=6/120,rpcBatch=2/20,explain=30/600,logo=240/1200,refused=200/off',
  )
  const limits = parseLimits('swap=1/2,portfolio=3/off,rpcSend=off')
  t.same(parseLimits(limitsText(limits)), limits)
})

t.test('without overrides the limits are those of spec §8', async (t) => {
  for (const text of ['', '  ']) {
    t.same(parseLimits(text), {
      swap: { client: 60, global: 1_200 },
      portfolio: { client: 12, global: 300 },
      rpcRead: { client: 60, global: 1_200 },
      rpcSend: { client: 6, global: 120 },
      rpcBatch: { client: 2, global: 20 },
      explain: { client: 30, global: 600 },
      logo: { client: 240, global: 1_200 },
      // Not of §8: what bodies cost that were refused.
      refused: { client: 200, global: Infinity },
    })
  }
})

t.test('LIMITS overrides the budgets that it names, and no other', async (t) => {
  const cases: [text: string, overrides: Partial<Record<BudgetName, { client: number; global: number }>>][] =
    [
      ['swap=60/1200,portfolio=12/300,rpcRead=60/1200,rpcSend=6/120,rpcBatch=2/20', {}],
      ['swap=1/1', { swap: { client: 1, global: 1 } }],
      [
        ' swap = 120 / 2400 , rpcSend=7/8 ',
        { swap: { client: 120, global: 2_400 }, rpcSend: { client: 7, global: 8 } },
      ],
      ['rpcRead=off', { rpcRead: OFF }],
      ['rpcRead=off/off', { rpcRead: OFF }],
      ['rpcRead=60/off', { rpcRead: { client: 60, global: Infinity } }],
      ['rpcRead=off/60', { rpcRead: { client: Infinity, global: 60 } }],
      ['rpcBatch=1000000000/1000000000', { rpcBatch: { client: 1e9, global: 1e9 } }],
    ]
  for (const [text, overrides] of cases) t.same(parseLimits(text), { ...DEFAULT_BUDGETS, ...overrides }, text)
})

t.test('LIMITS that cannot be meant are refused by entry, and not repeated', async (t) => {
  const cases: [text: string, message: RegExp][] = [
    [
      'quotes=60/1200',
      /^Entry 1 .* the names are swap, portfolio, rpcRead, rpcSend, rpcBatch, explain, logo, refused\.$/,
    ],
    ['Swap=60/1200', /^Entry 1 .* names no budget/],
    ['toString=1/1', /^Entry 1 .* names no budget/],
    ['__proto__=1/1', /^Entry 1 .* names no budget/],
    ['swap=1/2,swap=1/2', /^Entry 2 .* swap a second time/],
    ['swap=1/2,', /^Entry 2 .* such as swap=60\/1200/],
    [',', /^Entry 1 .* such as swap=60\/1200/],
    ['swap', /^Entry 1 .* such as swap=60\/1200/],
    ['swap=1=2', /^Entry 1 .* such as swap=60\/1200/],
    ['off', /^Entry 1 .* such as swap=60\/1200/],
    ['swap=', /^Entry 1 .* two counts/],
    ['swap=60', /^Entry 1 .* two counts/],
    ['swap=60/1200/3', /^Entry 1 .* two counts/],
    ['swap=OFF', /^Entry 1 .* two counts/],
    ['swap=0/1200', /^Entry 1 .* from 1 to 1000000000/],
    ['swap=60/0', /^Entry 1 .* from 1 to 1000000000/],
    ['swap=-1/2', /^Entry 1 .* from 1 to 1000000000/],
    ['swap=1.5/2', /^Entry 1 .* from 1 to 1000000000/],
    ['swap=1e2/1200', /^Entry 1 .* from 1 to 1000000000/],
    ['swap=060/1200', /^Entry 1 .* from 1 to 1000000000/],
    ['swap=60/1000000001', /^Entry 1 .* from 1 to 1000000000/],
    ['swap=60/99999999999', /^Entry 1 .* from 1 to 1000000000/],
    ['swap=60/', /^Entry 1 .* from 1 to 1000000000/],
    ['swap=60/Infinity', /^Entry 1 .* from 1 to 1000000000/],
    ['portfolio=12/300,swap=61/60', /^Entry 2 .* the first count must not be above the second\.$/],
  ]
  for (const [text, message] of cases) t.throws(() => parseLimits(text), { name: 'TypeError', message }, text)
  t.throws(() => parseLimits('s3cret=1/1'), { name: 'TypeError', message: /^(?!.*s3cret)/ })
})

t.test('the headers list what is limited, in structured-field form', async (t) => {
  const cases: [limit: { client: number; global: number }, policy: string | null, current: string | null][] =
    [
      [
        { client: 60, global: 1_200 },
        '"rpcRead-client";q=60;w=60, "rpcRead-global";q=1200;w=60',
        '"rpcRead-client";r=59;t=42, "rpcRead-global";r=1199;t=42',
      ],
      [{ client: 60, global: Infinity }, '"rpcRead-client";q=60;w=60', '"rpcRead-client";r=59;t=42'],
      [{ client: Infinity, global: 60 }, '"rpcRead-global";q=60;w=60', '"rpcRead-global";r=59;t=42'],
      [OFF, null, null],
    ]
  for (const [limit, policy, current] of cases) {
    const budget = new Budget('rpcRead', limit)
    t.ok(take(budget, CLIENT, 18_000.25))
    t.equal(budget.rateLimitPolicy, policy)
    t.equal(budget.rateLimit(), current)
  }
})

t.test('a refusal says which limit refused, and until when', async (t) => {
  const budget = new Budget('rpcSend', { client: 1, global: 2 }, seedOf(1))
  const [first, second, third] = [1, 2, 3].map((lo) => ({ hi: 0, lo })) as [
    typeof CLIENT,
    typeof CLIENT,
    typeof CLIENT,
  ]
  const say = (): unknown[] => [
    budget.refusedBy,
    budget.retryAfterMs(),
    budget.retryAfterSeconds(),
    budget.rateLimit(),
  ]

  t.ok(take(budget, first, 0))
  t.same(say(), [null, 60_000, 60, '"rpcSend-client";r=0;t=60, "rpcSend-global";r=1;t=60'])
  t.notOk(take(budget, first, 0.5))
  t.same(say(), ['client', 60_000, 60, '"rpcSend-client";r=0;t=60, "rpcSend-global";r=1;t=60'])
  t.ok(budget.at(1_000).peek(second.hi, second.lo, 1))
  t.same(say(), [null, 59_000, 59, '"rpcSend-client";r=1;t=59, "rpcSend-global";r=1;t=59'])
  t.ok(take(budget, second, 58_999))
  t.same(say(), [null, 1_001, 2, '"rpcSend-client";r=0;t=2, "rpcSend-global";r=0;t=2'])
  t.notOk(take(budget, third, 59_999.75))
  t.same(say(), ['global', 1, 1, '"rpcSend-client";r=1;t=1, "rpcSend-global";r=0;t=1'])
  t.ok(take(budget, third, 60_000))
  t.same(say(), [null, 60_000, 60, '"rpcSend-client";r=0;t=60, "rpcSend-global";r=1;t=60'])
})

t.test(
  'at the time that a hint names the next request is admitted, and a second earlier it is not',
  async (t) => {
    const start = fc.oneof(fc.nat(500_000), fc.double({ min: 0, max: 1e9, noNaN: true }))
    const property = fc.property(start, fc.boolean(), (nowMs, byClient) => {
      const refused = (): Budget => {
        const budget = new Budget('rpcBatch', { client: 1, global: byClient ? 2 : 1 }, seedOf(1))
        take(budget, byClient ? CLIENT : { hi: 1, lo: 1 }, nowMs)
        take(budget, CLIENT, nowMs)
        return budget
      }
      const [a, b, c] = [refused(), refused(), refused()]
      const ms = a.retryAfterMs()
      const seconds = a.retryAfterSeconds()
      return (
        a.refusedBy === (byClient ? 'client' : 'global') &&
        ms >= 1 &&
        seconds === Math.ceil(ms / 1_000) &&
        take(a, CLIENT, nowMs + ms) &&
        take(b, CLIENT, nowMs + seconds * 1_000) &&
        !take(c, CLIENT, nowMs + ms - 1.001)
      )
    })
    t.doesNotThrow(() => fc.assert(property))
  },
)

t.test('every name has a budget of its own', async (t) => {
  const budgets = createBudgets(parseLimits('rpcBatch=1/1,rpcSend=off'))
  for (const name of Object.keys(DEFAULT_BUDGETS) as BudgetName[]) t.equal(budgets[name].name, name)
  t.ok(take(budgets.rpcBatch, CLIENT, 0))
  t.notOk(take(budgets.rpcBatch, CLIENT, 0))
  for (let i = 0; i < 100; i++) if (!take(budgets.rpcSend, CLIENT, 0)) t.fail('a lifted budget refused')
  t.equal(budgets.rpcSend.rateLimit(), null)
  t.ok(take(budgets.swap, CLIENT, 0))
  t.match(budgets.swap.rateLimit(), /"swap-client";r=59;/)
  t.throws(() => createBudgets({ ...DEFAULT_BUDGETS, swap: { client: 0, global: 1 } }), TypeError)
})
