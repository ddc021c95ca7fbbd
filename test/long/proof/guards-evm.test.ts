/**
 * A market on an EVM chain that robs the wallet when the batch lands: with a guard as the last of the calls none of it
 * lands, and every honest batch does. The check is Uniswap's own contract, deployed from its package.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { encodeFunctionData, type Hex, parseAbi, zeroAddress, zeroHash } from 'viem'
import { findChain } from '../../../src/chains/find.ts'
import { approvalFor, type BatchedCall, callsOf } from '../../../src/proof/evm/approval.ts'
import { guardCall } from '../../../src/proof/evm/guard.ts'
import type { BuildOrder } from '../../../src/proof/terms/order.ts'
import { boughtBefore, evmGuard, GUARD_UNITS } from '../../../src/providers/evm-guards.ts'
import { account, artifact, deploy, startAnvil, withoutAnvil } from '../../fixtures/anvil.ts'
import { callOf } from '../../fixtures/call.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { calls, code } from '../../fixtures/evm-code.ts'
import { SEED } from '../../fixtures/fast-check.ts'
import { installed } from '../../fixtures/installed.ts'

const BASE = findChain('base')!
const WALLET = '0x00000000000000000000000000000000000a11ce'
const MARKET = '0x0000000000000000000000000000000000facade'
const THIEF = '0x000000000000000000000000000000000000dead'
const PLENTY = 10n ** 30n
const AMOUNT = 1_000_000n
const MIN_OUT = 990_000n
/** The most that the batch takes for gas, as the gateway would have it. */
const GAS = 10n ** 4n

const ABI = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function transferFrom(address from, address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
])
const encode = (functionName: 'transfer' | 'transferFrom' | 'approve', ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: ABI, functionName, args } as never)

/** An account whose code makes a batch of calls, or reverts; without data it only takes coins. */
const batch = (list: readonly BatchedCall[]): Hex =>
  code(
    (at) =>
      `36${`7f${BigInt(at + 36)
        .toString(16)
        .padStart(64, '0')}`}57005b`,
    ...list.map(({ to, data, value }) => calls(to as Hex, data as Hex, BigInt(value))),
  )

type Steps = readonly ReturnType<typeof calls>[]

async function start(t: Parameters<typeof startAnvil>[0]) {
  const { client } = await startAnvil(t, BASE.chainId!)
  const folder = await installed('universal-router', { '@uniswap/universal-router': '2.1.0' })
  const file =
    'node_modules/@uniswap/universal-router/artifacts/contracts/UniversalRouter.sol/UniversalRouter.json'
  const { abi, bytecode } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
  const addresses =
    'permit2 weth9 v2Factory v3Factory v4PoolManager v3NFTPositionManager v4PositionManager spokePool'
  const params = Object.fromEntries(addresses.split(' ').map((name) => [name, zeroAddress]))
  const router = await deploy(client, { abi, bytecode }, [
    { ...params, pairInitCodeHash: zeroHash, poolInitCodeHash: zeroHash },
  ])
  const token = () => deploy(client, artifact('@uniswap/v2-core/build/ERC20'), [PLENTY])
  const [sold, bought] = [await token(), await token()]
  const orderOf = (isNative: boolean): BuildOrder => ({
    chain: BASE,
    side: 'sell',
    tokenIn: { address: sold.address, isNative: false, decimals: 18 },
    tokenOut: { address: isNative ? zeroAddress : bought.address, isNative, decimals: 18 },
    amountIn: AMOUNT,
    slippageBps: 100,
    from: WALLET,
  })
  const known = guardCall({ chainKey: 'base', from: WALLET, bought: orderOf(false).tokenOut }, 1n)!
  await client.setCode({
    address: known.to as Hex,
    bytecode: (await client.getCode({ address: router.address }))!,
  })
  const nodes = () => ({
    call: async (to: string, data: string) => (await client.call({ to: to as Hex, data: data as Hex })).data,
    query: async (method: string, params: readonly unknown[]) =>
      JSON.stringify(await client.request({ method, params } as never)),
  })
  const held = {
    sold: async () => (await sold.read('balanceOf', WALLET)) as bigint,
    bought: async (isNative: boolean) =>
      isNative
        ? client.getBalance({ address: WALLET })
        : ((await bought.read('balanceOf', WALLET)) as bigint),
  }
  return {
    tokens: { sold: sold.address as Hex, bought: bought.address as Hex },
    held,
    /** Gives the wallet and the market what they have. */
    async fund(had: bigint) {
      await sold.write('transfer', [WALLET, AMOUNT])
      await bought.write('transfer', [WALLET, had])
      await bought.write('transfer', [MARKET, PLENTY / 1_000n])
      await client.setBalance({ address: WALLET, value: had + GAS })
      await client.setBalance({ address: MARKET, value: 10n ** 20n })
    },
    async built(isNative: boolean, guards: boolean): Promise<readonly BatchedCall[]> {
      const order = orderOf(isNative)
      const before = await boughtBefore(order, nodes as never, callOf())
      const guard = guards ? evmGuard(order, MIN_OUT, before, GAS).call : null
      const material = { to: MARKET, data: '0x', value: 0n, approval: approvalFor(order, MARKET) }
      const { calls, atomicRequired } = callsOf(material, guard)
      if (!atomicRequired) throw new Error('all or nothing')
      return calls
    },
    /** @returns whether it landed; what it did is undone */
    async lands(list: readonly BatchedCall[], market: Steps, look: () => Promise<void> = async () => {}) {
      const id = await client.snapshot()
      await client.setCode({ address: MARKET, bytecode: code(...market) })
      await client.setCode({ address: WALLET, bytecode: batch(list) })
      const asked = { account: account(1), to: WALLET, data: '0x01', gas: 5_000_000n, chain: null } as const
      const hash = await client.sendTransaction(asked)
      const { status, gasUsed } = await client.waitForTransactionReceipt({ hash })
      await look()
      await client.revert({ id })
      return { hasLanded: status === 'success', gasUsed }
    },
  }
}

type World = Awaited<ReturnType<typeof start>>

const takes = ({ tokens }: World) => calls(tokens.sold, encode('transferFrom', WALLET, MARKET, AMOUNT))
const pays = ({ tokens }: World, isNative: boolean, amount: bigint, to: Hex = WALLET) =>
  isNative ? calls(to, '0x', amount) : calls(tokens.bought, encode('transfer', to, amount))

t.test('of forty robberies none lands with a guard', { skip: withoutAnvil }, async (t) => {
  const world = await start(t)
  const { tokens } = world
  await world.fund(5_000_000n)
  const guard = guardCall(
    { chainKey: 'base', from: WALLET, bought: { address: tokens.bought, isNative: false } },
    1n,
  )!
  const robberies = [false, true].flatMap((isNative) => {
    const paid = (amount: bigint, to?: Hex) => pays(world, isNative, amount, to)
    const short = [
      0n,
      1n,
      2n,
      MIN_OUT / 2n,
      MIN_OUT - 100_000n,
      MIN_OUT - GAS - 1n,
      7n,
      99n,
      1_234n,
      500_000n,
    ]
    return [
      ...short.map((amount) => ({ isNative, title: `pays ${amount}`, steps: [takes(world), paid(amount)] })),
      ...[1n, 10n, MIN_OUT, MIN_OUT + 1n].map((amount) => ({
        isNative,
        title: `pays ${amount} to somebody else`,
        steps: [takes(world), paid(amount, THIEF)],
      })),
      {
        isNative,
        title: 'pays in the sold token',
        steps: [takes(world), calls(tokens.sold, encode('transfer', WALLET, AMOUNT))],
      },
      { isNative, title: 'only takes', steps: [takes(world)] },
      {
        isNative,
        title: 'checks the guard itself',
        steps: [takes(world), calls(guard.to as Hex, guard.data as Hex)],
      },
      {
        isNative,
        title: 'pays half, and half to somebody else',
        steps: [takes(world), paid(MIN_OUT / 2n), paid(MIN_OUT / 2n, THIEF)],
      },
      { isNative, title: 'pays the other coin', steps: [takes(world), pays(world, !isNative, MIN_OUT)] },
      { isNative, title: 'does nothing', steps: [] },
    ]
  })
  t.ok(robberies.length >= 40, `${robberies.length}`)
  const landed = { without: 0, with: 0 }
  for (const { isNative, title, steps } of robberies) {
    if ((await world.lands(await world.built(isNative, false), steps)).hasLanded) landed.without++
    if ((await world.lands(await world.built(isNative, true), steps)).hasLanded) {
      landed.with++
      t.fail(`${isNative ? 'coin' : 'token'}: ${title}`)
    }
  }
  t.comment(`${robberies.length} robberies; without a guard ${landed.without} land, with one ${landed.with}`)
  t.equal(landed.with, 0)
  t.equal(landed.without, robberies.length)
})

t.test('of a hundred honest batches none is refused', { skip: withoutAnvil }, async (t) => {
  const world = await start(t)
  let landed = 0
  let most = 0n
  for (let i = 0; i < 100; i++) {
    const random = new Random(SEED, i)
    const isNative = random.chance(0.5)
    await world.fund(random.chance(0.3) ? 0n : BigInt(random.below(2 ** 31)))
    const list = await world.built(isNative, true)
    const steps = [
      takes(world),
      pays(world, isNative, MIN_OUT + BigInt(random.below(2) * random.below(100_000))),
    ]
    const before = await world.held.bought(isNative)
    const { hasLanded, gasUsed } = await world.lands(list, steps, async () => {
      t.ok((await world.held.bought(isNative)) >= before + MIN_OUT)
    })
    if (hasLanded) landed++
    const { gasUsed: bare } = await world.lands(await world.built(isNative, false), steps)
    if (gasUsed - bare > most) most = gasUsed - bare
  }
  t.equal(landed, 100)
  t.comment(`a guard takes ${most} units`)
  t.ok(most < GUARD_UNITS, 'no more than the costs show')
})
