/**
 * Reads the terms of a call to KyberSwap's router. The router pays `dstReceiver`
 * at least `minReturnAmount`, measured on its balance, or reverts; it takes at
 * most `amount` from the caller. The executor's steps in between cannot cost the
 * caller more.
 *
 * Import it lazily, so startup does not load the ABI coder.
 *
 * Source: KyberNetwork's MetaAggregationRouterV2, swap, swapGeneric, swapSimpleMode and its flags
 */

import { refuseMaterial } from '../terms/verification.ts'
import { CalldataReader } from './calldata.ts'
import type { SwapTerms } from './swap-terms.ts'

export interface KyberDescription {
  readonly srcToken: string
  readonly dstToken: string
  readonly srcReceivers: readonly string[]
  readonly srcAmounts: readonly bigint[]
  readonly feeReceivers: readonly string[]
  readonly feeAmounts: readonly bigint[]
  /** Zero means the caller. */
  readonly dstReceiver: string
  readonly amount: bigint
  readonly minReturnAmount: bigint
  readonly flags: bigint
  readonly permit: Uint8Array
}

export interface KyberExecution {
  readonly callTarget: string
  readonly approveTarget: string
  readonly targetData: Uint8Array
  readonly desc: KyberDescription
  readonly clientData: Uint8Array
}

const DESCRIPTION =
  '(address srcToken, address dstToken, address[] srcReceivers, uint256[] srcAmounts, address[] feeReceivers, ' +
  'uint256[] feeAmounts, address dstReceiver, uint256 amount, uint256 minReturnAmount, uint256 flags, bytes permit) desc'
const EXECUTION = `(address callTarget, address approveTarget, bytes targetData, ${DESCRIPTION}, bytes clientData) execution`

/** The three router functions that are accepted. */
export const KYBERSWAP = new CalldataReader<{
  swap: KyberExecution
  swapGeneric: KyberExecution
  swapSimpleMode: { caller: string; desc: KyberDescription; executorData: Uint8Array; clientData: Uint8Array }
}>([
  `function swap(${EXECUTION})`,
  `function swapGeneric(${EXECUTION})`,
  `function swapSimpleMode(address caller, ${DESCRIPTION}, bytes executorData, bytes clientData)`,
])

/**
 * Flags that take nothing from the wallet: routes that pay pools directly (0x04,
 * 0x20), an allowance that the router gives itself (0x100), and 0x200, which
 * real calldata sets. All others are refused: 0x01 allows a partial fill, which
 * makes the minimum a ratio; 0x02 accepts more of the native coin; 0x08 and 0x10
 * burn tokens of the wallet; 0x40 and 0x80 concern fees.
 */
const HARMLESS_FLAGS = 0x324n

/**
 * Executors for the simple mode, which the router does not check against its own list. Seen as `callTarget`
 * on Ethereum and Arbitrum.
 */
export const EXECUTORS: ReadonlySet<string> = new Set([
  '0x8f10b468b06c6fd214b65f87778827f7d113f996',
  '0x6e4141d33021b52c91c28608403db4a0ffb50ec6',
])

const ZERO = '0x0000000000000000000000000000000000000000'

/**
 * @param from  the address that will send the call
 * @throws GatewayError  material_refused: calldata, executor, flags, fees, permit
 */
export function readKyberswap(data: string, from: string): SwapTerms {
  const call = KYBERSWAP.read(data)
  if (call === null) throw refuseMaterial('calldata')
  if (call.name === 'swapSimpleMode' && !EXECUTORS.has(call.args.caller)) throw refuseMaterial('executor')
  const { desc } = call.args
  if ((desc.flags & ~HARMLESS_FLAGS) !== 0n) throw refuseMaterial('flags')
  if (desc.feeReceivers.length > 0 || desc.feeAmounts.length > 0) throw refuseMaterial('fees')
  if (desc.permit.length > 0) throw refuseMaterial('permit')
  const received = desc.srcAmounts.reduce((sum, amount) => sum + amount, 0n)
  if (desc.srcReceivers.length !== desc.srcAmounts.length || received > desc.amount)
    throw refuseMaterial('amount')
  return {
    tokenIn: desc.srcToken,
    tokenOut: desc.dstToken,
    amountIn: desc.amount,
    minOut: desc.minReturnAmount,
    recipient: desc.dstReceiver === ZERO ? from : desc.dstReceiver,
    deadline: null,
    checks: ['function', 'flags', 'fees', 'permit'],
  }
}
