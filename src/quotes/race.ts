/**
 * One order, several providers at once: the best offer wins. A hung provider
 * costs the soft deadline and no more; what became of the others is told.
 *
 * An offer that can be built from beats one that cannot, whatever it promises:
 * a second opinion shows what the market is, but nobody can swap by it.
 *
 * Source: §4.5
 */
import { GatewayError } from '../errors.ts'
import type { ProvedProvider } from '../proof/proved.ts'
import type { Offer, Order } from '../providers/provider.ts'
import type { Cancel } from '../upstream/cancel.ts'
import { DEADLINES, type Deadlines } from './deadlines.ts'

/** What became of a provider that did not win; goes into `route.alternatives`. */
export type Alternative =
  | {
      readonly provider: string
      readonly outcome: 'offered'
      readonly expectedOut: string
      readonly minOut: string
    }
  | { readonly provider: string; readonly outcome: 'failed'; readonly code: string; readonly error: string }
  | { readonly provider: string; readonly outcome: 'late' }

export interface Winner {
  readonly provider: ProvedProvider
  readonly offer: Offer
  /** In the providers' order of preference. */
  readonly alternatives: readonly Alternative[]
}

interface Runner {
  readonly provider: ProvedProvider
  readonly cancel: Cancel
  offer: Offer | null
  failure: GatewayError | null
}

/**
 * @param providers  in order of preference, at least one
 * @param abandoned  cancelled when nobody waits for the answer any more
 * @throws GatewayError  when nobody offers: what the caller can mend before what it cannot
 */
export function race(
  order: Order,
  providers: readonly ProvedProvider[],
  abandoned: Cancel,
  {
    softMs = DEADLINES.softMs,
    hardMs = DEADLINES.hardMs,
  }: Partial<Pick<Deadlines, 'softMs' | 'hardMs'>> = {},
): Promise<Winner> {
  return new Promise((resolve, reject) => {
    const runners: Runner[] = providers.map((provider) => ({
      provider,
      cancel: abandoned.fork(),
      offer: null,
      failure: null,
    }))
    let running = runners.length
    let isSoftOver = false
    let isDecided = false

    const decide = (): void => {
      if (isDecided) return
      const best = bestOf(runners)
      const mayWait = running > 0 && !(isSoftOver && best !== null)
      if (mayWait && !abandoned.isCancelled) return
      isDecided = true
      clearTimeout(soft)
      abandoned.unwatch(leaving)
      // A call that is only late runs on to its deadline: a provider that hangs has to
      // fail before its breaker opens, and spares those who ask next the soft deadline.
      if (best === null) reject(worstNews(runners))
      else
        resolve({
          provider: best.provider,
          offer: best.offer!,
          alternatives: runners.filter(not(best)).map(told),
        })
    }

    const leaving = { cancel: decide }
    const soft = setTimeout(() => {
      isSoftOver = true
      decide()
    }, softMs)
    abandoned.watch(leaving)
    for (const runner of runners) {
      runner.provider.quote(order, { deadlineMs: hardMs, priority: 'quote', cancel: runner.cancel }).then(
        (offer) => {
          runner.offer = offer
          running--
          decide()
        },
        (error: unknown) => {
          if (!(error instanceof GatewayError)) {
            isDecided = true
            clearTimeout(soft)
            abandoned.unwatch(leaving)
            return reject(error)
          }
          runner.failure = error
          running--
          decide()
        },
      )
    }
  })
}

/** The largest `expectedOut` among those that can be built from, else among all; ties go to the preferred. */
function bestOf(runners: readonly Runner[]): Runner | null {
  let best: Runner | null = null
  for (const runner of runners) {
    if (runner.offer === null) continue
    if (best === null || isBetter(runner, best)) best = runner
  }
  return best
}

function isBetter(a: Runner, b: Runner): boolean {
  if (a.provider.canBuild !== b.provider.canBuild) return a.provider.canBuild
  return a.offer!.expectedOut > b.offer!.expectedOut
}

/** A refusal of the request itself explains more than an outage beside it. */
function worstNews(runners: readonly Runner[]): GatewayError {
  const failures = runners.flatMap(({ failure }) => failure ?? [])
  const gone = new GatewayError('upstream_timeout', 'No provider answered in time.', { scope: 'provider' })
  return failures.find(({ status }) => status === 400) ?? failures[0] ?? gone
}

function told({ provider: { label }, offer, failure }: Runner): Alternative {
  if (offer !== null) {
    const { expectedOut, minOut } = offer
    return { provider: label, outcome: 'offered', expectedOut: String(expectedOut), minOut: String(minOut) }
  }
  if (failure === null) return { provider: label, outcome: 'late' }
  return { provider: label, outcome: 'failed', code: failure.code, error: failure.message }
}

function not(runner: Runner): (other: Runner) => boolean {
  return (other) => other !== runner
}
