import { type Example, jsonOf, post } from '../../http/route.ts'
import { BuildRequest, BuildResult, DEFAULT_HEADROOM_BYTES } from '../../runtime/resources/build.ts'
import { DEFAULT_SLIPPAGE_BPS } from '../../runtime/resources/order.ts'
import { type Builds, parseReturnedQuote } from '../../swap/builds.ts'
import { parseNonce } from '../../swap/nonces.ts'
import { badAddress, parsePriority, parseRequest, requireGuardable } from '../../swap/order.ts'
import recorded from '../examples/build.json' with { type: 'json' }
import quoted from '../examples/quote.json' with { type: 'json' }
import { described } from '../groups.ts'

/** A quote comes back with its provider's raw answer, which has about ten KiB. */
const MAX_BODY_BYTES = 262_144

type Name = keyof typeof recorded.replies & keyof typeof quoted.examples

const exampleOf = (name: Name): Example => {
  const { request, reply } = quoted.examples[name]
  return { request: { ...request, quote: reply }, reply: recorded.replies[name] }
}

/** The examples of POST /api/build: each was built from the quote of the same name. Source: §4.6 */
const BUILDS: Readonly<Record<string, Example>> = Object.fromEntries(
  (Object.keys(recorded.replies) as Name[]).map((name) => [name, exampleOf(name)]),
)

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
