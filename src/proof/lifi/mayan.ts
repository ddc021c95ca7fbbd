/**
 * Mayan's order, which lies as calldata within the data of its bridge: that of
 * Swift, in both of its versions. Its other contracts carry no minimum.
 *
 * Source: lifinance/contracts src/Facets/MayanFacet.sol · docs.mayan.finance
 */
import { CalldataReader } from '../calldata.ts'
import { BPS, REFUND_FEE_BPS, WRAP_LOSS_BPS } from '../fees.ts'
import { refuseMaterial } from '../verification.ts'
import { assetAt, decimalsWanted, rescale, wrapperAt } from './assets.ts'
import { hexOf, WORMHOLE_IDS, writtenAs, ZERO_ADDRESS } from './ids.ts'
import type { Crossed, FacetData, Terms } from './terms.ts'

interface SwiftOrder {
  readonly trader: Uint8Array
  readonly destAddr: Uint8Array
  readonly destChainId: bigint
  readonly tokenOut: Uint8Array
  /** At most eight decimals. */
  readonly minAmountOut: bigint
  readonly gasDrop: bigint
  readonly cancelFee: bigint
  readonly refundFee: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  readonly referrerBps: bigint
  readonly payloadType?: bigint
}

interface TokenOrder {
  readonly tokenIn: string
  readonly amountIn: bigint
  readonly params: SwiftOrder
  readonly customPayload?: Uint8Array
}

/** The contracts of Swift, one address on every chain, and the functions of each. */
const SWIFT: Readonly<
  Record<string, CalldataReader<{ createOrderWithToken: TokenOrder; createOrderWithEth?: SwiftOrder }>>
> = {
  '0x40ffe85a28dc9993541449464d7529a922142960': new CalldataReader([
    'function createOrderWithToken(address tokenIn, uint256 amountIn, (uint8 payloadType, bytes32 trader, bytes32 destAddr, uint16 destChainId, bytes32 referrerAddr, bytes32 tokenOut, uint64 minAmountOut, uint64 gasDrop, uint64 cancelFee, uint64 refundFee, uint64 deadline, uint8 referrerBps, uint8 auctionMode, bytes32 random) params, bytes customPayload)',
  ]),
  '0xc38e4e6a15593f908255214653d3d947ca1c2338': new CalldataReader([
    'function createOrderWithToken(address tokenIn, uint256 amountIn, (bytes32 trader, bytes32 tokenOut, uint64 minAmountOut, uint64 gasDrop, uint64 cancelFee, uint64 refundFee, uint64 deadline, bytes32 destAddr, uint16 destChainId, bytes32 referrerAddr, uint8 referrerBps, uint8 auctionMode, bytes32 random) params)',
    'function createOrderWithEth((bytes32 trader, bytes32 tokenOut, uint64 minAmountOut, uint64 gasDrop, uint64 cancelFee, uint64 refundFee, uint64 deadline, bytes32 destAddr, uint16 destChainId, bytes32 referrerAddr, uint8 referrerBps, uint8 auctionMode, bytes32 random) params)',
  ]),
}

/** Selectors of the functions that are read. */
export const SWIFT_SELECTORS: readonly string[] = Object.values(SWIFT).flatMap(({ selectors }) => selectors)

/** Amounts are carried with so many decimals at most. */
export const MAX_DECIMALS = 8
/** Payload of an order that only pays out. */
const PLAIN = 1n
/** An order that is not filled by then is refunded. */
export const MAX_DEADLINE_MS = 24 * 60 * 60 * 1_000

export function mayanTerms(data: FacetData, crossed: Crossed): Terms {
  const order = readOrder(data, crossed)
  const { fromChain, toChain, from, to } = crossed.order
  if (hexOf(order.trader) !== writtenAs('word', fromChain, from)) throw refuseMaterial('refund')
  const recipient = writtenAs('word', toChain, to)
  if (hexOf(order.destAddr) !== recipient) throw refuseMaterial('recipient')
  const named = BigInt(hexOf(data.nonEVMReceiver))
  if (named !== 0n && hexOf(data.nonEVMReceiver) !== recipient) throw refuseMaterial('recipient')
  if (order.destChainId !== WORMHOLE_IDS.get(toChain.key)) throw refuseMaterial('destination_chain')
  if (order.deadline * 1_000n > BigInt(crossed.now + MAX_DEADLINE_MS)) throw refuseMaterial('deadline')
  requireBoundedFees(order, crossed)
  const received = isReceived(order.tokenOut, crossed.order)
  const decimals = decimalsWanted(crossed.order)
  if (decimals === null) return { minimum: null, received }
  const carried = Math.min(decimals, MAX_DECIMALS)
  const unit = 10n ** BigInt(decimals - carried)
  return { minimum: order.minAmountOut * unit, slack: unit - 1n, received }
}

/** Its amount and token are those that cross, so that nothing of them stays where others may take it. */
function readOrder(data: FacetData, crossed: Crossed): SwiftOrder {
  const { asset, amount, isSwapped } = crossed
  const reader = SWIFT[hexOf(data.mayanProtocol)]
  const call = reader?.read(hexOf(data.protocolData)) ?? null
  if (call === null) throw refuseMaterial('bridge_order')
  const isNative = asset === ZERO_ADDRESS
  const isWrapped = hexOf(data.swapProtocol) !== ZERO_ADDRESS
  if (isWrapped) requireWrap(data, crossed)
  else if (data.swapData.length > 0) throw refuseMaterial('bridge_swap')
  // What swaps leave above this goes back to the wallet.
  if (isSwapped ? data.mayanAmountIn < amount : data.mayanAmountIn !== 0n && data.mayanAmountIn !== amount) {
    throw refuseMaterial('amount')
  }
  if (call.name === 'createOrderWithEth') {
    if (!isNative || isWrapped) throw refuseMaterial('sent_token')
    return call.args as SwiftOrder
  }
  const { tokenIn, amountIn, params, customPayload } = call.args as TokenOrder
  if ((params.payloadType ?? PLAIN) !== PLAIN || (customPayload?.length ?? 0) > 0) {
    throw refuseMaterial('destination_call')
  }
  if (isNative) {
    // Without the wrap the coin would go to a function that takes tokens.
    if (!isWrapped) throw refuseMaterial('sent_token')
    if (tokenIn !== ZERO_ADDRESS && tokenIn !== hexOf(data.middleToken)) throw refuseMaterial('sent_token')
    // The forwarder writes the amount that it got over this one.
    return params
  }
  if (tokenIn !== asset) throw refuseMaterial('sent_token')
  // After swaps the provider's contract writes the amount over this one.
  if (!isSwapped && !isRounded(amountIn, crossed)) throw refuseMaterial('amount')
  return params
}

/** The coin may be wrapped on its way, whoever does it: the forwarder counts what comes out. */
function requireWrap({ middleToken, minMiddleAmount }: FacetData, { order, asset, amount }: Crossed): void {
  const isWrapper = hexOf(middleToken) === wrapperAt(order.fromChain.key)
  const least = (amount * (BPS - WRAP_LOSS_BPS)) / BPS
  if (asset !== ZERO_ADDRESS || !isWrapper || minMiddleAmount < least) throw refuseMaterial('bridge_swap')
}

/** The amount itself, or rounded down to eight decimals. */
function isRounded(amountIn: bigint, { order, amount }: Crossed): boolean {
  const { decimals } = order.tokenIn
  const rounded = rescale(rescale(amount, decimals, Math.min(decimals, MAX_DECIMALS)), MAX_DECIMALS, decimals)
  return amountIn === amount || (decimals > MAX_DECIMALS && amountIn === rounded)
}

/** Fees of a refund are taken from what is refunded; a gas drop and a referrer from what arrives. */
function requireBoundedFees({ cancelFee, refundFee, gasDrop, referrerBps }: SwiftOrder, crossed: Crossed) {
  if (gasDrop !== 0n || referrerBps !== 0n) throw refuseMaterial('fees')
  const sent = assetAt(crossed.order.fromChain.key, crossed.asset)
  const decimals = sent?.decimals ?? crossed.order.tokenIn.decimals
  const whole = rescale(crossed.amount, decimals, Math.min(decimals, MAX_DECIMALS))
  if ((cancelFee + refundFee) * BPS > whole * REFUND_FEE_BPS) throw refuseMaterial('fees')
}

/** Zero is the coin. What stands for a coin type of Sui is not public: the provider's word. */
export function isReceived(field: Uint8Array, { toChain, tokenOut }: Crossed['order']): boolean | null {
  if (toChain.family === 'sui') return null
  const written = hexOf(field)
  return tokenOut.isNative ? BigInt(written) === 0n : written === writtenAs('word', toChain, tokenOut.address)
}
