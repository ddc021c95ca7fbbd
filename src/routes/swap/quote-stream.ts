import { Opening } from '../../http/reply/events.ts'
import { get, StatusReply } from '../../http/route.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/log.ts'
import { QuoteQuery } from '../../runtime/resources/order.ts'
import { parseRequest } from '../../swap/order.ts'
import { AGAIN_MS, BETTER_BPS, END_ID, LASTS_MS, QuoteEvent, streamQuotes } from '../../swap/quote-stream.ts'
import type { Quotes } from '../../swap/quotes.ts'
import recorded from '../examples/quote.json' with { type: 'json' }
import { SWAPS } from '../groups.ts'

const NOTHING = Buffer.alloc(0)
const REQUESTS = Object.fromEntries(
  Object.entries(recorded.examples).map(([name, { request }]) => [name, { value: request }]),
)

/** GET /api/quote/stream (§4.10): offers for the same request as /api/quote, as they arrive. */
export const quoteStream = (quotes: Quotes, clock: Clock, log: Logger) =>
  get({
    path: '/api/quote/stream',
    input: QuoteQuery,
    budgets: ['swap'],
    priority: 'quote',
    description: {
      id: 'streamQuotes',
      summary: 'Swap offers as they arrive',
      group: SWAPS,
      stability: 'unverified',
      text: `Server-Sent Events for the parameters of /api/quote, for one request of its budget. Each \`offer\` is from one provider, as soon as it has answered; it was not compared with others yet. \`best\` is the answer of /api/quote, once it is decided, and again if a fresher one is better by more than ${BETTER_BPS} bps.\n\nProviders are asked again every ${AGAIN_MS / 1000} s, and share their answers with /api/quote. Send the \`quote\` of any event to /api/build as it is.\n\nAfter ${LASTS_MS / 1000} s an \`end\` closes the stream: close the EventSource then. One that reconnects is answered 204, which stops it and spends nothing. If there is no offer, the error is that of /api/quote.`,
      isStream: true,
      noContent: `\`Last-Event-ID\` is \`${END_ID}\`: an EventSource connects again behind the end of its stream, and this stops it`,
      result: QuoteEvent,
      requests: REQUESTS,
      example: { quote: recorded.examples.evm.reply, end: null },
      errors: [400, 429, 502, 503, 'default'],
      errorExamples: recorded.errors,
    },
    handle(query, exchange) {
      const request = parseRequest(query)
      if (exchange.request.headers['last-event-id'] === END_ID) return new StatusReply(204, NOTHING)
      const { id, route } = exchange
      const onFault = (err: unknown): void => log.error({ id, route, err }, 'fault')
      return new Opening(() =>
        exchange.withBudget('swap', () =>
          streamQuotes({ quotes, request, scope: exchange.scope(), clock, onFault }),
        ),
      )
    },
  })
