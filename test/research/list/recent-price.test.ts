import t from 'tap'
import { fairOut } from '../../../src/research/list/recent-price.ts'
import type { ListedToken, TokenSet } from '../../../src/research/list/token-set.ts'

const NOW = Date.UTC(2026, 10, 21)

/** A set of tokens with these prices, each as old as it says. */
function tokens(prices: Readonly<Record<string, readonly [price: number | null, ageMs: number]>>): TokenSet {
  const find = (chain: string, address: string): ListedToken | null => {
    const known = prices[`${chain} ${address}`]
    if (known === undefined) return null
    const [price, ageMs] = known
    const priceTs = price === null ? null : NOW - ageMs
    return {
      chain,
      address,
      symbol: null,
      name: null,
      decimals: null,
      price,
      priceTs,
      liq: null,
      vol24: null,
      checkedTs: null,
      isListed: true,
    }
  }
  return { ready: async () => {}, chains: () => [], tokens: () => [], find }
}

const order = (amountIn: bigint, decimalsIn: number, decimalsOut: number) => ({
  chain: { key: 'base' },
  tokenIn: { address: 'in', decimals: decimalsIn },
  tokenOut: { address: 'out', decimals: decimalsOut },
  amountIn,
})

t.test('an order should give what its input is worth, in base units', async (t) => {
  const cases: [
    priceIn: number,
    priceOut: number,
    amountIn: bigint,
    inDecimals: number,
    outDecimals: number,
    out: bigint,
  ][] = [
    [3_000, 1, 10n ** 18n, 18, 6, 3_000_000_000n],
    [1, 3_000, 3_000_000_000n, 6, 18, 10n ** 18n],
    [1, 0.000_000_02, 1_000_000n, 6, 5, 5_000_000_000_000n],
    [1e-20, 1, 10n ** 24n, 0, 6, 10_000_000_000n],
    [2, 3, 1n, 0, 0, 0n],
    [0, 1, 10n, 0, 0, 0n],
  ]
  for (const [priceIn, priceOut, amountIn, inDecimals, outDecimals, out] of cases) {
    const set = tokens({ 'base in': [priceIn, 0], 'base out': [priceOut, 300_000] })
    t.equal(fairOut(set, order(amountIn, inDecimals, outDecimals), NOW), out)
  }
})

t.test('where a price is unknown, old or nothing, it says nothing', async (t) => {
  const sets = [
    tokens({ 'base in': [1, 0] }),
    tokens({ 'base out': [1, 0] }),
    tokens({ 'base in': [1, 300_001], 'base out': [1, 0] }),
    tokens({ 'base in': [1, 0], 'base out': [1, 300_001] }),
    tokens({ 'base in': [1, 0], 'base out': [null, 0] }),
    tokens({ 'base in': [1, 0], 'base out': [0, 0] }),
    tokens({ 'base in': [1, 0], 'base out': [1e-60, 0] }),
    tokens({ 'bsc in': [1, 0], 'bsc out': [1, 0] }),
  ]
  for (const set of sets) t.equal(fairOut(set, order(1n, 6, 6), NOW), null)
})
