import t, { type Test } from 'tap'
import { type ClientOptions, createClient, isSwapgateError } from '../../../src/clients/client/index.ts'
import { clockOf } from '../../fixtures/clock.ts'
import { listen } from '../../fixtures/gateway.ts'
import { NEVER_MS, pauseClock } from '../../fixtures/pauses.ts'
import { breaks, type Reply, says, scripted } from '../../fixtures/scripted.ts'
import { EVM_WALLET, USDC } from '../../fixtures/swaps.ts'

const ORDER = { chain: 'base', side: 'sell', token: USDC.base, amount: '250', from: EVM_WALLET } as const

const refusal = (code: string, scope: string) => ({ error: 'No.', scope, code, retryAfterMs: 4_321 })
const BUSY = says(429, refusal('budget_exhausted', 'limit'), { 'retry-after': '5' })
const FULL = says(503, refusal('overloaded', 'limit'))
const UPSTREAM_BUSY = says(429, refusal('upstream_rate_limited', 'rpc'))

/** A client of a server that answers so in turn, which waits for nothing. */
async function against(t: Test, replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const { url, asked } = await scripted(t, ...replies)
  const clock = pauseClock()
  return { client: createClient({ baseUrl: url, clock, timeoutMs: NEVER_MS, ...options }), asked, clock }
}

t.test('a GET with Retry-After is repeated at that time', async (t) => {
  const cases: [name: string, reply: Reply, pauseMs: number][] = [
    ['429, by the body', BUSY, 4_321],
    ['503, by the body', FULL, 4_321],
    ["an upstream's limit", UPSTREAM_BUSY, 4_321],
    ["a proxy's 503, by the header", says(503, '<html>', { 'retry-after': '7' }), 7_000],
  ]
  for (const [name, reply, pauseMs] of cases) {
    const { client, asked, clock } = await against(t, [reply, says(200, { chains: [] })])
    t.same(await client.chains(), { chains: [] }, name)
    t.same(clock.pauses, [pauseMs], name)
    t.equal(asked.length, 2, name)
  }
})

t.test('it comes at most twice more, and waits no longer in all than it may', async (t) => {
  const often = await against(t, [BUSY])
  await t.rejects(often.client.chains({ maxWaitMs: 60_000 }), { code: 'budget_exhausted' })
  t.equal(often.asked.length, 3)

  const brief = await against(t, [BUSY], { maxWaitMs: 5_000 })
  await t.rejects(brief.client.chains(), { code: 'budget_exhausted', retryAfterMs: 4_321, status: 429 })
  t.same(brief.clock.pauses, [4_321], 'a second time would be 8,642 ms in all')

  const never = await against(t, [BUSY])
  await t.rejects(never.client.chains({ maxWaitMs: 0 }), { code: 'budget_exhausted' })
  t.equal(never.asked.length, 1)
  const untold = await against(t, [says(503, { error: 'No.' })])
  await t.rejects(untold.client.chains(), { code: 'unexpected_response', retryAfterMs: null })
  t.equal(untold.asked.length, 1)
})

t.test('a GET that the network lost is sent again, and after that it is an error', async (t) => {
  const lucky = await against(t, [breaks, breaks, says(200, { chains: [] })])
  t.same(await lucky.client.chains(), { chains: [] })
  t.same(lucky.clock.pauses, [250, 500])
  const { client, asked } = await against(t, [breaks])
  await t.rejects(client.chains(), { code: 'network', status: 0 })
  t.equal(asked.length, 3)
})

t.test('a POST is sent again only where a limit of the gateway refused it', async (t) => {
  const cases: [name: string, reply: Reply, sends: number, code: string][] = [
    ['its budget', BUSY, 2, ''],
    ['its connections', FULL, 2, ''],
    ["an upstream's limit", UPSTREAM_BUSY, 1, 'upstream_rate_limited'],
    ["a proxy's", says(503, '<html>', { 'retry-after': '4' }), 1, 'unexpected_response'],
    ['nobody knows', breaks, 1, 'network'],
  ]
  const result = says(200, { jsonrpc: '2.0', id: 1, result: 'signature' })
  for (const [name, reply, sends, code] of cases) {
    const { client, asked } = await against(t, [reply, result])
    const sent = client.rpc('sendTransaction', ['AA==', { encoding: 'base64' }])
    if (code === '') t.equal(await sent, 'signature', name)
    else await t.rejects(sent, { code }, name)
    t.equal(asked.length, sends, name)
  }
})

t.test('a request that is known to be refused is not sent before the window ends', async (t) => {
  // The gateway's own budgets and time, and the client's time beside it.
  const clock = pauseClock()
  const gateway = await listen(
    t,
    { LIMITS: 'swap=2/100,rpcRead=1/100' },
    { clock: clockOf({ now: () => 90_000 + clock.now() }) },
  )
  const statuses: number[] = []
  const options = { baseUrl: gateway.url, clock, timeoutMs: NEVER_MS, maxWaitMs: 60_000 }
  const client = createClient({ ...options, onExchange: ({ status }) => statuses.push(status) })
  const quote = await client.quote(ORDER)
  t.match(client.limits, [
    { name: 'swap-client', remaining: 1, quota: 2, windowMs: 60_000, resetMs: Number },
    { name: 'swap-global', remaining: 99 },
  ])
  await client.build({ ...ORDER, quote })
  t.same(clock.pauses, [])
  await client.rpc('getSlot')
  t.same(clock.pauses, [], 'budgets are apart')

  const impatient = client.quote(ORDER, { maxWaitMs: 10 })
  await t.rejects(impatient, { code: 'budget_exhausted', body: { budget: 'swap-client' } })
  t.same(statuses.splice(0), [200, 200, 200, 429], 'a client that may not wait is refused by the gateway')

  await client.quote(ORDER)
  t.same(statuses, [200], 'no request was refused')
  t.equal(clock.pauses.length, 1)
  t.ok(clock.pauses[0]! > 0 && clock.pauses[0]! <= 60_000)
  t.match(client.limits, [{ name: 'swap-client', remaining: 1 }, {}])

  await client.rpc('getSlot')
  const stranger = createClient(options)
  await stranger.rpc('getSlot')
  t.equal(clock.pauses.length, 2, 'one that knows nothing is told, and comes again')
})

t.test('waiting ends with the signal', async (t) => {
  const { url } = await scripted(t, BUSY)
  const controller = new AbortController()
  const client = createClient({
    baseUrl: url,
    signal: controller.signal,
    onExchange: () => setImmediate(() => controller.abort(new Error('enough'))),
  })
  const error = await client.chains().catch((error: unknown) => error)
  t.ok(isSwapgateError(error, 'aborted'))
  t.match(error, { cause: { message: 'enough' } })
})
