import t, { type Test } from 'tap'
import { headersFor } from '../../../../src/config/providers.ts'
import { rugcheck } from '../../../../src/providers/market/rugcheck/rugcheck.ts'
import { factsOf } from '../../../../src/sandbox/market/research.ts'
import { rugcheck as sandboxRugcheck } from '../../../../src/sandbox/market/rugcheck.ts'
import { clockOf } from '../../../fixtures/clock.ts'
import { hostileUpstream, status } from '../../../fixtures/hostile-upstream.ts'
import { allOf, answering, mutationsOf, unfit } from '../../../fixtures/mutations.ts'
import { failureOf, NOW, OPTIONS, startProvider, upstreamTo } from '../../../fixtures/provider.ts'

const BONK = { chain: 'solana', address: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263' }
const FROZEN = { chain: 'solana', address: 'Frozen1111111111111111111111111111111111111' }
const OWNER = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'
const ACCOUNT = '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R'

async function sandbox(t: Test) {
  const provider = await startProvider(t, sandboxRugcheck)
  return {
    ...provider,
    adapter: rugcheck({ upstream: provider.upstream, clock: clockOf({ date: () => NOW }) }),
  }
}

/** The parts of a report that says this, and its mint. */
const told = (report: object) =>
  rugcheck({
    upstream: answering(JSON.stringify({ mint: BONK.address, ...report })),
    clock: clockOf({ date: () => NOW }),
  }).parts!

t.test('one call answers every part of a token', async (t) => {
  const { adapter, requests, market } = await sandbox(t)
  t.same([...adapter.chains], ['solana'])
  const { row, about, holders, security, lp } = adapter.parts!
  await Promise.all([row, about, holders, security, lp].map((part) => part!.ask(BONK, OPTIONS)))
  await lp!.ask(BONK, OPTIONS)
  t.same(
    requests.map(({ path }) => path),
    [`/tokens/${BONK.address}/report`],
  )

  const token = market.find('solana', BONK.address)!
  const facts = factsOf(token, NOW)
  const [pool] = market.at(NOW).pools(token)
  t.match(await row!.ask(BONK, OPTIONS), {
    ...BONK,
    symbol: 'BONK',
    name: 'Bonk',
    price: null,
    priceTs: NOW,
    liq: Number(pool!.liquidityUsd),
    holders: facts.holderCount,
  })
  t.match(await about!.ask(BONK, OPTIONS), {
    description: facts.description,
    image: null,
    mintAuthority: 'none',
    freezeAuthority: 'none',
  })
  t.same(
    (await holders!.ask(BONK, OPTIONS))!.map(({ address, percent }) => ({ address, percent })),
    facts.holders.map(({ address, percent }) => ({ address, percent })),
  )
  t.match(await lp!.ask(BONK, OPTIONS), {
    pools: [{ address: pool!.address, venue: 'raydium', lockedPct: 60 }],
  })
  t.match(await security!.ask(BONK, OPTIONS), {
    at: NOW,
    facts: { scoreLowerIsSafer: 0, rugged: false, risks: { length: 0 } },
    flags: { mintable: false, freezable: false, honeypot: null, sellTaxPct: 0 },
  })
})

t.test('a riskier token has the higher score, and risks in its own words', async (t) => {
  const { adapter } = await sandbox(t)
  const security = (await adapter.parts!.security!.ask(FROZEN, OPTIONS))!
  t.match(security.flags, { mintable: true, freezable: true })
  t.match(security.facts, {
    rawScoreLowerIsSafer: 12_501,
    scoreLowerIsSafer: 63,
    risks: [
      { name: 'Mint Authority still enabled', level: 'danger', score: 5_000 },
      { name: 'Freeze Authority still enabled', level: 'danger', score: 7_500 },
    ],
  })
  t.match(await adapter.parts!.holders!.ask(FROZEN, OPTIONS), [
    { tags: { length: 0 } },
    { tags: ['insider'] },
  ])
})

t.test('percentages are percentages already', async (t) => {
  const holder = (changes: object) => ({ address: ACCOUNT, owner: OWNER, pct: 0.5, ...changes })
  const { holders, lp, security } = told({
    topHolders: [
      holder({ uiAmountString: '12.25' }),
      holder({ pct: 100.5 }),
      holder({ pct: -1 }),
      holder({ owner: null, pct: 8 }),
      holder({ owner: 'x', address: 'y' }),
      null,
    ],
    markets: [{ lp: { lpLockedPct: 0.4 } }, { pubkey: ACCOUNT, lp: { lpLockedPct: 95, lpLockedUSD: 12 } }, 7],
    transferFee: { pct: 5 },
  })
  t.same(await holders!.ask(BONK, OPTIONS), [
    { address: OWNER, percent: 0.5, balance: '12.25', tags: [] },
    { address: ACCOUNT, percent: 8, balance: null, tags: [] },
  ])
  t.same(await lp!.ask(BONK, OPTIONS), {
    pools: [
      { address: null, venue: null, lockedPct: 0.4, lockedUsd: null },
      { address: ACCOUNT, venue: null, lockedPct: 95, lockedUsd: 12 },
    ],
  })
  t.match(await security!.ask(BONK, OPTIONS), { flags: { sellTaxPct: 5 }, facts: { transferFeePct: 5 } })
})

t.test("Token-2022's powers are read from its extensions", async (t) => {
  const flags = async (report: object) => (await told(report).security!.ask(BONK, OPTIONS))!.flags
  const fee = (bps: unknown, maximumFee: unknown = 10, authority: string | null = null) => ({
    transferFeeConfig: {
      transferFeeConfigAuthority: authority,
      newerTransferFee: { epoch: 530, maximumFee, transferFeeBasisPoints: bps },
    },
  })
  const cases: [extensions: object, found: object][] = [
    [fee(300), { sellTaxPct: 3, taxModifiable: false }],
    [fee(300, 0), { sellTaxPct: 0 }],
    [fee(0, 0, OWNER), { sellTaxPct: 0, taxModifiable: true }],
    [fee(10_001), { sellTaxPct: null }],
    [fee('x'), { sellTaxPct: null }],
    [{ transferFeeConfig: null }, { sellTaxPct: 0, taxModifiable: false }],
    [
      {},
      { sellTaxPct: null, taxModifiable: null, permanentDelegate: null, transferHook: null, paused: null },
    ],
    [{ nonTransferable: true }, { nonTransferable: true }],
    [{ permanentDelegate: { delegate: OWNER } }, { permanentDelegate: true }],
    [{ permanentDelegate: null }, { permanentDelegate: false }],
    [{ transferHook: { authority: OWNER, programId: ACCOUNT } }, { transferHook: true }],
    [{ transferHook: { authority: OWNER, programId: null } }, { transferHook: false }],
    [{ defaultAccountState: { accountState: 2 } }, { bornFrozen: true }],
    [{ defaultAccountState: { state: 'initialized' } }, { bornFrozen: false }],
    [{ defaultAccountState: { state: 9 } }, { bornFrozen: null }],
    [{ pausableConfig: { authority: OWNER, paused: true } }, { paused: true }],
    [{ pausableConfig: { authority: OWNER, paused: false } }, { paused: false }],
  ]
  for (const [token_extensions, found] of cases) {
    const report = { token_extensions, transferFee: { pct: 0 } }
    t.match(await flags(report), found, JSON.stringify(token_extensions))
  }
  const classic = { token_extensions: null, transferFee: { pct: 0 } }
  const none = { sellTaxPct: 0, permanentDelegate: false, transferHook: false, nonTransferable: false }
  t.match(await flags({ ...classic, tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }), none)
  t.match(
    await flags(classic),
    { sellTaxPct: null, permanentDelegate: null },
    'where it is not told of which',
  )
})

t.test('the list asks for the summary, and for the report where that is grave', async (t) => {
  const { adapter, requests } = await sandbox(t)
  const { security } = adapter.parts!
  t.match(await security!.askBriefly!(BONK, OPTIONS), {
    at: NOW,
    facts: { rawScoreLowerIsSafer: 1, risks: { length: 0 } },
    flags: { freezable: null, blacklisted: null },
  })
  t.match(await security!.askBriefly!(FROZEN, OPTIONS), { flags: { freezable: true, mintable: true } })
  t.equal(await security!.askBriefly!({ chain: 'solana', address: OWNER.replace('J', 'K') }, OPTIONS), null)
  t.same(
    requests.map(({ path }) => path.split('/').slice(3).join('/')),
    ['report/summary', 'report/summary', 'report', 'report/summary'],
  )
  const risks = [{ name: 'Creator history of rugged tokens', level: 'warn', score: 1 }]
  const warned = rugcheck({ upstream: answering(JSON.stringify({ score: 7, risks })) }).parts!.security!
  t.match(await warned.askBriefly!(BONK, OPTIONS), { flags: { maliciousCreator: true } })
  for (const body of ['{}', '[]', '{"score":"x"}']) {
    const odd = rugcheck({ upstream: answering(body) }).parts!.security!
    t.match(await failureOf(odd.askBriefly!(BONK, OPTIONS)), { code: 'upstream_unusable' }, body)
  }
})

t.test('holders have the names that RugCheck has for them', async (t) => {
  const holder = (owner: string, pct: number) => ({ address: ACCOUNT, owner, pct })
  const rest = Array.from({ length: 30_000 }, (_, i) => [`account ${i}`, { name: 'x', type: 'y' }])
  const knownAccounts = Object.fromEntries([
    ...rest.slice(0, 15_000),
    [OWNER, { name: 'Pump Fun\u202e', type: 'AMM' }],
    ...rest.slice(15_000),
  ])
  const report = { topHolders: [holder(OWNER, 80), holder(FROZEN.address, 3)], knownAccounts }
  t.match(await told(report).holders!.ask(BONK, OPTIONS), [
    { address: OWNER, tags: ['Pump Fun', 'amm'] },
    { address: FROZEN.address, tags: { length: 0 } },
  ])
  const twice = { ...report, knownAccounts: { [OWNER]: { name: 'Creator', type: 'CREATOR' } } }
  t.same((await told(twice).holders!.ask(BONK, OPTIONS))![0]!.tags, ['Creator'], 'once')
  for (const odd of [null, [], 'x', { [OWNER]: null }, { [OWNER]: { name: 7 } }]) {
    const [first] = (await told({ ...report, knownAccounts: odd }).holders!.ask(BONK, OPTIONS))!
    t.same(first!.tags, [], JSON.stringify(odd))
  }
})

t.test('the share of the top ten is shown if ten are listed, and the creator has a label', async (t) => {
  const topHolders = Array.from({ length: 12 }, (_, i) => ({
    address: ACCOUNT,
    owner: OWNER,
    pct: i < 10 ? 4.4 : 1,
  }))
  const supply = { token: { supply: 1_000 } }
  const row = async (report: object) => (await told(report).row!.ask(BONK, OPTIONS))!
  t.match(await row({ topHolders, creator: OWNER, creatorBalance: 25, ...supply }), {
    topTenPct: 44,
    creatorPct: 2.5,
  })
  const few = await row({ topHolders: topHolders.slice(0, 9), creator: null, creatorBalance: 0, ...supply })
  t.notOk('topTenPct' in few || 'creatorPct' in few)
})

t.test('of a report of megabytes, only the shown parts are parsed', async (t) => {
  const market = { pubkey: ACCOUNT, marketType: 'orca', lp: { lpLockedPct: 7, holders: [{ pct: 1 }] } }
  const knownAccounts = Object.fromEntries(
    Array.from({ length: 60_000 }, (_, i) => [`account ${i}`, { name: 'x' }]),
  )
  const { lp, row } = told({ knownAccounts, markets: new Array(9_000).fill(market), totalHolders: 5 })
  const { pools } = (await lp!.ask(BONK, OPTIONS)) as { pools: readonly unknown[] }
  t.equal(pools.length, 50)
  t.match(pools[49], { address: ACCOUNT, venue: 'orca', lockedPct: 7 })
  t.match(await row!.ask(BONK, OPTIONS), { holders: 5 })
  const risks = new Array(50).fill(new Array(2_000).fill(1))
  t.match(await told({ risks }).security!.ask(BONK, OPTIONS), { facts: { risks: { length: 0 } } })
})

t.test('uncounted holders are unknown, and so are missing values', async (t) => {
  const { adapter, market } = await sandbox(t)
  const { address } = market.tokens('solana').find(({ symbol }) => symbol === 'USDC')!
  t.match(await adapter.parts!.row!.ask({ chain: 'solana', address }, OPTIONS), { holders: null })

  const unlooked = { totalHolders: 0, risks: null, markets: null, totalMarketLiquidity: 0 }
  const { row, about, holders, security, lp } = told(unlooked)
  t.match(await row!.ask(BONK, OPTIONS), { holders: null, liq: null, symbol: null })
  t.match(await about!.ask(BONK, OPTIONS), { mintAuthority: null, freezeAuthority: null })
  t.same(await holders!.ask(BONK, OPTIONS), [])
  t.same(await lp!.ask(BONK, OPTIONS), { pools: [] })
  t.match(await security!.ask(BONK, OPTIONS), {
    facts: { risks: { length: 0 } },
    flags: { mintable: null, freezable: null, sellTaxPct: null },
  })
  for (const [rugged, blacklisted] of [
    [true, true],
    [false, false],
    ['x', null],
  ] as const) {
    t.match(await told({ rugged }).security!.ask(BONK, OPTIONS), { flags: { blacklisted } })
  }
  const nobody = told({ token: { mintAuthority: null } })
  t.match(await nobody.security!.ask(BONK, OPTIONS), { flags: { mintable: false, freezable: null } })
})

t.test('a mint that RugCheck does not know is null, and anything else a failure', async (t) => {
  const { adapter, requests } = await sandbox(t)
  for (const part of Object.values(adapter.parts!)) {
    t.equal(await part.ask({ chain: 'solana', address: OWNER.replace('J', 'K') }, OPTIONS), null)
  }
  t.equal(requests.length, 1, 'which is remembered too')

  const cases: [status: number, body: string, code: string | null][] = [
    [404, 'not found', null],
    [400, '{"error":"not found"}', null],
    [400, '{"error":"invalid token mint"}', null],
    [400, '{"error":"unable to generate report"}', 'upstream_failed'],
    [400, '{"error":"secret"}', 'upstream_unusable'],
    [400, 'not found', 'upstream_unusable'],
    [200, '{}', 'upstream_unusable'],
    [200, `{"mint":"${OWNER}","score":1}`, 'upstream_unusable'],
    [200, '[]', 'upstream_unusable'],
  ]
  for (const [status, body, code] of cases) {
    const asked = rugcheck({ upstream: answering(body, status) }).parts!.security!.ask(BONK, OPTIONS)
    if (code === null) t.equal(await asked, null, `${status} ${body}`)
    else t.match(await failureOf(asked), { code }, `${status} ${body}`)
  }
})

t.test('a report that it cannot make is not held against it', async (t) => {
  const server = await hostileUpstream(t, status(400, '{"error":"unable to generate report"}'))
  const upstream = upstreamTo(t, server.url, 'rugcheck')
  const { security } = rugcheck({ upstream }).parts!
  for (let i = 0; i < 5; i++) {
    t.match(await failureOf(security!.ask(BONK, OPTIONS)), { code: 'upstream_failed', scope: 'provider' })
  }
  t.match(upstream.state, { state: 'ok', failures: 0 })
})

t.test('a rate limit is one, and a key goes in its header', async (t) => {
  const { adapter, dials } = await sandbox(t)
  dials.set('rugcheck', '429')
  const limited = await failureOf(adapter.parts!.lp!.ask(BONK, OPTIONS))
  t.match(limited, { code: 'upstream_rate_limited', scope: 'provider' })
  t.same(headersFor('rugcheck', 'abc'), { authorization: 'abc' })
  t.same([headersFor('rugcheck', null), headersFor('rugcheck', '')], [{}, {}])
})

t.test('hostile values of a member do no harm, and are not passed on', async (t) => {
  const { url } = await sandbox(t)
  const answer = await (await fetch(`${url}/tokens/${FROZEN.address}/report`)).json()
  const mutations = mutationsOf(answer)
  t.ok(mutations.length > 500)
  const problems: string[] = []
  for (const [name, text] of mutations) {
    const all = await allOf(
      rugcheck({ upstream: answering(text), clock: clockOf({ date: () => NOW }) }),
      FROZEN,
    )
    problems.push(...unfit(all).map((problem) => `${name}: ${problem}`))
  }
  t.same(problems, [])
})
