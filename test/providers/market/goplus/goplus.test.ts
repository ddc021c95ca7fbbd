import t, { type Test } from 'tap'
import { CHAINS } from '../../../../src/chains/chains.ts'
import { goplus } from '../../../../src/providers/market/goplus/goplus.ts'
import { GoplusToken, signatureOf } from '../../../../src/providers/market/goplus/token.ts'
import { UNKNOWN_FLAGS } from '../../../../src/providers/market/market.ts'
import { GOPLUS_APP, goplus as sandboxGoplus } from '../../../../src/sandbox/market/goplus.ts'
import { factsOf } from '../../../../src/sandbox/market/research.ts'
import { clockOf } from '../../../fixtures/clock.ts'
import { hostileUpstream, status } from '../../../fixtures/hostile-upstream.ts'
import { allOf, answering, mutationsOf, unfit } from '../../../fixtures/mutations.ts'
import { failureOf, NOW, OPTIONS, startProvider, upstreamTo } from '../../../fixtures/provider.ts'

const TOKEN = { chain: 'base', address: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed' }
const LOWER = TOKEN.address.toLowerCase()
const MINT = { chain: 'solana', address: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263' }
const COIN = {
  chain: 'sui',
  address: '0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC',
}
const WALLET = '0x1111111111111111111111111111111111111111'
const ZERO = '0x0000000000000000000000000000000000000000'

async function sandbox(t: Test) {
  const provider = await startProvider(t, sandboxGoplus)
  const find = (chain: string, symbol: string) =>
    provider.market.tokens(chain).find((token) => token.symbol === symbol)!
  return {
    ...provider,
    find,
    adapter: goplus({ upstream: provider.upstream, clock: clockOf({ date: () => NOW }) }),
  }
}

/** An adapter to which GoPlus says this of the token. */
const told = (entry: unknown, { chain, address } = TOKEN, code = 1) => {
  const key = chain === 'base' ? address.toLowerCase() : address
  return goplus({
    upstream: answering(JSON.stringify({ code, message: '', result: { [key]: entry } })),
    clock: clockOf({ date: () => NOW }),
  })
}

const flagsOf = async (entry: unknown, token = TOKEN) =>
  (await told(entry, token).parts!.security!.ask(token, OPTIONS))!.flags

const UNKNOWN = UNKNOWN_FLAGS

t.test(
  'it is asked on every EVM chain but HyperEVM, on Solana and on Sui, with an access token where there is one',
  async (t) => {
    const { adapter, requests } = await sandbox(t)
    t.same(
      [...adapter.chains],
      CHAINS.map(({ key }) => key).filter((key) => key !== 'ton' && key !== 'hyperevm'),
    )
    for (const token of [TOKEN, MINT, COIN]) await adapter.parts!.security!.ask(token, OPTIONS)
    t.same(
      requests.map(({ path, query }) => `${path}?${decodeURIComponent(query.toString())}`),
      [
        `/api/v1/token_security/8453?contract_addresses=${LOWER}`,
        `/api/v1/solana/token_security?contract_addresses=${MINT.address}`,
        `/api/v1/sui/token_security?contract_addresses=${COIN.address}`,
      ],
    )
  },
)

t.test('one call answers every part of a token', async (t) => {
  const { adapter, requests, find } = await sandbox(t)
  const { security, holders, early, lp, row } = adapter.parts!
  const parts = await Promise.all(
    [security, holders, early, lp, row].map((part) => part!.ask(TOKEN, OPTIONS)),
  )
  t.notOk(parts.includes(null))
  await lp!.ask(TOKEN, OPTIONS)
  t.equal(requests.length, 1)
  await lp!.ask(MINT, OPTIONS)
  t.equal(requests.length, 2)
  t.ok(
    Object.values(adapter.parts!).every(({ keepMs }) => keepMs >= 600_000),
    'contracts change seldom',
  )

  const facts = factsOf(find('base', 'DEGEN'), NOW)
  t.match(await row!.ask(TOKEN, OPTIONS), {
    ...TOKEN,
    symbol: 'DEGEN',
    name: 'Degen',
    holders: facts.holderCount,
    price: null,
    priceTs: NOW,
  })
  t.same(await early!.ask(TOKEN, OPTIONS), [{ kind: 'creator', address: facts.creator }])
  const largest = (await holders!.ask(TOKEN, OPTIONS))!
  t.same(
    largest.map(({ address, percent }) => ({ address, percent })),
    facts.holders.map(({ address, percent }) => ({ address, percent })),
  )
  t.match(await lp!.ask(TOKEN, OPTIONS), { holderCount: 2, lockedPct: 60, burnedPct: 60 })
})

t.test("finds the faults of the sandbox's tokens", async (t) => {
  const { adapter, find } = await sandbox(t)
  const cases = [
    ['base', 'HONEY', { honeypot: true, cannotSell: true, sellTaxPct: 0 }],
    ['base', 'TAXED', { honeypot: false, cannotSell: false, sellTaxPct: 99 }],
    ['base', 'DEGEN', { honeypot: false, freezable: false, mintable: false, blacklisted: null }],
    ['base', 'SPAM', { blacklisted: true }],
    ['base', 'GHOST', { honeypot: null, cannotSell: null, sellTaxPct: null, mintable: false }],
    ['solana', 'FROZEN', { freezable: true, mintable: true, honeypot: null }],
    ['solana', 'BONK', { freezable: false, mintable: false, nonTransferable: false, sellTaxPct: null }],
    ['sui', 'CETUS', { blacklisted: null, mintable: false, freezable: false }],
  ] as const
  for (const [chain, symbol, expected] of cases) {
    const { address } = find(chain, symbol)
    const security = await adapter.parts!.security!.ask({ chain, address }, OPTIONS)
    t.match(security, { at: NOW, flags: expected }, `${chain} ${symbol}`)
  }
  const { address } = find('base', 'SAFE\u202eNIOC')
  t.match(await adapter.parts!.row!.ask({ chain: 'base', address }, OPTIONS), {
    symbol: 'SAFENIOC',
    name: 'Turned evitaN Coin (sandbox)',
  })
})

t.test('a token without an entry is unknown to GoPlus, and so is a native coin', async (t) => {
  const { adapter, requests } = await sandbox(t)
  for (const part of Object.values(adapter.parts!)) {
    t.equal(await part.ask({ chain: 'base', address: WALLET }, OPTIONS), null)
  }
  t.equal(requests.length, 1, 'which is remembered too')
  const native = { chain: 'base', address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE' }
  t.equal(await adapter.parts!.security!.ask(native, OPTIONS), null)
  t.equal(requests.length, 1)
  t.equal(await told({}).parts!.security!.ask(TOKEN, OPTIONS), null)
  for (const result of ['{}', 'null']) {
    const upstream = answering(`{"code":1,"message":"OK","result":${result}}`)
    t.equal(await goplus({ upstream }).parts!.holders!.ask(TOKEN, OPTIONS), null)
  }
})

t.test('a failure comes with status 200, and a code of its own', async (t) => {
  const { adapter, dials, upstream, advance } = await sandbox(t)
  dials.set('goplus', '429')
  const limited = await failureOf(adapter.parts!.security!.ask(TOKEN, OPTIONS))
  t.match(limited, { code: 'upstream_rate_limited', status: 502, scope: 'provider' })
  t.match(upstream.state, { state: 'cooling', failures: 0 }, 'it is left alone for a while')
  dials.set('goplus', null)
  advance(1_000)
  t.ok(await adapter.parts!.security!.ask(TOKEN, OPTIONS), 'a failure is not remembered')

  const cases: [body: string, status: number, code: string][] = [
    ['{"code":2004,"message":"secret"}', 200, 'upstream_failed'],
    ['{"code":5000,"message":"secret","result":null}', 200, 'upstream_failed'],
    ['{"code":0,"result":{}}', 200, 'upstream_failed'],
    ['{"code":"1","result":{}}', 200, 'upstream_unusable'],
    ['{"code":1,"result":[]}', 200, 'upstream_unusable'],
    [`{"code":1,"result":{"${LOWER}":7}}`, 200, 'upstream_unusable'],
    ['{"result":{}}', 200, 'upstream_unusable'],
    ['[]', 200, 'upstream_unusable'],
    ['{"code":1,"result":{}}', 404, 'upstream_unusable'],
  ]
  for (const [body, status, code] of cases) {
    const failing = goplus({ upstream: answering(body, status) })
    const failure = await failureOf(failing.parts!.security!.ask(TOKEN, OPTIONS))
    t.match(failure, { code }, body)
    t.notMatch(failure.message, /secret/)
  }
  dials.set('goplus', 'garbage')
  t.match(await failureOf(adapter.parts!.security!.ask(MINT, OPTIONS)), { code: 'upstream_unusable' })
  t.equal(upstream.state.failures, 1)
})

t.test('a token that it cannot look at is not held against it, its own failure is', async (t) => {
  const server = await hostileUpstream(t)
  for (const [code, isReady] of [
    [2004, true],
    [2018, true],
    [2022, true],
    [5006, true],
    [5000, false],
  ] as const) {
    server.behaviour = status(200, `{"code":${code},"message":"no"}`)
    const upstream = upstreamTo(t, server.url, 'goplus')
    const { security } = goplus({ upstream }).parts!
    for (let i = 0; i < 5; i++) {
      t.match(await failureOf(security!.ask(TOKEN, OPTIONS)), { code: 'upstream_failed', scope: 'provider' })
    }
    t.equal(upstream.breaker.isReady, isReady, String(code))
  }
})

t.test('its codes mean what it says of them', async (t) => {
  for (const code of [2020, 2021]) {
    const { security } = goplus({ upstream: answering(`{"code":${code},"message":"no","result":null}`) })
      .parts!
    t.equal(await security!.ask(TOKEN, OPTIONS), null, `${code}: there is no such token`)
  }
  const server = await hostileUpstream(t)
  for (const code of [4010, 4011, 4012, 4023]) {
    server.behaviour = status(200, `{"code":${code},"message":"secret"}`)
    const upstream = upstreamTo(t, server.url, 'goplus')
    const { security } = goplus({ upstream }).parts!
    const failure = await failureOf(security!.ask(TOKEN, OPTIONS))
    t.match(failure, { code: 'upstream_refused', scope: 'provider' }, String(code))
    t.notMatch(failure.message, /secret/)
    t.match(upstream.state, { state: 'refused', lastError: { code: 'upstream_refused' } })
    t.ok(upstream.breaker.isReady, 'only the operator can mend it')
  }
})

t.test('a partial answer is requested again soon, and a complete one is kept', async (t) => {
  let now = 0
  const asked: number[] = []
  let code = 2
  const upstream = {
    ask: (request: { read(status: number, body: Buffer): unknown }) => {
      asked.push(now)
      return Promise.resolve(
        request.read(200, Buffer.from(JSON.stringify({ code, result: { [LOWER]: { is_mintable: '1' } } }))),
      )
    },
  }
  const clock = clockOf({ now: () => 1 + now, date: () => NOW })
  const { security, lp } = goplus({ upstream: upstream as never, clock }).parts!
  const partial = (await security!.ask(TOKEN, OPTIONS))!
  t.equal(security!.isPartial!(partial), true)
  t.equal(lp!.isPartial!((await lp!.ask(TOKEN, OPTIONS))!), true)
  now = 14_000
  await security!.ask(TOKEN, OPTIONS)
  now = 16_000
  code = 1
  t.equal(security!.isPartial!((await security!.ask(TOKEN, OPTIONS))!), false)
  now = 200_000
  await security!.ask(TOKEN, OPTIONS)
  t.same(asked, [0, 16_000])
})

t.test('partial data is used, and its gaps are unknown, never safe', async (t) => {
  const partial = told({ is_mintable: '1' }, TOKEN, 2)
  t.match(await partial.parts!.security!.ask(TOKEN, OPTIONS), {
    facts: { is_mintable: '1' },
    flags: { ...UNKNOWN, mintable: true },
  })
  t.same(await partial.parts!.holders!.ask(TOKEN, OPTIONS), [])
  t.same(await partial.parts!.early!.ask(TOKEN, OPTIONS), [])
  t.same(await partial.parts!.lp!.ask(TOKEN, OPTIONS), {
    holderCount: null,
    lockedPct: null,
    burnedPct: null,
    pools: [],
  })
  t.match(await partial.parts!.row!.ask(TOKEN, OPTIONS), { name: null, symbol: null, holders: null })
})

t.test('each flag follows from its own field', async (t) => {
  const fields: [name: string, flag: keyof typeof UNKNOWN][] = [
    ['is_honeypot', 'honeypot'],
    ['is_airdrop_scam', 'blacklisted'],
    ['cannot_sell_all', 'cannotSell'],
    ['cannot_buy', 'cannotBuy'],
    ['is_mintable', 'mintable'],
    ['slippage_modifiable', 'taxModifiable'],
    ['personal_slippage_modifiable', 'taxPerAddress'],
    ['hidden_owner', 'hiddenOwner'],
    ['owner_change_balance', 'balancesModifiable'],
    ['selfdestruct', 'selfDestructs'],
  ]
  for (const [name, flag] of fields) {
    t.same(await flagsOf({ [name]: '1' }), { ...UNKNOWN, [flag]: true }, name)
    t.same(await flagsOf({ [name]: '0' }), { ...UNKNOWN, [flag]: false }, name)
    for (const odd of ['', '2', null, true, {}]) t.same(await flagsOf({ [name]: odd }), UNKNOWN, name)
  }
  const fake = { fake_token: { value: 1, true_token_address: WALLET } }
  t.same(await flagsOf(fake), { ...UNKNOWN, blacklisted: true })
  const powers: [transfer_pausable: unknown, is_blacklisted: unknown, freezable: boolean | null][] = [
    ['1', '0', true],
    ['0', '1', true],
    ['1', undefined, true],
    ['0', '0', false],
    ['0', undefined, null],
    ['', '', null],
  ]
  for (const [transfer_pausable, is_blacklisted, freezable] of powers) {
    t.same(await flagsOf({ transfer_pausable, is_blacklisted }), { ...UNKNOWN, freezable })
  }
  const taxes: [unknown, number | null][] = [
    ['0.05', 5],
    ['0', 0],
    ['1', 100],
    ['0.07', 7],
    ['', null],
    ['-0.1', null],
    [undefined, null],
  ]
  for (const [sell_tax, sellTaxPct] of taxes) {
    t.same(
      await flagsOf({ sell_tax, buy_tax: '0.9' }),
      { ...UNKNOWN, sellTaxPct, buyTaxPct: 90 },
      `${sell_tax}`,
    )
  }
})

t.test('a number of traps by the same creator is a finding, whatever the number', async (t) => {
  for (const [honeypot_with_same_creator, maliciousCreator] of [
    ['0', false],
    ['1', true],
    ['12', true],
    ['', null],
  ] as const) {
    t.same(await flagsOf({ honeypot_with_same_creator }), { ...UNKNOWN, maliciousCreator })
  }
})

t.test("an owner's powers do not count once the ownership is renounced for good", async (t) => {
  const powers = {
    transfer_pausable: '1',
    is_blacklisted: '1',
    is_mintable: '1',
    owner_change_balance: '1',
    slippage_modifiable: '1',
    personal_slippage_modifiable: '1',
  }
  const gone = { owner_address: ZERO, can_take_back_ownership: '0', hidden_owner: '0', is_proxy: '0' }
  const renounced = await flagsOf({ ...powers, ...gone })
  const names = ['freezable', 'mintable', 'balancesModifiable', 'taxModifiable', 'taxPerAddress'] as const
  for (const name of names) t.equal(renounced[name], false, name)
  const back: object[] = [
    { owner_address: WALLET },
    { owner_address: '' },
    { can_take_back_ownership: '1' },
    { hidden_owner: '1' },
    { is_proxy: '1' },
    { is_proxy: undefined },
  ]
  for (const change of back) {
    const flags = await flagsOf({ ...powers, ...gone, ...change })
    for (const name of names) t.equal(flags[name], true, `${name} ${JSON.stringify(change)}`)
  }
  t.match(await flagsOf(gone), { freezable: null, mintable: null }, 'and what was not looked at is unknown')
})

t.test('a count of zero is not a count', async (t) => {
  const { row, lp } = told({ holder_count: '0', lp_holder_count: '0', lp_holders: [] }).parts!
  t.match(await row!.ask(TOKEN, OPTIONS), { holders: null })
  t.match(await lp!.ask(TOKEN, OPTIONS), { holderCount: null, lockedPct: null, burnedPct: null })
})

t.test("Solana's powers are risky where their status is 1", async (t) => {
  const power = (status: unknown) => ({ status, authority: [{ address: 'x', malicious_address: 1 }] })
  const cases: [entry: object, flags: object][] = [
    [{ mintable: power('1') }, { mintable: true, maliciousCreator: true }],
    [{ mintable: power('0') }, { mintable: false }],
    [{ mintable: '1' }, {}],
    [{ freezable: power('1') }, { freezable: true, maliciousCreator: true }],
    [{ default_account_state: '2' }, { freezable: true, bornFrozen: true }],
    [
      { default_account_state: '2', freezable: power('0') },
      { freezable: true, bornFrozen: true },
    ],
    [{ default_account_state: '1' }, { bornFrozen: false }],
    [{ non_transferable: '1' }, { nonTransferable: true }],
    [{ none_transferable: '1' }, { nonTransferable: true }],
    [{ non_transferable: '0' }, { nonTransferable: false }],
    [{ balance_mutable_authority: { status: '1', authority: [] } }, { permanentDelegate: true }],
    [{ balance_mutable_authority: power('0') }, { permanentDelegate: false }],
    [{ transfer_hook: [] }, { transferHook: false }],
    [{ transfer_hook: [{ address: 'x', malicious_address: 0 }] }, { transferHook: true }],
    [{ transfer_fee_upgradable: power('0') }, { taxModifiable: false }],
    [{ creators: [{ address: 'x', malicious_address: 1 }] }, { maliciousCreator: true }],
    [{ creators: [{ address: 'x', malicious_address: 0 }] }, { maliciousCreator: false }],
    [{ transfer_fee: { current_fee_rate: { fee_rate: '0.03', maximum_fee: '5' } } }, { sellTaxPct: 3 }],
    [{ transfer_fee: { current_fee_rate: { fee_rate: '0.03', maximum_fee: '0' } } }, { sellTaxPct: 0 }],
    [{ transfer_fee: {} }, {}],
    // No fraction: shown, and not computed with.
    [{ transfer_fee: { current_fee_rate: { fee_rate: '500', maximum_fee: '1' } } }, {}],
    // Not being on a list of trusted tokens is no warning.
    [{ trusted_token: 0 }, {}],
  ]
  for (const [entry, flags] of cases) {
    t.same(await flagsOf(entry, MINT), { ...UNKNOWN, ...flags }, JSON.stringify(entry))
  }
  const fee = told({ transfer_fee: { current_fee_rate: { fee_rate: '500' } }, closable: power('1') }, MINT)
  const { facts } = (await fee.parts!.security!.ask(MINT, OPTIONS))!
  t.same(facts, { transfer_fee_rate: '500', closable: '1' })
  const lowered = answering(
    JSON.stringify({ code: 1, result: { [MINT.address.toLowerCase()]: { holder_count: '7' } } }),
  )
  t.match(await goplus({ upstream: lowered }).parts!.row!.ask(MINT, OPTIONS), { holders: 7 })
  t.same(await flagsOf({ blacklist: { value: '1' }, mintable: { value: '1' } }, COIN), {
    ...UNKNOWN,
    freezable: true,
    mintable: true,
  })
})

t.test('shares are fractions, and malformed ones are left out', async (t) => {
  const share = (changes: object) => ({ address: WALLET, percent: '0.25', is_locked: 0, ...changes })
  const { parts } = told({
    holders: [
      share({ percent: '0.1', balance: '12.5', tag: 'Binance\u202e', is_contract: 1, is_locked: 1 }),
      share({ address: ZERO, percent: '0.07', balance: '1e5' }),
      share({ percent: '1.01' }),
      share({ percent: '' }),
      share({ percent: '-0.1' }),
      share({ address: '0x12' }),
      null,
      'x',
    ],
    lp_holders: [
      share({ address: ZERO, percent: '0.3' }),
      share({ percent: '0.1', is_locked: 1 }),
      share({ percent: '0.6' }),
    ],
  })
  t.same(await parts!.holders!.ask(TOKEN, OPTIONS), [
    { address: WALLET, percent: 10, balance: '12.5', tags: ['Binance', 'contract', 'locked'] },
    { address: ZERO, percent: 7, balance: null, tags: [] },
  ])
  t.match(await parts!.lp!.ask(TOKEN, OPTIONS), { lockedPct: 40, burnedPct: 30 })
  const absurd = told({
    lp_holders: [share({ is_locked: 1, percent: '0.9' }), share({ is_locked: 1, percent: '0.9' })],
  })
  t.match(await absurd.parts!.lp!.ask(TOKEN, OPTIONS), { lockedPct: null, burnedPct: 0 })
})

t.test('hostile values of a member do no harm, and are not passed on', async (t) => {
  const { url, find } = await sandbox(t)
  const frozen = { chain: 'solana', address: find('solana', 'FROZEN').address }
  const asked: [typeof TOKEN, string][] = [
    [TOKEN, `token_security/8453?contract_addresses=${LOWER}`],
    [frozen, `solana/token_security?contract_addresses=${frozen.address}`],
    [COIN, `sui/token_security?contract_addresses=${COIN.address}`],
  ]
  // All of them at first: connections do not stay open through the rest.
  const answers = await Promise.all(
    asked.map(async ([, path]) => (await fetch(`${url}/api/v1/${path}`)).json()),
  )
  for (const [i, [token]] of asked.entries()) {
    const mutations = mutationsOf(answers[i])
    t.ok(mutations.length > 200)
    const problems: string[] = []
    for (const [name, text] of mutations) {
      // What a code means has its own test.
      if (name.startsWith('code ')) continue
      const all = await allOf(
        goplus({ upstream: answering(text), clock: clockOf({ date: () => NOW }) }),
        token,
      )
      problems.push(...unfit(all).map((problem) => `${name}: ${problem}`))
    }
    t.same(problems, [], token.chain)
  }
})

t.test(
  'an app signs for a token, which is sent, renewed before it expires, and dropped when it is refused',
  async (t) => {
    const app = { key: 'mBOMg20QW11BbtyH4Zh0', secret: 'V6aRfxlPJwN3ViJSIFSCdxPvneajuJsh' }
    t.equal(signatureOf(app, 1647847498), '7293d385b9225b3c3f232b76ba97255d0e21063e', "GoPlus's own example")

    const provider = await startProvider(t, sandboxGoplus)
    let now = 0
    const clock = clockOf({ now: () => now, date: () => NOW })
    const token = new GoplusToken(provider.upstream, GOPLUS_APP, clock)
    const paths = () => provider.requests.map(({ path }) => path)
    const [first, same] = await Promise.all([token.headers(), token.headers()])
    t.same(first, same)
    t.same(paths(), ['/api/v1/token'], 'one call for both')
    const { holders } = goplus({ upstream: provider.upstream, clock, goplusApp: GOPLUS_APP }).parts!
    t.ok(await holders!.ask(TOKEN, OPTIONS))
    t.match(provider.requests.at(-1)!.headers.authorization, /^Bearer \d+\./)
    now = 7_200_000 * 0.9
    await token.headers()
    t.equal(paths().filter((path) => path === '/api/v1/token').length, 3, 'renewed in time')
    token.drop()
    await token.headers()
    t.equal(paths().filter((path) => path === '/api/v1/token').length, 4)

    const wrong = goplus({ upstream: provider.upstream, clock, goplusApp: { ...GOPLUS_APP, secret: 'no' } })
      .parts!
    t.match(await failureOf(wrong.holders!.ask(TOKEN, OPTIONS)), { code: 'upstream_refused' })
  },
)
