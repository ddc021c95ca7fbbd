/**
 * Decides between the answers of several upstreams to one transaction. The first acceptance counts, because
 * the transaction is on its way once one node has queued it. Without one, the operator's order decides, not
 * the order of arrival.
 */

import type { Clock } from '../../../runtime/clock.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import type { RpcReply } from '../json-rpc.ts'

/**
 * The other attempts end by themselves: cutting them off would close their connections, and might lose the
 * transaction on its way.
 * @param attempts  in order of preference; a reply without an error is an acceptance
 * @param isAboutNode  whether a refusal is about the node's own state, so that another refusal is worth more
 * @param graceMs  how long after the first refusal another upstream may still accept
 * @throws GatewayError  signature_mismatch if any attempt failed with it, else the most preferred failure
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

/** Whether a failure outweighs others: the upstream lies, or the transaction is not what it seemed. */
function isMismatch(failure: unknown): boolean {
  return failure instanceof GatewayError && failure.code === 'signature_mismatch'
}
