/**
 * One order, several providers at once: the best offer wins. A hung provider
 * costs the soft deadline and no more; what became of the others is told.
 *
 * An offer that can be built from beats one that cannot, whatever it promises:
 * a second opinion shows what the market is, but nobody can swap by it.
 *
 * An offer that is far above all others, and above what the token list's prices
 * make of the order, is an outlier: whoever answers for a provider may promise
 * anything, and wins nothing by it.
 *
 * Source: §4.5
 */

import type { ProviderRun, RaceEnd } from '../http/counts/bake-off.ts'
import type { ProvedProvider } from '../proof/proved.ts'
import type { Offer, Order } from '../providers/provider.ts'
import type { CancellationScope } from '../runtime/cancellation.ts'
import { CLOCK, type Clock } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import { DEADLINES, type Deadlines } from './deadlines.ts'

/** What became of a provider that did not win; goes into `route.alternatives`. */
export type Alternative =
  | {
      readonly provider: string
      readonly outcome: 'offered'
      readonly expectedOut: string
      readonly minOut: string
    }
  /** Too good to be true, so that it could not win. */
  | {
      readonly provider: string
      readonly outcome: 'outlier'
      readonly expectedOut: string
      readonly minOut: string
    }
  | { readonly provider: string; readonly outcome: 'failed'; readonly code: string; readonly error: string }
  | { readonly provider: string; readonly outcome: 'late' }

/** What a provider has answered so far; neither an offer nor a failure where it is still asked. */
export interface Answer {
  readonly provider: ProvedProvider
  readonly offer: Offer | null
  readonly failure: GatewayError | null
  /** When it answered, Unix ms; 0 until then. */
  readonly asOf: number
}

/** Too good to be true where it is an outlier. */
export type Judged = Answer & { readonly isOutlier: boolean }

export interface Winner {
  readonly provider: ProvedProvider
  readonly offer: Offer
  readonly asOf: number
  /** In the providers' order of preference. */
  readonly alternatives: readonly Alternative[]
  /**
   * What everybody answered, the best first, outliers after all other offers and
   * failures last: settles with the last of them, at the hard deadline.
   */
  readonly standings: Promise<readonly Judged[]>
  /** What everybody has answered so far, in the order of preference. */
  readonly answers: readonly Answer[]
  /** What all offers so far take up: those that did not win are kept for the standings. */
  bytes(): number
}

interface Runner extends Answer {
  readonly scope: CancellationScope
  offer: Offer | null
  failure: GatewayError | null
  asOf: number
  /** Until it answered or failed; null until then. */
  ms: number | null
}

/** Percent of the best of the others, and of what the prices say, above which an offer is too good to be true. */
const FAR_PERCENT = 125n
/** The same where no price is known: a thin pool beside a deep one may give half of it. */
const FAR_UNPRICED_PERCENT = 300n

export interface RaceOptions extends Partial<Pick<Deadlines, 'softMs' | 'hardMs'>> {
  /** What the order should give by prices that are known, base units; null or absent where they are not. */
  readonly fairOut?: bigint | null
  readonly clock?: Clock
  /** Told once it is decided, but not where nobody waits any more. */
  readonly onEnd?: ((end: RaceEnd) => void) | null
}

/**
 * @param providers  in order of preference, at least one
 * @param abandoned  cancelled when nobody waits for the answer any more
 * @throws GatewayError  when nobody offers: what the caller can mend before what it cannot
 */
export function race(
  order: Order,
  providers: readonly ProvedProvider[],
  abandoned: CancellationScope,
  options: RaceOptions = {},
): Promise<Winner> {
  const { softMs = DEADLINES.softMs, hardMs = DEADLINES.hardMs } = options
  const { fairOut = null, clock = CLOCK, onEnd = null } = options
  const startedAt = clock.now()
  return new Promise((resolve, reject) => {
    const runners: Runner[] = providers.map((provider) => ({
      provider,
      scope: abandoned.fork(),
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
      const best = bestOf(runners, fairOut)
      const mayWait = running > 0 && !(isSoftOver && best !== null)
      if (mayWait && !abandoned.isCancelled) return
      isDecided = true
      clearTimeout(soft)
      abandoned.unwatch(leaving)
      if (!abandoned.isCancelled) onEnd?.(endOf(order, runners, best, fairOut))
      // A call that is only late runs on to its deadline: a provider that hangs has to
      // fail before its breaker opens, and spares those who ask next the soft deadline.
      if (best === null) reject(worstNews(runners))
      else resolve(winnerOf(best, runners, fairOut, standings))
    }

    const leaving = { cancel: decide }
    const soft = setTimeout(() => {
      isSoftOver = true
      decide()
    }, softMs)
    abandoned.watch(leaving)
    const asked = runners.map(async (runner) => {
      try {
        const asking = { deadlineMs: hardMs, priority: 'quote', scope: runner.scope } as const
        runner.offer = await runner.provider.quote(order, asking)
      } catch (error) {
        if (!(error instanceof GatewayError)) {
          isDecided = true
          clearTimeout(soft)
          abandoned.unwatch(leaving)
          reject(error)
          throw error
        }
        runner.failure = error
      }
      runner.asOf = clock.date()
      runner.ms = clock.now() - startedAt
      running--
      decide()
    })
    const standings = Promise.all(asked).then(() => ranked(runners, fairOut))
    // A fault is told by the race; of one after it nobody may want to hear.
    standings.catch(() => {})
  })
}

/**
 * A race of which the answers are known already.
 * @param answers   in the order of preference
 * @param fairOut   as in RaceOptions
 * @returns null where nobody has offered anything
 */
export function decided(answers: readonly Answer[], fairOut: bigint | null): Winner | null {
  const best = bestOf(answers, fairOut)
  const standings = Promise.resolve(ranked(answers, fairOut))
  return best === null ? null : winnerOf(best, answers, fairOut, standings)
}

function winnerOf(
  best: Answer,
  answers: readonly Answer[],
  fairOut: bigint | null,
  standings: Winner['standings'],
): Winner {
  return {
    provider: best.provider,
    offer: best.offer!,
    asOf: best.asOf,
    alternatives: answers
      .filter(not(best))
      .map((answer) => told({ ...answer, isOutlier: isOutlier(answer, answers, fairOut) })),
    standings,
    answers,
    bytes: () => answers.reduce((sum, { offer }) => sum + (offer?.raw.length ?? 0), 0),
  }
}

/** The largest `expectedOut` among those that can be built from, else among all; ties go to the preferred. */
function bestOf<A extends Answer>(answers: readonly A[], fairOut: bigint | null): A | null {
  let best: A | null = null
  for (const answer of answers) {
    if (answer.offer === null || isOutlier(answer, answers, fairOut)) continue
    if (best === null || isBetter(answer, best)) best = answer
  }
  return best
}

/** The first is the one that `bestOf` finds. */
function ranked(answers: readonly Answer[], fairOut: bigint | null): readonly Judged[] {
  const judged = answers.map((answer) => ({ ...answer, isOutlier: isOutlier(answer, answers, fairOut) }))
  const offered = judged.filter(({ offer, isOutlier }) => offer !== null && !isOutlier)
  return [
    ...offered.sort((a, b) => (isBetter(a, b) ? -1 : isBetter(b, a) ? 1 : 0)),
    ...judged.filter(({ isOutlier }) => isOutlier),
    ...judged.filter(({ offer }) => offer === null),
  ]
}

/** Whether an offer is far above all others, and above what the prices say. One alone cannot be judged. */
function isOutlier({ offer }: Answer, answers: readonly Answer[], fairOut: bigint | null): boolean {
  if (offer === null) return false
  const percent = fairOut === null ? FAR_UNPRICED_PERCENT : FAR_PERCENT
  const isFarAbove = (out: bigint): boolean => offer.expectedOut * 100n > out * percent
  const others = answers.flatMap((answer) =>
    answer.offer === null || answer.offer === offer ? [] : [answer.offer],
  )
  if (others.length === 0 || (fairOut !== null && !isFarAbove(fairOut))) return false
  return others.every(({ expectedOut }) => isFarAbove(expectedOut))
}

function isBetter(a: Answer, b: Answer): boolean {
  if (a.provider.canBuild !== b.provider.canBuild) return a.provider.canBuild
  return a.offer!.expectedOut > b.offer!.expectedOut
}

/** A refusal of the request itself explains more than an outage beside it. */
function worstNews(runners: readonly Runner[]): GatewayError {
  const failures = runners.flatMap(({ failure }) => failure ?? [])
  const gone = new GatewayError('upstream_timeout', 'No provider answered in time.', { scope: 'provider' })
  return failures.find(({ status }) => status === 400) ?? failures[0] ?? gone
}

/** As `route.alternatives` tells of it. */
export function told({ provider: { label }, offer, failure, isOutlier }: Judged): Alternative {
  if (offer !== null) {
    const { expectedOut, minOut } = offer
    const outcome = isOutlier ? 'outlier' : 'offered'
    return { provider: label, outcome, expectedOut: String(expectedOut), minOut: String(minOut) }
  }
  if (failure === null) return { provider: label, outcome: 'late' }
  return { provider: label, outcome: 'failed', code: failure.code, error: failure.message }
}

/** What is counted of it: nothing of what was asked for but the chain and the side. */
function endOf(
  { chain, side }: Order,
  runners: readonly Runner[],
  won: Runner | null,
  fairOut: bigint | null,
): RaceEnd {
  let most = 0n
  const outliers = new Set(runners.filter((runner) => isOutlier(runner, runners, fairOut)))
  for (const runner of runners) {
    const { offer } = runner
    if (offer !== null && !outliers.has(runner) && offer.expectedOut > most) most = offer.expectedOut
  }
  const runs = runners.map((runner): ProviderRun => {
    const { provider, offer, failure, ms } = runner
    const run = { provider: provider.label, code: failure?.code ?? null, ms, distanceBps: null }
    if (failure !== null) return { ...run, outcome: 'failed' }
    if (offer === null) return { ...run, outcome: 'late' }
    if (outliers.has(runner)) return { ...run, outcome: 'outlier' }
    const distanceBps = most === 0n ? 0 : Number(((most - offer.expectedOut) * 10_000n) / most)
    return { ...run, outcome: runner === won ? 'won' : 'offered', distanceBps }
  })
  return { chain: chain.key, side, runs }
}

function not(answer: Answer): (other: Answer) => boolean {
  return (other) => other !== answer
}
