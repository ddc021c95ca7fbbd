import t, { type Test } from 'tap'
import { nativeAddress } from '../../../../src/chains/address.ts'
import { CHAINS } from '../../../../src/chains/chains.ts'
import { findChain } from '../../../../src/chains/find.ts'
import { wrapperOf } from '../../../../src/chains/majors.ts'
import { headersFor } from '../../../../src/config/providers.ts'
import { withoutGaps } from '../../../../src/providers/market/candles.ts'
import { geckoterminal } from '../../../../src/providers/market/geckoterminal/geckoterminal.ts'
import type { Candle, Part } from '../../../../src/providers/market/market.ts'
import { geckoterminal as sandboxGeckoterminal } from '../../../../src/sandbox/market/geckoterminal.ts'
import { Upstream } from '../../../../src/upstream/upstream.ts'
import { clockOf } from '../../../fixtures/clock.ts'
import { hostileUpstream, http } from '../../../fixtures/hostile-upstream.ts'
import { allOf, answering, mutationsOf, unfit } from '../../../fixtures/mutations.ts'
import { failureOf, NOW, OPTIONS, startProvider, upstreamTo } from '../../../fixtures/provider.ts'

const AERO = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'
const WETH = wrapperOf('base')!
const ETH = nativeAddress(findChain('base')!)
const TOKEN = { chain: 'base', address: AERO }
const TRADER = '0x0B0D1579B739b1996D28c53C4Ff11e2c541a1188'.toLowerCase()

async function sandbox(t: Test) {
  const provider = await startProvider(t, sandboxGeckoterminal)
  const adapter = geckoterminal({ upstream: provider.upstream, clock: clockOf({ date: () => NOW }) })
  const find = (chain: string, symbol: string) => ({
    chain,
    address: provider.market.tokens(chain).find((token) => token.symbol === symbol)!.address,
  })
  return { ...provider, adapter, find, parts: adapter.parts! }
}

/** An adapter before an upstream that answers by the last word of the path. */
async function scripted(t: Test, answers: Readonly<Record<string, unknown>>) {
  const server = await hostileUpstream(t, (socket, { head }) => {
    const word = /^GET [^ ?]*?\/(\w+)(\?| |\/(hour|minute)\?)/.exec(head)![1]!
    const body = answers[word]
    socket.write(
      body === undefined
        ? http(404, '{"errors":[]}')
        : http(200, typeof body === 'string' ? body : JSON.stringify(body)),
    )
  })
  const adapter = geckoterminal({
    upstream: upstreamTo(t, server.url, 'geckoterminal'),
    clock: clockOf({ date: () => NOW }),
  })
  return { server, adapter, parts: adapter.parts! }
}

const pool = (changes: Readonly<Record<string, unknown>> = {}, base = AERO, quote = WETH) => ({
  id: 'base_0xpool',
  type: 'pool',
  attributes: {
    address: '0xpool',
    base_token_price_usd: '0.5',
    quote_token_price_usd: '3000',
    pool_created_at: new Date(NOW - 3_600_000).toISOString(),
    fdv_usd: '9000.5',
    market_cap_usd: null,
    volume_usd: { h24: '100' },
    reserve_in_usd: '1000',
    ...changes,
  },
  relationships: {
    base_token: { data: { id: `base_${base.toLowerCase()}`, type: 'token' } },
    quote_token: { data: { id: `base_${quote.toLowerCase()}`, type: 'token' } },
    dex: { data: { id: 'aerodrome', type: 'dex' } },
  },
})

const trade = (changes: Readonly<Record<string, unknown>> = {}) => ({
  id: 'x',
  type: 'trade',
  attributes: {
    tx_hash: '0xabc',
    tx_from_address: TRADER,
    from_token_amount: '0.001',
    to_token_amount: '6.000000000000000001',
    price_from_in_usd: '3000',
    price_to_in_usd: '0.5',
    block_timestamp: new Date(NOW - 60_000).toISOString(),
    kind: 'buy',
    volume_in_usd: '3',
    from_token_address: WETH.toLowerCase(),
    to_token_address: AERO.toLowerCase(),
    ...changes,
  },
})

t.test('a profile costs four calls, however many parts are asked for at once', async (t) => {
  const { parts, requests, market } = await sandbox(t)
  const [row, about, candles, trades, early] = await Promise.all([
    parts.row!.ask(TOKEN, OPTIONS),
    parts.about!.ask(TOKEN, OPTIONS),
    parts.candles!.ask(TOKEN, OPTIONS),
    parts.trades!.ask(TOKEN, OPTIONS),
    parts.early!.ask(TOKEN, OPTIONS),
  ])
  t.same(requests.map(({ path }) => path.replace(/0x[0-9a-fA-F]{40}/, '*')).sort(), [
    '/networks/base/pools/*/ohlcv/hour',
    '/networks/base/pools/*/trades',
    '/networks/base/tokens/*/info',
    '/networks/base/tokens/*/pools',
  ])
  const price = Number(market.at(NOW).usd(market.find('base', AERO)!))
  t.match(row, {
    ...TOKEN,
    symbol: 'AERO',
    name: 'Aerodrome',
    price,
    priceTs: NOW,
    holders: Number,
    liq: Number,
  })
  t.match(about, {
    image: /^https:\/\/coin-images/,
    mintAuthority: null,
    links: [{ type: 'website' }, { type: 'twitter' }, { type: 'telegram' }],
  })
  t.equal(candles!.length, 168)
  t.ok(
    candles!.every(({ ts }, i) => i === 0 || ts - candles![i - 1]!.ts === 3_600_000),
    'oldest first',
  )
  t.ok(
    candles!.every(
      ({ open, high, low, close }) => high >= Math.max(open, close) && low <= Math.min(open, close),
    ),
  )
  t.equal(candles!.at(-1)!.close, price)
  t.ok(trades!.length > 100)
  t.ok(
    trades!.every(({ ts }, i) => i === 0 || ts <= trades![i - 1]!.ts),
    'newest first',
  )
  t.match(early, [{ kind: 'pool' }, { kind: 'creator' }])
  t.equal(early!.length, 2, 'nobody remembers its first buyers')
})

t.test('all chains are served, their native coins as their wrappers', async (t) => {
  const { adapter, market, parts, requests } = await sandbox(t)
  t.same(
    [...adapter.chains],
    CHAINS.map(({ key }) => key),
  )
  for (const { key } of CHAINS) {
    const native = nativeAddress(findChain(key)!)
    const row = await parts.row!.ask({ chain: key, address: native }, OPTIONS)
    t.match(row, { chain: key, address: native, symbol: findChain(key)!.native })
    if (market.tokens(key).some(({ symbol }) => symbol === 'USDC')) t.ok(row!.price! > 0, key)
  }
  t.ok(requests.some(({ path }) => path === `/networks/base/tokens/${WETH}/pools`))
  t.ok(requests.some(({ path }) => path.startsWith('/networks/polygon_pos/')))
})

t.test('the deepest pool is the one to look at, from the side of our token', async (t) => {
  const { parts, server } = await scripted(t, {
    pools: {
      data: [
        pool({ address: '0xshallow', reserve_in_usd: '10', base_token_price_usd: '2900', volume_usd: null }),
        pool({ address: '0xdeep', fdv_usd: '1' }, WETH, AERO),
        pool({ address: '0xother', reserve_in_usd: '1e12' }, WETH, ETH),
        pool({ address: '0xunknown', reserve_in_usd: null }),
      ],
      included: [{ id: `base_${AERO.toLowerCase()}`, attributes: { name: 'Aero', symbol: 'AERO' } }],
    },
    ohlcv: { data: { attributes: { ohlcv_list: [] } } },
    trades: { data: [] },
  })
  t.strictSame(await parts.row!.ask(TOKEN, OPTIONS), {
    ...TOKEN,
    symbol: 'AERO',
    name: 'Aero',
    price: 3_000,
    priceTs: NOW,
    mcap: 9_000.5,
    fdv: 9_000.5,
    liq: 1_010,
    vol24: 200,
    holders: null,
    firstPoolAt: NOW - 3_600_000,
  })
  t.same(await parts.candles!.ask(TOKEN, OPTIONS), [])
  t.same(await parts.trades!.ask(TOKEN, OPTIONS), [])
  t.match(
    server.requests.at(-2)!.head,
    `/pools/0xdeep/ohlcv/minute?aggregate=15&limit=192&currency=usd&token=${AERO} `,
  )
  t.match(server.requests.at(-1)!.head, `/pools/0xdeep/trades?token=${AERO} `)
})

t.test('a trade is of our token, on whichever side it was', async (t) => {
  const { parts } = await scripted(t, {
    pools: { data: [pool()] },
    trades: {
      data: [
        trade({ block_timestamp: new Date(NOW - 90_000).toISOString() }),
        // The kind is of the pool's base token, which need not be ours.
        trade({ from_token_address: AERO, to_token_address: WETH, kind: 'buy', from_token_amount: '2' }),
        trade({ to_token_address: ETH }),
        trade({ to_token_amount: '1e5' }),
        trade({ tx_hash: '<script>' }),
        trade({ block_timestamp: 'now' }),
        trade({ from_token_address: 7 }),
        null,
        trade({ tx_from_address: null, price_to_in_usd: '1e400', volume_in_usd: null }),
      ],
    },
  })
  const common = { tx: '0xabc', volumeUsd: 3 }
  const trades = await parts.trades!.ask(TOKEN, OPTIONS)
  t.match(trades, [
    { ...common, kind: 'sell', amount: '2', priceUsd: 3_000, ts: NOW - 60_000 },
    { kind: 'buy', trader: null, priceUsd: null, volumeUsd: null },
    { ...common, kind: 'buy', amount: '6.000000000000000001', priceUsd: 0.5, ts: NOW - 90_000 },
  ])
  t.equal(trades!.length, 3)
})

t.test('a chart is of the deepest pool, in the candles that it is asked for', async (t) => {
  const { adapter, requests } = await sandbox(t)
  const native = { chain: 'base', address: ETH }
  const cases = [
    [60_000, 60, '/minute', 'aggregate=1&limit=60'],
    [900_000, 96, '/minute', 'aggregate=15&limit=96'],
    [3_600_000, 168, '/hour', 'aggregate=1&limit=168'],
    [14_400_000, 180, '/hour', 'aggregate=4&limit=180'],
  ] as const
  for (const [intervalMs, count, path, query] of cases) {
    const chart = await adapter.charts!.ask(native, { intervalMs, count }, OPTIONS)
    const last = requests.at(-1)!
    t.ok(last.path.endsWith(`/pools/${chart!.pool}/ohlcv${path}`), last.path)
    t.equal(String(last.query), `${query}&currency=usd&token=${WETH}`)
    t.equal(chart!.candles.length, count)
    t.ok(chart!.candles.every(({ ts }, i, all) => i === 0 || ts - all[i - 1]!.ts === intervalMs))
  }
})

t.test('a token without a pool has no chart', async (t) => {
  const { adapter } = await sandbox(t)
  const span = { intervalMs: 60_000, count: 60 }
  const nobody = { chain: 'base', address: '0x2222222222222222222222222222222222222222' }
  t.equal(await adapter.charts!.ask(nobody, span, OPTIONS), null)
})

t.test('candles come newest first and leave oldest first, without the broken ones', async (t) => {
  const second = NOW / 1_000
  const { parts } = await scripted(t, {
    pools: { data: [pool()] },
    ohlcv: {
      data: {
        attributes: {
          ohlcv_list: [
            [second, 1, 2, 0.5, 1.5, 10],
            [second - 900, 1, 2, 0.5, null, 10],
            [second - 900, 1, 2, 0.5, -1, 10],
            [second - 900, 1, 2, 0.5],
            'text',
            [NOW, 1, 2, 0.5, 1.5, 10],
            [second - 1_800, '1', '2', '0.5', '1.5', '0'],
          ],
        },
      },
    },
  })
  t.strictSame(await parts.candles!.ask(TOKEN, OPTIONS), [
    { ts: NOW - 1_800_000, open: 1, high: 2, low: 0.5, close: 1.5, volume: 0 },
    { ts: NOW - 900_000, open: 1.5, high: 1.5, low: 1.5, close: 1.5, volume: 0 },
    { ts: NOW, open: 1, high: 2, low: 0.5, close: 1.5, volume: 10 },
  ])
})

t.test('the first buyers are shown while the pool is young and its trades are complete', async (t) => {
  const at = (minutes: number) => ({ block_timestamp: new Date(NOW - minutes * 60_000).toISOString() })
  const other = '0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa'
  const list = [
    trade({ ...at(1), tx_from_address: other.toLowerCase() }),
    trade({ ...at(2), from_token_address: AERO, to_token_address: WETH }),
    trade({ ...at(3) }),
    trade({ ...at(4), tx_hash: '0xfirst' }),
  ]
  const info = { data: { attributes: { developer_address: other } } }
  const early = async (pools: readonly unknown[], trades: readonly unknown[]) => {
    const { parts } = await scripted(t, { pools: { data: pools }, trades: { data: trades }, info })
    return parts.early!.ask(TOKEN, OPTIONS)
  }
  const begin = [
    { kind: 'pool', address: '0xpool', venue: 'aerodrome', at: NOW - 3_600_000 },
    { kind: 'creator', address: other },
  ]
  const first = await early([pool()], list)
  t.match(first, [
    ...begin,
    { kind: 'buyer', tx: '0xfirst', at: NOW - 240_000, amount: '6.000000000000000001' },
    { kind: 'buyer', address: other },
  ])
  t.equal(first!.length, 4)
  t.strictSame(
    await early([pool()], Array(300).fill(list[0])),
    begin,
    'the oldest of a full list are not the first',
  )
  const old = { pool_created_at: new Date(NOW - 86_400_000).toISOString() }
  t.match(await early([pool(old)], list), { length: 2 }, 'a day old')
  const deeper = pool({
    address: '0xdeep',
    reserve_in_usd: '5000',
    pool_created_at: new Date(NOW).toISOString(),
  })
  t.strictSame(await early([pool(), deeper], list), begin, 'another pool is deeper')
  t.match(await early([pool({ pool_created_at: 'x' })], list), [{ kind: 'creator' }])
})

t.test("a token's own texts are shown only if they are harmless", async (t) => {
  const attributes = {
    name: 'Safe\u202eniamoD',
    symbol: 7,
    image_url: 'https://tracker.example/pixel.png',
    websites: ['javascript:alert(1)', 'https://good.example', 7, null],
    discord_url: 'http://discord.gg/x',
    farcaster_url: null,
    twitter_handle: 'good_one',
    telegram_handle: '../evil?',
    description: 'x\u0000'.repeat(5_000),
    holders: { count: '12' },
    mint_authority: 'no',
    freeze_authority: 'yes',
  }
  const { parts } = await scripted(t, { pools: { data: [] }, info: { data: { attributes } } })
  t.strictSame(await parts.about!.ask(TOKEN, OPTIONS), {
    description: 'x'.repeat(1_000),
    image: null,
    links: [
      { type: 'website', url: 'https://good.example/' },
      { type: 'twitter', url: 'https://x.com/good_one' },
    ],
    createdAt: null,
    mintAuthority: 'none',
    freezeAuthority: null,
  })
  t.match(await parts.row!.ask(TOKEN, OPTIONS), {
    name: 'SafeniamoD',
    symbol: null,
    price: null,
    liq: null,
    holders: 12,
  })
  t.same(await parts.candles!.ask(TOKEN, OPTIONS), [], 'known, without a pool')
})

t.test('a token that is not there is null, an answer that is none is 502', async (t) => {
  const { parts } = await sandbox(t)
  const unknown = { chain: 'base', address: '0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa' }
  for (const part of Object.keys(parts) as Part[])
    t.equal(await parts[part]!.ask(unknown, OPTIONS), null, part)
  for (const bad of ['{}', '[]', 'null', '{"data":{}}', '{"data":"x"}', '[[[[', '{"data":7}']) {
    const { parts } = await scripted(t, { pools: bad, info: bad })
    t.match(await failureOf(parts.row!.ask(TOKEN, OPTIONS)), { code: 'upstream_unusable', status: 502 }, bad)
  }
  const half = await scripted(t, { pools: { data: [pool(), 7, {}, pool({ address: 7 })] }, info: 'garbage' })
  t.match(await half.parts.row!.ask(TOKEN, OPTIONS), { price: 0.5, holders: null }, 'without the information')
})

t.test('a pool that is only listed has no history', async (t) => {
  const { parts } = await scripted(t, { pools: { data: [pool({ pool_created_at: null })] } })
  for (const part of ['candles', 'trades', 'early'] as const)
    t.same(await parts[part]!.ask(TOKEN, OPTIONS), [])
})

t.test('a rate limit is passed on', async (t) => {
  const { parts, dials } = await sandbox(t)
  dials.set('geckoterminal', '429')
  t.match(await failureOf(parts.row!.ask(TOKEN, OPTIONS)), { code: 'upstream_rate_limited', status: 502 })
})

t.test('the lists are of each network, with rows', async (t) => {
  const { adapter, requests, find } = await sandbox(t)
  const [trending, fresh] = adapter.discoveries!
  t.match(trending, { book: 'trending', title: 'geckoterminal trending pools', everyMs: 300_000 })
  t.match(fresh, { book: 'new', title: 'geckoterminal new pools', everyMs: 300_000 })
  t.same(
    trending!.chains,
    CHAINS.map(({ key }) => key),
  )
  for (const { key } of CHAINS) {
    const found = await trending!.ask(key, OPTIONS)
    t.equal(new Set(found.map(({ address }) => address)).size, found.length, 'each token once')
    t.ok(found.every(({ chain, address, row }) => chain === key && row!.address === address))
  }
  const young = await fresh!.ask('solana', OPTIONS)
  t.equal(young[0]!.address, find('solana', '🐸').address)
  for (const symbol of ['SPAM', 'FROZEN'])
    t.notOk(
      young.some(({ address }) => address === find('solana', symbol).address),
      `${symbol} is for its case`,
    )
  t.equal(requests[0]!.path, '/networks/eth/trending_pools')
  t.equal(requests[0]!.query.get('include'), 'base_token')

  const two = await scripted(t, {
    trending_pools: {
      data: [
        pool(),
        pool({ address: '0x2', reserve_in_usd: '5000', base_token_price_usd: '0.6' }),
        pool({}, 'evil'),
      ],
    },
  })
  t.match(await two.adapter.discoveries![0]!.ask('base', OPTIONS), [
    { ...TOKEN, row: { price: 0.6, liq: 6_000, vol24: 200 } },
  ])
  t.same(
    await (await scripted(t, {})).adapter.discoveries![0]!.ask('base', OPTIONS),
    [],
    'a network that it does not have',
  )
})

t.test('the strange tokens of the sandbox have the history that they should', async (t) => {
  const { parts, find } = await sandbox(t)
  const frozen = find('solana', 'FROZEN')
  t.same(await parts.trades!.ask(frozen, OPTIONS), [])
  t.same(await parts.candles!.ask(frozen, OPTIONS), [])
  t.match(await parts.about!.ask(frozen, OPTIONS), { mintAuthority: null, freezeAuthority: null })
  t.match(await parts.about!.ask(find('solana', 'JUP'), OPTIONS), {
    mintAuthority: 'none',
    freezeAuthority: 'none',
  })
  const honey = await parts.trades!.ask(find('base', 'HONEY'), OPTIONS)
  t.ok(honey!.length > 5 && honey!.every(({ kind }) => kind === 'buy'), 'nobody ever sold')
  t.match(await parts.row!.ask(find('base', 'QUOTED'), OPTIONS), {
    symbol: 'QUOTED',
    price: Number,
    mcap: null,
  })
  t.match(await parts.trades!.ask(find('base', 'QUOTED'), OPTIONS), [{ kind: /buy|sell/, amount: String }])
  t.ok((await parts.early!.ask(find('solana', '🐸'), OPTIONS))!.some(({ kind }) => kind === 'buyer'))
})

t.test('an answer is worth keeping for as long as the provider keeps it itself, or longer', async (t) => {
  const { parts } = await sandbox(t)
  const kept = Object.entries(parts).map(([part, { keepMs }]) => [part, keepMs])
  t.strictSame(Object.fromEntries(kept), {
    row: 60_000,
    about: 600_000,
    security: 600_000,
    candles: 60_000,
    trades: 60_000,
    early: 600_000,
  })
})

t.test('a key has its header, and none is sent without one', async (t) => {
  const accept = 'application/json;version=20230203'
  t.strictSame(headersFor('geckoterminal', 'CG-key'), { accept, 'x-cg-demo-api-key': 'CG-key' })
  t.strictSame(headersFor('geckoterminal', null), { accept })
})

t.test('hostile values of a member do no harm, and are not passed on', async (t) => {
  const { url, find, parts, requests } = await sandbox(t)
  const token = find('base', 'HONEY')
  for (const part of Object.values(parts)) await part.ask(token, OPTIONS)
  const kindOf = (path: string): string => /info|ohlcv|trades/.exec(path)?.[0] ?? 'pools'
  const good = await Promise.all(
    requests.map(async ({ path, query }): Promise<[kind: string, answer: unknown]> => {
      const answer: unknown = await (await fetch(`${url}${path}?${query}`)).json()
      return [kindOf(path), shortened(answer)]
    }),
  )
  t.same(good.map(([kind]) => kind).sort(), ['info', 'ohlcv', 'pools', 'trades'])
  const texts = new Map(good.map(([kind, answer]) => [kind, JSON.stringify(answer)]))
  const problems: string[] = []
  for (const [kind, answer] of good) {
    for (const [name, text] of mutationsOf(answer)) {
      const upstream = answering((path) => (kindOf(path) === kind ? text : texts.get(kindOf(path))!))
      const all = await allOf(geckoterminal({ upstream, clock: clockOf({ date: () => NOW }) }), token)
      problems.push(...unfit(all).map((problem) => `${kind} ${name}: ${problem}`))
    }
  }
  t.same(problems, [])
})

/** The same with no more than two items in each list, which says as much. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 2).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]))
}

t.test('its own honeypot mark is a finding, and `unknown` is none', async (t) => {
  const cases: [is_honeypot: unknown, honeypot: boolean | null][] = [
    [true, true],
    ['yes', true],
    [false, false],
    ['no', false],
    ['unknown', null],
    [null, null],
    [undefined, null],
    [1, null],
  ]
  for (const [is_honeypot, honeypot] of cases) {
    const attributes = { is_honeypot, mint_authority: 'yes', freeze_authority: 'no', gt_score: 3.5 }
    const { security } = geckoterminal({
      upstream: answering(JSON.stringify({ data: { attributes } })),
      clock: clockOf({ date: () => NOW }),
    }).parts!
    t.match(await security!.ask(TOKEN, OPTIONS), {
      at: NOW,
      facts: { gt_score: 3.5 },
      flags: { honeypot, mintable: true, freezable: false, cannotSell: null },
    })
  }
})

t.test('candles have no gaps: what was not traded in ends as it began', async (t) => {
  const candle = (ts: number, close: number) => ({ ts, open: 1, high: 9, low: 1, close, volume: 5 })
  const flat = (ts: number, price: number) => ({
    ts,
    open: price,
    high: price,
    low: price,
    close: price,
    volume: 0,
  })
  const span = { intervalMs: 10, count: 5 }
  const upToLast = (candles: readonly Candle[]) => withoutGaps(candles, span, candles.at(-1)?.ts ?? 0).candles
  t.same(upToLast([]), [])
  t.same(upToLast([candle(100, 2), candle(110, 3)]), [candle(100, 2), candle(110, 3)])
  t.same(upToLast([candle(100, 2), candle(130, 3), candle(140, 4)]), [
    candle(100, 2),
    flat(110, 2),
    flat(120, 2),
    candle(130, 3),
    candle(140, 4),
  ])
  t.same(
    upToLast([candle(0, 7), candle(10_000, 3)]),
    [...[9_960, 9_970, 9_980, 9_990].map((ts) => flat(ts, 7)), candle(10_000, 3)],
    'as many as were asked for, however long the gap',
  )
})

t.test('its version is named in every request, and no other type is accepted', async (t) => {
  const { url, requests } = await startProvider(t, sandboxGeckoterminal)
  const headers = headersFor('geckoterminal', null)
  const upstream = new Upstream({ label: 'geckoterminal', url, maxBytes: 1_000_000, headers })
  t.teardown(() => upstream.close())
  const discovery = geckoterminal({ upstream }).discoveries![0]!
  await discovery.ask('ethereum', OPTIONS)
  t.equal(requests[0]!.headers.accept, 'application/json;version=20230203')
})
