import { get } from '../http/route.ts'
import { QuoteQuery } from '../runtime/resources.ts'
import { Comparison } from '../swap/comparison.ts'
import { parseRequest } from '../swap/order.ts'
import type { Quotes } from '../swap/quotes.ts'
import recorded from './examples/v2quote.json' with { type: 'json' }

/** GET /api/v2quote (§4.10): what /api/quote asks of the providers, with all that they answer. */
export const v2quote = (quotes: Quotes) =>
  get({
    path: '/api/v2quote',
    input: QuoteQuery,
    budgets: ['swap'],
    priority: 'quote',
    description: {
      summary: "Every provider's swap quote, ranked",
      stability: 'unverified',
      text: 'The parameters of /api/quote, its checks and its upstream calls: whoever asks for both within 2 s costs the providers one call each. It waits for every provider, up to 8 s, where /api/quote answers after 1.5 s with the best so far. What /api/build can build from comes before second opinions, the largest `expectedOut` first, then the preferred provider; an outlier is last. Hand any of the quotes to /api/build as it is. Where nobody has an offer it is the error of /api/quote.',
      result: Comparison,
      examples: recorded.examples,
      errors: [400, 429, 502, 'default'],
    },
    handle(query, exchange) {
      const request = parseRequest(query)
      return exchange.spending('swap', () =>
        quotes
          .compare(request, exchange.caller())
          .then((comparison) => Buffer.from(JSON.stringify(comparison))),
      )
    },
  })
