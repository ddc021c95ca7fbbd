/**
 * A swap to another chain: the request for it, its answer in the form of a quote and of a build, and its
 * tracking.
 */
import type { CrossChainQuote, Quote, XquoteInput } from '../../../../client/index.ts'
import type { CrossChainOrder } from '../../../../verify/types.ts'
import {
  type Built,
  leastAsked,
  MAX_BRIDGE_MARGIN_PERCENT,
  nativeOf,
  type SwapChain,
  type SwapOrder,
} from '../order.ts'
import type { AttemptStep, Delivery } from './types.ts'

/** An order whose two tokens are on different chains. */
export interface CrossingOrder extends SwapOrder {
  readonly side: 'sell'
  readonly toChain: string
  readonly against: string
}

export const isCrossing = (order: SwapOrder): order is CrossingOrder => order.toChain !== undefined

/** Whether the recipient has to be named: an address of one chain isn't valid on the other. */
export const needsRecipient = (from: SwapChain, to: SwapChain): boolean =>
  (from.chainId === null || to.chainId === null) && from.key !== to.key

/** @param to  the recipient; '' for the wallet itself */
export function crossingInput(
  { token, against, amount, slippageBps }: CrossingOrder,
  from: SwapChain,
  target: SwapChain,
  wallet: string,
  to: string,
): XquoteInput {
  const named = (address: string, chain: SwapChain): string =>
    address === nativeOf(chain).address ? 'native' : address
  return {
    fromChain: from.key,
    toChain: target.key,
    fromToken: named(token, from),
    toToken: named(against, target),
    amount,
    from: wallet,
    ...(to !== '' && { to }),
    slippage: slippageBps / 10_000,
  }
}

/** What the user requested and accepted, as the page checks the answer against it. */
export function crossingAsked(
  input: XquoteInput,
  { estimate }: CrossChainQuote,
  slippageBps: number,
): CrossChainOrder {
  const { fromChain, toChain, fromToken, toToken, amount, from, to } = input
  const { fromAmount: amountIn, toAmount: expectedOut, toAmountMin } = estimate
  return {
    fromChain,
    toChain,
    ...(fromToken !== undefined && { fromToken }),
    ...(toToken !== undefined && { toToken }),
    ...(to !== undefined && { to }),
    amount,
    amountIn,
    from,
    expectedOut,
    minOut: leastAsked({ expectedOut, minOut: toAmountMin, slippageBps }, MAX_BRIDGE_MARGIN_PERCENT),
  }
}

/** The answer as a quote: its output, and how far that is below the market. */
export function crossingQuote(
  { estimate, fairOut, sources, tool, provider: by, risks }: CrossChainQuote,
  order: CrossingOrder,
): Quote {
  const provider = tool ?? by
  const out = Number(estimate.toAmount)
  const fair = fairOut == null ? null : Number(fairOut)
  const gasUsd = estimate.stated.gasCosts.reduce((sum, { amountUsd }) => sum + Number(amountUsd ?? 0), 0)
  return {
    provider,
    chain: order.chain,
    chainId: null,
    side: 'sell',
    from: null,
    amountIn: estimate.fromAmount,
    amountInHuman: estimate.fromAmountHuman,
    expectedOut: estimate.toAmount,
    expectedOutHuman: estimate.toAmountHuman,
    minOut: estimate.toAmountMin,
    slippageBps: order.slippageBps,
    priceImpactPct: fair === null || fair === 0 ? null : (100 * (fair - out)) / fair,
    gasUsd: estimate.stated.gasCosts.length === 0 ? null : gasUsd,
    ...(risks && { risks }),
    ...(fairOut != null && { fairOut }),
    ...(sources && { sources }),
    route: {
      asOf: 0,
      seal: '',
      raw: '',
      fees: [],
      buildBy: provider,
      stated: { priceImpactPct: null },
      alternatives: [],
    },
  }
}

/** The answer as a build: cross-chain quotes are built at once. */
export function crossingBuilt(answer: CrossChainQuote): Built {
  const { provider, tool, estimate, costs, costsComplete, lastValidBlockHeight, verification } = answer
  return {
    provider: tool ?? provider,
    ...(lastValidBlockHeight !== undefined && { lastValidBlockHeight }),
    ...(costs !== undefined && { costs }),
    ...(costsComplete !== undefined && { costsComplete }),
    expectedOut: estimate.toAmount,
    minOut: estimate.toAmountMin,
    verification,
  }
}

/**
 * The status of `GET /api/xstatus`: only what has arrived is shown as arrived, a refund on its way isn't an
 * end, and an amount of another token isn't shown as the bought one's.
 */
export function deliveryOf(status: { readonly [name: string]: unknown }): Delivery {
  const { substatus } = status
  const receiving = (status.receiving ?? {}) as { txHash?: unknown; amount?: unknown; token?: unknown }
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  const state = substatus === 'REFUNDED' ? 'refunded' : stateOf(status.status, substatus)
  const hasArrived = state === 'arrived'
  const isOther = hasArrived && substatus === 'PARTIAL'
  const symbol = text((receiving.token as { symbol?: unknown } | null | undefined)?.symbol)
  return {
    state,
    message: isOther
      ? `Another token arrived than the one you bought${symbol === null ? '' : `: ${symbol}`}.`
      : text(status.substatusMessage),
    id: hasArrived ? text(receiving.txHash) : null,
    amount: hasArrived && !isOther ? text(receiving.amount) : null,
  }
}

function stateOf(status: unknown, substatus: unknown): Delivery['state'] {
  if (status === 'DONE') return 'arrived'
  const hasFailed = status === 'FAILED' || status === 'INVALID'
  return hasFailed && substatus !== 'REFUND_IN_PROGRESS' ? 'failed' : 'waiting'
}

const ENDED: readonly string[] = ['failed', 'reverted', 'expired', 'unknown']

/** The transaction on the chain that the transfer starts on. */
export type SentStep = Pick<AttemptStep, 'state' | 'id'>

export interface TrackStep {
  readonly title: string
  readonly state: 'waiting' | 'now' | 'done' | 'refunded' | 'failed'
  readonly id: string | null
}

/** The three steps of a transfer: sent, on the bridge, arrived. */
export function trackOf(
  sent: SentStep | undefined,
  delivery: Delivery | null,
  names: { readonly from: string; readonly to: string; readonly bridge: string },
): readonly TrackStep[] {
  const isSent = sent?.state === 'done'
  const end = delivery?.state ?? 'waiting'
  const bridge = !isSent ? 'waiting' : end === 'waiting' ? 'now' : end === 'arrived' ? 'done' : end
  return [
    {
      title: `Sent from ${names.from}`,
      state: sent === undefined ? 'waiting' : isSent ? 'done' : ENDED.includes(sent.state) ? 'failed' : 'now',
      id: sent?.id ?? null,
    },
    {
      title: end === 'refunded' ? `Refunded to ${names.from}` : `Bridge: ${names.bridge}`,
      state: bridge,
      id: null,
    },
    {
      title: `Arrived on ${names.to}`,
      state: end === 'arrived' ? 'done' : end === 'waiting' ? 'waiting' : 'failed',
      id: delivery?.id ?? null,
    },
  ]
}
