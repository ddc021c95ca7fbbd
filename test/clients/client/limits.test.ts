import t from 'tap'
import { KnownLimits } from '../../../src/clients/client/limits.ts'
import { Budget } from '../../../src/http/limit/budgets.ts'

const headersOf = (headers: Record<string, string>) => new Headers(headers)

t.test('the client reads the headers that the gateway writes', async (t) => {
  let now = 0
  const limits = new KnownLimits({ now: () => now, after: () => () => {} })
  const budget = new Budget('swap', { client: 2, global: 1_200 })
  const note = () =>
    limits.note(
      'quote',
      headersOf({ ratelimit: budget.rateLimit()!, 'ratelimit-policy': budget.rateLimitPolicy! }),
    )
  budget.at(0).take(0, 1)
  note()
  t.match(limits.all(), [
    { name: 'swap-client', remaining: 1, quota: 2, windowMs: 60_000 },
    { name: 'swap-global', remaining: 1_199, quota: 1_200, windowMs: 60_000 },
  ])
  t.equal(limits.waitMs('quote'), 0)
  budget.at(0).take(0, 1)
  note()
  const { resetMs } = limits.all()[0]!
  t.ok(resetMs > 0 && resetMs <= 60_000)
  t.equal(limits.waitMs('quote'), resetMs)
  t.equal(limits.waitMs('portfolio'), 0, 'of others nothing is known')
  now += resetMs
  t.equal(limits.waitMs('quote'), 0)
  t.same(limits.all(), [], 'what is over is not told')
})

t.test('other headers, or none, are not a reason to fail', async (t) => {
  let now = 0
  const limits = new KnownLimits({ now: () => now, after: () => () => {} })
  for (const ratelimit of ['', 'limit=100, remaining=50, reset=50', '"a";r=x;t=1', '"a"', 'x"', '"a";r=1']) {
    limits.note('quote', headersOf({ ratelimit }))
    t.same(limits.all(), [], ratelimit)
  }
  limits.note('quote', headersOf({}))
  limits.note('quote', headersOf({ ratelimit: '"other" ; pk=:dHJpYWwxMjEzMjM=: ; r=0;t=9' }))
  now = 1_000
  t.match(limits.all(), [
    { name: 'other', remaining: 0, resetMs: 8_000, ageMs: 1_000, quota: null, windowMs: null },
  ])
})
