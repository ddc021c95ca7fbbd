/**
 * Swaps within Sui, by the cross-chain provider: its quote is its build, with
 * the transaction ready to sign in base64, so that no Sui SDK is needed here.
 *
 * It quotes for a wallet only. A quote that was asked for without one is made
 * for a placeholder, and says so; what it builds for that is never handed out.
 *
 * Source: §4.5, §4.6 · docs.li.fi
 */
import { formatAmount } from '../../chains/amount.ts'
import { findXprovChain, type XprovChain } from '../../chains/find.ts'
import { proveSui } from '../../proof/sui.ts'
import { refuseMaterial } from '../../proof/verification.ts'
import type { BuildOrder, CallOptions, Material, Offer, Order, SwapProvider } from '../provider.ts'
import { priceImpactPct } from './price-impact.ts'
import { requireWorth } from './worth.ts'
import { type CrossingOrder, parseQuote, type Step, XPROV, type Xprov, type XprovQuote } from './xprov.ts'

/** Nobody's: quotes without `from` are made for it. */
export const PLACEHOLDER_FROM = `0x${'dead'.padStart(64, '0')}`

/** Coins that the transaction names are spent by the wallet's next one, and prices move. */
const FRESH_MS = 10_000
/** Slippage in bps has four digits behind the point as a fraction. */
const BPS_DIGITS = 4

export function xprovSui(xprov: Pick<Xprov, 'quote'>): SwapProvider {
  const sui = findXprovChain('sui')!
  const ask = (order: Order, options: CallOptions): Promise<XprovQuote> =>
    xprov.quote(crossingOf(order, sui), options)
  return {
    label: XPROV,
    canBuild: true,
    freshMs: FRESH_MS,
    chains: new Set([sui.key]),
    async quote(order, options) {
      return offerOf(await ask(order, options), order)
    },
    async build(order, offer, options) {
      const quoted = parseQuote(offer.raw)
      if (quoted !== null && isFor(quoted.value, order)) return materialOf(quoted.value)
      const { value: step } = await ask(order, options)
      // The quote promised its minimum to the caller, whoever it was made for.
      requireWorth({ expectedOut: BigInt(step.estimate.toAmount) }, offer, XPROV)
      if (!isFor(step, order)) throw refuseMaterial('sender')
      return materialOf(step)
    },
    prove(order, _offer, material) {
      if (material.kind !== 'sui') throw refuseMaterial('kind')
      return proveSui(material.transaction, order.from)
    },
  }
}

function crossingOf(order: Order, sui: XprovChain): CrossingOrder {
  const from = order.from ?? PLACEHOLDER_FROM
  return {
    fromChain: sui,
    toChain: sui,
    tokenIn: order.tokenIn,
    tokenOut: order.tokenOut,
    amountIn: order.amountIn,
    from,
    to: from,
    slippage: formatAmount(BigInt(order.slippageBps), BPS_DIGITS),
    preference: null,
  }
}

function offerOf({ value, text }: XprovQuote, order: Order): Offer {
  const { estimate, tool } = value
  return {
    expectedOut: BigInt(estimate.toAmount),
    minOut: BigInt(estimate.toAmountMin),
    priceImpactPct: priceImpactPct(estimate.fromAmountUSD ?? '', estimate.toAmountUSD ?? ''),
    details: { tool, hops: [tool], ...(order.from === null && { placeholderFrom: true }) },
    raw: text,
  }
}

const isFor = ({ action }: Step, { from }: BuildOrder): boolean =>
  action.fromAddress === from && action.toAddress === from

function materialOf({ transactionRequest }: Step): Material {
  if (transactionRequest?.data === undefined) throw refuseMaterial('encoding')
  return { kind: 'sui', transaction: transactionRequest.data }
}
