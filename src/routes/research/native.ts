import { Type } from 'typebox'
import { parseChain } from '../../chains/find.ts'
import { get, jsonOf, type Route } from '../../http/route.ts'
import type { NativeCoins } from '../../research/native/native-coins.ts'
import { NativeHistory, NativePrice } from '../../research/native/shapes.ts'
import { DEFAULT_SPAN, INTERVAL_NAMES, SPAN_NAMES } from '../../research/native/spans.ts'
import { invalidParameter } from '../../runtime/errors.ts'
import { string } from '../../runtime/resources/shared.ts'
import recordedHistory from '../examples/native-history.json' with { type: 'json' }
import recordedPrice from '../examples/native-price.json' with { type: 'json' }
import { described } from '../groups.ts'
import { parseAddressOf } from './token.ts'

const Chain = string('chain key from GET /api/chains', { minLength: 1, maxLength: 64 })
const PriceInput = Type.Object({ chain: Chain })
const HistoryInput = Type.Object({
  chain: Chain,
  token: Type.Optional(string("a token's address; the native coin where absent", { maxLength: 256 })),
  span: Type.Optional(Type.Enum(SPAN_NAMES, { description: `how far back; ${DEFAULT_SPAN} where absent` })),
  interval: Type.Optional(
    Type.Enum(INTERVAL_NAMES, { description: 'the length of a candle, in the place of `span`' }),
  ),
})

/** The routes of §4.10 about native coins; the charts route also takes a token. */
export const native = (natives: NativeCoins): readonly Route[] => [
  get({
    path: '/api/native-price',
    input: PriceInput,
    description: described('getNativePrice', NativePrice, recordedPrice),
    handle: ({ chain }, exchange) => jsonOf(natives.price(parseChain(chain, 'chain'), exchange.scope())),
  }),
  get({
    path: '/api/native-history',
    input: HistoryInput,
    description: described('getNativeHistory', NativeHistory, recordedHistory),
    handle(input, exchange) {
      const chain = parseChain(input.chain, 'chain')
      const { span, interval } = input
      const token = input.token === undefined ? undefined : parseAddressOf(chain, input.token, 'token')
      if (span !== undefined && interval !== undefined) {
        throw invalidParameter('interval', 'Give `span` or `interval`, not both.')
      }
      return jsonOf(natives.history(chain, { token, span, interval }, exchange.scope()))
    },
  }),
]
