import t from 'tap'
import { nativeAddress } from '../../../src/chains/address.ts'
import { parseAmount } from '../../../src/chains/amount.ts'
import { checksummed } from '../../../src/chains/evm-address.ts'
import { findChain } from '../../../src/chains/find.ts'
import { floorUnits } from '../../../src/chains/json/decimal.ts'
import { priceUnits } from '../../../src/chains/usd.ts'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import type { ProvedProvider } from '../../../src/providers/proved.ts'
import { BasketPlanner } from '../../../src/research/basket/baskets.ts'
import type { PlanRequest } from '../../../src/research/basket/shapes.ts'
import type { ListedToken, TokenSet } from '../../../src/research/list/token-set.ts'
import type { PriceOf } from '../../../src/swap/fair.ts'
import { clockOf } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'
import { USDC } from '../../fixtures/swaps.ts'

const NOW = Date.UTC(2026, 10, 21)
const BASE = findChain('base')!
const WETH = '0x4200000000000000000000000000000000000006'
const token = (n: number): string => checksummed(`0x${n.toString(16).padStart(40, '0')}`)

type Known = Partial<ListedToken> & Pick<ListedToken, 'address'>

const listed = (known: Known): ListedToken => ({
  chain: 'base',
  symbol: null,
  name: null,
  decimals: null,
  price: 1,
  priceTs: NOW - 5_000,
  liq: 1_000_000,
  vol24: null,
  checkedTs: NOW,
  isListed: true,
  ...known,
})

/** @param price  of the native coin, on which two sources agree; null if they do not */
function baskets(known: readonly Known[], price: number | null = 2_500) {
  const all = [listed({ address: nativeAddress(BASE), price: 77 }), ...known.map(listed)]
  const tokens: TokenSet = {
    ready: async () => {},
    chains: () => ['base'],
    tokens: (chain) => (chain === 'base' ? all : []),
    find: (_chain, address) => all.find((one) => one.address === address) ?? null,
  }
  const swaps = new Map([['base', [{} as ProvedProvider]]])
  const priceOf: PriceOf = async (chain, address, { scope }) => {
    if (chain !== 'base' || address !== nativeAddress(BASE) || scope?.client !== 'alice') return null
    if (price === null) return null
    const [low, high] = [priceUnits(price) / 2n, priceUnits(price)]
    return { low, high, depth: null, sources: ['dexscreener', 'defillama'], priceTs: NOW - 5_000 }
  }
  const planner = new BasketPlanner({
    tokens,
    swaps,
    priceOf,
    deadlineMs: 3_000,
    clock: clockOf({ date: () => NOW }),
  })
  return {
    top: (...asked: Parameters<BasketPlanner['top']>) => planner.top(...asked),
    plan: (request: PlanRequest) => planner.plan(request, new CancellationScope('alice')),
  }
}

const REQUEST: PlanRequest = {
  chain: BASE,
  usd: '100',
  minClipUsd: '10',
  limit: 5,
  slippageBps: 300,
}

t.test('the deepest come first, and tokens out of the question are counted', async (t) => {
  const set = baskets([
    { address: token(3), liq: 20_000 },
    { address: token(1), liq: 50_000, symbol: 'ONE', vol24: 7, checkedTs: 3 },
    { address: token(4), liq: 20_000 },
    { address: token(5), liq: 9_999.99 },
    { address: token(6), liq: null },
    { address: token(7), liq: 0 },
    { address: token(8), isListed: false },
    { address: WETH },
    { address: USDC.base },
  ])
  const { tokens, excluded, asOf } = await set.top(BASE, 2, 10_000)
  t.equal(asOf, NOW)
  t.same(excluded, { majors: 3, gated: 1, unknown: 2, thin: 1 })
  t.match(tokens, [
    { address: token(1), symbol: 'ONE', liq: 50_000, vol24: 7, checkedTs: 3, price: 1, ageMs: 5_000 },
    { address: token(3), liq: 20_000 },
  ])
  t.equal(tokens.length, 2)
  t.same((await set.top(BASE, 9, 0)).excluded, { majors: 3, gated: 1, unknown: 2, thin: 0 })
})

t.test('dollars are split by depth, at the higher of two native prices that agree', async (t) => {
  const set = baskets([
    { address: token(1), liq: 60_000, symbol: 'ONE' },
    { address: token(2), liq: 30_000, checkedTs: null },
    { address: token(3), liq: 10_000 },
  ])
  const plan = await set.plan({ ...REQUEST, minClipUsd: '11' })
  t.match(plan, {
    usd: '100',
    minClipUsd: '11',
    from: null,
    amountIn: '40000000000000000',
    native: {
      symbol: 'ETH',
      decimals: 18,
      price: 2_500,
      priceTs: NOW - 5_000,
      sources: ['dexscreener', 'defillama'],
    },
    left: [{ token: token(3), reason: 'clip' }],
  })
  t.same(
    plan.clips.map(({ token, usd, amountIn, liqBps, warnings }) => [token, usd, amountIn, liqBps, warnings]),
    [
      [token(1), '66.666667', '26666666800000000', 12, []],
      [token(2), '33.333333', '13333333200000000', 12, ['No source has checked this token for risks.']],
    ],
  )
  t.same(plan.clips[0]!.quote, {
    url: `/api/quote?chain=base&side=buy&token=${token(1)}&amount=0.0266666668&slippageBps=300`,
    path: '/api/quote',
    query: { chain: 'base', side: 'buy', token: token(1), amount: '0.0266666668', slippageBps: 300 },
  })
})

t.test('more than a hundredth of the pools is warned of', async (t) => {
  const set = baskets([{ address: token(1), liq: 10_000 }])
  const warningsOf = async (usd: string) => (await set.plan({ ...REQUEST, usd })).clips[0]!
  t.match(await warningsOf('100'), { liqBps: 100, warnings: { length: 0 } })
  const { liqBps, warnings } = await warningsOf('100.000001')
  t.equal(liqBps, 101)
  t.same(warnings, ["The clip is 101 bps of the token's pools: expect it to move the price."])
})

t.test('a chosen token that gets nothing has a reason', async (t) => {
  const set = baskets([
    { address: token(1) },
    { address: token(2), liq: 500_000 },
    { address: token(3), isListed: false },
    { address: token(4), liq: null },
    { address: WETH },
    { address: USDC.base, liq: 5 },
  ])
  const only = [token(9), token(4), token(3), WETH, USDC.base, token(1), token(2), token(1)].join(',')
  const plan = await set.plan({ ...REQUEST, only, limit: 2, minClipUsd: '0.01' })
  t.same(
    plan.clips.map(({ token }) => token),
    [token(1), token(2)],
  )
  t.same(plan.left, [
    { token: token(9), reason: 'unlisted' },
    { token: token(4), reason: 'unknown' },
    { token: token(3), reason: 'gated' },
    { token: WETH, reason: 'wrapped' },
    { token: USDC.base, reason: 'limit' },
  ])
  const dollars = await set.plan({ ...REQUEST, only: USDC.base })
  t.match(dollars.clips, [{ token: USDC.base, usd: '100' }], 'a stablecoin where it is asked for')
})

t.test('what cannot be planned is refused', async (t) => {
  const set = baskets([{ address: token(1) }])
  const many = Array.from({ length: 21 }, (_, n) => token(n + 1)).join(',')
  const cases: [change: Partial<PlanRequest>, expected: { code: string; fields: { field: string } }][] = [
    [{ usd: '9.99' }, { code: 'invalid_parameter', fields: { field: 'usd' } }],
    [{ usd: '0' }, { code: 'invalid_parameter', fields: { field: 'usd' } }],
    [{ minClipUsd: '0' }, { code: 'invalid_parameter', fields: { field: 'minClipUsd' } }],
    [{ only: 'x' }, { code: 'invalid_parameter', fields: { field: 'only' } }],
    [{ only: `${token(1)},` }, { code: 'invalid_parameter', fields: { field: 'only' } }],
    [{ only: 'native' }, { code: 'invalid_parameter', fields: { field: 'only' } }],
    [{ only: many }, { code: 'invalid_parameter', fields: { field: 'only' } }],
    [{ only: token(2) }, { code: 'no_route', fields: { field: 'only' } }],
    [{ from: 'me' }, { code: 'invalid_parameter', fields: { field: 'from' } }],
    [{ chain: findChain('scroll')! }, { code: 'unsupported_chain', fields: { field: 'chain' } }],
  ]
  for (const [change, expected] of cases) {
    await t.rejects(set.plan({ ...REQUEST, ...change }), expected, JSON.stringify(change).slice(0, 80))
  }
  await t.rejects(baskets([]).plan(REQUEST), { code: 'no_route', fields: { field: 'chain' } })
  await t.rejects(baskets([{ address: token(1) }], null).plan(REQUEST), {
    status: 502,
    code: 'upstream_unavailable',
    message: /^No two sources agree on a recent price of ETH/,
    fields: { retryAfterMs: 10_000 },
  })
  const dear = baskets([{ address: token(1) }], 1e25)
  await t.rejects(dear.plan(REQUEST), { code: 'amount_too_small', fields: { field: 'usd' } })
})

t.test('the clips are the plan, to the last unit, whatever the figures', async () => {
  const cents = (max: number) => fc.integer({ min: 1, max }).map((n) => (n / 100).toFixed(2))
  const liq = fc.double({ min: 10_000, max: 1e12, noNaN: true })
  await fc.assert(
    fc.asyncProperty(
      fc.array(liq, { minLength: 1, maxLength: 25 }),
      fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
      cents(100_000_000),
      cents(10_000),
      fc.integer({ min: 1, max: 20 }),
      async (liqs, price, more, minClipUsd, limit) => {
        const usd = (Number(more) + Number(minClipUsd)).toFixed(2)
        const known = liqs.map((liq, n) => ({ address: token(n + 1), liq }))
        const request = { ...REQUEST, usd, minClipUsd, limit }
        const plan = await baskets(known, price).plan(request)
        const backwards = await baskets([...known].reverse(), price).plan(request)
        const sum = (values: readonly bigint[]) => values.reduce((one, other) => one + other, 0n)
        const dollars = plan.clips.map((clip) => floorUnits(clip.usd, 6)!)
        const spent = (sum(dollars) * 10n ** 48n) / priceUnits(price)
        return (
          sum(dollars) === floorUnits(usd, 6) &&
          dollars.every((one) => one >= floorUnits(minClipUsd, 6)!) &&
          String(sum(plan.clips.map(({ amountIn }) => BigInt(amountIn)))) === plan.amountIn &&
          String(spent) === plan.amountIn &&
          plan.clips.length <= limit &&
          plan.clips.every(
            ({ amountIn, quote: { query } }) => String(parseAmount(query.amount, 18, 'evm')) === amountIn,
          ) &&
          JSON.stringify(backwards) === JSON.stringify(plan)
        )
      },
    ),
  )
})
