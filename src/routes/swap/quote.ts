import { get, jsonOf } from '../../http/route.ts'
import { QuoteQuery } from '../../runtime/resources/order.ts'
import { Quote } from '../../runtime/resources/quote.ts'
import { parseRequest } from '../../swap/order.ts'
import type { Quotes } from '../../swap/quotes.ts'
import recorded from '../examples/quote.json' with { type: 'json' }
import { SWAPS } from '../groups.ts'

/** GET /api/quote (§4.5): an indicative price; nothing is built or executed. */
export const quote = (quotes: Quotes) =>
  get({
    path: '/api/quote',
    input: QuoteQuery,
    budgets: ['swap'],
    priority: 'quote',
    description: {
      id: 'quoteSwap',
      summary: 'Indicative swap quote',
      group: SWAPS,
      text: 'Asks every provider that is configured for the chain at once. The offer that leaves the most wins, after gas if that is known (`rankedBy`); `route.alternatives` lists how the other providers ended.\n\n`buy` spends the native coin and `sell` spends the token; `against` replaces the native coin by another token. Send the whole quote to /api/build.',
      result: Quote,
      examples: recorded.examples,
      errors: [400, 429, 502, 'default'],
      errorExamples: recorded.errors,
    },
    handle(query, exchange) {
      const request = parseRequest(query)
      return exchange.withBudget('swap', () => jsonOf(quotes.quote(request, exchange.scope())))
    },
  })
