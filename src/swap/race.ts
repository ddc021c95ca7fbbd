/**
 * A race: every provider of a chain is asked for one order at once, and the best offer wins. A provider that
 * hangs costs no more than the soft deadline; `alternatives` says how each of the others ended.
 *
 * An offer far above all others is an outlier and cannot win, because a compromised provider can promise any
 * amount; but only if two of the other offers and the fair output agree on less. Otherwise the lowest bidder
 * could make an honest offer look like an outlier, which costs a wallet the difference, while too high an
 * offer only costs a transaction that reverts.
 *
 * Offers are ranked net of gas if gas is known for every offer, within bounds, see gas.ts; else gross; less
 * the provider's observed shortfall, and less LEVEL_BPS if its builds reach a lower level than another's.
 *
 * Source: §4.5
 */

import { findMajor } from '../chains/majors.ts'
import type { Call } from '../flow/call.ts'
import { type ProviderRun, pairClassOf, type RaceEnd } from '../http/counts/bake-off.ts'
import type { RaceOffers } from '../http/counts/promises.ts'
import { sizeOf } from '../http/counts/truth.ts'
import type { Order, OutputOrder, Token } from '../proof/terms/order.ts'
import type { ProvedProvider } from '../providers/proved.ts'
import type { Offer } from '../providers/provider.ts'
import { GatewayError } from '../runtime/errors.ts'
import { isAtLeast, type Level } from '../runtime/levels.ts'
import { DEADLINES, type Deadlines } from './deadlines.ts'
import { type Fair, isInLine, offerValue, UNPRICED } from './fair.ts'
import { gasFields, rankedNet } from './gas.ts'

/** How a provider that did not win ended; part of `route.alternatives`. */
export type Alternative = ReturnType<typeof alternativeOf>

/** A provider's answer so far; neither an offer nor a failure while the call is in progress. */
export interface ProviderAnswer {
  readonly provider: ProvedProvider
  readonly offer: Offer | null
  readonly failure: GatewayError | null
  /** When it answered, Unix ms; 0 until then. */
  readonly asOf: number
}

/** An answer with an offer. */
export interface OfferedAnswer extends ProviderAnswer {
  readonly offer: Offer
}

/** An answer at its rank; an outlier is too good to be true. */
export type RankedAnswer = ProviderAnswer & { readonly isOutlier: boolean }
export type RankedOffer = RankedAnswer & OfferedAnswer

/** A race that is decided. */
export interface Race {
  readonly order: Order | OutputOrder
  readonly fair: Fair
  readonly winner: OfferedAnswer
  /** The other providers when the race was decided, in order of preference. */
  readonly alternatives: readonly Alternative[]
  /**
   * Every provider's answer, the best offer first, outliers after all other offers and failures
   * last. Settles with the last answer, at the hard deadline at the latest.
   */
  readonly standings: Promise<readonly RankedAnswer[]>
  /** Every provider's answer so far, in order of preference. */
  readonly answers: readonly ProviderAnswer[]
}

/** An answer while its race runs. */
interface Runner extends ProviderAnswer {
  offer: Offer | null
  failure: GatewayError | null
  asOf: number
  /** How long the provider took, ms; null until it answered or failed. */
  ms: number | null
}

/** Percent of every other offer, and of the fair output, above which an offer is an outlier. */
const FAR_PERCENT = 125n
/** Two amounts agree if the higher is at most this percent of the lower. */
const AGREEING_PERCENT = 125n
/** The same without a known price: a thin pool may give half of what a deep one does. */
const FAR_UNPRICED_PERCENT = 300n

/** How much more an offer has to give if another's builds reach a higher level: it wins above that. */
export const LEVEL_BPS = 5

interface RaceOptions extends Partial<Pick<Deadlines, 'softMs'>> {
  /** What is known of the order's value so far. Absent: nothing. */
  readonly fair?: () => Fair
  /** Called for each offer as it arrives, also after the decision, with every provider's answer so far. */
  readonly onOffer?: ((answers: readonly ProviderAnswer[]) => void) | null
  /** Called once when the race is decided, unless the clients have left by then. */
  readonly onEnd?: ((end: RaceEnd) => void) | null
}

/**
 * @param providers  in order of preference, at least one
 * @param call       cancelled when no client waits for the answer any more; a provider without an offer by
 * its deadline has failed
 * @throws GatewayError  if no provider offers: a 400 of one of them before any other failure
 */
export function race(
  order: Order | OutputOrder,
  providers: readonly ProvedProvider[],
  call: Call,
  options: RaceOptions = {},
): Promise<Race> {
  const { softMs = DEADLINES.softMs, fair = () => UNPRICED, onOffer = null, onEnd = null } = options
  const { clock, scope } = call
  const startedAt = clock.now()
  return new Promise((resolve, reject) => {
    const runners: Runner[] = providers.map((provider) => ({
      provider,
      offer: null,
      failure: null,
      asOf: 0,
      ms: null,
    }))
    let running = runners.length
    let isSoftOver = false
    let isDecided = false

    const decide = (): void => {
      if (isDecided) return
      const best = bestOf(runners, fair())
      const mayWait = running > 0 && !(isSoftOver && best !== null)
      if (mayWait && !scope.isCancelled) return
      isDecided = true
      cancelSoft()
      scope.unwatch(leaving)
      if (!scope.isCancelled) onEnd?.(endOf(order, runners, best, fair(), scope.client))
      // A call that is only late runs on to its deadline: a provider that hangs has to fail
      // before its circuit breaker opens, which spares later requests the soft deadline.
      if (best === null) reject(worstFailure(runners))
      else resolve(raceOf({ order, fair: fair(), winner: best, answers: runners, standings }))
    }

    const leaving = { cancel: decide }
    const cancelSoft = clock.after(softMs, () => {
      isSoftOver = true
      decide()
    })
    scope.watch(leaving)
    const asked = runners.map(async (runner) => {
      try {
        runner.offer = await runner.provider.quote(order, call.fork())
      } catch (error) {
        if (!(error instanceof GatewayError)) {
          isDecided = true
          cancelSoft()
          scope.unwatch(leaving)
          reject(error)
          throw error
        }
        runner.failure = error
      }
      runner.asOf = clock.date()
      runner.ms = clock.now() - startedAt
      running--
      decide()
      if (runner.offer !== null) onOffer?.(runners)
    })
    const standings = Promise.all(asked).then(() => ranked(runners, fair()))
    // The race itself rejects with a fault of the gateway; a later one may have no listener.
    standings.catch(() => {})
  })
}

/** A decided race, judged again by what has become known of the order's value. */
export function judged(race: Race, fair: Fair): Race {
  const { order, answers } = race
  const standings = race.standings.then(() => ranked(answers, fair))
  standings.catch(() => {})
  return raceOf({ order, fair, winner: bestOf(answers, fair)!, answers, standings })
}

function raceOf(decided: Omit<Race, 'alternatives'>): Race {
  const { order, fair, winner, answers } = decided
  const standing = standingOf(order, fair, winner, answers)
  const alternatives = answers
    .filter((answer) => answer !== winner)
    .map((answer) => alternativeOf({ ...answer, isOutlier: isOutlier(answer, answers, fair) }, standing))
  return { ...decided, alternatives }
}

/** The bytes of all offers so far: those that did not win are kept for the standings. */
export function offeredBytes({ answers }: Race): number {
  return answers.reduce((sum, { offer }) => sum + (offer?.raw.length ?? 0), 0)
}

/** How offers are ranked: net of gas only if the gas of every offer can be counted. */
export function rankedBy(answers: readonly ProviderAnswer[], { gas = null }: Fair): 'net' | 'gross' {
  if (gas === null) return 'gross'
  return answers.every(({ offer }) => offer === null || offer.gas !== undefined) ? 'net' : 'gross'
}

/** The amount that an offer is ranked by. */
type ScoreOf = (offer: Offer) => bigint

function valuedBy(answers: readonly ProviderAnswer[], fair: Fair): ScoreOf {
  const { gas = null } = fair
  const offers = answers.flatMap(({ offer }) => offer ?? [])
  const netOf = gas === null || rankedBy(answers, fair) === 'gross' ? null : rankedNet(offers, gas, fair)
  const lower = new Set(answers.filter((answer) => isLower(answer, answers)).map(({ offer }) => offer))
  return (offer) => {
    const value = netOf === null ? offerValue(offer, fair) : netOf(offer)
    const taken = lossOf(offer, answers, fair) + (lower.has(offer) ? LEVEL_BPS : 0)
    return value - (offerValue(offer, fair) * BigInt(taken)) / 10_000n
  }
}

/** Whether the builds of an offer reach a lower level than those of another. */
export function isLower({ provider }: ProviderAnswer, answers: readonly ProviderAnswer[]): boolean {
  const { reaches } = provider
  // Absent: all that the chain's family reaches.
  return (
    reaches !== undefined &&
    answers.some(
      ({ offer, provider: other }) => offer !== null && !isAtLeast(reaches, other.reaches ?? HIGHEST),
    )
  )
}
const HIGHEST: Level = 'proved'

/** The usual shortfall of an offer's provider, bps. */
export function lossOf(offer: Offer, answers: readonly ProviderAnswer[], { losses }: Fair): number {
  if (losses === undefined) return 0
  const from = answers.find((answer) => answer.offer === offer)
  return (from && losses[from.provider.label]) ?? 0
}

/** The offer of the most value; ties go to the preferred. */
function bestOf(answers: readonly ProviderAnswer[], fair: Fair): OfferedAnswer | null {
  const scoreOf = valuedBy(answers, fair)
  let best: OfferedAnswer | null = null
  for (const answer of answers) {
    if (answer.offer === null || isOutlier(answer, answers, fair)) continue
    const offered = answer as OfferedAnswer
    if (best === null || scoreOf(offered.offer) > scoreOf(best.offer)) best = offered
  }
  return best
}

/** The offers of a decided race that could win, in their order. */
export const winnersOf = ({ answers, fair }: Pick<Race, 'answers' | 'fair'>): readonly RankedOffer[] =>
  ranked(answers, fair).filter(
    (answer): answer is RankedOffer =>
      answer.offer !== null && !answer.isOutlier && isInLine(answer.offer, fair),
  )

/** The first is the one that `bestOf` finds. */
function ranked(answers: readonly ProviderAnswer[], fair: Fair): readonly RankedAnswer[] {
  const scoreOf = valuedBy(answers, fair)
  const all = answers.map((answer) => ({ ...answer, isOutlier: isOutlier(answer, answers, fair) }))
  const offered = all.filter((answer): answer is RankedOffer => answer.offer !== null && !answer.isOutlier)
  return [
    ...offered.sort((a, b) => compareAmounts(scoreOf(b.offer), scoreOf(a.offer))),
    ...all.filter(({ isOutlier }) => isOutlier),
    ...all.filter(({ offer }) => offer === null),
  ]
}

/** Whether an offer is far above all others and the fair output, while two of them agree on less. */
function isOutlier({ offer }: ProviderAnswer, answers: readonly ProviderAnswer[], fair: Fair): boolean {
  if (offer === null) return false
  const percent = fair.out === null ? FAR_UNPRICED_PERCENT : FAR_PERCENT
  const voices = answers.flatMap((answer) =>
    answer.offer === null || answer.offer === offer ? [] : [offerValue(answer.offer, fair)],
  )
  if (fair.out !== null) voices.push(fair.out)
  const value = offerValue(offer, fair)
  return voices.every((out) => value * 100n > out * percent) && doTwoAgree(voices)
}

function doTwoAgree(voices: bigint[]): boolean {
  const sorted = voices.sort(compareAmounts)
  return sorted.some((out, i) => i > 0 && out * 100n <= sorted[i - 1]! * AGREEING_PERCENT)
}

const compareAmounts = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

/** A refusal of the request itself explains more than another provider's outage. */
function worstFailure(answers: readonly ProviderAnswer[]): GatewayError {
  const failures = answers.flatMap(({ failure }) => failure ?? [])
  const gone = new GatewayError('upstream_timeout', 'No provider answered in time.', { scope: 'provider' })
  return failures.find(({ status }) => status === 400) ?? failures[0] ?? gone
}

/** What the others are compared with. */
export type Standing = ReturnType<typeof standingOf>

export function standingOf(
  order: Order | OutputOrder,
  fair: Fair,
  { offer: best }: OfferedAnswer,
  answers: readonly ProviderAnswer[],
) {
  const scoreOf = valuedBy(answers, fair)
  return {
    order,
    gas: fair.gas ?? null,
    best,
    scoreOf,
    lossOf: (offer: Offer) => lossOf(offer, answers, fair),
  }
}

/**
 * How far an offer is behind the best one, in hundredths of a percent of the best, by the ranking's measure;
 * rounded towards zero.
 */
export function behindBps(offer: Offer, { best, scoreOf }: Pick<Standing, 'best' | 'scoreOf'>): number {
  const [most, value] = [scoreOf(best), scoreOf(offer)]
  if (most <= 0n) return 0
  // A value falls with what an exact output takes: the difference to it is of the best, too.
  const bps = ((most - value) * 10_000n) / (offer.takes === undefined ? most : value)
  return Number(bps < -MAX_BPS ? -MAX_BPS : bps > MAX_BPS ? MAX_BPS : bps)
}

export const MAX_BPS = 1_000_000n

/** An answer as `route.alternatives` lists it. */
export function alternativeOf(
  { provider: { label: provider }, offer, failure, isOutlier }: RankedAnswer,
  standing: Standing,
) {
  if (offer !== null) {
    // Dollars, and the amount net of gas in base units: null if the gas cannot be counted.
    const { gasUsd, netOut, netIn } = gasFields(offer, standing.order, standing.gas)
    const lossBps = standing.lossOf(offer)
    const { takes } = offer
    return {
      provider,
      outcome: isOutlier ? 'outlier' : 'offered',
      expectedOut: String(offer.expectedOut),
      minOut: String(offer.minOut),
      gasUsd,
      ...(takes === undefined
        ? { netOut }
        : { netIn, amountIn: String(takes.amountIn), maxIn: String(takes.maxIn) }),
      behindBps: behindBps(offer, standing),
      ...(lossBps > 0 && { deliveryLossBps: lossBps }),
    }
  }
  if (failure === null) return { provider, outcome: 'late' }
  return { provider, outcome: 'failed', code: failure.code, error: failure.message }
}

/** What a token is to the classes of pairs. */
function sideOf(chainKey: string, { isNative, address }: Token) {
  const kind = isNative ? 'native' : findMajor(chainKey, address)?.kind
  return kind === undefined ? 'token' : kind === 'stablecoin' ? 'stable' : 'native'
}

/** An offer's amount as promises compare it. */
const comparedOf = ({ expectedOut, takes }: Offer): bigint =>
  takes === undefined ? expectedOut : -takes.amountIn
/** The same if the offer is at its worst. */
export const worstOf = ({ minOut, takes }: Offer): bigint => (takes === undefined ? minOut : -takes.maxIn)

/** What a race shows of how long offers hold. Null: nobody offers. */
export function raceOffers(
  order: Order | OutputOrder,
  answers: readonly ProviderAnswer[],
  fair: Fair,
): Omit<RaceOffers, 'client'> | null {
  const { chain, tokenIn, tokenOut } = order
  const offered = answers.filter(
    (answer): answer is OfferedAnswer => answer.offer !== null && !isOutlier(answer, answers, fair),
  )
  if (offered.length === 0) return null
  const amounts = offered.map(({ offer }) => comparedOf(offer)).sort(compareAmounts)
  const tokens = [tokenIn.address, tokenOut.address]
  const sides = [tokenIn, tokenOut].map((token) => sideOf(chain.key, token))
  const pair = sides.includes('token') ? tokens : sides
  const market = [chain.key, ...pair, ...answers.map(({ provider }) => provider.label)].join(' ')
  const amount = 'amountOut' in order ? `exactly ${order.amountOut}` : order.amountIn
  return {
    market,
    order: [market, ...tokens, amount].join(' '),
    best: amounts.at(-1)!,
    worst: offered.map(({ provider, offer }) => ({ provider: provider.label, amount: worstOf(offer) })),
  }
}

/** A race as it is counted: of the order, only the chain, the side, and its classes of pair and size are shown. */
function endOf(
  order: Order | OutputOrder,
  runners: readonly Runner[],
  winner: ProviderAnswer | null,
  fair: Fair,
  client: string,
): RaceEnd {
  const { chain, side, tokenIn, tokenOut } = order
  const best = winner?.offer
  const [spent, got] =
    'amountOut' in order
      ? [best?.takes?.amountIn, order.amountOut]
      : [order.amountIn, best?.expectedOut ?? fair.out]
  let most = 0n
  const outliers = new Set(runners.filter((runner) => isOutlier(runner, runners, fair)))
  for (const runner of runners) {
    const { offer } = runner
    const value = offer === null || outliers.has(runner) ? 0n : offerValue(offer, fair)
    if (value > most) most = value
  }
  const runs = runners.map((runner): ProviderRun => {
    const { provider, offer, failure, ms } = runner
    const run = { provider: provider.label, code: failure?.code ?? null, ms, distanceBps: null }
    if (failure !== null) return { ...run, outcome: 'failed' }
    if (offer === null) return { ...run, outcome: 'late' }
    if (outliers.has(runner)) return { ...run, outcome: 'outlier' }
    const distanceBps = Number(((most - offerValue(offer, fair)) * 10_000n) / most)
    return { ...run, outcome: runner === winner ? 'won' : 'offered', distanceBps }
  })
  const offers = raceOffers(order, runners, fair)
  return {
    chain: chain.key,
    side,
    pair: pairClassOf(sideOf(chain.key, tokenIn), sideOf(chain.key, tokenOut)),
    size: sizeOf(chain.key, [tokenIn.address, spent], [tokenOut.address, got]),
    runs,
    ...(offers && { offers: { ...offers, client } }),
  }
}
