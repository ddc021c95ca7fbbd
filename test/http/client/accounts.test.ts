/** Where a request is decided: by this instance at once, or for all of them once there is an answer. */
import type { IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import { createAccounts } from '../../../src/http/client/accounts.ts'
import { createBudgets, type Limits, parseLimits } from '../../../src/http/limit/budgets.ts'
import type { WindowDecision } from '../../../src/http/limit/fixed-window.ts'
import type { SharedWindows } from '../../../src/http/limit/shared-windows.ts'
import type { ClientAccounts, Exchange } from '../../../src/http/request/exchange.ts'
import { clockOf } from '../../fixtures/clock.ts'

interface Fake extends SharedWindows {
  isUp: boolean
  answer: WindowDecision | null
}

const ADMITTED: WindowDecision = {
  number: 1,
  clientSpent: 4,
  globalSpent: 9,
  refusedBy: null,
  remainingMs: 1_500,
}

function start(limits: Limits = parseLimits('swap=5/10,rpcRead=off')): {
  shared: Fake
  accounts: ClientAccounts
} {
  const shared: Fake = {
    isUp: true,
    answer: ADMITTED,
    decisions: { shared: 0, local: 0 },
    decide: async () => shared.answer,
  }
  const accounts = createAccounts({
    budgets: createBudgets(limits),
    shared,
    readClient(_socket, _header, out) {
      out.hi = 0
      out.lo = 1
    },
    peerOf: () => null,
    header: 'x-forwarded-for',
    clock: clockOf({ now: () => 0 }),
    onUntrusted: () => {},
  })
  return { shared, accounts }
}

const exchange = (): Exchange =>
  ({
    request: { socket: {}, headers: {} } as IncomingMessage,
    rateLimit: null,
    rateLimitPolicy: null,
    refusal: null,
  }) as Exchange

async function later(t: Test, taken: boolean | Promise<boolean>): Promise<boolean> {
  t.type(taken, Promise)
  return await taken
}

t.test('the reply shows the decision for all instances', async (t) => {
  const { shared, accounts } = start()
  const one = exchange()
  t.ok(await later(t, accounts.take(one, 'swap', 1)))
  t.match(one, { rateLimit: '"swap-client";r=1;t=2, "swap-global";r=1;t=2', refusal: null })
  shared.answer = { ...ADMITTED, clientSpent: 5, refusedBy: 'client' }
  const two = exchange()
  t.notOk(await later(t, accounts.take(two, 'swap', 1)))
  t.match(two, {
    rateLimit: '"swap-client";r=0;t=2, "swap-global";r=1;t=2',
    refusal: { name: 'swap', refusedBy: 'client', retryAfterMs: 1_500, retryAfterSeconds: 2 },
  })
  t.same(shared.decisions, { shared: 2, local: 0 })
})

t.test('without an answer it continues from the last one', async (t) => {
  const { shared, accounts } = start()
  await accounts.take(exchange(), 'swap', 1)
  shared.answer = null
  const one = exchange()
  t.ok(await later(t, accounts.take(one, 'swap', 1)))
  t.match(one.rateLimit, '"swap-client";r=0;')
  shared.isUp = false
  const two = exchange()
  t.equal(accounts.take(two, 'swap', 1), false, 'and at once while there is nobody to ask')
  t.match(two.refusal, { refusedBy: 'client' })
  t.same(shared.decisions, { shared: 1, local: 2 })
})

t.test('the store is not asked for a lifted budget, or for one that protects the instance', async (t) => {
  const { shared, accounts } = start()
  t.equal(accounts.take(exchange(), 'rpcRead', 1), true)
  t.equal(accounts.admitsBody(exchange(), 1), true)
  t.same(shared.decisions, { shared: 0, local: 0 })
})
