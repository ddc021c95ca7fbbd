import { Type } from 'typebox'
import { Events } from '../../http/reply/events.ts'
import { get } from '../../http/route.ts'
import { MAX_TOKENS, parseTokens } from '../../research/ticker/request.ts'
import { Ticks } from '../../research/ticker/shapes.ts'
import type { Ticker } from '../../research/ticker/ticker.ts'
import recorded from '../examples/prices-stream.json' with { type: 'json' }
import { PRICES } from '../groups.ts'

const Input = Type.Object({
  tokens: Type.String({
    maxLength: 8_192,
    'x-separator': ',',
    title: `up to ${MAX_TOKENS} of \`chain:address\`, comma-separated`,
    description: 'the tokens, each by chain key and address; `native` is the native coin',
  }),
})

/** GET /api/prices/stream (§4.10): the token list's prices, as they change. */
export const pricesStream = (ticker: Ticker) =>
  get({
    path: '/api/prices/stream',
    input: Input,
    description: {
      id: 'streamPrices',
      summary: 'Live prices',
      group: PRICES,
      text: "Server-Sent Events. The first event is `snapshot`, with every token. Each `change` has the tokens that changed since, at most one event every 3 seconds. Prices are the token list's, which stays current while a client listens.\n\nSend an event's `id` back as `Last-Event-ID` to get the changes since then, or a snapshot if that id is no longer known. An event, or a comment as a heartbeat, comes at least every 24 seconds. A client that does not read is disconnected.",
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
