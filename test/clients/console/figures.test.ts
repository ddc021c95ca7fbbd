/** What the views work out for themselves: no browser is needed to see it. */

import t from 'tap'
import { type ErrorCode, SwapgateError, type TokenRow } from '../../../src/clients/client/index.ts'
import { curlOf } from '../../../src/clients/console/curl.ts'
import { quantile, servedMs } from '../../../src/clients/console/data/exchanges.ts'
import { headlineOf } from '../../../src/clients/console/data/headline.ts'
import { textOf, titleOf } from '../../../src/clients/console/data/words.ts'
import {
  age,
  amount,
  change,
  dollars,
  estimate,
  ms,
  price,
  short,
  time,
} from '../../../src/clients/console/format.ts'
import { linesOf } from '../../../src/clients/console/parts/provenance.ts'
import { readAddresses } from '../../../src/clients/console/views/portfolio/addresses.ts'
import { checkedAt, risksOf } from '../../../src/clients/console/views/tokens/risks.ts'
import { assetsFirst, historyOf, matching } from '../../../src/clients/console/views/tokens/rows.ts'
import type { Action, Explanation } from '../../../src/explain/types.ts'

const ROW = { chain: 'base', address: '0xAbC0', symbol: 'ABC', name: 'A coin' }

t.test('numbers are short, and never more exact than they are', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    [price(2_956.5079), '$2,956.51'],
    [price(0.99995), '$1.000'],
    [price(0.000012345), '$0.0₄1235'],
    [price(0.00000984), '$0.0₅9840'],
    [price(0), '$0'],
    [estimate(0.0099), '<$0.01'],
    [estimate(0.0000066), '<$0.01'],
    [estimate(0.0207049), '$0.021'],
    [estimate(1.3), '$1.30'],
    [estimate(0), '$0'],
    [dollars(0), '$0'],
    [dollars(9_999.5), '$9,999.50'],
    [dollars(25_262_775), '$25.3M'],
    [amount(1_234.567), '1,234.57'],
    [amount(0.0000001), '0.0₆1'],
    [change(-1.3), '▼ 1.30%'],
    [change(0.204), '▲ 0.20%'],
    [change(-0.001), '0.00%'],
    [amount(0.0861123456), '0.0861123'],
    [ms(0.042), '0.04 ms'],
    [ms(1.25), '1.3 ms'],
    [ms(37.4), '37 ms'],
    [ms(1_500), '1.5 s'],
    [age(-5), '0 s'],
    [age(119_000), '119 s'],
    [age(300_000), '5 min'],
    [age(3 * 3_600_000), '3 h'],
    [age(72 * 3_600_000), '3 days'],
  ]
  for (const [shown, expected] of cases) t.equal(shown, expected)
  const noon = new Date(2026, 10, 22, 12, 3, 41).getTime()
  t.equal(time(noon, noon + 60_000), '12:03:41')
  t.equal(time(noon, noon + 86_400_000), '22 Nov 2026, 12:03')
})

t.test('a figure shows its source and age, or that there is none', async (t) => {
  const now = new Date(2026, 10, 22, 12, 0, 8).getTime()
  t.same(linesOf({ source: 'A source', at: now - 8_000, notes: [null, 'A note.'] }, now), [
    'A source',
    '8 s old, from 12:00:00',
    'A note.',
  ])
  t.same(linesOf({ source: 'A source' }, now), ['A source', 'age unknown'])
})

t.test('a request is a line that a shell takes as it is', async (t) => {
  t.equal(
    curlOf({ method: 'GET', url: "/api/tokens?q='$(x)", body: null }, 'http://a.test'),
    `curl -s --compressed 'http://a.test/api/tokens?q=%27$(x)'`,
  )
  t.equal(
    curlOf({ method: 'POST', url: '/api/solrpc', body: `{"it's":1}` }, 'http://a.test'),
    `curl -s 'http://a.test/api/solrpc' -H 'content-type: application/json' -d '{"it'\\''s":1}'`,
  )
})

t.test('a request of another verb than GET or POST says so', async (t) => {
  const put = { method: 'PUT', url: 'http://b.test/faults/a', body: '{"fault":null}' } as const
  t.equal(
    curlOf(put, 'http://a.test'),
    `curl -s -X PUT 'http://b.test/faults/a' -H 'content-type: application/json' -d '{"fault":null}'`,
  )
  const cleared = { method: 'DELETE', url: 'http://b.test/faults', body: null } as const
  t.equal(curlOf(cleared, 'http://a.test'), `curl -s -X DELETE 'http://b.test/faults'`)
})

t.test('a history goes through the prices of the changes, and needs two of them', async (t) => {
  const of = (pricePct: number | null) => ({ pricePct, buys: null, sells: null })
  const row = { ...ROW, price: 110, changes: { h24: of(10), h1: of(-50), m5: of(null) } }
  t.same(historyOf(row), [
    { hoursAgo: 24, price: 110 / 1.1 },
    { hoursAgo: 1, price: 220 },
    { hoursAgo: 0, price: 110 },
  ])
  t.equal(historyOf({ ...ROW, price: 110, changes: { h24: of(10) } }), null)
  t.equal(historyOf({ ...ROW, price: null, changes: { h24: of(10), h1: of(1) } }), null)
  t.equal(historyOf({ ...ROW, price: 1, changes: { h24: of(-100), h1: of(1) } }), null, 'from nothing')
  t.same(
    historyOf({ ...row, hourly: [100, null, 105.5, 109] }),
    [
      { hoursAgo: 24, price: 110 / 1.1 },
      { hoursAgo: 3, price: 100 },
      { hoursAgo: 1, price: 105.5 },
      { hoursAgo: 0, price: 110 },
    ],
    'hourly prices come before what follows from changes',
  )
})

t.test('a search is of the symbol, the name, or how the address begins', async (t) => {
  const found = (q: string) => matching([ROW], new URLSearchParams({ q }), true).length
  t.same(['abc', ' COIN ', '0xab', 'bc0', ''].map(found), [1, 1, 1, 0, 1])
})

t.test(
  'what sources say against a token: grave flags first, with who reports them and who does not',
  async (t) => {
    t.equal(risksOf(ROW), null, 'nobody was asked')
    t.equal(risksOf({ ...ROW, security: null }), null)
    t.same(risksOf({ ...ROW, security: { goplus: { at: 5, honeypot: false, freezable: null } } }), [])
    const security = {
      goplus: { at: 9, honeypot: true, freezable: true, sellTaxPct: 3 },
      rugcheck: { at: 5, honeypot: false, sellTaxPct: 12, buyTaxPct: 0 },
    }
    t.same(
      risksOf({ ...ROW, security })!.map(({ text, isGrave, saidBy, deniedBy }) => [
        text,
        isGrave,
        saidBy,
        deniedBy,
      ]),
      [
        ['honeypot', true, ['goplus'], ['rugcheck']],
        ['sell tax 12%', true, ['goplus', 'rugcheck'], []],
        ['freezable', false, ['goplus'], []],
      ],
    )
    t.equal(checkedAt({ ...ROW, security }), 5)
    t.match(risksOf({ ...ROW, nameSuspicious: true }), [{ text: 'name imitates a major', isGrave: true }])
  },
)

t.test('pasted addresses', async (t) => {
  const evm = '0x52908400098527886E0F7030069857D2E4169EE7'
  const sol = 'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg'
  t.equal(readAddresses('  '), null)
  t.same(readAddresses(` ${sol},\n${evm} `), { address: evm, sol })
  t.same(readAddresses(sol), { sol })
  for (const text of ['0x1234', `${evm} ${evm.toLowerCase()}`, `${evm} x`, `${sol}0`]) {
    t.match(readAddresses(text), 'Paste one EVM address', text)
  }
})

t.test('a quantile is a value that was seen', async (t) => {
  t.same([quantile([3, 1, 2], 0.5), quantile([3, 1, 2], 0.95), quantile([7], 0.5)], [2, 3, 7])
  t.equal(servedMs({ serverTiming: { validate: 1, total: 5 } }), 5)
  t.equal(servedMs({ serverTiming: {} }), null)
})

t.test('an exact amount is cut to six digits, never rounded up', async (t) => {
  t.equal(short('33.956091'), '33.956')
  t.equal(short('6480.314744'), '6,480.31')
  t.equal(short('1234567.89'), '1,234,567')
  t.equal(short('0.999999999'), '0.999999')
  t.equal(short('0.000006599'), '0.0₅6599')
})

t.test('providers, nodes and errors have texts of their own', async (t) => {
  t.same(['jupiter', 'base-1', 'hyperevm-2', 'odd'].map(titleOf), [
    'Jupiter',
    'Base node 1',
    'HyperEVM node 2',
    'odd',
  ])
  const error = (code: ErrorCode, message = '', retryAfterMs = 0) =>
    textOf(new SwapgateError(code, message, { retryAfterMs }))
  t.equal(error('budget_exhausted', '', 12_300), 'Too many requests. Try again in 13 s.')
  t.equal(error('invalid_parameter', '`to` must be an address.'), 'to must be an address.')
})

t.test('the first screen has one row of each major, and no imitation counts as one', async (t) => {
  const row = (symbol: string, chain: string, book = 'majors') =>
    ({ symbol, chain, address: `${symbol} ${chain}`, book }) as TokenRow
  const rows = [row('USDT', 'a'), row('USDT', 'b'), row('ETH', 'a'), row('WETH', 'a'), row('USDT0', 'c')]
  const fake = row('USDT', 'd', 'trending')
  t.same(
    assetsFirst([...rows, fake]).map(({ address }) => address),
    ['USDT a', 'ETH a', 'USDT d', 'USDT b', 'WETH a', 'USDT0 c'],
  )
})

t.test('the headline is the gravest step, and says how many others need a look', async (t) => {
  const action = (kind: string, words: string, to: string | null = null): Action => ({
    ...{ kind, words, to, program: null, asset: null, amount: null, from: null, spender: null, fields: null },
  })
  const risk = (code: string, action: number, severity: 'danger' | 'warning' = 'warning') =>
    ({ code, severity, action, reason: '', rule: '' }) as const
  const of = (more: Partial<Explanation>) =>
    headlineOf({ actions: [], risks: [], effects: [], unknown: [], ...more } as unknown as Explanation)
  t.equal(of({}), 'Does nothing')
  const sends = action('transfer', 'sends 0.5 SOL to Bob', 'Bob')
  t.equal(of({ actions: [sends] }), 'Sends 0.5 SOL to Bob')
  t.equal(of({ actions: [sends], risks: [risk('recipient_unknown', 0)] }), 'Sends 0.5 SOL to a new address')
  const swaps = action('swap', 'swaps 1 SOL for 2 USDC')
  t.equal(
    of({ actions: [sends, swaps], risks: [risk('recipient_unknown', 0)] }),
    'Swaps 1 SOL for 2 USDC; 1 more step to check',
  )
  t.equal(of({ actions: [swaps, sends], risks: [risk('operator', 1, 'danger')] }), 'Sends 0.5 SOL to Bob')
  const unread = { where: 'call 1', why: '', bytes: null }
  t.equal(of({ unknown: [unread] }), "1 part couldn't be decoded")
})
