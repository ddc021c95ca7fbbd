import t from 'tap'
import { minOut } from '../../src/chains/amount.ts'
import { findChain } from '../../src/chains/find.ts'
import type { Proved, ProvedProvider } from '../../src/providers/proved.ts'
import type { Offer } from '../../src/providers/provider.ts'
import { CancellationScope } from '../../src/runtime/cancellation.ts'
import { Builds, parseReturnedQuote } from '../../src/swap/builds.ts'
import type { Decimals } from '../../src/swap/decimals.ts'
import { parseRequest } from '../../src/swap/order.ts'
import { builderFor, Quotes } from '../../src/swap/quotes.ts'
import { Sealer } from '../../src/swap/seal.ts'
import { clockOf } from '../fixtures/clock.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
const FRESH_MS = 10_000

/** Knows one token, of six decimals. */
const decimals = {
  addTo: async (_chain: unknown, token: { address: string; isNative: boolean }) => ({
    ...token,
    decimals: 6,
  }),
} as unknown as Decimals

interface Market {
  expectedOut: bigint
  /** What comes after it, once it was asked for. */
  next?: bigint
  readonly asked: string[]
  readonly built: Offer[]
}

function provider(label: string, market: Market, canBuild = true): ProvedProvider {
  const material: Proved['material'] = {
    kind: 'evm',
    to: '0xrouter',
    data: '0x00',
    value: '0',
    approval: null,
  }
  return {
    label,
    canBuild,
    freshMs: FRESH_MS,
    chains: new Set(['base']),
    async quote({ slippageBps }) {
      market.asked.push(label)
      const { expectedOut, next } = market
      if (next !== undefined) market.expectedOut = next
      return {
        expectedOut,
        minOut: minOut(expectedOut, slippageBps),
        priceImpactPct: null,
        details: {},
        raw: `{"n":${expectedOut}}`,
      }
    },
    async buildProved(_order, offer) {
      market.built.push(offer)
      return { material, verification: { level: 'proved', checks: ['to'], stated: [], simulation: null } }
    },
  }
}

async function quoted(labels: readonly [label: string, canBuild: boolean][]) {
  const market: Market = { expectedOut: 1_000_000n, asked: [], built: [] }
  const listed = labels.map(([label, canBuild]) => provider(label, market, canBuild))
  const common = { providers: new Map([['base', listed]]), decimals, sealer: new Sealer('secret') }
  const request = parseRequest({
    chain: 'base',
    side: 'buy',
    token: USDC,
    amount: '1',
    slippageBps: 300,
    from: WALLET,
  })
  const quote = await new Quotes(common).quote(request, null)
  let now = quote.route.asOf
  const builds = new Builds({ ...common, clock: clockOf({ date: () => now }) })
  market.asked.length = 0
  return {
    market,
    quote,
    wait: (ms: number) => (now += ms),
    build: () =>
      builds.build({ ...request, from: WALLET }, parseReturnedQuote(quote), new CancellationScope()),
  }
}

t.test('a fresh quote is built from its own raw answer', async (t) => {
  const { market, quote, wait, build } = await quoted([['a', true]])
  t.equal(quote.route.buildBy, 'a')
  wait(FRESH_MS)
  const result = await build()
  t.same(market.asked, [], 'nobody is asked again')
  t.equal(market.built[0]?.raw, quote.route.raw)
  t.match(result, {
    provider: 'a',
    chain: 'base',
    chainId: findChain('base')?.chainId,
    from: WALLET,
    expectedOut: '1000000',
    minOut: '970000',
    verification: { checks: ['to'] },
  })
})

t.test('a quote that is no longer fresh is asked for again, at the same provider', async (t) => {
  const { market, wait, build } = await quoted([
    ['a', true],
    ['b', true],
  ])
  wait(FRESH_MS + 1)
  market.expectedOut = 1_010_000n
  const result = await build()
  t.same(market.asked, ['a'])
  t.equal(market.built[0]?.raw, '{"n":1010000}')
  t.match(result, { expectedOut: '1010000', minOut: '979700' })
})

t.test('where the market fell, with the slippage that keeps the old minimum', async (t) => {
  const { market, wait, build } = await quoted([['a', true]])
  wait(FRESH_MS + 1)
  for (const expectedOut of [999_999n, 985_000n, 970_100n]) {
    market.expectedOut = expectedOut
    market.asked.length = 0
    const { minOut } = await build()
    t.same(market.asked, ['a', 'a'])
    t.ok(
      BigInt(minOut!) >= 970_000n && BigInt(minOut!) <= expectedOut,
      `${expectedOut} gives at least ${minOut}`,
    )
  }
  market.expectedOut = 970_000n
  await t.rejects(build(), { name: 'GatewayError', code: 'quote_moved' }, 'no slippage is left')
})

t.test('and refused, with both figures, when the market moved below its minimum', async (t) => {
  const { market, wait, build } = await quoted([['a', true]])
  wait(FRESH_MS + 1)
  market.expectedOut = 969_999n
  await t.rejects(build(), {
    name: 'GatewayError',
    code: 'quote_moved',
    status: 400,
    fields: { minOut: '970000', expectedOut: '969999' },
  })
  t.same(market.built, [])
})

t.test('and refused when it falls again while the provider is asked with that slippage', async (t) => {
  const { market, wait, build } = await quoted([['a', true]])
  wait(FRESH_MS + 1)
  // 985,000 leaves 152 bps, and that much less than 984,971 is below the agreed 970,000.
  market.expectedOut = 985_000n
  market.next = 984_971n
  await t.rejects(build(), {
    code: 'quote_moved',
    fields: { provider: 'a', minOut: '970000', expectedOut: '984971' },
  })
  t.same(market.asked, ['a', 'a'])
  t.same(market.built, [])
  market.expectedOut = 985_000n
  market.next = 984_972n
  t.match(await build(), { minOut: '970000' }, 'exactly the agreed minimum is enough')
})

t.test('a quote is built by its provider, or by the most preferred where that one does not build', (t) => {
  const market: Market = { expectedOut: 1n, asked: [], built: [] }
  const [opinion, first, second] = [
    provider('opinion', market, false),
    provider('first', market),
    provider('second', market),
  ] as const
  const candidates = [opinion, first, second]
  t.equal(builderFor(candidates, second), second)
  t.equal(builderFor(candidates, opinion), first)
  t.equal(builderFor([opinion], opinion), null)
  t.end()
})

t.test('a second opinion alone cannot be built from', async (t) => {
  const { quote, build } = await quoted([['opinion', false]])
  t.equal(quote.provider, 'opinion')
  t.equal(quote.route.buildBy, null)
  await t.rejects(build(), { name: 'GatewayError', code: 'unsupported_chain' })
})

t.test('the part of a quote that is missing is named', async (t) => {
  const { quote } = await quoted([['a', true]])
  const { route, ...rest } = quote
  const cases: [quote: unknown, field: string][] = [
    [null, 'quote'],
    [{ ...rest }, 'quote.route'],
    [{ ...quote, minOut: 970_000 }, 'quote.minOut'],
    [{ ...quote, expectedOut: null }, 'quote.expectedOut'],
    [{ ...quote, route: { ...route, seal: undefined } }, 'quote.route.seal'],
    [{ ...quote, route: { ...route, asOf: 'now' } }, 'quote.route.asOf'],
  ]
  for (const [broken, field] of cases) {
    const given = JSON.parse(JSON.stringify(broken))
    t.throws(() => parseReturnedQuote(given), { name: 'GatewayError', fields: { field } }, field)
  }
})
