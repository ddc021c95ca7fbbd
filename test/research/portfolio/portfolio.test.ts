import t from 'tap'
import { nativeAddress } from '../../../src/chains/address.ts'
import { findChain } from '../../../src/chains/find.ts'
import { findMajor } from '../../../src/chains/majors.ts'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import type { Call } from '../../../src/flow/call.ts'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import type { Holding, Holdings } from '../../../src/providers/holdings/holdings.ts'
import type { MarketProvider, Price } from '../../../src/providers/market/market.ts'
import type { ListedToken, TokenSet } from '../../../src/research/list/token-set.ts'
import { BalanceReader, WalletBalances } from '../../../src/research/portfolio/balances.ts'
import { Portfolios, Unpaid } from '../../../src/research/portfolio/portfolio.ts'
import type { PortfolioQuery } from '../../../src/research/portfolio/request.ts'
import { WalletReader } from '../../../src/research/portfolio/wallet-reader.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import type { Portfolio, PortfolioEntry } from '../../../src/runtime/resources/portfolio.ts'
import { Check } from '../../fixtures/check.ts'
import { clockOf, until } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'

const EVM = '0x52908400098527886E0F7030069857D2E4169EE7'
const SOL = 'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg'
const NOW = Date.UTC(2026, 10, 20, 12)
const DEADLINE_MS = 400
const MIN_LIQUIDITY_USD = 10_000

const dead = (): GatewayError => new GatewayError('upstream_unavailable', 'The upstream cannot be reached.')

/** An address for a word; chains of any family take it here. */
const token = (word: string): string => `token-${word}`

function listed(chain: string, word: string, more: Partial<ListedToken> = {}): ListedToken {
  return {
    chain,
    address: token(word),
    symbol: word.toUpperCase(),
    name: `The ${word}`,
    decimals: 6,
    price: 2,
    priceTs: NOW,
    liq: 1_000_000,
    vol24: null,
    checkedTs: null,
    isListed: true,
    ...more,
  }
}

function held(chain: string, word: string, amount: bigint, more: Partial<Holding> = {}): Holding {
  const isNative = word === 'native'
  return {
    token: { chain, address: isNative ? nativeAddress(findChain(chain)!) : token(word), isNative },
    amount,
    decimals: 6,
    symbol: null,
    name: null,
    wrapped: null,
    notes: [],
    ...more,
  }
}

type Ask = (owner: string, options: Call) => Promise<Holdings> | Holdings

interface World {
  readonly set?: readonly ListedToken[]
  /** By chain key; the others hold nothing. */
  readonly nodes?: Readonly<Record<string, Ask | readonly Holding[]>>
  readonly prices?: readonly MarketProvider[]
}

function world({ set = [listed('base', 'usdc'), listed('bsc', 'usdc')], nodes = {}, prices = [] }: World) {
  // Not 0, which the cache takes for no time at all.
  let now = 1
  const asked: string[] = []
  const clock = clockOf({ now: () => now, date: () => NOW })
  const tokens: TokenSet = {
    ready: async () => {},
    chains: () => [...new Set(set.map(({ chain }) => chain)), 'solana'],
    tokens: (chain) => set.filter((one) => one.chain === chain),
    find: (chain, address) => set.find((one) => one.chain === chain && one.address === address) ?? null,
  }
  const wallets = new WalletReader({
    tokens,
    universe: { ready: async () => {}, tokens: () => [], find: () => null },
    holdings: ({ key }) => ({
      async ask(owner, _tokens, options) {
        asked.push(key)
        const node = nodes[key] ?? []
        if (typeof node === 'function') return node(owner, options)
        return { at: { block: 7, slot: 8 }, holdings: node, missing: 0 }
      },
    }),
    clock,
  })
  const portfolios = new Portfolios({
    tokens,
    wallets,
    providers: prices,
    minLiquidityUsd: MIN_LIQUIDITY_USD,
    deadlineMs: DEADLINE_MS,
    clock,
  })
  const balances = new BalanceReader({ tokens, wallets, deadlineMs: DEADLINE_MS, clock })
  const ask = (query: Partial<PortfolioQuery>, scope: CancellationScope | null = null) =>
    portfolios
      .read(portfolios.parse({ dust: 0.01, ...query }), scope)
      .then((body) => JSON.parse(body.toString()) as Portfolio)
  /** Whether one gets it who has no budget left. */
  const isShared = (query: Partial<PortfolioQuery>): Promise<boolean> =>
    portfolios
      .read(portfolios.parse({ dust: 0.01, ...query }), null, () => false)
      .then(
        () => true,
        (error: unknown) => {
          if (error instanceof Unpaid) return false
          throw error
        },
      )
  return { portfolios, balances, ask, asked, isShared, wait: (ms: number) => (now += ms) }
}

/** A source of prices, and what it was asked. */
function source(
  label: string,
  chains: readonly string[],
  prices: Readonly<Record<string, Partial<Price> | null>>,
) {
  const asked: string[][] = []
  const provider: MarketProvider = {
    label,
    chains: new Set(chains),
    prices: {
      maxTokens: 2,
      async ask(tokens) {
        asked.push(tokens.map(({ address }) => address))
        if (prices.all === null) throw dead()
        return tokens.flatMap(({ chain, address }) => {
          const price = prices[address.slice('token-'.length)]
          return price ? [{ chain, address, price: 1, priceTs: NOW - 5, liq: null, ...price }] : []
        })
      },
    },
  }
  return { provider, asked }
}

const micros = (usd: number): bigint => BigInt(Math.round(usd * 1_000_000))

/** Redoes every sum of a reply from what it shows. */
function adds({ chains, totalUsd, tokenCount, unpriced }: Portfolio): boolean {
  const sum = (values: readonly bigint[]): bigint => values.reduce((a, b) => a + b, 0n)
  const count = (of: (entry: PortfolioEntry) => number): number =>
    chains.reduce((n, entry) => n + of(entry), 0)
  return (
    chains.every(
      ({ holdings, hidden, ...entry }) =>
        micros(entry.usd) ===
          sum(holdings.map(({ valueUsd }) => micros(valueUsd ?? 0))) + micros(hidden.usd) &&
        entry.tokenCount === holdings.length + hidden.count &&
        entry.unpriced === holdings.filter(({ valueUsd }) => valueUsd === null).length + hidden.unpriced,
    ) &&
    micros(totalUsd) === sum(chains.map(({ usd }) => micros(usd))) &&
    tokenCount === count((entry) => entry.tokenCount) &&
    unpriced === count((entry) => entry.unpriced)
  )
}

t.test('a request has one form for all of its spellings', async (t) => {
  const { portfolios } = world({})
  const key = (query: Partial<PortfolioQuery>): string => portfolios.parse({ dust: 0.01, ...query }).key
  const parsed = portfolios.parse({ address: EVM.toLowerCase(), sol: SOL, dust: 0.01 })
  t.same([parsed.address, parsed.sol, parsed.leastShown], [EVM, SOL, 10_000n])
  t.same(
    parsed.wallets.map(({ chain, owner }) => [chain.key, owner]),
    [
      ['solana', SOL],
      ['bsc', EVM],
      ['base', EVM],
    ],
    'Solana for `sol`, those with tokens for `address`',
  )
  for (const [same, as] of [
    [{ address: EVM.toLowerCase() }, { address: EVM }],
    [{ address: `0x${EVM.slice(2).toUpperCase()}` }, { address: EVM }],
    [{ address: `0xA${EVM.slice(3).toLowerCase()}` }, { address: `0xa${EVM.slice(3)}` }],
    [{ address: EVM, chains: 'base,bsc' }, { address: EVM }],
    [{ address: EVM, chains: 'bsc,base,bsc' }, { address: EVM }],
    [{ address: EVM, dust: 0.01 }, { address: EVM }],
    [
      { sol: SOL, dust: -0 },
      { sol: SOL, dust: 0 },
    ],
  ] satisfies [Partial<PortfolioQuery>, Partial<PortfolioQuery>][]) {
    t.equal(key(same), key(as))
  }
  const different = [
    { address: EVM },
    { sol: SOL },
    { address: EVM, sol: SOL },
    { address: EVM, chains: 'base' },
    { address: EVM, chains: 'gnosis' },
    { address: EVM, dust: 0 },
    { address: EVM, dust: 0.000001 },
    { address: `0x${'0'.repeat(40)}` },
    { sol: '11111111111111111111111111111111' },
  ]
  t.equal(new Set(different.map(key)).size, different.length)
})

t.test('refuses what it cannot look up, and says what it can', async (t) => {
  const { portfolios, asked } = world({})
  const cases: [query: Partial<PortfolioQuery>, field: string][] = [
    [{}, 'address'],
    [{ chains: 'base' }, 'address'],
    [{ sol: SOL, chains: 'base' }, 'chains'],
    [{ sol: SOL, chains: '' }, 'chains'],
    [{ sol: '0'.repeat(32) }, 'sol'],
    [{ sol: `${SOL}1` }, 'sol'],
    [{ sol: '1'.repeat(44) }, 'sol'],
    [{ sol: SOL.toLowerCase() }, 'sol'],
    [{ address: EVM, sol: 'z'.repeat(44) }, 'sol'],
    ...[
      '',
      ',',
      'base,',
      ' base',
      'base, bsc',
      'Base',
      'solana',
      'base,solana',
      'sui',
      '8453',
      'toString',
    ].map((chains): [Partial<PortfolioQuery>, string] => [{ address: EVM, chains }, 'chains']),
  ]
  for (const [query, field] of cases) {
    const expected = { name: 'GatewayError', code: 'invalid_parameter', fields: { field } }
    t.throws(() => portfolios.parse({ dust: 0.01, ...query }), expected, JSON.stringify(query))
  }
  t.same(asked, [])
})

t.test('shows what each holding is and what it is worth', async (t) => {
  const { ask } = world({
    set: [listed('base', 'usdc', { price: 0.9997, priceTs: NOW - 1_000 })],
    nodes: {
      base: [
        held('base', 'usdc', 1_500_001n, { symbol: 'FAKE' }),
        held('base', 'native', 3n, { symbol: 'ETH', decimals: 18 }),
      ],
      solana: [held('solana', 'native', 5n, { wrapped: 2n, decimals: 9, notes: ['frozen'] })],
    },
  })
  const { chains, at, ...rest } = await ask({ address: EVM, sol: SOL })
  t.same(rest, { address: EVM, sol: SOL, totalUsd: 1.49955, tokenCount: 3, unpriced: 2 })
  t.equal(at, '2026-11-20T12:00:00.000Z')
  t.same(
    chains.map(({ chain, status, block, slot }) => [chain, status, block, slot]),
    [
      ['solana', 'complete', undefined, 8],
      ['base', 'complete', 7, undefined],
    ],
  )
  t.same(chains[0]!.holdings[0], {
    address: 'So11111111111111111111111111111111111111112',
    symbol: null,
    name: null,
    isNative: true,
    listed: true,
    amount: '5',
    decimals: 9,
    amountHuman: 5e-9,
    wrapped: '2',
    price: null,
    priceTs: null,
    valueUsd: null,
    notes: ['frozen'],
  })
  t.same(chains[1], {
    chain: 'base',
    status: 'complete',
    block: 7,
    at,
    usd: 1.49955,
    tokenCount: 2,
    unpriced: 1,
    holdings: [
      {
        address: token('usdc'),
        symbol: 'USDC',
        name: 'The usdc',
        isNative: false,
        listed: true,
        amount: '1500001',
        decimals: 6,
        amountHuman: 1.500001,
        price: 0.9997,
        priceTs: NOW - 1_000,
        valueUsd: 1.49955,
        notes: [],
      },
      {
        address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
        symbol: 'ETH',
        name: null,
        isNative: true,
        listed: true,
        amount: '3',
        decimals: 18,
        amountHuman: 3e-18,
        price: null,
        priceTs: null,
        valueUsd: null,
        notes: [],
      },
    ],
    hidden: { count: 0, unpriced: 0, usd: 0 },
    problems: [],
  })
})

t.test('a price counts only where it means something', async (t) => {
  const cases: [
    what: string,
    set: Partial<ListedToken>,
    holding: Partial<Holding>,
    valueUsd: number | null,
  ][] = [
    ['as it is', {}, {}, 2],
    ['at the floor', { liq: MIN_LIQUIDITY_USD }, {}, 2],
    ['below the floor', { liq: MIN_LIQUIDITY_USD - 0.01 }, {}, null],
    ['of unknown depth', { liq: null }, {}, null],
    ['none', { price: null, priceTs: null }, {}, null],
    ['zero', { price: 0 }, {}, null],
    ['ten minutes old', { priceTs: NOW - 600_000 }, {}, 2],
    ['older', { priceTs: NOW - 600_001 }, {}, null],
    ['held back by the gate', { isListed: false }, {}, null],
    ['unknown decimals', {}, { decimals: null }, null],
    ['more than all the money there is', { price: 1e12 }, { amount: 10n ** 77n }, null],
  ]
  for (const [what, set, holding, valueUsd] of cases) {
    const { ask } = world({
      set: [listed('base', 'a', set)],
      nodes: { base: [held('base', 'a', 1_000_000n, holding)] },
    })
    const reply = await ask({ address: EVM })
    const [shown] = reply.chains[0]!.holdings
    t.same([shown!.valueUsd, reply.unpriced], [valueUsd, valueUsd === null ? 1 : 0], what)
    t.equal(shown!.price === null, valueUsd === null, what)
    t.equal(shown!.listed, what !== 'held back by the gate')
    t.same(shown!.notes, shown!.listed ? [] : ['gated'])
    t.ok(adds(reply), what)
  }
})

t.test('asks one source of prices after the other for what the list has none for', async (t) => {
  const first = source('first', ['solana'], { b: { price: 3 }, shallow: { liq: 1 } })
  const elsewhere = source('elsewhere', ['base'], {})
  const second = source('second', ['solana'], { b: { price: 9 }, c: { price: 4, liq: 20_000 } })
  const { ask } = world({
    set: [listed('solana', 'a'), listed('solana', 'gated', { isListed: false })],
    nodes: {
      solana: [
        ...['a', 'b', 'c', 'shallow', 'gated'].map((word) => held('solana', word, 1_000_000n)),
        held('solana', 'nft', 1n, { decimals: 0 }),
        held('solana', 'odd', 1n, { decimals: null }),
      ],
    },
    prices: [first.provider, elsewhere.provider, second.provider],
  })
  const reply = await ask({ sol: SOL })
  t.same(
    Object.fromEntries(
      reply.chains[0]!.holdings.map(({ address, valueUsd }) => [address.slice(6), valueUsd]),
    ),
    { c: 4, b: 3, a: 2, shallow: null, gated: null, nft: null, odd: null },
  )
  t.same(
    first.asked,
    [['b', 'c'], ['shallow']].map((words) => words.map(token)),
    'in calls that it takes',
  )
  t.same(second.asked, [['c', 'shallow'].map(token)])
  t.same(elsewhere.asked, [])
  t.equal(reply.chains[0]!.status, 'complete')
  t.ok(adds(reply))
})

t.test(
  'a price of more than an hour ago counts where no other source has a newer one, and says so',
  async (t) => {
    const hour = 3_600_000
    const old = { price: 3, priceTs: NOW - 3 * hour }
    const first = source('first', ['solana'], { b: old, c: old, d: { price: 3, priceTs: NOW - hour } })
    const second = source('second', ['solana'], { c: { price: 4 }, d: { price: 9 } })
    const { ask } = world({
      set: [],
      nodes: { solana: ['b', 'c', 'd'].map((word) => held('solana', word, 1_000_000n, { symbol: word })) },
      prices: [first.provider, second.provider],
    })
    const reply = await ask({ sol: SOL })
    t.same(
      Object.fromEntries(
        reply.chains[0]!.holdings.map(({ address, price, priceStale = false }) => [
          address.slice(6),
          [price, priceStale],
        ]),
      ),
      { b: [3, true], c: [4, false], d: [3, false] },
    )
    t.same(second.asked, [['b', 'c'].map(token)], 'a newer one is not asked for again')
    t.ok(adds(reply))
  },
)

t.test('a holding counts for at most a fifth of its pools, and says so', async (t) => {
  const whole = 10n ** 6n
  const usdc = findMajor('base', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')!
  const cases: [
    what: string,
    price: number,
    liq: number | null,
    tokens: bigint,
    value: number,
    capped: boolean,
  ][] = [
    ['an airdrop of 900 billion', 9, 50_000, 100_000_000_000n, 10_000, true],
    ['at the cap', 2, 1_000_000, 100_000n, 200_000, false],
    ['a token above it', 2, 1_000_000, 100_001n, 200_000, true],
    ['a price that its source vouches for', 2, null, 1_000_000n, 2_000_000, false],
  ]
  for (const [what, price, liq, tokens, value, capped] of cases) {
    const { provider } = source('told', ['base'], { drop: { price, liq } })
    const told = { nodes: { base: [held('base', 'drop', tokens * whole)] }, prices: [provider] }
    const set = liq === null ? [] : [listed('base', 'drop', { price, liq })]
    for (const reply of [
      await world({ ...told, set: [listed('base', 'usdc')] }).ask({ address: EVM, chains: 'base' }),
      ...(set.length === 0 ? [] : [await world({ ...told, set, prices: [] }).ask({ address: EVM })]),
    ]) {
      const [shown] = reply.chains[0]!.holdings
      t.same([shown!.valueUsd, shown!.cappedBy], [value, capped ? 'liquidity' : undefined], what)
      t.equal(reply.totalUsd, value, what)
      t.ok(adds(reply), what)
    }
  }
  const major = {
    ...held('base', 'usdc', 9_000_000n * whole),
    token: { chain: 'base', address: usdc.address, isNative: false },
  }
  const { ask } = world({
    set: [listed('base', 'usdc', { address: usdc.address, price: 1, liq: 3_000_000 })],
    nodes: { base: [major] },
  })
  t.match(
    (await ask({ address: EVM })).chains[0]!.holdings,
    [{ valueUsd: 9_000_000 }],
    'a stablecoin is no airdrop',
  )
})

t.test('a source is asked once for what the chains lack together', async (t) => {
  const { provider, asked } = source('one', ['base', 'bsc', 'solana'], { a: {}, b: {} })
  const nodes = {
    base: [held('base', 'a', 1_000_000n)],
    bsc: [held('bsc', 'b', 1_000_000n), held('bsc', 'none', 1n)],
    solana: Array.from({ length: 7 }, (_, i) => held('solana', `spam${i}`, 1n)),
  }
  const wide = { ...provider, prices: { ...provider.prices!, maxTokens: 50 } }
  const reply = await world({ nodes, prices: [wide] }).ask({ address: EVM, sol: SOL })
  t.equal(asked.length, 1)
  t.equal(reply.totalUsd, 2)
  t.same(asked[0]!.slice(0, 3).sort(), ['a', 'b', 'spam0'].map(token), 'each chain has its turn')
})

t.test('however many tokens there are, a source is asked twice', async (t) => {
  const { provider, asked } = source('one', ['solana'], {})
  const solana = Array.from({ length: 9 }, (_, i) => held('solana', `t${i}`, 5n))
  const reply = await world({ set: [], nodes: { solana }, prices: [provider] }).ask({ sol: SOL })
  t.equal(asked.flat().length, 4)
  t.equal(reply.unpriced, 9)
})

t.test('airdropped mints, however many, do not stand before what a list has a name for', async (t) => {
  const spam = (count: number) => Array.from({ length: count }, (_, i) => held('solana', `spam${i}`, 1n))
  const real = held('solana', 'real', 10_000_000_000n, { symbol: 'REAL', name: 'Known to a list' })
  const unheard = held('solana', 'unheard', 10_000_000_000n)
  const ask = async (holdings: readonly Holding[]) => {
    const { provider, asked } = source('one', ['solana'], { real: { price: 1 }, unheard: { price: 1 } })
    const wide: MarketProvider = {
      ...provider,
      prices: {
        maxTokens: 100,
        ask(tokens, options, onNamed) {
          for (const token of tokens) onNamed!({ ...token, symbol: `S-${token.address}`, name: null })
          return provider.prices!.ask(tokens, options)
        },
      },
    }
    const reply = await world({ set: [], nodes: { solana: holdings }, prices: [wide] }).ask({ sol: SOL })
    return { reply, calls: asked.length, entry: reply.chains[0]! }
  }
  const few = await ask([...spam(120), unheard])
  t.equal(few.calls, 2)
  t.equal(few.reply.totalUsd, 10_000)
  t.match(few.entry, { status: 'complete', tokenCount: 121 })
  t.match(few.entry.holdings[0], { symbol: 'S-token-unheard', valueUsd: 10_000 })

  const many = await ask([...spam(900), real])
  t.equal(many.calls, 2)
  t.equal(many.reply.totalUsd, 10_000)
  t.match(many.entry.holdings[0], { symbol: 'REAL', name: 'Known to a list', valueUsd: 10_000 })
  t.match(many.entry, {
    status: 'partial',
    problems: [{ part: 'prices', error: /more tokens than prices are asked for/, missing: 701 }],
  })
})

t.test('a source that fails leaves holdings unpriced, and its name', async (t) => {
  const broken = source('broken', ['solana'], { all: null })
  const works = source('works', ['solana'], { a: {} })
  const ask = (words: readonly string[]) =>
    world({
      nodes: { solana: words.map((word) => held('solana', word, 1_000_000n)) },
      prices: [broken.provider, works.provider],
    }).ask({ sol: SOL })
  const lacking = await ask(['a', 'b'])
  t.match(lacking.chains[0], {
    status: 'partial',
    problems: [{ part: 'prices', code: 'upstream_unavailable', provider: 'broken' }],
  })
  t.same([lacking.totalUsd, lacking.unpriced], [1, 1])
  t.match(
    (await ask(['a'])).chains[0],
    { status: 'complete', problems: { length: 0 } },
    'another had what it was asked for',
  )
})

t.test('dust hides unlisted holdings of less value, and the sums keep them', async (t) => {
  const prices = source('one', ['solana'], {
    at: { price: 0.01 },
    under: { price: 0.009999 },
    more: { price: 5 },
  })
  const { ask } = world({
    set: [listed('solana', 'tiny', { price: 0.000001 })],
    nodes: {
      solana: [
        held('solana', 'tiny', 1n),
        held('solana', 'native', 1n),
        ...['at', 'under', 'more'].map((word) => held('solana', word, 1_000_000n)),
        held('solana', 'unpriced', 1_000_000n),
      ],
    },
    // Each call takes two.
    prices: [prices.provider, source('two', ['solana'], { under: { price: 0.009999 } }).provider],
  })
  const shown = ({ chains }: Portfolio): string[] =>
    chains[0]!.holdings.map(({ address }) => address.replace('token-', '')).sort()
  const all = ['So11111111111111111111111111111111111111112', 'at', 'more', 'tiny', 'under', 'unpriced']
  const cases: [dust: number, hidden: readonly string[], usd: number][] = [
    [0, [], 0],
    [0.009999, [], 0],
    [0.0099991, ['under'], 0.009999],
    [0.01, ['under'], 0.009999],
    [0.010001, ['under', 'at'], 0.019999],
    [1e9, ['under', 'at', 'more'], 5.019999],
  ]
  for (const [dust, hidden, usd] of cases) {
    const reply = await ask({ sol: SOL, dust })
    t.same(
      shown(reply),
      all.filter((word) => !hidden.includes(word)),
      `dust ${dust}`,
    )
    t.same(reply.chains[0]!.hidden, { count: hidden.length, unpriced: 0, usd })
    t.same([reply.totalUsd, reply.tokenCount, reply.unpriced], [5.019999, 6, 2], 'no total moves')
    t.ok(adds(reply))
  }
})

t.test('of thousands, the five hundred most valuable are shown', async (t) => {
  const set = Array.from({ length: 300 }, (_, i) => listed('solana', `listed${i}`, { price: 1 + i }))
  const solana = [
    ...Array.from({ length: 2_000 }, (_, i) => held('solana', `spam${i}`, 1n)),
    ...set.map(({ address }) => held('solana', address.slice(6), 1_000_000n)),
  ]
  const reply = await world({ set, nodes: { solana } }).ask({ sol: SOL })
  const [entry] = reply.chains
  t.equal(entry!.holdings.length, 500)
  t.ok(
    entry!.holdings.slice(0, 300).every(({ valueUsd }, i) => valueUsd === 300 - i),
    'dearest first',
  )
  t.same(entry!.hidden, { count: 1_800, unpriced: 1_800, usd: 0 })
  t.same([reply.tokenCount, reply.unpriced], [2_300, 2_000])
  t.ok(adds(reply))
})

t.test('every sum follows from the entries', async () => {
  const words = Array.from({ length: 12 }, (_, i) => `t${i}`)
  const price = fc.oneof(fc.constant(null), fc.double({ min: 1e-9, max: 1e4, noNaN: true }))
  const amounts = fc.array(fc.bigInt({ min: 1n, max: 10n ** 10n }), { maxLength: words.length })
  await fc.assert(
    fc.asyncProperty(
      fc.array(price, { minLength: 12, maxLength: 12 }),
      fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
      amounts,
      amounts,
      fc.double({ min: 0, max: 100, noNaN: true }),
      async (prices, isListed, base, solana, dust) => {
        const holdings = (chain: string, list: readonly bigint[]) =>
          list.map((amount, i) => held(chain, words[i]!, amount))
        const known = Object.fromEntries(
          words.map((word, i) => [word, prices[i] ? { price: prices[i] } : null]),
        )
        const reply = await world({
          set: words.flatMap((word, i) =>
            isListed[i] ? [listed('base', word, { price: prices[i] ?? null })] : [],
          ),
          nodes: { base: holdings('base', base), solana: holdings('solana', solana) },
          prices: [source('one', ['base', 'solana'], known).provider],
        }).ask({ address: EVM, sol: SOL, chains: 'base', dust })
        return adds(reply) && reply.tokenCount === base.length + solana.length
      },
    ),
    { numRuns: 200 },
  )
})

t.test("a chain's failure is in its own entry", async (t) => {
  const whole = [held('bsc', 'usdc', 1_000_000n)]
  const { ask } = world({
    nodes: {
      bsc: whole,
      base: () => Promise.reject(dead()),
      solana: () => ({ at: { block: null, slot: 9 }, holdings: [held('solana', 'native', 1n)], missing: 2 }),
    },
  })
  const reply = await ask({ address: EVM, sol: SOL })
  t.same(
    reply.chains.map(({ chain, status }) => [chain, status]),
    [
      ['solana', 'partial'],
      ['bsc', 'complete'],
      ['base', 'failed'],
    ],
  )
  const [solana, bsc, base] = reply.chains
  t.match(solana!.problems, [{ part: 'holdings', missing: 2, error: /could not be read/ }])
  t.same(base, {
    chain: 'base',
    status: 'failed',
    block: null,
    at: reply.at,
    usd: 0,
    tokenCount: 0,
    unpriced: 0,
    holdings: [],
    hidden: { count: 0, unpriced: 0, usd: 0 },
    problems: [{ part: 'holdings', code: 'upstream_unavailable', error: 'The upstream cannot be reached.' }],
  })
  t.same(bsc, (await world({ nodes: { bsc: whole } }).ask({ address: EVM, chains: 'bsc' })).chains[0])
  t.ok(adds(reply))
})

t.test('if no chain can be read there is no portfolio, and nothing to keep', async (t) => {
  const { ask, asked } = world({ nodes: { base: () => Promise.reject(dead()) } })
  const query = { address: EVM, chains: 'base' }
  for (const _ of [1, 2])
    await t.rejects(ask(query), { code: 'upstream_unavailable', status: 502, scope: 'rpc' })
  t.equal(asked.length, 2)
})

t.test('our own fault is not an outage', async (t) => {
  const fault = new TypeError('a fault')
  const { ask } = world({ nodes: { base: () => Promise.reject(fault) } })
  await t.rejects(ask({ address: EVM }), fault)
  const { provider } = source('broken', ['base'], {})
  const broken = { ...provider, prices: { maxTokens: 1, ask: () => Promise.reject(fault) } }
  const base = [held('base', 'a', 1n)]
  await t.rejects(world({ nodes: { base }, prices: [broken] }).ask({ address: EVM }), fault)
})

t.test('reads all chains at once, within one deadline', async (t) => {
  const keys = ['ethereum', 'bsc', 'base', 'arbitrum', 'optimism', 'polygon', 'avalanche', 'linea', 'gnosis']
  let running = 0
  let most = 0
  const deadlines: number[] = []
  const node: Ask = async (_owner, { leftMs }) => {
    deadlines.push(leftMs)
    most = Math.max(most, ++running)
    // However many turns of the event loop the others need, they are asked meanwhile.
    for (let turn = 0; turn < 1_000 && most < keys.length; turn++) await new Promise(setImmediate)
    running--
    return { at: { block: 1, slot: null }, holdings: [], missing: 0 }
  }
  const { ask } = world({ nodes: Object.fromEntries(keys.map((key) => [key, node])) })
  const { chains } = await ask({ address: EVM, chains: keys.join() })
  t.same(new Set(chains.map(({ chain }) => chain)), new Set(keys))
  t.equal(most, keys.length)
  t.same([...new Set(deadlines)], [DEADLINE_MS / 2])
})

t.test('a chain whose turn comes too late has failed', async (t) => {
  const keys = ['ethereum', 'bsc', 'base', 'arbitrum', 'optimism', 'polygon', 'avalanche']
  const slow: Ask = () => {
    wait(DEADLINE_MS)
    return { at: { block: 1, slot: null }, holdings: [], missing: 0 }
  }
  const { ask, asked, wait } = world({ nodes: { ethereum: slow } })
  const { chains } = await ask({ address: EVM, chains: keys.join() })
  const failed = chains.filter(({ status }) => status === 'failed')
  t.ok(failed.length >= 1)
  t.ok(failed.every(({ problems }) => problems[0]!.code === 'upstream_timeout'))
  t.equal(asked.length + failed.length, keys.length, 'it is not asked')
})

t.test('the same is read once in half a minute, or in five seconds where something is missing', async (t) => {
  let missing = 0
  const { ask, asked, isShared, wait } = world({
    nodes: { base: () => ({ at: { block: 1, slot: null }, holdings: [], missing }) },
  })
  const query = { address: EVM, chains: 'base' }
  t.notOk(await isShared(query))
  const pending = ask(query)
  t.ok(await isShared(query), 'under way')
  const replies = [await pending, await ask(query)]
  wait(30_000)
  t.ok(await isShared({ ...query, address: EVM.toLowerCase() }), 'at hand')
  replies.push(await ask(query))
  t.same(replies[1], replies[0])
  t.same(replies[2], replies[0])
  t.equal(asked.length, 1)
  wait(1)
  t.notOk(await isShared(query))
  missing = 1
  await ask(query)
  wait(5_000)
  t.ok(await isShared(query))
  wait(1)
  t.notOk(await isShared(query))
})

t.test('the cache is bounded: the least recently requested portfolio is evicted', async (t) => {
  const solana = Array.from({ length: 500 }, (_, i) => held('solana', `spam${i}`, 1n))
  const { ask, isShared } = world({ set: [], nodes: { solana } })
  const wallet = (nth: number) => ({ sol: encodeBase58(Uint8Array.from({ length: 32 }, () => nth)) })
  const fitting = Math.floor((6 * 1024 * 1024) / (400 * (solana.length + 2)))
  for (let nth = 1; nth <= fitting; nth++) await ask(wallet(nth))
  t.ok(await isShared(wallet(1)))
  for (const nth of [1, fitting + 1]) await ask({ ...wallet(nth), dust: 1 })
  t.ok(await isShared({ ...wallet(1), dust: 2 }), 'it was used again')
  t.ok(await isShared({ ...wallet(fitting + 1), dust: 2 }))
  t.notOk(await isShared({ ...wallet(2), dust: 2 }))
})

t.test('dust filters what was read, and causes no new read', async (t) => {
  const { ask, asked, isShared, wait } = world({
    nodes: { base: [held('base', 'usdc', 1_000_000n), held('base', 'crumb', 5n)] },
    prices: [source('oracle', ['base'], { crumb: { price: 1 } }).provider],
  })
  const query = { address: EVM, chains: 'base' }
  const whole = await ask({ ...query, dust: 0 })
  t.equal(whole.chains[0]!.holdings.length, 2)
  wait(20_000)
  t.ok(await isShared({ ...query, dust: 0.01 }))
  const filtered = await ask({ ...query, dust: 0.01 })
  t.equal(filtered.chains[0]!.holdings.length, 1)
  t.same(filtered.chains[0]!.hidden, { count: 1, unpriced: 0, usd: 0.000005 })
  t.same([filtered.totalUsd, filtered.at], [whole.totalUsd, whole.at])
  t.equal(asked.length, 1)
  wait(10_001)
  t.notOk(await isShared({ ...query, dust: 0.01 }), 'it is no younger than what it was made of')
  await ask({ ...query, dust: 0.01 })
  t.equal(asked.length, 2)
})

t.test('a chain whose nodes are hours behind is partial, and says so', async (t) => {
  const behind: Ask = () => ({ at: { block: 1, slot: null }, isBehind: true, holdings: [], missing: 0 })
  const { ask, isShared, wait } = world({ nodes: { base: behind } })
  const query = { address: EVM, chains: 'base' }
  const { chains } = await ask(query)
  t.match(chains, [
    { status: 'partial', problems: [{ part: 'holdings', error: /more than 15 minutes old/ }] },
  ])
  wait(5_001)
  t.notOk(await isShared(query))
})

t.test('a wrong key of `chains` is named, with the one that was meant', async (t) => {
  const { portfolios } = world({})
  const messages: [chains: string, message: RegExp][] = [
    ['BASE', /; BASE is none, perhaps base is meant\.$/],
    ['base,arbitrun', /; arbitrun is none, perhaps arbitrum is meant\.$/],
    ['atlantis', /; atlantis is none\.$/],
    ['base,solana', /; solana is none: give `sol` for it\.$/],
    ['ton', /; ton is none: its wallets are not read\.$/],
    ['<b>', /GET \/api\/chains lists, such as base,arbitrum\.$/],
    ['', /GET \/api\/chains lists, such as base,arbitrum\.$/],
  ]
  for (const [chains, message] of messages) {
    const parse = () => portfolios.parse({ address: EVM, chains, dust: 0 })
    t.throws(parse, { message, fields: { field: 'chains' } }, chains)
  }
})

t.test('a read is cancelled when the last waiting client has left', async (t) => {
  const cancelled: string[] = []
  let hanging = 0
  const hang =
    (key: string): Ask =>
    (_owner, { scope }) => {
      hanging++
      return new Promise((_resolve, reject) => {
        scope!.watch({
          cancel() {
            cancelled.push(key)
            reject(dead())
          },
        })
      })
    }
  const { ask, isShared } = world({ nodes: { base: hang('base'), bsc: hang('bsc'), solana: hang('solana') } })
  const callers = [new CancellationScope(), new CancellationScope()] as const
  const query = { address: EVM, sol: SOL }
  const both = callers.map((scope) => ask(query, scope))
  await until(() => hanging === 3)
  callers[0].cancel()
  t.same(cancelled, [])
  callers[1].cancel()
  t.same(cancelled.sort(), ['base', 'bsc', 'solana'])
  t.notOk(await isShared(query))
  for (const pending of both) await t.rejects(pending, { code: 'upstream_unavailable' })
})

t.test('a client that leaves before the first chain is asked costs no call', async (t) => {
  const { ask, asked } = world({
    nodes: {
      base: (_owner, { scope }) =>
        scope!.isCancelled ? Promise.reject(dead()) : Promise.reject(new Error()),
    },
  })
  const scope = new CancellationScope()
  const pending = ask({ address: EVM, chains: 'base' }, scope)
  scope.cancel()
  await t.rejects(pending, { code: 'upstream_unavailable' })
  t.same(asked, ['base'], 'which is told that it is given up')
})

t.test("raw balances: the nodes' answers, in base units, without prices", async (t) => {
  const { balances } = world({
    nodes: {
      base: [
        held('base', 'other', 5n, { decimals: null }),
        held('base', 'usdc', 7n),
        held('base', 'native', 9n),
      ],
      bsc: () => ({ at: { block: 3, slot: null }, holdings: [], missing: 2, isCoinMissing: true }),
      solana: [
        held('solana', 'native', 12n, { wrapped: 2n }),
        held('solana', 'x', 1n, { notes: ['frozen'] }),
      ],
      scroll: () => Promise.reject(dead()),
    },
  })
  const asked = balances.parse({ address: EVM, sol: SOL, chains: 'base,bsc,scroll,linea' })
  const answer = await balances.read(asked, new CancellationScope())
  t.ok(Check(WalletBalances, answer))
  t.match(answer, { address: EVM, sol: SOL })
  const [solana, bsc, base, linea, scroll] = answer.chains
  t.match(solana, {
    chain: 'solana',
    status: 'complete',
    native: { amount: '12', decimals: 9, symbol: 'SOL', wrapped: '2' },
    tokens: [{ address: token('x'), amount: '1', listed: false, notes: ['frozen'] }],
    problems: { length: 0 },
    asOf: NOW,
  })
  t.match(base, {
    chain: 'base',
    status: 'complete',
    block: 7,
    native: { amount: '9', decimals: 18, symbol: 'ETH', wrapped: null },
    tokens: [
      { address: token('usdc'), amount: '7', decimals: 6, symbol: 'USDC', name: 'The usdc', listed: true },
      { address: token('other'), amount: '5', decimals: null, symbol: null, name: null, listed: false },
    ],
  })
  t.match(
    linea,
    { status: 'complete', native: { amount: '0' }, tokens: { length: 0 } },
    'there is none, which is known',
  )
  t.match(bsc, { status: 'partial', native: null, problems: [{ missing: 2 }] }, 'none that is known')
  t.match(scroll, {
    status: 'failed',
    native: null,
    tokens: { length: 0 },
    problems: [{ code: 'upstream_unavailable' }],
  })
})

t.test('of many tokens the listed ones are shown first, and the number of hidden ones', async (t) => {
  const base = Array.from({ length: 1_100 }, (_, i) => held('base', `spam${i}`, 1n))
  const { balances } = world({ nodes: { base: [...base, held('base', 'usdc', 1n)] } })
  const { chains } = await balances.read(
    balances.parse({ address: EVM, chains: 'base' }),
    new CancellationScope(),
  )
  t.equal(chains[0]!.tokens.length, 1_000)
  t.equal(chains[0]!.tokens[0]!.address, token('usdc'))
  t.match(chains[0], { status: 'partial', problems: [{ omitted: 101 }] })
})

t.test('while a wallet is being read, the portfolio and the raw balances share it', async (t) => {
  const answer: Holdings = { at: { block: 3, slot: null }, holdings: [], missing: 0 }
  const waiting: (() => void)[] = []
  const base: Ask = () => new Promise((resolve) => waiting.push(() => resolve(answer)))
  const { balances, ask, asked } = world({ nodes: { base } })
  const wanted = balances.parse({ address: EVM, chains: 'base' })
  t.notOk(balances.isShared(wanted))
  const both = [ask({ address: EVM, chains: 'base' }), balances.read(wanted, new CancellationScope())]
  await until(() => waiting.length > 0)
  t.ok(balances.isShared(wanted))
  for (const go of waiting) go()
  await Promise.all(both)
  t.same(asked, ['base'])
  t.notOk(balances.isShared(wanted), 'nothing is kept: who has just swapped sees it')
})

t.test('if no chain can be read there are no balances', async (t) => {
  const { balances } = world({ nodes: { base: () => Promise.reject(dead()) } })
  const asked = balances.parse({ address: EVM, chains: 'base' })
  await t.rejects(balances.read(asked, new CancellationScope()), { code: 'upstream_unavailable' })
})

t.test(
  'the client that causes a read pays for it, and one that cannot pay does not block others',
  async (t) => {
    const { portfolios, asked } = world({ nodes: { base: [held('base', 'usdc', 1_000_000n)] } })
    const request = portfolios.parse({ address: EVM, chains: 'base', dust: 0.01 })
    const paid: string[] = []
    const read = (client: string, hasBudget: boolean) =>
      portfolios.read(request, new CancellationScope(client), async () => {
        paid.push(client)
        return hasBudget
      })
    const [poor, again, rich, other] = await Promise.allSettled([
      read('poor', false),
      read('poor', true),
      read('rich', true),
      read('other', true),
    ])
    t.ok(poor!.status === 'rejected' && poor!.reason instanceof Unpaid)
    t.ok(again!.status === 'rejected' && again!.reason instanceof Unpaid, 'his own share his fate')
    t.equal(rich!.status, 'fulfilled')
    t.equal(other!.status, 'fulfilled')
    t.same(paid, ['poor', 'rich'])
    t.same(asked, ['base'])
  },
)
