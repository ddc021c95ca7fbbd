/** The slippage that is suggested: from depth, moves, hops and a token's own fee, and never above its bounds. */

import t from 'tap'
import { findChain } from '../../src/chains/find.ts'
import type { Order, Token } from '../../src/proof/terms/order.ts'
import type { Offer } from '../../src/providers/provider.ts'
import { type Fair, UNPRICED } from '../../src/swap/fair.ts'
import { MOST_SUGGESTED_BPS, suggestedSlippage, type TokenFacts } from '../../src/swap/slippage.ts'
import fc from '../fixtures/fast-check.ts'
import { USDC } from '../fixtures/swaps.ts'

const chain = findChain('base')!
const ETH: Token = { address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', isNative: true, decimals: 18 }
const DOLLAR: Token = { address: USDC.base, isNative: false, decimals: 6 }
const OTHER: Token = { address: `0x${'12'.repeat(20)}`, isNative: false, decimals: 18 }
const USDBC: Token = { ...DOLLAR, address: '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb' }

const orderOf = (tokenIn: Token, tokenOut: Token): Order => ({
  chain,
  side: 'buy',
  tokenIn,
  tokenOut,
  amountIn: 1n,
  slippageBps: 300,
  from: null,
})
const offerOf = (details: Offer['details'] = {}): Offer => ({
  expectedOut: 1n,
  minOut: 1n,
  priceImpactPct: null,
  details,
  raw: '',
})
const priced = (value: bigint, ...depths: (bigint | null)[]): Fair => ({
  ...UNPRICED,
  market: { value, depths },
})
const still: TokenFacts = { liq: null, hourPct: 0, buyTaxPct: null, sellTaxPct: null }
const suggest = (order: Order, offer: Offer, fair: Fair, facts: (address: string) => TokenFacts | null) => {
  const { suggestedSlippageBps, slippageReasons } = suggestedSlippage(order, offer, fair, (key, address) => {
    t.equal(key, 'base')
    return facts(address)
  })
  const reasons = Object.fromEntries(slippageReasons.map(({ what, bps }) => [what, bps]))
  return { bps: suggestedSlippageBps, reasons }
}

const MILLION = 10n ** 12n

t.test('a deep, quiet pair needs next to nothing, a thin and moving one much more', async (t) => {
  const deep = priced(1_000_000n * 1_000n, 100n * MILLION, 100n * MILLION)
  t.same(
    suggest(orderOf(ETH, DOLLAR), offerOf(), deep, () => still),
    { bps: 10, reasons: { base: 10 } },
  )
  const moved = suggest(orderOf(ETH, DOLLAR), offerOf(), deep, () => ({ ...still, hourPct: -3 }))
  t.same(moved, { bps: 49, reasons: { base: 10, volatility: 39 } }, '3 % in an hour: 0.39 % in a minute')
  const thin = priced(1_000_000n * 1_000n, 200_000n * 1_000_000n, null)
  t.same(
    suggest(orderOf(OTHER, ETH), offerOf({ path: ['a', 'b', 'c'] }), thin, () => still),
    {
      bps: 115,
      reasons: { base: 10, depth: 100, hops: 5 },
    },
  )
})

t.test('where two sources do not agree on the depth, the one of the list counts', async (t) => {
  const facts = () => ({ ...still, liq: 200_000 })
  const unsure = priced(1_000_000n * 1_000n, null, null)
  t.same(suggest(orderOf(ETH, DOLLAR), offerOf(), unsure, facts).reasons, { base: 10, depth: 100 })
  t.same(suggest(orderOf(ETH, DOLLAR), offerOf(), UNPRICED, facts).reasons, { base: 10, depth: 50 })
})

t.test('unknown facts count a little, and are named', async (t) => {
  const { slippageReasons, suggestedSlippageBps } = suggestedSlippage(
    orderOf(ETH, OTHER),
    offerOf(),
    UNPRICED,
    () => null,
  )
  t.equal(suggestedSlippageBps, 100)
  t.match(slippageReasons, [
    { what: 'base' },
    { what: 'depth', bps: 50, why: /not known/ },
    { bps: 40, why: /not known/ },
  ])
})

t.test("hops are the provider's, in any of its ways", async (t) => {
  const hops = (details: Offer['details']) =>
    suggest(orderOf(ETH, OTHER), offerOf(details), UNPRICED, () => null).reasons.hops ?? 0
  for (const details of [
    {},
    { stated: {} },
    { stated: { hops: [] } },
    { path: [] },
    { stated: { hops: 'many' } },
  ]) {
    t.equal(hops(details), 0)
  }
  t.equal(hops({ stated: { hops: ['a', 'b', 'c'] } }), 10)
  t.equal(hops({ stated: { exchanges: ['a', 'b'] } }), 5)
})

t.test(
  'only a fee of the token itself goes beyond 300, and a source that lies about it not far',
  async (t) => {
    const taxed = { ...still, buyTaxPct: 5, sellTaxPct: 2 }
    const of = (order: Order) =>
      suggest(order, offerOf(), priced(1n, 10n ** 15n), (address) =>
        address === OTHER.address ? taxed : still,
      )
    t.same(of(orderOf(ETH, OTHER)), { bps: 510, reasons: { base: 10, transfer_fee: 500 } })
    t.same(of(orderOf(OTHER, ETH)), { bps: 210, reasons: { base: 10, transfer_fee: 200 } })
    const lies = { ...still, buyTaxPct: 99 }
    t.equal(suggest(orderOf(ETH, OTHER), offerOf(), UNPRICED, () => lies).bps, 10 + 50 + 1_000)
    t.same(
      suggest(orderOf(DOLLAR, USDBC), offerOf(), priced(1n, null, null), () => lies).reasons.volatility ?? 0,
      0,
    )
  },
)

t.test('whatever is known, it is within what a quote takes', async () => {
  const percent = fc.option(fc.double({ min: -100, max: 10_000, noNaN: true }))
  const tax = fc.option(fc.double({ min: 0, max: 100, noNaN: true }))
  const depth = fc.option(fc.bigInt({ min: 0n, max: 10n ** 20n }))
  const facts = fc.option(
    fc.record({
      liq: fc.option(fc.double({ min: 0, noNaN: true })),
      hourPct: percent,
      buyTaxPct: tax,
      sellTaxPct: tax,
    }),
  )
  fc.assert(
    fc.property(
      facts,
      depth,
      depth,
      fc.bigInt({ min: 0n, max: 10n ** 20n }),
      fc.nat(40),
      (known, a, b, value, hops) => {
        const { suggestedSlippageBps, slippageReasons } = suggestedSlippage(
          orderOf(ETH, OTHER),
          offerOf({ stated: { hops: new Array(hops).fill('x') } }),
          priced(value, a, b),
          () => known,
        )
        const own = slippageReasons.find(({ what }) => what === 'transfer_fee')?.bps ?? 0
        return (
          Number.isInteger(suggestedSlippageBps) &&
          suggestedSlippageBps >= 10 &&
          suggestedSlippageBps - own <= MOST_SUGGESTED_BPS &&
          suggestedSlippageBps <= 5_000
        )
      },
    ),
  )
})
