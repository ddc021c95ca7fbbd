/**
 * Proves that a call of the cross-chain provider's contract on an EVM chain
 * matches the order, reading its calldata to the last byte.
 *
 *   swapTokens...            (…, receiver, minimum, swaps)          same chain
 *   start...Via<bridge>      (BridgeData, bridge's data)            sends the input across
 *   swapAndStart...Via<b.>   (BridgeData, swaps, bridge's data)     sends the swaps' output across
 *
 * The contract enforces what is proved here: it takes the input and no more,
 * reverts if the swaps leave less than BridgeData's amount, and hands all of it
 * to the bridge that the function names.
 *
 * Source: §4.7 · lifinance/contracts src/Facets, src/Helpers
 */

import { canonicalAddress, nativeAddress } from '../../../chains/address.ts'
import type { Fee } from '../../../runtime/resources/quote.ts'
import { readerOf } from '../../evm/calldata.ts'
import { selectorOf } from '../../evm/selector.ts'
import { BPS, LIFI_FEE_BPS } from '../../terms/fees.ts'
import type { CrossChainOrder } from '../../terms/order.ts'
import { refuseMaterial } from '../../terms/verification.ts'
import { assetAt, lifiAsset, rescale, tokenAt } from './assets.ts'
import { type AccountField, FACETS, signaturesOf } from './facets.ts'
import { EVM_ZERO_ADDRESS, lowerHex, NON_EVM_ADDRESS, writtenAs } from './ids.ts'
import { proveSwaps, SWAP_DATA, type SwapData, type TakenFee } from './swaps.ts'
import { type BridgeTerms, bindingOf, type FacetData, minimumFacts } from './terms.ts'

/** A call of the provider's contract. The caller has already proved the contract's address. */
export interface LifiCall {
  readonly diamond: string
  /** Lower-case hex. */
  readonly data: string
  /** Wei. */
  readonly value: bigint
}

interface LifiClaim {
  readonly order: CrossChainOrder
  /** The minimum that the provider promises, in base units of the output. */
  readonly minimum: bigint
  /** Wall clock, ms. */
  readonly now: number
  /**
   * Fees that the quote states as part of what it gives, by token in the contract's notation; null if there
   * is no quote to check them against: then only their own bound applies.
   */
  readonly statedFees: ReadonlyMap<string, bigint> | null
  /** Bound on the fee, in bps of the input; LIFI_FEE_BPS if absent. */
  readonly maxFeeBps?: bigint
}

export interface LifiProof {
  readonly checks: readonly string[]
  /** Names of facts that the provider only states; empty if everything was proved. */
  readonly stated: readonly string[]
  readonly facts: Readonly<Record<string, unknown>>
  /** The least that reaches the wallet on this chain, in base units; null if nothing does. */
  readonly arrives: bigint | null
  /** Swap steps whose calls were not read. Their required output is still proved. */
  readonly unreadCalls: number
}

interface BridgeData {
  readonly sendingAssetId: string
  readonly receiver: string
  readonly minAmount: bigint
  readonly destinationChainId: bigint
  readonly hasSourceSwaps: boolean
  readonly hasDestinationCall: boolean
}

const GENERIC =
  'bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut'
const single = (name: string): string => `function ${name}(${GENERIC}, ${SWAP_DATA} swapData)`
const multiple = (name: string): string => `function ${name}(${GENERIC}, ${SWAP_DATA}[] swapData)`

/** Functions for swaps within a chain, and whether each side is the native coin; null allows both. */
export const SWAP_FUNCTIONS = [
  row(single('swapTokensSingleV3ERC20ToERC20'), false, false),
  row(single('swapTokensSingleV3ERC20ToNative'), false, true),
  row(single('swapTokensSingleV3NativeToERC20'), true, false),
  row(multiple('swapTokensMultipleV3ERC20ToERC20'), false, false),
  row(multiple('swapTokensMultipleV3ERC20ToNative'), false, true),
  row(multiple('swapTokensMultipleV3NativeToERC20'), true, false),
  // A function of an older version that some chains still run.
  row(multiple('swapTokensGeneric'), null, null),
]

function row(signature: string, nativeIn: boolean | null, nativeOut: boolean | null) {
  return { selector: selectorOf(signature)!, signature, nativeIn, nativeOut }
}

/** A selector and further data, in lower-case hex. */
const CALLDATA = /^0x[0-9a-f]{8,}$/

/**
 * @throws GatewayError  material_refused: calldata, selector, recipient, destination_chain, sent_token,
 *                       received_token, amount, minimum, source_swaps, swap_target, destination_call,
 *                       refund, fees, value, deadline, bridge_order, bridge_swap
 */
export function proveLifiCall(call: LifiCall, claim: LifiClaim): LifiProof {
  if (!CALLDATA.test(call.data)) throw refuseMaterial('calldata')
  const selector = call.data.slice(0, 10)
  const { fromChain, toChain } = claim.order
  if (fromChain.key === toChain.key) return proveSameChain(call, claim, selector)
  return proveBridge(call, claim)
}

/** @throws GatewayError  material_refused: calldata */
export function read(data: string, signature: string): FacetData {
  const decoded = readerOf(signature).read(data)
  if (decoded === null) throw refuseMaterial('calldata')
  return decoded.args
}

function proveSameChain(call: LifiCall, claim: LifiClaim, selector: string): LifiProof {
  const known = SWAP_FUNCTIONS.find((row) => row.selector === selector)
  if (known === undefined) throw refuseMaterial('selector')
  const { order, minimum } = claim
  const args = read(call.data, known.signature)
  if (args.receiver !== order.to.toLowerCase()) throw refuseMaterial('recipient')
  if ((known.nativeIn ?? order.tokenIn.isNative) !== order.tokenIn.isNative)
    throw refuseMaterial('sent_token')
  if ((known.nativeOut ?? order.tokenOut.isNative) !== order.tokenOut.isNative) {
    throw refuseMaterial('received_token')
  }
  // Some of these functions forward all of the value.
  if (call.value !== (order.tokenIn.isNative ? order.amountIn : 0n)) throw refuseMaterial('value')
  const swaps: readonly SwapData[] = [args.swapData].flat()
  if (swaps.at(-1)?.receivingAssetId !== tokenAt(order.tokenOut)) throw refuseMaterial('received_token')
  const { fees, unread } = proveSwaps(
    swaps,
    swapsClaim(call, claim, tokenAt(order.tokenOut), args.minAmountOut),
  )
  if (args.minAmountOut < minimum) throw refuseMaterial('minimum')
  return {
    checks: [...COMMON, 'received_token', 'minimum', 'source_swaps', 'fees'],
    stated: [],
    facts: {
      function: nameOf(known.signature),
      minimum: String(args.minAmountOut),
      fees: fees.map((fee) => feeOf(fee, order)),
      ...unreadCalls(unread),
    },
    arrives: order.to === order.from ? args.minAmountOut : null,
    unreadCalls: unread,
  }
}

function proveBridge(call: LifiCall, claim: LifiClaim): LifiProof {
  const { order, minimum, now } = claim
  const opened = readBridge(call.data)
  const { facet, isSwapped, signature, bridgeData, swapData, facetData } = opened
  requireDestination(opened, order)
  if (bridgeData.hasSourceSwaps !== isSwapped) throw refuseMaterial('source_swaps')
  if (bridgeData.hasDestinationCall) throw refuseMaterial('destination_call')
  for (const at of facet.empty)
    if (fieldAt(facetData, at).length > 0) throw refuseMaterial('destination_call')
  for (const { at, form } of facet.refunds) {
    const wallet = writtenAs(form, order.fromChain, order.from)
    if (lowerHex(fieldAt(facetData, at)) !== wallet) throw refuseMaterial('refund')
  }
  requireNativeFees(call, opened, order)
  const asset = bridgeData.sendingAssetId
  const swaps = isSwapped ? proveSwaps(swapData, swapsClaim(call, claim, asset, bridgeData.minAmount)) : null
  if (swaps === null && asset !== tokenAt(order.tokenIn)) throw refuseMaterial('sent_token')
  if (swaps === null && bridgeData.minAmount !== order.amountIn) throw refuseMaterial('amount')
  const input = { order, asset, amount: bridgeData.minAmount, isSwapped, now }
  const terms = facet.terms?.(facetData, input) ?? null
  const binding = bindingOf(terms, minimum)
  const isKept = isInputKept(bridgeData, claim, terms)
  return {
    checks: [
      ...COMMON,
      'destination_chain',
      'destination_call',
      ...(facet.refunds.length > 0 ? ['refund'] : []),
      ...(swaps === null ? [] : ['source_swaps']),
      'fees',
      ...binding.checks,
    ].filter((check) => check !== 'recipient' || facet.terms !== null),
    stated: [
      ...(facet.terms === null ? ['recipient'] : []),
      ...binding.stated,
      ...(isKept ? [] : ['source_minimum']),
    ],
    facts: {
      function: nameOf(signature),
      bridge: facet.name,
      crosses: String(bridgeData.minAmount),
      ...minimumFacts(terms),
      fees: (swaps?.fees ?? []).map((fee) => feeOf(fee, order)),
      ...unreadCalls(swaps?.unread ?? 0),
    },
    arrives: null,
    unreadCalls: swaps?.unread ?? 0,
  }
}

const COMMON = ['calldata', 'selector', 'recipient', 'sent_token', 'amount'] as const

/**
 * A call that a bridge begins with, and its arguments by role.
 * @throws GatewayError  material_refused: selector, calldata
 */
export function readBridge(data: string) {
  const selector = data.slice(0, 10)
  const facet = FACETS.find(({ start, swap }) => start === selector || swap === selector)
  if (facet === undefined) throw refuseMaterial('selector')
  const isSwapped = selector === facet.swap
  const signature = signaturesOf(facet)[isSwapped ? 'swap' : 'start']
  const args = read(data, signature)
  // A function with a single argument is decoded to the bare value.
  const isBare = !isSwapped && facet.data === null
  const bridgeData: BridgeData = isBare ? args : args.bridgeData
  const swapData: readonly SwapData[] = isSwapped ? args.swapData : []
  const facetData: FacetData = facet.data === null ? {} : args.facetData
  return { facet, isSwapped, signature, bridgeData, swapData, facetData }
}

type BridgeCall = ReturnType<typeof readBridge>

function requireDestination({ bridgeData, facetData, facet }: BridgeCall, { toChain, to }: CrossChainOrder) {
  const { receiver, destinationChainId } = bridgeData
  const { receiver: place } = facet
  if (destinationChainId !== BigInt(toChain.xprovChainId)) throw refuseMaterial('destination_chain')
  const isEvm = toChain.family === 'evm'
  if (receiver !== (isEvm ? to.toLowerCase() : NON_EVM_ADDRESS)) throw refuseMaterial('recipient')
  if (place === 'bridge_data' && !isEvm) throw refuseMaterial('recipient')
  if (typeof place === 'string') return
  if (lowerHex(fieldAt(facetData, place.at)) !== writtenAs(place.form, toChain, to))
    throw refuseMaterial('recipient')
}

/** The native fees in the bridge's data must not exceed what the value holds beyond the input. */
function requireNativeFees({ value }: LifiCall, { facetData, facet }: BridgeCall, order: CrossChainOrder) {
  const nativeFee = value - (order.tokenIn.isNative ? order.amountIn : 0n)
  if (nativeFee < 0n) throw refuseMaterial('value')
  for (const at of facet.nativeFees) if (fieldAt(facetData, at) > nativeFee) throw refuseMaterial('fees')
}

/**
 * No solver fills an order that pays out more than it brings in, and swaps before the bridge might leave less
 * than its minimum is worth. So the amount sent across must be the input minus fees, or at least the minimum
 * that arrives in the same asset.
 *
 * @returns false for another token, whose value no calldata shows
 */
function isInputKept(
  { sendingAssetId, minAmount }: BridgeData,
  claim: LifiClaim,
  terms: BridgeTerms | null,
): boolean {
  const { order, maxFeeBps = LIFI_FEE_BPS } = claim
  if (minAmount === 0n) throw refuseMaterial('amount')
  const { fromChain, tokenIn, amountIn } = order
  const given = assetAt(fromChain.key, tokenAt(tokenIn))
  const crossChain = assetAt(fromChain.key, sendingAssetId)
  const isSame = sendingAssetId === tokenAt(tokenIn) || (given !== null && given.kind === crossChain?.kind)
  if (isSame && minAmount * BPS < amountIn * (BPS - maxFeeBps)) throw refuseMaterial('amount')
  const wanted = lifiAsset(order.toChain.key, order.tokenOut)
  const least = terms?.minimum ?? null
  const isAlike = crossChain !== null && wanted !== null && crossChain.kind === wanted.kind
  if (isAlike && least !== null && rescale(minAmount, crossChain.decimals, wanted.decimals) < least)
    throw refuseMaterial('amount')
  return isSame || terms?.bindsAmount === true || (isAlike && least !== null)
}

/** A fee as the verification shows it: addresses in the chain's spelling. */
function feeOf({ share, amount, token, recipient, isOwn }: TakenFee, { fromChain }: CrossChainOrder): Fee {
  const spelled = (address: string) => canonicalAddress(fromChain.key, address)
  return {
    bps: Number(share) / 100,
    amount: amount.toString(),
    token: token === EVM_ZERO_ADDRESS ? nativeAddress(fromChain) : spelled(token),
    recipient: spelled(recipient),
    whose: isOwn ? 'lifi' : null,
  }
}

function swapsClaim({ diamond }: LifiCall, claim: LifiClaim, tokenOut: string, leastOut: bigint) {
  const { order, statedFees, maxFeeBps = LIFI_FEE_BPS } = claim
  return {
    chainKey: order.fromChain.key,
    named: order.feeContracts ?? null,
    tokenIn: tokenAt(order.tokenIn),
    tokenOut,
    amountIn: order.amountIn,
    leastOut,
    maxFeeBps,
    statedFees,
    forbidden: [order.from, order.to, diamond].map((address) => address.toLowerCase()),
  }
}

/** Unread calls are only counted: the output that they must leave is proved even so. */
const unreadCalls = (unread: number) => (unread === 0 ? {} : { unreadCalls: unread })

export const fieldAt = (data: FacetData, at: AccountField['at']): FacetData =>
  at.split('.').reduce((value, name) => value[name], data)

const nameOf = (signature: string): string => /function (\w+)/.exec(signature)![1]!
