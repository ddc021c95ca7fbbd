/** Offers held against independent prices, from the setting to the answers. */
import t from 'tap'
import { listen, type TestGateway } from '../fixtures/gateway.ts'
import { EVM_WALLET, getCrossChain, getQuote, query, SWAPS, turn, USDC } from '../fixtures/swaps.ts'

type Json = Readonly<Record<string, unknown>>

const ORDER = { ...SWAPS.base, amount: '0.25' }
const SOURCES = ['dexscreener', 'defillama', 'geckoterminal']

t.test('a quote states its value, and an offer below the floor is no answer', async (t) => {
  const usual = await listen(t)
  const quote = (await (await getQuote(usual.url, ORDER)).json()) as Json
  t.match(quote, { unpriced: false, fairOut: /^\d+$/, route: { stated: { priceImpactPct: Number } } })
  const [fair, out] = [BigInt(quote.fairOut as string), BigInt(quote.expectedOut as string)]
  t.ok(out < fair && out * 100n > fair * 95n, 'the sandbox trades near its market')
  t.equal(quote.priceImpactPct, Number(((fair - out) * 1_000_000n) / fair) / 10_000)

  // What the sandbox's pools take is more than a hundredth of a percent.
  const strict = await listen(t, { PRICE_FLOOR_BPS: '1' })
  for (const path of ['quote', 'v2quote']) {
    const response = await fetch(`${strict.url}/api/${path}?${query(ORDER)}`)
    t.equal(response.status, 502, path)
    const body = (await response.json()) as Json
    t.match(body, { code: 'price_out_of_line', scope: 'provider', provider: String })
    t.ok(BigInt(body.expectedOut as string) < BigInt(body.fairOut as string))
  }
})

t.test('where fewer than two sources know the price a quote is flagged, and not refused', async (t) => {
  const gateway = await listen(t, { PRICE_FLOOR_BPS: '1' })
  for (const source of SOURCES.slice(1)) await turn(gateway, source, '500')
  const response = await getQuote(gateway.url, ORDER)
  t.equal(response.status, 200)
  t.match(await response.json(), { unpriced: true, fairOut: null, priceImpactPct: null })
})

t.test('a hundredth of the value is no answer, whatever one price source says', async (t) => {
  const gateway = await listen(t, { VELORA_URL: 'off', UNISWAP_V2: 'off', UNISWAP_V3: 'off' })
  await turn(gateway, 'kyberswap', 'cheap')
  for (const [at, liar] of [null, ...SOURCES].entries()) {
    if (liar !== null) await turn(gateway, liar, 'lies')
    const response = await getQuote(gateway.url, { ...ORDER, amount: `0.25${at}` })
    t.equal(response.status, 502, `${liar}`)
    t.match(await response.json(), { code: 'price_out_of_line', provider: 'kyberswap' })
    if (liar !== null) await turn(gateway, liar, null)
  }
})

t.test(
  'the gas that a cross-chain quote names is a share of what is sold, where its worth is known',
  async (t) => {
    const namesGas = async ({ url }: TestGateway, amount: string) => {
      const order = { fromChain: 'base', toChain: 'base', fromToken: USDC.base, amount, from: EVM_WALLET }
      const response = await getCrossChain(url, order)
      t.equal(response.status, 200, amount)
      const { transactionRequest } = (await response.json()) as { transactionRequest: Json }
      return 'gasPrice' in transactionRequest
    }
    const gateway = await listen(t)
    t.equal(await namesGas(gateway, '50'), true)
    t.equal(await namesGas(gateway, '0.01'), false)

    const unpriced = await listen(t)
    for (const source of SOURCES) await turn(unpriced, source, '500')
    t.equal(await namesGas(unpriced, '0.01'), true, 'the flat bound alone')
  },
)
