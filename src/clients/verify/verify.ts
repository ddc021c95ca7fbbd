/** Reads what was built by the order, and never throws. */
import { GatewayError } from '../../runtime/errors.ts'
import { readCrossChainOrder, readSwapOrder } from './order.ts'
import type { CrossChainOrder, SwapOrder, Verdict, VerifyOptions } from './types.ts'
import { objectOf } from './verdict.ts'

/**
 * Verifies the answer of POST /api/build or GET /api/xquote.
 *
 * @param order  what the user asked for, from the wallet's own form
 * @param built  the answer, as it came
 * @returns what was proved, with the only material to sign; or the rule that does not hold. It never throws: what
 *          cannot be read is refused.
 */
export async function verify(
  order: SwapOrder | CrossChainOrder,
  built: unknown,
  { trust = {}, now = Date.now }: VerifyOptions = {},
): Promise<Verdict> {
  try {
    const answer = objectOf(built)
    if ('fromChain' in order) {
      const read = await readCrossChainOrder(order, trust)
      const { verifyCrossChain } = await import('./cross-chain.ts')
      return await verifyCrossChain(read, answer, trust, now())
    }
    const read = await readSwapOrder(order, trust)
    const { verifySwap } = await import('./swap.ts')
    return await verifySwap(read, answer, trust, now())
  } catch (error) {
    return refused(error)
  }
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
