import t from 'tap'
import type { Call } from '../../src/flow/call.ts'
import { CancellationScope } from '../../src/flow/cancellation.ts'
import type { ProvedProvider } from '../../src/providers/proved.ts'
import type { Offer } from '../../src/providers/provider.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import type { Decimals } from '../../src/swap/decimals.ts'
import { UNPRICED } from '../../src/swap/fair.ts'
import { parseRequest } from '../../src/swap/order.ts'
import { Quotes } from '../../src/swap/quotes.ts'
import { Sealer } from '../../src/swap/seal.ts'
import { clockOf, nextTurn } from '../fixtures/clock.ts'
import { uninformed } from '../fixtures/uninformed.ts'

const REQUEST = parseRequest({
  chain: 'base',
  side: 'buy',
  token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  amount: '1',
  slippageBps: 300,
})

const decimals = {
  addTo: async (_chain: unknown, token: object) => ({ ...token, decimals: 6 }),
} as unknown as Decimals

type Ask = (options: Call) => Promise<bigint>

const provider = (label: string, ask: Ask): ProvedProvider => ({
  label,
  freshMs: 10_000,
  chains: new Set(['base']),
  async quote(_order, options): Promise<Offer> {
    const expectedOut = await ask(options)
    return { expectedOut, minOut: 1n, priceImpactPct: null, details: {}, raw: '{}' }
  },
  buildProved: () => Promise.reject(new Error('not built here')),
})

const offers = (label: string, out: bigint) => provider(label, async () => out)
const fails = (label: string, code: 'no_route' | 'upstream_timeout') =>
  provider(label, async () => {
    throw new GatewayError(code, `It is ${code}.`)
  })

function comparing(listed: readonly ProvedProvider[], fairOut: bigint | null = null) {
  const quotes = new Quotes({
    providers: new Map([['base', listed]]),
    decimals,
    sealer: new Sealer('secret'),
    ...uninformed(),
    fairOf: async () => ({ ...UNPRICED, out: fairOut }),
  })
  return (scope: CancellationScope | null = null) => quotes.compare(REQUEST, scope)
}

t.test('the order is that in which they would win, and each says why', async (t) => {
  const cases: [listed: readonly ProvedProvider[], fairOut: bigint | null, told: readonly unknown[]][] = [
    [[offers('a', 5n)], null, [['a', 0, 'The only offer.']]],
    [
      [offers('a', 10_000n), offers('b', 10_100n), offers('c', 9_999n)],
      null,
      [
        ['b', 0, 'The most; a is next with 99 bps less.'],
        ['a', -99, '99 bps less than b offers.'],
        ['c', -100, '100 bps less than b offers.'],
      ],
    ],
    [
      [offers('a', 1_000_000n), offers('b', 1_000_001n), offers('c', 1_000_001n)],
      null,
      [
        ['b', 0, 'As much as c offers; among equal offers the preferred provider comes first.'],
        ['c', 0, 'As much as b offers, which is preferred.'],
        ['a', 0, 'Under 1 bps less than b offers.'],
      ],
    ],
    [
      [offers('liar', 10n ** 60n), offers('a', 100n), offers('b', 90n)],
      100n,
      [
        ['a', 0, 'The most; b is next with 1000 bps less.'],
        ['b', -1_000, '1000 bps less than a offers.'],
        [
          'liar',
          1_000_000,
          'Too good to be true: at least 1000000 bps more than a offers, far above all others, and above what the order should give by known prices.',
        ],
      ],
    ],
    [
      [offers('liar', 301n), offers('a', 100n), offers('b', 100n)],
      null,
      [
        ['a', 0, 'As much as b offers; among equal offers the preferred provider comes first.'],
        ['b', 0, 'As much as a offers, which is preferred.'],
        ['liar', 20_100, 'Too good to be true: 20100 bps more than a offers, far above all others.'],
      ],
    ],
    [
      [offers('liar', 200n), offers('a', 100n)],
      100n,
      [
        ['a', 0, 'The only offer that is not an outlier.'],
        [
          'liar',
          10_000,
          'Too good to be true: 10000 bps more than a offers, far above all others, and above what the order should give by known prices.',
        ],
      ],
    ],
  ]
  for (const [listed, fairOut, told] of cases) {
    const { quotes, fairOut: shown } = await comparing(listed, fairOut)()
    t.same(
      quotes.map(({ provider, differenceBps, why }) => [provider, differenceBps, why]),
      told,
    )
    t.same(
      quotes.filter(({ outlier }) => outlier).map(({ provider }) => provider),
      quotes.flatMap(({ provider }) => (provider === 'liar' ? ['liar'] : [])),
    )
    t.same(
      quotes.map(({ rank, route }) => [rank, route.alternatives.length]),
      quotes.map((_quote, i) => [i + 1, listed.length - 1]),
    )
    t.equal(shown, fairOut === null ? null : String(fairOut))
  }
})

t.test(
  'an offer below the floor is no offer, and where none is above it there is no comparison',
  async (t) => {
    const over = (...listed: readonly ProvedProvider[]) => {
      const fair = { out: 100n, floor: 90n, sources: ['dexscreener', 'defillama'] }
      const providers = new Map([['base', listed]])
      const fairOf = async () => fair
      return new Quotes({ ...uninformed(), providers, decimals, sealer: new Sealer('secret'), fairOf })
    }
    const refusal = {
      code: 'price_out_of_line',
      message: /^The offer is far below what dexscreener and defillama say/,
      fields: { provider: 'a', expectedOut: '89', fairOut: '100' },
    }
    const low = over(offers('a', 89n), offers('b', 1n))
    await t.rejects(low.compare(REQUEST, null), refusal)
    await t.rejects(low.quote(REQUEST, null), refusal)
    const lied = over(offers('liar', 1_000n), offers('a', 89n))
    await t.rejects(lied.compare(REQUEST, null), refusal, 'an outlier is not what is left')
    await t.rejects(lied.quote(REQUEST, null), refusal)
    const { quotes, missing } = await over(offers('a', 89n), offers('b', 90n)).compare(REQUEST, null)
    t.match(quotes, [
      { provider: 'b', expectedOut: '90', fairOut: '100', unpriced: false, priceImpactPct: 10 },
    ])
    t.equal(quotes.length, 1)
    t.match(missing, [{ provider: 'a', outcome: 'failed', code: 'price_out_of_line' }])
  },
)

t.test('a failed provider has no rank, but its code', async (t) => {
  const { quotes, missing } = await comparing([
    fails('a', 'upstream_timeout'),
    offers('b', 1n),
    fails('c', 'no_route'),
  ])()
  t.same(
    quotes.map(({ provider }) => provider),
    ['b'],
  )
  t.same(missing, [
    { provider: 'a', outcome: 'late', code: 'upstream_timeout', why: 'It is upstream_timeout.' },
    { provider: 'c', outcome: 'failed', code: 'no_route', why: 'It is no_route.' },
  ])
})

t.test("one client's refusals are not shown to another", async (t) => {
  const asked: string[] = []
  let go = (): void => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  const short = provider('short', async ({ scope }) => {
    asked.push(scope!.client)
    if (scope!.client === 'other') return 5n
    await gate
    scope!.markThrottled()
    throw new GatewayError('upstream_rate_limited', 'The share is used up.')
  })
  const listed = [short, offers('a', 4n)]
  const quotes = new Quotes({
    providers: new Map([['base', listed]]),
    decimals,
    sealer: new Sealer('secret'),
    ...uninformed(clockOf({ after: nextTurn })),
    deadlines: { softMs: 0, hardMs: 60_000 } as never,
  })
  const [greedy, other] = [new CancellationScope('greedy'), new CancellationScope('other')]
  t.equal((await quotes.quote(REQUEST, greedy)).provider, 'a')
  const waiting = [quotes.compare(REQUEST, greedy), quotes.compare(REQUEST, other)]
  go()
  const [own, others] = await Promise.all(waiting)
  t.match(own!.missing, [{ provider: 'short', code: 'upstream_rate_limited' }])
  t.same(others!.missing, [])
  t.equal(others!.quotes[0]!.provider, 'short')
  t.same(asked, ['greedy', 'other'])
})
