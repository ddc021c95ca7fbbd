/** What the token page reads of a profile: no browser is needed to see it. */
import t from 'tap'
import {
  candlesOf,
  intervalOf,
  linkOf,
  numberOf,
  originOf,
} from '../../../src/clients/console/views/token/profile.ts'

const CANDLE = { ts: 900_000, open: 1, high: 3, low: 0.5, close: 2, volume: 10 }

t.test('candles stand in order, each time once, and those that lack a figure are left out', async (t) => {
  const candles = [
    { ...CANDLE, ts: 1_800_000 },
    CANDLE,
    { ...CANDLE, close: 2.5 },
    { ...CANDLE, ts: 2_700_000, low: null },
    { ...CANDLE, ts: 3_600_000, volume: undefined },
  ]
  t.same(candlesOf({ candles }), [
    { ...CANDLE, close: 2.5 },
    { ...CANDLE, ts: 1_800_000 },
    { ...CANDLE, ts: 3_600_000, volume: null },
  ])
  t.equal(intervalOf(candlesOf({ candles })), 900_000)
  t.equal(intervalOf([CANDLE]), null)
  t.same(candlesOf({}), [])
})

t.test('amounts come as text; what is no number is unknown, and not 0', async (t) => {
  t.same(['12.5', 3, '', ' ', 'x', null, undefined, Number.NaN, true].map(numberOf), [
    12.5,
    3,
    null,
    null,
    null,
    null,
    null,
    null,
    null,
  ])
})

t.test('a link of a maker leads to a page, or is not shown', async (t) => {
  t.match(linkOf({ type: 'website', url: 'https://a.example/x' }), { type: 'website' })
  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'a.example', '', null]) {
    t.equal(linkOf({ type: 'website', url }), null, String(url))
  }
  t.equal(linkOf(null), null)
})

t.test(
  'a part has its source and age, one that failed since says so, and one that is missing says why',
  async (t) => {
    const profile = {
      chain: 'base',
      token: '0x1',
      updatedAt: 5,
      origins: { trades: { source: 'geckoterminal', at: 5, stale: true } },
      sources: [
        {
          provider: 'goplus',
          status: 'failed',
          at: null,
          parts: [],
          failed: ['holders'],
          code: 'upstream_timeout',
        },
      ],
    } as const
    const mutable = structuredClone(profile) as unknown as Parameters<typeof originOf>[0]
    t.match(originOf(mutable, 'trades'), { source: 'geckoterminal', at: 5, notes: [/has failed since/] })
    t.match(originOf(mutable, 'holders'), {
      at: null,
      notes: ['goplus could not give it: upstream_timeout.'],
    })
  },
)
