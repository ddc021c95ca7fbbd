import t, { type Test } from 'tap'
import { MULTICALL3 } from '../../../src/chains/contracts.ts'
import { findChain } from '../../../src/chains/find.ts'
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

  const { send, sent, balanceOf } = evmWallet(client, WALLET, [a, b, taxed, weth])

  const tokens = {
    tokenA: token(a.address),
    b: token(b.address),
    taxed: token(taxed.address),
    weth: token(weth.address),
  }
  return { client, router, provider, clock, prepare, send, sent, balanceOf, owner, chain, ...tokens }
}

t.test('on a real EVM', { skip: withoutAnvil }, async (t) => {
  const {
    client,
    router,
    provider,
    clock,
    prepare,
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
