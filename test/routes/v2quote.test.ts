import t, { type Test } from 'tap'
import { REACHED } from '../../src/proof/terms/verification.ts'
import { BuildResult } from '../../src/runtime/resources/build.ts'
import { ErrorBody } from '../../src/runtime/resources/error.ts'
import { Quote } from '../../src/runtime/resources/quote.ts'
import { Comparison } from '../../src/swap/comparison.ts'
import { Check } from '../fixtures/check.ts'
import { listen } from '../fixtures/gateway.ts'
import {
  EVM_WALLET,
  fund,
  getQuote,
  type Json,
  postBuild,
  query,
  SOLANA_WALLET,
  SWAPS,
  turn,
  USDC,
  type Values,
} from '../fixtures/swaps.ts'

const lifted = (t: Test) => listen(t, { LIMITS: 'swap=off' })

const ask = (url: string, values: Values): Promise<Response> => fetch(`${url}/api/v2quote?${query(values)}`)

async function compared(url: string, values: Values): Promise<Comparison> {
  const response = await ask(url, values)
  const body: unknown = await response.json()
  t.equal(response.status, 200, JSON.stringify(body).slice(0, 200))
  t.ok(Check(Comparison, body))
  return body as Comparison
}

const ARBITRUM_USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'
const ORDER = { chain: 'base', side: 'buy', token: USDC.base, amount: '1' } as const

t.test('every quote is complete, ranked, and can be built from unchanged', async (t) => {
  const { url, sandbox } = await lifted(t)
  await fund(sandbox!.solanaRpc)
  const told = {
    base: ['kyberswap', 'velora', 'uniswap-v2', 'uniswap-v3'],
    solana: ['jupiter', 'dflow', 'whirlpool', 'raydium-clmm', 'raydium-cpmm'],
    sui: ['xprov'],
    ton: ['swapcoffee'],
  }
  const families = { base: 'evm', solana: 'solana', sui: 'sui', ton: 'ton' } as const
  for (const [name, order] of Object.entries(SWAPS)) {
    const chain = name as keyof typeof SWAPS
    const { quotes, missing } = await compared(url, order)
    t.same(missing, [])
    t.same([...quotes.map(({ provider }) => provider)].sort(), [...told[chain]].sort(), chain)
    t.same(
      quotes.map(({ rank }) => rank),
      quotes.map((_quote, i) => i + 1),
    )
    const best = quotes[0]!
    t.match(best, { differenceBps: 0, outlier: false })
    for (const quote of quotes) {
      t.match(quote.why, /^[A-Z\d].*\.$/)
      t.ok(Check(Quote, quote))
      const built = await postBuild(url, { ...order, quote })
      const result = (await built.json()) as Json
      t.equal(built.status, 200, `${quote.provider} ${JSON.stringify(result).slice(0, 300)}`)
      t.ok(Check(BuildResult, result))
      t.equal(result.provider, quote.provider)
      t.equal(quote.verification, quote.provider === 'dflow' ? 'simulated' : REACHED[families[chain]])
      t.equal((result.verification as Json).level, quote.verification, chain)
      const { fees = [] } = result.verification as { fees?: readonly object[] }
      t.same(fees, quote.route.fees, `${quote.provider}: what was quoted`)
      t.equal(quote.route.fees.length, quote.provider === 'velora' ? 1 : 0, quote.provider)
    }
  }
})

/** A quote lists the others by preference, a comparison by rank. */
function byName(quote: object): object {
  const { route } = quote as { route: { alternatives: readonly { provider: string }[] } }
  const alternatives = [...route.alternatives].sort((a, b) => (a.provider < b.provider ? -1 : 1))
  return { ...quote, route: { ...route, alternatives } }
}

t.test('it shares the calls of /api/quote, whichever comes first', async (t) => {
  const { url } = await lifted(t)
  const plain = (quotes: Comparison['quotes']): object => {
    const { rank, differenceBps, behindBps, outlier, verification, why, ...quote } = quotes[0]!
    t.equal(behindBps, 0)
    t.same([rank, differenceBps, outlier, verification], [1, 0, false, 'proved'])
    t.ok(why)
    return byName(quote)
  }
  const first = byName((await (await getQuote(url, ORDER)).json()) as object)
  // The raw answer has an id and a time of the provider's, which another call would not have.
  t.same(plain((await compared(url, ORDER)).quotes), first)
  const other = { ...ORDER, amount: '2' }
  const { quotes } = await compared(url, other)
  t.same(byName((await (await getQuote(url, other)).json()) as object), plain(quotes))
})

t.test('a provider that fails, or answers too late, is listed with the code', async (t) => {
  const gateway = await listen(t, { LIMITS: 'swap=off' }, { deadlines: { softMs: 30 } })
  const { url } = gateway
  await compared(url, { ...ORDER, amount: '0.5' })
  await turn(gateway, 'velora', '500')
  await turn(gateway, 'kyberswap', 'latency', 1_500)
  const soon = (await (await getQuote(url, ORDER)).json()) as Json
  t.match(soon.provider, /^uniswap-v[23]$/)
  t.match(soon.route.alternatives[0], { provider: 'kyberswap', outcome: 'late' })
  const { quotes, missing } = await compared(url, ORDER)
  t.same([...quotes.map(({ provider }) => provider)].sort(), ['kyberswap', 'uniswap-v2', 'uniswap-v3'])
  t.match(missing, [{ provider: 'velora', outcome: 'failed', code: 'upstream_failed', why: /\.$/ }])
})

t.test('a hanging provider is late, and the others are compared', async (t) => {
  const gateway = await listen(t, {}, { deadlines: { hardMs: 2_000 } })
  await turn(gateway, 'kyberswap', 'hang')
  const hung = await compared(gateway.url, ORDER)
  t.match(hung.missing, [{ provider: 'kyberswap', outcome: 'late', code: 'upstream_timeout' }])
  t.equal(hung.quotes.length, 3)
})

t.test('without an offer it is the error of /api/quote', async (t) => {
  const gateway = await listen(t, { LIMITS: 'swap=off', SOLANA_POOLS: 'off' })
  for (const provider of ['jupiter', 'dflow']) await turn(gateway, provider, '500')
  const order = { ...ORDER, chain: 'solana', token: USDC.solana }
  const [one, other] = [await ask(gateway.url, order), await getQuote(gateway.url, order)]
  t.same([one.status, await one.json()], [other.status, await other.json()])
  t.equal(one.status, 502)
})

t.test(
  'a faulty request is refused by name, and spends nothing; a valid one spends what a quote does',
  async (t) => {
    const { url } = await listen(t, { LIMITS: 'swap=3/3' })
    const wrong: [change: string, field: string][] = [
      ['chain=nowhere', 'chain'],
      ['chain=', 'chain'],
      ['side=hold', 'side'],
      ['side=', 'side'],
      ['token=native', 'token'],
      ['token=', 'token'],
      ['amount=-1', 'amount'],
      ['amount=', 'amount'],
      ['slippageBps=0', 'slippageBps'],
      ['slippageBps=x', 'slippageBps'],
      [`from=${SOLANA_WALLET}`, 'from'],
      ['from=', 'from'],
    ]
    const refused = async (search: string, field: string): Promise<void> => {
      const response = await fetch(`${url}/api/v2quote?${search}`)
      const body = (await response.json()) as Json
      t.equal(response.status, 400, search)
      t.equal(body.field, field, search)
      t.ok(Check(ErrorBody, body))
    }
    for (const [change, field] of wrong) {
      const values = new URLSearchParams(query(ORDER))
      const [name, value] = change.split('=') as [string, string]
      values.set(name, value)
      await refused(String(values), field)
    }
    for (const name of ['chain', 'side', 'token', 'amount']) {
      const { [name as keyof typeof ORDER]: value, ...rest } = ORDER
      await refused(query(rest), name)
      await refused(`${query(ORDER)}&${name}=${value}`, name)
    }
    await refused(`${query({ ...ORDER, slippageBps: 1 })}&slippageBps=1`, 'slippageBps')
    await refused(`${query({ ...ORDER, from: EVM_WALLET })}&from=${EVM_WALLET}`, 'from')

    t.equal((await ask(url, ORDER)).headers.get('ratelimit')?.split(';')[1], 'r=2')
    t.equal((await getQuote(url, ORDER)).headers.get('ratelimit')?.split(';')[1], 'r=1')
    t.equal((await ask(url, ORDER)).headers.get('ratelimit')?.split(';')[1], 'r=0')
    const { status, headers } = await ask(url, ORDER)
    t.equal(status, 429)
    t.ok(headers.has('retry-after'))
  },
)

t.test(
  'offers are ranked by what is left after gas, and by the gross amount where no node tells its price',
  async (t) => {
    const gateway = await listen(t, { LIMITS: 'swap=off' })
    const counted = await compared(gateway.url, ORDER)
    t.ok(counted.quotes.length > 1)
    const net = counted.quotes.map(({ netOut }) => BigInt(netOut!))
    t.same(
      net,
      net.toSorted((a, b) => (a > b ? -1 : a < b ? 1 : 0)),
    )
    for (const { rankedBy, gasUsd, netOutUsd, netOut, expectedOut, behindBps, why } of counted.quotes) {
      t.equal(rankedBy, 'net')
      t.ok(gasUsd! > 0 && netOutUsd! > 0 && behindBps >= 0)
      t.ok(BigInt(netOut!) < BigInt(expectedOut!))
      t.match(why, /after gas/)
    }
    await turn(gateway, 'evm', '500')
    const { quotes } = await compared(gateway.url, { ...ORDER, chain: 'arbitrum', token: ARBITRUM_USDC })
    t.ok(quotes.length > 0)
    for (const quote of quotes)
      t.match(quote, { rankedBy: 'gross', gasUsd: null, netOut: null, netOutUsd: null })
  },
)
