import { Type } from 'typebox'
import { parseChain } from '../chains/find.ts'
import { get, type Route } from '../http/route.ts'
import type { NativeCoins } from '../research/native/native-coins.ts'
import { NativeHistory, NativePrice } from '../research/native/shapes.ts'
import { SPAN_NAMES } from '../research/native/spans.ts'
import recordedHistory from './examples/native-history.json' with { type: 'json' }
import recordedPrice from './examples/native-price.json' with { type: 'json' }
import { PRICES } from './groups.ts'

const Chain = Type.String({ description: 'chain key from GET /api/chains', minLength: 1, maxLength: 64 })
const PriceInput = Type.Object({ chain: Chain })
const HistoryInput = Type.Object({
  chain: Chain,
  span: Type.Enum(SPAN_NAMES, { default: '24h', description: 'how far back' }),
})

/** The routes of §4.10 about native coins. */
export const native = (natives: NativeCoins): readonly Route[] => [
  get({
    path: '/api/native-price',
    input: PriceInput,
    budgets: [],
    description: {
      id: 'getNativePrice',
      summary: 'Price of a native coin',
      group: PRICES,
      stability: 'unverified',
      text: "The token list's price. If that is stale, a price source is asked, at most once every 30 seconds.",
      result: NativePrice,
      examples: recordedPrice.examples,
      errors: [400],
    },
    async handle({ chain }, exchange) {
      const answer = await natives.price(parseChain(chain, 'chain'), exchange.scope())
      return Buffer.from(JSON.stringify(answer))
    },
  }),
  get({
    path: '/api/native-history',
    input: HistoryInput,
    budgets: [],
    description: {
      id: 'getNativeHistory',
      summary: 'Candles of a native coin',
      group: PRICES,
      stability: 'unverified',
      text: "From the coin's deepest pool. A chart is cached for half a candle, at most half an hour; concurrent requests share one call.",
      result: NativeHistory,
      examples: recordedHistory.examples,
      errors: [400],
    },
    async handle({ chain, span }, exchange) {
      const answer = await natives.history(parseChain(chain, 'chain'), span, exchange.scope())
      return Buffer.from(JSON.stringify(answer))
    },
  }),
]
