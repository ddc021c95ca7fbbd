import t from 'tap'
import { withoutGaps } from '../../../src/providers/market/candles.ts'
import type { Candle } from '../../../src/providers/market/market.ts'
import { INTERVAL_NAMES, INTERVALS } from '../../../src/research/native/spans.ts'
import fc from '../../fixtures/fast-check.ts'

const MINUTE = 60_000
const NOW = Date.UTC(2026, 10, 21, 12, 10, 30)
const THIS = Date.UTC(2026, 10, 21, 12, 10)

const candle = (ts: number, close = 2, volume = 5): Candle => ({
  ts,
  open: 1,
  high: 3,
  low: 1,
  close,
  volume,
})

t.test('an interval without trades has the last close and no volume', async (t) => {
  const span = { intervalMs: MINUTE, count: 10 }
  const first = candle(THIS - 4 * MINUTE, 7)
  const second = candle(THIS - 2 * MINUTE, 8)
  const flat = (ts: number, price: number): Candle => ({
    ts,
    open: price,
    high: price,
    low: price,
    close: price,
    volume: 0,
  })
  t.same(withoutGaps([first, second], span, NOW), {
    candles: [
      first,
      flat(THIS - 3 * MINUTE, 7),
      second,
      flat(THIS - MINUTE, 8),
      // The minute that is not over yet.
      flat(THIS, 8),
    ],
    filled: 3,
  })
})

t.test('nothing is made up before the first candle, and future candles are dropped', async (t) => {
  const span = { intervalMs: MINUTE, count: 3 }
  t.same(withoutGaps([], span, NOW), { candles: [], filled: 0 })
  t.same(withoutGaps([candle(THIS + MINUTE)], span, NOW), { candles: [], filled: 0 })
  t.same(withoutGaps([candle(THIS)], span, NOW), { candles: [candle(THIS)], filled: 0 })
})

t.test('a gap that began before the span ends as what was traded last before it', async (t) => {
  const span = { intervalMs: MINUTE, count: 3 }
  const given = [candle(THIS - 9 * MINUTE, 6), candle(THIS - 3 * MINUTE, 7), candle(THIS)]
  const closes = ({ candles, filled }: ReturnType<typeof withoutGaps>) => [
    candles.map(({ close }) => close),
    filled,
  ]
  t.same(closes(withoutGaps(given, span, NOW)), [[7, 7, 2], 2])
  t.same(closes(withoutGaps(given.slice(0, 1), span, NOW)), [[6, 6, 6], 3])
})

t.test('a candle that does not begin with its interval is put into it', async (t) => {
  const span = { intervalMs: 15 * MINUTE, count: 4 }
  const { candles } = withoutGaps([candle(THIS), candle(THIS - 14 * MINUTE, 9)], span, NOW)
  t.same(
    candles.map(({ ts, close }) => [ts, close]),
    [
      [Date.UTC(2026, 10, 21, 11, 45), 9],
      [Date.UTC(2026, 10, 21, 12), 2],
    ],
  )
})

t.test('whatever a source answers, the candles have the requested interval', async (t) => {
  const span = fc.constantFrom(...INTERVAL_NAMES).map((name) => INTERVALS[name])
  const times = fc.array(fc.integer({ min: -400, max: 400 }), { maxLength: 300 })
  fc.assert(
    fc.property(span, times, (span, at) => {
      const given = at.map((i) => candle(NOW + i * (span.intervalMs / 3)))
      const { candles, filled } = withoutGaps(given, span, NOW)
      t.ok(candles.length <= span.count && filled <= candles.length)
      for (const [i, { ts }] of candles.entries()) {
        if (ts % span.intervalMs !== 0 || ts > NOW) t.fail(`a candle of ${ts}`)
        if (i > 0 && ts !== candles[i - 1]!.ts + span.intervalMs) t.fail('a gap')
      }
    }),
  )
})
