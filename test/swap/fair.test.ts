/** The worth of an order by prices that two sources agree on, and the floor below it. */

import t from 'tap'
import { nativeAddress } from '../../src/chains/address.ts'
import { findChain } from '../../src/chains/find.ts'
import { priceUnits } from '../../src/chains/usd.ts'
import { Call } from '../../src/flow/call.ts'
import {
  type AgreedPrice,
  fairBy,
  fairOutOf,
  lossPct,
  offerValue,
  outOfLine,
  type PricedOrder,
  type PriceOf,
  UNPRICED,
  worthBy,
} from '../../src/swap/fair.ts'
import { callOf } from '../fixtures/call.ts'
import { clockOf, nextTurn } from '../fixtures/clock.ts'
import fc from '../fixtures/fast-check.ts'

const BASE = findChain('base')!
const SOLANA = findChain('solana')!
const OPTIONS = callOf(600_000, null, 'quote')
const ETH = { address: nativeAddress(BASE), isNative: true, decimals: 18 }
const USDC = { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', isNative: false, decimals: 6 }
const THIN = { address: '0x940181a94A35A4569E4529A3CDfB74e38FD98631', isNative: false, decimals: 18 }

/** @param liq  dollars */
const agreed = (low: number, high = low, liq: number | null = null): AgreedPrice => ({
  low: priceUnits(low),
  high: priceUnits(high),
  depth: liq === null ? null : BigInt(liq) * 1_000_000n,
  sources: ['dexscreener', 'defillama'],
  priceTs: 0,
})

const buy: PricedOrder = { chainIn: BASE, chainOut: BASE, tokenIn: ETH, tokenOut: USDC, amountIn: 10n ** 18n }

const fairOver = (prices: Record<string, AgreedPrice | null>, floorBps = 1_000) =>
  fairBy(async (_chain, address) => prices[address] ?? null, floorBps)

t.test(
  'the fair output takes the lower price of what goes in, and the higher of what comes out',
  async (t) => {
    const fairOf = fairOver({ [ETH.address]: agreed(2_930, 2_940), [USDC.address]: agreed(1, 1.01) })
    t.match(await fairOf(buy, OPTIONS), {
      out: 2_900_990_099n,
      floor: (2_900_990_099n * 9n) / 10n,
      sources: ['dexscreener', 'defillama'],
    })
    const sell = { ...buy, tokenIn: USDC, tokenOut: ETH, amountIn: 2_940_000_000n }
    t.match(await fairOf(sell, OPTIONS), { out: 10n ** 18n, floor: 9n * 10n ** 17n })
  },
)

t.test('if no two sources know both tokens there is no fair output, and no floor', async (t) => {
  for (const prices of [{}, { [ETH.address]: agreed(2_930) }, { [USDC.address]: agreed(1) }]) {
    t.same(await fairOver(prices)(buy, OPTIONS), UNPRICED)
  }
  t.equal(outOfLine({ expectedOut: 1n }, UNPRICED, 'a'), null)
})

t.test('the sold amount is worth the native coin that its lower price buys at the higher one', async (t) => {
  const known: Record<string, AgreedPrice> = {
    [ETH.address]: agreed(2_500, 2_940),
    [USDC.address]: agreed(0.98, 1),
  }
  const worthOf = worthBy(async (_chain, address) => known[address] ?? null)
  const dollars = { chainIn: BASE, tokenIn: USDC, amountIn: 3_000_000_000n }
  t.equal(await worthOf(dollars, OPTIONS), 10n ** 18n)
  t.equal(await worthOf({ ...dollars, tokenIn: ETH, amountIn: 7n }, OPTIONS), 7n, 'the coin itself')
  t.equal(await worthOf({ ...dollars, tokenIn: THIN }, OPTIONS), null)
  delete known[ETH.address]
  t.equal(await worthOf(dollars, OPTIONS), null, 'a chain whose coin nobody knows')
  const hangs: PriceOf = () => new Promise(() => {})
  const late = Call.of(clockOf({ after: nextTurn }), 'quote', 1)
  t.equal(await worthBy(hangs)(dollars, late), null, 'known in time, or not')
})

t.test('a floor that is switched off leaves the fair output', async (t) => {
  const fairOf = fairOver({ [ETH.address]: agreed(2_930), [USDC.address]: agreed(1) }, 10_000)
  t.match(await fairOf(buy, OPTIONS), { out: 2_930_000_000n, floor: null })
})

t.test(
  'of thin pools the floor expects no more than they give, where two sources tell of them',
  async (t) => {
    const order = { ...buy, tokenOut: THIN }
    const floorAt = async (liq: number | null) => {
      const fairOf = fairOver({ [ETH.address]: agreed(3_000), [THIN.address]: agreed(1, 1, liq) })
      return (await fairOf(order, OPTIONS)).floor! / 10n ** 18n
    }
    t.equal(await floorAt(null), 2_700n)
    // Half of the depth is on the other side: 3,000 dollars into a side of 3,000 give half.
    t.equal(await floorAt(6_000), 1_350n)
    t.equal(await floorAt(1_000_000_000), 2_699n)
    t.equal(await floorAt(0), 0n)
  },
)

t.test('a depth that one source reports is confirmed before it lowers the floor', async (t) => {
  const asked: boolean[] = []
  const fairOf = fairBy(async (_chain, address, _options, isThin) => {
    asked.push(isThin(30_000_000_000n))
    const isAgain = isThin(299_999_999_999n)
    t.notOk(isThin(300_000_000_000n), 'a hundred times the order is deep')
    return address === THIN.address ? agreed(1, 1, isAgain ? 6_000 : null) : agreed(3_000)
  }, 1_000)
  t.equal((await fairOf({ ...buy, tokenOut: THIN }, OPTIONS)).floor! / 10n ** 18n, 1_350n)
  t.same(asked, [false, false, true, true])
})

t.test('between chains three dollars are left for flat fees, and no floor is below zero', async (t) => {
  const sol = { address: '11111111111111111111111111111111', isNative: true, decimals: 9 }
  const fairOf = fairOver({ [ETH.address]: agreed(3_000), [nativeAddress(SOLANA)]: agreed(150) })
  const across = { ...buy, chainOut: SOLANA, tokenOut: sol }
  t.match(await fairOf(across, OPTIONS), { out: 20_000_000_000n, floor: 17_980_000_000n })
  t.match(await fairOf({ ...across, amountIn: 10n ** 15n }, OPTIONS), { out: 20_000_000n, floor: 0n })
})

t.test('an offer is out of line below the floor, and the refusal has both figures', async (t) => {
  const fair = { out: 100n, floor: 90n, sources: ['dexscreener', 'defillama'] }
  t.equal(outOfLine({ expectedOut: 90n }, fair, 'velora'), null)
  t.match(outOfLine({ expectedOut: 89n }, fair, 'velora'), {
    code: 'price_out_of_line',
    status: 502,
    message: /far below what dexscreener and defillama say/,
    fields: { provider: 'velora', expectedOut: '89', fairOut: '100' },
  })
})

t.test('the loss is a share of the fair output', async (t) => {
  const fair = { ...UNPRICED, out: 1_000_000n }
  t.equal(lossPct({ expectedOut: 900_000n }, fair), 10)
  t.equal(lossPct({ expectedOut: 1_000_000n }, fair), 0)
  t.equal(lossPct({ expectedOut: 1_010_000n }, fair), -1)
  t.equal(lossPct({ expectedOut: 999_999n }, fair), 0.0001)
  t.equal(lossPct({ expectedOut: 1n }, UNPRICED), null)
  t.equal(lossPct({ expectedOut: 1n }, { out: 0n }), null)
})

t.test('scaling an amount scales its worth and its floor, whatever decimals and prices are', async (t) => {
  const property = fc.asyncProperty(
    fc.bigInt(10n ** 6n, 10n ** 30n),
    fc.double({ min: 1e-9, max: 1e6, noNaN: true }),
    fc.integer({ min: 0, max: 24 }),
    fc.integer({ min: 1, max: 9_999 }),
    async (amountIn, price, decimals, floorBps) => {
      const tokenOut = { ...THIN, decimals }
      const fairOf = fairOver({ [ETH.address]: agreed(3_000), [THIN.address]: agreed(price) }, floorBps)
      const one = await fairOf({ ...buy, tokenOut, amountIn }, OPTIONS)
      const ten = await fairOf({ ...buy, tokenOut, amountIn: amountIn * 10n }, OPTIONS)
      const isTenfold = ten.out! - one.out! * 10n
      return (
        isTenfold >= 0n &&
        isTenfold < 10n &&
        one.floor! <= one.out! &&
        one.floor! >= (one.out! * BigInt(10_000 - floorBps)) / 10_000n - 1n
      )
    },
  )
  await t.resolves(fc.assert(property))
})

t.test('an exact output is compared by what it takes', async (t) => {
  const fair = { ...UNPRICED, out: 1_000n, floor: 900n, sources: ['a', 'b'] }
  const at = (amountIn: bigint) => ({ expectedOut: 50n, takes: { amountIn, maxIn: amountIn } })
  t.same(
    [at(1_000n), at(2_000n), at(500n)].map((offer) => offerValue(offer, fair)),
    [1_000n, 500n, 2_000n],
  )
  t.equal(outOfLine(at(1_111n), fair, 'uniswap-v2'), null)
  t.match(outOfLine(at(1_112n), fair, 'uniswap-v2'), {
    code: 'price_out_of_line',
    message: /far above/,
    fields: { provider: 'uniswap-v2', amountIn: '1112', fairIn: '1000' },
  })
  t.equal(lossPct(at(1_000n), fair), 0)
  t.equal(lossPct(at(1_250n), fair), 20)
  t.equal(fairOutOf(at(1_250n), fair), 62n, 'what that input is worth')
  t.equal(fairOutOf(at(1_250n), UNPRICED), null)
  const [small, large] = [at(10n), at(11n)]
  t.ok(offerValue(small, UNPRICED) > offerValue(large, UNPRICED), 'also where nobody knows a price')
})
