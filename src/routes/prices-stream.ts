import { Type } from 'typebox'
import { Events } from '../http/events.ts'
import { get } from '../http/route.ts'
import { MAX_TOKENS, parseTokens } from '../research/ticker/request.ts'
import { Ticks } from '../research/ticker/shapes.ts'
import type { Ticker } from '../research/ticker/ticker.ts'
import { TICKS } from './examples/prices-stream.ts'

const Input = Type.Object({
  tokens: Type.String({
    maxLength: 8_192,
    title: `up to ${MAX_TOKENS} of \`chain:address\`, comma-separated`,
    description: 'the tokens, each by its chain key and its address there; `native` is the native coin',
  }),
})

/** GET /api/prices/stream (§4.10): the token list's prices, as they change. */
export const pricesStream = (ticker: Ticker) =>
  get({
    path: '/api/prices/stream',
    input: Input,
    budgets: [],
    description: {
      summary: 'Prices as they change',
      text: "Server-Sent Events. The first is `snapshot`, with every token; each `change` has those of which something changed since, at most one event every 3 seconds. Prices are the token list's, which is kept current while somebody listens. An event's `id`, sent back as `Last-Event-ID`, brings what changed since, or a snapshot where that is not known any more. Something comes at least every 24 seconds, if only a comment as a sign of life. Who does not read loses the connection.",
      stability: 'unverified',
      isStream: true,
      result: Ticks,
      example: TICKS,
      errors: [400, 429, 503],
    },
    handle({ tokens }) {
      const asked = parseTokens(tokens)
      return ticker.ready().then(() => new Events((stream) => ticker.listen(asked, stream)))
    },
  })
