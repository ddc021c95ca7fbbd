/** What the token page reads of a profile: no browser is needed to see it. */
import t from 'tap'
import { chosenOf, INTERVALS } from '../../../src/clients/console/views/token/intervals.ts'
import {
  candlesOf,
  intervalOf,
  linkOf,
  numberOf,
  originOf,
} from '../../../src/clients/console/views/token/profile.ts'
import { dangerOf, verdictOf } from '../../../src/clients/console/views/token/verdict.ts'

const CANDLE = { ts: 900_000, open: 1, high: 3, low: 0.5, close: 2, volume: 10 }

t.test('candles are in order, each time once, and incomplete ones are left out', async (t) => {
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

t.test('amounts are text; a malformed one is unknown, and not 0', async (t) => {
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

t.test("a chart begins with the profile's interval, and follows the choice", async (t) => {
  const HOUR = 3_600_000
  t.equal(INTERVALS.map(({ name }) => name).join(), '1m,5m,15m,1h,4h,1d')
  for (const { name, ms } of INTERVALS) t.match(chosenOf(null, ms), { name, ms })
  t.match(chosenOf('5m', HOUR), { name: '5m' })
  t.match(chosenOf('2h', HOUR), { name: '1h' }, 'there is no such interval')
  t.match(chosenOf('1d', null), { name: '1d' })
  t.equal(chosenOf(null, null), null, 'nothing is asked for a token without candles')
})

t.test(
  'the sources come to one line: what is flagged, what they disagree on, and what nobody says',
  async (t) => {
    const report = (flags: object) => ({ at: 1, facts: {}, flags })
    const of = (security: Record<string, ReturnType<typeof report>>, row: object | null = null) =>
      verdictOf({ security, row } as Parameters<typeof verdictOf>[0])
    const clean = of({ goplus: report({ honeypot: false, mintable: null }), rugcheck: report({}) })
    t.match(clean, { state: 'ok', text: '2 sources, 1 check, 0 flags' })
    t.ok(clean.untold.some(({ name }) => name === 'mintable'))
    t.equal(dangerOf(clean), null)
    t.match(of({}), { state: 'unknown', findings: [] }, 'not checked is not safe')
    t.match(of({ goplus: report({ honeypot: null }) }), { state: 'unknown' })
    t.match(of({ goplus: report({ mintable: true, sellTaxPct: 9 }) }), {
      state: 'warn',
      text: '1 source, 2 checks, 2 flags',
    })
    const disputed = of({
      goplus: report({ honeypot: true, freezable: true, sellTaxPct: 12 }),
      rugcheck: report({ honeypot: false, sellTaxPct: 0, paused: false }),
    })
    t.match(disputed, { state: 'danger', text: '2 sources, 4 checks, 3 flags, 2 disagreements' })
    t.same(
      disputed.findings.map(({ flag, isGrave, isDisputed }) => [flag.name, isGrave, isDisputed]),
      [
        ['honeypot', true, true],
        ['sellTaxPct', true, true],
        ['freezable', false, false],
        ['paused', false, false],
      ],
    )
    t.equal(dangerOf(disputed), 'Danger: honeypot, sell tax. Reported by GoPlus, not by RugCheck.')
    const imitating = of({}, { nameSuspicious: true })
    t.equal(dangerOf(imitating), 'Danger: name imitates a major. Reported by swapgate.')
  },
)
