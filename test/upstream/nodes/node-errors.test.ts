/** What the errors of nodes are about, by the words that nodes and their proxies are known to use. */

import t, { type Test } from 'tap'
import { evm } from '../../../src/sandbox/evm/node.ts'
import { sui as suiNode } from '../../../src/sandbox/sui/node.ts'
import { TONCENTER, tonNodes } from '../../../src/sandbox/ton/node.ts'
import { EvmRpc } from '../../../src/upstream/nodes/evm/rpc.ts'
import { aboutOf, type ErrorAbout, type Family } from '../../../src/upstream/nodes/node-errors.ts'
import { SolanaRpc } from '../../../src/upstream/nodes/solana/rpc.ts'
import { SuiRpc } from '../../../src/upstream/nodes/sui/rpc.ts'
import { TonRpc } from '../../../src/upstream/nodes/ton/rpc.ts'
import { DENIED, LIMITED } from '../../../src/upstream/request.ts'
import { callOf } from '../../fixtures/call.ts'
import { answers, type Behaviour, hostileUpstream, status } from '../../fixtures/hostile-upstream.ts'
import { OPTIONS, startProvider } from '../../fixtures/provider.ts'

const CASES: [family: Family, code: unknown, message: string, about: ErrorAbout][] = [
  ...(['solana', 'evm', 'sui', 'ton'] as const).flatMap((family): [Family, unknown, string, ErrorAbout][] => [
    [family, 429, 'Too Many Requests', LIMITED],
    [family, -32429, 'rate limited', LIMITED],
    [family, -32029, '', LIMITED],
    [family, -32007, '50/second request limit reached - reduce calls per second', LIMITED],
    [family, -32005, 'daily request count exceeded, request rate limited', LIMITED],
    [family, -32012, 'You have run out of credits', LIMITED],
    [family, -32000, 'Your app has exceeded its compute units per second capacity', LIMITED],
    [family, -32000, "You've exceeded the RPS limit available on the current plan", LIMITED],
    [family, -32401, '', DENIED],
    [family, 403, 'Access forbidden', DENIED],
    [family, -32000, 'Unauthorized: You must authenticate your request with an API key.', DENIED],
    [family, -32600, 'Must be authenticated!', DENIED],
    [family, -32603, 'Internal error', 'fault'],
    [family, 503, '', 'fault'],
    [family, -32000, 'no healthy upstream', 'fault'],
  ]),
  // Codes that mean another thing elsewhere.
  ['solana', -32005, 'Node is behind by 42 slots', 'node'],
  ['solana', -32005, 'Node is unhealthy', 'node'],
  ['solana', -32016, 'Minimum context slot has not been reached', 'node'],
  ['solana', -32007, 'Slot 5 was skipped, or missing due to ledger jump to recent snapshot', 'question'],
  ['solana', -32009, 'Slot 5 was skipped, or missing in long-term storage', 'question'],
  ['solana', -32012, 'Scan aborted: The accumulated scan results exceeded the limit', 'question'],
  ['solana', -32015, 'Transaction version (0) is not supported by the requesting client', 'question'],
  ['solana', -32602, 'Too many inputs provided; max 100', 'question'],
  ['solana', -32601, 'Method not found', 'question'],
  ['solana', -32002, 'Transaction simulation failed: custom program error: rate limit exceeded', 'question'],
  ['solana', -32000, 'something of a proxy', 'fault'],
  ['evm', -32005, 'limit exceeded', LIMITED],
  ['evm', -32007, 'whatever', LIMITED],
  ['evm', -32005, 'query returned more than 10000 results', 'node'],
  ['evm', -32000, 'header not found', 'node'],
  ['evm', -32000, 'missing trie node 0x12 (path ) state 0x34 is not available', 'node'],
  ['evm', -32601, 'the method debug_traceCall does not exist/is not available', 'node'],
  ['evm', -32000, 'method debug_traceCall is not allowed for unauthorized users', 'node'],
  // A contract chooses the words of its revert.
  ['evm', 3, 'execution reverted: rate limit exceeded', 'question'],
  ['evm', 3, 'Unauthorized', 'question'],
  ['evm', -32000, 'execution reverted: Unauthorized', 'question'],
  ['evm', -32603, 'VM Exception while processing transaction: revert Too many requests', 'question'],
  ['evm', -32603, 'EVM error InvalidFEOpcode', 'question'],
  ['evm', -32000, 'gas required exceeds: out of gas', 'question'],
  ['sui', 'BAD_USER_INPUT', 'Too many requests in one query', 'question'],
  ['sui', 'GRAPHQL_VALIDATION_FAILED', "Unknown field 'error'", 'question'],
  ['sui', 'INTERNAL_SERVER_ERROR', 'oops', 'fault'],
  ['ton', undefined, 'Ratelimit exceed', LIMITED],
  ['ton', undefined, 'LITE_SERVER_UNKNOWN: cannot locate block', 'node'],
]

t.test('an error is about the question or about the node, by its code and its words', async (t) => {
  for (const [family, code, message, about] of CASES) {
    t.equal(aboutOf(family, { code, message }), about, `${family} ${String(code)} ${message}`)
  }
  t.equal(aboutOf('evm', {}), 'node')
  t.equal(aboutOf('evm', { code: 3.5, message: 7 }), 'node')
})

const says = (code: number, message: string): Behaviour =>
  answers(`"error":${JSON.stringify({ code, message })}`)
const noId = (code: number, message: string): Behaviour =>
  status(200, JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }))

const TOKEN = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const SIX = `0x${'6'.padStart(64, '0')}`

function solanaOver(t: Test, urls: readonly string[]) {
  const rpc = new SolanaRpc({ readUrls: urls, sendUrls: urls })
  t.teardown(() => rpc.close())
  return rpc
}

function evmOver(t: Test, urls: readonly string[]) {
  const rpc = new EvmRpc({ chainKey: 'base', urls })
  t.teardown(() => rpc.close())
  return rpc
}

t.test(
  'a limit or a refused key in a 200 fails over, pauses the node, and shows in its health',
  async (t) => {
    const behaviours: [behaviour: Behaviour, code: string][] = [
      [says(429, 'Too many requests'), 'upstream_rate_limited'],
      [says(-32007, '50/second request limit reached'), 'upstream_rate_limited'],
      [says(-32029, 'Rate limit exceeded'), 'upstream_rate_limited'],
      [noId(-32429, 'rate limited'), 'upstream_rate_limited'],
      [noId(-32000, 'Unauthorized: You must authenticate'), 'upstream_refused'],
      [says(-32401, 'Unauthorized'), 'upstream_refused'],
      [status(200, '{"error":"Unauthorized"}'), 'upstream_refused'],
    ]
    for (const [behaviour, code] of behaviours) {
      const sick = await hostileUpstream(t, behaviour)
      const wells = [
        await hostileUpstream(t),
        await hostileUpstream(t, answers(`"result":"${SIX}"`)),
      ] as const
      const solana = solanaOver(t, [sick.url, wells[0].url])
      const evm = evmOver(t, [sick.url, wells[1].url])
      const read = () => solana.read('getBalance', '["x"]', callOf(60_000))
      for (const ask of [read, read]) t.equal((await ask()).result?.toString(), '1', code)
      const balances = () => sick.requests.filter(({ body }) => body.includes('getBalance')).length
      t.equal(balances(), 1, 'it is not asked again')
      t.equal(await evm.call(TOKEN, '0x', callOf(60_000)), SIX, code)
      t.equal(await evm.call(TOKEN, '0x', callOf(60_000)), SIX, code)
      t.equal(sick.requests.filter(({ body }) => body.includes('eth_call')).length, 1)
      for (const [state] of [solana.state(), evm.state()]) {
        t.notMatch(state, { state: 'ok' })
        t.match(state, { lastError: { code } })
      }
    }
  },
)

t.test("a node's own fault fails over, and counts as a 500 does", async (t) => {
  for (const behaviour of [says(-32603, 'Internal error'), says(-32000, 'bad gateway'), says(503, '')]) {
    const sick = await hostileUpstream(t, behaviour)
    const well = await hostileUpstream(t)
    const rpc = solanaOver(t, [sick.url, well.url])
    t.equal((await rpc.read('getBalance', '["0"]', callOf(60_000))).result?.toString(), '1')
    t.match(rpc.state()[0], { state: 'degraded', lastError: { code: 'upstream_failed' } })
    for (let i = 1; i < 5; i++) await rpc.read('getBalance', `["${i}"]`, callOf(60_000))
    const asked = sick.requests.length
    await rpc.read('getBalance', '["5"]', callOf(60_000))
    t.equal(sick.requests.length, asked, 'the circuit breaker is open')
    t.match(rpc.state()[0], { state: 'cooling' })
  }
  const alone = await hostileUpstream(t, says(-32603, 'Internal error'))
  const { error } = await solanaOver(t, [alone.url]).read('getBalance', '["x"]', callOf(60_000))
  t.match(error?.toString(), /-32603/, 'where no other node answers, it is passed on')
})

t.test("the sandbox's nodes answer in a 200 about themselves, and the next node is asked", async (t) => {
  const sick = await startProvider(t, (world) => evm(world.market))
  const well = await startProvider(t, (world) => evm(world.market))
  const price = await evmOver(t, [`${well.url}/base`]).gasPrice(callOf(60_000))
  for (const code of [429, -32005, -32007, -32012, -32029, -32429, -32401, -32603, -32000]) {
    const rpc = evmOver(t, [`${sick.url}/base`, `${well.url}/base`])
    sick.dials.set('evm', 'nodeError', { code })
    t.equal(await rpc.gasPrice(callOf(60_000)), price, String(code))
    t.not(rpc.state()[0]!.state, 'ok', String(code))
  }

  const suis = [await startProvider(t, suiNode), await startProvider(t, suiNode)] as const
  const [coin] = suis[0].market.tokens('sui')
  for (const code of [429, -32603, -32401]) {
    const rpc = new SuiRpc({ urls: suis.map(({ url }) => `${url}/graphql`) })
    t.teardown(() => rpc.close())
    suis[0].dials.set('sui', 'nodeError', { code })
    t.equal(await rpc.decimals(coin!.address, OPTIONS), coin!.decimals, String(code))
    t.not(rpc.state()[0]!.state, 'ok', String(code))
    t.not(rpc.state()[0]!.state, 'untried', String(code))
  }

  const ton = await startProvider(t, tonNodes)
  for (const [code, expected] of [
    [429, 'upstream_rate_limited'],
    [-32401, 'upstream_refused'],
    [-32603, 'upstream_unusable'],
  ] as const) {
    const rpc = new TonRpc({ urls: [`${ton.url}${TONCENTER}`] })
    t.teardown(() => rpc.close())
    ton.dials.set('ton', 'nodeError', { code })
    t.same(await rpc.codeEverywhere(`EQ${'A'.repeat(46)}`, callOf(60_000)), [])
    t.match(rpc.state()[0], { lastError: { code: expected } }, String(code))
    t.not(rpc.state()[0]!.state, 'ok')
  }
})
