/**
 * The answers about native coins, as schemas. Dollars are for display; times are ms epoch.
 *
 * Source: §4.10 `/api/native-price`, `/api/native-history`
 */
import { type Static, Type } from 'typebox'
import { SourceReport } from '../../upstream/source-report.ts'
import { SPAN_NAMES } from './spans.ts'

const Time = (description: string) => Type.Union([Type.Integer({ description }), Type.Null()])
const Text = (description: string) => Type.Union([Type.String({ description }), Type.Null()])

const Sources = Type.Array(SourceReport, {
  description: 'what became of each source that was asked; empty where the token list sufficed',
})

const Coin = {
  chain: Type.String({ description: 'chain key' }),
  symbol: Type.String(),
  wrapped: Text('the wrapped coin that the markets quote in its place; null where they quote the coin'),
}

export const NativePrice = Type.Object({
  ...Coin,
  price: Type.Union([Type.Number({ description: 'dollars' }), Type.Null()], {
    description: 'dollars; null: not known',
  }),
  asOf: Time('what the price is of, ms epoch'),
  stale: Type.Boolean({ description: 'the price is more than 60 seconds old, or its source failed since' }),
  source: Text('`tokens` is the token list'),
  sources: Sources,
})
export type NativePrice = Static<typeof NativePrice>

export const NativeHistory = Type.Object({
  ...Coin,
  span: Type.Enum(SPAN_NAMES),
  intervalMs: Type.Integer({ description: 'of a candle' }),
  candles: Type.Union(
    [
      Type.Array(
        Type.Object({
          ts: Type.Integer({ description: 'begin of the interval, ms epoch' }),
          open: Type.Number(),
          high: Type.Number(),
          low: Type.Number(),
          close: Type.Number(),
          volume: Type.Number({ description: 'dollars, in `pool`' }),
        }),
      ),
      Type.Null(),
    ],
    {
      description:
        'dollars; oldest first, one for each interval from the first that the source has; null where no source has any, and `sources` says why',
    },
  ),
  filled: Type.Integer({
    description: 'candles of intervals without trades: the last close, with volume 0',
  }),
  pool: Text('whose trades they are'),
  source: Text('who told them'),
  asOf: Time('when the source was asked, ms epoch'),
  ageMs: Time('how long ago that was'),
  stale: Type.Boolean({ description: 'the source failed since' }),
  sources: Sources,
})
export type NativeHistory = Static<typeof NativeHistory>
