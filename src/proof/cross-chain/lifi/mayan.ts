/**
 * Reads Mayan's order, which is calldata inside the bridge's data. Both versions of
 * Swift are accepted; Mayan's other contracts carry no minimum.
 *
 * Source: lifinance/contracts src/Facets/MayanFacet.sol · docs.mayan.finance
 */
import { CalldataReader } from '../../evm/calldata.ts'
import { BPS, MAX_MAYAN_PROTOCOL_BPS, REFUND_FEE_BPS, WRAP_LOSS_BPS } from '../../terms/fees.ts'
import { refuseMaterial } from '../../terms/verification.ts'
import { assetAt, decimalsWanted, tokenAt, wrapperAt } from './assets.ts'
import { EVM_ZERO_ADDRESS, lowerHex, WORMHOLE_IDS, writtenAs } from './ids.ts'
import swift from './mayan-swift.json' with { type: 'json' }
import type { BridgeInput, BridgeTerms, FacetData, RefundFee } from './terms.ts'

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

type SwiftReader = CalldataReader<{ createOrderWithToken: TokenOrder; createOrderWithEth?: SwiftOrder }>

/** Swift's contracts with their functions. Each has the same address on every chain. */
const SWIFT: Readonly<Record<string, SwiftReader>> = Object.fromEntries(
  Object.entries(swift).map(([address, functions]) => [address, new CalldataReader(functions)]),
)

/** By address, in lower case. */
export const SWIFT_CONTRACTS: readonly string[] = Object.keys(SWIFT)

/** Selectors of the accepted functions. */
export const SWIFT_SELECTORS: readonly string[] = Object.values(SWIFT).flatMap(({ selectors }) => selectors)

/** Swift carries amounts with at most this many decimals. */
const MAX_DECIMALS = 8
/** The payload type of an order that only pays out. */
const PLAIN = 1n
/** The deadline, from now: an order that is not filled by then is refunded, and a wallet signs and a chain includes first. */
const LEAST_DEADLINE_MS = 3 * 60 * 1_000
const MAX_DEADLINE_MS = 24 * 60 * 60 * 1_000

/** @param seconds  Unix time: neither too early to be filled, nor too far away */
export function isFillable(seconds: bigint, now: number): boolean {
  const ms = seconds * 1_000n - BigInt(now)
  return ms >= LEAST_DEADLINE_MS && ms <= MAX_DEADLINE_MS
}

/**
 * @param fee   what a refund costs, in base units of `sent`
 * @throws GatewayError  material_refused, rule `fees`
 */
export function refundFeeOf(fee: bigint, sent: bigint): RefundFee {
  if (fee * BPS > sent * REFUND_FEE_BPS) throw refuseMaterial('fees')
  return { bps: sent === 0n ? 0 : Number((fee * BPS + sent - 1n) / sent), amount: String(fee) }
}

/** @returns the base units of a token in each unit that an order carries */
export const unitOf = (decimals: number): bigint => 10n ** BigInt(Math.max(0, decimals - MAX_DECIMALS))

export function mayanTerms(data: FacetData, input: BridgeInput): BridgeTerms {
  const order = readOrder(data, input)
  const { fromChain, toChain, from, to } = input.order
  if (lowerHex(order.trader) !== writtenAs('word', fromChain, from)) throw refuseMaterial('refund')
  const recipient = writtenAs('word', toChain, to)
  if (lowerHex(order.destAddr) !== recipient) throw refuseMaterial('recipient')
  const named = BigInt(lowerHex(data.nonEVMReceiver))
  if (named !== 0n && lowerHex(data.nonEVMReceiver) !== recipient) throw refuseMaterial('recipient')
  if (order.destChainId !== WORMHOLE_IDS.get(toChain.key)) throw refuseMaterial('destination_chain')
  if (!isFillable(order.deadline, input.now)) throw refuseMaterial('deadline')
  const refundFee = boundedFees(order, input, data)
  const received = isReceived(order.tokenOut, input.order)
  const decimals = decimalsWanted(input.order)
  if (decimals === null) return { minimum: null, received, refundFee }
  const unit = unitOf(decimals)
  // The older contract takes Mayan's fee from the payout, the newer from the driver that pays it.
  const keptBps = order.payloadType === undefined ? MAX_MAYAN_PROTOCOL_BPS : 0n
  return { minimum: order.minAmountOut * unit, slack: unit - 1n, received, refundFee, keptBps }
}

/**
 * Reads the order. Its amount and token must match the input, so nothing is left in a contract for others to
 * take.
 */
function readOrder(data: FacetData, input: BridgeInput): SwiftOrder {
  const { asset, amount, isSwapped } = input
  const reader = SWIFT[lowerHex(data.mayanProtocol)]
  const call = reader?.read(lowerHex(data.protocolData)) ?? null
  if (call === null) throw refuseMaterial('bridge_order')
  const isNative = asset === EVM_ZERO_ADDRESS
  const isWrapped = lowerHex(data.swapProtocol) !== EVM_ZERO_ADDRESS
  if (isWrapped) requireWrap(data, input)
  else if (data.swapData.length > 0) throw refuseMaterial('bridge_swap')
  // The contract returns what swaps leave above this to the wallet.
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
    // Without the wrap, the coin would be sent to a function that takes tokens.
    if (!isWrapped) throw refuseMaterial('sent_token')
    if (tokenIn !== EVM_ZERO_ADDRESS && tokenIn !== lowerHex(data.middleToken))
      throw refuseMaterial('sent_token')
    // The forwarder replaces this amount by the one that it received.
    return params
  }
  if (tokenIn !== asset) throw refuseMaterial('sent_token')
  // After swaps, the provider's contract replaces this amount.
  // To eight decimals.
  const rounded = amount - (amount % unitOf(input.order.tokenIn.decimals))
  if (!isSwapped && amountIn !== amount && amountIn !== rounded) throw refuseMaterial('amount')
  return params
}

/**
 * Any contract may wrap the coin on the way: the forwarder measures the result. LI.FI lets a wrap lose 23
 * bps, although none does; a contract that keeps the difference takes it from a refund, so it counts as a
 * cost of the refund.
 */
function requireWrap(
  { middleToken, minMiddleAmount }: FacetData,
  { order, asset, amount }: BridgeInput,
): void {
  const isWrapper = lowerHex(middleToken) === wrapperAt(order.fromChain.key)
  const least = (amount * (BPS - WRAP_LOSS_BPS)) / BPS
  if (asset !== EVM_ZERO_ADDRESS || !isWrapper || minMiddleAmount < least) throw refuseMaterial('bridge_swap')
}

/** A refund's fees, and a wrap's loss, reduce the refund; a gas drop and a referrer fee reduce the output. */
function boundedFees(
  { cancelFee, refundFee, gasDrop, referrerBps }: SwiftOrder,
  { order, asset, amount }: BridgeInput,
  { swapProtocol, minMiddleAmount }: FacetData,
): RefundFee {
  if (gasDrop !== 0n || referrerBps !== 0n) throw refuseMaterial('fees')
  const { fromChain, tokenIn } = order
  const own = asset === tokenAt(tokenIn) ? tokenIn.decimals : null
  const decimals = assetAt(fromChain.key, asset)?.decimals ?? own
  const fee = cancelFee + refundFee
  // The fees of another token are of no known size.
  if (decimals === null && fee > 0n) throw refuseMaterial('fees')
  const kept =
    lowerHex(swapProtocol) === EVM_ZERO_ADDRESS || minMiddleAmount > amount ? amount : minMiddleAmount
  return refundFeeOf(fee * unitOf(decimals ?? 0) + amount - kept, amount)
}

/**
 * @param field  the token that the order pays out; zero is the native coin, except on Sui, where each coin is
 *               named by the object that describes it
 * @returns whether it is the requested token; null if that object is not known
 */
export function isReceived(field: Uint8Array, order: BridgeInput['order']): boolean | null {
  const { toChain, tokenOut, metadataOut } = order
  const written = lowerHex(field)
  if (toChain.family === 'sui') return metadataOut === undefined ? null : written === metadataOut
  return tokenOut.isNative ? BigInt(written) === 0n : written === writtenAs('word', toChain, tokenOut.address)
}
