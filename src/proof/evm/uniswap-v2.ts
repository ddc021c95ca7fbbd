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
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { createContract } from 'micro-eth-signer/abi.js'

const amountIn = { name: 'amountIn', type: 'uint256' } as const
const REST = [
  { name: 'amountOutMin', type: 'uint256' },
  { name: 'path', type: 'address[]' },
  { name: 'to', type: 'address' },
  { name: 'deadline', type: 'uint256' },
] as const
const fromNative = REST
const fromToken = [amountIn, ...REST] as const

const ROUTER = createContract([
  {
    type: 'function',
    name: 'getAmountsOut',
    inputs: [amountIn, { name: 'path', type: 'address[]' }],
    outputs: [{ name: 'amounts', type: 'uint256[]' }],
  },
  {
    type: 'function',
    name: 'swapExactETHForTokensSupportingFeeOnTransferTokens',
    inputs: fromNative,
    // The inputs again, as outputs: the library decodes outputs only, and so decodes calldata.
    outputs: fromNative,
  },
  {
    type: 'function',
    name: 'swapExactTokensForETHSupportingFeeOnTransferTokens',
    inputs: fromToken,
    outputs: fromToken,
  },
  {
    type: 'function',
    name: 'swapExactTokensForTokensSupportingFeeOnTransferTokens',
    inputs: fromToken,
    outputs: fromToken,
  },
] as const)

/** The swap function, by the side of the native coin, if any. */
export type SwapKind = 'native-in' | 'native-out' | 'tokens'

/** The arguments of a swap. */
export interface SwapCall {
  /** Zero if the input is the transaction's value. */
  readonly amountIn: bigint
  readonly amountOutMin: bigint
  readonly path: readonly string[]
  readonly to: string
  /** Unix seconds. */
  readonly deadline: bigint
}

interface SwapMethod {
  /** Ignores properties that are not arguments of the function. */
  encodeInput(call: Omit<SwapCall, 'path'> & { path: string[] }): Uint8Array
  decodeOutput(data: Uint8Array): Omit<SwapCall, 'amountIn'> & { readonly amountIn?: bigint }
}

const SWAPS: Readonly<Record<SwapKind, SwapMethod>> = {
  'native-in': ROUTER.swapExactETHForTokensSupportingFeeOnTransferTokens,
  'native-out': ROUTER.swapExactTokensForETHSupportingFeeOnTransferTokens,
  tokens: ROUTER.swapExactTokensForTokensSupportingFeeOnTransferTokens,
}

const SELECTOR_BYTES = 4

/** @returns calldata, 0x hex */
export function encodeAmountsOut(amountIn: bigint, path: readonly string[]): string {
  return hex(ROUTER.getAmountsOut.encodeInput({ amountIn, path: [...path] }))
}

/** @returns the amount at each token of the path; null if it isn't such an answer */
export function decodeAmountsOut(answer: string): readonly bigint[] | null {
  try {
    return ROUTER.getAmountsOut.decodeOutput(bytes(answer))
  } catch {
    return null
  }
}

/** @returns calldata, 0x hex */
export function encodeSwap(kind: SwapKind, { path, ...call }: SwapCall): string {
  return hex(SWAPS[kind].encodeInput({ ...call, path: [...path] }))
}

/** @returns the arguments; null for calldata that is not a canonically encoded call of this function */
export function decodeSwap(kind: SwapKind, data: string): SwapCall | null {
  try {
    const decoded = SWAPS[kind].decodeOutput(bytes(data).subarray(SELECTOR_BYTES))
    const call = { ...decoded, amountIn: decoded.amountIn ?? 0n }
    return encodeSwap(kind, call) === data.toLowerCase() ? call : null
  } catch {
    return null
  }
}

const hex = (data: Uint8Array): string => `0x${bytesToHex(data)}`

const bytes = (text: string): Uint8Array => hexToBytes(text.slice(2))
