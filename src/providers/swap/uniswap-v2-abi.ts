/**
 * The four functions of IUniswapV2Router02 that are used, to calldata and back.
 * Imported at its first use, so that the start loads no ABI coder.
 *
 * Of each swap the variant "supporting fee on transfer tokens" is called. It
 * measures the minimum by what the recipient's balance has really gained, so
 * that it holds for tokens that tax a transfer as well; for others it does the same.
 *
 * Source: Uniswap/v2-periphery contracts/interfaces/IUniswapV2Router02.sol
 */
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
    // The inputs a second time, in the place of the outputs: so the library reads calldata back.
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

/** Which function: by the side on which the native coin is, if any. */
export type SwapKind = 'native-in' | 'native-out' | 'tokens'

/** The arguments of a swap. */
export interface SwapCall {
  /** Zero where the transaction's value is the input. */
  readonly amountIn: bigint
  readonly amountOutMin: bigint
  readonly path: readonly string[]
  readonly to: string
  /** Unix seconds. */
  readonly deadline: bigint
}

interface SwapMethod {
  /** Properties that are no arguments of the function are not encoded. */
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

/** @returns the amount at each place of the path; null for what is not such an answer */
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

/** @returns the arguments; null for calldata that is not a call of this function in its one canonical encoding */
export function decodeSwap(kind: SwapKind, data: string): SwapCall | null {
  try {
    const decoded = SWAPS[kind].decodeOutput(bytes(data).subarray(SELECTOR_BYTES))
    const call = { ...decoded, amountIn: decoded.amountIn ?? 0n }
    return encodeSwap(kind, call) === data.toLowerCase() ? call : null
  } catch {
    return null
  }
}

const hex = (data: Uint8Array): string => `0x${Buffer.from(data).toString('hex')}`

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.slice(2), 'hex'))
