/**
 * The bridges of the provider's contract, a row of facet-rows.json each: the functions
 * that start them, and the terms of a cross-chain swap that their data binds. A function
 * without a row is refused; so is Across's older one, whose refund goes to the provider's contract and not to the wallet.
 *
 *   receiver   the field with the recipient, besides BridgeData; `stated` if the destination side is bound off
 *              chain, by the provider's order, quote or signature
 *   refunds    fields with the address that gets refunds or may cancel: must be the wallet
 *   empty      calls and payloads that must be empty
 *   nativeFees the bridge's fees in the native coin, besides the input
 *   terms      the minimum that arrives, and whether it is the requested token;
 *              null means that the calldata does not bind it: the provider only states it
 *
 * bridges.ts names the bridges whose calldata binds recipient and minimum.
 *
 * Source: lifinance/contracts src/Facets, 2026-08-21
 */

import { associatedAccount } from '../../../chains/solana/associated.ts'
import { TOKEN_PROGRAM } from '../../../chains/solana/programs.ts'
import { selectorOf } from '../../evm/selector.ts'
import type { CrossChainOrder } from '../../terms/order.ts'
import { refuseMaterial } from '../../terms/verification.ts'
import { type Asset, assetAt, lifiAsset, rescale, wrapperAt } from './assets.ts'
import rows from './facet-rows.json' with { type: 'json' }
import { type AccountEncoding, EVM_ZERO_ADDRESS, LAYERZERO_IDS, lowerHex, writtenAs } from './ids.ts'
import { isFillable, mayanTerms } from './mayan.ts'
import { SWAP_DATA } from './swaps.ts'
import type { BridgeInput, BridgeTerms, FacetData } from './terms.ts'

/** A field of the bridge's data that holds an account. */
export interface AccountField {
  /** The path, such as `sendParams.to`. */
  readonly at: string
  readonly form: AccountEncoding
}

export interface Facet {
  /** As it appears in the names of its functions. */
  readonly name: string
  /** The selectors of its two functions: of what is sent as it is, and of what is swapped first. */
  readonly start: string
  readonly swap: string
  /** The fields of its data in Solidity notation; null if it has none. */
  readonly data: string | null
  /**
   * `bridge_data`: only in BridgeData, which holds EVM addresses; `terms`: the
   * terms check it; `stated`: the provider states it
   */
  readonly receiver: AccountField | 'bridge_data' | 'terms' | 'stated'
  readonly refunds: readonly AccountField[]
  readonly empty: readonly string[]
  readonly nativeFees: readonly string[]
  readonly terms: ((data: FacetData, input: BridgeInput) => BridgeTerms) | null
}

/** @param text  with its form, such as `word sendParams.to` */
function fieldOf(text: string): AccountField {
  const [form, at] = text.split(' ') as [AccountEncoding, string]
  return { at, form }
}

const BRIDGE_DATA =
  '(bytes32 transactionId, string bridge, string integrator, address referrer, address sendingAssetId, address receiver, uint256 minAmount, uint256 destinationChainId, bool hasSourceSwaps, bool hasDestinationCall) bridgeData'

/** The signatures of a bridge's two functions, in Solidity notation. */
export function signaturesOf({ name, data }: Pick<Facet, 'name' | 'data'>) {
  const facetData = data === null ? '' : `, (${data}) facetData`
  return {
    start: `function startBridgeTokensVia${name}(${BRIDGE_DATA}${facetData})`,
    swap: `function swapAndStartBridgeTokensVia${name}(${BRIDGE_DATA}, ${SWAP_DATA}[] swapData${facetData})`,
  }
}

/** The minimum that arrives, and whether it is the requested token, as far as a bridge's data binds them. */
const TERMS: Readonly<Record<string, NonNullable<Facet['terms']>>> = {
  AcrossV4: acrossTerms,
  Stargate: stargateTerms,
  DeBridgeDln: ({ receivingAssetId, orderAuthorityDst, minAmountOut }, { order }) => {
    const { toChain, from, to } = order
    // The account that may cancel the order decides where its input returns to.
    const wallets = [to, ...(toChain.family === 'evm' ? [from] : [])].map((owner) =>
      writtenAs('bytes', toChain, owner),
    )
    if (!wallets.includes(lowerHex(orderAuthorityDst))) throw refuseMaterial('refund')
    return { minimum: minAmountOut, received: isToken(receivingAssetId, 'bytes', order), isOrder: true }
  },
  Mayan: mayanTerms,
  PolymerCCTP: polymerTerms,
  // The proxy takes its own fee, which the calldata does not bound.
  CelerCircleBridge: ({ maxFee }, input) => {
    if (maxFee >= input.amount) throw refuseMaterial('fees')
    return { ...sameAsset(input, input.amount), minimum: null }
  },
  AllBridge: ({ fees, receiveToken, payFeeWithSendingAsset }, { amount, order }) => {
    if (payFeeWithSendingAsset && fees * 10n > amount) throw refuseMaterial('fees')
    return { minimum: null, received: isToken(receiveToken, 'word', order) }
  },
  // Zero lets the bridge choose the token.
  Glacis: ({ outputToken }, { order }) => ({
    minimum: null,
    received: BigInt(lowerHex(outputToken)) === 0n ? null : isToken(outputToken, 'word', order),
  }),
  // A list of chains with sixteen bits each: it must contain exactly one.
  GasZip: ({ destinationChains }, { order }) => {
    if (destinationChains === 0n || destinationChains >= 1n << 16n) {
      throw refuseMaterial('destination_chain')
    }
    return { minimum: null, received: order.tokenOut.isNative ? null : false }
  },
  ArbitrumBridge: (_, input) => canonical(input, 'ethereum', 'arbitrum'),
  OptimismBridge: ({ assetIdOnL2, isSynthetix }, input) => {
    if (isSynthetix) throw refuseMaterial('received_token')
    const terms = canonical(input, 'ethereum', 'optimism')
    if (input.asset === EVM_ZERO_ADDRESS) return terms
    // For a token, the bridge accepts any counterpart that the data names.
    return isToken(assetIdOnL2, 'address', input.order) ? terms : { minimum: null, received: false }
  },
  PolygonBridge: (_, input) => {
    canonical(input, 'ethereum', 'polygon')
    return { minimum: null, received: null }
  },
  GnosisBridge: (_, input) => canonical(input, 'ethereum', 'gnosis'),
  OmniBridge: () => ({ minimum: null, received: null }),
}

export const FACETS: readonly Facet[] = rows.map((row) => {
  const { name, receiver = 'bridge_data', refunds = [], empty = [], nativeFees = [] } = row
  const data = row.data === null ? null : row.data.replace('SWAP_DATA', SWAP_DATA)
  const { start, swap } = signaturesOf({ name, data })
  return {
    name,
    data,
    start: selectorOf(start)!,
    swap: selectorOf(swap)!,
    receiver: receiver.includes(' ') ? fieldOf(receiver) : (receiver as Facet['receiver']),
    refunds: refunds.map(fieldOf),
    empty,
    nativeFees,
    terms: TERMS[name] ?? null,
  }
})

const ONE = 10n ** 18n

/** Source: across-protocol/contracts SpokePool.sol, MAX_EXCLUSIVITY_PERIOD_SECONDS */
const YEAR = 31_536_000n

/** Tokens by Stargate's own pool number. Any other number is another token. */
const STARGATE_ASSETS: Readonly<Record<string, string>> = { 1: 'USDC', 2: 'USDT', 13: 'ETH' }

/** Stargate's modes: a taxi, which is sent at once, or the next bus. */
const STARGATE_MODES: readonly string[] = ['0x', '0x00']

/** At or above this threshold a transfer waits for finality, and the issuer charges no fee for speed. */
const CCTP_FINALIZED = 2_000n

/** @returns whether a field names the requested token */
function isToken(field: unknown, form: AccountEncoding, { toChain, tokenOut }: CrossChainOrder): boolean {
  const written = lowerHex(field)
  if (!tokenOut.isNative) return written === writtenAs(form, toChain, tokenOut.address)
  if (toChain.family !== 'evm') return BigInt(written === '0x' ? '0x0' : written) === 0n
  return written === writtenAs(form, toChain, EVM_ZERO_ADDRESS)
}

/** Across unwraps a wrapped native coin for a recipient that is not a contract. */
function acrossTerms(data: FacetData, { order, asset, amount, isSwapped, now }: BridgeInput): BridgeTerms {
  const { fromChain, toChain, tokenOut } = order
  const sent = asset === EVM_ZERO_ADDRESS ? wrapperAt(fromChain.key) : asset
  // The bridge takes the token named here from the provider's contract, so it must be the one that was sent.
  if (sent === null || lowerHex(data.sendingAssetId) !== writtenAs('word', fromChain, sent)) {
    throw refuseMaterial('sent_token')
  }
  const native = tokenOut.isNative ? wrapperAt(toChain.key) : null
  const received =
    tokenOut.isNative && toChain.family === 'evm'
      ? native !== null && lowerHex(data.receivingAssetId) === writtenAs('word', toChain, native)
      : !tokenOut.isNative && isToken(data.receivingAssetId, 'word', order)
  const minimum = isSwapped ? (amount * data.outputAmountMultiplier) / ONE : data.outputAmount
  // Nobody else may fill it earlier: seconds from its inclusion, or above a year, as the contract reads it, a
  // time.
  const [fillDeadline, exclusive] = [BigInt(data.fillDeadline), BigInt(data.exclusivityParameter)]
  const until = exclusive > YEAR ? exclusive - BigInt(now) / 1_000n : exclusive
  const isOpen = isFillable(fillDeadline - (until > 0n ? until : 0n), now)
  if (!isOpen || !isFillable(fillDeadline, now)) throw refuseMaterial('deadline')
  return { minimum, received, isOrder: true }
}

function stargateTerms({ assetId, sendParams, fee }: FacetData, input: BridgeInput): BridgeTerms {
  const { order, asset, amount } = input
  if (sendParams.dstEid !== LAYERZERO_IDS.get(order.toChain.key)) throw refuseMaterial('destination_chain')
  if (fee.lzTokenFee !== 0n || !STARGATE_MODES.includes(lowerHex(sendParams.oftCmd)))
    throw refuseMaterial('fees')
  // The number alone decides which token the bridge takes from the provider's contract.
  const kind = STARGATE_ASSETS[String(assetId)]
  if (kind === undefined || assetAt(order.fromChain.key, asset)?.kind !== kind) {
    throw refuseMaterial('sent_token')
  }
  if (sendParams.minAmountLD > amount) throw refuseMaterial('minimum')
  return sameAsset(input, sendParams.minAmountLD)
}

function polymerTerms(data: FacetData, input: BridgeInput): BridgeTerms {
  const { order, asset, amount } = input
  const { polymerTokenFee, maxCCTPFee, minFinalityThreshold, nonEVMReceiver, solanaReceiverATA } = data
  const taken = polymerTokenFee + maxCCTPFee
  if (taken >= amount || (maxCCTPFee === 0n && minFinalityThreshold < CCTP_FINALIZED)) {
    throw refuseMaterial('fees')
  }
  if (assetAt(order.fromChain.key, asset)?.kind !== 'USDC') throw refuseMaterial('sent_token')
  if (order.toChain.family !== 'evm') {
    const { toChain, to, tokenOut } = order
    if (toChain.key !== 'solana') throw refuseMaterial('recipient')
    const account = associatedAccount(to, tokenOut.address, TOKEN_PROGRAM)
    const isOwn =
      lowerHex(nonEVMReceiver) === writtenAs('word', toChain, to) &&
      lowerHex(solanaReceiverATA) === writtenAs('word', toChain, account)
    if (!isOwn) throw refuseMaterial('recipient')
  }
  return sameAsset(input, amount - taken)
}

/**
 * A chain's own bridge, which transfers one to one. It mints its own versions of tokens, so only the native
 * coin is known.
 */
function canonical(input: BridgeInput, from: string, to: string): BridgeTerms {
  const { fromChain, toChain } = input.order
  if (fromChain.key !== from || toChain.key !== to) throw refuseMaterial('destination_chain')
  return input.order.tokenOut.isNative ? sameAsset(input, input.amount) : { minimum: null, received: null }
}

/** @param least  the least amount sent across; the bridge pays out the same asset */
function sameAsset({ order, asset }: BridgeInput, least: bigint): BridgeTerms {
  const sent = assetAt(order.fromChain.key, asset)
  const wanted: Asset | null = lifiAsset(order.toChain.key, order.tokenOut)
  if (sent === null || wanted === null) return { minimum: null, received: null }
  if (sent.kind !== wanted.kind) return { minimum: null, received: false }
  return { minimum: rescale(least, sent.decimals, wanted.decimals), received: true, bindsAmount: true }
}
