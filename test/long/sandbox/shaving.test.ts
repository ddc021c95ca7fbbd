/**
 * Providers that shave, next to one that doesn't: the whole service, a lifelike sandbox, and swaps that wallets sign, send
 * and ask the receipts of. test/http/counts/truth.test.ts has how many swaps it takes, over 1,000 seeds.
 */
import t, { type Test } from 'tap'
import { listen } from '../../fixtures/gateway.ts'
import { idleClock } from '../../fixtures/idle-clock.ts'
import { postBuild, query, USDC } from '../../fixtures/swaps.ts'
import { evmProvider } from '../../fixtures/wallets.ts'

const CLIENTS = 30
const BLOCKS_MS = 4_000
const HOUR_MS = 3_600_000
/** Of the coin, worth less and more than 1,000 dollars. */
const [SMALL, MEDIUM] = ['0.1', '0.35']

// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes
type Body = any

const BOTH: readonly string[] = ['kyberswap', 'velora']

/** @param dial  of KyberSwap; Velora is honest @param names  whose offers the wallets take */
async function world(t: Test, dial: Readonly<Record<string, number>>, names = BOTH) {
  const clock = idleClock()
  const others = { UNISWAP_V2: 'off', UNISWAP_V3: 'off', XPROV_URL: 'off' }
  const environment = { SANDBOX_PROVIDERS: 'lifelike', LIMITS: 'swap=off', ...others }
  const { url, sandbox } = await clock.meanwhile(listen(t, environment, { clock }))
  const json = async (answer: Promise<Response>): Promise<Body> =>
    clock.meanwhile(answer.then((response) => response.json()))
  await json(
    fetch(`${sandbox!.control}/faults/kyberswap`, {
      method: 'PUT',
      body: JSON.stringify({ fault: 'shave', ...dial }),
    }),
  )
  const get = (path: string, headers: Record<string, string> = {}): Promise<Body> =>
    json(fetch(url + path, { headers }))
  /** A swap by each of them. */
  const swap = async (amount: string, client: string): Promise<void> => {
    const headers = { 'x-forwarded-for': client }
    const { address: from, request } = evmProvider(`${sandbox!.evmRpc}/base`)
    const order = { chain: 'base', side: 'buy', token: USDC.base, amount, from }
    const { quotes = [] } = await get(`/api/v2quote?${query(order)}`, headers)
    const sent: (readonly [name: string, hash: unknown])[] = []
    // Lifelike providers fail now and then, and once in 500 times offer what nobody can give.
    for (const quote of quotes.filter(
      ({ provider, outlier }: Body) => names.includes(provider) && !outlier,
    )) {
      const { to, data, value } = await json(postBuild(url, { ...order, quote }, headers))
      const send = request('eth_sendTransaction', [{ to, data, value }])
      sent.push([quote.provider, await clock.meanwhile(send)])
    }
    clock.move(BLOCKS_MS)
    for (const [name, hash] of sent)
      t.match(await get(`/api/receipt?chain=base&hash=${hash}`, headers), { swap: { provider: name } })
  }
  /** So many swaps by each, of each amount in turn. */
  const swaps = async (count: number, ...amounts: readonly string[]): Promise<void> => {
    for (let i = 0; i < count; i++) await swap(amounts[i % amounts.length]!, `198.51.100.${i % CLIENTS}`)
  }
  /** What the bake-off says of both. */
  const delivered = async (): Promise<Body> => {
    clock.move(1_000)
    const { chains } = await get('/api/bake-off?range=7d')
    const of = (name: string) => chains[0].providers.find(({ provider }: Body) => provider === name).delivered
    return { kyberswap: of('kyberswap'), velora: of('velora') }
  }
  return { clock, get, swaps, delivered }
}

t.test('one that keeps 5 bps of each swap', async (t) => {
  const { get, swaps, delivered } = await world(t, { bps: 5 })
  await swaps(50, SMALL)
  const { kyberswap, velora } = await delivered()
  t.ok(kyberswap.lossBps > 0 && kyberswap.lossBps < 10, JSON.stringify(kyberswap))
  t.equal(velora.lossBps, 0)
  const order = { chain: 'base', side: 'buy', token: USDC.base, amount: SMALL }
  const quote = await get(`/api/quote?${query(order)}`)
  const offers: Body[] = [quote, ...quote.route.alternatives]
  const [shaving, honest] = ['kyberswap', 'velora'].map((name) => offers.find((one) => one.provider === name))
  t.equal(shaving.deliveryLossBps, kyberswap.lossBps, 'its offers are ranked with it')
  t.notOk('deliveryLossBps' in honest)
})

t.test('one that keeps 20 bps on Sundays', async (t) => {
  const { clock, swaps, delivered } = await world(t, { bps: 20, weekday: 0 })
  const now = new Date(clock.date())
  // To the morning of the next Saturday.
  clock.move((((6 - now.getUTCDay() + 7) % 7 || 7) * 24 - now.getUTCHours()) * HOUR_MS)
  await swaps(18, SMALL)
  t.match(await delivered(), { kyberswap: { lossBps: 0 }, velora: { lossBps: 0 } })
  clock.move(24 * HOUR_MS)
  await swaps(18, SMALL)
  const { kyberswap, velora } = await delivered()
  t.ok(kyberswap.lossBps > 10 && kyberswap.lossBps < 30, JSON.stringify(kyberswap))
  t.equal(velora.lossBps, 0)
})

t.test('one that keeps 50 bps of the larger swaps', async (t) => {
  // A new wallet has enough for one of them.
  const { swaps, delivered } = await world(t, { bps: 50, fromUsd: 1_000 }, ['kyberswap'])
  await swaps(36, SMALL, MEDIUM)
  const { kyberswap } = await delivered()
  const lossOf = (size: string): number => kyberswap.sizes.find((one: Body) => one.size === size).lossBps
  t.equal(lossOf('small'), 0)
  t.ok(lossOf('medium') > 40 && lossOf('medium') < 60, JSON.stringify(kyberswap))
})
