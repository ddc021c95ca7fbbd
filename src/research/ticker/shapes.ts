/** The data of the price stream's events, as a schema. */
import { type Static, Type } from 'typebox'
import { boolean, integer, nullable, number, string } from '../../runtime/resources/shared.ts'

export const Ticks = Type.Object({
  prices: Type.Array(
    Type.Object({
      chain: string('chain key'),
      address: string('in its canonical spelling, as in GET /api/tokens'),
      listed: boolean(
        'whether GET /api/tokens lists it; if not, its price is refreshed about once a minute, unless the risk filter rejects the token',
      ),
      price: nullable(number('dollars')),
      priceTs: nullable(integer('ms epoch')),
      priceStale: boolean('the price is more than 60 seconds old'),
    }),
    { description: 'all tokens in the order of the request in a snapshot, the changed ones in a change' },
  ),
  asOf: integer('when the list was read, ms epoch'),
})
export type Ticks = Static<typeof Ticks>

/** The price of one token in an event. */
export type Tick = Ticks['prices'][number]
