/**
 * One transaction, several upstreams at once: whose word counts? The first
 * acceptance, because once one node has queued the transaction it is on its
 * way. Without one, the operator's order decides, not the order of arrival.
 */

import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { RpcReply } from './json-rpc.ts'

/**
 * The others' attempts are left to end by themselves: cutting them off would
 * close their connections, and perhaps lose the transaction on its way.
 * @param attempts  in order of preference; a reply that is no error is an acceptance
 * @param isAboutNode  whether a refusal speaks of the node's own state, so that another's is worth more
 * @param graceMs  how long the others may still accept after the first refusal
 * @throws GatewayError  signature_mismatch when any attempt failed with it, else the most preferred failure
 */
export function firstAcceptance(
  attempts: readonly Promise<RpcReply>[],
  isAboutNode: (refusal: RpcReply) => boolean,
  graceMs: number,
  clock: Clock,
): Promise<RpcReply> {
  return new Promise((resolve, reject) => {
    const refusals: (RpcReply | null)[] = attempts.map(() => null)
    const failures: unknown[] = attempts.map(() => null)
    let open = attempts.length
    let endGrace: (() => void) | null = null
    let isDecided = false

    const decide = (accepted: RpcReply | null) => {
      if (isDecided) return
      isDecided = true
      endGrace?.()
      const refused = refusals.filter((refusal) => refusal !== null)
      const reply = accepted ?? refused.find((refusal) => !isAboutNode(refusal)) ?? refused[0]
      if (reply !== undefined) resolve(reply)
      else reject(failures.find(isMismatch) ?? failures.find((failure) => failure !== null))
    }

    attempts.forEach(async (attempt, at) => {
      try {
        const reply = await attempt
        if (reply.error === null) return decide(reply)
        refusals[at] = reply
        if (!isDecided) endGrace ??= clock.after(graceMs, () => decide(null))
      } catch (error) {
        failures[at] = error
      }
      if (--open === 0) decide(null)
    })
  })
}

/**
 * Whether a failure is worth more than others: an upstream that lies, or a
 * transaction that is not what it seemed.
 */
function isMismatch(failure: unknown): boolean {
  return failure instanceof GatewayError && failure.code === 'signature_mismatch'
}
