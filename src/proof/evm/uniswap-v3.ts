/**
 * Encodes and decodes swaps at Uniswap's SwapRouter02. Imported at its first use, so that the start loads no ABI coder.
 *
 * A swap is `multicall(deadline, calls)`. Its first call is `exactInput`; where the native coin is sold, `refundETH`
 * follows, because pools that run dry take less than was sent; where it is bought, `unwrapWETH9` pays the recipient.
 *
 * Source: Uniswap/swap-router-contracts contracts/V3SwapRouter.sol, base/MulticallExtended.sol ·
 * Uniswap/v3-periphery contracts/base/PeripheryPayments.sol
 */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { CalldataReader } from './calldata.ts'
import { packV3Path, type SwapKind, type UniswapPath, unpackV3Path } from './uniswap.ts'

/** The arguments of a swap. */
export interface V3Swap extends UniswapPath {
  readonly amountIn: bigint
  readonly amountOutMin: bigint
  readonly to: string
  /** Unix seconds. */
  readonly deadline: bigint
}

interface ExactInput {
  readonly path: Uint8Array
  readonly recipient: string
  readonly amountIn: bigint
  readonly amountOutMinimum: bigint
}

const ROUTER = new CalldataReader<{ multicall: { deadline: bigint; data: readonly Uint8Array[] } }>([
  'function multicall(uint256 deadline, bytes[] data)',
])
export const V3_SELECTORS = ROUTER.selectors

const CALLS = new CalldataReader<{
  exactInput: ExactInput
  unwrapWETH9: { amountMinimum: bigint; recipient: string }
  refundETH: undefined
}>([
  'function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum) params)',
  'function unwrapWETH9(uint256 amountMinimum, address recipient)',
  'function refundETH()',
])

/** Stands for the router itself as a recipient. */
const ROUTER_ITSELF = `0x${'2'.padStart(40, '0')}`

/** @returns calldata, 0x hex */
export function encodeV3Swap(kind: SwapKind, swap: V3Swap): string {
  const { amountIn, amountOutMin, to, deadline } = swap
  const recipient = kind === 'native-out' ? ROUTER_ITSELF : to
  const calls = [
    CALLS.write('exactInput', {
      path: hexToBytes(packV3Path(swap)),
      recipient,
      amountIn,
      amountOutMinimum: amountOutMin,
    }),
  ]
  if (kind === 'native-in') calls.push(CALLS.write('refundETH', undefined))
  if (kind === 'native-out')
    calls.push(CALLS.write('unwrapWETH9', { amountMinimum: amountOutMin, recipient: to }))
  return ROUTER.write('multicall', { deadline, data: calls.map((call) => hexToBytes(call.slice(2))) })
}

/** @returns null for calldata that `encodeV3Swap` does not write for this kind */
export function decodeV3Swap(kind: SwapKind, data: string): V3Swap | null {
  const outer = ROUTER.read(data.toLowerCase())
  const [swap, paid] = outer?.args.data.map((call) => CALLS.read(`0x${bytesToHex(call)}`)) ?? []
  if (outer === null || swap?.name !== 'exactInput') return null
  const { amountIn, amountOutMinimum: amountOutMin, recipient } = swap.args
  const to = paid?.name === 'unwrapWETH9' ? paid.args.recipient : recipient
  const { deadline } = outer.args
  const call = { ...unpackV3Path(bytesToHex(swap.args.path)), amountIn, amountOutMin, to, deadline }
  return encodeV3Swap(kind, call) === data.toLowerCase() ? call : null
}
