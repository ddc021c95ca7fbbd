/** The data of the price stream's events, as a schema. */
import { type Static, Type } from 'typebox'

export const Ticks = Type.Object({
  prices: Type.Array(
    Type.Object({
      chain: Type.String({ description: 'chain key' }),
      address: Type.String({ description: 'in its canonical spelling, as in GET /api/tokens' }),
      listed: Type.Boolean({
        description:
          'whether GET /api/tokens lists it; else the price is asked for about once a minute, unless the risk gate holds the token back',
      }),
      price: Type.Union([Type.Number({ description: 'dollars' }), Type.Null()]),
      priceTs: Type.Union([Type.Integer({ description: 'ms epoch' }), Type.Null()]),
      priceStale: Type.Boolean({ description: 'the price is more than 60 seconds old' }),
    }),
    { description: 'in a snapshot all tokens, in the order in which they were asked for; else what changed' },
  ),
  asOf: Type.Integer({ description: 'when the list was looked at, ms epoch' }),
})
export type Ticks = Static<typeof Ticks>

/** The price of one token in an event. */
export type Tick = Ticks['prices'][number]
