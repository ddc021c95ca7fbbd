import t, { type Test } from 'tap'
import { MULTICALL3 } from '../../../src/chains/contracts.ts'
import { findChain } from '../../../src/chains/find.ts'
import type { Material } from '../../../src/proof/terms/material.ts'
import type { BuildOrder, Token } from '../../../src/proof/terms/order.ts'
import { uniswap } from '../../../src/providers/swap/uniswap.ts'
import { UNISWAP_V2 } from '../../../src/providers/swap/uniswap-v2.ts'
import { EvmRpc } from '../../../src/upstream/nodes/evm/rpc.ts'
import { account, artifact, deploy, startAnvil, withoutAnvil } from '../../fixtures/anvil.ts'
import { callOf } from '../../fixtures/call.ts'
import { clockOf } from '../../fixtures/clock.ts'
import { FROM, NATIVE } from '../../fixtures/evm-orders.ts'
import { evmWallet } from '../../fixtures/evm-wallet.ts'
import { deployMulticall3 } from '../../fixtures/multicall3.ts'
import { OPTIONS } from '../../fixtures/provider.ts'

const BASE = findChain('base')!
const CORE = '@uniswap/v2-core/build'
const PERIPHERY = '@uniswap/v2-periphery/build'
const ETHER = 10n ** 18n
const SUPPLY = 1_000_000n * ETHER
const FAR = 2n ** 40n
const WALLET = account(1)

const NATIVE_COIN: Token = { address: NATIVE, isNative: true, decimals: 18 }
const token = (address: string): Token => ({ address, isNative: false, decimals: 18 })

function order(tokenIn: Token, tokenOut: Token, amountIn: bigint, slippageBps = 300): BuildOrder {
  const side = tokenIn.isNative ? 'buy' : 'sell'
  return { chain: BASE, side, tokenIn, tokenOut, amountIn, slippageBps, from: WALLET.address }
}

/** Three tokens beside the native coin: A and B trade with it, T taxes each transfer; A and B trade directly too. */
async function world(t: Test) {
  const { url, client } = await startAnvil(t, BASE.chainId!)
  const owner = account(0).address
  const factory = await deploy(client, artifact(`${CORE}/UniswapV2Factory`), [owner])
  const weth = await deploy(client, artifact(`${PERIPHERY}/WETH9`), [])
  const router = await deploy(client, artifact(`${PERIPHERY}/UniswapV2Router02`), [
    factory.address,
    weth.address,
  ])
  const a = await deploy(client, artifact(`${CORE}/ERC20`), [SUPPLY])
  const b = await deploy(client, artifact(`${CORE}/ERC20`), [SUPPLY])
  const taxed = await deploy(client, artifact(`${PERIPHERY}/DeflatingERC20`), [SUPPLY])
  for (const { address, write } of [a, b, taxed]) {
    await write('approve', [router.address, SUPPLY])
    const liquidity = [address, 30_000n * ETHER, 0n, 0n, owner, FAR]
    await router.write('addLiquidityETH', liquidity, 10n * ETHER)
    await write('transfer', [WALLET.address, 1_000n * ETHER])
  }
  await deployMulticall3(client)
  const rpc = new EvmRpc({ chainKey: 'base', urls: [url] })
  t.teardown(() => rpc.close())
  const chain = { rpc, router: router.address, wrappedNative: weth.address }
  const clock = { now: Number((await client.getBlock()).timestamp) * 1_000 }
  const provider = uniswap(UNISWAP_V2, {
    chains: new Map([['base', chain]]),
    clock: clockOf({ date: () => clock.now }),
  })

  /** Quote, build, prove. */
  async function prepare(asked: BuildOrder) {
    const offer = await provider.quote(asked, OPTIONS)
    const material = await provider.build(asked, offer, OPTIONS)
    const verification = await provider.prove(asked, offer, material, callOf())
    return { offer, material, verification }
  }

  /** The same for an exact output. */
  async function prepareOutput(
    tokenIn: Token,
    tokenOut: Token,
    amountOut: bigint,
    more: Pick<BuildOrder, 'receiver'> & { readonly slippageBps?: number } = {},
  ) {
    const { amountIn: _, ...terms } = order(tokenIn, tokenOut, 0n, more.slippageBps)
    const offer = await provider.quoteOutput!({ ...terms, amountOut }, OPTIONS)
    const asked: BuildOrder = {
      ...terms,
      from: WALLET.address,
      amountIn: offer.takes!.maxIn,
      amountOut,
      ...more,
    }
    const material = await provider.build(asked, offer, OPTIONS)
    const verification = await provider.prove(asked, offer, material, callOf())
    return { offer, material, verification, asked }
  }

  const { send, sent, balanceOf } = evmWallet(client, WALLET, [a, b, taxed, weth])
  const contracts = [a, b, taxed, weth]
  const tokenBalance = async (address: string, holder: string) =>
    (await contracts.find((one) => one.address === address)!.read('balanceOf', holder)) as bigint

  const tokens = {
    tokenA: token(a.address),
    b: token(b.address),
    taxed: token(taxed.address),
    weth: token(weth.address),
  }
  return {
    client,
    router,
    provider,
    clock,
    prepare,
    prepareOutput,
    tokenBalance,
    send,
    sent,
    balanceOf,
    owner,
    chain,
    ...tokens,
  }
}

t.test('on a real EVM', { skip: withoutAnvil }, async (t) => {
  const {
    client,
    router,
    provider,
    clock,
    prepare,
    prepareOutput,
    tokenBalance,
    send,
    sent,
    balanceOf,
    owner,
    tokenA,
    b,
    taxed,
    weth,
    chain,
  } = await world(t)

  await t.test('a swap gives exactly what was quoted', async (t) => {
    const cases: [title: string, order: BuildOrder, hops: number][] = [
      ['native to token', order(NATIVE_COIN, tokenA, ETHER / 10n), 1],
      ['token to native', order(tokenA, NATIVE_COIN, 100n * ETHER), 1],
      ['token to token by way of the wrapped coin', order(tokenA, b, 50n * ETHER), 2],
    ]
    for (const [title, asked, hops] of cases) {
      const { offer, material, verification } = await prepare(asked)
      t.equal((offer.details.path as string[]).length, hops + 1, title)
      t.equal(offer.minOut, (offer.expectedOut * 9_700n) / 10_000n)
      t.equal(verification.recipient, WALLET.address)
      t.equal(verification.minOut, String(offer.minOut))
      t.same(
        material.kind === 'evm' && material.approval,
        asked.tokenIn.isNative
          ? null
          : { token: asked.tokenIn.address, spender: router.address, amount: String(asked.amountIn) },
      )
      const before = [await balanceOf(asked.tokenIn), await balanceOf(asked.tokenOut)] as const
      const wei = await client.getBalance({ address: WALLET.address })
      const { gasUsed } = await sent(material)
      t.ok(
        Math.abs(Number(gasUsed) / offer.gas!.units - 1) < 0.35,
        `${title}: ${gasUsed} of ${offer.gas!.units} units`,
      )
      const spent = before[0] - (await balanceOf(asked.tokenIn))
      const got = (await balanceOf(asked.tokenOut)) - before[1]
      // Gas is paid in the native coin as well: at most what the transactions could burn.
      const gas = 1_100_000n * (await client.getGasPrice()) * 2n
      if (asked.tokenIn.isNative)
        t.ok(spent >= asked.amountIn && spent < asked.amountIn + gas, 'native spent')
      else t.equal(spent, asked.amountIn, 'spent')
      if (asked.tokenOut.isNative)
        t.ok(got <= offer.expectedOut && got > offer.expectedOut - gas, 'native got')
      else t.equal(got, offer.expectedOut, 'got')
      t.not(await client.getBalance({ address: WALLET.address }), wei, 'it was paid for')
    }
  })

  await t.test('the better of the two paths wins', async (t) => {
    const asked = order(tokenA, b, 50n * ETHER)
    const { offer: around } = await prepare(asked)
    await router.write('addLiquidity', [
      tokenA.address,
      b.address,
      20_000n * ETHER,
      30_000n * ETHER,
      0n,
      0n,
      owner,
      FAR,
    ])
    const { offer: direct } = await prepare(asked)
    t.same(direct.details.path, [tokenA.address, b.address])
    t.ok(direct.expectedOut > around.expectedOut)
    const before = await balanceOf(b)
    t.ok(await send((await prepare(asked)).material))
    t.equal((await balanceOf(b)) - before, direct.expectedOut)
    const { offer: back } = await prepare(order(b, tokenA, 50n * ETHER))
    t.same(
      back.details.path,
      [b.address, weth.address, tokenA.address],
      'the direct pool is the worse one here',
    )
  })

  await t.test('slippage protects: the pool moves, the swap reverts, nothing is spent', async (t) => {
    const { material } = await prepare(order(NATIVE_COIN, tokenA, ETHER / 10n, 50))
    const path = [weth.address, tokenA.address]
    await router.write('swapExactETHForTokens', [0n, path, owner, FAR], ETHER)
    const before = await balanceOf(tokenA)
    t.notOk(await send(material))
    t.equal(await balanceOf(tokenA), before)
  })

  await t.test('a deadline in the past reverts', async (t) => {
    const { now } = clock
    clock.now = now - 3_600_000
    const { material } = await prepare(order(NATIVE_COIN, tokenA, ETHER / 10n))
    clock.now = now
    t.notOk(await send(material))
  })

  await t.test(
    'a token that taxes transfers is sold where the slippage covers the tax, and not elsewhere',
    async (t) => {
      // One percent of each transfer is burnt.
      const { offer, material } = await prepare(order(taxed, NATIVE_COIN, 10n * ETHER, 500))
      const before = await balanceOf(NATIVE_COIN)
      t.ok(await send(material))
      const got = (await balanceOf(NATIVE_COIN)) - before
      t.ok(got < offer.expectedOut, 'less than quoted, because of the tax')
      const tight = await prepare(order(taxed, NATIVE_COIN, 10n * ETHER, 50))
      t.notOk(await send(tight.material), 'the minimum holds')
    },
  )

  await t.test('an exact output takes what was quoted, and returns the rest', async (t) => {
    const cases: [title: string, tokenIn: Token, tokenOut: Token, amountOut: bigint, hops: number][] = [
      ['native to token', NATIVE_COIN, tokenA, 200n * ETHER, 1],
      ['token to native', tokenA, NATIVE_COIN, ETHER / 50n, 1],
      ['token to token', tokenA, b, 30n * ETHER, 1],
      ['by way of the wrapped coin', b, tokenA, 30n * ETHER, 2],
    ]
    for (const [title, tokenIn, tokenOut, amountOut, hops] of cases) {
      const { offer, material, verification } = await prepareOutput(tokenIn, tokenOut, amountOut)
      const { amountIn, maxIn } = offer.takes!
      t.equal((offer.details.path as string[]).length, hops + 1, title)
      t.equal((offer.details.path as string[])[0], tokenIn.isNative ? weth.address : tokenIn.address)
      t.same([offer.expectedOut, offer.minOut], [amountOut, amountOut])
      t.equal(maxIn, (amountIn * 10_300n + 9_999n) / 10_000n)
      t.equal(verification.minOut, String(amountOut))
      const { value, approval } = material as Material & { kind: 'evm' }
      t.same([value, approval?.amount], tokenIn.isNative ? [String(maxIn), undefined] : ['0', String(maxIn)])
      const before = [await balanceOf(tokenIn), await balanceOf(tokenOut)] as const
      const { gasUsed } = await sent(material)
      t.ok(Math.abs(Number(gasUsed) / offer.gas!.units - 1) < 0.35, `${gasUsed} of ${offer.gas!.units} units`)
      const spent = before[0] - (await balanceOf(tokenIn))
      const got = (await balanceOf(tokenOut)) - before[1]
      const gas = 1_100_000n * (await client.getGasPrice()) * 2n
      if (tokenIn.isNative) t.ok(spent >= amountIn && spent < amountIn + gas, 'the rest came back')
      else t.equal(spent, amountIn, 'spent')
      if (tokenOut.isNative) t.ok(got <= amountOut && got > amountOut - gas, 'native got')
      else t.equal(got, amountOut, 'got')
      t.equal(await client.getBalance({ address: chain.router as `0x${string}` }), 0n, 'nothing stays')
    }
  })

  await t.test('an exact output that takes more than the most reverts', async (t) => {
    const { material } = await prepareOutput(NATIVE_COIN, tokenA, 10n * ETHER, { slippageBps: 1 })
    await router.write('swapExactETHForTokens', [0n, [weth.address, tokenA.address], owner, FAR], ETHER)
    const before = await balanceOf(tokenA)
    t.notOk(await send(material))
    t.equal(await balanceOf(tokenA), before)
  })

  await t.test('an exact output that no pool has is no route', async (t) => {
    await t.rejects(prepareOutput(NATIVE_COIN, tokenA, 900_000n * ETHER), { code: 'no_route', status: 400 })
  })

  await t.test('another wallet receives', async (t) => {
    const receiver = account(5).address
    const cases: [title: string, tokenIn: Token, tokenOut: Token][] = [
      ['native to token', NATIVE_COIN, tokenA],
      ['token to native', tokenA, NATIVE_COIN],
      ['token to token', tokenA, b],
    ]
    const heldBy = async ({ isNative, address }: Token) =>
      isNative ? client.getBalance({ address: receiver }) : tokenBalance(address, receiver)
    for (const [title, tokenIn, tokenOut] of cases) {
      const asked = { ...order(tokenIn, tokenOut, ETHER / 100n), receiver }
      const { offer, material, verification } = await prepare(asked)
      t.equal(verification.recipient, receiver, title)
      const before = await heldBy(tokenOut)
      await sent(material)
      t.equal((await heldBy(tokenOut)) - before, offer.expectedOut, title)
      await t.rejects(
        async () => provider.prove({ ...asked, receiver: account(6).address }, offer, material, callOf()),
        { code: 'material_refused', fields: { rule: 'recipient' } },
      )
      await t.rejects(
        async () => provider.prove(order(tokenIn, tokenOut, ETHER / 100n), offer, material, callOf()),
        { code: 'material_refused', fields: { rule: 'recipient' } },
      )
      const output = await prepareOutput(tokenIn, tokenOut, ETHER / 1_000n, { receiver })
      const first = await heldBy(tokenOut)
      await sent(output.material)
      t.equal((await heldBy(tokenOut)) - first, ETHER / 1_000n, `${title}, exactly`)
    }
  })

  await t.test('refuses what cannot be swapped', async (t) => {
    const nobody = token('0x00000000000000000000000000000000000000a1')
    const cases: [title: string, order: BuildOrder, code: string][] = [
      ['a token without a pool', order(NATIVE_COIN, nobody, ETHER), 'no_route'],
      ['wrapping', order(NATIVE_COIN, weth, ETHER), 'no_route'],
      ['unwrapping', order(weth, NATIVE_COIN, ETHER), 'no_route'],
      ['a token for itself', order(tokenA, tokenA, ETHER), 'no_route'],
      ['more than a pool can count', order(tokenA, b, 2n ** 112n), 'amount_too_large'],
      ['so little that nothing comes out', order(tokenA, NATIVE_COIN, 1n), 'amount_too_small'],
    ]
    for (const [title, asked, code] of cases) {
      await t.rejects(provider.quote(asked, OPTIONS), { name: 'GatewayError', code, status: 400 }, title)
    }
  })

  await t.test('a router that is not there is an unusable answer', async (t) => {
    const elsewhere = { ...chain, router: '0x00000000000000000000000000000000000000a2' }
    const lost = uniswap(UNISWAP_V2, { chains: new Map([['base', elsewhere]]) })
    await t.rejects(lost.quote(order(NATIVE_COIN, tokenA, ETHER), OPTIONS), {
      name: 'GatewayError',
      code: 'upstream_unusable',
      scope: 'provider',
    })
  })
})

t.test('all paths are asked in one call', async (t) => {
  const asked: string[] = []
  const call = async (to: string) => {
    asked.push(to)
    return null
  }
  const chain = { rpc: { call }, router: FROM, wrappedNative: '0x4200000000000000000000000000000000000006' }
  const provider = uniswap(UNISWAP_V2, { chains: new Map([['base', chain]]) })
  const [x, y] = [
    token('0x00000000000000000000000000000000000000a3'),
    token('0x00000000000000000000000000000000000000a4'),
  ]
  await t.rejects(provider.quote(order(x, y, 5n), OPTIONS), { code: 'upstream_unusable', scope: 'provider' })
  t.same(asked, [MULTICALL3])
})
