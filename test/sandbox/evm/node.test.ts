import t, { type Test } from 'tap'
import {
  concat,
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  http,
  isAddress,
  multicall3Abi,
  parseAbi,
} from 'viem'
import { CHAINS } from '../../../src/chains/chains.ts'
import { MULTICALL3 } from '../../../src/chains/contracts.ts'
import { EVM_CHAINS } from '../../../src/chains/find.ts'
import { Dials } from '../../../src/sandbox/dials.ts'
import { evm } from '../../../src/sandbox/evm/node.ts'
import { Market } from '../../../src/sandbox/market/market.ts'
import type { MarketToken } from '../../../src/sandbox/market/tokens.ts'
import { startProviderServer } from '../../../src/sandbox/provider-server.ts'

type Hex = `0x${string}`

const NOW = Date.UTC(2026, 10, 20, 12)
const ROUTER = parseAbi([
  'function WETH() view returns (address)',
  'function factory() view returns (address)',
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)',
  'function getAmountsIn(uint256 amountOut, address[] path) view returns (uint256[] amounts)',
])
const V3 = parseAbi([
  'function WETH9() view returns (address)',
  'function factory() view returns (address)',
  'function quoteExactInput(bytes path, uint256 amountIn) view returns (uint256 amountOut, uint160[] prices, uint32[] ticks, uint256 gas)',
])
const MULTICALL = parseAbi([
  'function getBlockNumber() view returns (uint256)',
  'function getChainId() view returns (uint256)',
  'function arbBlockNumber() view returns (uint256)',
])
const WALLET = '0x52c0A1D37B8E0F9A64D3B2e1c5f7A8093d4E6b21'.toLowerCase() as Hex
const USDC: Hex = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const WETH: Hex = '0x4200000000000000000000000000000000000006'
const BASE_ROUTER: Hex = '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24'

const market = new Market()
const prices = market.at(NOW)
const find = (address: string): MarketToken => market.find('base', address)!
const ghost = market.tokens('base').find(({ symbol }) => symbol === 'GHOST')!.address as Hex
const aero = market.tokens('base').find(({ symbol }) => symbol === 'AERO')!.address as Hex

async function start(t: Test) {
  const clock = { now: NOW }
  const dials = new Dials()
  const server = await startProviderServer(evm(market), dials, () => clock.now)
  t.teardown(() => server.close())
  const client = (chain: string, batch = false) =>
    createPublicClient({ transport: http(`${server.url}/${chain}`, { batch, retryCount: 0 }) })
  const post = async (body: unknown, path = '/base') => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(server.url + path, { method: 'POST', body: text })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return { ...server, clock, dials, client, post }
}

t.test('a client finds every EVM chain, its time and its coin', async (t) => {
  const node = await start(t)
  for (const { key, chainId } of CHAINS.filter((chain) => chain.family === 'evm')) {
    t.equal(await node.client(key).getChainId(), chainId, key)
  }
  const client = node.client('base')
  const block = await client.getBlockNumber({ cacheTime: 0 })
  node.clock.now += 10_000
  t.equal(await client.getBlockNumber({ cacheTime: 0 }), block + 5n)
  t.equal(await client.getGasPrice(), 1_000_000_000n)
  t.equal(await client.getBalance({ address: WALLET }), 10n ** 19n)
})

t.test('code stands where a token or a router is, and nowhere else', async (t) => {
  const node = await start(t)
  for (const address of [USDC, WETH, BASE_ROUTER, BASE_ROUTER.toLowerCase() as Hex]) {
    t.match(await node.client('base').getCode({ address }), /^0x[0-9a-f]{2,}/)
  }
  for (const address of [WALLET, '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'] as const) {
    t.equal(await node.client('base').getCode({ address }), undefined)
  }
  t.equal(
    await node.client('ethereum').getCode({ address: USDC }),
    undefined,
    'on another chain it is nothing',
  )
})

t.test('every token answers as an ERC-20 contract', async (t) => {
  const node = await start(t)
  for (const { key } of CHAINS.filter((chain) => chain.family === 'evm')) {
    const client = node.client(key, true)
    const tokens = market.tokens(key).filter((token) => !token.isNative)
    const told = await Promise.all(
      tokens.map(async ({ address }) => {
        const read = { address: address as Hex, abi: erc20Abi } as const
        const [name, symbol, decimals, balance, allowance] = await Promise.all([
          client.readContract({ ...read, functionName: 'name' }),
          client.readContract({ ...read, functionName: 'symbol' }),
          client.readContract({ ...read, functionName: 'decimals' }),
          client.readContract({ ...read, functionName: 'balanceOf', args: [WALLET] }),
          client.readContract({ ...read, functionName: 'allowance', args: [WALLET, BASE_ROUTER] }),
        ])
        return { name, symbol, decimals, balance, allowance }
      }),
    )
    const expected = tokens.map(({ name, symbol, decimals }) => ({
      name,
      symbol,
      decimals,
      balance: 1_000n * 10n ** BigInt(decimals),
      allowance: 0n,
    }))
    t.same(told, expected, key)
  }
  const client = node.client('base')
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [WALLET, 1n] })
  await t.rejects(client.call({ to: USDC, data: transfer }), /execution reverted/)
  t.same(
    await client.call({ to: WALLET, data: transfer }),
    { data: undefined },
    'an account without code returns nothing',
  )
})

t.test("every router quotes the market's pools", async (t) => {
  const node = await start(t)
  for (const { key: chain, wrappedNative, v2Routers, v3 } of EVM_CHAINS) {
    const client = node.client(chain)
    const usdc = market.tokens(chain).find(({ symbol }) => ['USDC', 'HONEY', 'USDT0'].includes(symbol))
    for (const { address } of v2Routers) {
      const router = { address: address as Hex, abi: ROUTER } as const
      t.equal(await client.readContract({ ...router, functionName: 'WETH' }), wrappedNative)
      t.ok(isAddress(await client.readContract({ ...router, functionName: 'factory' })))
      const path = [wrappedNative as Hex, usdc!.address as Hex]
      const args = [10n ** 18n, path] as const
      const amounts = await client.readContract({ ...router, functionName: 'getAmountsOut', args })
      const hop = prices.direct(market.find(chain, wrappedNative)!, usdc!, 10n ** 18n)!
      t.same(amounts, [10n ** 18n, hop.amountOut], `${address} on ${chain}`)
    }
    for (const { factory, quoter, router } of Object.values(v3)) {
      for (const address of [router, quoter] as Hex[]) {
        t.equal(await client.readContract({ address, abi: V3, functionName: 'WETH9' }), wrappedNative)
        t.equal(await client.readContract({ address, abi: V3, functionName: 'factory' }), factory)
      }
      const quoted = (fee: string, amountIn = 10n ** 18n) =>
        client.readContract({
          address: quoter as Hex,
          abi: V3,
          functionName: 'quoteExactInput',
          args: [concat([wrappedNative as Hex, fee as Hex, usdc!.address as Hex]), amountIn],
        })
      const [amountOut, prices3, ticks, gas] = await quoted('0x0001f4')
      const { amountOut: atV2 } = prices.direct(market.find(chain, wrappedNative)!, usdc!, 10n ** 18n)!
      t.equal(amountOut, atV2 - atV2 / 10_000n, `V3 on ${chain}`)
      t.same([prices3.length, ticks.length, gas > 0n], [1, 1, true])
      await t.rejects(quoted('0x000bb8'), /reverted/, 'a pool of another fee')
      await t.rejects(quoted('0x0001f4', 0n), /reverted/, 'nothing')
    }
  }
  const client = node.client('base')
  const ask = (path: Hex[], amountIn = 5_000_000n) =>
    client.readContract({
      address: BASE_ROUTER,
      abi: ROUTER,
      functionName: 'getAmountsOut',
      args: [amountIn, path],
    })
  const fill = prices.swap(find(USDC), find(aero), 5_000_000n)!
  t.same(await ask([USDC, WETH, aero]), [5_000_000n, fill.hops[0]!.amountOut, fill.amountOut])
  const amountsIn = (amountOut: bigint, path: Hex[]) =>
    client.readContract({
      address: BASE_ROUTER,
      abi: ROUTER,
      functionName: 'getAmountsIn',
      args: [amountOut, path],
    })
  const [least] = await amountsIn(fill.amountOut, [USDC, WETH, aero])
  t.ok(least! <= 5_000_000n, 'no more than what gave it')
  t.ok((await ask([USDC, WETH, aero], least!)).at(-1)! >= fill.amountOut)
  t.ok((await ask([USDC, WETH, aero], least! - 1n)).at(-1)! < fill.amountOut, 'and the least')
  const before = await ask([USDC, WETH])
  node.clock.now += 30_000
  t.not((await ask([USDC, WETH]))[1], before[1], 'prices move')
})

t.test('a router reverts as Uniswap V2 does', async (t) => {
  const node = await start(t)
  const native: Hex = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
  const named: [path: Hex[], amountIn: bigint, reason: string][] = [
    [[], 1n, 'INVALID_PATH'],
    [[USDC], 1n, 'INVALID_PATH'],
    [[USDC, USDC], 1n, 'IDENTICAL_ADDRESSES'],
    [[USDC, WETH], 0n, 'INSUFFICIENT_INPUT_AMOUNT'],
    [[WETH, USDC, WETH], 1n, 'INSUFFICIENT_INPUT_AMOUNT'],
  ]
  const call = async (to: Hex, data: Hex) => {
    const { status, body } = await node.post({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [{ to, data }],
    })
    t.equal(status, 200)
    return body.error as { code: number; message: string; data?: Hex }
  }
  const amountsOut = (path: Hex[], amountIn: bigint) =>
    encodeFunctionData({ abi: ROUTER, functionName: 'getAmountsOut', args: [amountIn, path] })
  for (const [path, amountIn, reason] of named) {
    const error = await call(BASE_ROUTER, amountsOut(path, amountIn))
    t.match(error, {
      code: 3,
      message: `execution reverted: UniswapV2Library: ${reason}`,
      data: /^0x08c379a0/,
    })
    const read = { address: BASE_ROUTER, abi: ROUTER, functionName: 'getAmountsOut' } as const
    await t.rejects(
      node.client('base').readContract({ ...read, args: [amountIn, path] }),
      new RegExp(`UniswapV2Library: ${reason}`),
    )
  }
  const nameless: Hex[] = [
    amountsOut([WETH, ghost], 1n),
    amountsOut([USDC, aero], 1n),
    amountsOut([WALLET, USDC], 1n),
    amountsOut([native, USDC], 1n),
    encodeFunctionData({ abi: ROUTER, functionName: 'getAmountsIn', args: [2n ** 200n, [USDC, WETH]] }),
    amountsOut([USDC, WETH], 1n).slice(0, 80) as Hex,
    '0xd06ca61f',
    '0x',
  ]
  for (const data of nameless) {
    t.same(await call(BASE_ROUTER, data), { code: -32000, message: 'execution reverted' }, data.slice(0, 10))
  }
})

t.test("Multicall3 reads many contracts at once, and Arbitrum's ArbSys reports its own block", async (t) => {
  const node = await start(t)
  const symbol = encodeFunctionData({ abi: erc20Abi, functionName: 'symbol' })
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [WALLET, 1n] })
  const read = { address: MULTICALL3 as Hex, abi: multicall3Abi } as const
  const aggregate = (calls: readonly [target: Hex, callData: Hex, allowFailure: boolean][]) => {
    const args = [
      calls.map(([target, callData, allowFailure]) => ({ target, callData, allowFailure })),
    ] as const
    return node.client('base').readContract({ ...read, functionName: 'aggregate3', args })
  }
  const direct = (await node.client('base').call({ to: USDC, data: symbol })).data!
  t.same(
    await aggregate([
      [USDC, symbol, false],
      [USDC, transfer, true],
      [WALLET, symbol, false],
    ]),
    [
      { success: true, returnData: direct },
      { success: false, returnData: '0x' },
      { success: true, returnData: '0x' },
    ],
  )
  await t.rejects(
    aggregate([
      [USDC, symbol, false],
      [USDC, transfer, false],
    ]),
    /Multicall3: call failed/,
  )
  t.match(await node.client('base').getCode({ address: MULTICALL3 as Hex }), /^0x[0-9a-f]{2,}/)

  for (const chain of ['base', 'arbitrum']) {
    const client = node.client(chain)
    const args = [WALLET] as const
    t.equal(await client.readContract({ ...read, functionName: 'getEthBalance', args }), 10n ** 19n)
    t.equal(
      await client.readContract({ ...read, abi: MULTICALL, functionName: 'getChainId' }),
      BigInt(await client.getChainId()),
    )
  }
  const blockOf = (chain: string) =>
    node.client(chain).readContract({ ...read, abi: MULTICALL, functionName: 'getBlockNumber' })
  const block = BigInt(NOW / 2_000)
  t.same([await blockOf('base'), await blockOf('arbitrum')], [block, block / 6n])
  const arbSys = { address: '0x0000000000000000000000000000000000000064', abi: MULTICALL } as const
  t.equal(await node.client('arbitrum').readContract({ ...arbSys, functionName: 'arbBlockNumber' }), block)
  await t.rejects(node.client('base').readContract({ ...arbSys, functionName: 'arbBlockNumber' }))
  for (const data of ['0x', '0x82ad56cb', '0x82ad56cb00', '0x12345678'] as const) {
    await t.rejects(node.client('base').call({ to: MULTICALL3 as Hex, data }), /execution reverted/, data)
  }
  await t.rejects(
    node.client('arbitrum').call({ to: arbSys.address, data: '0x12345678' }),
    /execution reverted/,
  )
})

t.test('JSON-RPC: batches in order, ids as they were, and errors with their codes', async (t) => {
  const node = await start(t)
  const one = (method: unknown, params?: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })
  const batch = [one('eth_chainId', [], 'a'), one('eth_nope', [], 2), one('eth_gasPrice', undefined, null)]
  t.same((await node.post(batch)).body, [
    { jsonrpc: '2.0', id: 'a', result: '0x2105' },
    {
      jsonrpc: '2.0',
      id: 2,
      error: { code: -32601, message: 'the method eth_nope does not exist/is not available' },
    },
    { jsonrpc: '2.0', id: null, result: '0x3b9aca00' },
  ])
  t.match((await node.post(one('eth_call', [{ to: USDC, input: '0x313ce567' }, 'latest']))).body, {
    result: /6$/,
  })

  const refusals: [body: unknown, code: number, id: unknown][] = [
    ['{', -32700, null],
    ['', -32700, null],
    [[], -32600, null],
    [null, -32600, null],
    [{ id: 7, method: 'eth_chainId' }, -32600, 7],
    [one(5), -32600, 1],
    [one('constructor'), -32601, 1],
    [one('eth_chainId', {}), -32602, 1],
    [one('eth_getBalance', []), -32602, 1],
    [one('eth_getBalance', ['0x12', 'latest']), -32602, 1],
    [one('eth_getCode', [`${WALLET}0`]), -32602, 1],
    [one('eth_call', []), -32602, 1],
    [one('eth_call', [null]), -32602, 1],
    [one('eth_call', [{ to: USDC, data: '0x1' }]), -32602, 1],
    [one('eth_call', [{ to: USDC, data: 12 }]), -32602, 1],
    [one('eth_call', [{ data: '0x' }]), -32602, 1],
  ]
  for (const [body, code, id] of refusals) {
    t.match(
      await node.post(body),
      { status: 200, body: { jsonrpc: '2.0', id, error: { code } } },
      JSON.stringify(body),
    )
  }
  for (const path of ['/solana', '/nowhere', '/', '/base/x'])
    t.equal((await node.post(one('eth_chainId'), path)).status, 404)
  t.equal((await fetch(`${node.url}/base`)).status, 405)
  node.dials.set('evm', '429')
  t.match(await node.post(one('eth_chainId')), { status: 429, body: { error: { code: -32005 } } })
})

t.test('a node lags, is of another chain, and has limits, as its dial says', async (t) => {
  const node = await start(t)
  const client = node.client('base')
  const read = {
    address: BASE_ROUTER,
    abi: ROUTER,
    functionName: 'getAmountsOut',
    args: [10n ** 18n, [WETH, USDC]],
  } as const
  const block = () => client.getBlockNumber({ cacheTime: 0 })
  const newest = await block()
  const price = async () => (await client.readContract(read))[1]
  const now = await price()
  node.dials.set('evm', 'lag', { blocks: 5_400 })
  t.equal(await block(), newest - 5_400n)
  const then = await price()
  t.not(then, now, 'three hours ago there were other prices')
  const counted = { address: MULTICALL3 as Hex, abi: MULTICALL, functionName: 'getBlockNumber' } as const
  t.equal(await client.readContract(counted), newest - 5_400n)
  node.dials.set('evm', null)
  node.clock.now -= 5_400 * 2_000
  t.equal(await price(), then, 'and they were these')
  node.clock.now += 5_400 * 2_000

  const { chainId } = EVM_CHAINS.find(({ key }) => key === 'base')!
  t.equal(await client.getChainId(), chainId)
  node.dials.set('evm', 'wrongCluster')
  t.not(await client.getChainId(), chainId)
  const asked = { address: MULTICALL3 as Hex, abi: MULTICALL, functionName: 'getChainId' } as const
  t.equal(await client.readContract(asked), BigInt(await client.getChainId()))
  t.equal(await client.getCode({ address: USDC }), undefined, 'what is on Base is not there')

  node.dials.set('evm', 'limited')
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
  const count = async (body: unknown, times: number) => {
    const replies = await Promise.all(Array.from({ length: times }, () => node.post(body)))
    return replies.filter(({ status }) => status === 200).length
  }
  t.equal(await count(call, 45), 40)
  t.equal(
    await count(
      [
        { ...call, method: 'eth_gasPrice' },
        { ...call, method: 'net_version' },
      ],
      31,
    ),
    30,
  )
  const refused = await fetch(`${node.url}/base`, { method: 'POST', body: JSON.stringify(call) })
  t.match([refused.status, refused.headers.get('retry-after')], [429, '10'])
  node.clock.now += 10_000
  t.equal(await count(call, 1), 1)
})
