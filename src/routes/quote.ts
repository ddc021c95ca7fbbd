import { get } from '../http/route.ts'
import { Quote, QuoteQuery } from '../runtime/resources.ts'
import { parseRequest } from '../swap/order.ts'
import type { Quotes } from '../swap/quotes.ts'
import recorded from './examples/quote.json' with { type: 'json' }
import { SWAPS } from './groups.ts'

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
      text: 'Asks every provider that is configured for the chain at once; the most that arrives wins, after gas where that can be counted (`rankedBy`), and `route.alternatives` lists how the other providers ended. `buy` spends the native coin, `sell` the token; `against` puts another token in the place of the native coin. Hand the whole quote back to /api/build.',
      result: Quote,
      examples: recorded.examples,
      errors: [400, 429, 502, 'default'],
      errorExamples: recorded.errors,
    },
    handle(query, exchange) {
      const request = parseRequest(query)
      return exchange.spending('swap', () =>
        quotes.quote(request, exchange.scope()).then((answer) => Buffer.from(JSON.stringify(answer))),
      )
    },
  })
