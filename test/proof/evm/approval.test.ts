/** What a wallet sends, call by call and as one batch, at a real EVM with Uniswap's own router. */

import t, { type Test } from 'tap'
import {
  createWalletClient,
  custom,
  defineChain,
  encodeAbiParameters,
  type Hex,
  keccak256,
  pad,
  toHex,
} from 'viem'
import { findChain } from '../../../src/chains/find.ts'
import { type BatchedCall, callsOf } from '../../../src/proof/evm/approval.ts'
import type { BuildOrder, Token } from '../../../src/proof/terms/order.ts'
import { uniswap } from '../../../src/providers/swap/uniswap.ts'
import { UNISWAP_V2 } from '../../../src/providers/swap/uniswap-v2.ts'
import { EvmRpc } from '../../../src/upstream/nodes/evm/rpc.ts'
import {
  type AnvilClient,
  account,
  artifact,
  deploy,
  startAnvil,
  withoutAnvil,
} from '../../fixtures/anvil.ts'
import { callOf } from '../../fixtures/call.ts'
import { clockOf } from '../../fixtures/clock.ts'
import { calls, code, ownCall, resetting } from '../../fixtures/evm-code.ts'
import { NATIVE } from '../../fixtures/evm-orders.ts'
import { deployMulticall3 } from '../../fixtures/multicall3.ts'
import { OPTIONS } from '../../fixtures/provider.ts'

const ETHEREUM = findChain('ethereum')!
const CORE = '@uniswap/v2-core/build'
const PERIPHERY = '@uniswap/v2-periphery/build'
const ETHER = 10n ** 18n
const FAR = 2n ** 40n
const WALLET = account(1)
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7'
/** Where the code of a wallet that sends several calls at once is. */
const BATCH: Hex = '0x000000000000000000000000000000000000c0DE'
const SOLD = 50n * ETHER

t.test('the calls of a native coin are the transaction alone, and need not be atomic', async (t) => {
  const swap = { to: BATCH, data: '0x12', approval: null }
  const alone = { calls: [{ to: BATCH, data: '0x12', value: '0x3e8' }], atomicRequired: false }
  for (const value of ['1000', '0x3e8', 1_000n]) t.same(callsOf({ ...swap, value }), alone)
})

async function world(t: Test) {
  const { url, client } = await startAnvil(t, 1)
  const owner = account(0).address
  const factory = await deploy(client, artifact(`${CORE}/UniswapV2Factory`), [owner])
  const weth = await deploy(client, artifact(`${PERIPHERY}/WETH9`), [])
  const router = await deploy(client, artifact(`${PERIPHERY}/UniswapV2Router02`), [
    factory.address,
    weth.address,
  ])
  const erc20 = artifact(`${CORE}/ERC20`)
  const implementation = await deploy(client, erc20, [ETHER])
  await client.setCode({ address: USDT, bytecode: resetting(implementation.address) })
  for (const holder of [owner, WALLET.address]) {
    const index = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [holder, 1n]))
    await client.setStorageAt({ address: USDT, index, value: pad(toHex(100_000n * ETHER)) })
  }
  const write = async (functionName: string, args: readonly unknown[], by = account(0)) => {
    const request = {
      address: USDT,
      abi: erc20.abi,
      functionName,
      args,
      account: by,
      chain: null,
      gas: 1_000_000n,
    } as const
    return client.waitForTransactionReceipt({ hash: await client.writeContract(request) })
  }
  await deployMulticall3(client)
  await write('approve', [router.address, 30_000n * ETHER])
  await router.write('addLiquidityETH', [USDT, 30_000n * ETHER, 0n, 0n, owner, FAR], 10n * ETHER)
  const rpc = new EvmRpc({ chainKey: 'ethereum', urls: [url] })
  t.teardown(() => rpc.close())
  const chain = { rpc, router: router.address, wrappedNative: weth.address }
  const now = Number((await client.getBlock()).timestamp) * 1_000
  const provider = uniswap(UNISWAP_V2, {
    chains: new Map([['ethereum', chain]]),
    clock: clockOf({ date: () => now }),
  })
  const [sold, bought]: Token[] = [
    { address: USDT, isNative: false, decimals: 18 },
    { address: NATIVE, isNative: true, decimals: 18 },
  ]
  const order: BuildOrder = {
    chain: ETHEREUM,
    side: 'sell',
    tokenIn: sold!,
    tokenOut: bought!,
    amountIn: SOLD,
    slippageBps: 300,
    from: WALLET.address,
  }
  const build = async () => {
    const offer = await provider.quote(order, OPTIONS)
    const material = await provider.build(order, offer, OPTIONS)
    await provider.prove(order, offer, material, callOf())
    if (material.kind !== 'evm') throw new Error('not for an EVM')
    return { offer, material }
  }
  const read = async (functionName: string, ...args: unknown[]) =>
    (await client.readContract({ address: USDT, abi: erc20.abi, functionName, args })) as bigint
  const allowance = () => read('allowance', WALLET.address, router.address)
  const balance = () => read('balanceOf', WALLET.address)
  return { client, router, build, write, allowance, balance }
}

/** A wallet of EIP-5792 for viem: its account runs the batch by EIP-7702, all or nothing. */
function walletOf(client: AnvilClient) {
  const statuses = new Map<string, string>()
  const sendCalls = async ({ calls: sent, atomicRequired, capabilities, version, chainId }: SentCalls) => {
    if (version !== '2.0.0' || chainId !== '0x1' || capabilities !== undefined)
      throw new Error('not understood')
    if (!atomicRequired) throw new Error('only batches are tested here')
    const steps = sent.map(({ to, data, value }) => calls(to, data, BigInt(value ?? '0x0')))
    await client.setCode({ address: BATCH, bytecode: code(ownCall, ...steps) })
    const authorization = await client.signAuthorization({
      account: WALLET,
      contractAddress: BATCH,
      chainId: 1,
      executor: 'self',
    })
    const hash = await client.sendTransaction({
      account: WALLET,
      to: WALLET.address,
      authorizationList: [authorization],
      chain: null,
      gas: 3_000_000n,
    })
    const { status } = await client.waitForTransactionReceipt({ hash })
    statuses.set(hash, status)
    return { id: hash }
  }
  const getCallsStatus = (id: string) => {
    const isDone = statuses.get(id) === 'success'
    const receipt = { blockNumber: '0x1', gasUsed: '0x0', status: isDone ? '0x1' : '0x0', logs: [] }
    return {
      version: '2.0.0',
      id,
      chainId: '0x1',
      status: isDone ? 200 : 500,
      atomic: true,
      receipts: [receipt],
    }
  }
  const ethereum = defineChain({
    id: 1,
    name: 'Ethereum',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [] } },
  })
  const request = async ({ method, params }: { method: string; params: readonly [never] }) => {
    if (method === 'wallet_sendCalls') return sendCalls(params[0])
    if (method === 'wallet_getCallsStatus') return getCallsStatus(params[0])
    throw new Error(`${method} is not of EIP-5792`)
  }
  return createWalletClient({ account: WALLET.address, chain: ethereum, transport: custom({ request }) })
}

interface SentCalls {
  readonly version: string
  readonly chainId: Hex
  readonly atomicRequired: boolean
  readonly calls: readonly { readonly to: Hex; readonly data: Hex; readonly value?: Hex }[]
  readonly capabilities?: unknown
}

t.test('at a real EVM', { skip: withoutAnvil }, async (t) => {
  const { client, router, build, write, allowance, balance } = await world(t)
  const wallet = walletOf(client)
  const send = async ({ to, data, value }: BatchedCall) => {
    const request = { to: to as Hex, data: data as Hex, value: BigInt(value), gas: 1_000_000n }
    const hash = await client.sendTransaction({ ...request, account: WALLET, chain: null })
    return (await client.waitForTransactionReceipt({ hash })).status
  }
  const together = async ({ calls: sent, atomicRequired }: ReturnType<typeof callsOf>) => {
    const given = sent.map(({ to, data, value }) => ({
      to: to as Hex,
      data: data as Hex,
      value: BigInt(value),
    }))
    const { id } = await wallet.sendCalls({ calls: given, forceAtomic: atomicRequired })
    return wallet.getCallsStatus({ id })
  }
  t.equal((await write('approve', [router.address, 5n], WALLET)).status, 'success')

  await t.test('one after the other: reset, approval, swap', async (t) => {
    const { offer, material } = await build()
    const { calls: sent, atomicRequired } = callsOf(material)
    t.equal(sent.length, 3)
    t.ok(atomicRequired)
    t.equal(await send(sent[1]!), 'reverted', 'the token needs the reset')
    t.equal(await send(sent[2]!), 'reverted', 'and the swap the approval')
    const before = [await balance(), await client.getBalance(WALLET)] as const
    let fees = 0n
    for (const [nth, call] of sent.entries()) {
      const held = await client.getBalance(WALLET)
      t.equal(await send(call), 'success')
      if (nth < 2) fees += held - (await client.getBalance(WALLET))
      t.equal(await allowance(), [0n, SOLD, 0n][nth], 'exactly what is sold, and then nothing')
    }
    t.equal(await balance(), before[0] - SOLD)
    const got = (await client.getBalance(WALLET)) - before[1] + fees
    // Beside the gas of the swap itself.
    t.ok(got <= offer.expectedOut && got > offer.expectedOut - ETHER / 100n, `${got} of ${offer.expectedOut}`)
  })

  await t.test('together, by a wallet of EIP-5792', async (t) => {
    t.equal((await write('approve', [router.address, 5n], WALLET)).status, 'success')
    const { material } = await build()
    const before = await balance()
    t.match(await together(callsOf(material)), { status: 'success', atomic: true, receipts: { length: 1 } })
    t.equal(await balance(), before - SOLD)
    t.equal(await allowance(), 0n)
  })

  await t.test('together or not at all: nothing is left of an approval whose swap fails', async (t) => {
    t.equal((await write('approve', [router.address, 5n], WALLET)).status, 'success')
    const { material } = await build()
    const before = await balance()
    const { calls: sent, atomicRequired } = callsOf(material)
    // The same swap for more than there is.
    const swap = { ...sent[2]!, data: sent[2]!.data.replace(/^(0x.{8}.{64}).{64}/, `$1${'f'.repeat(64)}`) }
    t.not(swap.data, sent[2]!.data)
    t.match(await together({ calls: [sent[0]!, sent[1]!, swap], atomicRequired }), { status: 'failure' })
    t.same([await balance(), await allowance()], [before, 5n])
  })
})
