import { setTimeout as sleep } from 'node:timers/promises'
import { createSolanaRpc } from '@solana/kit'
import { Connection, Keypair, LAMPORTS_PER_SOL } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { METHOD_NAMES } from '../../src/runtime/resources/solrpc.ts'
import { clockOf, handClock, runningClock } from '../fixtures/clock.ts'
import { call, listen, post } from '../fixtures/gateway.ts'
import { recordingNode } from '../fixtures/recording-node.ts'
import { serialize, transfer } from '../fixtures/transactions.ts'

const ADDRESS = 'Vote111111111111111111111111111111111111111'
const LIMITS = 'rpcRead=off,rpcSend=off,rpcBatch=off'
/** What the gateway does by itself later does not happen. */
const clock = clockOf({ after: () => () => {} })

/** A gateway before one recording node. */
async function beside(
  t: Test,
  environment: Record<string, string>,
  answer?: Parameters<typeof recordingNode>[1],
) {
  const node = await recordingNode(t, answer)
  const gateway = await listen(
    t,
    { MODE: 'live', SOLANA_RPC_URLS: node.url, LIMITS, ...environment },
    { clock },
  )
  return { node, ...gateway }
}

const SIGNED = Buffer.from(serialize(transfer())).toString('base64')
const NODE = { RPC_COMPAT: 'node' }
const one = (method: string, more: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  ...more,
})
const send = (url: string, body: unknown) => post(url, JSON.stringify(body))

t.test('strict is the default, and says what RPC_COMPAT=node takes', async (t) => {
  const { url, log, node } = await beside(t, {})
  t.match(log[0], { configured: { rpcCompat: 'strict' } })
  const { relay } = (await (await fetch(`${url}/api/config`)).json()) as { relay: Record<string, unknown> }
  t.match(relay, { compat: 'strict', maxCalls: 1, methods: METHOD_NAMES })
  const cases: [body: unknown, error: object][] = [
    [one('getSlot'), { code: 'invalid_parameter', field: 'params', error: /is required.*RPC_COMPAT=node/ }],
    [one('getSlot', { params: null }), { code: 'invalid_parameter', error: /RPC_COMPAT=node/ }],
    [one('getEpochInfo', { params: [] }), { code: 'method_not_allowed', error: /RPC_COMPAT=node/ }],
    [[one('getSlot', { params: [] })], { code: 'array_not_allowed', error: /RPC_COMPAT=node/ }],
    [[], { code: 'array_not_allowed' }],
  ]
  for (const [body, error] of cases) {
    const response = await send(url, body)
    t.equal(response.status, 400)
    t.match(await response.json(), { scope: /relay|validation/, ...error })
  }
  for (const body of [one('getSlot', { params: {} }), one('getSlots', { params: [] }), 'getSlot', 7, null]) {
    const { error } = (await (await send(url, body)).json()) as { error: string }
    t.notMatch(error, 'RPC_COMPAT', 'no mode takes it')
  }
  const answered = await send(url, { jsonrpc: '2.0', method: 'getSlot', params: [] })
  t.equal(await answered.text(), '{"jsonrpc":"2.0","result":1}', 'without an id it is answered, as ever')
  t.equal(node.calls.length, 1)
})

t.test('node takes calls without params, and those without an id as a node does', async (t) => {
  const { url, log, node } = await beside(t, { ...NODE, LIMITS: 'rpcRead=4/4' })
  t.match(log[0], { configured: { rpcCompat: 'node' } })
  t.match(await (await fetch(`${url}/api/config`)).json(), { relay: { compat: 'node', maxCalls: 10 } })
  t.match(await (await send(url, one('getSlot'))).json(), { id: 1, result: 1 })
  t.match(await (await send(url, one('getBlockHeight', { params: null }))).json(), { id: 1, result: 1 })
  t.same(
    node.calls.map(({ method, params }) => [method, params]),
    [
      ['getSlot', []],
      ['getBlockHeight', []],
    ],
  )
  const silent = await send(url, { jsonrpc: '2.0', method: 'getBalance', params: [ADDRESS] })
  t.same([silent.status, await silent.text()], [200, ''])
  t.match(silent.headers.get('ratelimit'), 'r=1', 'and costs a read')
  const submission = await send(url, { jsonrpc: '2.0', method: 'sendTransaction', params: [SIGNED] })
  t.same([submission.status, await submission.text()], [200, ''])
  t.equal(node.calls.length, 2, 'nothing is forwarded')
  t.equal((await send(url, { jsonrpc: '2.0', method: 'getBalance', params: [ADDRESS] })).status, 429)
  for (const body of [
    one('getSlot', { params: {} }),
    one('getSlot', { more: 1 }),
    one('getSlots'),
    'getSlot',
  ]) {
    const response = await send(url, body)
    t.equal(response.status, 400)
    t.match(await response.json(), { error: String, code: String })
  }
})

t.test('node answers an array of reads, each as its own', async (t) => {
  const { url, node } = await beside(t, NODE, ({ method }) =>
    method === 'getBlockHeight'
      ? '{"jsonrpc":"2.0","id":$ID,"error":{"code":-32005,"message":"Node is unhealthy"}}'
      : '{"jsonrpc":"2.0","result":18446744073709551615,"id":$ID}',
  )
  const body = `[ {"jsonrpc":"2.0","id":1.0,"method":"getSlot"},
    {"jsonrpc":"2.0","method":"getSlot"},
    {"jsonrpc":"2.0","id":"\\u0061","method":"getSlot","params":[{"commitment":"confirmd"}]},
    {"jsonrpc":"2.0","id":18446744073709551615,"method":"getBlockHeight","params":[]},
    {"jsonrpc":"2.0","id":2,"method":"getProgramAccounts","params":[]},
    {"jsonrpc":"2.0","id":3,"method":"sendTransaction","params":["${SIGNED}"]},
    {"jsonrpc":"2.0","id":4,"method":"simulateTransaction","params":["AA"]},
    {"id":5,"method":"getSlot"}, 7, [] ]`
  const response = await post(url, body)
  t.equal(response.status, 200)
  const text = await response.text()
  t.ok(text.startsWith('[{"jsonrpc":"2.0","result":18446744073709551615,"id":1.0},'), 'byte for byte')
  t.match(text, '"id":"\\u0061"')
  t.match(text, '"id":18446744073709551615')
  t.match(JSON.parse(text), [
    { id: 1, result: Number },
    { id: 'a', error: { code: -32_602, data: { code: 'invalid_parameter', field: 'params[0].commitment' } } },
    { id: Number, error: { code: -32_005 } },
    { id: 2, error: { code: -32_601, data: { code: 'method_not_allowed' } } },
    { id: 3, error: { code: -32_600, data: { code: 'submission_in_array', scope: 'relay' } } },
    { id: 4, error: { code: -32_603, data: { code: /^transaction_/ } } },
    { id: 5, error: { code: -32_600, data: { field: 'jsonrpc' } } },
    { id: null, error: { code: -32_600 } },
    { id: null, error: { code: -32_600 } },
  ])
  t.same(
    node.calls.map(({ method }) => method).sort(),
    ['getBlockHeight', 'getSlot'],
    'no submission, and nothing that is refused',
  )
  const silent = await send(url, [{ jsonrpc: '2.0', method: 'getSlot' }])
  t.same([silent.status, await silent.text()], [200, ''], 'an array without an answer is nothing')
  for (const count of [0, 11]) {
    const refused = await send(url, Array(count).fill(one('getSlot')))
    t.equal(refused.status, 400)
    t.match(await refused.json(), { code: 'array_size_invalid', error: new RegExp(`holds ${count}\\.`) })
  }
})

t.test('each call of an array is charged, and what has no room is refused alone', async (t) => {
  const { url, node } = await beside(t, { ...NODE, LIMITS: 'rpcRead=4/4' })
  const balances = (count: number) =>
    Array.from({ length: count }, (_, id) => ({ ...one('getBalance', { params: [ADDRESS] }), id }))
  const most = await send(url, balances(6))
  t.match(most.headers.get('ratelimit'), '"rpcRead-client";r=0')
  const answers = (await most.json()) as { result?: number; error?: { data: object } }[]
  t.same(
    answers.slice(0, 4).map(({ result }) => result),
    [1, 1, 1, 1],
  )
  for (const { error } of answers.slice(4)) {
    t.match(error?.data, { code: 'budget_exhausted', budget: 'rpcRead-client', retryAfterMs: Number })
  }
  t.equal(node.calls.length, 1, 'the same reads share a call')
  const none = await send(url, balances(2))
  t.equal(none.status, 429)
  t.ok(none.headers.has('retry-after'))
  t.match(await none.json(), { code: 'budget_exhausted' })
})

t.test('calls of an array that are refused are not free', async (t) => {
  const { url, node } = await beside(t, { ...NODE, LIMITS: 'rpcRead=4/4' })
  const calls = [
    7,
    one('getSlots'),
    one('sendTransaction', { params: [SIGNED] }),
    one('getSlot', { params: [1] }),
  ]
  const refused = await send(url, calls)
  t.equal(refused.status, 200)
  t.match(refused.headers.get('ratelimit'), '"rpcRead-client";r=0')
  t.equal(((await refused.json()) as unknown[]).length, 4)
  t.equal((await send(url, calls)).status, 429)
  t.equal(node.calls.length, 0)
})

t.test('a call of an array whose id cannot be read is refused alone', async (t) => {
  const { url } = await beside(t, { ...NODE, MAX_V1_TRANSACTION_BYTES: '4096' })
  const unread = { ['x'.repeat(65_600)]: 1 }
  const response = await send(url, [one('getSlot'), unread])
  t.equal(response.status, 200)
  t.match(await response.json(), [{ id: 1 }, { id: null, error: { code: -32600 } }])
})

t.test('answers of an array are held until the last is there, and bounded together', async (t) => {
  const long = `"${'x'.repeat(1_500_000)}"`
  const { url } = await beside(t, NODE, () => `{"jsonrpc":"2.0","result":${long},"id":$ID}`)
  const accounts = [1, 2, 3].map((id) => ({
    ...one('getAccountInfo', { params: [Keypair.generate().publicKey.toBase58()] }),
    id,
  }))
  const answers = (await (await send(url, accounts)).json()) as {
    id: number
    result?: string
    error?: object
  }[]
  t.same(
    answers.map(({ id }) => id),
    [1, 2, 3],
  )
  t.equal(answers.filter(({ result }) => result?.length === 1_500_000).length, 2)
  t.match(answers.find(({ error }) => error !== undefined)?.error, {
    data: { code: 'array_answer_too_long' },
  })
})

t.test('stock clients make their cheap reads, and web3.js its arrays', async (t) => {
  const { url, sandbox } = await listen(t, { LIMITS, ...NODE }, { clock: runningClock() })
  const connection = new Connection(`${url}/api/solrpc`, 'confirmed')
  const wallet = Keypair.generate().publicKey
  const signature = await new Connection(sandbox!.solanaRpc).requestAirdrop(wallet, LAMPORTS_PER_SOL)
  t.match(await connection.getVersion(), { 'solana-core': String })
  t.equal(await connection.getMinimumBalanceForRentExemption(165), 2_039_280)
  t.match(await connection.getEpochInfo(), { absoluteSlot: Number })
  t.match(await connection.getGenesisHash(), String)
  const { blockhash } = await connection.getLatestBlockhash()
  t.equal((await connection.isBlockhashValid(blockhash)).value, true)
  t.equal(await createSolanaRpc(`${url}/api/solrpc`).getHealth().send(), 'ok')
  while ((await connection.getSignaturesForAddress(wallet)).length === 0) await sleep(20)
  const landed = await connection.getParsedTransactions([signature, signature], {
    maxSupportedTransactionVersion: 0,
  })
  t.equal(landed.length, 2)
  t.match(landed, [{ transaction: { signatures: [signature] } }, { slot: Number }])
})

t.test('cheap reads share a node’s answer, as reads of the whole cluster do', async (t) => {
  const { url, node } = await beside(t, NODE)
  const names = ['getEpochInfo', 'getVersion', 'getHealth']
  await Promise.all([...names, ...names].map((name) => send(url, one(name))))
  for (const name of names) {
    const kept = await send(url, one(name))
    t.match(kept.headers.get('server-timing'), 'cache;desc=cached')
  }
  await send(url, one('getMinimumBalanceForRentExemption', { params: [165] }))
  await send(url, one('getMinimumBalanceForRentExemption', { params: [82] }))
  t.same(node.calls.map(({ method }) => method).sort(), [
    'getEpochInfo',
    'getHealth',
    'getMinimumBalanceForRentExemption',
    'getMinimumBalanceForRentExemption',
    'getVersion',
  ])
})

t.test('the document describes the mode that is on', async (t) => {
  const [strict, node] = await Promise.all(
    [{}, NODE].map(async (environment) => {
      const { url } = await listen(t, environment, { clock: handClock() })
      return (await (await fetch(`${url}/openapi.json`)).json()) as {
        components: { schemas: { SolanaRpcRequest: Record<string, unknown> } }
        paths: Record<string, { post: { description: string } }>
      }
    }),
  )
  t.match(strict!.components.schemas.SolanaRpcRequest, { required: ['jsonrpc', 'method', 'params'] })
  t.match(node!.components.schemas.SolanaRpcRequest, {
    anyOf: [{ required: ['jsonrpc', 'method'] }, { type: 'array', maxItems: 10 }],
  })
  t.match(strict!.paths['/api/solrpc']!.post.description, 'RPC_COMPAT=node')
  t.match(node!.paths['/api/solrpc']!.post.description, 'runs with RPC_COMPAT=node')
})

t.test('a refusal carries its code where clients look that show no body', async (t) => {
  const { url } = await beside(t, {})
  const response = await call(url, 'sendTransaction', ['AA', { encoding: 'base64' }])
  const { code } = (await response.json()) as { code: string }
  t.same([response.status, response.statusText, response.headers.get('x-error-code')], [400, code, code])
  const kit = createSolanaRpc(`${url}/api/solrpc`)
  const error = await kit
    .sendTransaction('AA' as never, { encoding: 'base64' })
    .send()
    .catch((error: unknown) => error)
  t.match(error, { message: `HTTP error (400): ${code}`, context: { message: code } })
})
