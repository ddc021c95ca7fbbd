/**
 * Swaps within Sui by the cross-chain provider. Its quote is its build: it has the
 * transaction ready to sign in base64, so no Sui SDK is needed here.
 *
 * The provider quotes only for a wallet. A quote without `from` is made for a
 * placeholder, and says so; the transaction for the placeholder is never handed out.
 *
 * Source: §4.5, §4.6 · docs.li.fi
 */
import { formatAmount } from '../../chains/amount.ts'
import { findXprovChain, type XprovChain } from '../../chains/find.ts'
import type { Step } from '../../proof/cross-chain/lifi/step.ts'
import { proveStatement } from '../../proof/cross-chain/statement.ts'
import { KNOWN_MAYAN } from '../../proof/sui/mctp.ts'
import type { SuiObjects } from '../../proof/sui/objects.ts'
import type { Material } from '../../proof/terms/material.ts'
import type { BuildOrder, CrossChainOrder, Order } from '../../proof/terms/order.ts'
import { refuseMaterial } from '../../proof/terms/verification.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Offer, SwapProvider } from '../provider.ts'
import { priceImpactPct, statedWord } from './stated.ts'
import { requireWorth } from './worth.ts'
import { parseQuote, XPROV, type Xprov, type XprovQuote } from './xprov.ts'

/** An address that belongs to no wallet, for quotes without `from`. */
export const PLACEHOLDER_FROM = `0x${'dead'.padStart(64, '0')}`

/** The wallet's next transaction spends the coins that this one names, and prices move. */
const FRESH_MS = 10_000
/** For the nodes' answers about packages; without them a route through an upgraded package is refused. */
const PACKAGES_MS = 2_000
/** Digits after the point of a slippage in bps, as a fraction. */
const BPS_DIGITS = 4
/** Digits after the point of a computed slippage. */
const FRACTION_DIGITS = 6

/** @param objects  what the nodes say about packages that no table has; null if they are not asked */
export function xprovSui(
  xprov: Pick<Xprov, 'quote'>,
  objects: Pick<SuiObjects, 'upgrades'> | null = null,
): SwapProvider {
  const sui = findXprovChain('sui')!
  return {
    label: XPROV,
    freshMs: FRESH_MS,
    chains: new Set([sui.key]),
    async quote(order, options) {
      const crossChain = crossChainOf(order, sui, slippageOf(order.slippageBps))
      const quote = await xprov.quote(crossChain, options)
      requireForOrder(quote.value, crossChain)
      return offerOf(quote, order)
    },
    async build(order, offer, options) {
      const crossChain = crossChainOf(order, sui, slippageOf(order.slippageBps))
      const quoted = parseQuote(offer.raw)
      if (quoted !== null && isFor(quoted.value, order)) return materialOf(quoted.value, crossChain)
      const { value: step } = await xprov.quote(crossChain, options)
      // The client was promised the quote's minimum, even where the quote was for the placeholder.
      requireWorth({ expectedOut: BigInt(step.estimate.toAmount) }, offer, XPROV)
      if (BigInt(step.estimate.toAmountMin) >= offer.minOut) return materialOf(step, crossChain)
      const closer = {
        ...crossChain,
        slippage: slippageThatKeeps(offer.minOut, BigInt(step.estimate.toAmount)),
      }
      const { value: kept } = await xprov.quote(closer, options)
      requireWorth({ expectedOut: BigInt(kept.estimate.toAmountMin) }, offer, XPROV)
      return materialOf(kept, closer)
    },
    async prove({ from, tokenIn, tokenOut, amountIn, worth = null }, { minOut }, material, call) {
      if (material.kind !== 'sui') throw refuseMaterial('kind')
      const { transaction } = material
      const { proveSui, unlistedPackages } = await import('../../proof/sui/sui.ts')
      const unlisted = unlistedPackages(transaction, { packages: KNOWN_MAYAN })
      const upgrades = await objects?.upgrades(unlisted, call.within(PACKAGES_MS))
      const out = { kind: 'swap', coin: tokenOut } as const
      const sold = { from, coinIn: tokenIn, amountIn, worth, minOut, out }
      return proveSui(transaction, { ...sold, ...(upgrades && { upgrades }) })
    },
  }
}

function crossChainOf(order: Order, sui: XprovChain, slippage: string): CrossChainOrder {
  const from = order.from ?? PLACEHOLDER_FROM
  return {
    fromChain: sui,
    toChain: sui,
    tokenIn: order.tokenIn,
    tokenOut: order.tokenOut,
    decimalsOut: order.tokenOut.decimals,
    amountIn: order.amountIn,
    from,
    to: from,
    slippage,
    preference: null,
  }
}

const slippageOf = (bps: number): string => formatAmount(BigInt(bps), BPS_DIGITS)

/** The slippage that gives a minimum, as a fraction, rounded in the wallet's favour. */
function slippageThatKeeps(minOut: bigint, expected: bigint): string {
  const scale = 10n ** BigInt(FRACTION_DIGITS)
  return formatAmount(((expected - minOut) * scale) / expected, FRACTION_DIGITS)
}

/** Refuses a quote for another swap. @throws GatewayError  upstream_unusable */
function requireForOrder(step: Step, crossChain: CrossChainOrder): void {
  try {
    proveStatement(step, crossChain)
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'material_refused') throw error
    const message = 'The provider quoted another swap than the one it was asked for. Try again later.'
    throw new GatewayError('upstream_unusable', message, { provider: XPROV, scope: 'provider' })
  }
}

function offerOf({ value, text }: XprovQuote, order: Order): Offer {
  const { estimate } = value
  const tool = statedWord(value.tool)
  return {
    expectedOut: BigInt(estimate.toAmount),
    minOut: BigInt(estimate.toAmountMin),
    priceImpactPct: priceImpactPct(estimate.fromAmountUSD ?? '', estimate.toAmountUSD ?? ''),
    details: { stated: { tool, hops: [tool] }, ...(order.from === null && { placeholderFrom: true }) },
    raw: text,
  }
}

const isFor = ({ action }: Step, { from }: BuildOrder): boolean =>
  action.fromAddress === from && action.toAddress === from

/** The provider's own description of what it built must match the order; `prove` checks the bytes. */
function materialOf(step: Step, crossChain: CrossChainOrder): Material {
  proveStatement(step, crossChain)
  if (step.transactionRequest?.data === undefined) throw refuseMaterial('encoding')
  return { kind: 'sui', transaction: step.transactionRequest.data }
}
