/**
 * Encodes and decodes the four functions of IUniswapV2Router02 that are used.
 * Imported at its first use, so that the start loads no ABI coder.
 *
 * Swaps use the variants "supporting fee on transfer tokens". They compare the
 * minimum with the real gain of the recipient's balance, so it holds for tokens
 * that tax a transfer, too.
 *
 * Source: Uniswap/v2-periphery contracts/interfaces/IUniswapV2Router02.sol
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { createContract } from 'micro-eth-signer/abi.js'
import { CalldataReader } from './calldata.ts'
import type { SwapKind } from './uniswap.ts'

/** The arguments of a swap. */
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

const REST = 'uint256 amountOutMin, address[] path, address to, uint256 deadline'
const SWAPS = new CalldataReader<
  { [Name in (typeof NAMES)['native-in']]: Omit<V2Swap, 'amountIn'> } & {
    [Name in (typeof NAMES)['native-out' | 'tokens']]: V2Swap
  }
>([
  `function ${NAMES['native-in']}(${REST})`,
  `function ${NAMES['native-out']}(uint256 amountIn, ${REST})`,
  `function ${NAMES.tokens}(uint256 amountIn, ${REST})`,
])

const { getAmountsOut } = createContract([
  {
    type: 'function',
    name: 'getAmountsOut',
    inputs: [
      { name: 'amountIn', type: 'uint256' },
      { name: 'path', type: 'address[]' },
    ],
    outputs: [{ name: 'amounts', type: 'uint256[]' }],
  },
] as const)

/** @returns calldata, 0x hex */
export function encodeAmountsOut(amountIn: bigint, path: readonly string[]): string {
  return `0x${bytesToHex(getAmountsOut.encodeInput({ amountIn, path: [...path] }))}`
}

/** @returns the amount at each token of the path; null if it isn't such an answer */
export function decodeAmountsOut(answer: Uint8Array): readonly bigint[] | null {
  try {
    return getAmountsOut.decodeOutput(answer)
  } catch {
    return null
  }
}

/** @returns calldata, 0x hex */
export const encodeV2Swap = (kind: SwapKind, call: V2Swap): string => SWAPS.write(NAMES[kind], call)

/** @returns the arguments; null for calldata that is not a canonically encoded call of this function */
export function decodeV2Swap(kind: SwapKind, data: string): V2Swap | null {
  const call = SWAPS.read(data.toLowerCase())
  return call?.name === NAMES[kind] ? call.args : null
}
