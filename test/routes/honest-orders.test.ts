/**
 * Honest cross-chain orders at the default level, over gateways as they are started: each is built, or
 * is a 400 that says what is possible, before the provider is asked. None is called a theft.
 */
import t from 'tap'
import { CHAINS } from '../../src/chains/chains.ts'
import { findChain } from '../../src/chains/find.ts'
import { FROM_SUI } from '../../src/proof/sui/packages.ts'
import { Market } from '../../src/sandbox/market/market.ts'
import { listen, type TestGateway } from '../fixtures/gateway.ts'
import {
  EVM_WALLET,
  fund,
  getCrossChain,
  getQuote,
  postBuild,
  query,
  SOLANA_WALLET,
  SUI_WALLET,
  SWAPS,
  turn,
  type Values,
} from '../fixtures/swaps.ts'

type Json = Readonly<Record<string, unknown>>

const UNLIMITED = { LIMITS: 'swap=off' }
const market = new Market()

const WALLETS: Readonly<Record<string, string>> = {
  evm: EVM_WALLET,
  solana: SOLANA_WALLET,
  sui: SUI_WALLET,
}
const walletOn = (key: string): string => WALLETS[findChain(key)!.family]!

/** A token of the chain's definition; null for the native coin. */
const named = (key: string, symbol: string | null): string =>
  symbol === null ? 'native' : market.tokens(key).find((token) => token.symbol === symbol)!.address

/** Amounts worth about ten dollars each. */
const AMOUNTS: Readonly<Record<string, string>> = { SUI: '10', USDC: '25', SOL: '0.1', ETH: '0.01' }

const from = (fromChain: string, symbol: string, isNative: boolean) => ({
  fromChain,
  fromToken: named(fromChain, isNative ? null : symbol),
  amount: AMOUNTS[symbol] ?? '500',
  from: walletOn(fromChain),
})
const to = (toChain: string, symbol: string | null) => ({
  toChain,
  toToken: named(toChain, symbol),
  to: walletOn(toChain),
})

async function ask({ url, log }: TestGateway, order: Values) {
  const response = await getCrossChain(url, order)
  const body = (await response.json()) as Json
  const alarms = log.filter(({ msg }) => msg === 'material refused')
  return { status: response.status, body, alarms }
}

/** What is sold on each chain, and where to. */
const SUI_COINS: readonly (readonly [symbol: string, isNative: boolean])[] = [
  ['SUI', true],
  ['USDC', false],
  ...market
    .tokens('sui')
    .filter(({ symbol, trait }) => trait === null && !['SUI', 'USDC'].includes(symbol))
    .slice(0, 2)
    .map(({ symbol }) => [symbol, false] as const),
]
const DESTINATIONS: readonly (readonly [key: string, symbol: string | null])[] = [
  ...FROM_SUI.flatMap((key) => [[key, null] as const, [key, 'USDC'] as const]),
  ['base', 'WETH'],
  ['ethereum', 'USDT'],
  ['solana', 'USDT'],
  ['solana', 'BONK'],
]

t.test('from Sui every coin goes to every chain that Circle leads to, in every token', async (t) => {
  const gateway = await listen(t, UNLIMITED)
  let built = 0
  for (const [coin, isNative] of SUI_COINS) {
    for (const [key, symbol] of DESTINATIONS) {
      const name = `${coin} to ${symbol ?? 'the coin'} on ${key}`
      const { status, body, alarms } = await ask(gateway, {
        ...from('sui', coin, isNative),
        ...to(key, symbol),
      })
      t.same(alarms, [], name)
      if (!t.equal(status, 200, `${name}: ${JSON.stringify(body).slice(0, 300)}`)) continue
      t.match(body, { kind: 'sui', suiTransaction: String, verification: { level: 'simulated' } }, name)
      const { checks, stated } = body.verification as { checks: string[]; stated: string[] }
      t.same(stated, [], name)
      for (const rule of ['recipient', 'received_token', 'minimum', 'destination_chain', 'sent_token']) {
        t.ok(checks.includes(rule), `${name}: ${rule}`)
      }
      built++
    }
  }
  t.comment(`${built} built`)
})

t.test('to Sui goes what Mayan takes, for the coins that the chain file describes', async (t) => {
  const gateway = await listen(t, UNLIMITED)
  await fund(gateway.sandbox!.solanaRpc)
  const sold = [
    from('base', 'ETH', true),
    from('base', 'USDC', false),
    from('ethereum', 'ETH', true),
    from('arbitrum', 'USDC', false),
    from('solana', 'SOL', true),
  ]
  for (const order of sold) {
    for (const symbol of [null, 'USDC', 'USDT']) {
      const name = `${order.fromToken} on ${order.fromChain} to ${symbol ?? 'SUI'}`
      const { status, body, alarms } = await ask(gateway, { ...order, ...to('sui', symbol) })
      t.same(alarms, [], name)
      t.equal(status, 200, `${name}: ${JSON.stringify(body).slice(0, 300)}`)
      const { checks, stated } = body.verification as { checks: string[]; stated: string[] }
      t.same(stated, [], name)
      t.ok(checks.includes('received_token') && checks.includes('minimum'), name)
    }
  }
})

const UNDESCRIBED = market
  .tokens('sui')
  .find(({ symbol, trait }) => trait === null && !['SUI', 'USDC', 'USDT'].includes(symbol))!

const REFUSED: readonly (readonly [title: string, order: Values, code: string, says: RegExp])[] = [
  ...CHAINS.filter(
    ({ key, xprovChainId }) => xprovChainId !== null && key !== 'sui' && !FROM_SUI.includes(key),
  ).map(
    ({ key }) =>
      [
        `from Sui to ${key}`,
        { ...from('sui', 'SUI', true), ...to(key, null) },
        'unsupported_route',
        /leads to Ethereum, .*Solana/,
      ] as const,
  ),
  [
    'from Sui to another wallet there',
    { ...from('sui', 'SUI', true), ...to('sui', 'USDC'), to: `0x${'a1'.repeat(32)}` },
    'unsupported_route',
    /pays the wallet that signs it/,
  ],
  [
    'a coin of Sui that one node alone describes',
    { ...from('base', 'ETH', true), ...to('sui', null), toToken: UNDESCRIBED.address },
    'unsupported_route',
    /Ask for SUI, USDC or USDT/,
  ],
  [
    'a token of Solana that the wallet does not hold',
    { ...from('solana', 'USDC', false), ...to('base', null) },
    'insufficient_balance',
    /holds 0 of EPjF.*, and needs 25/,
  ],
  [
    'more SOL than the wallet holds',
    { ...from('solana', 'SOL', true), ...to('base', null), amount: '2' },
    'insufficient_balance',
    /holds 2 SOL, and needs 2\.00293516 SOL with what the network takes/,
  ],
  [
    'a wallet on Sui that holds nothing',
    { ...from('sui', 'USDC', false), ...to('base', null), from: `0x${'5a'.repeat(31)}00` },
    'insufficient_balance',
    /holds 0 of 0xdba3.*, and needs 25/,
  ],
]

t.test('what cannot be proved is a 400 that says what can, before the provider is asked', async (t) => {
  const gateway = await listen(t, UNLIMITED)
  await fund(gateway.sandbox!.solanaRpc)
  // Every upstream answers 502.
  await turn(gateway, 'xprov', '500')
  for (const [title, order, code, says] of REFUSED) {
    const { status, body, alarms } = await ask(gateway, order)
    t.equal(status, 400, title)
    t.match(body, { code, scope: 'route', error: says, field: String }, title)
    if (code === 'insufficient_balance') {
      t.ok(BigInt(body.required as string) > BigInt(body.available as string), title)
    }
    t.same(alarms, [], title)
  }
})

t.test("on EVM chains the wallet's holdings are not looked up", async (t) => {
  const gateway = await listen(t, UNLIMITED)
  const order = { ...from('base', 'USDC', false), ...to('solana', null), from: `0x${'5a'.repeat(19)}00` }
  t.equal((await ask(gateway, order)).status, 200)
})

t.test('a coin that two price sources do not know may not be swapped before a bridge', async (t) => {
  const gateway = await listen(t, UNLIMITED)
  for (const source of ['dexscreener', 'defillama']) await turn(gateway, source, '500')
  const sold = from('sui', 'SUI', true)
  t.match(await ask(gateway, { ...sold, ...to('solana', null) }), {
    status: 400,
    body: { code: 'unsupported_route', field: 'fromToken', error: /Sell it for USDC on Sui first/ },
  })
  const { status, body } = await ask(gateway, { ...sold, ...to('base', 'USDC') })
  t.equal(status, 200, 'for USDC the least that arrives is the least that is sent')
  t.match(body, { unpriced: true })
})

t.test(
  'a swap within Sui is built for a wallet that holds what it sells, and is a 400 for another',
  async (t) => {
    const gateway = await listen(t, UNLIMITED)
    for (const [sui, status] of [
      [SUI_WALLET, 200],
      [`0x${'5a'.repeat(31)}00`, 400],
    ] as const) {
      const order = { ...SWAPS.sui, from: sui }
      const quote = await (await getQuote(gateway.url, order)).json()
      const built = await postBuild(gateway.url, { ...order, quote })
      t.equal(built.status, status)
      if (status === 400) {
        t.match(await built.json(), { code: 'insufficient_balance', available: '0', required: '1502000000' })
      }
    }
  },
)

/** Of each family: two tokens that are no native coins, and amounts worth about ten dollars. */
const PAIRS: readonly (readonly [chain: string, from: string, to: string, amount: string])[] = [
  ['base', 'USDC', 'AERO', '10'],
  ['base', 'AERO', 'cbBTC', '12'],
  ['base', 'WETH', 'USDC', '0.01'],
  ['arbitrum', 'USDC', 'WETH', '10'],
  ['bsc', 'USDT', 'USDC', '10'],
  ['solana', 'USDC', 'JUP', '10'],
  ['solana', 'BONK', 'USDT', '500000'],
  ['sui', 'USDC', 'USDT', '10'],
  ['sui', 'CETUS', 'USDC', '50'],
  ['ton', 'USDT', 'USDC', '10'],
]

t.test('any token is bought with any other, and sold for it, on every family', async (t) => {
  const gateway = await listen(t, UNLIMITED)
  const { url, log } = gateway
  await fund(gateway.sandbox!.solanaRpc)
  for (const [chain, sold, bought, amount] of PAIRS) {
    const [spent, got] = [named(chain, sold), named(chain, bought)]
    const shared = {
      chain,
      amount,
      from: findChain(chain)!.family === 'ton' ? SWAPS.ton.from : walletOn(chain),
    }
    for (const order of [
      { ...shared, side: 'buy', token: got, against: spent },
      { ...shared, side: 'sell', token: spent, against: got },
    ]) {
      const name = `${chain}: ${order.side}, ${sold} to ${bought}`
      const quote = (await (await getQuote(url, order)).json()) as Json
      t.match(
        quote,
        { against: order.against, expectedOut: /^\d+$/ },
        `${name}: ${JSON.stringify(quote).slice(0, 200)}`,
      )
      const fair = quote.fairOut as string | null
      if (fair !== null)
        t.ok(BigInt(quote.expectedOut as string) * 10n > BigInt(fair) * 9n, `${name}: a fair offer`)
      const all = (await (await fetch(`${url}/api/v2quote?${query(order)}`)).json()) as { quotes: Json[] }
      t.ok(
        all.quotes.every(({ against }) => against === order.against),
        name,
      )
      const built = await postBuild(url, { ...order, quote })
      const material = (await built.json()) as Json
      t.equal(built.status, 200, `${name}: ${JSON.stringify(material).slice(0, 300)}`)
      const { approval, value } = material as { approval?: Json; value?: string }
      if (approval)
        t.match([approval.token, value], [spent, '0'], `${name}: what is spent is approved, and no coin`)
      t.match(material, { verification: { level: /^(proved|simulated)$/ } }, name)
      for (const change of [
        { against: undefined },
        { against: 'native' },
        { token: spent, against: got, side: 'sell' },
      ]) {
        const other = { ...order, ...change }
        if (other.side === order.side && other.against === order.against) continue
        const answer = await postBuild(url, { ...other, quote })
        t.match(await answer.json(), { code: 'quote_mismatch' }, `${name}: not for ${JSON.stringify(change)}`)
      }
    }
  }
  t.same(
    log.filter(({ msg }) => msg === 'material refused'),
    [],
  )
})

t.test('`against` is a token of the chain, and another one', async (t) => {
  const { url } = await listen(t, UNLIMITED)
  for (const against of ['', 'x', SOLANA_WALLET, SWAPS.base.token, SWAPS.base.token.toLowerCase()]) {
    const answer = await getQuote(url, { ...SWAPS.base, against })
    t.match(await answer.json(), { code: 'invalid_parameter', field: 'against' }, against)
  }
  const plain = (await (await getQuote(url, SWAPS.base)).json()) as Json
  const native = (await (await getQuote(url, { ...SWAPS.base, against: 'native' })).json()) as Json
  t.notHas(plain, { against: String })
  t.match(native, { route: plain.route as Json }, 'the native coin is the default, and the same race')
})
