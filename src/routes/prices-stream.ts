import { Type } from 'typebox'
import { Events } from '../http/events.ts'
import { get } from '../http/route.ts'
import { MAX_TOKENS, parseTokens } from '../research/ticker/request.ts'
import { Ticks } from '../research/ticker/shapes.ts'
import type { Ticker } from '../research/ticker/ticker.ts'
import recorded from './examples/prices-stream.json' with { type: 'json' }
import { PRICES } from './groups.ts'

const Input = Type.Object({
  tokens: Type.String({
    maxLength: 8_192,
    title: `up to ${MAX_TOKENS} of \`chain:address\`, comma-separated`,
    description: 'the tokens, each by chain key and address; `native` is the native coin',
  }),
})

/** GET /api/prices/stream (§4.10): the token list's prices, as they change. */
export const pricesStream = (ticker: Ticker) =>
  get({
    path: '/api/prices/stream',
    input: Input,
    budgets: [],
    description: {
      id: 'streamPrices',
      summary: 'Live prices',
      group: PRICES,
      text: "Server-Sent Events. The first event is `snapshot`, with every token; each `change` has the tokens that changed since, at most one event every 3 seconds. Prices are the token list's, which stays current while a client listens. Send an event's `id` back as `Last-Event-ID` to get the changes since, or a snapshot where that is no longer known. At least every 24 seconds there is an event or a comment as heartbeat. A client that does not read loses the connection.",
      stability: 'unverified',
      isStream: true,
      result: Ticks,
      example: recorded.example,
      errors: [400, 429, 503],
    },
    handle({ tokens }) {
      const asked = parseTokens(tokens)
      return ticker.ready().then(() => new Events((stream) => ticker.listen(asked, stream)))
    },
  })
