import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createWalletClient, http } from 'viem'
import { base } from 'viem/chains'
import { EVM_CHAINS } from '../../../../src/chains/find.ts'
import { ANSWER_MS } from '../../../../src/gateway/redis/store.ts'
import { parseRecording } from '../../../../src/gateway/replay/file.ts'
import { replay } from '../../../../src/gateway/replay/replay.ts'
import { type GatewayOptions, startGateway } from '../../../../src/gateway.ts'
import type { Clock } from '../../../../src/runtime/clock.ts'
import { createLogger } from '../../../../src/runtime/log.ts'
import { BLOCK_MS } from '../../../../src/sandbox/evm/state.ts'
import { type Sandbox, startSandbox } from '../../../../src/sandbox/index.ts'
import { account } from '../../../fixtures/anvil.ts'
import { INSTANT, PATIENT_MS, runningClock, STILL } from '../../../fixtures/clock.ts'
import { listen, type TestGateway } from '../../../fixtures/gateway.ts'
import { outsideOf } from '../../../fixtures/outside.ts'
import { type RedisServer, skipWithoutRedis, startRedis, until } from '../../../fixtures/redis.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of several shapes
type Body = any

const { log } = createLogger({ logLevel: 'silent' })
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
}

/** One world outside. */
async function startWorld(t: Test): Promise<World> {
  const sandbox = await startSandbox({ now: STILL.date })
  t.teardown(() => sandbox.close())
  return {
    redis: await startRedis(t),
    sandbox,
    clock: runningClock(),
  }
}

/** Gateways that share that world, and one Redis, which they have reached. */
async function startGateways(
  t: Test,
  { redis, sandbox, clock }: World,
  count: number,
  environment: Record<string, string> = {},
  options: GatewayOptions = {},
): Promise<TestGateway[]> {
  const all = {
    ...outsideOf(sandbox),
    LOG_LEVEL: 'warn',
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

t.test('an instance builds what another has quoted', { skip }, async (t) => {
  const gateways = await startGateways(t, await startWorld(t), 2)
  const { body: quote } = await get(gateways[0]!, `${QUOTE}2`)
  const order = { chain: 'base', side: 'buy', token: USDC, amount: '2', from: WALLET, quote }
  const built = await fetch(`${gateways[1]!.url}/api/build`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  })
  t.equal(built.status, 200)
})

t.test(
  'a swap that one instance built counts at all, whichever is asked for its receipt',
  { skip },
  async (t) => {
    let at = INSTANT - (INSTANT % BLOCK_MS)
    const clock = { ...runningClock(), date: () => at }
    const sandbox = await startSandbox({ now: () => at })
    t.teardown(() => sandbox.close())
    const dirs = [t.testdir({ one: {}, two: {} })].flatMap((dir) => [`${dir}/one`, `${dir}/two`])
    const world = { redis: await startRedis(t), sandbox, clock }
    // Recordings mask what may be a key in a node's URL, such as the name of a chain.
    const others = EVM_CHAINS.map(({ key }) => [`RPC_URLS_${key.toUpperCase()}`, ''])
    const started = dirs.map((RECORD_DIR) =>
      startGateways(t, world, 1, {
        ...Object.fromEntries(others),
        ...{ RPC_URLS_BASE: sandbox.evmUrl('base'), RECORD_DIR, RECORD_HEADER: 'X-Record' },
      }),
    )
    const [one, two] = (await Promise.all(started)).flat() as [TestGateway, TestGateway]

    const { address } = account(1)
    const order = { chain: 'base', side: 'buy', token: USDC, amount: '2', slippageBps: 100, from: address }
    // A provider has its row once a race has asked it.
    await get(two, `${QUOTE}3`)
    const { body: quote } = await get(one, `/api/quote?${new URLSearchParams(order as never)}`)
    const reply = await fetch(`${one.url}/api/build`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-record': 'yes' },
      body: JSON.stringify({ ...order, quote }),
    })
    const { to, data, value, provider, expectedOut, costs } = (await reply.json()) as Body
    const transport = http(sandbox.evmUrl('base'))
    const wallet = createWalletClient({ account: account(1), chain: base, transport })
    const hash = await wallet.sendTransaction({ to, data, value: BigInt(value) })
    at += BLOCK_MS
    const path = `/api/receipt?chain=base&hash=${hash}`
    const receipt = await (await fetch(two.url + path, { headers: { 'x-record': 'yes' } })).json()
    t.match(receipt, { swap: { provider, quoted: expectedOut, shortBps: 100, costs } })
    for (const gateway of [two, one]) {
      const lines = async () => (await fetch(`${gateway.url}/api/bake-off/export`)).text()
      await until(async () => (await lines()) !== '')
      t.match(JSON.parse(await lines()), { hash, stated: expectedOut })
      const { body } = await get(gateway, '/api/bake-off?range=1h')
      const rows = body.chains.flatMap(({ providers }: Body) => providers)
      const { delivered } = rows.find((row: Body) => row.provider === provider)
      t.match(delivered, { swaps: 1, clients: 1, medianBps: 100, lossBps: 0 })
    }
    for (const dir of dirs) {
      await until(() => readdirSync(dir).some((name) => name.endsWith('.jsonl')))
      for (const name of readdirSync(dir)) {
        const text = readFileSync(join(dir, name), 'utf8')
        t.notMatch(text, `"timer ${PATIENT_MS}"`, 'what it waits for Redis is no part of it')
        const again = await replay(parseRecording(text), startGateway, log)
        t.same(again.differences, [], `${name}: a replay has no Redis`)
        t.ok(again.isEqual)
      }
    }
  },
)

t.test('a budget that is spent at one instance is spent at all', { skip }, async (t) => {
  const gateways = await startGateways(t, await startWorld(t), 2, { LIMITS: 'portfolio=1/300' })
  t.equal((await get(gateways[0]!, `${PORTFOLIO}base`)).status, 200)
  t.equal((await get(gateways[0]!, `${PORTFOLIO}base`)).status, 200, 'what was read before costs nothing')
  const refused = await get(gateways[1]!, `${PORTFOLIO}base`)
  t.equal(refused.status, 429)
  t.match(refused.body, { code: 'budget_exhausted', budget: 'portfolio-client' })
  const stranger = await fetch(`${gateways[1]!.url}${PORTFOLIO}base`, {
    headers: { 'x-forwarded-for': '203.0.113.7' },
  })
  t.equal(stranger.status, 200, "and the refusal is nobody else's")
})

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
  const shared = () => metric(gateways, 'swapgate_budget_decisions_total{place="shared"}')
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
