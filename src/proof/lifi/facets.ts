/**
 * The bridges of the provider's contract, a row each: which functions start
 * them, and what of a cross-chain swap their data binds. A function without a row is
 * refused.
 *
 *   receiver   where the recipient stands, beside BridgeData
 *   refunds    who gets back what was not used, or may cancel: the wallet
 *   empty      calls and payloads that nobody asked for
 *   nativeFees what the bridge takes in the native coin, beside the input
 *   terms      what arrives at least, and whether it is the token that was
 *              asked for; null is not in the calldata: the provider's word
 *
 * bridges.ts has the names of those whose calldata binds recipient and minimum.
 *
 * Source: lifinance/contracts src/Facets, 2026-08-21
 */

import { associatedAddress } from '../../chains/solana/associated.ts'
import { decodeBase58 } from '../../chains/solana/base58.ts'
import { TOKEN_PROGRAM } from '../../chains/solana/programs.ts'
import type { CrossChainOrder } from '../order.ts'
import { refuseMaterial } from '../verification.ts'
import { type Asset, assetAt, assetOf, rescale, wrapperAt } from './assets.ts'
import { type Form, hexOf, LAYERZERO_IDS, writtenAs, ZERO_ADDRESS } from './ids.ts'
import { mayanTerms } from './mayan.ts'
import type { Crossed, FacetData, Terms } from './terms.ts'

/** Where in the bridge's data, such as `sendParams.to`, and how it is written. */
export interface Place {
  readonly at: string
  readonly form: Form
}

export interface Facet {
  /** As in the names of its functions. */
  readonly name: string
  readonly start: string
  readonly swap: string
  /** The fields of its data, in Solidity's notation; null where it takes none. */
  readonly data: string | null
  /**
   * `bridge_data`: in BridgeData alone, which holds EVM addresses; `terms`: the
   * terms read it; `stated`: the provider's word
   */
  readonly receiver: Place | 'bridge_data' | 'terms' | 'stated'
  readonly refunds: readonly Place[]
  readonly empty: readonly string[]
  readonly nativeFees: readonly string[]
  readonly terms: ((data: FacetData, crossed: Crossed) => Terms) | null
}

const word = (at: string): Place => ({ at, form: 'word' })
const right = (at: string): Place => ({ at, form: 'right' })
const bytes = (at: string): Place => ({ at, form: 'bytes' })
const address = (at: string): Place => ({ at, form: 'address' })

const NOTHING = {
  receiver: 'bridge_data',
  refunds: [],
  empty: [],
  nativeFees: [],
  terms: null,
} as const

/** The other side is bound off chain: by an order, a quote or a signature of the provider's. */
const STATED = { ...NOTHING, receiver: 'stated' } as const

const SWAP_DATA =
  '(address callTo, address approveTo, address sendingAssetId, address receivingAssetId, uint256 fromAmount, bytes callData, bool requiresDeposit)[]'

export const FACETS: readonly Facet[] = [
  {
    ...NOTHING,
    name: 'AcrossV4',
    start: '0xa1f1ce43',
    swap: '0x1794958f',
    data: 'bytes32 receiverAddress, bytes32 refundAddress, bytes32 sendingAssetId, bytes32 receivingAssetId, uint256 outputAmount, uint128 outputAmountMultiplier, bytes32 exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message',
    receiver: word('receiverAddress'),
    refunds: [word('refundAddress')],
    empty: ['message'],
    terms: acrossTerms,
  },
  {
    ...NOTHING,
    name: 'Across',
    start: '0x1fd8010c',
    swap: '0x3a3f7332',
    data: 'int64 relayerFeePct, uint32 quoteTimestamp, bytes message, uint256 maxCount',
    empty: ['message'],
    terms: ({ relayerFeePct }, crossed) => {
      if (relayerFeePct < 0n || relayerFeePct > ONE) throw refuseMaterial('fees')
      return sameAsset(crossed, (crossed.amount * (ONE - relayerFeePct)) / ONE)
    },
  },
  {
    ...NOTHING,
    name: 'Stargate',
    start: '0x14d53077',
    swap: '0xa6010a66',
    data: 'uint16 assetId, (uint32 dstEid, bytes32 to, uint256 amountLD, uint256 minAmountLD, bytes extraOptions, bytes composeMsg, bytes oftCmd) sendParams, (uint256 nativeFee, uint256 lzTokenFee) fee, address refundAddress',
    receiver: word('sendParams.to'),
    refunds: [address('refundAddress')],
    empty: ['sendParams.composeMsg', 'sendParams.extraOptions'],
    nativeFees: ['fee.nativeFee'],
    terms: stargateTerms,
  },
  {
    ...NOTHING,
    name: 'DeBridgeDln',
    start: '0x4004633e',
    swap: '0x2c7d2db0',
    data: 'bytes receivingAssetId, bytes receiver, bytes orderAuthorityDst, uint256 minAmountOut',
    receiver: bytes('receiver'),
    terms: ({ receivingAssetId, orderAuthorityDst, minAmountOut }, { order }) => {
      const { toChain, from, to } = order
      // Who may cancel the order names who gets its input back.
      const wallets = [to, ...(toChain.family === 'evm' ? [from] : [])].map((owner) =>
        writtenAs('bytes', toChain, owner),
      )
      if (!wallets.includes(hexOf(orderAuthorityDst))) throw refuseMaterial('refund')
      return { minimum: minAmountOut, received: isToken(receivingAssetId, 'bytes', order) }
    },
  },
  {
    ...NOTHING,
    name: 'Mayan',
    start: '0xb4875292',
    swap: '0x80c65808',
    data: 'bytes32 nonEVMReceiver, address mayanProtocol, bytes protocolData, address swapProtocol, bytes swapData, address middleToken, uint256 minMiddleAmount, address refundRecipient, uint256 mayanAmountIn',
    receiver: 'terms',
    refunds: [address('refundRecipient')],
    terms: mayanTerms,
  },
  {
    ...NOTHING,
    name: 'PolymerCCTP',
    start: '0xf434d6ca',
    swap: '0x17917a4e',
    data: 'uint256 polymerTokenFee, uint256 maxCCTPFee, bytes32 nonEVMReceiver, bytes32 solanaReceiverATA, uint32 minFinalityThreshold, address refundRecipient, bytes hookData',
    receiver: 'terms',
    refunds: [address('refundRecipient')],
    empty: ['hookData'],
    terms: polymerTerms,
  },
  {
    ...NOTHING,
    name: 'CelerCircleBridge',
    start: '0xe0a4201c',
    swap: '0x4f3b0759',
    data: 'uint256 maxFee, uint32 minFinalityThreshold',
    // CelerCircleBridge's proxy takes a fee of its own, which the calldata does not bound.
    terms: ({ maxFee }, crossed) => {
      if (maxFee >= crossed.amount) throw refuseMaterial('fees')
      return { ...sameAsset(crossed, crossed.amount), minimum: null }
    },
  },
  {
    ...NOTHING,
    name: 'AllBridge',
    start: '0x6a51e9a9',
    swap: '0x63267469',
    data: 'bytes32 recipient, uint256 fees, bytes32 receiveToken, uint256 nonce, uint8 messenger, bool payFeeWithSendingAsset',
    receiver: word('recipient'),
    terms: ({ fees, receiveToken, payFeeWithSendingAsset }, { amount, order }) => {
      if (payFeeWithSendingAsset && fees * 10n > amount) throw refuseMaterial('fees')
      return { minimum: null, received: isToken(receiveToken, 'word', order) }
    },
  },
  {
    ...NOTHING,
    name: 'Glacis',
    start: '0x6f9206ba',
    swap: '0x9c4b6dd9',
    data: 'bytes32 receiverAddress, address refundAddress, uint256 nativeFee, bytes32 outputToken',
    receiver: word('receiverAddress'),
    refunds: [address('refundAddress')],
    nativeFees: ['nativeFee'],
    // Zero leaves the token to the bridge.
    terms: ({ outputToken }, { order }) => ({
      minimum: null,
      received: BigInt(hexOf(outputToken)) === 0n ? null : isToken(outputToken, 'word', order),
    }),
  },
  {
    ...NOTHING,
    name: 'GasZip',
    start: '0xfc5f1003',
    swap: '0x606326ff',
    data: 'bytes32 receiverAddress, uint256 destinationChains',
    receiver: right('receiverAddress'),
    // A list of chains, in sixteen bits each: one.
    terms: ({ destinationChains }, { order }) => {
      if (destinationChains === 0n || destinationChains >= 1n << 16n) {
        throw refuseMaterial('destination_chain')
      }
      return { minimum: null, received: order.tokenOut.isNative ? null : false }
    },
  },
  {
    ...NOTHING,
    name: 'ArbitrumBridge',
    start: '0xc9851d0b',
    swap: '0x3cc9517b',
    data: 'uint256 maxSubmissionCost, uint256 maxGas, uint256 maxGasPrice',
    terms: (_, crossed) => canonical(crossed, 'ethereum', 'arbitrum'),
  },
  {
    ...NOTHING,
    name: 'OptimismBridge',
    start: '0xce8a97a5',
    swap: '0x5bb5d448',
    data: 'address assetIdOnL2, uint32 l2Gas, bool isSynthetix',
    terms: ({ assetIdOnL2, isSynthetix }, crossed) => {
      if (isSynthetix) throw refuseMaterial('received_token')
      const terms = canonical(crossed, 'ethereum', 'optimism')
      if (crossed.asset === ZERO_ADDRESS) return terms
      // The bridge of a token takes what it is told to be its pair.
      return isToken(assetIdOnL2, 'address', crossed.order) ? terms : { minimum: null, received: false }
    },
  },
  {
    ...NOTHING,
    name: 'PolygonBridge',
    start: '0xaf62c7d6',
    swap: '0xb4f37581',
    data: null,
    terms: (_, crossed) => {
      canonical(crossed, 'ethereum', 'polygon')
      return { minimum: null, received: null }
    },
  },
  {
    ...NOTHING,
    name: 'GnosisBridge',
    start: '0xf66fe519',
    swap: '0x7bf96e0a',
    data: null,
    terms: (_, crossed) => canonical(crossed, 'ethereum', 'gnosis'),
  },
  {
    ...NOTHING,
    name: 'OmniBridge',
    start: '0x782621d8',
    swap: '0x95726782',
    data: null,
    terms: () => ({ minimum: null, received: null }),
  },
  {
    ...STATED,
    name: 'RelayDepository',
    start: '0x092e8fa4',
    swap: '0xa3443faa',
    data: 'bytes32 orderId, address depositorAddress',
    refunds: [address('depositorAddress')],
  },
  {
    ...STATED,
    name: 'AcrossV4Swap',
    start: '0x6a90d66e',
    swap: '0x9b054bc4',
    data: 'uint8 swapApiTarget, bytes callData, bytes signature',
  },
  {
    ...STATED,
    name: 'Chainflip',
    start: '0x0ad553b3',
    swap: '0xee3314a1',
    data: `bytes nonEVMReceiver, uint32 dstToken, address dstCallReceiver, ${SWAP_DATA} dstCallSwapData, uint256 gasAmount, bytes cfParameters`,
    empty: ['dstCallSwapData'],
  },
  {
    ...STATED,
    name: 'Eco',
    start: '0x7e56b7b0',
    swap: '0x9e75aa95',
    data: 'bytes nonEVMReceiver, address prover, uint64 rewardDeadline, bytes encodedRoute, bytes32 solanaATA, address refundRecipient',
    refunds: [address('refundRecipient')],
  },
  {
    ...STATED,
    name: 'Garden',
    start: '0x5f9af35d',
    swap: '0x76ad76fe',
    data: 'address redeemer, address refundAddress, uint256 timelock, bytes32 secretHash, bytes32 nonEvmReceiver',
    refunds: [address('refundAddress')],
  },
  {
    ...STATED,
    name: 'LayerSwap',
    start: '0xee9e98e0',
    swap: '0x4c279d6b',
    data: 'bytes32 requestId, address depositoryReceiver, address refundRecipient, bytes32 nonEVMReceiver, bytes signature, uint256 deadline',
    refunds: [address('refundRecipient')],
  },
  {
    ...STATED,
    name: 'LiFiIntentEscrowV2',
    start: '0x7dbcf1d9',
    swap: '0x6d21c5df',
    data: `bytes32 dstCallReceiver, bytes32 recipient, address depositAndRefundAddress, uint256 nonce, uint32 expires, uint32 fillDeadline, address inputOracle, bytes32 outputOracle, bytes32 outputSettler, bytes32 outputToken, uint128 outputAmountMultiplier, ${SWAP_DATA} dstCallSwapData, bytes outputContext`,
    receiver: word('recipient'),
    refunds: [address('depositAndRefundAddress')],
    empty: ['dstCallSwapData'],
  },
  {
    ...STATED,
    name: 'NEARIntents',
    start: '0x5cf8113b',
    swap: '0x3110c7b9',
    data: 'bytes32 nonEVMReceiver, address depositAddress, bytes32 quoteId, uint256 deadline, uint256 minAmountOut, address refundRecipient, bytes signature',
    refunds: [address('refundRecipient')],
  },
  {
    ...STATED,
    name: 'Symbiosis',
    start: '0xe23b7a08',
    swap: '0xc46059b2',
    data: 'address refundRecipient, bytes32 nonEvmReceiver, bytes firstSwapCalldata, bytes secondSwapCalldata, address firstDexRouter, address secondDexRouter, address[] approvedTokens, address callTo, bytes callData, bool viaOnchainSwapV3, address dex, address dexgateway, bytes onchainSwapData, uint256 fee, uint256 deadline, bytes signature',
    refunds: [address('refundRecipient')],
  },
  {
    ...STATED,
    name: 'ThorSwap',
    start: '0x2541ec57',
    swap: '0xad673d88',
    data: 'address vault, string memo, uint256 expiration',
  },
  {
    ...STATED,
    name: 'Unit',
    start: '0x64261d58',
    swap: '0x21a3af52',
    data: 'address depositAddress, bytes signature, uint256 deadline',
  },
]

const ONE = 10n ** 18n

/** The bridge has a pool of each of these, by its own number; another number is another token. */
const STARGATE_ASSETS: Readonly<Record<string, string>> = { 1: 'USDC', 2: 'USDT', 13: 'ETH' }

/** Stargate's modes: a taxi, which leaves at once, or the next bus. */
const STARGATE_MODES: readonly string[] = ['0x', '0x00']

/** The threshold from which on a transfer waits for finality, and the issuer takes nothing for speed. */
const CCTP_FINALIZED = 2_000n

/** @returns whether a field names the token that was asked for */
function isToken(field: unknown, form: Form, { toChain, tokenOut }: CrossChainOrder): boolean {
  const written = hexOf(field)
  if (!tokenOut.isNative) return written === writtenAs(form, toChain, tokenOut.address)
  if (toChain.family !== 'evm') return BigInt(written === '0x' ? '0x0' : written) === 0n
  return written === writtenAs(form, toChain, ZERO_ADDRESS)
}

/** The bridge hands out wrapped coins unwrapped to whoever is no contract. */
function acrossTerms(data: FacetData, { order, asset, amount, isSwapped }: Crossed): Terms {
  const { fromChain, toChain, tokenOut } = order
  const sent = asset === ZERO_ADDRESS ? wrapperAt(fromChain.key) : asset
  // What the bridge takes is named here once more, and taken from the provider's contract.
  if (sent === null || hexOf(data.sendingAssetId) !== writtenAs('word', fromChain, sent)) {
    throw refuseMaterial('sent_token')
  }
  const native = tokenOut.isNative ? wrapperAt(toChain.key) : null
  const received =
    tokenOut.isNative && toChain.family === 'evm'
      ? native !== null && hexOf(data.receivingAssetId) === writtenAs('word', toChain, native)
      : !tokenOut.isNative && isToken(data.receivingAssetId, 'word', order)
  const minimum = isSwapped ? (amount * data.outputAmountMultiplier) / ONE : data.outputAmount
  return { minimum, received }
}

function stargateTerms({ assetId, sendParams, fee }: FacetData, crossed: Crossed): Terms {
  const { order, asset, amount } = crossed
  if (sendParams.dstEid !== LAYERZERO_IDS.get(order.toChain.key)) throw refuseMaterial('destination_chain')
  if (fee.lzTokenFee !== 0n || !STARGATE_MODES.includes(hexOf(sendParams.oftCmd)))
    throw refuseMaterial('fees')
  // The number alone tells the bridge which token to take from the provider's contract.
  const kind = STARGATE_ASSETS[String(assetId)]
  if (kind === undefined || assetAt(order.fromChain.key, asset)?.kind !== kind) {
    throw refuseMaterial('sent_token')
  }
  if (sendParams.minAmountLD > amount) throw refuseMaterial('minimum')
  return sameAsset(crossed, sendParams.minAmountLD)
}

function polymerTerms(data: FacetData, crossed: Crossed): Terms {
  const { order, asset, amount } = crossed
  const { polymerTokenFee, maxCCTPFee, minFinalityThreshold, nonEVMReceiver, solanaReceiverATA } = data
  const taken = polymerTokenFee + maxCCTPFee
  if (taken >= amount || (maxCCTPFee === 0n && minFinalityThreshold < CCTP_FINALIZED)) {
    throw refuseMaterial('fees')
  }
  if (assetAt(order.fromChain.key, asset)?.kind !== 'USDC') throw refuseMaterial('sent_token')
  if (order.toChain.family !== 'evm') {
    const owner = decodeBase58(order.to, 32)
    const mint = decodeBase58(order.tokenOut.address, 32)
    if (order.toChain.key !== 'solana' || owner === null || mint === null) throw refuseMaterial('recipient')
    const account = associatedAddress(owner, mint, decodeBase58(TOKEN_PROGRAM, 32)!)
    if (hexOf(nonEVMReceiver) !== hexOf(owner) || hexOf(solanaReceiverATA) !== hexOf(account)) {
      throw refuseMaterial('recipient')
    }
  }
  return sameAsset(crossed, amount - taken)
}

/** A chain's own bridge, one for one. Of tokens it makes others than the issuer's: only the coin is known. */
function canonical(crossed: Crossed, from: string, to: string): Terms {
  const { fromChain, toChain } = crossed.order
  if (fromChain.key !== from || toChain.key !== to) throw refuseMaterial('destination_chain')
  return crossed.order.tokenOut.isNative
    ? sameAsset(crossed, crossed.amount)
    : { minimum: null, received: null }
}

/** @param least  of what crosses, which is the same token on the other side */
function sameAsset({ order, asset }: Crossed, least: bigint): Terms {
  const sent = assetAt(order.fromChain.key, asset)
  const wanted: Asset | null = assetOf(order.toChain.key, order.tokenOut)
  if (sent === null || wanted === null) return { minimum: null, received: null }
  if (sent.kind !== wanted.kind) return { minimum: null, received: false }
  return { minimum: rescale(least, sent.decimals, wanted.decimals), received: true, bindsAmount: true }
}
