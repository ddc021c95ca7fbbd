import t from 'tap'
import { Dials } from '../../../src/sandbox/dials.ts'
import { delayOf, isFailing } from '../../../src/sandbox/market/manners.ts'
import { Market } from '../../../src/sandbox/market/market.ts'
import { answering } from '../../../src/sandbox/provider-server.ts'
import { kyberswap } from '../../../src/sandbox/swap/kyberswap.ts'
import { NOW } from '../../fixtures/provider.ts'

const market = new Market()
const token = (symbol: string) => market.tokens('base').find((one) => one.symbol === symbol)!
const [ETH, USDC, AERO] = [token('ETH'), token('USDC'), token('AERO')]
const ORDERS = Array.from({ length: 3_000 }, (_, i) => ({
  tokenIn: i % 2 === 0 ? ETH : AERO,
  amountIn: 10n ** 19n + BigInt(i) * 10n ** 14n,
}))
const offersOf = (name: string, now = NOW) => {
  const prices = market.offeredBy(name).at(now)
  return ORDERS.map(({ tokenIn, amountIn }) => prices.swap(tokenIn, USDC, amountIn)!)
}

t.test(
  'each provider offers a little less than the fair price, and another one leads on a third of orders',
  async (t) => {
    const fair = ORDERS.map(({ tokenIn, amountIn }) => {
      const { amountOut, hops } = market.at(NOW).swap(tokenIn, USDC, amountIn)!
      return (Number(amountOut) * 1_000 ** hops.length) / 997 ** hops.length
    })
    const ranges = { kyberswap: [-7, -1], velora: [-10, -2], xprov: [-14, -4] } as const
    const bps = Object.entries(ranges).map(([name, [least, most]]) => {
      const offers = offersOf(name).map(({ amountOut }, i) => (Number(amountOut) / fair[i]! - 1) * 10_000)
      const usual = offers.filter((one) => one < 1_000)
      t.ok(
        usual.every((one) => one > least - 0.2 && one < most + 0.2),
        name,
      )
      const incredible = offers.length - usual.length
      t.ok(incredible > 0 && incredible < 20, `${name}: one in five hundred is incredible`)
      return offers
    })
    const led =
      ORDERS.filter((_, i) => bps[0]![i]! < Math.max(bps[1]![i]!, bps[2]![i]!)).length / ORDERS.length
    t.ok(led > 0.2 && led < 0.45, `another than KyberSwap leads on ${led}`)
  },
)

t.test('the order and the minute decide an offer, and its parts add up', async (t) => {
  const one = offersOf('velora')
  t.same(offersOf('velora', NOW + 2_999), one)
  for (const fill of one.slice(0, 20)) {
    t.equal(fill.hops.at(-1)!.amountOut, fill.amountOut)
    t.ok(Math.abs(Number(fill.amountOutUsd) / (Number(fill.amountOut) / 1e6) - 1) < 0.002)
  }
  const wrapped = market.offeredBy('velora').at(NOW).swap(ETH, token('WETH'), 5n)!
  t.equal(wrapped.amountOut, 5n, 'wrapping is free')
  t.equal(
    market
      .offeredBy('stonfi')
      .at(NOW)
      .swap(ETH, USDC, 10n ** 18n)!.amountOut,
    market.at(NOW).swap(ETH, USDC, 10n ** 18n)!.amountOut,
  )
  const cheap = market.offeredBy('velora').cheaper(100).at(NOW).swap(ETH, USDC, ORDERS[0]!.amountIn)!
  t.equal(cheap.amountOut, one[0]!.amountOut / 100n)
})

t.test('delays and failures are as often as they are said to be', async (t) => {
  const delays = Array.from({ length: 2_000 }, (_, i) => delayOf('velora', `${i}`, NOW)).toSorted(
    (a, b) => a - b,
  )
  t.ok(Math.abs(delays[1_000]! / 340 - 1) < 0.1, `median ${delays[1_000]}`)
  t.ok(Math.abs(delays[1_900]! / 1_100 - 1) < 0.2, `p95 ${delays[1_900]}`)
  t.ok(delays.at(-1)! < 3_000)
  t.equal(delayOf('dexscreener', 'x', NOW), 0)
  const failing = (name: string) => delays.filter((_, i) => isFailing(name, `${i}`, NOW)).length
  t.ok(failing('xprov') > 10 && failing('xprov') < 60)
  t.equal(failing('jupiter'), 0)
})

t.test('a lifelike server waits and fails by them, unless a dial says otherwise', async (t) => {
  const waits: number[] = []
  const dials = new Dials()
  const server = kyberswap({ market: market.offeredBy('kyberswap') })
  const pause = async (ms: number) => void waits.push(ms)
  const answer = answering(server, dials, () => NOW, pause, true)
  const statuses: number[] = []
  for (let i = 0; i < 400; i++) {
    const query = new URLSearchParams({
      tokenIn: ETH.address,
      tokenOut: USDC.address,
      amountIn: `${10 ** 12 + i}`,
    })
    const request = {
      method: 'GET',
      path: '/base/api/v1/routes',
      query,
      headers: {},
      text: '',
      body: undefined,
    }
    const reply = await answer(request)
    statuses.push(reply !== null && typeof reply === 'object' ? reply.status : 0)
  }
  t.same([...new Set(statuses)].sort(), [200, 500])
  t.ok(statuses.filter((status) => status === 500).length < 12)
  t.equal(waits.length, 400)
  dials.set('kyberswap', '429')
  await answer({
    method: 'GET',
    path: '/',
    query: new URLSearchParams(),
    headers: {},
    text: '',
    body: undefined,
  })
  t.equal(waits.length, 400)
})
