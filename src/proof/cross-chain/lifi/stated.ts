/**
 * The terms that a call of LI.FI's contract states: what it takes, from which chain to which, and for whom.
 */
import { parseAddress } from '../../../chains/address.ts'
import { findXprovChain, type XprovChain } from '../../../chains/find.ts'
import { MAJORS } from '../../../chains/majors.ts'
import { encodeBase58 } from '../../../chains/solana/base58.ts'
import type { CrossChainOrder } from '../../terms/order.ts'
import { refuseMaterial } from '../../terms/verification.ts'
import { FACETS } from './facets.ts'
import { EVM_ZERO_ADDRESS, lowerHex, NON_EVM_ADDRESS } from './ids.ts'
import { fieldAt, read, readBridge, SWAP_FUNCTIONS } from './prove.ts'
import type { SwapData } from './swaps.ts'

/** Selectors of all functions that are read. */
export const LIFI_SELECTORS: readonly string[] = [
  ...SWAP_FUNCTIONS.map(({ selector }) => selector),
  ...FACETS.flatMap(({ start, swap }) => [start, swap]),
]

const tokenOf = (address: string) => ({ address, isNative: address === EVM_ZERO_ADDRESS, decimals: 18 })

/**
 * @returns the sold token in the contract's notation, in which zero is the native coin; the other chain by the
 *   provider's number, and null if it is not served; the bridge, null for a swap within the chain; the recipient,
 *   null if the bytes do not say it as an address; and the orders that it may be for, as the token that arrives is
 *   not in all bytes
 * @throws GatewayError  material_refused: selector, calldata, source_swaps
 */
export function statedIn(data: string, fromChain: XprovChain, from: string) {
  const selector = data.slice(0, 10)
  const common = { fromChain, from, slippage: null, preference: null }
  const known = SWAP_FUNCTIONS.find((row) => row.selector === selector)
  if (known !== undefined) {
    const args = read(data, known.signature)
    const swaps: readonly SwapData[] = [args.swapData].flat()
    const sold = soldBy(swaps)
    const tokenIn = tokenOf(sold.tokenIn)
    const to = parseAddress(fromChain, args.receiver)!
    const tokenOut = tokenOf(swaps.at(-1)!.receivingAssetId)
    const order = { ...common, ...sold, tokenIn, tokenOut, toChain: fromChain, to }
    const toChainId = String(fromChain.xprovChainId)
    return { ...sold, toChain: fromChain, toChainId, bridge: null, recipient: to, orders: [order] }
  }
  const { facet, isSwapped, bridgeData, swapData, facetData } = readBridge(data)
  const sold = isSwapped
    ? soldBy(swapData)
    : { tokenIn: bridgeData.sendingAssetId, amountIn: bridgeData.minAmount }
  const toChainId = String(bridgeData.destinationChainId)
  const toChain = findXprovChain(toChainId)
  const { receiver } = facet
  const written = typeof receiver === 'string' ? facetData.nonEVMReceiver : fieldAt(facetData, receiver.at)
  const recipient =
    bridgeData.receiver !== NON_EVM_ADDRESS
      ? parseAddress(fromChain, bridgeData.receiver)
      : toChain && addressIn(toChain, lowerHex(written ?? ''))
  const named =
    facetData.receivingAssetId && addressIn(toChain ?? fromChain, lowerHex(facetData.receivingAssetId))
  const majors = MAJORS.get(toChain?.key ?? '') ?? []
  const tokens = [
    ...(named ? [tokenOf(named)] : []),
    ...majors.map(({ address, kind }) => ({ address, isNative: kind === 'native' })),
  ]
  const order = { ...common, ...sold, tokenIn: tokenOf(sold.tokenIn) }
  const orders: readonly CrossChainOrder[] =
    toChain === null || recipient === null
      ? []
      : tokens.map((tokenOut) => ({ ...order, tokenOut, toChain, to: recipient }))
  return { ...sold, toChain, toChainId, bridge: facet.name, recipient, orders }
}

/** What steps take from the wallet. */
function soldBy(swaps: readonly SwapData[]) {
  const first = swaps[0]
  if (first === undefined) throw refuseMaterial('source_swaps')
  const taken = swaps.filter(({ requiresDeposit }) => requiresDeposit)
  return { tokenIn: first.sendingAssetId, amountIn: taken.reduce((sum, one) => sum + one.fromAmount, 0n) }
}

/** An account as bridges write it, with zeros before an EVM address. */
function addressIn(chain: XprovChain, hex: string): string | null {
  const text =
    chain.family === 'solana' && /^0x[0-9a-f]{64}$/.test(hex)
      ? encodeBase58(Buffer.from(hex.slice(2), 'hex'))
      : hex.replace(/^0x0{24}(?=[0-9a-f]{40}$)/, '0x')
  return parseAddress(chain, text)
}
