/**
 * A chain's Uniswap-V2-style router: the direct path, and the one through the wrapped native coin.
 *
 * Source: Uniswap/v2-periphery contracts/UniswapV2Router02.sol
 */
import { same } from '../../proof/evm/evm.ts'
import { uniswapV2Rules } from '../../proof/evm/rules.ts'
import type { UniswapChain, UniswapVersion } from './uniswap.ts'

/** Units of gas for the router, and for each pool: measured on an EVM with ordinary tokens. */
const ROUTER_UNITS = 60_000
const POOL_UNITS = 60_000

export const UNISWAP_V2: UniswapVersion<UniswapChain> = {
  label: 'uniswap-v2',
  // A pair counts its reserves in 112 bits.
  maxAmount: 2n ** 112n - 1n,
  bytes: 260,

  paths({ wrappedNative }, first, last) {
    const direct = { path: [first, last], fees: [] }
    const isEnd = same(first, wrappedNative) || same(last, wrappedNative)
    return isEnd ? [direct] : [direct, { path: [first, wrappedNative, last], fees: [] }]
  },

  async questions({ router }, paths, { amount, isExactOut }) {
    const { encodeAmounts } = await import('../../proof/evm/uniswap-v2.ts')
    const dataOf = (path: readonly string[]) => encodeAmounts(amount, path, isExactOut).slice(2)
    return paths.map(({ path }) => ({ target: router, data: dataOf(path) }))
  },

  async read(answer, { path }, { amount, isExactOut }) {
    const { decodeAmounts } = await import('../../proof/evm/uniswap-v2.ts')
    const amounts = decodeAmounts(answer)
    if (amounts === null || amounts.length !== path.length) return null
    const [own, other] = isExactOut ? [amounts.at(-1)!, amounts[0]!] : [amounts[0]!, amounts.at(-1)!]
    if (own !== amount) return null
    const units = ROUTER_UNITS + (path.length - 1) * POOL_UNITS
    return { other, units, details: { amounts: amounts.map(String) } }
  },

  encode: async (...swap) => (await import('../../proof/evm/uniswap-v2.ts')).encodeV2Swap(...swap),
  rules: uniswapV2Rules,
}
