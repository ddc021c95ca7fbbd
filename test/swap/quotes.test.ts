import t from 'tap'
import { CancellationScope } from '../../src/flow/cancellation.ts'
import { createCounts } from '../../src/http/counts/counts.ts'
import { ENOUGH, LIFE_MS } from '../../src/http/counts/promises.ts'
import type { ProvedProvider } from '../../src/providers/proved.ts'
import { DEADLINES } from '../../src/swap/deadlines.ts'
import type { Decimals } from '../../src/swap/decimals.ts'
import { parseRequest } from '../../src/swap/order.ts'
import { Quotes } from '../../src/swap/quotes.ts'
import { Sealer } from '../../src/swap/seal.ts'
import { clockOf, nextTurn } from '../fixtures/clock.ts'
import { promisedMarket } from '../fixtures/promised.ts'
import { uninformed } from '../fixtures/uninformed.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const DATE = Date.UTC(2026, 10, 20, 12)
const OTHER = '0x4200000000000000000000000000000000000006'
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
const OTHER_WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const REQUEST = {
  chain: 'base',
  side: 'buy',
  token: USDC,
  amount: '1',
  slippageBps: 300,
  from: WALLET,
} as const

/** Quotes of one provider on two chains, which says another amount each time that it is asked. */
function quoting(options: Partial<ConstructorParameters<typeof Quotes>[0]> = {}) {
  const clock = { now: 1_000 }
  const counts = createCounts(clockOf({ date: () => DATE }))
  let asked = 0
  const provider: ProvedProvider = {
    label: 'a',
    freshMs: 10_000,
    chains: new Set(['base', 'arbitrum']),
    async quote() {
      const out = BigInt(1_000_000 + ++asked)
      return { expectedOut: out, minOut: out - 1n, priceImpactPct: 0.123_456_789, details: {}, raw: '{}' }
    },
    buildProved: () => Promise.reject(new Error('not built here')),
  }
  const decimals = {
    addTo: async (_chain: unknown, token: object) => ({ ...token, decimals: 6 }),
  } as unknown as Decimals
  const quotes = new Quotes({
    providers: new Map([
      ['base', [provider]],
      ['arbitrum', [provider]],
      ['gnosis', []],
    ]),
    decimals,
    sealer: new Sealer('secret'),
    ...uninformed(clockOf({ now: () => clock.now, date: () => DATE })),
    counts,
    ...options,
  })
  return {
    clock,
    counts,
    provider,
    quotes,
    asked: () => asked,
    quote: (changes: Partial<Record<keyof typeof REQUEST | 'against', unknown>> = {}) =>
      quotes.quote(parseRequest({ ...REQUEST, ...changes } as never), null),
  }
}

t.test('identical requests share a race for two seconds, and no longer', async (t) => {
  const { clock, asked, quote } = quoting()
  const first = await quote()
  clock.now += 1_999
  t.same(await quote(), first)
  t.equal(asked(), 1)
  clock.now += 2
  t.equal((await quote()).expectedOut, '1000002')
  t.equal(asked(), 2)
  clock.now += 1_999
  await quote()
  t.equal(asked(), 2, 'two seconds from the second one on')
})

t.test('those that come while the providers are asked share the race, too', async (t) => {
  const { asked, quote } = quoting()
  const all = await Promise.all([quote(), quote(), quote()])
  t.equal(asked(), 1)
  t.same(new Set(all.map(({ expectedOut }) => expectedOut)), new Set(['1000001']))
})

t.test('whatever a request differs in, it has a race of its own', async (t) => {
  const { asked, quote } = quoting()
  await quote()
  const changes = [
    { chain: 'arbitrum' },
    { side: 'sell' },
    { token: OTHER },
    { against: OTHER },
    { amount: '2' },
    { slippageBps: 301 },
    { from: OTHER_WALLET },
    { from: undefined },
  ]
  for (const [i, change] of changes.entries()) {
    await quote(change)
    t.equal(asked(), i + 2, JSON.stringify(change))
  }
})

t.test('a comparison uses the race of a quote, and the other way round', async (t) => {
  const { asked, quote, quotes } = quoting()
  const { quotes: ranked } = await quotes.compare(parseRequest(REQUEST), new CancellationScope())
  t.match(ranked, [{ rank: 1, provider: 'a', expectedOut: '1000001' }])
  t.equal((await quote()).expectedOut, '1000001')
  t.equal(asked(), 1)
})

t.test('one deadline bounds a quote: the look-up of decimals and the race', async (t) => {
  const left: number[] = []
  const { clock, provider, quote } = quoting({
    decimals: {
      addTo: async (_chain: unknown, token: object) => {
        clock.now += 1_000
        return { ...token, decimals: 6 }
      },
    } as unknown as Decimals,
  })
  const ask = provider.quote.bind(provider)
  Object.assign(provider, {
    quote: (...[order, call]: Parameters<ProvedProvider['quote']>) => {
      left.push(call.leftMs)
      return ask(order, call)
    },
  })
  await quote()
  t.same(left, [DEADLINES.hardMs - 1_000])
})

t.test('a quote has the amounts of both tokens, each in its own units', async (t) => {
  const { quote } = quoting()
  t.match(await quote({ amount: '0.25' }), {
    provider: 'a',
    chain: 'base',
    chainId: 8_453,
    side: 'buy',
    from: WALLET,
    amountIn: '250000000000000000',
    amountInHuman: '0.25',
    expectedOut: '1000001',
    expectedOutHuman: '1.000001',
    minOut: '1000000',
    slippageBps: 300,
    priceImpactPct: null,
    fairOut: null,
    unpriced: true,
    route: {
      buildBy: 'a',
      asOf: DATE,
      stated: { priceImpactPct: 0.123_457 },
      alternatives: { length: 0 },
      raw: '{}',
    },
  })
  t.match(await quote({ side: 'sell', amount: '0.25' }), {
    amountIn: '250000',
    amountInHuman: '0.25',
    expectedOutHuman: '0.000000000001000002',
  })
  t.notHas(await quote({ amount: '0.25' }), { against: String })
  const between = await quote({ side: 'sell', amount: '0.25', against: OTHER })
  t.match(between, { against: OTHER, amountIn: '250000' })
})

t.test('each quote is counted, and each race once', async (t) => {
  const { counts, quote } = quoting()
  const races: unknown[] = []
  counts.bakeOff.watch((race) => void races.push(race))
  await quote()
  await quote()
  t.equal(counts.funnel.days().today.totals.quote, 2)
  t.match(races, [{ chain: 'base', providers: [{ provider: 'a', outcome: 'won' }] }])
  t.equal(races.length, 1)
})

t.test('an offer that comes after the race is weighed with it', async (t) => {
  let come = () => {}
  const { provider } = quoting()
  const slow: ProvedProvider = {
    ...provider,
    label: 'slow',
    quote: () =>
      new Promise((resolve) => {
        come = () =>
          resolve({ expectedOut: 1n, minOut: 1n, priceImpactPct: null, details: {}, raw: 'x'.repeat(5_000) })
      }),
  }
  const { quote, quotes } = quoting({
    providers: new Map([['base', [provider, slow]]]),
    clock: clockOf({ after: nextTurn }),
  })
  await quote()
  t.equal(quotes.cache.bytes, 2)
  come()
  await new Promise(setImmediate)
  t.equal(quotes.cache.bytes, 5_002)
})

t.test('the races that are kept have at most 64 MiB of answers', async (t) => {
  for (const [bytes, isKept] of [
    [0, true],
    [64 * 2 ** 20, true],
    [64 * 2 ** 20 + 1, false],
  ] as const) {
    const { provider } = quoting()
    const raw = Buffer.alloc(bytes, 'x').toString('latin1')
    const large: ProvedProvider = {
      ...provider,
      quote: async () => ({ expectedOut: 1n, minOut: 1n, priceImpactPct: null, details: {}, raw }),
    }
    const { quote, quotes } = quoting({ providers: new Map([['base', [large]]]) })
    await quote()
    t.equal(quotes.cache.entries, isKept ? 1 : 0)
    t.equal(quotes.cache.bytes, isKept ? Math.max(1, bytes) : 0)
  }
})

t.test('a chain without a provider is refused', async (t) => {
  const { quote } = quoting()
  const refusal = { code: 'unsupported_chain', fields: { field: 'chain' } }
  await t.rejects(quote({ chain: 'gnosis' }), refusal, 'none that is configured')
  await t.rejects(quote({ chain: 'linea' }), refusal)
})

t.test('a quote says how long it holds once enough races have shown it', async (t) => {
  const { quote, builds, moveTo } = promisedMarket(1)
  const asked = { side: 'buy', token: USDC, amount: '0.1', slippageBps: 300 } as const
  for (let i = 0; i < ENOUGH; i++) {
    moveTo(i * LIFE_MS)
    t.equal((await quote(asked, 'client')).holds, null, `after ${i} races`)
  }
  moveTo(ENOUGH * LIFE_MS)
  const best = await quote(asked, 'client')
  t.same(best.holds, { untilMs: best.route.asOf + LIFE_MS, probability: 0.99 })
  const narrow = await quote({ ...asked, slippageBps: 1 }, 'client')
  t.ok(narrow.holds!.probability < 0.9, 'with less room, it is less likely')
  t.equal(
    (await quote({ ...asked, side: 'sell' }, 'client')).holds,
    null,
    'of the other side nothing is known',
  )
  moveTo((ENOUGH + 1) * LIFE_MS)
  t.ok(await builds(asked, best, 'client'))
})

t.test('what a build asks for teaches nothing: it does so only after a fall', async (t) => {
  const { counts, quote, builds, moveTo } = promisedMarket(1)
  const asked = { side: 'buy', token: USDC, amount: '0.1', slippageBps: 1 } as const
  let learnt = 0
  const { raced } = counts.promises
  counts.promises.raced = (...race) => {
    learnt++
    return raced.apply(counts.promises, race)
  }
  let moved = 0
  for (let i = 0; i < 20; i++) {
    moveTo(2 * i * LIFE_MS)
    const best = await quote(asked, 'client')
    moveTo((2 * i + 1) * LIFE_MS)
    if (!(await builds(asked, best, 'client'))) moved++
  }
  t.ok(moved > 0)
  t.equal(learnt, 20)
})
