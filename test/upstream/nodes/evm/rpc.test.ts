/** The nodes of an EVM chain: what is asked, what counts as an answer, and who is asked next. */

import t, { type Test } from 'tap'
import { CancellationScope } from '../../../../src/flow/cancellation.ts'
import type { GatewayError } from '../../../../src/runtime/errors.ts'
import { createUpstreamContext } from '../../../../src/upstream/context.ts'
import { EvmRpc, type EvmRpcOptions } from '../../../../src/upstream/nodes/evm/rpc.ts'
import { callOf } from '../../../fixtures/call.ts'
import { clockOf, handClock } from '../../../fixtures/clock.ts'
import {
  answers,
  type Behaviour,
  closedPort,
  floods,
  forgetsIdle,
  type HostileUpstream,
  hostileUpstream,
  resets,
  status,
} from '../../../fixtures/hostile-upstream.ts'

const TOKEN = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const SIX = `0x${'6'.padStart(64, '0')}`
const TELLS = answers(`"result":"${SIX}"`)

function rpcOver(
  t: Test,
  nodes: readonly Pick<HostileUpstream, 'url'>[],
  options: Partial<EvmRpcOptions> = {},
): EvmRpc {
  const rpc = new EvmRpc({ chainKey: 'base', urls: nodes.map(({ url }) => url), ...options })
  t.teardown(() => rpc.close())
  return rpc
}

async function failureOf(promise: Promise<unknown>): Promise<GatewayError> {
  return promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  )
}

const says = (code: number, message: string, data = ''): Behaviour =>
  answers(`"error":${JSON.stringify({ code, message, ...(data !== '' && { data }) })}`)

t.test('a call is eth_call at the latest block, and its answer is hex', async (t) => {
  const node = await hostileUpstream(t, TELLS)
  const rpc = rpcOver(t, [node])
  t.equal(await rpc.call(TOKEN, '0x313ce567', callOf(60_000)), SIX)
  t.equal(
    node.requests[0]!.body,
    `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"${TOKEN}","data":"0x313ce567"},"latest"]}`,
  )
  node.behaviour = answers('"result":"0x"')
  t.equal(await rpc.call(TOKEN, '0x', callOf(60_000)), '0x', 'nothing is at the address')
  node.behaviour = answers(`"result":"0x${'aB'.repeat(100_000)}"`)
  t.equal((await rpc.call(TOKEN, '0x', callOf(60_000)))?.length, 200_002)
  t.match(rpc.state(), [{ name: 'base-1', state: 'ok', failures: 0 }])
})

t.test('the price of gas is a quantity', async (t) => {
  const node = await hostileUpstream(t, answers('"result":"0x2105"'))
  const rpc = rpcOver(t, [node])
  t.equal(await rpc.gasPrice(callOf(60_000)), 8453n)
  t.equal(node.requests[0]!.body, '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}')
  for (const result of ['"0x"', '8453', '"8453"', `"0x${'f'.repeat(14)}"`]) {
    const other = rpcOver(t, [await hostileUpstream(t, answers(`"result":${result}`))])
    t.match(await failureOf(other.gasPrice(callOf(60_000))), { code: 'upstream_unusable' }, result)
  }
  const reverting = rpcOver(t, [await hostileUpstream(t, says(3, 'execution reverted'))])
  t.match(await failureOf(reverting.gasPrice(callOf(60_000))), { code: 'upstream_failed', scope: 'provider' })
})

t.test(
  'a call that the contract refuses is an answer, in every dialect, and nobody else is asked',
  async (t) => {
    const reverts: Behaviour[] = [
      says(3, 'execution reverted: INSUFFICIENT_LIQUIDITY', '0x08c379a0'),
      says(3, 'execution reverted', '0x'),
      says(-32000, 'execution reverted'),
      says(-32603, 'VM Exception while processing transaction: revert'),
      says(-32015, 'VM execution error.', 'Reverted 0x'),
      says(-32000, 'invalid opcode: INVALID'),
      says(-32000, 'out of gas'),
      says(-32000, 'Execution Reverted'),
      status(400, '{"jsonrpc":"2.0","error":{"code":3,"message":"execution reverted"},"id":ID}'),
    ]
    for (const [i, behaviour] of reverts.entries()) {
      const [first, second] = [await hostileUpstream(t, behaviour), await hostileUpstream(t, TELLS)]
      const rpc = rpcOver(t, [first, second])
      t.equal(await rpc.call(TOKEN, '0x', callOf(60_000)), null, `dialect ${i}`)
      t.equal(second.requests.length, 0)
      t.match(rpc.state(), [{ state: 'ok' }, { state: 'untried' }])
    }
  },
)

t.test('any other fault sends the call to the next node', async (t) => {
  const clock = handClock()
  const context = createUpstreamContext({ clock })
  const hangs: Behaviour = () => clock.advance(399)
  const faults: [title: string, behaviour: Behaviour][] = [
    ['a rate limit in the body', says(-32005, 'daily request count exceeded')],
    ['a status in the body', says(429, 'Too Many Requests')],
    ['a missing block', says(-32000, 'header not found')],
    ['a missing method', says(-32601, 'the method eth_call does not exist')],
    ['an error without a message', answers('"error":{"code":-1}')],
    ['an error that is no object', answers('"error":"reverted"')],
    ['null', answers('"result":null')],
    ['a number', answers('"result":6')],
    ['no hex', answers('"result":"six"')],
    ['half a byte', answers('"result":"0x123"')],
    ['hex without 0x', answers(`"result":"${SIX.slice(2)}"`)],
    ['an escape', answers('"result":"0x\\u0030\\u0036"')],
    ['HTML', status(200, '<html>')],
    ['401', status(401)],
    ['404', status(404)],
    ['413', status(413)],
    ['429', status(429)],
    ['500', status(500)],
    ['a redirect', status(302)],
    ['a reset', resets],
    ['a flood', floods],
    ['silence', hangs],
  ]
  for (const [title, behaviour] of faults) {
    const [first, second] = [await hostileUpstream(t, behaviour), await hostileUpstream(t, TELLS)]
    t.equal(await rpcOver(t, [first, second], { context }).call(TOKEN, '0x', callOf(400)), SIX, title)
    t.equal(first.requests.length > 0, true, title)
  }
  const late = await hostileUpstream(t, TELLS)
  const hung = await hostileUpstream(t, () => clock.advance(400))
  t.match(
    await failureOf(
      rpcOver(t, [hung, late, late], { context }).call(TOKEN, '0x', callOf(1, null, 'build', clock)),
    ),
    {
      code: 'upstream_timeout',
    },
  )
  t.equal(late.requests.length, 0, 'no time is left for another')
  const closed = { url: `http://127.0.0.1:${await closedPort()}` }
  t.equal(await rpcOver(t, [closed, await hostileUpstream(t, TELLS)]).call(TOKEN, '0x', callOf(60_000)), SIX)
})

t.test('when no node answers, the failure is a 502 of the provider that gives no address away', async (t) => {
  const clock = handClock()
  const cases: [behaviour: Behaviour, code: string][] = [
    [says(-32005, 'limit exceeded'), 'upstream_rate_limited'],
    [says(-32603, 'missing trie node'), 'upstream_failed'],
    [status(404), 'upstream_failed'],
    [status(500), 'upstream_failed'],
    [status(401), 'upstream_refused'],
    [status(429), 'upstream_rate_limited'],
    [answers('"result":null'), 'upstream_unusable'],
    [resets, 'upstream_unavailable'],
    [() => clock.advance(150), 'upstream_timeout'],
  ]
  for (const [behaviour, code] of cases) {
    const node = await hostileUpstream(t, behaviour)
    const lines: unknown[] = []
    const context = createUpstreamContext({ clock, onCall: (end) => lines.push(end) })
    const failure = await failureOf(rpcOver(t, [node], { context }).call(TOKEN, '0x', callOf(150)))
    t.match(failure, { code, status: 502, scope: 'provider', fields: { provider: /^base/ } })
    t.notMatch(JSON.stringify([failure.message, failure.fields, lines]), /127\.0\.0\.1/)
  }
})

t.test('nodes that cool down are skipped, and when all do it says until when', async (t) => {
  let now = 0
  const node = await hostileUpstream(t, status(429, '', ['retry-after: 9']))
  const rpc = rpcOver(t, [node], { context: createUpstreamContext({ clock: clockOf({ now: () => now }) }) })
  t.match(await failureOf(rpc.call(TOKEN, '0x', callOf(60_000))), { code: 'upstream_rate_limited' })
  t.match(await failureOf(rpc.call(TOKEN, '0x', callOf(60_000))), {
    code: 'upstream_unavailable',
    scope: 'provider',
    fields: { provider: 'base', retryAfterMs: 9_000 },
  })
  t.equal(node.requests.length, 1)
  now = 9_000
  node.behaviour = TELLS
  t.equal(await rpc.call(TOKEN, '0x', callOf(60_000)), SIX)
})

t.test('a question whose connection had died is asked again', async (t) => {
  const node = await hostileUpstream(t)
  const rpc = rpcOver(t, [node])
  const read = (value: unknown) => ({ value })
  const kinds: readonly (readonly [string, () => Promise<unknown>])[] = [
    [`"${SIX}"`, () => rpc.call(TOKEN, '0x', callOf(60_000))],
    ['{}', () => rpc.look('eth_thing', ['x'], read, callOf(60_000))],
    ['{}', () => rpc.query('eth_thing', [], callOf(60_000))],
  ]
  for (const [result, ask] of kinds) {
    const tells: Behaviour = (socket, request) => {
      const chain = request.body.includes('eth_chainId')
      answers(`"result":${chain ? '"0x2105"' : result}`)(socket, request)
    }
    node.behaviour = tells
    t.ok(await ask())
    await new Promise((resolve) => setTimeout(resolve, 5))
    node.behaviour = forgetsIdle(tells)
    const before = node.requests.length
    t.ok(await ask())
    t.equal(node.requests.length, before + 2, 'twice, of which one was lost')
  }
})

t.test("a rate limit in a node's answer pauses it, too", async (t) => {
  for (const code of [-32005, 429]) {
    let now = 0
    const node = await hostileUpstream(t, says(code, 'limit exceeded'))
    const rpc = rpcOver(t, [node], { context: createUpstreamContext({ clock: clockOf({ now: () => now }) }) })
    t.match(await failureOf(rpc.call(TOKEN, '0x', callOf(60_000))), { code: 'upstream_rate_limited' })
    const paused = { code: 'upstream_unavailable', fields: { retryAfterMs: 1_000 } }
    t.match(await failureOf(rpc.call(TOKEN, '0x', callOf(60_000))), paused)
    t.equal(node.requests.length, 1)
    now = 1_000
    node.behaviour = TELLS
    t.equal(await rpc.call(TOKEN, '0x', callOf(60_000)), SIX)
  }
})

t.test('a caller that goes away ends the call, and no other node is asked', async (t) => {
  const scope = new CancellationScope()
  const first = await hostileUpstream(t, () => scope.cancel())
  const second = await hostileUpstream(t, TELLS)
  const failure = await failureOf(rpcOver(t, [first, second]).call(TOKEN, '0x', callOf(60_000, scope)))
  t.match(failure, { code: 'upstream_unavailable' })
  t.equal(second.requests.length, 0)
})

t.test('a node that lacks a method is asked for it once, whatever words it has for that', async (t) => {
  const lacks: [code: number, message: string][] = [
    [-32601, 'the method eth_simulateV1 does not exist/is not available'],
    [-32601, ''],
    [-32600, 'Method not supported'],
    [-32600, 'Unsupported method: eth_simulateV1. See available methods at https://docs.example'],
    [-32000, 'method is not available'],
    [-32000, 'the method "eth_simulateV1" does not exist'],
    [-32004, 'This method is not supported.'],
    [-32603, "method 'eth_simulateV1' is not whitelisted"],
    [-32001, 'rpc method is unsupported'],
    [-32601, 'Method eth_simulateV1 is disabled'],
  ]
  for (const [code, message] of lacks) {
    const [first, second] = [
      await hostileUpstream(t, says(code, message)),
      await hostileUpstream(t, answers('"result":[{"calls":[]}]')),
    ]
    const rpc = rpcOver(t, [first, second])
    const query = () => rpc.query('eth_simulateV1', [{}, 'latest'], callOf(60_000))
    t.equal(await query(), '[{"calls":[]}]', message)
    t.equal(await query(), '[{"calls":[]}]')
    t.equal(first.requests.length, 1, 'it is not asked again')
    t.equal(second.requests.length, 2)
    t.equal(await rpc.query('eth_other', [], callOf(60_000)), '[{"calls":[]}]')
    t.equal(first.requests.length, 2, 'for another method it is')
  }
})

t.test('a node that refuses to run a method may run it another time', async (t) => {
  const node = await hostileUpstream(t, says(-32000, 'execution reverted: method paused by its owner'))
  const rpc = rpcOver(t, [node])
  const query = () => rpc.query('eth_simulateV1', [], callOf(60_000))
  for (const refusal of ['err: intrinsic gas too low', 'header not found', 'missing value']) {
    node.behaviour = says(-38013, refusal)
    t.equal(await query(), null, refusal)
  }
  node.behaviour = status(404)
  t.equal(await query(), null, 'whose address is wrong')
  node.behaviour = answers('"result":[]')
  t.equal(await query(), '[]')
})

t.test('no node has it', async (t) => {
  const node = await hostileUpstream(t, says(-32601, 'the method does not exist'))
  const rpc = rpcOver(t, [node])
  for (let i = 0; i < 3; i++) t.equal(await rpc.query('eth_simulateV1', [], callOf(60_000)), null)
  t.equal(node.requests.length, 1)
})

t.test('of a thing that a node may not have, each node says first which chain it is of', async (t) => {
  const told =
    (chainId: string, result: string): Behaviour =>
    (socket, request) =>
      answers(`"result":${request.body.includes('eth_chainId') ? `"${chainId}"` : result}`)(socket, request)
  const methods = ({ requests }: HostileUpstream) =>
    requests.map(({ body }) => /"method":"(\w+)"/.exec(body)![1])
  // Not 0, which the cache takes for no time at all.
  let now = 1
  const context = createUpstreamContext({ clock: clockOf({ now: () => now }) })
  const read = (value: unknown) => (typeof value === 'string' ? { value } : null)
  const look = (rpc: EvmRpc) => rpc.look('eth_thing', ['x'], read, callOf(60_000))

  const [absent, has] = [
    await hostileUpstream(t, told('0x2105', 'null')),
    await hostileUpstream(t, told('0x2105', '"it"')),
  ]
  const rpc = rpcOver(t, [absent, has], { context })
  t.same(await look(rpc), { value: 'it' })
  t.same(await look(rpc), { value: 'it' })
  t.same(methods(absent), ['eth_chainId', 'eth_thing', 'eth_thing'])
  now += 60_001
  await look(rpc)
  t.same(methods(absent).slice(3), ['eth_chainId', 'eth_thing'])
  t.equal(await look(rpcOver(t, [absent])), null)

  const foreign = await hostileUpstream(t, told('0x1', '"else"'))
  t.same(await look(rpcOver(t, [foreign, has])), { value: 'it' })
  t.notOk(methods(foreign).includes('eth_thing'), 'a node of another chain is not asked')
  t.match(await failureOf(look(rpcOver(t, [foreign]))), { code: 'upstream_unusable' })

  const strange = await hostileUpstream(t, told('0x2105', '7'))
  t.same(await look(rpcOver(t, [strange, has])), { value: 'it' }, 'no answer to the question')
  t.match(await failureOf(look(rpcOver(t, [strange]))), { code: 'upstream_unusable' })

  const failing = await hostileUpstream(t, status(500))
  t.same(await look(rpcOver(t, [failing, has])), { value: 'it' })
  t.equal(await look(rpcOver(t, [failing, absent])), null, 'by the word of the one that answered')
})

t.test(
  'one client that repeats a question which fails cannot have a node left alone by others',
  async (t) => {
    const [strange, told] = [answers('"result":7'), answers('"result":"0x2105"')]
    const kinds: Readonly<Record<string, (rpc: EvmRpc, of: string, client: string) => Promise<unknown>>> = {
      call: (rpc, of, client) => rpc.call(TOKEN, of, callOf(60_000, new CancellationScope(client))),
      look: (rpc, of, client) => {
        const scope = new CancellationScope(client)
        return rpc.look('eth_thing', [of], () => null, callOf(60_000, scope))
      },
      query: (rpc, of, client) => {
        const scope = new CancellationScope(client)
        return rpc.query('eth_thing', [of], callOf(60_000, scope))
      },
    }
    for (const [kind, ask] of Object.entries(kinds)) {
      const node = await hostileUpstream(t, told)
      const rpc = rpcOver(t, [node], { context: createUpstreamContext({ clock: clockOf({}) }) })
      await rpc.gasPrice(callOf(60_000))
      node.behaviour = (socket, request) => {
        if (kind === 'query') status(200, '7')(socket, request)
        else (request.body.includes('eth_chainId') ? told : strange)(socket, request)
      }
      const fails = (of: string, client: string) => failureOf(ask(rpc, of, client))
      for (let times = 0; times < 9; times++) await fails('0x01', 'attacker')
      await fails('0x01', 'bystander')
      t.match(rpc.state(), [{ state: 'degraded' }], `${kind}: two failures, however often`)
      for (const of of ['0x02', '0x03', '0x04']) await fails(of, 'bystander')
      t.match(rpc.state(), [{ state: 'cooling' }], `${kind}: five, of two clients`)
    }
  },
)
