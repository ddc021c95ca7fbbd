import t from 'tap'
import { createClient, isSwapgateError } from '../../../src/clients/client/index.ts'
import { CODES } from '../../../src/runtime/errors.ts'
import { handClock, until } from '../../fixtures/clock.ts'
import { listen } from '../../fixtures/gateway.ts'
import { isSilent, says, scripted } from '../../fixtures/scripted.ts'

t.test('every code of the gateway reaches the caller as it is', async (t) => {
  for (const [code, { status, scope }] of Object.entries(CODES)) {
    const { url } = await scripted(t, says(status, { error: 'No.', scope, code, field: 'amount', rule: 'r' }))
    const error = await createClient({ baseUrl: url, retries: 0 })
      .chains()
      .catch((error: unknown) => error)
    t.ok(isSwapgateError(error, code as 'not_found'), code)
    t.match(error, { message: 'No.', status, scope, field: 'amount', body: { rule: 'r' } }, code)
  }
})

t.test("an answer that isn't the gateway's is reported as such", async (t) => {
  const cases: [name: string, status: number, body: unknown][] = [
    ["a proxy's page", 502, '<html>'],
    ['a page with status 200', 200, '<html>'],
    ['a code of a later version', 400, { error: 'No.', code: 'no_such_code' }],
    ['no object', 400, '[]'],
  ]
  for (const [name, status, body] of cases) {
    const { url } = await scripted(t, says(status, body))
    const client = createClient({ baseUrl: url })
    await t.rejects(client.chains(), { code: 'unexpected_response', status }, name)
    await t.rejects(client.rpc('getSlot'), { code: 'unexpected_response', status }, name)
  }
})

t.test('a call ends with its own signal, and with that of the client', async (t) => {
  const { url, asked } = await scripted(t, isSilent)
  const [own, common] = [new AbortController(), new AbortController()]
  const client = createClient({ baseUrl: url, signal: common.signal })
  const calls = [client.chains({ signal: own.signal }), client.chains()]
  await until(() => asked.length === 2)
  own.abort()
  await t.rejects(calls[0]!, { code: 'aborted', status: 0, cause: { name: 'AbortError' } })
  common.abort()
  await t.rejects(calls[1]!, { code: 'aborted' })
  await t.rejects(client.chains(), { code: 'aborted' })
  t.equal(asked.length, 2, 'what has ended before is not sent')
})

t.test('an answer that does not come in time is an error', async (t) => {
  const clock = handClock()
  const begun = await scripted(t, isSilent, (response) => void response.writeHead(200).write('{'))
  const client = createClient({ baseUrl: begun.url, clock, timeoutMs: 5_000 })
  for (const asked of [1, 2]) {
    const call = client.chains()
    await until(() => begun.asked.length === asked)
    clock.advance(5_000)
    await t.rejects(call, { code: 'timeout', message: /5000 ms/ })
  }
  const hurried = client.chains({ timeoutMs: 10 })
  await until(() => begun.asked.length === 3)
  clock.advance(10)
  await t.rejects(hurried, { code: 'timeout' })
  t.equal(clock.waiting, 0, 'no timer is left')
})

t.test('nothing listens there', async (t) => {
  const client = createClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 })
  await t.rejects(client.chains(), { code: 'network', status: 0, requestId: null, body: null })
})

t.test('what a hook throws is its own, and no failure of the network', async (t) => {
  const { url } = await listen(t)
  const onExchange = () => {
    throw new TypeError('of the hook')
  }
  await t.rejects(createClient({ baseUrl: url, onExchange }).chains(), { message: 'of the hook' })
})

t.test("a node's error is an error of the call, with what it says", async (t) => {
  const error = { code: -32002, message: 'Blockhash not found', data: { logs: [], unitsConsumed: 0 } }
  const { url } = await scripted(t, says(200, { jsonrpc: '2.0', id: 1, error }))
  const client = createClient({ baseUrl: url })
  await t.rejects(client.rpc('sendTransaction', ['AA==']), { code: 'rpc_error', status: 200, rpc: error })
  t.match(JSON.parse(await client.rpcText('sendTransaction', ['AA=='])), { error })
})

t.test('a health check that says no is an answer, and a refusal of it is none', async (t) => {
  const { url } = await scripted(t, says(503, { status: 'draining' }, { 'retry-after': '1' }))
  t.match(await createClient({ baseUrl: url }).health(), { status: 'draining' })
  const full = await scripted(t, says(503, { error: 'No.', scope: 'limit', code: 'overloaded' }))
  await t.rejects(createClient({ baseUrl: full.url }).health(), { code: 'overloaded' })
  const proxy = await scripted(t, says(503, '<html>'))
  await t.rejects(createClient({ baseUrl: proxy.url }).health(), { code: 'unexpected_response' })
})
