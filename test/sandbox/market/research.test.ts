import t from 'tap'
import { MAJORS } from '../../../src/chains/majors.ts'
import * as clean from '../../../src/providers/market/clean.ts'
import { draw } from '../../../src/sandbox/draw.ts'
import { tradedIn, tradesOf, volumeOf } from '../../../src/sandbox/market/activity.ts'
import { dexscreener } from '../../../src/sandbox/market/dexscreener.ts'
import { geckoterminal } from '../../../src/sandbox/market/geckoterminal.ts'
import { candlesOf } from '../../../src/sandbox/market/geckoterminal-charts.ts'
import { Market } from '../../../src/sandbox/market/market.ts'
import { changesOf, factsOf, isYoung, pairsOf, topTenPct } from '../../../src/sandbox/market/research.ts'
import { isCase, LISTINGS, PRICES, SCALED_MINT } from '../../../src/sandbox/market/tokens.ts'
import fc from '../../fixtures/fast-check.ts'
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
        facts.holders.every(({ address }) => clean.address(one.chain, address) === address) &&
        facts.holders.every((holder, i) => i === 0 || holder.percent <= facts.holders[i - 1]!.percent) &&
        clean.address(one.chain, facts.creator) === facts.creator &&
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
          .map((pair) => ({ asset: listing.token.asset, pair, changes: changesOf(prices, pair) })),
      )
      const distinct = new Set(changes.map(({ changes }) => JSON.stringify(changes)))
      t.ok(distinct.size > 25, 'no line is that of all')
      for (const { pair, changes: shown } of changes) {
        const { base, createdAt } = pair
        const from = Math.max(createdAt, now - DAY_MS)
        const expected = 100 * (Number(prices.usd(base)) / Number(market.at(from).usd(base)) - 1)
        t.ok(Math.abs(shown.h24 - expected) < 0.011, `${base.symbol} on ${base.chain} in 24 h`)
        if (pair.turnover === 0) continue
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

/** The rows of a list: the majors, and what sites rank. */
const ROWS = (() => {
  const majors = [...MAJORS].flatMap(([chain, ofChain]) =>
    ofChain.flatMap(({ address }) => market.find(chain, address) ?? []),
  )
  const traded = LISTINGS.filter((one) => one.depthUsd > 0 && !isCase(one.token)).map((one) => one.token)
  return [...new Set([...majors, ...traded])]
})()

t.test('on most days between a third and two thirds of all tokens rise, and no two do alike', async (t) => {
  const parts: number[] = []
  const moves = new Map<string, number[]>()
  for (let seed = 1; seed <= 20; seed++) {
    const other = new Market({ seed })
    for (let i = 0; i < 5; i++) {
      const now = NOW + (7 * i + seed) * 31 * HOUR_MS
      const [prices, before] = [other.at(now), other.at(now - DAY_MS)]
      const changes = ROWS.map((row) => {
        const change = Number(prices.usd(row)) / Number(before.usd(row)) - 1
        moves.set(row.asset, [...(moves.get(row.asset) ?? []), change])
        if (PRICES[row.asset]!.kind === 'stable' && Math.abs(change) > 0.001) t.fail(`${row.symbol} moves`)
        return change
      })
      parts.push(changes.filter((change) => change > 0).length / changes.length)
      const wrappers = LISTINGS.filter(({ isWrapper }) => isWrapper).length
      t.ok(new Set(changes).size >= changes.length - wrappers, 'but a coin and its wrapper')
    }
  }
  const usual = parts.filter((part) => part >= 0.35 && part <= 0.65)
  t.ok(usual.length >= 0.8 * parts.length, `${usual.length} of ${parts.length} days`)
  t.ok(
    parts.every((part) => part > 0.15 && part < 0.85),
    'nor is any day one-sided',
  )
  const ofDays = (asset: string): number[] => {
    const all = moves.get(asset)!
    return parts.map((_, i) => all[(i * all.length) / parts.length]!)
  }
  const correlated = (a: string, b: string): number => {
    const [x, y] = [ofDays(a), ofDays(b)]
    const product = (v: number[], w: number[]) => v.reduce((sum, one, i) => sum + one * w[i]!, 0)
    return product(x, y) / Math.sqrt(product(x, x) * product(y, y))
  }
  t.ok(correlated('ETH', 'BTC') > 0.65, 'majors move together')
  t.ok(correlated('ETH', 'SOL') > 0.15 && correlated('ETH', 'SOL') < 0.7)
  t.ok(correlated('SOL', 'JUP') > 0.35, 'as do tokens with the coin of their chain')
})

t.test('volumes, counts, candles and trades are of one history, and each pool has its own', async (t) => {
  const now = NOW + 23 * 60_000
  const prices = market.at(now)
  const pairs = ROWS.flatMap((row) => pairsOf(prices, row).slice(0, 1))
  const days = pairs.map((pair) => ({ pair, ...tradedIn(market, pair, now) }))
  t.ok(new Set(days.map(({ h24 }) => h24.buys)).size > 40, 'buys differ')
  t.ok(new Set(pairs.map(({ liquidityUsd }) => liquidityUsd)).size > 60, 'as does what pools hold')
  for (const { pair, m5, h1, h6, h24 } of days) {
    const trades = tradesOf(market, pair, now, 150)
    const isWhole = trades.length < 150
    const since = (ms: number) => trades.filter(({ at }) => at >= now - ms).length
    const hold = {
      rising: [m5, h1, h6].every((less, i) => less.volume <= [h1, h6, h24][i]!.volume),
      counts: [m5, h1, h6].every((less, i) => less.buys <= [h1, h6, h24][i]!.buys),
      people: h24.buyers <= h24.buys && h24.sellers <= h24.sells,
      recent: (!isWhole && since(300_000) === 150) || since(300_000) === m5.buys + m5.sells,
      all: !isWhole || trades.length === h24.buys + h24.sells,
      bought: !isWhole || trades.filter(({ kind }) => kind === 'buy').length === h24.buys,
    }
    const broken = Object.entries(hold).filter(([, holds]) => !holds)
    t.same(broken, [], `${pair.base.symbol} on ${pair.base.chain}`)
  }
  for (const symbol of ['ETH', 'AERO', 'DEGEN']) {
    const { pair, h24 } = days.find(({ pair }) => pair.base === token('base', symbol))!
    const candles = candlesOf(market, pair, pair.base, { before: now, intervalMs: HOUR_MS, limit: 24 })
    const sum = candles.reduce((sum, candle) => sum + candle[5]!, 0)
    t.ok(sum <= h24.volume * 1.001 && sum > h24.volume * 0.85, `${symbol}: candles`)
  }
  const dailyUsd = (pair: (typeof pairs)[number]) => volumeOf(market, pair, now - DAY_MS, now)
  const odd = LISTINGS.filter(({ token }) => isCase(token)).flatMap(({ token }) =>
    pairsOf(prices, token).slice(0, 1),
  )
  const top = pairs.map(dailyUsd).toSorted((a, b) => b - a)
  t.ok(Math.max(...odd.map(dailyUsd)) < top[20]!, 'what is odd is no top of a list')
})

t.test('trades are of the past day, newest first, and do not change afterwards', async (t) => {
  const trades = (pair: Parameters<typeof tradesOf>[1], now: number) => tradesOf(market, pair, now, 150)
  const pair = pairsOf(market.at(NOW), token('solana', 'JUP'))[0]!
  const first = trades(pair, NOW)
  t.equal(first.length, 150)
  t.ok(first.every(({ at }, i) => i === 0 || at <= first[i - 1]!.at))
  t.ok(first.every(({ at, worth }) => at <= NOW && at >= NOW - DAY_MS && worth >= 0))
  t.ok(first.every(({ tx }) => clean.id(tx) === tx))
  const later = trades(pair, NOW + 60_000)
  const kept = new Set(first.map((trade) => JSON.stringify(trade)))
  t.ok(later.filter((trade) => kept.has(JSON.stringify(trade))).length > 100)
  const honey = trades(pairsOf(market.at(NOW), token('base', 'HONEY'))[0]!, NOW)
  t.ok(honey.every(({ kind }) => kind === 'buy'))
  const young = pairsOf(market.at(NOW), token('solana', '🐸'))[0]!
  t.ok(trades(young, NOW).every(({ at }) => at >= young.createdAt))
  t.same(trades(pairsOf(market.at(NOW), token('solana', 'FROZEN'))[0]!, NOW), [])
  t.ok(Array.from({ length: 100 }, (_, i) => draw(`${i}`)).every((drawn) => drawn >= 0 && drawn < 1))
})

t.test(
  'holders have less from rank to rank, and more together of a new token than of a stablecoin',
  async (t) => {
    const { holders } = factsOf(token('base', 'AERO'), NOW)
    t.ok(holders[0]!.percent < 2.9 * holders[1]!.percent, 'no halves')
    t.ok(holders[0]!.percent > 7 * holders[9]!.percent)
    const top = (chain: string, symbol: string): number => topTenPct(factsOf(token(chain, symbol), NOW))
    t.ok(top('base', 'USDC') >= 14.5 && top('base', 'USDC') <= 30)
    t.ok(top('solana', '🐸') >= 44.5)
  },
)

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
