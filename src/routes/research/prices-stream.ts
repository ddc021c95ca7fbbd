import { Type } from 'typebox'
import { Events } from '../../http/reply/events.ts'
import { get } from '../../http/route.ts'
import { MAX_TOKENS, parseTokens } from '../../research/ticker/request.ts'
import { Ticks } from '../../research/ticker/shapes.ts'
import type { Ticker } from '../../research/ticker/ticker.ts'
import recorded from '../examples/prices-stream.json' with { type: 'json' }
import { described } from '../groups.ts'

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
    description: { ...described('streamPrices', Ticks, recorded), isStream: true },
    handle({ tokens }) {
      const asked = parseTokens(tokens)
      return ticker.ready().then(() => new Events((stream) => ticker.listen(asked, stream)))
    },
  })
