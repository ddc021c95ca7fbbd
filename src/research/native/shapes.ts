/**
 * The answers about native coins and about charts, as schemas. Dollars are for display; times are ms epoch.
 *
 * Source: §4.10 `/api/native-price`, `/api/native-history`
 */
import { type Static, Type } from 'typebox'
import { nullable } from '../../runtime/resources/shared.ts'
import { SourceReport } from '../../upstream/answers/source-report.ts'
import { INTERVAL_NAMES, SPAN_NAMES } from './spans.ts'

const Time = (description: string) => Type.Union([Type.Integer({ description }), Type.Null()])
const Text = (description: string) => Type.Union([Type.String({ description }), Type.Null()])

const Sources = Type.Array(SourceReport, {
  description: 'the outcome of each source that was asked; empty if the token list sufficed',
})

const Coin = {
  chain: Type.String({ description: 'chain key' }),
  symbol: Type.String(),
  wrapped: Text('the wrapped coin that markets quote instead; null if they quote the coin itself'),
}

export const NativePrice = Type.Object({
  ...Coin,
  price: Type.Union([Type.Number({ description: 'dollars' }), Type.Null()], {
    description: 'dollars; null if unknown',
  }),
  asOf: Time('the time of the price, ms epoch'),
  stale: Type.Boolean({
    description: 'the price is more than 60 seconds old, or its source has failed since',
  }),
  source: Text('`tokens` is the token list'),
  sources: Sources,
})
export type NativePrice = Static<typeof NativePrice>

export const NativeHistory = Type.Object({
  chain: Coin.chain,
  token: Type.String({ description: "the token's address; that of the native coin where none was named" }),
  symbol: Text('null if the token list does not have the token'),
  wrapped: Text('for a native coin, the wrapped coin that markets quote instead; else null'),
  span: Type.Union([Type.Enum(SPAN_NAMES), Type.Null()], { description: 'null if `interval` was asked for' }),
  interval: Type.Enum(INTERVAL_NAMES, { description: 'of a candle' }),
  intervalMs: Type.Integer({ description: 'the same in milliseconds' }),
  candles: nullable(
    Type.Array(
      Type.Object({
        ts: Type.Integer({ description: 'start of the interval, ms epoch' }),
        open: Type.Number(),
        high: Type.Number(),
        low: Type.Number(),
        close: Type.Number(),
        volume: Type.Number({ description: 'dollars, in `pool`' }),
      }),
    ),
    {
      description:
        'dollars; oldest first, one per interval from the first that the source has; null if no source has any, and `sources` says why',
    },
  ),
  filled: Type.Integer({
    description: 'how many candles are of intervals without trades: they have the last close and volume 0',
  }),
  pool: Text('the pool of the trades'),
  source: Text('the source of the candles'),
  asOf: Time('when the source was asked, ms epoch'),
  ageMs: Time('how long ago that was'),
  stale: Type.Boolean({ description: 'the source has failed since' }),
  sources: Sources,
})
export type NativeHistory = Static<typeof NativeHistory>
