/** Verifies what was built against the order, and never throws. */
import { GatewayError } from '../../runtime/errors.ts'
import { readCrossChainOrder, readSwapOrder } from './order.ts'
import type { Confirmed, CrossChainOrder, SwapOrder, Verdict, VerifyOptions } from './types.ts'
import { objectOf } from './verdict.ts'

/**
 * Verifies the answer of POST /api/build or GET /api/xquote.
 *
 * @param order  what the user asked for, from the wallet's own form
 * @param built  the answer, as it came
 * @returns what was proved, with `send`, the only thing to sign; or the rule that does not hold. It never throws:
 *          what cannot be read is refused, and so is what rests on a word that `accept` does not name.
 */
export async function verify(
  order: SwapOrder | CrossChainOrder,
  built: unknown,
  { trust = {}, accept = [], now = Date.now }: VerifyOptions = {},
): Promise<Verdict> {
  try {
    const answer = objectOf(built)
    if ('fromChain' in order) {
      const read = await readCrossChainOrder(order, trust)
      const { verifyCrossChain } = await import('./cross-chain.ts')
      return withAccepted(await verifyCrossChain(read, answer, trust, now()), accept)
    }
    const read = await readSwapOrder(order, trust)
    const { verifySwap } = await import('./swap.ts')
    return withAccepted(await verifySwap(read, answer, trust, now()), accept)
  } catch (error) {
    return refused(error)
  }
}

/** Nothing is verified on the gateway's word alone, unless the user accepted that. */
function withAccepted(verdict: Confirmed, accept: readonly string[]): Verdict {
  const stated = verdict.stated.filter((what) => !accept.includes(what))
  if (stated.length === 0) return verdict
  const { needs } = verdict
  const message = `Only the gateway's word is there for its ${stated.join(', ')}: see \`needs\`, or \`accept\` it.`
  return { isVerified: false, rule: stated[0]!, message, stated, needs }
}

function refused(error: unknown): Verdict {
  if (!(error instanceof GatewayError)) {
    // A hostile answer of another shape than any that is known, or a source of `trust` that failed.
    const reason = error instanceof Error ? error.message : String(error)
    return { isVerified: false, rule: 'malformed', message: `The answer could not be read: ${reason}` }
  }
  const { code, message, fields } = error
  const rule = typeof fields.rule === 'string' ? fields.rule : code
  return { isVerified: false, rule, message: code === 'material_refused' ? REFUSED : message }
}

const REFUSED = 'This is not what was ordered. Do not sign it.'
