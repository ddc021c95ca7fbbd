/**
 * A chain's Uniswap-V2-style router: the direct path, and the one through the wrapped native coin.
 *
 * Source: Uniswap/v2-periphery contracts/UniswapV2Router02.sol
 */
import { uniswapV2Rules } from '../../proof/evm/rules.ts'
import { same, type UniswapChain, type UniswapVersion } from './uniswap.ts'

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

  async questions({ router }, paths, amountIn) {
    const { encodeAmountsOut } = await import('../../proof/evm/uniswap-v2.ts')
    return paths.map(({ path }) => ({ target: router, data: encodeAmountsOut(amountIn, path).slice(2) }))
  },

  async read(answer, { path }, amountIn) {
    const { decodeAmountsOut } = await import('../../proof/evm/uniswap-v2.ts')
    const amounts = decodeAmountsOut(answer)
    if (amounts === null || amounts.length !== path.length || amounts[0] !== amountIn) return null
    const units = ROUTER_UNITS + (path.length - 1) * POOL_UNITS
    return { expectedOut: amounts.at(-1)!, units, details: { amounts: amounts.map(String) } }
  },

  encode: async (kind, swap) => (await import('../../proof/evm/uniswap-v2.ts')).encodeV2Swap(kind, swap),
  rules: uniswapV2Rules,
}
