import t from 'tap'
import type { ProvedProvider } from '../../src/providers/proved.ts'
import { CancellationScope } from '../../src/runtime/cancellation.ts'
import type { Decimals } from '../../src/swap/decimals.ts'
import { parseRequest } from '../../src/swap/order.ts'
import { Quotes } from '../../src/swap/quotes.ts'
import { Sealer } from '../../src/swap/seal.ts'
import { clockOf } from '../fixtures/clock.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
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
function quoting() {
  const clock = { now: 1_000 }
  let asked = 0
  const provider: ProvedProvider = {
    label: 'a',
    canBuild: true,
    freshMs: 10_000,
    chains: new Set(['base', 'arbitrum']),
    async quote() {
      const out = BigInt(1_000_000 + ++asked)
      return { expectedOut: out, minOut: out, priceImpactPct: null, details: {}, raw: '{}' }
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
    clock: clockOf({ now: () => clock.now }),
  })
  return {
    clock,
    quotes,
    asked: () => asked,
    quote: (changes: Partial<Record<keyof typeof REQUEST, unknown>> = {}) =>
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

t.test('a chain without a provider is refused', async (t) => {
  const { quote } = quoting()
  const refusal = { code: 'unsupported_chain', fields: { field: 'chain' } }
  await t.rejects(quote({ chain: 'gnosis' }), refusal, 'none that is configured')
  await t.rejects(quote({ chain: 'linea' }), refusal)
})
