import t, { type Test } from 'tap'
import { CHAINS } from '../../../src/chains/chains.ts'
import { MAJORS } from '../../../src/chains/majors.ts'
import { defillama } from '../../../src/providers/market/defillama.ts'
import { defillama as sandboxDefillama } from '../../../src/sandbox/market/defillama.ts'
import { clockOf } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'
import { allOf, answering, mutationsOf, unfit } from '../../fixtures/mutations.ts'
import { failureOf, NOW, OPTIONS, on, startProvider } from '../../fixtures/provider.ts'

const USDC = { chain: 'ethereum', address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' }
const KEY = `ethereum:${USDC.address}`
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const SECONDS = NOW / 1_000

async function sandbox(t: Test) {
  const provider = await startProvider(t, sandboxDefillama)
  return {
    ...provider,
    adapter: defillama({ upstream: provider.upstream, clock: clockOf({ date: () => NOW }) }),
  }
}

const told = (coin: unknown) =>
  defillama({
    upstream: answering(JSON.stringify({ coins: { [KEY]: coin } })),
    clock: clockOf({ date: () => NOW }),
  }).prices!.ask(on('ethereum', [USDC.address]), OPTIONS)

const good = { decimals: 6, symbol: 'USDC', price: 0.9998, timestamp: SECONDS - 40, confidence: 0.99 }

t.test('prices the majors of every chain, each under its own name of the chain', async (t) => {
  const { adapter, requests, market } = await sandbox(t)
  t.same(
    [...adapter.chains],
    CHAINS.map(({ key }) => key),
  )
  t.equal(adapter.prices!.maxTokens, 50)
  for (const { key } of CHAINS) {
    const addresses = MAJORS.get(key)!.map(({ address }) => address)
    const prices = await adapter.prices!.ask(on(key, addresses), OPTIONS)
    const traded = addresses.filter((address) => {
      const token = market.find(key, address)!
      return market
        .at(NOW)
        .pools(token)
        .some(({ liquidityUsd }) => Number(liquidityUsd) >= 1_000_000)
    })
    t.same(
      prices,
      traded.map((address) => ({
        chain: key,
        address,
        price: Number(market.at(NOW).usd(market.find(key, address)!)),
        priceTs: NOW - 40_000,
        liq: null,
      })),
      key,
    )
  }
  const slugs = requests.map(({ path }) => /current\/([^:]+):/.exec(path)?.[1])
  t.same(slugs.sort(), [
    ...['arbitrum', 'avax', 'base', 'berachain', 'bsc', 'coingecko', 'coingecko', 'ethereum', 'hyperliquid'],
    ...['linea', 'mantle', 'monad', 'optimism', 'plasma', 'polygon', 'scroll', 'solana', 'sonic', 'unichain'],
    'xdai',
  ])
})

t.test('a native coin is priced as its wrapper, which is asked for once', async (t) => {
  const { adapter, requests } = await sandbox(t)
  const wrapper = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'
  const prices = await adapter.prices!.ask(on('ethereum', [NATIVE, wrapper]), OPTIONS)
  t.equal(requests[0]!.path, `/prices/current/ethereum:${wrapper}`)
  t.same(
    prices.map(({ address }) => address),
    [NATIVE, wrapper],
  )
  t.equal(prices[0]!.price, prices[1]!.price)
  const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`
  await adapter.prices!.ask(on('sui', [sui]), OPTIONS)
  t.equal(requests[1]!.path, '/prices/current/coingecko:sui')
})

t.test('coins that it does not know, or is not confident of, are absent', async (t) => {
  const { adapter, market } = await sandbox(t)
  const find = (symbol: string) => market.tokens('base').find((token) => token.symbol === symbol)!.address
  const unknown = '0x1111111111111111111111111111111111111111'
  const asked = [unknown, find('SPAM'), find('GHOST'), find('DEGEN'), find('USDC')]
  const prices = await adapter.prices!.ask(on('base', asked), OPTIONS)
  t.same(
    prices.map(({ address }) => address),
    [find('USDC')],
  )
})

t.test('a price counts where it is confident, of the last hours and above zero', async (t) => {
  const hour = 3_600
  const cases: [changes: object, priceTs: number | null][] = [
    [{}, NOW - 40_000],
    [{ confidence: 0.9 }, NOW - 40_000],
    [{ confidence: 0.89 }, null],
    [{ confidence: 1.1 }, null],
    [{ confidence: undefined }, null],
    [{ confidence: null }, null],
    [{ timestamp: SECONDS - 11_499 }, NOW - 11_499_000],
    [{ timestamp: SECONDS - 4 * hour }, NOW - 4 * hour * 1_000],
    [{ timestamp: SECONDS - 4 * hour - 1 }, null],
    [{ timestamp: SECONDS + 30 }, NOW],
    [{ timestamp: SECONDS + hour + 1 }, null],
    [{ timestamp: NOW }, null],
    [{ timestamp: undefined }, null],
    [{ price: 0 }, null],
    [{ price: -1 }, null],
    [{ price: null }, null],
    // The chains tell these.
    [{ decimals: 99, symbol: null }, NOW - 40_000],
    [{ decimals: undefined }, NOW - 40_000],
  ]
  for (const [changes, priceTs] of cases) {
    const expected = priceTs === null ? [] : [{ ...USDC, price: 0.9998, priceTs, liq: null }]
    t.same(await told({ ...good, ...changes }), expected, JSON.stringify(changes))
  }
})

t.test('whatever it says of a coin, a price is above zero and not from the future', async () => {
  const member = fc.oneof(fc.double(), fc.constant(SECONDS), fc.constant(0.99), fc.jsonValue())
  const coin = fc.record({ price: member, timestamp: member, confidence: member }, { requiredKeys: [] })
  await fc.assert(
    fc.asyncProperty(fc.oneof(coin, fc.jsonValue()), async (said) => {
      const prices = await told(said)
      return prices.every(({ price, priceTs }) => price > 0 && Number.isFinite(price) && priceTs <= NOW)
    }),
    { numRuns: 500 },
  )
})

t.test('an answer without coins is refused', async (t) => {
  const { adapter, dials } = await sandbox(t)
  for (const [text, status] of [
    ['{}', 200],
    ['{"coins":[]}', 200],
    ['{"coins":null}', 200],
    ['[]', 200],
    ['{"coins":{}}', 400],
  ] as const) {
    const asked = defillama({ upstream: answering(text, status) }).prices!.ask(
      on('ethereum', [USDC.address]),
      OPTIONS,
    )
    t.match(await failureOf(asked), { code: 'upstream_unusable' }, text)
  }
  dials.set('defillama', '429')
  const limited = await failureOf(adapter.prices!.ask(on('ethereum', [USDC.address]), OPTIONS))
  t.match(limited, { code: 'upstream_rate_limited', scope: 'provider' })
})

t.test('hostile values of a member do no harm, and are not passed on', async (t) => {
  const problems: string[] = []
  for (const [name, text] of mutationsOf({ coins: { [KEY]: good } })) {
    const all = await allOf(
      defillama({ upstream: answering(text), clock: clockOf({ date: () => NOW }) }),
      USDC,
    )
    problems.push(...unfit(all).map((problem) => `${name}: ${problem}`))
  }
  t.same(problems, [])
})

t.test('the coins of all chains are asked for at once', async (t) => {
  const { adapter, requests } = await sandbox(t)
  const majors = ['ethereum', 'base', 'solana', 'sui'].flatMap((chain) =>
    MAJORS.get(chain)!.map(({ address }) => ({ chain, address })),
  )
  const prices = await adapter.prices!.ask(majors, OPTIONS)
  t.equal(requests.length, 1)
  t.same([...new Set(prices.map(({ chain }) => chain))], ['ethereum', 'base', 'solana', 'sui'])
  const usdc = prices.filter(({ address }) => address === USDC.address)
  t.same(
    usdc.map(({ chain }) => chain),
    ['ethereum'],
    'each price is of the chain that it was asked for',
  )
})
