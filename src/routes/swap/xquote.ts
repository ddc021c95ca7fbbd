import { Call } from '../../flow/call.ts'
import { get } from '../../http/route.ts'
import type { Clock } from '../../runtime/clock.ts'
import { CrossChainQuote } from '../../runtime/resources/cross-chain.ts'
import { CrossChainQuery, type CrossChainSwaps, parseCrossChain } from '../../swap/cross-chain.ts'
import recorded from '../examples/xquote.json' with { type: 'json' }
import { described } from '../groups.ts'

/** GET /api/xquote (§4.7): a route between chains, with unsigned material that is proved. Nothing is submitted. */
export const xquote = (
  crossChainSwaps: CrossChainSwaps,
  clock: Clock,
  deadlineMs: number,
  maxComputeUnitPrice: bigint,
) =>
  get({
    path: '/api/xquote',
    input: CrossChainQuery,
    budgets: ['swap'],
    priority: 'quote',
    description: described('quoteCrossChain', CrossChainQuote, recorded),
    handle(query, exchange) {
      const request = parseCrossChain(query, maxComputeUnitPrice)
      return exchange.withBudget('swap', () =>
        crossChainSwaps.quote(request, Call.of(clock, 'quote', deadlineMs, exchange.scope())),
      )
    },
  })
