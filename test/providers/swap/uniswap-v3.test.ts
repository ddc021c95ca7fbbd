import t, { type Test } from 'tap'
import { findChain } from '../../../src/chains/find.ts'
import type { Material } from '../../../src/proof/terms/material.ts'
import type { BuildOrder, Token } from '../../../src/proof/terms/order.ts'
import { uniswap } from '../../../src/providers/swap/uniswap.ts'
import { V3_VERSIONS } from '../../../src/providers/swap/uniswap-v3.ts'
import { EvmRpc } from '../../../src/upstream/nodes/evm/rpc.ts'
import { account, artifact, deploy, startAnvil, withoutAnvil } from '../../fixtures/anvil.ts'
import { callOf } from '../../fixtures/call.ts'
import { clockOf } from '../../fixtures/clock.ts'
import { FROM, NATIVE } from '../../fixtures/evm-orders.ts'
import { evmWallet } from '../../fixtures/evm-wallet.ts'
import { deployMulticall3 } from '../../fixtures/multicall3.ts'
import { OPTIONS } from '../../fixtures/provider.ts'

const UNISWAP_V3 = V3_VERSIONS[0]!
const SCROLL = findChain('scroll')!
const PERIPHERY = '@uniswap/v3-periphery/artifacts/contracts'
const FACTORY = '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory'
const ROUTER = '@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02'
const ETHER = 10n ** 18n
const SUPPLY = 1_000_000n * ETHER
const FAR = 2n ** 40n
const WALLET = account(1)
/** The fees, each with the distance between two ticks of its pools. */
const SPACING: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }
const MAX_TICK = 887_272

const NATIVE_COIN: Token = { address: NATIVE, isNative: true, decimals: 18 }
const token = (address: string): Token => ({ address, isNative: false, decimals: 18 })

function order(tokenIn: Token, tokenOut: Token, amountIn: bigint, slippageBps = 300): BuildOrder {
  const side = tokenIn.isNative ? 'buy' : 'sell'
  return { chain: SCROLL, side, tokenIn, tokenOut, amountIn, slippageBps, from: WALLET.address }
}

function sqrt(value: bigint): bigint {
  let [low, high] = [0n, 2n ** 128n]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (middle * middle <= value) low = middle
    else high = middle
  }
  return low
}

/** Uniswap V3 as it is deployed, with three tokens: A and B trade with the wrapped coin, B and C with the stablecoin. */
async function world(t: Test) {
  const { url, client } = await startAnvil(t, SCROLL.chainId!)
  const owner = account(0).address
  await deployMulticall3(client)
  const weth = await deploy(client, artifact('@uniswap/v2-periphery/build/WETH9'), [])
  const factory = await deploy(client, artifact(FACTORY), [])
  await factory.write('enableFeeAmount', [100, 1])
  const manager = await deploy(
    client,
    artifact(`${PERIPHERY}/NonfungiblePositionManager.sol/NonfungiblePositionManager`),
    [factory.address, weth.address, owner],
  )
  const none = `0x${'0'.repeat(40)}`
  const router = await deploy(client, artifact(ROUTER), [
    none,
    factory.address,
    manager.address,
    weth.address,
  ])
  const quoter = await deploy(client, artifact(`${PERIPHERY}/lens/QuoterV2.sol/QuoterV2`), [
    factory.address,
    weth.address,
  ])
  const erc20 = artifact('@uniswap/v2-core/build/ERC20')
  const [a, b, c, stable] = [
    await deploy(client, erc20, [SUPPLY]),
    await deploy(client, erc20, [SUPPLY]),
    await deploy(client, erc20, [SUPPLY]),
    await deploy(client, erc20, [SUPPLY]),
  ]
  await weth.write('deposit', [], 1_000n * ETHER)
  for (const { address, write } of [a, b, c, stable, weth]) {
    await write('approve', [manager.address, SUPPLY])
    await write('approve', [router.address, SUPPLY])
    if (address !== weth.address) await write('transfer', [WALLET.address, 10_000n * ETHER])
  }

  /** A position of two amounts at their ratio: at all prices, or that many ticks to both sides. */
  async function pool(one: string, other: string, fee: number, amounts: [bigint, bigint], around?: number) {
    const isSorted = BigInt(one) < BigInt(other)
    const [token0, token1] = isSorted ? [one, other] : [other, one]
    const [amount0, amount1] = isSorted ? amounts : [amounts[1], amounts[0]]
    const price = sqrt((amount1 << 192n) / amount0)
    await manager.write('createAndInitializePoolIfNecessary', [token0, token1, fee, price])
    const spacing = SPACING[fee]!
    const tick = Math.floor(Math.log(Number(amount1) / Number(amount0)) / Math.log(1.0001))
    const align = (one: number) => Math.trunc(one / spacing) * spacing
    const [tickLower, tickUpper] =
      around === undefined
        ? [align(-MAX_TICK), align(MAX_TICK)]
        : [align(tick - around) - spacing, align(tick + around) + spacing]
    const least = { amount0Min: 0n, amount1Min: 0n, recipient: owner, deadline: FAR }
    const position = { token0, token1, fee, tickLower, tickUpper }
    await manager.write('mint', [{ ...position, amount0Desired: amount0, amount1Desired: amount1, ...least }])
  }
  await pool(a.address, weth.address, 3_000, [30_000n * ETHER, 10n * ETHER])
  await pool(b.address, weth.address, 500, [30_000n * ETHER, 10n * ETHER])
  await pool(b.address, stable.address, 100, [30_000n * ETHER, 30_000n * ETHER])
  await pool(c.address, stable.address, 10_000, [30_000n * ETHER, 60_000n * ETHER])

  const rpc = new EvmRpc({ chainKey: 'scroll', urls: [url] })
  t.teardown(() => rpc.close())
  const chain = {
    rpc,
    router: router.address,
    factory: factory.address,
    quoter: quoter.address,
    wrappedNative: weth.address,
    stablecoins: [stable.address],
  }
  const clock = { now: Number((await client.getBlock()).timestamp) * 1_000 }
  const provider = uniswap(UNISWAP_V3, {
    chains: new Map([['scroll', chain]]),
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

  /** A trade by somebody else. */
  const trade = (path: [string, number, string], amountIn: bigint) => {
    const [tokenIn, fee, tokenOut] = path
    const rest = { recipient: owner, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n }
    return router.write('exactInputSingle', [{ tokenIn, tokenOut, fee, ...rest }])
  }

  const contracts = [a, b, c, stable, weth]
  const wallet = evmWallet(client, WALLET, contracts)
  const tokenBalance = async (address: string, holder: string) =>
    (await contracts.find((one) => one.address === address)!.read('balanceOf', holder)) as bigint
  const tokens = { a: token(a.address), b: token(b.address), c: token(c.address) }
  return {
    ...tokens,
    ...wallet,
    client,
    provider,
    clock,
    prepare,
    prepareOutput,
    tokenBalance,
    pool,
    trade,
    chain,
    weth: token(weth.address),
  }
}

t.test('on a real EVM', { skip: withoutAnvil }, async (t) => {
  const all = await world(t)
  const { a, b, c, weth, chain, client, clock, prepare, prepareOutput, provider, pool, trade } = all
  const { send, sent, balanceOf, tokenBalance } = all
  const stable = chain.stablecoins[0]!

  await t.test('a swap gives exactly what was quoted', async (t) => {
    const cases: [title: string, order: BuildOrder, path: string[], fees: number[]][] = [
      ['native to token', order(NATIVE_COIN, a, ETHER / 10n), [weth.address, a.address], [3_000]],
      ['token to native', order(a, NATIVE_COIN, 100n * ETHER), [a.address, weth.address], [3_000]],
      ['over the wrapped coin', order(a, b, 50n * ETHER), [a.address, weth.address, b.address], [3_000, 500]],
      ['over a stablecoin', order(b, c, 50n * ETHER), [b.address, stable, c.address], [100, 10_000]],
    ]
    for (const [title, asked, path, fees] of cases) {
      const { offer, material, verification } = await prepare(asked)
      t.same([offer.details.path, offer.details.poolFees], [path, fees], title)
      t.equal(offer.minOut, (offer.expectedOut * 9_700n) / 10_000n)
      t.equal(verification.recipient, WALLET.address)
      t.equal(verification.minOut, String(offer.minOut))
      const before = [await balanceOf(asked.tokenIn), await balanceOf(asked.tokenOut)] as const
      const { gasUsed } = await sent(material)
      const { units } = offer.gas!
      t.ok(Math.abs(Number(gasUsed) / units - 1) < 0.35, `${title}: ${gasUsed} of ${units} units`)
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
    }
  })

  await t.test('the best of the pools wins', async (t) => {
    const asked = order(NATIVE_COIN, a, ETHER / 10n)
    const { offer: one } = await prepare(asked)
    await pool(a.address, weth.address, 10_000, [3_000n * ETHER, 1n * ETHER])
    t.same((await prepare(asked)).offer.details, one.details, 'a worse pool changes nothing')
    await pool(a.address, weth.address, 500, [60_000n * ETHER, 20n * ETHER])
    const { offer, material } = await prepare(asked)
    t.same(offer.details.poolFees, [500])
    t.ok(offer.expectedOut > one.expectedOut)
    const before = await balanceOf(a)
    t.ok(await send(material))
    t.equal((await balanceOf(a)) - before, offer.expectedOut)
  })

  await t.test('slippage protects: the pool moves, the swap reverts, nothing is spent', async (t) => {
    const { material } = await prepare(order(b, NATIVE_COIN, 100n * ETHER, 50))
    await trade([b.address, 500, weth.address], 2_000n * ETHER)
    const before = await balanceOf(b)
    t.notOk(await send(material))
    t.equal(await balanceOf(b), before)
  })

  await t.test('a deadline in the past reverts', async (t) => {
    const { now } = clock
    clock.now = now - 3_600_000
    const { material } = await prepare(order(NATIVE_COIN, a, ETHER / 10n))
    clock.now = now
    t.notOk(await send(material))
  })

  await t.test('a pool that runs dry is not offered, and returns what it does not take', async (t) => {
    await pool(c.address, weth.address, 10_000, [1_000n * ETHER, 1n * ETHER], 100)
    await t.rejects(provider.quote(order(NATIVE_COIN, c, 10n * ETHER), OPTIONS), { code: 'no_route' })
    const asked = order(NATIVE_COIN, c, (ETHER * 8n) / 10n, 4_500)
    const { offer, material } = await prepare(asked)
    t.same(offer.details.poolFees, [10_000])
    await trade([weth.address, 10_000, c.address], ETHER / 2n)
    const before = [await balanceOf(NATIVE_COIN), await balanceOf(c)] as const
    await sent(material)
    const spent = before[0] - (await balanceOf(NATIVE_COIN))
    const got = (await balanceOf(c)) - before[1]
    t.ok(got >= offer.minOut && got < offer.expectedOut, 'the minimum is there')
    t.ok(spent < (asked.amountIn * 7n) / 10n, `${spent} of ${asked.amountIn} was spent`)
    t.equal(await client.getBalance({ address: chain.router }), 0n, 'and nothing is left in the router')
  })

  await t.test('an exact output takes what was quoted, and returns the rest', async (t) => {
    const cases: [title: string, tokenIn: Token, tokenOut: Token, amountOut: bigint, hops: number][] = [
      ['native to token', NATIVE_COIN, a, 200n * ETHER, 1],
      ['token to native', a, NATIVE_COIN, ETHER / 50n, 1],
      ['token to token', a, b, 30n * ETHER, 2],
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
    const { offer, material } = await prepareOutput(NATIVE_COIN, a, 10n * ETHER, { slippageBps: 1 })
    await trade([weth.address, (offer.details.poolFees as number[])[0]!, a.address], ETHER)
    const before = await balanceOf(a)
    t.notOk(await send(material))
    t.equal(await balanceOf(a), before)
  })

  await t.test('an exact output that no pool has is no route', async (t) => {
    await t.rejects(prepareOutput(NATIVE_COIN, a, 900_000n * ETHER), { code: 'no_route', status: 400 })
  })

  await t.test('another wallet receives', async (t) => {
    const receiver = account(5).address
    const cases: [title: string, tokenIn: Token, tokenOut: Token][] = [
      ['native to token', NATIVE_COIN, a],
      ['token to native', a, NATIVE_COIN],
      ['token to token', a, b],
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
      ['a token for itself', order(a, a, ETHER), 'no_route'],
      ['more than a pool can count', order(a, b, 2n ** 255n), 'amount_too_large'],
      ['more than any pool can take', order(a, b, 2n ** 200n), 'no_route'],
      ['so little that nothing comes out', order(a, NATIVE_COIN, 1n), 'amount_too_small'],
    ]
    for (const [title, asked, code] of cases) {
      await t.rejects(provider.quote(asked, OPTIONS), { name: 'GatewayError', code, status: 400 }, title)
    }
  })

  await t.test('contracts that are not there, or not of this factory, are an unusable answer', async (t) => {
    const nowhere = '0x00000000000000000000000000000000000000a2'
    for (const name of ['quoter', 'router', 'factory', 'wrappedNative'] as const) {
      const elsewhere = { ...chain, [name]: nowhere }
      const lost = uniswap(UNISWAP_V3, { chains: new Map([['scroll', elsewhere]]) })
      await t.rejects(
        lost.quote(order(a, b, ETHER), OPTIONS),
        { name: 'GatewayError', code: 'upstream_unusable', scope: 'provider' },
        name,
      )
    }
  })
})

t.test('a quoter that answers nonsense is unusable', async (t) => {
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  const [price, none] = [word(2n ** 96n), word(0n)]
  const list = word(1n) + price + word(1n) + none
  const good = word(1_000n) + word(128n) + word(192n) + word(90_000n) + list
  const answers: [title: string, hex: string, code: string | null][] = [
    ['an answer', good, null],
    ['nothing', '', 'upstream_unusable'],
    ['cut off', good.slice(0, 320), 'upstream_unusable'],
    ['gas beyond any block', good.replace(word(90_000n), word(2n ** 60n)), 'upstream_unusable'],
    ['prices of two pools', good.replace(word(1n), word(2n)), 'upstream_unusable'],
    ['an offset beyond the answer', good.replace(word(128n), word(2n ** 200n)), 'upstream_unusable'],
  ]
  for (const [title, hex, code] of answers) {
    const size = word(BigInt(hex.length / 2))
    const tuple = word(1n) + word(64n) + size + hex
    const names = word(1n) + word(64n) + word(32n) + word(BigInt(FROM))
    const tuples = [tuple, tuple, tuple, tuple, names, names]
    const at = (i: number) => 192n + BigInt(tuples.slice(0, i).join('').length / 2)
    const offsets = tuples.map((_, i) => word(at(i))).join('')
    const aggregate = `0x${word(32n)}${word(6n)}${offsets}${tuples.join('')}`
    const chain = {
      rpc: { call: async () => aggregate },
      router: FROM,
      factory: FROM,
      quoter: FROM,
      wrappedNative: FROM,
      stablecoins: [],
    }
    const quoted = uniswap(UNISWAP_V3, { chains: new Map([['scroll', chain]]) }).quote(
      order(NATIVE_COIN, token('0x00000000000000000000000000000000000000a3'), 5n),
      OPTIONS,
    )
    if (code === null) t.equal((await quoted).expectedOut, 1_000n, title)
    else await t.rejects(quoted, { code, scope: 'provider' }, title)
  }
})
