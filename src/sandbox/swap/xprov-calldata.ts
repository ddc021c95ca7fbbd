/**
 * Calldata of the cross-chain provider's contract, as its API hands it out:
 *
 *   within a chain                      GenericSwapFacetV3, LI.FI's fee and one swap
 *   to an EVM chain, the same asset     AcrossFacetV4
 *   to Solana or Sui                    MayanFacet, Swift's order within it
 *   anything else                       DeBridgeDlnFacet
 *
 * Source: lifinance/contracts src/Facets · the signatures are the contract's own
 */
import type { XprovChain } from '../../chains/find.ts'
import { findMajor, type Major, wrapperOf } from '../../chains/majors.ts'
import { decodeBase58 } from '../../chains/solana/base58.ts'
import { LIFI_FEE_WALLET } from '../../proof/cross-chain/lifi/fee-contracts.ts'
import { CalldataReader } from '../../proof/evm/calldata.ts'
import type { MarketToken } from '../market/tokens.ts'
import { metadataOf } from '../sui/compose.ts'
import { type CrossChainOrder, lifiFee } from './xprov-desk.ts'

const BRIDGE_DATA =
  '(bytes32 transactionId, string bridge, string integrator, address referrer, address sendingAssetId, address receiver, uint256 minAmount, uint256 destinationChainId, bool hasSourceSwaps, bool hasDestinationCall) bridgeData'
const SWAP =
  'bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut, (address callTo, address approveTo, address sendingAssetId, address receivingAssetId, uint256 fromAmount, bytes callData, bool requiresDeposit)[] swapData'

// biome-ignore lint/suspicious/noExplicitAny: the fields are those of the signatures
export type Args = any

/** The contract's functions, as far as the sandbox calls them. */
export const DIAMOND_FUNCTIONS: readonly string[] = [
  `function swapTokensMultipleV3ERC20ToERC20(${SWAP})`,
  `function swapTokensMultipleV3ERC20ToNative(${SWAP})`,
  `function swapTokensMultipleV3NativeToERC20(${SWAP})`,
  `function startBridgeTokensViaAcrossV4(${BRIDGE_DATA}, (bytes32 receiverAddress, bytes32 refundAddress, bytes32 sendingAssetId, bytes32 receivingAssetId, uint256 outputAmount, uint128 outputAmountMultiplier, bytes32 exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) acrossData)`,
  `function startBridgeTokensViaDeBridgeDln(${BRIDGE_DATA}, (bytes receivingAssetId, bytes receiver, bytes orderAuthorityDst, uint256 minAmountOut) deBridgeData)`,
  `function startBridgeTokensViaMayan(${BRIDGE_DATA}, (bytes32 nonEVMReceiver, address mayanProtocol, bytes protocolData, address swapProtocol, bytes swapData, address middleToken, uint256 minMiddleAmount, address refundRecipient, uint256 mayanAmountIn) mayanData)`,
]
export const DIAMOND = new CalldataReader<Record<string, Args>>(DIAMOND_FUNCTIONS)

/** How LI.FI takes its share of a swap within a chain. */
const FEES = new CalldataReader<Record<string, Args>>([
  'function forwardERC20Fees(address token, (address recipient, uint256 amount)[] distributions)',
  'function forwardNativeFees((address recipient, uint256 amount)[] distributions)',
])

/** The order that Mayan's call holds. */
export const SWIFT_FUNCTIONS: readonly string[] = [
  'function createOrderWithToken(address tokenIn, uint256 amountIn, (uint8 payloadType, bytes32 trader, bytes32 destAddr, uint16 destChainId, bytes32 referrerAddr, bytes32 tokenOut, uint64 minAmountOut, uint64 gasDrop, uint64 cancelFee, uint64 refundFee, uint64 deadline, uint8 referrerBps, uint8 auctionMode, bytes32 random) params, bytes customPayload)',
]
export const SWIFT = new CalldataReader<Record<string, Args>>(SWIFT_FUNCTIONS)

const ZERO = `0x${'0'.repeat(40)}`
const NON_EVM = '0x11f111f111f111f111f111f111f111f111f111f1'
const EXCHANGE = '0xac4c6e212a361c968f1725b4d055b47e63f80b75'
/** A function of the exchange, without its arguments. */
const EXCHANGE_CALL = '5f3bd1c8'
const SWIFT_CONTRACT = '0x40ffe85a28dc9993541449464d7529a922142960'
const WRAPPER = '0x529863940bf6065d8c122a550c2ff37c1cfefa16'
const WRAP_CALL = 'd46eb119'
/** Wormhole's ids of the chains that are not EVM ones. */
const SWIFT_CHAINS: Readonly<Record<string, bigint>> = { solana: 1n, sui: 21n }
const SWIFT_DECIMALS = 8
const ORDER_SECONDS = 3_600

/** @param transactionId  0x and 64 hex digits */
export function lifiCalldata(
  ask: CrossChainOrder,
  transactionId: string,
  minOut: bigint,
  now: number,
  forwarder: string,
): string {
  if (ask.fromChain === ask.toChain) return swap(ask, transactionId, minOut, forwarder)
  const { fromChain, toChain, tokenIn, tokenOut } = ask
  const [given, wanted] = [major(fromChain, tokenIn), major(toChain, tokenOut)]
  if (toChain.family === 'evm' && given !== null && wanted !== null && isSameAsset(given, wanted)) {
    return across(ask, transactionId, minOut, now)
  }
  const isSwift = SWIFT_CHAINS[toChain.key] !== undefined
  return isSwift ? mayan(ask, transactionId, minOut, now) : deBridge(ask, transactionId, minOut)
}

function swap(
  { tokenIn, tokenOut, amountIn, to }: CrossChainOrder,
  transactionId: string,
  minAmountOut: bigint,
  forwarder: string,
): string {
  const fee = lifiFee(amountIn)
  const distributions = [{ recipient: LIFI_FEE_WALLET, amount: fee }]
  const feeCall = tokenIn.isNative
    ? FEES.write('forwardNativeFees', distributions)
    : FEES.write('forwardERC20Fees', { token: asset(tokenIn), distributions })
  const side = (token: MarketToken) => (token.isNative ? 'Native' : 'ERC20')
  return DIAMOND.write(`swapTokensMultipleV3${side(tokenIn)}To${side(tokenOut)}`, {
    transactionId: bytes(transactionId),
    integrator: 'swapgate',
    referrer: ZERO,
    receiver: to.toLowerCase(),
    minAmountOut,
    swapData: [
      {
        callTo: forwarder,
        approveTo: forwarder,
        sendingAssetId: asset(tokenIn),
        receivingAssetId: asset(tokenIn),
        fromAmount: amountIn,
        callData: bytes(feeCall),
        requiresDeposit: true,
      },
      {
        callTo: EXCHANGE,
        approveTo: EXCHANGE,
        sendingAssetId: asset(tokenIn),
        receivingAssetId: asset(tokenOut),
        fromAmount: amountIn - fee,
        callData: bytes(EXCHANGE_CALL),
        requiresDeposit: false,
      },
    ],
  })
}

function bridgeData(
  { toChain, tokenIn, amountIn, to }: CrossChainOrder,
  transactionId: string,
  bridge: string,
) {
  return {
    transactionId: bytes(transactionId),
    bridge,
    integrator: 'swapgate',
    referrer: ZERO,
    sendingAssetId: asset(tokenIn),
    receiver: toChain.family === 'evm' ? to.toLowerCase() : NON_EVM,
    minAmount: amountIn,
    destinationChainId: BigInt(toChain.xprovChainId),
    hasSourceSwaps: false,
    hasDestinationCall: false,
  }
}

function across(ask: CrossChainOrder, transactionId: string, outputAmount: bigint, now: number): string {
  const { fromChain, toChain, tokenIn, tokenOut, from, to } = ask
  const seconds = BigInt(Math.floor(now / 1_000))
  return DIAMOND.write('startBridgeTokensViaAcrossV4', {
    bridgeData: bridgeData(ask, transactionId, 'across'),
    acrossData: {
      receiverAddress: word(account(toChain, to)),
      refundAddress: word(account(fromChain, from)),
      sendingAssetId: word(bytes(wrapped(fromChain, tokenIn))),
      receivingAssetId: word(bytes(wrapped(toChain, tokenOut))),
      outputAmount,
      outputAmountMultiplier: 10n ** 18n,
      exclusiveRelayer: new Uint8Array(32),
      quoteTimestamp: seconds,
      fillDeadline: seconds + BigInt(ORDER_SECONDS),
      exclusivityParameter: 0n,
      message: new Uint8Array(),
    },
  })
}

function deBridge(ask: CrossChainOrder, transactionId: string, minAmountOut: bigint): string {
  const { toChain, tokenOut, to } = ask
  const native = new Uint8Array(toChain.family === 'evm' ? 20 : 32)
  return DIAMOND.write('startBridgeTokensViaDeBridgeDln', {
    bridgeData: bridgeData(ask, transactionId, 'debridge'),
    deBridgeData: {
      receivingAssetId: tokenOut.isNative ? native : account(toChain, tokenOut.address),
      receiver: account(toChain, to),
      orderAuthorityDst: account(toChain, to),
      minAmountOut,
    },
  })
}

function mayan(ask: CrossChainOrder, transactionId: string, minOut: bigint, now: number): string {
  const { fromChain, toChain, tokenIn, tokenOut, amountIn, from, to } = ask
  const middle = tokenIn.isNative ? wrapped(fromChain, tokenIn) : ZERO
  const rounding = 10n ** BigInt(Math.max(0, tokenOut.decimals - SWIFT_DECIMALS))
  const protocolData = SWIFT.write('createOrderWithToken', {
    tokenIn: asset(tokenIn),
    amountIn,
    params: {
      payloadType: 1n,
      trader: word(account(fromChain, from)),
      destAddr: word(account(toChain, to)),
      destChainId: SWIFT_CHAINS[toChain.key]!,
      referrerAddr: new Uint8Array(32),
      tokenOut: token(toChain, tokenOut),
      minAmountOut: minOut / rounding,
      gasDrop: 0n,
      cancelFee: 0n,
      refundFee: 0n,
      deadline: BigInt(Math.floor(now / 1_000) + ORDER_SECONDS),
      referrerBps: 0n,
      auctionMode: 2n,
      random: bytes(transactionId),
    },
    customPayload: new Uint8Array(),
  })
  return DIAMOND.write('startBridgeTokensViaMayan', {
    bridgeData: bridgeData(ask, transactionId, 'mayan'),
    mayanData: {
      nonEVMReceiver: word(account(toChain, to)),
      mayanProtocol: SWIFT_CONTRACT,
      protocolData: bytes(protocolData),
      swapProtocol: tokenIn.isNative ? WRAPPER : ZERO,
      swapData: bytes(tokenIn.isNative ? WRAP_CALL : ''),
      middleToken: middle,
      minMiddleAmount: tokenIn.isNative ? amountIn : 0n,
      refundRecipient: from.toLowerCase(),
      mayanAmountIn: amountIn,
    },
  })
}

/** On Sui a coin is named by the object that describes it. */
function token(chain: XprovChain, { isNative, address }: MarketToken): Uint8Array {
  if (chain.family === 'sui') return bytes(metadataOf(address))
  return isNative ? new Uint8Array(32) : account(chain, address)
}

const asset = ({ isNative, address }: MarketToken): string => (isNative ? ZERO : address.toLowerCase())

/** A token, and of the native coin its wrapper. */
const wrapped = ({ key }: XprovChain, { isNative, address }: MarketToken): string =>
  (isNative ? wrapperOf(key)! : address).toLowerCase()

const major = ({ key }: XprovChain, { address }: MarketToken): Major | null => findMajor(key, address)

/** Whether two coins are the same asset, wrapped or not. */
const isSameAsset = (given: Major, wanted: Major): boolean =>
  given.decimals === wanted.decimals && given.symbol.replace(/^W/, '') === wanted.symbol.replace(/^W/, '')

function account(chain: XprovChain, address: string): Uint8Array {
  return chain.family === 'solana' ? decodeBase58(address, 32)! : bytes(address)
}

const word = (value: Uint8Array): Uint8Array =>
  new Uint8Array(Buffer.concat([Buffer.alloc(32 - value.length), value]))

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replace(/^0x/, ''), 'hex'))
