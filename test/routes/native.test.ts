import t from 'tap'
import { CHAINS } from '../../src/chains/chains.ts'
import {
  NativeHistory as HistoryShape,
  type NativeHistory,
  NativePrice,
} from '../../src/research/native/shapes.ts'
import { CHART_SPANS, INTERVAL_NAMES, INTERVALS, SPAN_NAMES } from '../../src/research/native/spans.ts'
import { Check } from '../fixtures/check.ts'
import { listen } from '../fixtures/gateway.ts'
import { turn, USDC } from '../fixtures/swaps.ts'

type Json = Record<string, unknown>

async function read(url: string): Promise<{ status: number; body: Json }> {
  const response = await fetch(url)
  return { status: response.status, body: (await response.json()) as Json }
}

t.test('the native coin of every chain has its price', async (t) => {
  const { url } = await listen(t)
  for (const { key, native } of CHAINS) {
    const { status, body } = await read(`${url}/api/native-price?chain=${key}`)
    t.equal(status, 200, key)
    t.ok(Check(NativePrice, body), key)
    t.match(body, { chain: key, symbol: native, stale: false }, key)
  }
  const { body } = await read(`${url}/api/native-price?chain=base`)
  t.match(body, { price: Number, source: 'defillama', sources: [{ provider: 'defillama', status: 'ok' }] })
  await read(`${url}/api/tokens?scope=base`)
  t.match((await read(`${url}/api/native-price?chain=base`)).body, {
    source: 'tokens',
    sources: { length: 0 },
  })
})

t.test('a chart of each span has its candles, as far apart as it says', async (t) => {
  const { url } = await listen(t)
  for (const chain of ['base', 'solana', 'sui', 'ton']) {
    for (const span of SPAN_NAMES) {
      const { status, body } = await read(`${url}/api/native-history?chain=${chain}&span=${span}`)
      const name = `${chain} ${span}`
      t.equal(status, 200, name)
      t.ok(Check(HistoryShape, body), name)
      const { candles, intervalMs } = body as unknown as NativeHistory
      const { count, interval } = CHART_SPANS[span]
      t.match(
        body,
        { interval, intervalMs: INTERVALS[interval].intervalMs, source: 'geckoterminal', filled: 0 },
        name,
      )
      t.equal(candles?.length, count, name)
      t.equal(candles!.at(-1)!.ts - candles![0]!.ts, (count - 1) * intervalMs, name)
    }
  }
  t.match((await read(`${url}/api/native-history?chain=base`)).body, { span: '24h' }, 'the default')
})

t.test(
  'a token has candles of each length, of the walk that its price and its other candles are of',
  async (t) => {
    const { url } = await listen(t)
    const BONK = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
    for (const [chain, token] of [
      ['base', USDC.base],
      ['solana', BONK],
    ]) {
      const lows: number[][] = []
      for (const interval of INTERVAL_NAMES) {
        const { status, body } = await read(
          `${url}/api/native-history?chain=${chain}&token=${token}&interval=${interval}`,
        )
        const name = `${chain} ${interval}`
        t.equal(status, 200, name)
        t.ok(Check(HistoryShape, body), name)
        const { intervalMs, count } = INTERVALS[interval]
        t.match(
          body,
          { chain, interval, intervalMs, span: null, wrapped: null, source: 'geckoterminal' },
          name,
        )
        const { candles } = body as unknown as NativeHistory
        t.ok(candles!.length > 1 && candles!.length <= count, name)
        for (const [i, { ts, low, high }] of candles!.entries()) {
          if (ts % intervalMs !== 0 || low > high) t.fail(`${name}: a candle of ${ts}`)
          if (i > 0 && ts - candles![i - 1]!.ts !== intervalMs) t.fail(`${name}: a gap before ${ts}`)
        }
        const { close } = candles!.at(-1)!
        lows.push([close])
      }
      const closes = lows.flat()
      for (const close of closes) t.ok(Math.abs(close / closes[0]! - 1) < 0.01, `${chain}: one price of now`)
    }
    const native = (await read(`${url}/api/native-history?chain=base&interval=1h`)).body
    const named = (await read(`${url}/api/native-history?chain=base&token=native&interval=1h`)).body
    t.same(named, { ...native, ageMs: named.ageMs })
  },
)

t.test('a token that no source knows has no candles, and the answer says why', async (t) => {
  const { url } = await listen(t)
  const { status, body } = await read(
    `${url}/api/native-history?chain=base&token=0x${'1e'.repeat(20)}&interval=1m`,
  )
  t.match(
    { status, body },
    { status: 200, body: { candles: null, symbol: null, sources: [{ status: 'missing' }] } },
  )
})

t.test('where a source fails, the answer says so', async (t) => {
  const gateway = await listen(t)
  for (const name of ['geckoterminal', 'defillama']) await turn(gateway, name, '500')
  const history = await read(`${gateway.url}/api/native-history?chain=base&span=1h`)
  t.match(history, {
    status: 200,
    body: {
      candles: null,
      sources: [{ provider: 'geckoterminal', status: 'failed', code: 'upstream_failed' }],
    },
  })
  const price = await read(`${gateway.url}/api/native-price?chain=base`)
  t.match(price, {
    status: 200,
    body: { price: null, sources: [{ provider: 'defillama', status: 'failed', code: 'upstream_failed' }] },
  })
})

t.test('a source that is switched off is not asked', async (t) => {
  const { url } = await listen(t, { GECKOTERMINAL_URL: 'off', DEFILLAMA_URL: 'off' })
  const { body } = await read(`${url}/api/native-history?chain=base`)
  t.match(body, { candles: null, sources: { length: 0 } })
  t.match((await read(`${url}/api/native-price?chain=base`)).body, { price: null, sources: { length: 0 } })
})

t.test('each parameter given wrongly is refused by its name', async (t) => {
  const { url } = await listen(t)
  const refused: [query: string, field: string, code: string][] = [
    ['native-price', 'chain', 'invalid_parameter'],
    ['native-price?chain=', 'chain', 'invalid_parameter'],
    ['native-price?chain=atlantis', 'chain', 'unsupported_chain'],
    ['native-price?chain=Base', 'chain', 'unsupported_chain'],
    ['native-price?chain=base&chain=base', 'chain', 'malformed_query'],
    ['native-history?span=1h', 'chain', 'invalid_parameter'],
    ['native-history?chain=8453', 'chain', 'unsupported_chain'],
    ['native-history?chain=base&span=', 'span', 'invalid_parameter'],
    ['native-history?chain=base&span=1H', 'span', 'invalid_parameter'],
    ['native-history?chain=base&span=90d', 'span', 'invalid_parameter'],
    ['native-history?chain=base&interval=2h', 'interval', 'invalid_parameter'],
    ['native-history?chain=base&interval=', 'interval', 'invalid_parameter'],
    ['native-history?chain=base&span=1h&interval=1m', 'interval', 'invalid_parameter'],
    ['native-history?chain=base&token=0x1', 'token', 'invalid_parameter'],
    [`native-history?chain=solana&token=${USDC.base}`, 'token', 'invalid_parameter'],
    ['native-history?chain=base&span=1h&span=7d', 'span', 'malformed_query'],
  ]
  for (const [query, field, code] of refused) {
    t.match(await read(`${url}/api/${query}`), { status: 400, body: { code, field } }, query)
  }
})
