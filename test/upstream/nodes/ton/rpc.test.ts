import t, { type Test } from 'tap'
import { parseBoc } from '../../../../src/proof/ton/boc.ts'
import { TonContracts } from '../../../../src/proof/ton/contracts.ts'
import {
  contractAddress,
  ROUTER,
  ROUTER_LIBRARY,
  walletAddress,
} from '../../../../src/sandbox/ton/addresses.ts'
import { address, cell, libraryCell, writeBag } from '../../../../src/sandbox/ton/cells.ts'
import { tonNodes, tonUrls } from '../../../../src/sandbox/ton/node.ts'
import { createUpstreamContext } from '../../../../src/upstream/context.ts'
import { TonRpc } from '../../../../src/upstream/nodes/ton/rpc.ts'
import { callOf } from '../../../fixtures/call.ts'
import { handClock, until } from '../../../fixtures/clock.ts'
import { type HostileUpstream, hostileUpstream, stalls, status } from '../../../fixtures/hostile-upstream.ts'
import { startProvider } from '../../../fixtures/provider.ts'

const OWNER = contractAddress('somebody')
const USDC = 'EQC61IQRl0_la95t27xhIpjxZt32vl1QQVF2UgTNuvD18W-4'
const SLICE = writeBag(cell(address(OWNER)))

function rpcTo(t: Test, urls: readonly string[]): TonRpc {
  const rpc = new TonRpc({ urls })
  t.teardown(() => rpc.close())
  return rpc
}

t.test('the two interfaces answer the same', async (t) => {
  const { url, requests } = await startProvider(t, tonNodes)
  const rpc = rpcTo(t, tonUrls(url))
  const expected = writeBag(cell(address(walletAddress(USDC, OWNER))))
  t.same(await rpc.runEverywhere(USDC, 'get_wallet_address', [SLICE], callOf(60_000)), [
    [expected],
    [expected],
  ])
  const [toncenter, tonapi] = [...requests].sort((a, b) => (a.method < b.method ? 1 : -1))
  t.same(toncenter!.body, {
    jsonrpc: '2.0',
    id: '1',
    method: 'runGetMethod',
    params: { address: USDC, method: 'get_wallet_address', stack: [['tvm.Slice', SLICE.toString('base64')]] },
  })
  t.equal(tonapi!.path, `/tonapi/v2/blockchain/accounts/${USDC}/methods/get_wallet_address`)
  t.same(tonapi!.query.getAll('args'), [SLICE.toString('hex')])
  const data = await rpc.runEverywhere(walletAddress(USDC, OWNER), 'get_wallet_data', [], callOf(60_000))
  t.same(
    data.map((stack) => stack.map((entry) => entry !== null && parseBoc(entry) !== null)),
    [
      [false, true, true, true],
      [false, true, true, true],
    ],
  )
  t.same(
    await rpc.runEverywhere(OWNER, 'get_wallet_address', [SLICE], callOf(60_000)),
    [],
    'no such contract',
  )
})

t.test('the two interfaces answer the same code', async (t) => {
  const { url, requests } = await startProvider(t, tonNodes)
  const rpc = rpcTo(t, tonUrls(url))
  const code = writeBag(libraryCell(ROUTER_LIBRARY))
  t.same(await rpc.codeEverywhere(ROUTER, callOf(60_000)), [code, code])
  const [toncenter, tonapi] = [...requests].sort((a, b) => (a.method < b.method ? 1 : -1))
  t.same(toncenter!.body, {
    jsonrpc: '2.0',
    id: '1',
    method: 'getAddressInformation',
    params: { address: ROUTER },
  })
  t.same([tonapi!.path, tonapi!.text], [`/tonapi/v2/blockchain/accounts/${ROUTER}`, ''])
  t.same(await rpc.codeEverywhere(OWNER, callOf(60_000)), [], 'no contract')
  t.match(rpc.state(), [{ state: 'ok' }, { state: 'ok' }])
})

t.test('an answer without a code is none', async (t) => {
  const server: HostileUpstream = await hostileUpstream(t)
  const toncenter = (result: unknown): string => JSON.stringify({ ok: true, result, jsonrpc: '2.0', id: '1' })
  const cases: [path: string, code: number, body: string, codes: number, state: string][] = [
    ['/jsonRPC', 200, toncenter({ balance: '0', code: 'AAAA' }), 1, 'ok'],
    ['/jsonRPC', 200, toncenter({ balance: '0', code: '' }), 0, 'ok'],
    ['/jsonRPC', 200, toncenter({ balance: '0' }), 0, 'ok'],
    ['/jsonRPC', 200, toncenter({ code: 'AAAA' }), 0, 'degraded'],
    ['/jsonRPC', 200, toncenter({ balance: '0', code: 5 }), 0, 'degraded'],
    ['/jsonRPC', 422, '{"ok":false,"error":"incorrect address"}', 0, 'ok'],
    ['/v2', 200, '{"balance":1,"status":"active","code":"b5ee"}', 1, 'ok'],
    ['/v2', 200, '{"balance":1,"status":"uninit"}', 0, 'ok'],
    ['/v2', 200, '{}', 0, 'degraded'],
    ['/v2', 404, '{"error":"entity not found"}', 0, 'ok'],
  ]
  for (const [path, code, body, codes, state] of cases) {
    server.behaviour = status(code, body)
    const rpc = rpcTo(t, [server.url + path])
    t.equal((await rpc.codeEverywhere(ROUTER, callOf(60_000))).length, codes, `${path} ${code} ${body}`)
    t.match(rpc.state(), [{ state }], `${path} ${code} ${body}`)
  }
})

t.test('a node that is listed twice is one, and so are two at one host', async (t) => {
  const { url } = await startProvider(t, tonNodes)
  const [toncenter, tonapi] = tonUrls(url) as [string, string]
  const atOneHost = tonapi.replace('localhost', '127.0.0.1')
  const twice = [toncenter, toncenter, toncenter.replace('/toncenter', '/./toncenter')]
  for (const urls of [twice, [toncenter, atOneHost]]) {
    const rpc = rpcTo(t, urls)
    t.equal((await rpc.runEverywhere(USDC, 'get_wallet_address', [SLICE], callOf(60_000))).length, 1)
    t.equal((await rpc.codeEverywhere(ROUTER, callOf(60_000))).length, 1)
    const witness = new TonContracts(rpc).within(callOf())
    t.equal(await witness.walletOf(USDC, OWNER, false), null, 'and its word alone is none')
    t.equal(await witness.codeOf(ROUTER), null)
  }
  t.equal(rpcTo(t, [toncenter, atOneHost]).state().length, 2, 'both are shown')
})

t.test('a node that fails, or answers nonsense, has no say', async (t) => {
  const server: HostileUpstream = await hostileUpstream(t)
  const toncenter = (result: unknown): string => JSON.stringify({ ok: true, result, jsonrpc: '2.0', id: '1' })
  const entry = ['cell', { bytes: SLICE.toString('base64') }]
  const cases: [path: string, code: number, body: string, stacks: number][] = [
    ['/jsonRPC', 200, toncenter({ exit_code: 0, stack: [entry] }), 1],
    ['/jsonRPC', 200, toncenter({ exit_code: 1, stack: [] }), 1],
    ['/jsonRPC', 200, toncenter({ exit_code: -13, stack: [] }), 0],
    ['/jsonRPC', 200, toncenter({ exit_code: 0 }), 0],
    ['/jsonRPC', 200, toncenter(null), 0],
    ['/jsonRPC', 200, '{"ok":false,"error":"LITE_SERVER_UNKNOWN"}', 0],
    ['/jsonRPC', 200, '[', 0],
    ['/jsonRPC', 422, '{"ok":false}', 0],
    ['/jsonRPC', 429, '{"ok":false}', 0],
    ['/jsonRPC', 500, toncenter({ exit_code: 0, stack: [entry] }), 0],
    [
      '/v2',
      200,
      `{"success":true,"exit_code":0,"stack":[{"type":"cell","cell":"${SLICE.toString('hex')}"}]}`,
      1,
    ],
    ['/v2', 200, '{"success":false,"exit_code":11,"stack":[]}', 0],
    ['/v2', 404, '{"error":"entity not found"}', 0],
    ['/v2', 200, 'null', 0],
  ]
  for (const [path, code, body, stacks] of cases) {
    server.behaviour = status(code, body)
    const answers = await rpcTo(t, [server.url + path]).runEverywhere(USDC, 'm', [SLICE], callOf(60_000))
    t.equal(answers.length, stacks, `${path} ${code} ${body}`)
  }
  server.behaviour = status(
    200,
    toncenter({ exit_code: 0, stack: [entry, ['num', '0x1'], ['cell', 1], null, 'cell'] }),
  )
  const [stack] = await rpcTo(t, [`${server.url}/jsonRPC`]).runEverywhere(USDC, 'm', [SLICE], callOf(60_000))
  t.same(stack, [SLICE, null, null, null, null])
  for (const [bytes, stacks] of [
    [256 * 1024, 1],
    [256 * 1024 + 1, 0],
  ] as const) {
    const body = toncenter({ exit_code: 0, stack: [entry] })
    server.behaviour = status(200, body + ' '.repeat(bytes - body.length))
    const answers = await rpcTo(t, [`${server.url}/jsonRPC`]).runEverywhere(
      USDC,
      'm',
      [SLICE],
      callOf(60_000),
    )
    t.equal(answers.length, stacks, `${bytes} bytes`)
  }
  server.behaviour = stalls
  t.same(await rpcTo(t, [`${server.url}/jsonRPC`]).runEverywhere(USDC, 'm', [SLICE], callOf(20)), [])
})

t.test('a node that answers as nobody of TON does is not ok; an unknown account is an answer', async (t) => {
  const server = await hostileUpstream(t)
  const cases: [path: string, code: number, body: string, state: string][] = [
    ['/jsonRPC', 404, '<html>', 'refused'],
    ['/v2', 404, '<html>', 'refused'],
    ['/v2', 401, '{"error":"no key"}', 'refused'],
    ['/jsonRPC', 403, '{"ok":false,"error":"no key"}', 'refused'],
    ['/v2', 200, '<html>', 'degraded'],
    ['/jsonRPC', 200, '{}', 'degraded'],
    ['/v2', 404, '{"error":"entity not found"}', 'ok'],
    ['/jsonRPC', 422, '{"ok":false,"error":"unknown account","code":422}', 'ok'],
  ]
  for (const [path, code, body, state] of cases) {
    server.behaviour = status(code, body)
    const rpc = rpcTo(t, [server.url + path])
    t.match(rpc.state(), [{ name: 'ton-1', state: 'untried' }])
    await rpc.runEverywhere(USDC, 'm', [SLICE], callOf(60_000))
    t.match(rpc.state(), [{ name: 'ton-1', state }], `${path} ${code} ${body}`)
  }
})

t.test('toncenter without a key is asked once a second, and a second build waits for its turn', async (t) => {
  const { url, requests } = await startProvider(t, tonNodes)
  const clock = handClock()
  const context = createUpstreamContext({ clock, limitsAsPublic: true })
  const rpc = new TonRpc({ urls: tonUrls(url), context })
  t.teardown(() => rpc.close())
  const asked = () => requests.filter(({ method }) => method === 'POST').length
  const build = (deadlineMs: number) => rpc.codeEverywhere(ROUTER, callOf(deadlineMs))
  t.equal((await build(3_000)).length, 2)
  const [second, third, late] = [build(3_000), build(3_000), build(2_000)]
  t.equal((await late).length, 1, 'its turn would come too late')
  await until(() => requests.length === 5)
  t.equal(asked(), 1)
  clock.advance(1_050)
  t.equal((await second).length, 2)
  t.equal(asked(), 2)
  clock.advance(1_050)
  t.equal((await third).length, 2)
  t.match(rpc.state(), [{ state: 'ok' }, { state: 'ok' }])
})

t.test('a key in the URL, or another host, lifts the limit', async (t) => {
  const { url } = await startProvider(t, tonNodes)
  for (const [query, limitsAsPublic] of [
    ['?api_key=secret', true],
    ['', false],
  ] as const) {
    const clock = handClock()
    const [toncenter, tonapi] = tonUrls(url)
    const urls = [`${toncenter}${query}`, tonapi!]
    const rpc = new TonRpc({ urls, context: createUpstreamContext({ clock, limitsAsPublic }) })
    t.teardown(() => rpc.close())
    for (let time = 0; time < 3; time++) t.equal((await rpc.codeEverywhere(ROUTER, callOf(3_000))).length, 2)
  }
})
