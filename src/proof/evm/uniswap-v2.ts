/**
 * Encodes and decodes the functions of IUniswapV2Router02 that are used.
 * Imported at its first use, so that the start loads no ABI coder.
 *
 * Swaps use the variants "supporting fee on transfer tokens". They compare the
 * minimum with the real gain of the recipient's balance, so it holds for tokens
 * that tax a transfer, too. Those for an exact output have no such variant: it is what leaves the pool. Coins
 * that they do not need come back with the same call.
 *
 * Source: Uniswap/v2-periphery contracts/interfaces/IUniswapV2Router02.sol
 */
import { createContract, parseAbi } from 'micro-eth-signer/abi.js'
import { CalldataReader, hexOf } from './calldata.ts'
import type { SwapKind } from './uniswap.ts'

/** The arguments of a swap. For an exact output they are the most that leaves, and what arrives. */
export interface V2Swap {
  /** Absent where the input is the transaction's value. */
  readonly amountIn?: bigint
  readonly amountOutMin: bigint
  readonly path: readonly string[]
  readonly to: string
  /** Unix seconds. */
  readonly deadline: bigint
}

const NAMES = {
  'native-in': 'swapExactETHForTokensSupportingFeeOnTransferTokens',
  'native-out': 'swapExactTokensForETHSupportingFeeOnTransferTokens',
  tokens: 'swapExactTokensForTokensSupportingFeeOnTransferTokens',
} as const satisfies Record<SwapKind, string>
const EXACT_OUT_NAMES = {
  'native-in': 'swapETHForExactTokens',
  'native-out': 'swapTokensForExactETH',
  tokens: 'swapTokensForExactTokens',
} as const satisfies Record<SwapKind, string>

const nameOf = (kind: SwapKind, isExactOut: boolean) => (isExactOut ? EXACT_OUT_NAMES : NAMES)[kind]

const REST = 'address[] path, address to, uint256 deadline'
const IN = `uint256 amountIn, uint256 amountOutMin, ${REST}`
// The arguments of all have the same names here, which a selector does not depend on.
const OUT = `uint256 amountOutMin, uint256 amountIn, ${REST}`
const SWAPS = new CalldataReader<Record<ReturnType<typeof nameOf>, V2Swap>>([
  `function ${NAMES['native-in']}(uint256 amountOutMin, ${REST})`,
  `function ${NAMES['native-out']}(${IN})`,
  `function ${NAMES.tokens}(${IN})`,
  `function ${EXACT_OUT_NAMES['native-in']}(uint256 amountOutMin, ${REST})`,
  `function ${EXACT_OUT_NAMES['native-out']}(${OUT})`,
  `function ${EXACT_OUT_NAMES.tokens}(${OUT})`,
])

const AMOUNTS = createContract(
  parseAbi([
    'function getAmountsOut(uint256 amount, address[] path) returns (uint256[] amounts)',
    'function getAmountsIn(uint256 amount, address[] path) returns (uint256[] amounts)',
  ]),
)

/** @returns calldata, 0x hex: for what an amount gives, or with an exact output for what that takes */
export function encodeAmounts(amount: bigint, path: readonly string[], isExactOut: boolean): string {
  return hexOf(AMOUNTS[isExactOut ? 'getAmountsIn' : 'getAmountsOut']!.encodeInput({ amount, path }))
}

/** @returns the amount at each token of the path; null if it isn't such an answer */
export function decodeAmounts(answer: Uint8Array): readonly bigint[] | null {
  try {
    return AMOUNTS.getAmountsOut!.decodeOutput(answer) as readonly bigint[]
  } catch {
    return null
  }
}

/** @returns calldata, 0x hex */
export const encodeV2Swap = (kind: SwapKind, call: V2Swap, isExactOut = false): string =>
  SWAPS.write(nameOf(kind, isExactOut), call)

/** @returns the arguments; null for calldata that is not a canonically encoded call of this function */
export function decodeV2Swap(kind: SwapKind, data: string, isExactOut: boolean): V2Swap | null {
  const call = SWAPS.read(data.toLowerCase())
  return call?.name === nameOf(kind, isExactOut) ? call.args : null
}
