import { get, jsonOf } from '../../http/route.ts'
import { QuoteQuery } from '../../runtime/resources/order.ts'
import { Comparison } from '../../swap/comparison.ts'
import { parseRequest } from '../../swap/order.ts'
import type { Quotes } from '../../swap/quotes.ts'
import recorded from '../examples/v2quote.json' with { type: 'json' }
import { described } from '../groups.ts'

/** GET /api/v2quote (§4.10): every provider's answer to the request that /api/quote makes. */
export const v2quote = (quotes: Quotes) =>
  get({
    path: '/api/v2quote',
    input: QuoteQuery,
    budgets: ['swap'],
    priority: 'quote',
    description: described('rankQuotes', Comparison, recorded),
    handle(query, exchange) {
      const request = parseRequest(query)
      return exchange.withBudget('swap', () => jsonOf(quotes.compare(request, exchange.scope())))
    },
  })
