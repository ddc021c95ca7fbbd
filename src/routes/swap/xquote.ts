import { Call } from '../../flow/call.ts'
import { get } from '../../http/route.ts'
import type { Clock } from '../../runtime/clock.ts'
import { CrossChainQuote } from '../../runtime/resources/cross-chain.ts'
import { CrossChainQuery, type CrossChainSwaps, parseCrossChain } from '../../swap/cross-chain.ts'
import recorded from '../examples/xquote.json' with { type: 'json' }
import { CROSS_CHAIN } from '../groups.ts'

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
    description: {
      id: 'quoteCrossChain',
      summary: 'Cross-chain quote with unsigned transaction material',
      group: CROSS_CHAIN,
      text:
        'Name chains by key or by numeric provider id, and tokens by address or `native`. `verification.checks` lists what was proved. What only the provider states is in `estimate.stated` and `verification.stated`. ' +
        'An ERC-20 input needs `approval` first.',
      result: CrossChainQuote,
      examples: recorded.examples,
      errors: [400, 429, 502, 'default'],
      errorExamples: recorded.errors,
    },
    handle(query, exchange) {
      const request = parseCrossChain(query, maxComputeUnitPrice)
      return exchange.withBudget('swap', () =>
        crossChainSwaps.quote(request, Call.of(clock, 'quote', deadlineMs, exchange.scope())),
      )
    },
  })
