import { jsonOf, post } from '../../http/route.ts'
import { BuildRequest, BuildResult, DEFAULT_HEADROOM_BYTES } from '../../runtime/resources/build.ts'
import { DEFAULT_SLIPPAGE_BPS } from '../../runtime/resources/order.ts'
import { type Builds, parseReturnedQuote } from '../../swap/builds.ts'
import { parseNonce } from '../../swap/nonces.ts'
import { badAddress, parsePriority, parseRequest, requireGuardable } from '../../swap/order.ts'
import recorded from '../examples/build.json' with { type: 'json' }
import { BUILDS } from '../examples/builds.ts'
import { described } from '../groups.ts'

/** A quote comes back with its provider's raw answer, which has about ten KiB. */
const MAX_BODY_BYTES = 262_144

/** POST /api/build (§4.6): unsigned material, bound to one wallet, for it to review and sign. */
export const build = (builds: Builds, maxComputeUnitPrice: bigint) =>
  post({
    path: '/api/build',
    body: BuildRequest,
    maxBytes: MAX_BODY_BYTES,
    budgets: ['swap'],
    priority: 'build',
    description: described('buildSwap', BuildResult, { examples: BUILDS, errors: recorded.errors }),
    handle(body, exchange) {
      const request = parseRequest({ ...body, slippageBps: body.slippageBps ?? DEFAULT_SLIPPAGE_BPS })
      const { from, chain } = request
      if (from === null) throw badAddress('from', chain)
      const priority = parsePriority(body.priority, chain, maxComputeUnitPrice)
      const nonce = parseNonce(body, chain, from)
      const order = { ...request, from, ...(priority !== null && { priority }), ...(nonce && { nonce }) }
      if (nonce !== null && body.cancel)
        return exchange.withBudget('swap', () => jsonOf(builds.cancel(order, nonce, exchange.scope())))
      requireGuardable(body, request)
      const returned = parseReturnedQuote(body.quote)
      const { guards = false, headroomBytes = DEFAULT_HEADROOM_BYTES } = body
      const guarded = { ...order, guards, headroomBytes }
      return exchange.withBudget('swap', () => jsonOf(builds.build(guarded, returned, exchange.scope())))
    },
  })
