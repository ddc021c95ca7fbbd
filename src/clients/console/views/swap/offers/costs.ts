/** What a swap costs, in dollars and as a share; and how much of a balance can be spent. */

import type { Quote } from '../../../../client/index.ts'
import { titleOf } from '../../../data/words.ts'
import { amount, decimal, percent, sixDigits } from '../../../format.ts'
import type { SwapChain, SwapCoin } from '../order.ts'

/**
 * By the quote's prices from the gateway; else by the price of what is paid.
 * @param paidUsd  null if unknown
 * @returns `percent` of what is paid; `usd` excludes a `networkUsd` that is unknown, and null
 */
export function costOf(quote: Quote, paidUsd: number | null) {
  const { priceImpactPct: impact } = quote
  if (impact === null) return null
  const networkUsd = networkUsdOf(quote)
  const gotUsd = gotUsdOf(quote)
  const worth = gotUsd === null ? paidUsd : impact >= 100 ? null : gotUsd / (1 - impact / 100)
  if (worth === null || worth <= 0) return null
  const impactUsd = (worth * impact) / 100
  const usd = impactUsd + (networkUsd ?? 0)
  return { usd, percent: (100 * usd) / worth, impactUsd, networkUsd }
}

/** What arrives, in dollars, by the gateway's prices. */
export const gotUsdOf = ({ netOutUsd, gasUsd }: Quote): number | null =>
  netOutUsd == null || gasUsd == null ? null : netOutUsd + gasUsd

/** The same; without the gateway's figure, by a price of what arrives; null without one. */
export const worthUsdOf = (quote: Quote, price: number | null): number | null =>
  gotUsdOf(quote) ??
  (price === null || quote.expectedOutHuman === null ? null : quote.expectedOutHuman * price)

/** What a figure of a quote was checked against, in words. */
export function checkedBy({ provider, sources }: Quote, figure: string): string {
  const names = (sources?.[figure] ?? []).filter((name) => name !== 'stated')
  return names.length === 0
    ? `Stated by ${titleOf(provider)}; not checked.`
    : `Checked against ${names.map(titleOf).join(', ')}.`
}

/**
 * How much longer the minimum of a quote is likely to build, in words; null if that is not known, or over.
 * @param at  when the quote arrived, by the clock of `now`: the gateway's may differ
 */
export function holdsInWords({ holds, route }: Quote, at: number, now: number): string | null {
  const left = holds == null ? 0 : holds.untilMs - route.asOf - (now - at)
  return left <= 0 ? null : `Holds about ${Math.ceil(left / 1_000)} s (${percent(100 * holds!.probability)})`
}

/** The gateway's figure of the network fee, else the provider's. */
export function networkUsdOf({ gasUsd, route }: Quote): number | null {
  if (gasUsd != null) return gasUsd
  const stated = Number((route.stated as { gasUsd?: unknown } | undefined)?.gasUsd ?? Number.NaN)
  return Number.isFinite(stated) ? stated : null
}

/** `1 ETH = 2,903.3 USDC`: first of the coin that is worth more. @param isReversed  of the other one */
export function rateOf(quote: Quote, spent: SwapCoin, got: SwapCoin, isReversed: boolean): string | null {
  const { amountInHuman: paid, expectedOutHuman: out } = quote
  if (out === null || out === 0 || paid === 0) return null
  const [one, other, rate] = out >= paid !== isReversed ? [spent, got, out / paid] : [got, spent, paid / out]
  return `1 ${one.symbol ?? 'token'} = ${amount(rate)} ${other.symbol ?? 'tokens'}`
}

export type Grade = '' | 'warn' | 'danger'

const WARN_IMPACT_PCT = 1
const DANGER_IMPACT_PCT = 3
const WARN_SLIPPAGE_BPS = 300

export const gradeOfImpact = (percent: number | null): Grade =>
  percent === null || percent <= WARN_IMPACT_PCT ? '' : percent <= DANGER_IMPACT_PCT ? 'warn' : 'danger'

export const gradeOfSlippage = (bps: number): Grade => (bps >= WARN_SLIPPAGE_BPS ? 'warn' : '')

/** Dollars for a swap's gas on EVM chains, if no offer states it. */
const GAS_USD: Readonly<Record<string, number>> = { ethereum: 6 }
const OTHER_GAS_USD = 0.1
/** A wallet's own estimate may be above the offer's. */
const GAS_MARGIN = 3
/** The share of the balance, if the coin's price is unknown. */
const RESERVE_SHARE = 0.02

/** How much of the native coin is reserved for fees if everything is spent, in base units. */
export function reserveOf(
  { key, reserve }: SwapChain,
  coin: { readonly decimals: number; readonly price: number | null },
  balance: bigint,
  networkUsd: number | null,
): bigint {
  // An older gateway does not say it.
  if (reserve != null) return BigInt(reserve)
  const { decimals, price } = coin
  const usd = Math.max(GAS_USD[key] ?? OTHER_GAS_USD, (networkUsd ?? 0) * GAS_MARGIN)
  const whole = price === null ? null : usd / price
  if (whole === null) return (balance * BigInt(RESERVE_SHARE * 100)) / 100n
  // Nine digits are enough, and exact.
  return (BigInt(Math.ceil(whole * 1e9)) * 10n ** BigInt(decimals)) / 10n ** 9n
}

/** A part of a balance as the form takes it. */
export const shareOf = (balance: bigint, percent: number, decimals: number): string =>
  decimal(String((balance * BigInt(percent)) / 100n), decimals)

/** As exact as a form needs, never more than there is. */
export const cut = (base: string, decimals: number): string => sixDigits(decimal(base, decimals))
