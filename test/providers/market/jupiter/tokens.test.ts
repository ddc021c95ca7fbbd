import t, { type Test } from 'tap'
import { jupiterTokens } from '../../../../src/providers/market/jupiter/tokens.ts'
import type { Named } from '../../../../src/providers/market/market.ts'
import { tokensAnswer } from '../../../../src/sandbox/market/jupiter-tokens.ts'
import { factsOf, isYoung } from '../../../../src/sandbox/market/research.ts'
import { isCase } from '../../../../src/sandbox/market/tokens.ts'
import type { ProviderServer } from '../../../../src/sandbox/provider-server.ts'
import { JupiterRefusal } from '../../../../src/sandbox/swap/jupiter-quote.ts'
import type { World } from '../../../../src/sandbox/world.ts'
import { clockOf } from '../../../fixtures/clock.ts'
import { allOf, answering, mutationsOf, unfit } from '../../../fixtures/mutations.ts'
import { failureOf, NOW, OPTIONS, on, startProvider } from '../../../fixtures/provider.ts'

const SOL = 'So11111111111111111111111111111111111111112'
const BONK = { chain: 'solana', address: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263' }
const POOL = '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R'
const GHOST = 'Ghost11111111111111111111111111111111111111'
const FROZEN = 'Frozen1111111111111111111111111111111111111'
const SPAM = 'Spam111111111111111111111111111111111111111'
const FROG = 'Frog111111111111111111111111111111111111111'
const UNKNOWN = 'KUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'

/** The part of the sandbox's Jupiter that needs no Solana node. */
const server = ({ market }: Pick<World, 'market'>): ProviderServer => ({
  name: 'jupiter',
  rateLimited: () => ({ status: 429, body: {}, headers: { 'x-ratelimit-reset': '5' } }),
  handle(request) {
    try {
      return { status: 200, body: tokensAnswer(market, request) }
    } catch (error) {
      if (error instanceof JupiterRefusal) return { status: error.status, body: error.body }
      throw error
    }
  },
})

async function sandbox(t: Test) {
  const provider = await startProvider(t, server)
  return {
    ...provider,
    adapter: jupiterTokens({ upstream: provider.upstream, clock: clockOf({ date: () => NOW }) }),
  }
}

/** An adapter to which Jupiter says these tokens. */
const told = (...tokens: unknown[]) =>
  jupiterTokens({ upstream: answering(JSON.stringify(tokens)), clock: clockOf({ date: () => NOW }) })
const partsOf = (token: object) => told({ id: BONK.address, ...token }).parts!

t.test('rows of a hundred tokens come with one call; those that it does not know are absent', async (t) => {
  const { adapter, requests, market } = await sandbox(t)
  t.equal(adapter.rows!.maxTokens, 100)
  const rows = await adapter.rows!.ask('solana', [SOL, BONK.address, GHOST, FROG, UNKNOWN], OPTIONS)
  t.equal(requests.length, 1)
  t.equal(requests[0]!.path, '/tokens/v2/search')
  t.equal(requests[0]!.query.get('query'), [SOL, BONK.address, GHOST, FROG, UNKNOWN].join())
  t.same(
    rows.map(({ address }) => address),
    [SOL, BONK.address, GHOST, FROG],
  )
  const bonk = market.find('solana', BONK.address)!
  t.match(rows[1], {
    ...BONK,
    symbol: 'BONK',
    name: 'Bonk',
    price: Number(market.at(NOW).usd(bonk)),
    priceTs: NOW,
    liq: Number(market.at(NOW).pools(bonk)[0]!.liquidityUsd),
    holders: factsOf(bonk, NOW).holderCount,
  })
  t.ok(rows[1]!.vol24! > 0 && rows[1]!.mcap! > 0)
  t.match(rows[2], { price: null, mcap: null, liq: null, vol24: null })
  t.equal(rows[3]!.symbol, '🐸')
})

t.test("a row has Jupiter's own time, both halves of the volume, and nothing else", async (t) => {
  const row = async (token: object) =>
    (await told({ id: BONK.address, ...token }).rows!.ask('solana', [BONK.address], OPTIONS))[0]
  const cases: [token: object, row: object][] = [
    [{ updatedAt: '2026-11-21T11:59:00.000Z' }, { priceTs: NOW - 60_000 }],
    [{ updatedAt: '2026-11-21T12:09:00.000Z' }, { priceTs: NOW }],
    [{ updatedAt: 'yesterday' }, { priceTs: NOW }],
    [{ stats24h: { buyVolume: 12.5, sellVolume: 7.5 } }, { vol24: 20 }],
    [{ stats24h: { buyVolume: 12.5, sellVolume: null } }, { vol24: null }],
    [{ stats24h: { buyVolume: 1e308, sellVolume: 1e308 } }, { vol24: null }],
    [{ stats24h: null, stats1h: { buyVolume: 1, sellVolume: 1 } }, { vol24: null }],
    [{ fdv: 9, mcap: null }, { mcap: null }],
    [
      { usdPrice: null, liquidity: null, holderCount: null, name: null },
      { price: null, liq: null, holders: null },
    ],
  ]
  for (const [token, expected] of cases) t.match(await row(token), expected, JSON.stringify(token))
})

t.test('finds trending and new tokens, with their rows', async (t) => {
  const { adapter, requests, market } = await sandbox(t)
  const [trending, recent] = adapter.discoveries!
  t.same([trending!.book, recent!.book, trending!.chains, recent!.chains], ['trending', 'new', null, null])
  const hot = await trending!.ask(null, OPTIONS)
  const fresh = await recent!.ask(null, OPTIONS)
  t.same(
    requests.map(({ path, query }) => `${path}?${query}`),
    ['/tokens/v2/toptrending/1h?limit=100', '/tokens/v2/recent?'],
  )
  t.notOk(hot.some(({ address }) => address === SOL))
  t.ok(hot.some(({ address, row }) => address === BONK.address && row!.symbol === 'BONK'))
  t.same(
    fresh.map(({ address }) => address).sort(),
    market
      .tokens('solana')
      .filter((token) => isYoung(token) && !isCase(token))
      .map(({ address }) => address)
      .sort(),
  )
  const odd = told({ id: 'no mint' }, { id: 7 }, null, { symbol: 'X' }, { id: BONK.address })
  t.same(
    (await odd.discoveries![0]!.ask(null, OPTIONS)).map(({ address }) => address),
    [BONK.address],
  )
})

t.test('one call answers every part of a token', async (t) => {
  const { adapter, requests, market } = await sandbox(t)
  const { row, about, early, security } = adapter.parts!
  await Promise.all([row, about, early, security].map((part) => part!.ask(BONK, OPTIONS)))
  t.equal(requests.length, 1)
  const facts = factsOf(market.find('solana', BONK.address)!, NOW)
  t.match(await about!.ask(BONK, OPTIONS), {
    image: `https://static.jup.ag/${BONK.address}.png`,
    createdAt: facts.createdAt,
    links: [
      { type: 'website', url: facts.website },
      { type: 'twitter', url: `https://x.com/${facts.twitter}` },
    ],
    mintAuthority: 'none',
    freezeAuthority: 'none',
  })
  t.match(await early!.ask(BONK, OPTIONS), [
    { kind: 'pool', venue: null, at: facts.createdAt },
    { kind: 'creator', address: facts.creator },
  ])
  t.match(await security!.ask(BONK, OPTIONS), {
    at: NOW,
    facts: { mintAuthorityDisabled: true, organicScoreLabel: 'high', isVerified: true },
    flags: { mintable: false, freezable: false, honeypot: null, sellTaxPct: null },
  })
  const frozen = { chain: 'solana', address: FROZEN }
  t.match(await security!.ask(frozen, OPTIONS), { flags: { mintable: true, freezable: true } })
  const { creator } = factsOf(market.find('solana', FROZEN)!, NOW)
  t.match(await about!.ask(frozen, OPTIONS), { mintAuthority: creator, freezeAuthority: creator })
  t.match(await security!.ask({ chain: 'solana', address: SPAM }, OPTIONS), { facts: { isSus: true } })
})

t.test('a mark of suspicion counts by being there', async (t) => {
  for (const isSus of [true, false, null]) {
    const { facts, flags } = (await partsOf({ audit: { isSus } }).security!.ask(BONK, OPTIONS))!
    t.equal(flags.blacklisted, true)
    t.same(facts, { isSus: true }, `${isSus}`)
  }
  const unmarked = (await partsOf({ audit: {} }).security!.ask(BONK, OPTIONS))!
  t.same(unmarked.facts, {})
  t.equal(unmarked.flags.blacklisted, null)
})

t.test(
  'a row has what happened over each span, and an image from where its tokens have theirs',
  async (t) => {
    const stats = (priceChange: unknown, numBuys?: unknown, numSells?: unknown) => ({
      priceChange,
      numBuys,
      numSells,
    })
    const { row } = partsOf({
      icon: 'https://ipfs.io/ipfs/x.png',
      fdv: 12,
      launchpad: 'pump.fun',
      audit: { topHoldersPercentage: 15.45, devBalancePercentage: 101 },
      firstPool: { id: POOL, createdAt: '2026-01-02T03:04:05Z' },
      stats5m: stats(null),
      stats1h: stats('-8.27', 3, 4),
      stats6h: stats(-101, 1),
      stats24h: stats(30.5),
    })
    const told = (await row!.ask(BONK, OPTIONS))!
    t.match(told, {
      fdv: 12,
      image: 'https://ipfs.io/ipfs/x.png',
      launchpad: 'pump.fun',
      topTenPct: 15.45,
      firstPoolAt: Date.UTC(2026, 0, 2, 3, 4, 5),
    })
    t.same(told.changes, {
      h1: { pricePct: -8.27, buys: 3, sells: 4 },
      h6: { pricePct: null, buys: 1, sells: null },
      h24: { pricePct: 30.5, buys: null, sells: null },
    })
    t.notOk('creatorPct' in told)
    for (const icon of [
      'https://cdn.evil.example/x.png',
      'https://ipfs.io.evil.example/x',
      'http://ipfs.io/x',
    ]) {
      t.notOk('image' in (await partsOf({ icon }).row!.ask(BONK, OPTIONS))!, icon)
    }
    for (const [isVerified, verified] of [
      [true, true],
      [false, false],
      ['x', undefined],
    ] as const) {
      t.equal((await partsOf({ isVerified }).security!.ask(BONK, OPTIONS))!.verified, verified)
    }
  },
)

t.test('missing values are unknown, and only https links are kept', async (t) => {
  const nothing = partsOf({ audit: null, firstPool: null, dev: null, website: null, icon: null })
  t.same(await nothing.about!.ask(BONK, OPTIONS), {
    description: null,
    image: null,
    links: [],
    createdAt: null,
    mintAuthority: null,
    freezeAuthority: null,
  })
  t.same(await nothing.early!.ask(BONK, OPTIONS), [])
  t.match(await nothing.security!.ask(BONK, OPTIONS), {
    facts: {},
    flags: { mintable: null, freezable: null },
  })
  t.match(await partsOf({ audit: { mintAuthorityDisabled: false } }).security!.ask(BONK, OPTIONS), {
    flags: { mintable: true, freezable: null },
  })
  const some = partsOf({
    website: 'http://a.example/',
    twitter: 'javascript:alert(1)',
    discord: 'https://b.example/x',
    firstPool: { id: POOL, createdAt: '2026-01-02T03:04:05Z' },
    launchpad: 'pump.fun',
  })
  t.match(await some.about!.ask(BONK, OPTIONS), {
    links: [{ type: 'discord', url: 'https://b.example/x' }],
    createdAt: Date.UTC(2026, 0, 2, 3, 4, 5),
  })
  t.same(await some.early!.ask(BONK, OPTIONS), [
    { kind: 'pool', address: POOL, venue: 'pump.fun', at: Date.UTC(2026, 0, 2, 3, 4, 5) },
  ])
})

t.test('a token that Jupiter does not know is null, also where it answers another', async (t) => {
  const { adapter } = await sandbox(t)
  t.equal(await adapter.parts!.row!.ask({ chain: 'solana', address: UNKNOWN }, OPTIONS), null)
  const other = told({ id: SOL, symbol: 'SOL' })
  t.equal(await other.parts!.row!.ask(BONK, OPTIONS), null)
  t.same(await other.rows!.ask('solana', [BONK.address], OPTIONS), [])
})

t.test(
  'prices come a hundred at a time, with their depth and names; those that are not reliable are absent',
  async (t) => {
    const { adapter, requests, market } = await sandbox(t)
    t.equal(adapter.prices!.maxTokens, 100)
    const named: Named[] = []
    const asked = on('solana', [SOL, BONK.address, GHOST, SPAM, UNKNOWN])
    const prices = await adapter.prices!.ask(asked, OPTIONS, (one) => void named.push(one))
    t.equal(requests[0]!.path, '/tokens/v2/search')
    t.equal(requests[0]!.query.get('query'), [SOL, BONK.address, GHOST, SPAM, UNKNOWN].join())
    const bonk = market.find('solana', BONK.address)!
    t.same(
      prices.map(({ address }) => address),
      [SOL, BONK.address],
      'neither one without a pool nor one that is marked',
    )
    t.match(prices[1], {
      ...BONK,
      price: Number(market.at(NOW).usd(bonk)),
      priceTs: NOW,
      liq: Number(market.at(NOW).pools(bonk)[0]!.liquidityUsd),
    })
    t.same(
      named.map(({ address }) => address),
      [SOL, BONK.address, GHOST, SPAM],
      'a name has each that is known',
    )
    t.match(named[1], { symbol: 'BONK', name: 'Bonk' })
    const week = 7 * 86_400_000
    const cases: [token: object, count: number][] = [
      [{ usdPrice: 1, liquidity: 0 }, 1],
      [{ usdPrice: 1 }, 0],
      [{ usdPrice: 1, liquidity: null }, 0],
      [{ usdPrice: 0, liquidity: 9 }, 0],
      [{ usdPrice: -1, liquidity: 9 }, 0],
      [{ usdPrice: 1, liquidity: 9, audit: { isSus: false } }, 0],
      [{ usdPrice: 1, liquidity: 9, updatedAt: new Date(NOW - week).toISOString() }, 1],
      [{ usdPrice: 1, liquidity: 9, updatedAt: new Date(NOW - week - 1).toISOString() }, 0],
    ]
    for (const [token, count] of cases) {
      const upstream = answering(JSON.stringify([{ id: BONK.address, ...token }]))
      const source = jupiterTokens({ upstream, clock: clockOf({ date: () => NOW }) }).prices!
      t.equal((await source.ask(on('solana', [BONK.address]), OPTIONS)).length, count, JSON.stringify(token))
    }
  },
)

t.test('anything but a list is refused', async (t) => {
  const { adapter, dials } = await sandbox(t)
  for (const [text, status] of [
    ['{}', 200],
    ['null', 200],
    ['7', 200],
    ['[', 200],
    ['[]', 400],
  ] as const) {
    const { rows, parts, discoveries, prices } = jupiterTokens({ upstream: answering(text, status) })
    const asked = [
      rows!.ask('solana', [SOL], OPTIONS),
      parts!.row!.ask(BONK, OPTIONS),
      discoveries![0]!.ask(null, OPTIONS),
      prices!.ask(on('solana', [SOL]), OPTIONS),
    ]
    for (const promise of asked) t.match(await failureOf(promise), { code: 'upstream_unusable' }, text)
  }
  dials.set('jupiter', '429')
  const limited = await failureOf(adapter.rows!.ask('solana', [SOL], OPTIONS))
  t.match(limited, { code: 'upstream_rate_limited', fields: { retryAfterMs: 5_000 } })
})

t.test('hostile values of a member do no harm, and are not passed on', async (t) => {
  const { url } = await sandbox(t)
  const frozen = { chain: 'solana', address: FROZEN }
  const answers = await Promise.all(
    [`/tokens/v2/search?query=${FROZEN}`].map(async (path) => (await fetch(`${url}${path}`)).json()),
  )
  const problems: string[] = []
  for (const [name, text] of answers.flatMap(mutationsOf)) {
    const all = await allOf(
      jupiterTokens({ upstream: answering(text), clock: clockOf({ date: () => NOW }) }),
      frozen,
    )
    problems.push(...unfit(all).map((problem) => `${name}: ${problem}`))
  }
  t.same(problems, [])
  const many = told(...Array.from({ length: 1_000 }, () => ({ id: BONK.address })))
  t.equal((await many.discoveries![0]!.ask(null, OPTIONS)).length, 100)
})

t.test(
  'a price that nobody trades at is none, and liquidity counts as far as trading bears it out',
  async (t) => {
    const row = async (liquidity: number, volume: number) => {
      const token = {
        id: BONK.address,
        usdPrice: 5,
        liquidity,
        stats24h: { buyVolume: volume / 2, sellVolume: volume / 2 },
      }
      const { rows } = jupiterTokens({ upstream: answering(JSON.stringify([token])) })
      const [{ price, liq } = { price: undefined, liq: undefined }] = await rows!.ask(
        'solana',
        [BONK.address],
        OPTIONS,
      )
      return { price, liq }
    }
    t.same(await row(1.16e9, 8), { price: null, liq: null })
    t.same(await row(1.16e9, 150_000), { price: 5, liq: 15_000_000 })
    t.same(await row(40_000, 9_000), { price: 5, liq: 40_000 })
  },
)
