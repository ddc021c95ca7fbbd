/**
 * The answers about native coins and about charts, as schemas. Dollars are for display; times are ms epoch.
 *
 * Source: §4.10 `/api/native-price`, `/api/native-history`
 */
import { type Static, Type } from 'typebox'
import { boolean, integer, nullable, number, string } from '../../runtime/resources/shared.ts'
import { SourceReport } from '../../upstream/answers/source-report.ts'
import texts from '../texts.json' with { type: 'json' }
import { INTERVAL_NAMES, SPAN_NAMES } from './spans.ts'

const { native: text } = texts

const Sources = Type.Array(SourceReport, { description: text.sources })

const Coin = {
  chain: string('chain key'),
  symbol: Type.String(),
  wrapped: nullable(string(text.coinWrapped)),
}

export const NativePrice = Type.Object({
  ...Coin,
  price: nullable(number('dollars'), { description: 'dollars; null if unknown' }),
  asOf: nullable(integer('the time of the price, ms epoch')),
  stale: boolean('the price is more than 60 seconds old, or its source has failed since'),
  source: nullable(string('`tokens` is the token list')),
  sources: Sources,
})
export type NativePrice = Static<typeof NativePrice>

export const NativeHistory = Type.Object({
  chain: Coin.chain,
  token: string("the token's address; that of the native coin where none was named"),
  symbol: nullable(string('null if the token list does not have the token')),
  wrapped: nullable(string('for a native coin, the wrapped coin that markets quote instead; else null')),
  span: nullable(Type.Enum(SPAN_NAMES), { description: 'null if `interval` was asked for' }),
  interval: Type.Enum(INTERVAL_NAMES, { description: 'of a candle' }),
  intervalMs: integer('the same in milliseconds'),
  candles: nullable(
    Type.Array(
      Type.Object({
        ts: integer('start of the interval, ms epoch'),
        open: Type.Number(),
        high: Type.Number(),
        low: Type.Number(),
        close: Type.Number(),
        volume: number('dollars, in `pool`'),
      }),
    ),
    { description: text.candles },
  ),
  filled: integer('how many candles are of intervals without trades: they have the last close and volume 0'),
  pool: nullable(string('the pool of the trades')),
  source: nullable(string('the source of the candles')),
  asOf: nullable(integer('when the source was asked, ms epoch')),
  ageMs: nullable(integer('how long ago that was')),
  stale: boolean('the source has failed since'),
  sources: Sources,
})
export type NativeHistory = Static<typeof NativeHistory>
