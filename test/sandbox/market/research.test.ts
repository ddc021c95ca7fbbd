import fc from 'fast-check'
import t from 'tap'
import { cleanAddress, cleanId } from '../../../src/providers/market/clean.ts'
import { dexscreener } from '../../../src/sandbox/market/dexscreener.ts'
import { geckoterminal } from '../../../src/sandbox/market/geckoterminal.ts'
import { candlesOf } from '../../../src/sandbox/market/geckoterminal-charts.ts'
import { Market } from '../../../src/sandbox/market/market.ts'
import { changesOf, draw, factsOf, isYoung, pairsOf, tradesOf } from '../../../src/sandbox/market/research.ts'
import { LISTINGS, SCALED_MINT } from '../../../src/sandbox/market/tokens.ts'
import { NOW, startProvider } from '../../fixtures/provider.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const market = new Market()
const token = (chain: string, symbol: string) =>
  market.tokens(chain).find((candidate) => candidate.symbol === symbol)!
const listed = fc.constantFrom(...LISTINGS.map((listing) => listing.token))
const moment = fc.integer({ min: NOW, max: NOW + 1e11 })

t.test('what there is to find out follows from the token and the time', async () => {
  fc.assert(
    fc.property(listed, moment, (one, now) => {
      const facts = factsOf(one, now)
      const percent = facts.holders.reduce((sum, holder) => sum + holder.percent, 0)
      const balance = facts.holders.reduce((sum, holder) => sum + holder.balance, 0n)
      const age = now - facts.createdAt
      return (
        facts.supply === factsOf(one, now + 1).supply &&
        facts.supply > 0n &&
        balance <= facts.supply &&
        percent > 10 &&
        percent <= 100 &&
        facts.holders.every(({ address }) => cleanAddress(one.chain, address) === address) &&
        facts.holders.every((holder, i) => i === 0 || holder.percent <= facts.holders[i - 1]!.percent) &&
        cleanAddress(one.chain, facts.creator) === facts.creator &&
        facts.holderCount >= facts.holders.length &&
        (isYoung(one) ? age > 0 && age < 14 * HOUR_MS : age > 365 * DAY_MS)
      )
    }),
    { numRuns: 200 },
  )
})

t.test('a pair is listed with what the market has in it', async (t) => {
  const prices = market.at(NOW)
  const aero = token('base', 'AERO')
  const [pair] = pairsOf(prices, aero)
  t.match(pair, { base: aero, quote: token('base', 'ETH'), venue: 'aerodrome' })
  t.equal(pair!.address, prices.swap(aero, token('base', 'ETH'), 10n ** 18n)!.hops[0]!.pool)
  t.ok(Math.abs(Number(pair!.liquidityUsd) - 8_000_000) < 1_000_000, 'four million on each side')
  const worth = (Number(pair!.baseReserve) / 1e18) * Number(prices.usd(aero))
  t.ok(Math.abs(worth * 2 - Number(pair!.liquidityUsd)) < 1, 'half of it ours')
  t.same(pairsOf(prices, token('base', 'GHOST')), [])
  t.ok(Number(pairsOf(prices, token('base', 'SPAM'))[0]!.liquidityUsd) < 20)
  t.same(
    pairsOf(prices, token('base', 'WETH')),
    pairsOf(prices, token('base', 'ETH')),
    'a wrapper stands for the native coin',
  )
  const sides = pairsOf(prices, token('base', 'USDC')).map(({ base }) => base.symbol)
  t.same(sides, ['ETH', 'USDC', 'cbBTC'], 'of the main pool both sides are a base')
  t.ok(pairsOf(prices, token('base', 'QUOTED')).every(({ quote }) => quote.symbol === 'QUOTED'))
})

t.test(
  'each asset has moved by its own walk, which the changes and the candles of a pair share',
  async (t) => {
    for (let i = 0; i < 4; i++) {
      const now = NOW + i * 53 * HOUR_MS
      const prices = market.at(now)
      const changes = LISTINGS.flatMap((listing) =>
        pairsOf(prices, listing.token)
          .slice(0, 1)
          .map((pair) => ({ asset: listing.asset, pair, changes: changesOf(prices, pair) })),
      )
      const distinct = new Set(changes.map(({ changes }) => JSON.stringify(changes)))
      t.ok(distinct.size > 25, 'no line is that of all')
      for (const { pair, changes: shown } of changes) {
        const { base, createdAt } = pair
        const from = Math.max(createdAt, now - DAY_MS)
        const expected = 100 * (Number(prices.usd(base)) / Number(market.at(from).usd(base)) - 1)
        t.ok(Math.abs(shown.h24 - expected) < 0.011, `${base.symbol} on ${base.chain} in 24 h`)
        if (pair.volumeUsd === 0) continue
        const [newest] = candlesOf(market, pair, base, { before: now, intervalMs: HOUR_MS, limit: 1 })
        t.equal(newest![4], Number(prices.usd(base)), 'the last candle closes at the price of the list')
      }
      for (const symbol of ['USDC', 'USDT', 'DAI']) {
        for (const { token } of LISTINGS.filter((listing) => listing.token.symbol === symbol)) {
          t.ok(Math.abs(Number(prices.usd(token)) - 1) < 0.002, `${symbol} on ${token.chain} is a dollar`)
          t.ok(
            Math.abs(prices.changePct(token, now - DAY_MS)) <= 0.1,
            `${symbol} on ${token.chain} stands still`,
          )
        }
      }
    }
  },
)

t.test('trades are of the past day, newest first, and do not change afterwards', async (t) => {
  const pair = pairsOf(market.at(NOW), token('solana', 'JUP'))[0]!
  const trades = tradesOf(pair, NOW, 150)
  t.ok(trades.length >= 145)
  t.ok(trades.every(({ at }, i) => i === 0 || at <= trades[i - 1]!.at))
  t.ok(trades.every(({ at, worth }) => at <= NOW && at >= NOW - DAY_MS && worth >= 0))
  t.ok(trades.every(({ tx }) => cleanId(tx) === tx))
  const later = tradesOf(pair, NOW + HOUR_MS, 150)
  t.ok(later.filter(({ tx }) => trades.some((trade) => trade.tx === tx)).length > 130)
  const young = pairsOf(market.at(NOW), token('solana', '🐸'))[0]!
  t.ok(tradesOf(young, NOW, 150).every(({ at }) => at >= young.createdAt))
  t.same(tradesOf(pairsOf(market.at(NOW), token('solana', 'FROZEN'))[0]!, NOW, 150), [])
  t.ok(Array.from({ length: 100 }, (_, i) => draw(`${i}`)).every((drawn) => drawn >= 0 && drawn < 1))
})

t.test('the strange tokens are what they are meant to be', async (t) => {
  t.match(factsOf(token('base', 'HONEY'), NOW), { isHoneypot: true, sellTaxPct: 0 })
  t.match(factsOf(token('base', 'TAXED'), NOW), { isHoneypot: false, buyTaxPct: 1, sellTaxPct: 99 })
  t.match(factsOf(token('solana', 'FROZEN'), NOW), { freezeAuthority: String, mintAuthority: String })
  t.match(factsOf(token('solana', 'JUP'), NOW), { freezeAuthority: null, mintAuthority: null })
  t.match(market.find('solana', SCALED_MINT), { symbol: 'SCALED', trait: 'scaled' })
  t.ok(Number(market.at(NOW).usd(token('base', 'SPAM'))) > 900_000)
})

t.test("DexScreener's server refuses and forgets as the real one does", async (t) => {
  const { url } = await startProvider(t, dexscreener)
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(url + path, init)
    return { status: response.status, body: (await response.json()) as unknown }
  }
  const weth = token('base', 'WETH').address
  t.same(await get('/tokens/v1/nowhere/0x1'), { status: 200, body: [] })
  t.same(await get('/tokens/v1/base/0x1,text'), { status: 200, body: [] })
  t.equal((await get(`/tokens/v1/base/${Array(31).fill(weth).join(',')}`)).status, 400)
  const all = market.tokens('solana').map(({ address }) => address)
  const crowded = (await get(`/tokens/v1/solana/${all.slice(0, 30).join(',')}`)).body as unknown[]
  t.ok(crowded.length > 10 && crowded.length <= 30)
  t.equal((await get('/tokens/v1/base')).status, 404)
  t.equal((await get('/token-boosts/top/v1', { method: 'POST' })).status, 404)
})

t.test("GeckoTerminal's server refuses in JSON:API", async (t) => {
  const { url } = await startProvider(t, geckoterminal)
  const pool = pairsOf(market.at(NOW), token('base', 'AERO'))[0]!.address
  const missing = { errors: [{ status: '404', title: 'Not Found' }] }
  const cases: [path: string, status: number][] = [
    ['/networks/ethereum/trending_pools', 404],
    ['/networks/base/tokens/0x1/pools', 404],
    ['/networks/base/tokens/native/else', 404],
    ['/networks/base/pools/0x1/trades', 404],
    [`/networks/base/pools/${pool}/else`, 404],
    ['/else', 404],
    [`/networks/base/pools/${pool}/ohlcv/second`, 400],
    [`/networks/base/pools/${pool}/ohlcv/hour?aggregate=2`, 400],
    [`/networks/base/pools/${pool}/ohlcv/hour?limit=1001`, 400],
    [`/networks/base/pools/${pool}/ohlcv/hour?limit=x`, 400],
  ]
  for (const [path, status] of cases) {
    const response = await fetch(url + path)
    t.equal(response.status, status, path)
    const body = (await response.json()) as object
    if (status === 404) t.same(body, missing)
    else t.match(body, { errors: [{ status: '400' }] })
  }
  type Candles = { data: { attributes: { ohlcv_list: number[][] } } }
  const get = async (query: string) =>
    ((await (await fetch(`${url}/networks/base/pools/${pool}/ohlcv/hour?${query}`)).json()) as Candles).data
      .attributes.ohlcv_list
  t.equal((await get('')).length, 100)
  const before = await get(`before_timestamp=${NOW / 1_000 - 86_400}&limit=2`)
  t.equal(before.length, 2)
  t.ok(before.every(([at]) => at! <= NOW / 1_000 - 86_400))
  const [[, open]] = (await get('token=quote&limit=1')) as [[number, number]]
  t.ok(open > 2_000, 'the price of the other side')
})
