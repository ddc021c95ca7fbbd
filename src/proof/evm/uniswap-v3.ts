/**
 * Encodes and decodes swaps at Uniswap's SwapRouter02. Imported at its first use, so that the start loads no ABI coder.
 *
 * A swap is `multicall(deadline, calls)`. Its first call is `exactInput`, or `exactOutput` with its path backwards. Where
 * the native coin is sold, `refundETH` follows: an exact output takes less than the most, and so do pools that run dry.
 * Where it is bought, `unwrapWETH9` pays the recipient.
 *
 * Source: Uniswap/swap-router-contracts contracts/V3SwapRouter.sol, base/MulticallExtended.sol ·
 * Uniswap/v3-periphery contracts/base/PeripheryPayments.sol
 */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { CalldataReader } from './calldata.ts'
import { backwards, packV3Path, type SwapKind, type UniswapPath, unpackV3Path } from './uniswap.ts'

/** The arguments of a swap. For an exact output they are the most that leaves, and what arrives. */
export interface V3Swap extends UniswapPath {
  readonly amountIn: bigint
  readonly amountOutMin: bigint
  readonly to: string
  /** Unix seconds. */
  readonly deadline: bigint
}

interface ExactSwap {
  readonly path: Uint8Array
  readonly recipient: string
  readonly amountIn: bigint
  readonly amountOut: bigint
}

const ROUTER = new CalldataReader<{ multicall: { deadline: bigint; data: readonly Uint8Array[] } }>([
  'function multicall(uint256 deadline, bytes[] data)',
])
export const V3_SELECTORS = ROUTER.selectors

const CALLS = new CalldataReader<{
  exactInput: ExactSwap
  exactOutput: ExactSwap
  unwrapWETH9: { amountMinimum: bigint; recipient: string }
  refundETH: undefined
}>([
  // The bounds have the same names in both here, which a selector does not depend on.
  'function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOut) params)',
  'function exactOutput((bytes path, address recipient, uint256 amountOut, uint256 amountIn) params)',
  'function unwrapWETH9(uint256 amountMinimum, address recipient)',
  'function refundETH()',
])

/** Stands for the router itself as a recipient. */
const ROUTER_ITSELF = `0x${'2'.padStart(40, '0')}`

/** @returns calldata, 0x hex */
export function encodeV3Swap(kind: SwapKind, swap: V3Swap, isExactOut = false): string {
  const { amountIn, amountOutMin, to, deadline } = swap
  const recipient = kind === 'native-out' ? ROUTER_ITSELF : to
  const path = hexToBytes(packV3Path(isExactOut ? backwards(swap) : swap))
  const args = { path, recipient, amountIn, amountOut: amountOutMin }
  const calls = [CALLS.write(isExactOut ? 'exactOutput' : 'exactInput', args)]
  if (kind === 'native-in') calls.push(CALLS.write('refundETH', undefined))
  if (kind === 'native-out')
    calls.push(CALLS.write('unwrapWETH9', { amountMinimum: amountOutMin, recipient: to }))
  return ROUTER.write('multicall', { deadline, data: calls.map((call) => hexToBytes(call.slice(2))) })
}

/** @returns null for calldata that `encodeV3Swap` does not write for this kind */
export function decodeV3Swap(kind: SwapKind, data: string, isExactOut: boolean): V3Swap | null {
  const outer = ROUTER.read(data.toLowerCase())
  const [swap, paid] = outer?.args.data.map((call) => CALLS.read(`0x${bytesToHex(call)}`)) ?? []
  if (outer === null || swap?.name !== (isExactOut ? 'exactOutput' : 'exactInput')) return null
  const { amountIn, amountOut: amountOutMin, recipient } = swap.args
  const read = unpackV3Path(bytesToHex(swap.args.path))
  const to = paid?.name === 'unwrapWETH9' ? paid.args.recipient : recipient
  const { deadline } = outer.args
  const call = { ...(isExactOut ? backwards(read) : read), amountIn, amountOutMin, to, deadline }
  return encodeV3Swap(kind, call, isExactOut) === data.toLowerCase() ? call : null
}
