import { get } from '../http/route.ts'
import { QuoteQuery } from '../runtime/resources.ts'
import { Comparison } from '../swap/comparison.ts'
import { parseRequest } from '../swap/order.ts'
import type { Quotes } from '../swap/quotes.ts'
import recorded from './examples/v2quote.json' with { type: 'json' }
import { SWAPS } from './groups.ts'

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
      text: 'Has the parameters and the checks of /api/quote, and shares its upstream calls: a request for both within 2 s makes one call to each provider. It waits for every provider, up to 8 s, where /api/quote answers after 1.5 s with the best so far. Quotes that /api/build can build from come before second opinions, the most that arrives first (`rankedBy`), then the preferred provider; outliers are last. Hand any of the quotes to /api/build as it is. Where no provider has an offer, the error is that of /api/quote.',
      result: Comparison,
      examples: recorded.examples,
      errors: [400, 429, 502, 'default'],
    },
    handle(query, exchange) {
      const request = parseRequest(query)
      return exchange.spending('swap', () =>
        quotes
          .compare(request, exchange.scope())
          .then((comparison) => Buffer.from(JSON.stringify(comparison))),
      )
    },
  })
