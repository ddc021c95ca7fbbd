/**
 * Tries one call at one upstream after another, in the operator's order, until one answers. RPC nodes of
 * every family use it.
 */

import type { Call } from '../../flow/call.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Upstream } from '../upstream.ts'

interface FailOverOptions<Answer> {
  /** Over all attempts together. */
  readonly call: Call
  /** The lane of the call, if the upstreams have several. */
  readonly lane?: string
  ask(upstream: Upstream, call: Call): Promise<Answer>
  /** Whether an answer is only about the upstream's own state, so that another may do better. */
  isNodeFault(answer: Answer): boolean
}

/**
 * Tries one upstream after another. Each gets an equal share of the time that
 * is left, so that one that hangs leaves time for the rest.
 * @returns the first answer; if all that answer are at fault, the first of those;
 *          null if none could be called, because all are cooling down
 * @throws GatewayError  the most preferred upstream's, if none answered
 */
export async function failOver<Answer extends object>(
  upstreams: readonly Upstream[],
  { call, lane, ask, isNodeFault }: FailOverOptions<Answer>,
): Promise<Answer | null> {
  let fallback: Answer | null = null
  let failure: unknown = null

  for (let i = 0; i < upstreams.length; i++) {
    const upstream = upstreams[i]!
    const restMs = call.leftMs
    if (!upstream.isReady(lane) || restMs < 1) continue
    try {
      const answer = await ask(upstream, call.within(restMs / countReady(upstreams, i, lane)))
      if (!isNodeFault(answer)) return answer
      fallback ??= answer
    } catch (error) {
      if (!(error instanceof GatewayError) || call.scope.isCancelled) throw error
      // There is no room for the answer: nor would there be for another upstream's.
      if (error.code === 'overloaded') throw error
      failure ??= error
    }
  }
  if (fallback === null && failure !== null) throw failure
  return fallback
}

/** How many of the upstreams from this one on can be called now. */
function countReady(upstreams: readonly Upstream[], from: number, lane?: string): number {
  let count = 0
  for (let i = from; i < upstreams.length; i++) if (upstreams[i]!.isReady(lane)) count++
  return count
}

/** How long until the first of the upstreams may be called, ms. */
export function shortestWaitMs(upstreams: readonly Upstream[], lane?: string): number {
  return Math.min(...upstreams.map((upstream) => upstream.waitMs(lane)))
}
