import { get, jsonOf } from '../../http/route.ts'
import { QuoteQuery } from '../../runtime/resources/order.ts'
import { Comparison } from '../../swap/comparison.ts'
import { parseRequest } from '../../swap/order.ts'
import type { Quotes } from '../../swap/quotes.ts'
import recorded from '../examples/v2quote.json' with { type: 'json' }
import { SWAPS } from '../groups.ts'

/** GET /api/v2quote (§4.10): every provider's answer to the request that /api/quote makes. */
export const v2quote = (quotes: Quotes) =>
  get({
    path: '/api/v2quote',
    input: QuoteQuery,
    budgets: ['swap'],
    priority: 'quote',
    description: {
      id: 'rankQuotes',
      summary: "Every provider's swap quote, ranked",
      group: SWAPS,
      stability: 'unverified',
      text: 'Takes the parameters of /api/quote with the same checks, and shares its upstream calls: requests for both within 2 s make one call to each provider. It waits for every provider, up to 8 s; /api/quote answers after 1.5 s with the best so far.\n\nThe quote that leaves the most (`rankedBy`) comes first, among equal ones that of the preferred provider; outliers are last. Send any of the quotes to /api/build as it is. If no provider has an offer, the error is that of /api/quote.',
      result: Comparison,
      examples: recorded.examples,
      errors: [400, 429, 502, 'default'],
    },
    handle(query, exchange) {
      const request = parseRequest(query)
      return exchange.withBudget('swap', () => jsonOf(quotes.compare(request, exchange.scope())))
    },
  })
