import t from 'tap'
import { nativeAddress } from '../../../src/chains/address.ts'
import { findChain } from '../../../src/chains/find.ts'
import type { Candle, MarketProvider } from '../../../src/providers/market/market.ts'
import type { ListedToken } from '../../../src/research/list/token-set.ts'
import { NativeCoins } from '../../../src/research/native/native-coins.ts'
import { NativeHistory, NativePrice } from '../../../src/research/native/shapes.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { loggerTo } from '../../../src/runtime/log.ts'
import { Check } from '../../fixtures/check.ts'
import { handClock } from '../../fixtures/clock.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const BASE = findChain('base')!
const WETH = '0x4200000000000000000000000000000000000006'
const limited = new GatewayError('upstream_rate_limited', 'Wait.', { provider: 'one', retryAfterMs: 7_000 })

/** What a source says next: a price of so many ms ago, a list of candles, nothing, or an error. */
interface Script {
  price?: readonly [price: number, ageMs: number] | null | Error
  candles?: readonly Candle[] | null | Error
  /** How long the source takes for it, ms. */
  takesMs?: number
}

function start(labels: readonly string[] = ['one', 'two']) {
  const clock = handClock()
  const listed: { price: number | null; priceTs: number | null } = { price: null, priceTs: null }
  const scripts: Record<string, Script> = Object.fromEntries(labels.map((label) => [label, {}]))
  const calls: string[] = []
  const shares: number[] = []
  const providers = labels.map((label): MarketProvider => {
    const script = scripts[label]!
    return {
      label,
      chains: new Set(['base', 'solana', 'ton']),
      prices: {
        maxTokens: 1,
        async ask([token], call) {
          const { chain, address } = token!
          calls.push(`${label} price ${chain}`)
          shares.push(call.leftMs)
          clock.advance(script.takesMs ?? 0)
          if (script.price instanceof Error) throw script.price
          if (script.price == null) return []
          const [price, ageMs] = script.price
          return [{ chain, address, price, priceTs: clock.date() - ageMs, liq: null }]
        },
      },
      charts: {
        async ask({ chain, address }, { intervalMs, count }) {
          const of = address === nativeAddress(findChain(chain)!) ? chain : `${chain} ${address}`
          calls.push(`${label} chart ${of} ${count} x ${intervalMs / MINUTE} min`)
          if (script.candles instanceof Error) throw script.candles
          return script.candles == null ? null : { pool: '0xpool', candles: script.candles }
        },
      },
    }
  })
  const natives = new NativeCoins({
    tokens: { find: () => (listed.price === null ? null : (listed as ListedToken)) },
    providers,
    deadlineMs: 1_000,
    clock,
    log: loggerTo({ write: () => t.fail('a fault') }, 'error'),
  })
  const asked = () => calls.splice(0)
  return { clock, listed, scripts, natives, asked, shares }
}

t.test('a recent price of the list is answered without a call', async (t) => {
  const { clock, listed, natives, asked } = start()
  Object.assign(listed, { price: 2_956.1, priceTs: clock.date() - MINUTE })
  const answer = await natives.price(BASE, null)
  t.same(answer, {
    chain: 'base',
    symbol: 'ETH',
    wrapped: WETH,
    price: 2_956.1,
    asOf: clock.date() - MINUTE,
    stale: false,
    source: 'tokens',
    sources: [],
  })
  t.ok(Check(NativePrice, answer))
  t.same(asked(), [])
})

t.test('one deadline bounds all sources, and each that is left has its share of the rest', async (t) => {
  const { scripts, natives, shares } = start(['one', 'two', 'three'])
  scripts.one!.takesMs = 100
  scripts.two!.takesMs = 300
  scripts.three!.price = [3_000, SECOND]
  t.match(await natives.price(BASE, null), { price: 3_000, source: 'three' })
  t.same(shares.map(Math.round), [333, 450, 600])
})

t.test('an older one is asked for, once in half a minute', async (t) => {
  const { clock, listed, scripts, natives, asked } = start()
  Object.assign(listed, { price: 2_956.1, priceTs: clock.date() - 61 * SECOND })
  scripts.one!.price = [3_000, 40 * SECOND]
  const both = await Promise.all([natives.price(BASE, null), natives.price(BASE, null)])
  for (const answer of both) {
    t.match(answer, { price: 3_000, asOf: clock.date() - 40 * SECOND, source: 'one', stale: false })
    t.same(answer.sources, [{ provider: 'one', status: 'ok', at: clock.date() }])
  }
  clock.advance(29 * SECOND)
  t.match(await natives.price(BASE, null), { price: 3_000 })
  t.same(asked(), ['one price base'])
  clock.advance(SECOND)
  scripts.one!.price = [3_001, 40 * SECOND]
  t.match(await natives.price(BASE, null), { price: 3_001 })
  t.same(asked(), ['one price base'])
})

t.test('the next source is asked if one fails or knows nothing, and each is named', async (t) => {
  const { clock, scripts, natives, asked } = start()
  scripts.one!.price = limited
  scripts.two!.price = [3_000, 0]
  t.match(await natives.price(BASE, null), {
    price: 3_000,
    source: 'two',
    stale: false,
    sources: [
      { provider: 'one', status: 'failed', at: null, code: 'upstream_rate_limited', retryAfterMs: 7_000 },
      { provider: 'two', status: 'ok' },
    ],
  })
  t.same(asked(), ['one price base', 'two price base'])
  scripts.one!.price = null
  t.match((await natives.price(BASE, null)).sources[0], { status: 'missing', at: clock.date() })
})

t.test(
  'while all of them fail, what is known from before is answered as stale; what is not, is null',
  async (t) => {
    const { clock, listed, scripts, natives } = start(['one'])
    scripts.one!.price = limited
    t.match(await natives.price(BASE, null), { price: null, asOf: null, source: null, stale: false })
    Object.assign(listed, { price: 2_956.1, priceTs: clock.date() - MINUTE })
    t.match(await natives.price(BASE, null), { price: 2_956.1, source: 'tokens', stale: false })
    clock.advance(1)
    t.match(await natives.price(BASE, null), { price: 2_956.1, source: 'tokens', stale: true })
    scripts.one!.price = [3_000, 0]
    t.match(await natives.price(BASE, null), { price: 3_000, source: 'one' })
    const at = clock.date()
    scripts.one!.price = limited
    clock.advance(MINUTE)
    t.match(await natives.price(BASE, null), {
      price: 3_000,
      asOf: at,
      stale: true,
      sources: [{ status: 'stale', at, code: 'upstream_rate_limited' }],
    })
    clock.advance(60 * MINUTE)
    t.match(await natives.price(BASE, null), { price: 2_956.1, source: 'tokens' }, 'forgotten after an hour')
  },
)

t.test('each coin says what it is quoted as', async (t) => {
  const { natives } = start([])
  const wrapped = async (chain: string) => (await natives.price(findChain(chain)!, null)).wrapped
  t.equal(await wrapped('base'), WETH)
  t.equal(await wrapped('solana'), 'So11111111111111111111111111111111111111112')
  t.equal(await wrapped('ton'), null)
})

t.test('a chart is asked for by its span, and kept for half a candle', async (t) => {
  const { clock, scripts, natives, asked } = start(['one'])
  const candle = { ts: clock.date(), open: 1, high: 3, low: 1, close: 2, volume: 5 }
  scripts.one!.candles = [candle]
  const kept = [
    ['1h', '180 x 1 min', MINUTE, 30 * SECOND],
    ['24h', '180 x 15 min', 15 * MINUTE, 5 * MINUTE],
    ['7d', '180 x 60 min', 60 * MINUTE, 15 * MINUTE],
    ['30d', '180 x 240 min', 240 * MINUTE, 30 * MINUTE],
  ] as const
  for (const [span, shown, intervalMs, keepMs] of kept) {
    const answer = await natives.history(BASE, { span }, null)
    t.ok(Check(NativeHistory, answer))
    t.match(answer, { chain: 'base', span, intervalMs, source: 'one', pool: '0xpool', ageMs: 0, filled: 0 })
    t.equal(answer.candles?.length, 1)
    clock.advance(keepMs - 1)
    t.match(await natives.history(BASE, { span }, null), { ageMs: keepMs - 1, stale: false })
    t.same(asked(), [`one chart base ${shown}`])
    clock.advance(1)
    scripts.one!.candles = [{ ...candle, ts: clock.date() }]
    await natives.history(BASE, { span }, null)
    t.same(asked(), [`one chart base ${shown}`])
  }
})

t.test('an older chart is shown while its source fails, and continued later', async (t) => {
  const { clock, scripts, natives } = start(['one'])
  scripts.one!.candles = limited
  t.match(await natives.history(BASE, { span: '1h' }, null), {
    candles: null,
    filled: 0,
    source: null,
    asOf: null,
    ageMs: null,
    stale: false,
    sources: [{ provider: 'one', status: 'failed', code: 'upstream_rate_limited', retryAfterMs: 7_000 }],
  })
  scripts.one!.candles = [{ ts: clock.date(), open: 1, high: 3, low: 1, close: 2, volume: 5 }]
  await natives.history(BASE, { span: '1h' }, null)
  scripts.one!.candles = limited
  clock.advance(3 * MINUTE)
  const answer = await natives.history(BASE, { span: '1h' }, null)
  t.match(answer, { stale: true, ageMs: 3 * MINUTE, filled: 3, sources: [{ status: 'stale' }] })
  t.same(
    answer.candles?.map(({ close, volume }) => [close, volume]),
    [
      [2, 5],
      [2, 0],
      [2, 0],
      [2, 0],
    ],
  )
})

t.test("a span is cut from its interval's chart, and a token's is a chart of its own", async (t) => {
  const BRETT = '0x532f27101965dd16442e59d40670faf5ebb142e4'
  const { clock, listed, scripts, natives, asked } = start(['one'])
  const HOUR = 60 * MINUTE
  const now = Math.floor(clock.date() / HOUR) * HOUR
  scripts.one!.candles = Array.from({ length: 180 }, (_, i) => {
    return { ts: now - (179 - i) * HOUR, open: 1, high: 1, low: 1, close: 1, volume: 1 }
  })
  const week = await natives.history(BASE, { span: '7d' }, null)
  t.match(week, { token: nativeAddress(BASE), symbol: 'ETH', wrapped: WETH, span: '7d', interval: '1h' })
  t.equal(week.candles?.length, 168)
  const hours = await natives.history(BASE, { interval: '1h' }, null)
  t.match(hours, { span: null, interval: '1h', intervalMs: HOUR })
  t.equal(hours.candles?.length, 180)
  t.same(hours.candles?.slice(-168), week.candles)
  t.same(asked(), ['one chart base 180 x 60 min'], 'one call for both')

  Object.assign(listed, { price: 1, priceTs: 1, symbol: 'BRETT' })
  const order = { token: BRETT, interval: '5m' } as const
  const both = await Promise.all([natives.history(BASE, order, null), natives.history(BASE, order, null)])
  for (const answer of both) {
    t.ok(Check(NativeHistory, answer))
    t.match(answer, { token: BRETT, symbol: 'BRETT', wrapped: null, span: null, interval: '5m' })
  }
  t.same(asked(), [`one chart base ${BRETT} 180 x 5 min`], 'one call for both')
  for (const [interval, shown] of [
    ['1m', '1'],
    ['15m', '15'],
    ['4h', '240'],
    ['1d', '1440'],
  ] as const) {
    await natives.history(BASE, { token: BRETT, interval }, null)
    t.same(asked(), [`one chart base ${BRETT} 180 x ${shown} min`])
  }
})

t.test('a chain without a chart at any source gets an error that says so', async (t) => {
  const { scripts, natives, asked } = start(['one'])
  scripts.one!.candles = null
  t.match(await natives.history(BASE, { span: '7d' }, null), {
    candles: null,
    sources: [{ status: 'missing' }],
  })
  asked()
  t.match(await natives.history(findChain('gnosis')!, { span: '7d' }, null), {
    candles: null,
    sources: { length: 0 },
  })
  t.same(asked(), [])
})
