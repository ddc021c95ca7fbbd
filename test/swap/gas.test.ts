import t from 'tap'
import { findChain } from '../../src/chains/find.ts'
import type { Order } from '../../src/proof/terms/order.ts'
import type { ProvedProvider } from '../../src/providers/proved.ts'
import type { Offer } from '../../src/providers/provider.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import type { AgreedPrice, Gas } from '../../src/swap/fair.ts'
import { gasFields, gasPrices, gasSources, netOf, SAMPLE_BYTES } from '../../src/swap/gas.ts'
import { judged, type ProviderAnswer, type Race, rankedBy } from '../../src/swap/race.ts'
import { callOf } from '../fixtures/call.ts'
import { clockOf } from '../fixtures/clock.ts'

const GWEI = 10n ** 9n
const USD = 10n ** 36n
const OPTIONS = callOf(600_000, null, 'quote')
const USDC = { address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', isNative: false, decimals: 6 }
const COIN = { address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', isNative: true, decimals: 18 }

const orderOn = (key: string, tokenOut: Order['tokenOut'] = USDC): Order => ({
  chain: findChain(key)!,
  side: 'buy',
  tokenIn: COIN,
  tokenOut,
  amountIn: 10n ** 18n,
  slippageBps: 100,
  from: null,
})

interface World {
  gasPrice: bigint | null
  answer: string | null
  /** Further hosts, with what differs at each. */
  others: readonly Partial<Pick<World, 'gasPrice' | 'answer'>>[]
  coin: bigint | null
  out: bigint | null
  now: number
  readonly calls: string[]
}

function worldOf(changes: Partial<World> = {}) {
  const world: World = {
    gasPrice: 30n * GWEI,
    answer: null,
    others: [],
    coin: 3_000n,
    out: 1n,
    now: 1_000,
    calls: [],
    ...changes,
  }
  const priced = (usd: bigint | null): AgreedPrice | null =>
    usd === null ? null : { low: usd * USD, high: usd * USD, depth: null, sources: ['a', 'b'], priceTs: 0 }
  const node = (label: string, differing: () => Partial<World>) => ({
    label,
    async gasPrice() {
      world.calls.push('gasPrice')
      const { gasPrice } = { ...world, ...differing() }
      if (gasPrice === null) throw new GatewayError('upstream_unavailable', 'away')
      return gasPrice
    },
    async call(to: string) {
      world.calls.push(to)
      return { ...world, ...differing() }.answer
    },
    code: async () => '0x',
  })
  const evm = () => {
    const first = node('node-1', () => ({}))
    const others = world.others.map((_, i) => node(`node-${i + 2}`, () => world.others[i]!))
    return { ...first, voters: [first, ...others] }
  }
  const clock = clockOf({ now: () => world.now })
  const prices = gasPrices(
    evm,
    async (_chain, address) => priced(address === COIN.address ? world.coin : world.out),
    clock,
  )
  return {
    world,
    gasOf: (order: Order) => prices.gasOf(order, OPTIONS),
    feesOf: (key: string) => prices.feesOf(findChain(key)!, OPTIONS),
  }
}

const word = (value: bigint): string => value.toString(16).padStart(64, '0')

t.test("gas has the node's price, in the output token, by the prices of two sources", async (t) => {
  const { world, gasOf } = worldOf()
  const gas = await gasOf(orderOn('ethereum'))
  t.same(gas, {
    nodes: ['node-1'],
    prices: ['a', 'b'],
    price: 30n * GWEI,
    dataFee: 0n,
    outPerCoin: 3_000_000_000n,
    usdPerCoin: 3_000n * USD,
    usdPerOut: USD,
  })
  await gasOf(orderOn('ethereum'))
  t.same(world.calls, ['gasPrice'], 'it is kept for some blocks')
  world.now += 10_001
  await gasOf(orderOn('ethereum'))
  t.equal(world.calls.length, 2)
})

t.test('rollups add what data costs on layer 1, by their own contract', async (t) => {
  const cases: [chain: string, answer: string, dataFee: bigint, to: RegExp][] = [
    ['base', word(7n), 7n, /^0x420.*0F$/],
    ['scroll', word(9n), 9n, /^0x530.*02$/],
    ['arbitrum', word(1_000n) + word(20n) + word(3n), 20_000n, /C8$/],
  ]
  for (const [chain, answer, dataFee, to] of cases) {
    const { world, gasOf } = worldOf({ answer: `0x${answer}` })
    t.match(await gasOf(orderOn(chain)), { dataFee }, chain)
    t.match(world.calls, ['gasPrice', to])
  }
  const { gasOf } = worldOf({ answer: `0x${word(2n ** 255n)}` })
  t.equal(
    (await gasOf(orderOn('base')))?.dataFee,
    20n * 10n ** 15n,
    'no more than a whole transaction may burn',
  )
})

t.test('two hosts that agree price gas; else the lowest does, and none has confirmed it', async (t) => {
  const cases: [title: string, prices: (bigint | null)[], price: bigint | null, nodes: string[]][] = [
    ['two that agree', [30n, 31n], 30n, ['node-1', 'node-2']],
    ['two that agree within twice', [60n, 30n], 30n, ['node-1', 'node-2']],
    ['the first lies', [400n, 30n, 31n], 30n, ['node-2', 'node-3']],
    ['the second lies', [30n, 1n, 31n], 30n, ['node-1', 'node-3']],
    ['two that do not agree', [400n, 30n], 30n, ['node-1']],
    ['one that lies, and one that is away', [400n, null], 400n, ['node-1']],
    ['only the second answers', [null, 30n], 30n, ['node-2']],
    ['nobody answers', [null, null], null, []],
  ]
  for (const [title, [first, ...rest], price, nodes] of cases) {
    const gwei = (value: bigint | null | undefined) => (value == null ? null : value * GWEI)
    const others = rest.map((value) => ({ gasPrice: gwei(value) }))
    const gas = await worldOf({ gasPrice: gwei(first), others }).gasOf(orderOn('ethereum'))
    t.same([gas?.price ?? null, gas?.nodes.length ?? 0], [gwei(price), nodes.length], title)
    if (nodes.length > 1) t.same(gas!.nodes, nodes, title)
  }
  const data = { answer: `0x${word(10n ** 15n)}`, others: [{ answer: `0x${word(7n)}` }] }
  t.match(await worldOf(data).gasOf(orderOn('base')), { dataFee: 7n, nodes: ['node-1'] }, 'of layer 1, too')
})

t.test('what cannot be counted is null', async (t) => {
  const cases: [title: string, changes: Partial<World>, order: Order][] = [
    ['no node', { gasPrice: null }, orderOn('ethereum')],
    ['no price of the coin', { coin: null }, orderOn('ethereum')],
    ['no price of the token', { out: null }, orderOn('ethereum')],
    ['a token that is worth nothing', { out: 0n }, orderOn('ethereum')],
    ['no contract that tells', { answer: '0x' }, orderOn('base')],
    ['a contract that reverts', { answer: null }, orderOn('base')],
    ['a rollup whose contract is not known', {}, orderOn('mantle')],
    ['another family', {}, orderOn('solana')],
  ]
  for (const [title, changes, order] of cases) t.equal(await worldOf(changes).gasOf(order), null, title)
  const sold = await worldOf({ coin: null }).gasOf(orderOn('ethereum', COIN))
  t.match(
    sold,
    { outPerCoin: 10n ** 18n, usdPerCoin: null },
    'where the coin itself comes out, no price is needed',
  )
  t.equal((await worldOf({ gasPrice: 10n ** 15n }).gasOf(orderOn('ethereum')))?.price, 500n * GWEI, 'a bound')
})

const GAS: Gas = {
  nodes: ['node-1', 'node-2'],
  prices: ['a', 'b'],
  price: 30n * GWEI,
  dataFee: 0n,
  outPerCoin: 3_000_000_000n,
  usdPerCoin: 3_000n * USD,
  usdPerOut: USD,
}

const offer = (usdc: bigint, units: number | null, bytes = 900): Offer => ({
  expectedOut: usdc * 10n ** 6n,
  minOut: 1n,
  priceImpactPct: null,
  ...(units !== null && { gas: { units, bytes } }),
  details: {},
  raw: '{}',
})
const answer = (label: string, made: Offer): ProviderAnswer => ({
  provider: { label } as ProvedProvider,
  offer: made,
  failure: null,
  asOf: 0,
})
const raced = (gas: Gas | null, ...answers: ProviderAnswer[]) => {
  const fair = { out: null, floor: null, sources: [], gas }
  const order = orderOn('ethereum')
  const decided = { order, answers, standings: Promise.resolve([]) } as unknown as Race
  return { race: judged(decided, fair), by: rankedBy(answers, fair) }
}

t.test('where gas is dear the cheap route wins, and where it is cheap the one that gives more', async (t) => {
  // A route over many pools, and one over a single pool: 520,000 and 130,000 units, as real swaps of 1,000 dollars take.
  const wide = answer('wide', offer(1_003n, 520_000))
  const plain = answer('plain', offer(1_000n, 130_000))
  const dear = raced(GAS, wide, plain)
  t.equal(dear.by, 'net')
  t.equal(dear.race.winner.provider.label, 'plain', '46.80 dollars of gas against 11.70')
  t.match(dear.race.alternatives, [{ provider: 'wide', gasUsd: 46.8, netOut: '956200000', behindBps: 174 }])
  const cheap = raced({ ...GAS, price: GWEI / 10n }, wide, plain)
  t.equal(cheap.race.winner.provider.label, 'wide')
  t.match(cheap.race.alternatives, [{ provider: 'plain', behindBps: 28 }])
  t.same(
    (await dear.race.standings).map(({ provider }) => provider.label),
    ['plain', 'wide'],
  )
})

t.test('a provider and a node together do not make an offer win that is far below another', async (t) => {
  // The node says a hundred times what gas costs, or layer 1; the provider that it takes next to no units.
  const LIES: Partial<Gas>[] = [{ price: 3_000n * GWEI }, { dataFee: 10n ** 17n }, { price: GWEI }]
  for (const lie of LIES) {
    for (const below of [3n, 10n, 30n]) {
      for (const others of [[400_000], [150_000, 400_000]]) {
        const honest = others.map((units, i) => answer(`honest-${i}`, offer(1_000n + BigInt(i), units)))
        const low = answer('low', offer(1_000n - 10n * below, 80_000, 0))
        const { race } = raced({ ...GAS, ...lie, nodes: ['node-1'] }, ...honest, low)
        t.not(race.winner.provider.label, 'low', `${below} % below, beside ${others}`)
        if (below > 10n) {
          const confirmed = raced({ ...GAS, ...lie }, ...honest, low)
          t.not(confirmed.race.winner.provider.label, 'low', `${below} % below, whatever nodes agree on`)
        }
      }
    }
  }
})

t.test('what an offer gains by few units counts in full where another confirms them', async (t) => {
  const wide = answer('wide', offer(1_000n, 520_000))
  const narrow = answer('narrow', offer(970n, 130_000))
  t.equal(raced(GAS, wide, narrow).race.winner.provider.label, 'wide', 'its word alone: 2 % of it')
  const other = answer('other', offer(960n, 130_000))
  const { race } = raced(GAS, wide, narrow, other)
  t.equal(race.winner.provider.label, 'narrow', '46.80 dollars of gas against 11.70')
  t.equal(raced({ ...GAS, nodes: ['node-1'] }, wide, narrow, other).race.winner.provider.label, 'wide')
})

t.test('where the gas of one is not known, the gross amount decides for all', async (t) => {
  const wide = answer('wide', offer(1_003n, null))
  const plain = answer('plain', offer(1_000n, 130_000))
  const one = raced(GAS, wide, plain)
  t.equal(one.by, 'gross')
  t.equal(one.race.winner.provider.label, 'wide')
  t.match(one.race.alternatives, [{ provider: 'plain', behindBps: 29 }])
  t.equal(raced(null, answer('wide', offer(1_003n, 1)), plain).by, 'gross')
})

t.test(
  'a provider that states next to nothing is not believed, and gas may take more than there is',
  async (t) => {
    t.equal(netOf(offer(1_000n, 1), GAS), 1_000_000_000n - 7_200_000n, '80,000 units at least')
    t.equal(netOf(offer(1n, 520_000), GAS), 1_000_000n - 46_800_000n)
    t.same(gasFields(offer(1n, 520_000), orderOn('ethereum'), GAS), {
      gasUsd: 46.8,
      netOut: '-45800000',
      netOutUsd: -45.8,
    })
    t.same(gasFields(offer(1n, null), orderOn('ethereum'), GAS), {
      gasUsd: null,
      netOut: null,
      netOutUsd: null,
    })
    const rollup = { ...GAS, price: 1n, dataFee: 10n ** 15n }
    t.equal(
      netOf(offer(1_000n, 80_000, SAMPLE_BYTES / 2), rollup),
      1_000_000_000n - 1_500_000n,
      'half a thousandth of a coin',
    )
  },
)

t.test('how gas was counted is shown, with the units, which are stated', async (t) => {
  t.same(gasSources(null), {})
  t.same(gasSources(GAS).netOutUsd, ['node-1', 'node-2', 'a', 'b', 'stated'])
  t.end()
})

t.test('the cost of gas is shown without prices, and not at all if a part of it is unknown', async (t) => {
  const { world, feesOf } = worldOf({ coin: null, out: null })
  t.match(await feesOf('ethereum'), { price: 30n * GWEI, dataFee: 0n })
  t.equal(await feesOf('solana'), null)
  t.equal(await feesOf('base'), null, 'its contract answers nothing')
  world.answer = `0x${word(77n)}`
  t.match(await feesOf('base'), { price: 30n * GWEI, dataFee: 77n })
  world.now += 10_001
  world.gasPrice = null
  t.equal(await feesOf('ethereum'), null)
})
