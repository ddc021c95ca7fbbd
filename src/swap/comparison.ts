/**
 * GET /api/v2quote: every provider's quote in the order in which they would
 * win, each with the reason for its rank.
 *
 * Source: §4.10 (no contract), §4.5 for the quotes
 */
import { type Static, Type } from 'typebox'
import { reachedBy } from '../providers/provider.ts'
import { LEVELS } from '../runtime/levels.ts'
import { Quote } from '../runtime/resources/quote.ts'
import { boolean, integer, nullable, string } from '../runtime/resources/shared.ts'
import { amountOf, fairOutOf, isInLine, outOfLine } from './fair.ts'
import {
  type Alternative,
  alternativeOf,
  behindBps,
  isLower,
  LEVEL_BPS,
  MAX_BPS,
  type OfferedAnswer,
  type Race,
  type RankedAnswer,
  type RankedOffer,
  rankedBy,
  type Standing,
  standingOf,
} from './race.ts'
import texts from './texts.json' with { type: 'json' }

const { comparison: text } = texts

const RankedQuote = Type.Object({
  ...Quote.properties,
  rank: integer(text.rank),
  differenceBps: integer(text.differenceBps),
  behindBps: integer(text.behindBps),
  outlier: boolean(text.outlier),
  verification: Type.Enum([...LEVELS], { description: text.verification }),
  why: string('why it has this rank, for people'),
})

export const Comparison = Type.Object({
  quotes: Type.Array(RankedQuote, { description: text.quotes }),
  missing: Type.Array(
    Type.Object({
      provider: Type.String(),
      outcome: Type.Enum(['failed', 'late'], { description: 'late: no answer by the hard deadline' }),
      code: string('as in Error bodies'),
      why: string('for people'),
    }),
    { description: 'the providers that have no quote' },
  ),
  fairOut: nullable(string(text.fairOut)),
})
export type Comparison = Static<typeof Comparison>

/**
 * @param standings  of the race, at least one offer in line with the fair output among them
 * @param toQuote    seals an offer
 */
export function compare(
  { order, fair }: Race,
  standings: readonly RankedAnswer[],
  toQuote: (answer: OfferedAnswer, alternatives: readonly Alternative[]) => Quote,
): Comparison {
  const offers = standings.filter(
    (answer): answer is RankedOffer => answer.offer !== null && isInLine(answer.offer, fair),
  )
  const best = offers[0]!
  const standing = standingOf(order, fair, best, standings)
  const by = rankedBy(standings, fair)
  const fairOut = fairOutOf(best.offer, fair)
  return {
    quotes: offers.map((answer, i) => ({
      ...toQuote(
        answer,
        standings.filter((other) => other !== answer).map((other) => alternativeOf(other, standing)),
      ),
      rank: i + 1,
      differenceBps: Number(differenceBps(answer, best)),
      outlier: answer.isOutlier,
      verification: reachedBy(answer.provider, order.chain),
      behindBps: behindBps(answer.offer, standing),
      why:
        (answer === best ? whyBest(offers, standing, by) : whyBehind(answer, best, fair.out, standing, by)) +
        (isLower(answer, standings) ? ` Its lower level of verification counts as ${LEVEL_BPS} bps.` : ''),
    })),
    missing: standings.flatMap(({ provider: { label }, offer, failure: failed }) => {
      const failure = failed ?? (offer && outOfLine(offer, fair, label))
      if (failure === null) return []
      const outcome = failure.code === 'upstream_timeout' ? ('late' as const) : ('failed' as const)
      return [{ provider: label, outcome, code: failure.code, why: failure.message }]
    }),
    fairOut: fairOut === null ? null : String(fairOut),
  }
}

/** Hundredths of a percent of the best offer's amount, rounded towards zero; at most MAX_BPS. */
function differenceBps(answer: RankedOffer, best: RankedOffer): bigint {
  const own = amountOf(best.offer)
  const bps = ((amountOf(answer.offer) - own) * 10_000n) / own
  return bps > MAX_BPS ? MAX_BPS : bps
}

function whyBest([best, ...others]: readonly RankedOffer[], standing: Standing, by: 'net' | 'gross'): string {
  const rivals = others.filter(({ isOutlier }) => !isOutlier)
  if (others.length === 0) return 'The only offer.'
  const [second] = rivals
  if (second === undefined) return 'The only offer that is not an outlier.'
  const behind = aheadOf(second, standing)
  const [most, less] = wordsOf(best!)
  if (behind === 0n) {
    return `As much as ${second.provider.label} offers${AFTER[by]}; among equal offers the preferred provider comes first.`
  }
  return `The ${most}${AFTER[by]}; ${second.provider.label} is next with ${bpsText(bpsOf(second, standing))} ${less}.`
}

function whyBehind(
  answer: RankedOffer,
  best: RankedOffer,
  fairOut: bigint | null,
  standing: Standing,
  by: 'net' | 'gross',
): string {
  const bps = bpsOf(answer, standing)
  const [, less, more] = wordsOf(answer)
  const behind = aheadOf(answer, standing)
  const much =
    behind === 0n
      ? 'as much as'
      : behind < 0n
        ? `${bpsText(-bps)} ${more} than`
        : `${bpsText(bps)} ${less} than`
  const compared = `${much} ${best.provider.label} offers${AFTER[by]}`
  if (answer.isOutlier) {
    const believed =
      fairOut === null ? 'all others' : 'all others, and above what the order should give by known prices'
    return `Too good to be true: ${compared}, far above ${believed}.`
  }
  const preferred = behind === 0n ? ', which is preferred' : ''
  return `${compared[0]!.toUpperCase()}${compared.slice(1)}${preferred}.`
}

const AFTER = { net: ' after gas', gross: '' } as const

/** How much more the best offer is worth than another, by the ranking's measure. */
const aheadOf = ({ offer }: RankedOffer, { best, scoreOf }: Standing): bigint =>
  scoreOf(best) - scoreOf(offer)
const bpsOf = ({ offer }: RankedOffer, standing: Standing): bigint => BigInt(behindBps(offer, standing))

/** An exact output is better the less it takes. */
const wordsOf = ({ offer: { takes } }: RankedOffer) =>
  takes === undefined ? (['most', 'less', 'more'] as const) : (['least', 'more', 'less'] as const)

function bpsText(bps: bigint): string {
  if (bps === 0n) return 'under 1 bps'
  return bps === MAX_BPS ? `at least ${MAX_BPS} bps` : `${bps} bps`
}
