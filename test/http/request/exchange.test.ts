import type { IncomingMessage, ServerResponse } from 'node:http'
import t from 'tap'
import { Exchange } from '../../../src/http/request/exchange.ts'
import { CLOCK } from '../../../src/runtime/clock.ts'
import { OPEN_ACCOUNTS } from '../../fixtures/accounts.ts'

/** An exchange of which only the end matters. */
function exchange(isGone = false) {
  const request = { headers: {} } as IncomingMessage
  const response = {} as ServerResponse
  const carrier = { isLast: () => true, settle: () => {}, drop: () => {}, ignoreRest: () => {} }
  const own = new Exchange({ request, response, id: 'id', clock: CLOCK, accounts: OPEN_ACCOUNTS, carrier })
  if (isGone) own.leave()
  return { exchange: own, close: () => own.leave() }
}

t.test("a client's calls are cancelled when it goes away", (t) => {
  const { exchange: waiting, close } = exchange()
  const cancels = [waiting.scope(), waiting.scope()]
  t.notOk(cancels.some(({ isCancelled }) => isCancelled))
  close()
  t.ok(cancels.every(({ isCancelled }) => isCancelled))
  t.end()
})

t.test('a client that has its answer leaves nothing to cancel', (t) => {
  const { exchange: answered, close } = exchange()
  const scope = answered.scope()
  answered.replied = true
  close()
  t.notOk(scope.isCancelled)
  t.end()
})

t.test('for a client that has already gone nothing is begun', (t) => {
  t.ok(exchange(true).exchange.scope().isCancelled)
  t.end()
})
