import { get, jsonOf } from '../../http/route.ts'
import { QuoteQuery } from '../../runtime/resources/order.ts'
import { Quote } from '../../runtime/resources/quote.ts'
import { parseRequest } from '../../swap/order.ts'
import type { Quotes } from '../../swap/quotes.ts'
import recorded from '../examples/quote.json' with { type: 'json' }
import { described } from '../groups.ts'

/** GET /api/quote (§4.5): an indicative price; nothing is built or executed. */
export const quote = (quotes: Quotes) =>
  get({
    path: '/api/quote',
    input: QuoteQuery,
    budgets: ['swap'],
    priority: 'quote',
    description: described('quoteSwap', Quote, recorded),
    handle(query, exchange) {
      const request = parseRequest(query)
      return exchange.withBudget('swap', () => jsonOf(quotes.quote(request, exchange.scope())))
    },
  })
