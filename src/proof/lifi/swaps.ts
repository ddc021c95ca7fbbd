/**
 * Checks the swaps that the provider's contract makes on the source chain, before
 * a bridge or as the whole trade. Each call is some exchange's own calldata, so
 * its recipients cannot be read in general. The contract bounds all of them: it
 * measures the final output, takes from the wallet only what `requiresDeposit`
 * allows, and calls only functions on its own list.
 *
 * A step that sells a token for itself collects fees. These steps are read.
 *
 * Source: lifinance/contracts src/Helpers/SwapperV2.sol, src/Periphery/FeeCollector.sol,
 * src/Periphery/FeeForwarder.sol
 */
import { CalldataReader } from '../calldata.ts'
import { BPS } from '../fees.ts'
import { refuseMaterial } from '../verification.ts'
import { assetAt, wrapperAt } from './assets.ts'
import { hexOf, ZERO_ADDRESS } from './ids.ts'

export const SWAP_DATA =
  '(address callTo, address approveTo, address sendingAssetId, address receivingAssetId, uint256 fromAmount, bytes callData, bool requiresDeposit)'

export interface SwapData {
  readonly callTo: string
  readonly approveTo: string
  readonly sendingAssetId: string
  readonly receivingAssetId: string
  readonly fromAmount: bigint
  readonly callData: Uint8Array
  readonly requiresDeposit: boolean
}

interface SwapsClaim {
  readonly chainKey: string
  /** Tokens in the provider contract's notation. */
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  readonly maxFeeBps: bigint
  /** Addresses that no step may call, in lower case: the wallet, the recipient and the contract itself. */
  readonly forbidden: readonly string[]
}

interface SwapsProof {
  /** Fees taken from the input, in its base units. */
  readonly fees: bigint
  /** Steps whose calls were not read. */
  readonly unread: number
}

const MAX_STEPS = 8

interface FeeShare {
  readonly recipient: string
  readonly amount: bigint
}

const COLLECTORS = new CalldataReader<{
  collectTokenFees: {
    tokenAddress: string
    integratorFee: bigint
    lifiFee: bigint
    integratorAddress: string
  }
  collectNativeFees: { integratorFee: bigint; lifiFee: bigint; integratorAddress: string }
  forwardERC20Fees: { token: string; distributions: readonly FeeShare[] }
  forwardNativeFees: readonly FeeShare[]
}>([
  'function collectTokenFees(address tokenAddress, uint256 integratorFee, uint256 lifiFee, address integratorAddress)',
  'function collectNativeFees(uint256 integratorFee, uint256 lifiFee, address integratorAddress)',
  'function forwardERC20Fees(address token, (address recipient, uint256 amount)[] distributions)',
  'function forwardNativeFees((address recipient, uint256 amount)[] distributions)',
])

/** @throws GatewayError  material_refused: source_swaps, sent_token, amount, swap_target, fees */
export function proveSwaps(swaps: readonly SwapData[], claim: SwapsClaim): SwapsProof {
  const first = swaps[0]
  if (first === undefined || swaps.length > MAX_STEPS) throw refuseMaterial('source_swaps')
  if (first.sendingAssetId !== claim.tokenIn) throw refuseMaterial('sent_token')
  if (swaps.at(-1)!.receivingAssetId !== claim.tokenOut) throw refuseMaterial('source_swaps')
  requireDeposits(swaps, claim)
  const held = new Set([claim.tokenIn])
  let fees = 0n
  let feeBps = 0n
  let unread = 0
  for (const swap of swaps) {
    if (swap.fromAmount === 0n || !held.has(swap.sendingAssetId)) throw refuseMaterial('source_swaps')
    requireTarget(swap, claim)
    held.add(swap.receivingAssetId)
    if (swap.sendingAssetId === swap.receivingAssetId) {
      const fee = feeOf(swap)
      feeBps += (fee * BPS + swap.fromAmount - 1n) / swap.fromAmount
      if (swap.sendingAssetId === claim.tokenIn) fees += fee
    } else {
      unread++
    }
  }
  if (feeBps > claim.maxFeeBps) throw refuseMaterial('fees')
  return { fees, unread }
}

/** The steps must take exactly the input from the wallet, and no other token that it has approved. */
function requireDeposits(swaps: readonly SwapData[], { tokenIn, amountIn }: SwapsClaim): void {
  let deposited = 0n
  for (const { requiresDeposit, sendingAssetId, fromAmount } of swaps) {
    if (!requiresDeposit) continue
    if (sendingAssetId !== tokenIn) throw refuseMaterial('sent_token')
    deposited += fromAmount
  }
  if (deposited !== amountIn) throw refuseMaterial('amount')
}

/** A step may not call a token, except the native coin's wrapper. */
function requireTarget({ callTo, approveTo, callData }: SwapData, claim: SwapsClaim): void {
  const wrapper = wrapperAt(claim.chainKey)
  for (const target of [callTo, approveTo]) {
    const isToken = target !== wrapper && assetAt(claim.chainKey, target) !== null
    if (target === ZERO_ADDRESS || isToken || claim.forbidden.includes(target)) {
      throw refuseMaterial('swap_target')
    }
    if (target !== wrapper && (target === claim.tokenIn || target === claim.tokenOut)) {
      throw refuseMaterial('swap_target')
    }
  }
  if (callData.length < 4) throw refuseMaterial('source_swaps')
}

function feeOf({ sendingAssetId, callTo, approveTo, callData, fromAmount }: SwapData): bigint {
  const call = COLLECTORS.read(hexOf(callData))
  if (call === null || callTo !== approveTo) throw refuseMaterial('fees')
  const isNative = sendingAssetId === ZERO_ADDRESS
  let token = ZERO_ADDRESS
  let fee = 0n
  switch (call.name) {
    case 'collectTokenFees':
      token = call.args.tokenAddress
      fee = call.args.integratorFee + call.args.lifiFee
      break
    case 'collectNativeFees':
      fee = call.args.integratorFee + call.args.lifiFee
      break
    case 'forwardERC20Fees':
      token = call.args.token
      fee = sum(call.args.distributions)
      break
    case 'forwardNativeFees':
      fee = sum(call.args)
      break
  }
  if (token !== sendingAssetId || (token === ZERO_ADDRESS) !== isNative || fee > fromAmount) {
    throw refuseMaterial('fees')
  }
  return fee
}

const sum = (fees: readonly FeeShare[]): bigint => fees.reduce((total, { amount }) => total + amount, 0n)
