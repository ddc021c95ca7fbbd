/** The offers of one order, as `GET /api/quote/stream` sends them. A row never changes its place. */

import type { Quote, QuoteEvent, ServerEvent } from '../../../../client/index.ts'
import { percent, plain } from '../../../format.ts'
import words from './words.json' with { type: 'json' }

export interface OfferRow {
  readonly provider: string
  /** Its last offer; null while there is none. */
  readonly quote: Quote | null
  /** When it arrived, ms of the wall clock; null without one. */
  readonly at: number | null
}

export interface OfferList {
  /** Of every provider of the chain, in their order. */
  readonly rows: readonly OfferRow[]
  /** The gateway's choice; null until it is decided. */
  readonly best: Quote | null
  /** When the best offer arrived, or, before the decision, the last one; null before the first. */
  readonly at: number | null
  /** Set once no more offers come. */
  readonly end: { readonly at: number; readonly why: string } | null
}

export const noOffers = (providers: readonly string[]): OfferList => ({
  rows: providers.map((provider) => ({ provider, quote: null, at: null })),
  best: null,
  at: null,
  end: null,
})

/** @param at  when the event arrived, ms of the wall clock */
export function withEvent(
  list: OfferList,
  { event, data: { quote, end } }: ServerEvent<QuoteEvent>,
  at: number,
): OfferList {
  if (end !== null) return withEnd(list, end.error === null ? '' : plain(end.error), at)
  if (quote === null) return list
  const { provider } = quote
  const row: OfferRow = { provider, quote, at }
  const isNew = list.rows.every((one) => one.provider !== provider)
  const rows = isNew ? [...list.rows, row] : list.rows.map((one) => (one.provider === provider ? row : one))
  if (event === 'best') return { ...list, rows, best: quote, at }
  return { ...list, rows, at: list.best === null ? at : list.at }
}

/** An ended list stays ended. */
export const withEnd = (list: OfferList, why: string, at: number): OfferList =>
  list.end === null ? { ...list, end: { at, why } } : list

/** The offer that is shown, and built: the picked one, else the best, else the highest so far. */
export function shownOf({ rows, best }: OfferList, picked: string | null): OfferRow | null {
  const offered = rows.filter(({ quote }) => quote !== null)
  const wanted = offered.find(({ provider }) => provider === picked)
  if (wanted !== undefined) return wanted
  if (best !== null) return offered.find(({ provider }) => provider === best.provider)!
  return offered.reduce<OfferRow | null>(
    (most, one) => (most !== null && outOf(most.quote!) >= outOf(one.quote!) ? most : one),
    null,
  )
}

const outOf = ({ expectedOut }: Quote): bigint => BigInt(expectedOut)

interface QuoteAlternative {
  readonly provider: string
  readonly outcome: string
  readonly code?: string
}

/** Why a provider made no offer, or no build, by the code of its error. */
export const FAILURES: Readonly<Record<string, string>> = words.failures

function outcomeOf({ provider }: OfferRow, { best }: OfferList): QuoteAlternative | undefined {
  const alternatives = (best?.route.alternatives ?? []) as unknown as readonly QuoteAlternative[]
  return alternatives.find((one) => one.provider === provider)
}

/** How a provider compares with the best offer, and whether it delivers less than it states, in words. */
export function standingOf(row: OfferRow, list: OfferList): string {
  const lossBps = row.quote?.deliveryLossBps ?? 0
  const word = lossBps === 0 ? '' : ` · Usually delivers ${percent(lossBps / 100)} less`
  return `${rankOf(row, list)}${word}`
}

function rankOf(row: OfferRow, list: OfferList): string {
  const { provider, quote } = row
  const { best, end } = list
  const { outcome, code } = outcomeOf(row, list) ?? {}
  if (quote === null) {
    if (outcome === 'failed') return `Failed: ${FAILURES[code ?? ''] ?? code}`
    if (outcome === 'late') return end === null ? 'Late, still asking' : 'Too late'
    if (outcome === 'offered') return 'Far below the market'
    return best === null && end === null ? 'Asking…' : 'No offer'
  }
  if (best === null) return 'Comparing…'
  if (provider === best.provider) return isNet(quote, best) ? 'Best after fees' : 'Best'
  if (outcome === 'outlier') return 'Suspiciously high'
  return behindBps(quote, best) <= 0 ? 'Same' : reasonOf(quote, best)
}

/** How much more an offer gives than the best one, in percent; null for the best, and before the decision. */
export function aheadOf({ provider, quote }: OfferRow, { best }: OfferList): number | null {
  if (quote === null || best === null || provider === best.provider) return null
  return (0 - behindBps(quote, best)) / 100
}

/** Whether a build of the offer would be held to the level of the chain. */
export const isHeld = (row: OfferRow, list: OfferList): boolean =>
  row.quote !== null && outcomeOf(row, list)?.outcome !== 'outlier'

function reasonOf(quote: Quote, best: Quote): string {
  const isLess = outOf(quote) < outOf(best)
  const isDear = isNet(quote, best) && (quote.gasUsd ?? 0) > (best.gasUsd ?? 0)
  if (isDear) return isLess ? 'Less output, higher gas' : 'Higher gas'
  return isLess ? 'Less output' : 'Less in the end'
}

const isNet = (quote: Quote, best: Quote): boolean => quote.netOut != null && best.netOut != null

/** By what usually arrives, net of gas if known for both; for an earlier offer, by its value at that time. */
export function behindBps(quote: Quote, best: Quote): number {
  const usualOf = (one: Quote): bigint =>
    (isNet(quote, best) ? BigInt(one.netOut!) : outOf(one)) -
    (outOf(one) * BigInt(one.deliveryLossBps ?? 0)) / 10_000n
  const [value, most] = [usualOf(quote), usualOf(best)]
  return most <= 0n ? 0 : Number(((most - value) * 10_000n) / most)
}
