/**
 * A chain's contracts of Uniswap V3, or of PancakeSwap V3, which copies them: each pool of the pair, and each two pools
 * over the wrapped native coin or one of the chain's stablecoins, by QuoterV2, which executes the swap and gives its gas.
 *
 * Source: Uniswap/v3-periphery contracts/lens/QuoterV2.sol · Uniswap/v3-core contracts/UniswapV3Factory.sol (fees),
 * contracts/libraries/TickMath.sol · pancakeswap/pancake-v3-contracts projects/v3-core/contracts/PancakeV3Factory.sol,
 * projects/router/contracts/V3SwapRouter.sol (compared with Uniswap's)
 */
import type { V3Provider } from '../../chains/definition.ts'
import { same } from '../../proof/evm/evm.ts'
import { uniswapV3Rules } from '../../proof/evm/rules.ts'
import { backwards, packV3Path } from '../../proof/evm/uniswap.ts'
import { encodeAddress, encodeSize, readSize, readUint, WORD_BYTES } from '../holdings/abi.ts'
import type { UniswapChain, UniswapVersion } from './uniswap.ts'

export interface V3Chain extends UniswapChain {
  readonly factory: string
  readonly quoter: string
  /** Tokens that most others trade with, beside the wrapped native coin. */
  readonly stablecoins: readonly string[]
}

/** `factory()`, `WETH9()` */
const [FACTORY, WETH9] = ['c45a0155', '4aa4a4fc']
/** `quoteExactInput(bytes path, uint256 amountIn)`, and `quoteExactOutput(bytes path, uint256 amountOut)` */
const [QUOTE_EXACT_INPUT, QUOTE_EXACT_OUTPUT] = ['cdca1753', '2f80bb1d']
/** Units of gas beside the pools': the transaction, its calldata and the transfers. Measured on an EVM. */
const ROUTER_UNITS = 40_000
/** More gas than any block has. */
const MAX_UNITS = 1_000_000_000n
/** The prices at which a pool has nothing left, as square roots times 2^96. */
const EMPTY = [4_295_128_740n, 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n]

const version = (label: V3Provider, middleFee: number): UniswapVersion<V3Chain> & { label: V3Provider } => ({
  label,
  maxAmount: 2n ** 255n - 1n,
  bytes: 580,

  paths({ wrappedNative, stablecoins }, first, last) {
    const fees = [100, 500, middleFee, 10_000]
    const between = [wrappedNative, ...stablecoins].filter((one) => !same(one, first) && !same(one, last))
    return [
      ...fees.map((fee) => ({ path: [first, last], fees: [fee] })),
      ...between.flatMap((one) =>
        fees.flatMap((a) => fees.map((b) => ({ path: [first, one, last], fees: [a, b] }))),
      ),
    ]
  },

  async questions({ quoter, router }, paths, { amount, isExactOut }) {
    const word = amount.toString(16).padStart(2 * WORD_BYTES, '0')
    const swaps = paths.map((path) => {
      const bytes = packV3Path(isExactOut ? backwards(path) : path)
      const padded = bytes.padEnd(2 * WORD_BYTES * Math.ceil(bytes.length / (2 * WORD_BYTES)), '0')
      const head = (isExactOut ? QUOTE_EXACT_OUTPUT : QUOTE_EXACT_INPUT) + encodeSize(2 * WORD_BYTES) + word
      return { target: quoter, data: head + encodeSize(bytes.length / 2) + padded }
    })
    return [...swaps, ...[FACTORY, WETH9].map((data) => ({ target: router, data }))]
  },

  isRouter: ({ factory, wrappedNative }, answers) =>
    [factory, wrappedNative].every((address, i) => answers[i]?.toString('hex') === encodeAddress(address)),

  /** `amountOut` or `amountIn`, then `price after each pool[], ticks crossed[], gas`. */
  async read(answer, { fees }) {
    const prices = readSize(answer, WORD_BYTES) ?? answer.length
    const after = fees.map((_, i) => readUint(answer, prices + WORD_BYTES * (1 + i)))
    const [other, units] = [readUint(answer, 0), readUint(answer, 3 * WORD_BYTES)]
    if (other === null || units === null || units > MAX_UNITS) return null
    if (readSize(answer, prices) !== fees.length || after.includes(null)) return null
    // A pool that is empty afterwards has not taken all of the input.
    if (after.some((price) => EMPTY.includes(price!))) return undefined
    return { other, units: ROUTER_UNITS + Number(units), details: { poolFees: fees } }
  },

  encode: async (...swap) => (await import('../../proof/evm/uniswap-v3.ts')).encodeV3Swap(...swap),
  rules: uniswapV3Rules,
})

export const V3_VERSIONS = [version('uniswap-v3', 3_000), version('pancakeswap-v3', 2_500)]
