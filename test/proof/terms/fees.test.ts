import t from 'tap'
import { EVM_CHAINS } from '../../../src/chains/find.ts'
import { evmFeesOf } from '../../../src/proof/terms/fees.ts'

/** By chain: the messaging fee in coins, the price of gas in gwei, what gas may cost in coins, its limit in millions. */
const MOST: Readonly<Record<string, readonly [messaging: number, gwei: number, gas: number, limit: number]>> =
  {
    ethereum: [0.01, 500, 0.3, 10],
    bsc: [0.05, 50, 0.05, 10],
    base: [0.01, 50, 0.02, 10],
    arbitrum: [0.01, 50, 0.02, 50],
    optimism: [0.01, 50, 0.02, 10],
    polygon: [100, 5_000, 20, 10],
    avalanche: [1, 1_000, 1, 10],
    linea: [0.01, 50, 0.02, 10],
    mantle: [30, 1, 20, 20_000],
    sonic: [100, 5_000, 50, 10],
    unichain: [0.01, 50, 0.02, 10],
    berachain: [10, 100, 1, 10],
    hyperevm: [0.5, 500, 0.5, 10],
    monad: [500, 5_000, 50, 10],
    plasma: [100, 5_000, 50, 10],
    scroll: [0.01, 50, 0.02, 10],
    gnosis: [30, 500, 5, 10],
  }

const wei = (coins: number): bigint => BigInt(Math.round(coins * 1_000)) * 10n ** 15n

t.test('the cost of a transaction on top of its input, on each chain', async (t) => {
  t.same(Object.keys(MOST).sort(), EVM_CHAINS.map(({ key }) => key).sort())
  for (const [chain, [messaging, gwei, gas, limit]] of Object.entries(MOST)) {
    const most = {
      messaging: wei(messaging),
      gasPrice: BigInt(gwei) * 10n ** 9n,
      gas: wei(gas),
      gasLimit: BigInt(limit) * 1_000_000n,
    }
    t.same(evmFeesOf(chain), most, chain)
    t.ok(most.gas <= most.gasPrice * most.gasLimit, `${chain}: the bound of the product is reached`)
  }
  const nothing = { messaging: 0n, gasPrice: 0n, gas: 0n, gasLimit: 0n }
  t.same(evmFeesOf('nowhere'), nothing, 'a chain that is not listed may charge nothing')
})
