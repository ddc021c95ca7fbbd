import { get, jsonOf, type RouteDescription } from '../../http/route.ts'
import { QuoteQuery } from '../../runtime/resources/order.ts'
import { Quote } from '../../runtime/resources/quote.ts'
import { Comparison } from '../../swap/comparison.ts'
import { parseRequest } from '../../swap/order.ts'
import type { Quotes } from '../../swap/quotes.ts'
import recorded from '../examples/quote.json' with { type: 'json' }
import compared from '../examples/v2quote.json' with { type: 'json' }
import { described } from '../groups.ts'

const asking = (
  path: string,
  description: RouteDescription,
  answer: (...asked: Parameters<Quotes['quote']>) => Promise<object>,
) =>
  get({
    path,
    input: QuoteQuery,
    budgets: ['swap'],
    priority: 'quote',
    description,
    handle(query, exchange) {
      const request = parseRequest(query)
      return exchange.withBudget('swap', () => jsonOf(answer(request, exchange.scope())))
    },
  })

/** GET /api/quote (§4.5): an indicative price; nothing is built or executed. */
export const quote = (quotes: Quotes) =>
  asking('/api/quote', described('quoteSwap', Quote, recorded), (...asked) => quotes.quote(...asked))

/** GET /api/v2quote (§4.10): every provider's answer to the request that /api/quote makes. */
export const v2quote = (quotes: Quotes) =>
  asking('/api/v2quote', described('rankQuotes', Comparison, compared), (...asked) =>
    quotes.compare(...asked),
  )
