import t, { type Test } from 'tap'
import { EVM_CHAINS } from '../../../../src/chains/find.ts'
import { PROVIDER_NAMES } from '../../../../src/config/providers.ts'
import { ANSWER_MS } from '../../../../src/gateway/redis/store.ts'
import type { GatewayOptions } from '../../../../src/gateway.ts'
import type { Clock } from '../../../../src/runtime/clock.ts'
import { type Sandbox, startSandbox } from '../../../../src/sandbox/index.ts'
import { runningClock, STILL } from '../../../fixtures/clock.ts'
import { listen, type TestGateway } from '../../../fixtures/gateway.ts'
import { type RedisServer, skipWithoutRedis, startRedis, until } from '../../../fixtures/redis.ts'

const skip = skipWithoutRedis()
const QUOTE_SECRET = 's'.repeat(32)
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const WALLET = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const QUOTE = `/api/quote?chain=base&side=buy&token=${USDC}&amount=`
const PORTFOLIO = `/api/portfolio?address=${WALLET}&chains=`

interface World {
  readonly redis: RedisServer
  readonly sandbox: Sandbox
  /** The time of all gateways, which goes on as that of Redis does. */
  readonly clock: Clock
  /** What everybody outside was asked so far, by its name, or `all`. */
  asked(...names: string[]): number
}

/** One world outside, which counts what it is asked. */
async function startWorld(t: Test): Promise<World> {
  const counts = new Map<string, number>()
  const sandbox = await startSandbox({
    now: STILL.date,
    onRequest(name) {
      for (const counted of [name, 'all']) counts.set(counted, (counts.get(counted) ?? 0) + 1)
    },
  })
  t.teardown(() => sandbox.close())
  return {
    redis: await startRedis(t),
    sandbox,
    clock: runningClock(),
    asked: (...names) => names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0),
  }
}

/** Waits until nobody outside has been asked anything for a while. */
async function settled({ asked }: World): Promise<void> {
  let [last, looks] = [-1, 0]
  await until(() => {
    looks = asked('all') === last ? looks + 1 : 0
    last = asked('all')
    return looks === 40
  })
}

/** Gateways that share that world, and one Redis, which they have reached. */
async function startGateways(
  t: Test,
  { redis, sandbox, clock }: World,
  count: number,
  environment: Record<string, string> = {},
  options: GatewayOptions = {},
): Promise<TestGateway[]> {
  const providers = PROVIDER_NAMES.map((name) => [`${name.toUpperCase()}_URL`, sandbox.urls[name] ?? 'off'])
  const nodes = EVM_CHAINS.map(({ key }) => [`RPC_URLS_${key.toUpperCase()}`, sandbox.evmUrl(key)])
  const all = {
    MODE: 'live',
    LOG_LEVEL: 'warn',
    SOLANA_RPC_URLS: sandbox.solanaUrl,
    RPC_URLS_TON: sandbox.tonUrls.join(),
    RPC_URLS_SUI: sandbox.suiUrl,
    ...Object.fromEntries([...providers, ...nodes]),
    LIMITS: 'swap=off,portfolio=12/300',
    ADMIN_PORT: '0',
    REDIS_URL: redis.url,
    QUOTE_SECRET,
    ...environment,
  }
  const starting = Array.from({ length: count }, () =>
    // Redis has a clock of its own: no window ends during a test.
    listen(t, all, { clock, windowMs: 1e10, ...options }),
  )
  const gateways = await Promise.all(starting)
  for (const gateway of gateways) {
    await until(async () => (await get(gateway, '/api/health')).body.redis === 'ok')
  }
  return gateways
}

const get = async (gateway: TestGateway, path: string) => {
  const response = await fetch(`${gateway.url}${path}`)
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
}

/** A figure of all of the gateways together. */
async function metric(gateways: readonly TestGateway[], line: string): Promise<number> {
  const texts = await Promise.all(
    gateways.map(async ({ adminUrl }) => (await fetch(`${adminUrl}/metrics`)).text()),
  )
  return texts
    .flatMap((text) => text.split('\n').filter((one) => one.startsWith(line)))
    .reduce((sum, one) => sum + Number(one.slice(one.lastIndexOf(' ') + 1)), 0)
}

t.test('a quote that four instances are asked for at once is one race', { skip }, async (t) => {
  const world = await startWorld(t)
  const gateways = await startGateways(t, world, 4)
  const swaps = ['kyberswap', 'velora'] as const
  await get(gateways[0]!, `${QUOTE}1`)
  const perRace = world.asked(...swaps)
  t.ok(perRace >= 2)
  await until(async () => (await metric(gateways, 'swapgate_answers_total{of="quote",source="asked"}')) === 1)
  const replies = await Promise.all(gateways.map((gateway) => get(gateway, `${QUOTE}2`)))
  t.equal(world.asked(...swaps), 2 * perRace)
  t.same(
    replies.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  const [first, ...others] = replies.map(({ body }) => body)
  for (const { route, ...quote } of others) {
    const { seal: _, asOf: _asOf, ...shown } = route
    const { seal: __, asOf: _asOfFirst, ...shownFirst } = first.route
    t.same({ ...quote, route: shown }, { ...first, route: shownFirst })
  }
  t.equal(await metric(gateways, 'swapgate_answers_total{of="quote",source="shared"}'), 3)
  t.equal(await metric(gateways, 'swapgate_answers_total{of="quote",source="asked"}'), 2)
  const built = await fetch(`${gateways[1]!.url}/api/build`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      chain: 'base',
      side: 'buy',
      token: USDC,
      amount: '2',
      from: WALLET,
      quote: replies[2]!.body,
    }),
  })
  t.equal(built.status, 200, 'one instance builds from what another has shared')
  t.equal(world.asked(...swaps), 2 * perRace + 1, 'and asks but for the build')
  const [quoted, compared] = await Promise.all([
    get(gateways[2]!, `${QUOTE}3`),
    get(gateways[3]!, `${QUOTE}3`.replace('quote', 'v2quote')),
  ])
  t.equal(compared.body.quotes[0].expectedOut, quoted.body.expectedOut)
  t.equal(world.asked(...swaps), 3 * perRace + 1, 'nor does a comparison ask again')
})

t.test('a comparison asks for what the others had not answered yet', { skip }, async (t) => {
  const world = await startWorld(t)
  const deadlines = { softMs: 1_000, hardMs: 3_000 }
  const gateways = await startGateways(t, world, 2, {}, { deadlines })
  await get(gateways[0]!, `${QUOTE}1`)
  world.sandbox.dials.set('velora', 'hang')
  const { body } = await get(gateways[0]!, `${QUOTE}3`)
  t.match(body.route.alternatives, [{ provider: 'velora', outcome: 'late' }])
  const quote = await get(gateways[1]!, `${QUOTE}3`)
  t.match(quote.body.route.alternatives, [{ provider: 'velora', outcome: 'late' }], 'who does not, takes it')
  world.sandbox.dials.set('velora', null)
  const compared = await get(gateways[1]!, `${QUOTE}3`.replace('quote', 'v2quote'))
  t.equal(compared.body.quotes.length + compared.body.missing.length, body.route.alternatives.length + 1)
})

t.test(
  'a portfolio that four instances are asked for is read once, and paid for once',
  { skip },
  async (t) => {
    const world = await startWorld(t)
    const gateways = await startGateways(t, world, 4)
    await Promise.all(gateways.map((gateway) => get(gateway, '/api/tokens')))
    await settled(world)
    const before = world.asked('evm')
    await get(gateways[0]!, `${PORTFOLIO}base`)
    const perRead = world.asked('evm') - before
    t.ok(perRead > 0)
    const replies = await Promise.all(gateways.map((gateway) => get(gateway, `${PORTFOLIO}arbitrum`)))
    const [asked, paid] = [world.asked('evm') - before - perRead, replies]
    t.ok(asked <= perRead + 1, `${asked} calls for one reading, ${perRead} for another`)
    t.same(
      paid.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    const amounts = replies.map(({ body }) =>
      body.chains[0].holdings.map(({ amount }: { amount: string }) => amount),
    )
    for (const other of amounts) t.same(other, amounts[0])
    // Two were read of the twelve that there are, by whichever instance.
    const { headers } = await get(gateways[3]!, `${PORTFOLIO}base`)
    t.match(headers.get('ratelimit'), /"portfolio-client";r=10;/)
    t.equal(await metric(gateways, 'swapgate_answers_total{of="portfolio",source="asked"}'), 2)
    t.equal(await metric(gateways, 'swapgate_answers_total{of="portfolio",source="shared"}'), 4)
    t.equal((await get(gateways[2]!, `${PORTFOLIO}arbitrum&dust=5`)).status, 200)
    t.equal(
      await metric(gateways, 'swapgate_answers_total{of="portfolio",source="asked"}'),
      2,
      'whatever its dust',
    )
  },
)

t.test('a client without budget gets what others have read, and nothing else', { skip }, async (t) => {
  const world = await startWorld(t)
  const gateways = await startGateways(t, world, 2, { LIMITS: 'portfolio=1/300' })
  t.equal((await get(gateways[0]!, `${PORTFOLIO}base`)).status, 200)
  t.equal((await get(gateways[1]!, `${PORTFOLIO}base`)).status, 200)
  const refused = await get(gateways[1]!, `${PORTFOLIO}arbitrum`)
  t.equal(refused.status, 429)
  t.match(refused.body, { code: 'budget_exhausted', budget: 'portfolio-client' })
  const stranger = await fetch(`${gateways[0]!.url}${PORTFOLIO}arbitrum`, {
    headers: { 'x-forwarded-for': '203.0.113.7' },
  })
  t.equal(stranger.status, 200, "and his refusal is nobody else's")
})

t.test(
  'the calls for the token list are those of one instance, however many there are',
  { skip },
  async (t) => {
    const markets = ['dexscreener', 'geckoterminal', 'defillama', 'goplus', 'rugcheck'] as const
    const read = async (gateways: readonly TestGateway[]) => {
      const lists = await Promise.all(gateways.map((gateway) => get(gateway, '/api/tokens')))
      return lists.map(({ body }) => body)
    }
    const alone = await startWorld(t)
    await read(await startGateways(t, alone, 1))
    const world = await startWorld(t)
    const gateways = await startGateways(t, world, 4)
    const lists = await read(gateways)
    await settled(world)
    const [calls, ofOne] = [world.asked(...markets), alone.asked(...markets)]
    t.ok(calls <= ofOne * 1.1, `${calls} for four, ${ofOne} for one`)
    const [first, ...others] = lists
    t.ok(first.tokens.length > 50, `${first.tokens.length} rows`)
    for (const list of others) {
      t.same(
        list.tokens.map(({ chain, address, price }: Record<string, unknown>) => [chain, address, price]),
        first.tokens.map(({ chain, address, price }: Record<string, unknown>) => [chain, address, price]),
      )
      t.equal(list.gated, first.gated)
    }
    const priced = first.tokens.filter(({ price }: { price: number | null }) => price !== null)
    t.ok(priced.length > 40, `${priced.length} prices`)
  },
)

t.test('no request fails because Redis is paused, or gone, or back', { skip }, async (t) => {
  const world = await startWorld(t)
  const gateways = await startGateways(t, world, 2, {}, { redisAnswerMs: ANSWER_MS })
  let nth = 10
  const round = async (): Promise<void> => {
    nth++
    const replies = await Promise.all(
      gateways.flatMap((gateway) => [
        get(gateway, `${QUOTE}${nth}`),
        get(gateway, `${PORTFOLIO}base&dust=${nth}`),
      ]),
    )
    t.same(
      replies.map(({ status }) => status),
      [200, 200, 200, 200],
    )
  }
  await round()
  world.redis.pause()
  // Each call of a request to Redis may wait its 50 ms until Redis is known to be away.
  for (let i = 0; i < 4; i++) await round()
  world.redis.resume()
  await world.redis.kill()
  await round()
  await world.redis.restart()
  const shared = () => metric(gateways, 'swapgate_answers_total{of="quote",source="shared"}')
  const before = await shared()
  await until(async () => {
    await round()
    return (await shared()) > before
  })
  t.pass('and they share again')
})

t.test('what several instances share needs a secret that they share', async (t) => {
  await t.rejects(listen(t, { REDIS_URL: 'redis://127.0.0.1:1' }), {
    name: 'ConfigError',
    message: /REDIS_URL needs QUOTE_SECRET, the same for all instances/,
  })
})
