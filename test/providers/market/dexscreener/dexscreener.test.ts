import t, { type Test } from 'tap'
import { nativeAddress } from '../../../../src/chains/address.ts'
import { CHAINS } from '../../../../src/chains/chains.ts'
import { findChain } from '../../../../src/chains/find.ts'
import { wrapperOf } from '../../../../src/chains/majors.ts'
import { CancellationScope } from '../../../../src/flow/cancellation.ts'
import { dexscreener } from '../../../../src/providers/market/dexscreener/dexscreener.ts'
import type { Part } from '../../../../src/providers/market/market.ts'
import { dexscreener as sandboxDexscreener } from '../../../../src/sandbox/market/dexscreener.ts'
import { clockOf } from '../../../fixtures/clock.ts'
import { hostileUpstream, http, status } from '../../../fixtures/hostile-upstream.ts'
import { allOf, answering, mutationsOf, unfit } from '../../../fixtures/mutations.ts'
import { failureOf, NOW, OPTIONS, startProvider, upstreamTo } from '../../../fixtures/provider.ts'

const AERO = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'
const DEGEN = '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed'
const GHOST = '0x0000000000000000000000000000000067686F73'
const WETH = wrapperOf('base')!
const ETH = nativeAddress(findChain('base')!)
const POOL = '0xa3b1c5d7e9f00112233445566778899aabbccdde'

async function sandbox(t: Test) {
  const provider = await startProvider(t, sandboxDexscreener)
  const adapter = dexscreener({ upstream: provider.upstream, clock: clockOf({ date: () => NOW }) })
  const find = (chain: string, symbol: string): string =>
    provider.market.tokens(chain).find((token) => token.symbol === symbol)!.address
  return { ...provider, adapter, find, rows: adapter.rows!, parts: adapter.parts! }
}

/** An adapter before an upstream that says what the test says. */
async function scripted(t: Test, ...answers: readonly unknown[]) {
  const server = await hostileUpstream(t)
  let calls = 0
  server.behaviour = (socket) => {
    const body = answers[Math.min(calls++, answers.length - 1)]
    socket.write(http(200, typeof body === 'string' ? body : JSON.stringify(body)))
  }
  const adapter = dexscreener({
    upstream: upstreamTo(t, server.url, 'dexscreener'),
    clock: clockOf({ date: () => NOW }),
  })
  return { server, adapter, rows: adapter.rows!, parts: adapter.parts! }
}

const pair = (changes: Readonly<Record<string, unknown>> = {}) => ({
  chainId: 'base',
  dexId: 'uniswap',
  pairAddress: POOL,
  baseToken: { address: AERO.toLowerCase(), name: 'Aero', symbol: 'AERO' },
  quoteToken: { address: WETH, name: 'Wrapped Ether', symbol: 'WETH' },
  priceUsd: '0.5',
  volume: { h24: 100 },
  liquidity: { usd: 1_000 },
  fdv: 9_000,
  marketCap: 8_000,
  pairCreatedAt: NOW - 5_000,
  ...changes,
})

t.test('rows are what the market says, of all chains that it is asked for', async (t) => {
  const { adapter, market, rows, requests } = await sandbox(t)
  t.same(
    [...adapter.chains],
    CHAINS.map(({ key }) => key),
  )
  t.equal(rows.maxTokens, 30)
  const found = await rows.ask('base', [AERO, DEGEN, GHOST], OPTIONS)
  t.equal(decodeURIComponent(requests[0]!.path), `/tokens/v1/base/${AERO},${DEGEN},${GHOST}`)
  t.equal(requests.length, 1, 'there is room for all: what is missing has no pair')
  t.same(
    found.map(({ address }) => address),
    [AERO, DEGEN],
  )
  const price = Number(market.at(NOW).usd(market.find('base', AERO)!))
  t.match(found[0], { chain: 'base', symbol: 'AERO', name: 'Aerodrome', price, priceTs: NOW, holders: null })
  for (const { key } of CHAINS) {
    const native = nativeAddress(findChain(key)!)
    const [row] = await rows.ask(key, [native], OPTIONS)
    if (row !== undefined) t.match(row, { chain: key, address: native })
    if (market.tokens(key).some(({ symbol }) => symbol === 'USDC')) t.ok(row!.price! > 0, key)
  }
})

t.test('the native coin is asked for as its wrapper, and answered as what was asked', async (t) => {
  const { rows, requests } = await sandbox(t)
  const both = await rows.ask('base', [ETH, WETH], OPTIONS)
  t.equal(requests[0]!.path, `/tokens/v1/base/${WETH}`)
  t.same(
    both.map(({ address }) => address),
    [ETH, WETH],
  )
  t.equal(both[0]!.price, both[1]!.price)
  t.same(
    both.map(({ symbol }) => symbol),
    ['ETH', 'WETH'],
  )
  t.same(
    (await rows.ask('base', [ETH], OPTIONS)).map(({ address }) => address),
    [ETH],
  )
})

t.test('only pairs count in which the token is the base', async (t) => {
  const { rows, parts, find } = await sandbox(t)
  const quoted = find('base', 'QUOTED')
  t.same(await rows.ask('base', [quoted], OPTIONS), [])
  t.match(await parts.row!.ask({ chain: 'base', address: quoted }, OPTIONS), {
    address: quoted,
    symbol: 'QUOTED',
    price: null,
    mcap: null,
    liq: null,
  })
  const asQuote = pair({
    baseToken: { address: WETH, name: 'Wrapped Ether', symbol: 'WETH' },
    quoteToken: { address: AERO, name: 'Aero', symbol: 'AERO' },
    priceUsd: '3000',
    liquidity: { usd: 1e9 },
  })
  const script = await scripted(t, [asQuote, pair()])
  t.match(await script.rows.ask('base', [AERO], OPTIONS), [{ price: 0.5, liq: 1_000, symbol: 'AERO' }])
})

t.test('the deepest pair gives the price; liquidity and volume are of all', async (t) => {
  const { rows } = await scripted(t, [
    pair({ priceUsd: '9', liquidity: undefined, pairAddress: 'x1' }),
    pair({ priceUsd: '0.4', liquidity: { usd: 400 }, volume: null, pairAddress: 'x2' }),
    pair({ marketCap: null }),
    pair({ chainId: 'ethereum', liquidity: { usd: 1e12 } }),
  ])
  t.strictSame(await rows.ask('base', [AERO], OPTIONS), [
    {
      chain: 'base',
      address: AERO,
      symbol: 'AERO',
      name: 'Aero',
      price: 0.5,
      priceTs: NOW,
      mcap: 9_000,
      fdv: 9_000,
      liq: 1_400,
      vol24: 200,
      holders: null,
      firstPoolAt: NOW - 5_000,
    },
  ])
})

/** A pair with enough at stake. */
const sure = (changes: Readonly<Record<string, unknown>> = {}) =>
  pair({ liquidity: { usd: 60_000 }, volume: { h24: 9_000 }, ...changes })

/** An adapter with a hand on its clock, before a DexScreener that picks one pair and has all of them. */
async function surveyed(t: Test, told: { pick: unknown; all: unknown }) {
  const server = await hostileUpstream(t)
  server.behaviour = (socket, { head }) => {
    const body = head.includes('/token-pairs/') ? told.all : told.pick
    socket.write(body === null ? http(500, '{}') : http(200, JSON.stringify(body)))
  }
  let aged = 0
  const clock = clockOf({ now: () => 1 + aged, date: () => NOW + aged })
  const { rows } = dexscreener({ upstream: upstreamTo(t, server.url, 'dexscreener'), clock })
  const ask = async () => (await rows!.ask('base', [AERO], OPTIONS))[0]
  const surveys = () => server.requests.filter(({ head }) => head.includes('/token-pairs/')).length
  return { ask, surveys, wait: (ms: number) => void (aged += ms) }
}

t.test(
  'where enough is at stake in the one pair that it picks, the row says that it is of one',
  async (t) => {
    const { ask, surveys } = await surveyed(t, { pick: [sure()], all: [] })
    t.match(await ask(), { price: 0.5, liq: 60_000, vol24: 9_000, liqOf: 'pool' })
    t.equal(surveys(), 0)
  },
)

t.test('where little is, all pairs are asked for, and hold for the next ones', async (t) => {
  const told = {
    pick: [pair({ priceUsd: '9', liquidity: { usd: 1.16e9 }, volume: { h24: 8 } })],
    all: [
      pair({ priceUsd: '9', liquidity: { usd: 1.16e9 }, volume: { h24: 8 } }),
      pair({ pairAddress: 'x1', liquidity: { usd: 20_000 }, volume: { h24: 3_000 } }),
      pair({ pairAddress: 'x2', liquidity: { usd: 3_000 }, volume: { h24: 900 }, priceUsd: '0.51' }),
    ],
  }
  const { ask, surveys, wait } = await surveyed(t, told)
  t.strictSame((await ask())!.liqOf, undefined)
  t.match(await ask(), undefined, 'what it picks contradicts them: what was known stands')
  t.equal(surveys(), 1)
  wait(10_000)
  told.pick = [pair({ priceUsd: '0.52', liquidity: { usd: 3_000 }, volume: { h24: 900 } })]
  const row = await ask()
  t.match(
    row,
    { price: 0.52, priceTs: NOW + 10_000, liq: 23_000 },
    'a fresh price, with the liquidity of all',
  )
  t.strictSame(row!.liqOf, undefined)
  t.equal(surveys(), 1)
  wait(60_000)
  told.pick = [pair({ priceUsd: '2' })]
  told.all = [pair({ priceUsd: '2' })]
  t.match(await ask(), { price: 2, liq: 1_000 }, 'after a minute they are asked for again')
  t.equal(surveys(), 2)
})

t.test(
  'a token that none of its pairs is believed of has no price, and is not asked about each time',
  async (t) => {
    const silent = [pair({ priceUsd: '9', liquidity: { usd: 1.16e9 }, volume: { h24: 8 } })]
    const { ask, surveys, wait } = await surveyed(t, { pick: silent, all: silent })
    for (const _ of [1, 2, 3]) {
      t.match(await ask(), { symbol: 'AERO', price: null, mcap: null, liq: null })
      wait(10_000)
    }
    t.equal(surveys(), 1)
  },
)

t.test('if all pairs cannot be fetched, the one that it picks counts, unless it says nothing', async (t) => {
  const small = await surveyed(t, { pick: [pair()], all: null })
  t.match(await small.ask(), { price: 0.5, liq: 1_000, liqOf: 'pool' })
  const silent = await surveyed(t, { pick: [pair({ volume: { h24: 0 } })], all: null })
  t.equal(await silent.ask(), undefined)
})

t.test('all pairs are asked for thirty times a minute at most', async (t) => {
  const { ask, surveys, wait } = await surveyed(t, { pick: [pair({ volume: { h24: 0 } })], all: null })
  for (let i = 0; i < 40; i++) await ask()
  t.equal(surveys(), 30)
  wait(2_000)
  await ask()
  t.equal(surveys(), 31)
})

t.test('a heap of the token itself is not liquidity', async (t) => {
  const { ask } = await surveyed(t, {
    pick: [],
    all: [],
  })
  t.equal(await ask(), undefined)
  const heap = pair({
    priceUsd: '9',
    priceNative: '0.003',
    liquidity: { usd: 1.16e9, base: 128_888_888, quote: 0.05 },
    volume: { h24: 200_000 },
  })
  const heaped = await surveyed(t, { pick: [heap], all: [heap] })
  // 0.05 of the quote token, at 9 / 0.003 dollars each.
  t.match(await heaped.ask(), { price: 9, liq: 750 })
})

t.test('hostile fields become null, and hostile pairs are left out', async (t) => {
  const { rows } = await scripted(t, [
    null,
    7,
    'text',
    [],
    {},
    pair({ baseToken: null }),
    pair({ baseToken: { address: 7 } }),
    pair({ pairAddress: {} }),
    `${'['.repeat(50)}`,
    pair({
      baseToken: { address: AERO, name: 'Safe\u202eniamoD\u0000', symbol: ['x'] },
      priceUsd: '1e400',
      marketCap: -5,
      fdv: 'NaN',
      liquidity: 'lots',
      volume: [1],
    }),
  ])
  t.match(await rows.ask('base', [AERO], OPTIONS), [
    { symbol: null, name: 'SafeniamoD', price: null, mcap: null, liq: null, vol24: null },
  ])
  for (const body of ['{}', 'null', '{"pairs":[]}', '[', '"text"']) {
    const bad = await scripted(t, body)
    t.match(await failureOf(bad.rows.ask('base', [AERO], OPTIONS)), {
      code: 'upstream_unusable',
      status: 502,
    })
  }
})

t.test('the strange tokens of the sandbox are shown as harmless text', async (t) => {
  const { rows, market, find } = await sandbox(t)
  const turned = market.tokens('base').find(({ address }) => address.endsWith('7475726E6564'))!
  t.match(await rows.ask('base', [turned.address], OPTIONS), [
    { symbol: 'SAFENIOC', name: 'Turned evitaN Coin (sandbox)' },
  ])
  t.match(await rows.ask('solana', [find('solana', '🐸')], OPTIONS), [
    { symbol: '🐸', name: '🐸🚀 Frog 👨‍👩‍👧 ❤️' },
  ])
  const [spam] = await rows.ask('solana', [find('solana', 'SPAM')], OPTIONS)
  t.ok(spam!.price! > 900_000 && spam!.liq! < 20, 'a false price in next to nothing')
})

t.test('the lists name tokens of our chains', async (t) => {
  const { adapter, requests, find } = await sandbox(t)
  for (const { book, title, everyMs, chains, ask } of adapter.discoveries!) {
    const found = await ask(null, OPTIONS)
    t.same([book, everyMs, chains], ['boosted', 60_000, null])
    t.match(title, /^dexscreener /)
    const promoted = found.map(({ address }) => address)
    for (const symbol of ['HONEY', 'KEYCAT']) t.ok(promoted.includes(find('base', symbol)), symbol)
    t.notOk(promoted.includes(find('base', 'BRETT')), 'it has no need to be')
    t.ok(found.every(({ chain, row }) => chain !== 'atlantis' && row === null))
  }
  t.same(
    requests.map(({ path }) => path),
    ['/token-boosts/top/v1', '/token-boosts/latest/v1', '/token-profiles/latest/v1'],
  )
  const { adapter: hostile } = await scripted(t, [
    { chainId: 'base', tokenAddress: AERO.toLowerCase() },
    { chainId: 'gnosischain', tokenAddress: AERO },
    { chainId: 'solana', tokenAddress: AERO },
    { chainId: 'constructor', tokenAddress: AERO },
    { chainId: 'base', tokenAddress: 7 },
    null,
  ])
  t.strictSame(await hostile.discoveries![0]!.ask(null, OPTIONS), [
    { chain: 'base', address: AERO, row: null },
    { chain: 'gnosis', address: AERO, row: null },
  ])
})

t.test('an address is searched for once, on all chains', async (t) => {
  const { adapter, requests, market } = await sandbox(t)
  const rows = await adapter.byAddress!.ask(AERO.toLowerCase(), OPTIONS)
  t.match(rows, [
    {
      chain: 'base',
      address: AERO,
      symbol: 'AERO',
      price: Number(market.at(NOW).usd(market.find('base', AERO)!)),
      priceTs: NOW,
    },
  ])
  t.same(await adapter.byAddress!.ask(GHOST, OPTIONS), [], 'it has no pool')
  t.same(
    requests.map(({ path, query }) => `${path}?${query}`),
    [`/latest/dex/search?q=${AERO.toLowerCase()}`, `/latest/dex/search?q=${GHOST}`],
  )
})

t.test('of what a search finds, only the address itself counts, each chain by its own pools', async (t) => {
  const namesake = { address: DEGEN, name: AERO, symbol: 'AERO' }
  const { adapter } = await scripted(t, {
    schemaVersion: '1.0.0',
    pairs: [
      pair(),
      pair({ chainId: 'bsc', pairAddress: GHOST, liquidity: { usd: 2_000 } }),
      pair({ chainId: 'atlantis' }),
      pair({ baseToken: namesake, pairAddress: ETH }),
      null,
    ],
  })
  t.match(await adapter.byAddress!.ask(AERO, OPTIONS), [
    // What is on the other side there is no major.
    { chain: 'bsc', address: AERO, liq: null },
    { chain: 'base', address: AERO, liq: 1_000 },
  ])
})

t.test('a search without results is an answer, and a malformed one is refused', async (t) => {
  const none = await scripted(t, { schemaVersion: '1.0.0', pairs: null })
  t.same(await none.adapter.byAddress!.ask(AERO, OPTIONS), [])
  const broken = await scripted(t, [])
  t.match(await failureOf(broken.adapter.byAddress!.ask(AERO, OPTIONS)), { code: 'upstream_unusable' })
})

t.test('the parts of a profile share one call', async (t) => {
  const { parts, requests } = await sandbox(t)
  const token = { chain: 'base', address: ETH }
  const [row, about, early] = await Promise.all([
    parts.row!.ask(token, OPTIONS),
    parts.about!.ask(token, OPTIONS.in(new CancellationScope())),
    parts.early!.ask(token, OPTIONS),
  ])
  t.same(
    requests.map(({ path }) => path),
    [`/token-pairs/v1/base/${WETH}`],
  )
  t.match(row, { address: ETH, symbol: 'ETH', name: 'Base' })
  t.match(
    about!.links.map(({ type }) => type),
    ['website', 'twitter', 'telegram'],
  )
  t.match(about, { image: /^https:\/\/cdn\.dexscreener\.com\//, mintAuthority: null, createdAt: Number })
  t.match(early, [{ kind: 'pool', venue: 'aerodrome', at: about!.createdAt }])
})

t.test('a call without waiting clients is cancelled', async (t) => {
  const { server, parts } = await scripted(t, [])
  server.behaviour = () => {}
  const cancels = [new CancellationScope(), new CancellationScope()] as const
  const token = { chain: 'base', address: AERO }
  const waiting = cancels.map((scope) => failureOf(parts.row!.ask(token, OPTIONS.in(scope))))
  for (const scope of cancels) scope.cancel()
  for (const failure of await Promise.all(waiting)) t.match(failure, { code: 'upstream_unavailable' })
})

t.test('promoted content is shown only if it is harmless', async (t) => {
  const { parts } = await scripted(t, [
    pair({
      info: {
        imageUrl: 'https://tracker.example/pixel.png',
        websites: [{ label: 'x', url: 'javascript:alert(1)' }, { url: 'https://good.example' }, 'text', null],
        socials: [{ type: 'twitter', url: 'http://x.com/a' }, { type: '\u202e', url: 'https://x.com' }, {}],
      },
    }),
    pair(),
  ])
  t.match(await parts.about!.ask({ chain: 'base', address: AERO }, OPTIONS), {
    image: null,
    links: [{ type: 'website', url: 'https://good.example/' }],
    createdAt: NOW - 5_000,
  })
})

t.test('the first pool is the oldest, on whichever side the token is', async (t) => {
  const { parts } = await scripted(t, [
    pair(),
    pair({
      pairAddress: 'old',
      dexId: 'a\u0000b',
      pairCreatedAt: NOW - 9_000,
      quoteToken: pair().baseToken,
      baseToken: pair().quoteToken,
    }),
    pair({ pairAddress: 'undated', pairCreatedAt: 5 }),
  ])
  const token = { chain: 'base', address: AERO }
  t.strictSame(await parts.early!.ask(token, OPTIONS), [
    { kind: 'pool', address: 'old', venue: 'ab', at: NOW - 9_000 },
  ])
  const undated = await scripted(t, [pair({ pairCreatedAt: null })])
  t.strictSame(await undated.parts.early!.ask(token, OPTIONS), [])
})

t.test('an unknown token is an empty list, and so is no token', async (t) => {
  const { parts, rows } = await sandbox(t)
  const unknown = { chain: 'base', address: POOL }
  for (const part of Object.keys(parts) as Part[])
    t.equal(await parts[part]!.ask(unknown, OPTIONS), null, part)
  t.same(await rows.ask('base', [unknown.address], OPTIONS), [])
})

t.test('failures are the provider’s', async (t) => {
  const { dials, rows } = await sandbox(t)
  dials.set('dexscreener', '429')
  t.match(await failureOf(rows.ask('base', [AERO], OPTIONS)), { code: 'upstream_rate_limited', status: 502 })
  const { server, rows: others } = await scripted(t, [])
  server.behaviour = status(500)
  t.match(await failureOf(others.ask('base', [AERO], OPTIONS)), {
    code: 'upstream_failed',
    scope: 'provider',
  })
})

t.test('an address is a token of its own chain alone, and on Solana in its own letters', async (t) => {
  const bonk = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
  const listed = (address: string) =>
    pair({
      chainId: 'solana',
      baseToken: { address, name: 'Bonk', symbol: 'BONK' },
      quoteToken: { address: 'So11111111111111111111111111111111111111112', name: 'SOL', symbol: 'SOL' },
    })
  const { rows } = await scripted(t, [listed(bonk.toLowerCase()), listed(bonk.toUpperCase()), listed(AERO)])
  t.same(await rows.ask('solana', [bonk], OPTIONS), [])
  const { rows: exact } = await scripted(t, [listed(bonk)])
  t.match(await exact.ask('solana', [bonk], OPTIONS), [{ address: bonk, symbol: 'BONK' }])
})

t.test('hostile values of a member do no harm, and are not passed on', async (t) => {
  const { url, find } = await sandbox(t)
  const get = async (path: string) => ((await (await fetch(url + path)).json()) as unknown[]).slice(0, 2)
  const [pairs, profiles] = await Promise.all([
    get(`/token-pairs/v1/base/${AERO}`),
    get('/token-profiles/latest/v1'),
  ])
  const token = { chain: 'base', address: AERO }
  const problems: string[] = []
  for (const [name, text] of [...mutationsOf(pairs), ...mutationsOf(profiles)]) {
    const all = await allOf(
      dexscreener({ upstream: answering(text), clock: clockOf({ date: () => NOW }) }),
      token,
    )
    problems.push(...unfit(all).map((problem) => `${name}: ${problem}`))
  }
  t.same(problems, [])
  const many = answering(
    JSON.stringify(Array(1_000).fill({ chainId: 'base', tokenAddress: find('base', 'USDC') })),
  )
  t.equal((await dexscreener({ upstream: many }).discoveries![0]!.ask(null, OPTIONS)).length, 100)
})
