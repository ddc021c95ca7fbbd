/** Transactions, executed at a real node: what moves, what may not, and what nodes without the method are worth. */
import t, { type Test } from 'tap'
import { type Abi, encodeFunctionData, type Hex, pad } from 'viem'
import { findChain } from '../../../src/chains/find.ts'
import { proveEvm } from '../../../src/proof/evm/evm.ts'
import { KYBERSWAP } from '../../../src/proof/evm/kyberswap.ts'
import { kyberswapRules } from '../../../src/proof/evm/rules.ts'
import { simulateEvm } from '../../../src/proof/simulation/evm.ts'
import { createSimulate } from '../../../src/proof/simulation/simulate.ts'
import type { Material } from '../../../src/proof/terms/material.ts'
import type { BuildOrder } from '../../../src/proof/terms/order.ts'
import type { Agreed } from '../../../src/proof/terms/verification.ts'
import { EvmRpc } from '../../../src/upstream/nodes/evm/rpc.ts'
import { account, artifact, deploy, startAnvil, withoutAnvil } from '../../fixtures/anvil.ts'
import { calls, code, KYBERSWAP_ROUTER, logs } from '../../fixtures/evm-code.ts'
import { OPTIONS } from '../../fixtures/provider.ts'

const BASE = findChain('base')!
const CORE = '@uniswap/v2-core/build'
const PERIPHERY = '@uniswap/v2-periphery/build'
const ETHER = 10n ** 18n
const FAR = 2n ** 40n
const WALLET = account(1).address
const STRANGER: Hex = '0x00000000000000000000000000000000DeaDBeef'
/** Where a test puts a contract of its own. */
const PLACE: Hex = '0x000000000000000000000000000000000000c0DE'
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
const APPROVAL_FOR_ALL = '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31'
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'

async function world(t: Test) {
  const { url, client } = await startAnvil(t, BASE.chainId!)
  const owner = account(0).address
  const factory = await deploy(client, artifact(`${CORE}/UniswapV2Factory`), [owner])
  const weth = await deploy(client, artifact(`${PERIPHERY}/WETH9`), [])
  const router = await deploy(client, artifact(`${PERIPHERY}/UniswapV2Router02`), [
    factory.address,
    weth.address,
  ])
  const erc20 = artifact(`${CORE}/ERC20`)
  const [a, b] = [await deploy(client, erc20, [10n ** 24n]), await deploy(client, erc20, [10n ** 24n])]
  for (const { address, write } of [a, b]) {
    await write('approve', [router.address, 10n ** 24n])
    await router.write('addLiquidityETH', [address, 30_000n * ETHER, 0n, 0n, owner, FAR], 10n * ETHER)
    await write('transfer', [WALLET, 1_000n * ETHER])
  }
  const rpc = new EvmRpc({ chainKey: 'base', urls: [url] })
  t.teardown(() => rpc.close())
  const simulate = createSimulate({
    solana: { read: () => Promise.reject(new Error('not asked')) },
    sui: null as never,
    evm: () => rpc,
  })
  const run = async (
    material: Omit<Material & { kind: 'evm' }, 'kind'>,
    agreed: Agreed,
    from: string = WALLET,
  ) => {
    const executed = await simulate(BASE, { kind: 'evm', ...material }, from, agreed, OPTIONS)
    if (executed === 'exposed') throw new Error('only of Solana is so much told of what fails')
    return executed
  }
  const routerData = (functionName: string, args: readonly unknown[]) =>
    encodeFunctionData({ abi: artifact(`${PERIPHERY}/UniswapV2Router02`).abi, functionName, args })
  const tokenData = (functionName: string, args: readonly unknown[]) =>
    encodeFunctionData({ abi: erc20.abi as Abi, functionName, args })
  const outOf = async (amount: bigint, path: readonly string[]) =>
    ((await router.read('getAmountsOut', amount, path)) as bigint[]).at(-1)!
  return { client, router, weth, a, b, run, routerData, tokenData, outOf }
}

t.test('at a real node', { skip: withoutAnvil }, async (t) => {
  const { client, router, weth, a, b, run, routerData, tokenData, outOf } = await world(t)
  const sold = 50n * ETHER
  const path = [a.address, weth.address, b.address]
  const out = await outOf(sold, path)
  const approval = { token: a.address, spender: router.address, amount: String(sold) }
  const agreed: Agreed = {
    spends: { token: a.address, atMost: sold },
    receives: { token: b.address, atLeast: out },
    atMostNativeFees: 0n,
    atMostGas: 0n,
  }
  const swap = (amount: bigint, to: string = WALLET) => ({
    to: router.address,
    value: '0',
    data: routerData('swapExactTokensForTokens', [amount, 0n, path, to, FAR]),
    approval,
  })
  /** As anvil counts: others number the block one higher. */
  const at = Number(await client.getBlockNumber())
  const BROKEN = { code: 'material_refused', fields: { rule: 'simulation' } }
  const PERMITS = { code: 'material_refused', fields: { rule: 'permission' } }

  await t.test('an honest swap changes exactly what was quoted', async (t) => {
    t.same(await run(swap(sold), agreed), {
      by: 'eth_simulateV1',
      at,
      changes: [
        { token: a.address, amount: String(-sold) },
        { token: b.address, amount: String(out) },
      ],
    })
    const reset = { ...swap(sold), approval: { ...approval, reset: true } }
    t.match(await run(reset, agreed), { changes: { length: 2 } }, 'and with the allowance set to zero first')
    t.equal(await a.read('allowance', WALLET, router.address), 0n, 'nothing of it happened')
  })

  await t.test('the native coin, in and out, whatever the wallet has of it', async (t) => {
    const forEther = await outOf(sold, [a.address, weth.address])
    const out = await run(
      {
        ...swap(sold),
        data: routerData('swapExactTokensForETH', [sold, 0n, [a.address, weth.address], WALLET, FAR]),
      },
      { ...agreed, receives: { token: null, atLeast: forEther } },
    )
    t.same(out?.changes, [
      { token: a.address, amount: String(-sold) },
      { token: 'native', amount: String(forEther) },
    ])
    const bought = await outOf(ETHER, [weth.address, b.address])
    const buy = {
      to: router.address,
      value: String(ETHER),
      data: routerData('swapExactETHForTokens', [0n, [weth.address, b.address], STRANGER, FAR]),
      approval: null,
    }
    const pays: Agreed = { ...agreed, spends: { token: null, atMost: ETHER }, receives: null }
    t.same((await run(buy, pays, STRANGER))?.changes, [
      { token: 'native', amount: String(-ETHER) },
      { token: b.address, amount: String(bought) },
    ])
  })

  await t.test('a wallet without the input, and a minimum that is not met, show nothing', async (t) => {
    t.equal(await run(swap(sold), agreed, STRANGER), null)
    const data = routerData('swapExactTokensForTokens', [sold, out + 1n, path, WALLET, FAR])
    t.equal(await run({ ...swap(sold), data }, agreed), null)
  })

  await t.test('what moves otherwise than agreed is refused', async (t) => {
    await t.rejects(run(swap(sold, STRANGER), agreed), BROKEN, 'the output goes to a stranger')
    const more = { ...agreed, receives: { token: b.address, atLeast: out + 1n } }
    await t.rejects(run(swap(sold), more), BROKEN, 'a unit too little arrives')
    await t.rejects(run(swap(sold), { ...agreed, spends: { token: a.address, atMost: sold - 1n } }), BROKEN)
    const gift = { to: STRANGER, data: '0x', value: '1', approval: null }
    await t.rejects(run(gift, { ...agreed, receives: null }), BROKEN, 'a wei for a stranger')
    t.ok(await run(gift, { ...agreed, receives: null, atMostNativeFees: 1n }), 'unless it is a fee')

    // An allowance from before, to a contract that helps itself.
    await b.write('approve', [PLACE, ETHER], 0n, account(1))
    const theft = tokenData('transferFrom', [WALLET, STRANGER, 1n])
    await client.setCode({ address: PLACE, bytecode: code(calls(b.address, theft)) })
    const robbed = { to: PLACE, data: '0x', value: '0', approval: null }
    await t.rejects(run(robbed, { ...agreed, receives: null }), BROKEN, 'another token of the wallet')
    await client.setCode({
      address: PLACE,
      bytecode: code(
        calls(b.address, theft),
        calls(b.address, tokenData('transferFrom', [WALLET, WALLET, 9n])),
      ),
    })
    await t.rejects(
      run(robbed, { ...agreed, receives: null }),
      BROKEN,
      'and hides it behind another transfer',
    )
  })

  await t.test('no permission stays behind', async (t) => {
    const direct = (functionName: string, args: readonly unknown[]) => ({
      to: a.address,
      data: tokenData(functionName, args),
      value: '0',
      approval: null,
    })
    const nothing = { ...agreed, receives: null }
    await t.rejects(run(direct('approve', [STRANGER, 1n]), nothing), PERMITS, 'for a stranger')
    t.ok(await run(direct('approve', [STRANGER, 0n]), nothing), 'to take one back is none')
    const again = { ...direct('approve', [router.address, sold]), approval }
    await t.rejects(run(again, nothing), PERMITS, 'the approval, not used')
    await t.rejects(run(swap(sold - 1n), { ...agreed, receives: null }), PERMITS, 'not used up')
    const unlimited = { ...direct('approve', [router.address, 2n ** 256n - 1n]), approval }
    await t.rejects(run(unlimited, nothing), PERMITS, 'more than was asked for')
  })

  await t.test(
    "a contract with KyberSwap's interface: honest calldata executes, a theft does not pass",
    async (t) => {
      const kyber: Hex = '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5'
      await client.setCode({ address: kyber, bytecode: code(...KYBERSWAP_ROUTER) })
      await b.write('transfer', [kyber, 10n * ETHER])
      const swap = (dstReceiver: string) => ({
        to: kyber,
        value: '0',
        approval: { ...approval, spender: kyber },
        data: KYBERSWAP.write('swap', {
          callTarget: STRANGER,
          approveTarget: STRANGER,
          targetData: Uint8Array.of(1, 2, 3),
          desc: {
            srcToken: a.address,
            dstToken: b.address,
            srcReceivers: [STRANGER],
            srcAmounts: [sold],
            feeReceivers: [],
            feeAmounts: [],
            dstReceiver,
            amount: sold,
            minReturnAmount: ETHER,
            flags: 0n,
            permit: new Uint8Array(),
          },
          clientData: new Uint8Array(),
        }),
      })
      const gets = { ...agreed, receives: { token: b.address, atLeast: ETHER } }
      const honest = swap(WALLET)
      t.match(await run(honest, gets), {
        changes: [
          { token: a.address, amount: String(-sold) },
          { token: b.address, amount: String(ETHER) },
        ],
      })
      const order: BuildOrder = {
        chain: BASE,
        side: 'sell',
        tokenIn: { address: a.address, isNative: false, decimals: 18 },
        tokenOut: { address: b.address, isNative: false, decimals: 18 },
        amountIn: sold,
        slippageBps: 100,
        from: WALLET,
      }
      const claim = { order, expectedOut: ETHER, minOut: ETHER, date: 0 }
      t.match(await proveEvm({ kind: 'evm', ...honest }, claim, kyberswapRules), { recipient: WALLET })
      const theft = swap(STRANGER)
      const recipient = { code: 'material_refused', fields: { rule: 'recipient' } }
      await t.rejects(proveEvm({ kind: 'evm', ...theft }, claim, kyberswapRules), recipient)
      await t.rejects(run(theft, gets), BROKEN, 'nor would it by what it does')
    },
  )

  await t.test('logs of contracts of every kind are read', async (t) => {
    const [wallet, stranger] = [pad(WALLET), pad(STRANGER)]
    const says = async (topics: readonly Hex[], data: readonly bigint[]) => {
      await client.setCode({ address: PLACE, bytecode: code(logs(topics, data)) })
      return run({ to: PLACE, data: '0x', value: '0', approval: null }, { ...agreed, receives: null })
    }
    const id = pad('0x07')
    const refused: [string, readonly Hex[], readonly bigint[], typeof BROKEN][] = [
      ['an NFT leaves', [TRANSFER, wallet, stranger, id], [], BROKEN],
      ['one whose log has no topics', [TRANSFER], [BigInt(WALLET), BigInt(STRANGER), 7n], BROKEN],
      ['one that is of many kinds', [TRANSFER_SINGLE, stranger, wallet, stranger], [7n, 1n], BROKEN],
      ['several of those', [TRANSFER_BATCH, stranger, wallet, stranger], [64n, 128n, 1n, 7n, 1n, 1n], BROKEN],
      ['a transfer that cannot be read', [TRANSFER, wallet, stranger], [], BROKEN],
      ['a stranger may take one NFT', [APPROVAL, wallet, stranger, id], [], PERMITS],
      ['a stranger may take all', [APPROVAL_FOR_ALL, wallet, stranger], [1n], PERMITS],
      ['an approval without topics', [APPROVAL], [BigInt(WALLET), BigInt(STRANGER), 1n], PERMITS],
      ['an approval that cannot be read', [APPROVAL, wallet], [], PERMITS],
    ]
    for (const [what, topics, data, refusal] of refused) await t.rejects(says(topics, data), refusal, what)
    const harmless: [string, readonly Hex[], readonly bigint[]][] = [
      ['no topics at all', [], [1n]],
      ['another event', [id, wallet, stranger], [1n]],
      ['strangers among themselves', [TRANSFER, stranger, stranger], [1n]],
      ['a stranger approves', [APPROVAL, stranger, wallet], [1n]],
      ['what an NFT does at a transfer', [APPROVAL, wallet, pad('0x00'), id], []],
      ['a permission is taken back', [APPROVAL_FOR_ALL, wallet, stranger], [0n]],
    ]
    for (const [what, topics, data] of harmless) t.same((await says(topics, data))?.changes, [], what)
    t.match(await says([TRANSFER, stranger, wallet, id], []), { changes: [{ token: PLACE, amount: '1' }] })
  })
})

t.test("a node's own words do not go out", async (t) => {
  const call = { from: WALLET, to: STRANGER, data: '0x', value: 0n, approval: null }
  const calls = [{ status: '0x1', returnData: '0x', logs: [] }]
  const by = async (simulatedBy: unknown) =>
    (await simulateEvm(call, async () => JSON.stringify([{ number: '0x1', simulatedBy, calls }])))?.by
  t.equal(await by("the sandbox's ledger"), "the sandbox's ledger")
  for (const words of ['<b>0X833589fcd6edb6e08f4c7c32d4f71b54bda02913</b>', 7, null, undefined]) {
    t.equal(await by(words), 'eth_simulateV1', String(words))
  }
})
