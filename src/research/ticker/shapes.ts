/** The data of the price stream's events, as a schema. */
import { type Static, Type } from 'typebox'

export const Ticks = Type.Object({
  prices: Type.Array(
    Type.Object({
      chain: Type.String({ description: 'chain key' }),
      address: Type.String({ description: 'in its canonical spelling, as in GET /api/tokens' }),
      listed: Type.Boolean({
        description:
          'whether GET /api/tokens lists it; if not, its price is refreshed about once a minute, unless the risk filter rejects the token',
      }),
      price: Type.Union([Type.Number({ description: 'dollars' }), Type.Null()]),
      priceTs: Type.Union([Type.Integer({ description: 'ms epoch' }), Type.Null()]),
      priceStale: Type.Boolean({ description: 'the price is more than 60 seconds old' }),
    }),
    { description: 'all tokens in the order of the request in a snapshot, the changed ones in a change' },
  ),
  asOf: Type.Integer({ description: 'when the list was read, ms epoch' }),
})
export type Ticks = Static<typeof Ticks>

/** The price of one token in an event. */
export type Tick = Ticks['prices'][number]
