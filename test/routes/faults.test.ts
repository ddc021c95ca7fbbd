/**
 * Every fault of every provider, against every endpoint that it serves: the
 * promised answer, also where the provider never gives one, and none of it left when the fault is over.
 */

import t, { type Test } from 'tap'
import { ErrorBody } from '../../src/runtime/resources/error.ts'
import { Check } from '../fixtures/check.ts'
import { clockOf, INSTANT } from '../fixtures/clock.ts'
import { listen, type TestGateway } from '../fixtures/gateway.ts'
import { idleClock } from '../fixtures/idle-clock.ts'
import * as swaps from '../fixtures/swaps.ts'
import { CROSS_CHAIN, fund, type Json, SOLANA_WALLET, SWAPS, turn, type Values } from '../fixtures/swaps.ts'

/** Its timers come while nothing else goes on: who works is in time on any machine, and who hangs is not waited for. */
const idle = idleClock()
const timed =
  <Args extends unknown[]>(send: (...args: Args) => Promise<Response>) =>
  (...args: Args): Promise<Response> =>
    idle.meanwhile(send(...args))
const getQuote = timed(swaps.getQuote)
const getCrossChain = timed(swaps.getCrossChain)
const postBuild = timed(swaps.postBuild)
const getStatus = timed((url: string) => fetch(url))

const DEADLINES = { softMs: 600, hardMs: 1_000, tokenMs: 1_000, buildMs: 1_000, crossChainMs: 1_000 }

interface Failure {
  readonly fault: string
  readonly code: string
  readonly upstreamStatus?: number
}

const FAILURES: readonly Failure[] = [
  { fault: '500', code: 'upstream_failed', upstreamStatus: 500 },
  { fault: '429', code: 'upstream_rate_limited', upstreamStatus: 429 },
  { fault: 'garbage', code: 'upstream_unusable' },
  { fault: 'hang', code: 'upstream_timeout' },
]

const KEYS = {
  JUPITER_API_KEY: 'the-secret-key-of-jupiter',
  DFLOW_API_KEY: 'the-secret-key-of-dflow',
  XPROV_API_KEY: 'the-secret-key-of-xprov',
  SWAPCOFFEE_API_KEY: 'the-secret-key-of-swapcoffee',
}
/** Keys, addresses of upstreams, and what they said themselves. */
const PRIVATE = /secret|127\.0\.0\.1|localhost|https?:|garbage|Internal Server Error/i

/** Longer than any pause that is asked for, and than an answer is shared. */
const PAUSE_MS = 60_000
/** Longer than any quote is built from without asking again. */
const AGE_MS = 31_000

/** The two clocks, moved on their own: cool-downs pass by the one, quotes and prices age by the other. */
interface World extends TestGateway {
  pause(): void
  age(): void
}

async function start(t: Test, environment: Record<string, string> = {}): Promise<World> {
  let pausedMs = 0
  let agedMs = 0
  const clock = clockOf({
    now: () => idle.now() + pausedMs,
    date: () => INSTANT + agedMs,
    after: idle.after,
  })
  const options = { deadlines: DEADLINES, clock }
  const gateway = await listen(t, { LIMITS: 'swap=off', ...KEYS, ...environment }, options)
  return Object.assign(gateway, {
    pause: () => void (pausedMs += PAUSE_MS),
    age: () => void (agedMs += AGE_MS),
  })
}

type Send = () => Promise<Response>

interface Endpoint {
  readonly title: string
  /** All that must be at hand before the fault. */
  prepare(world: World): Promise<Send>
  /** The provider has said before all that this needs, so that its faults do not matter. */
  readonly isAnswered?: true
}

async function jsonOf(pending: Response | Promise<Response>): Promise<Json> {
  const response = await pending
  const body = (await response.json()) as Json
  if (response.status === 200) return body
  throw new Error(`${response.status} ${JSON.stringify(body)}`)
}

const quote = (order: Values): Endpoint => ({
  title: 'quote',
  prepare: async ({ url }) => {
    return () => getQuote(url, order)
  },
})

const build = (order: Values): Endpoint => ({
  title: 'build',
  async prepare({ url, pause }) {
    pause()
    const quote = await jsonOf(getQuote(url, order))
    return () => postBuild(url, { ...order, quote })
  },
})

/** Its quote has aged, so that the provider is asked for another. */
const lateBuild = (order: Values): Endpoint => ({
  title: 'late build',
  async prepare(world) {
    const send = await build(order).prepare(world)
    world.age()
    return send
  },
})

const answered = (endpoint: Endpoint): Endpoint => ({ ...endpoint, isAnswered: true })

const crossChain: Endpoint = {
  title: 'xquote',
  prepare: async ({ url }) => {
    return () => getCrossChain(url, CROSS_CHAIN)
  },
}

const status: Endpoint = {
  title: 'xstatus',
  async prepare({ url }) {
    const { transactionId } = await jsonOf(getCrossChain(url, CROSS_CHAIN))
    return () => getStatus(`${url}/api/xstatus?txHash=${transactionId}&fromChain=base`)
  },
}

interface Alone {
  /** The provider's dial. */
  readonly dial: string
  /** What replies call it; its dial's name where absent. */
  readonly label?: string
  readonly environment: Record<string, string>
  readonly order: Values
  /** What ages comes first: the others' quotes must stay fresh. */
  readonly endpoints: readonly Endpoint[]
}

const { base, solana, sui, ton } = SWAPS

/** Each provider where nobody stands in for it. */
const ALONE: readonly Alone[] = [
  {
    dial: 'jupiter',
    environment: { DFLOW_URL: 'off', SOLANA_POOLS: 'off' },
    order: solana,
    endpoints: [lateBuild(solana), build(solana), quote(solana)],
  },
  {
    dial: 'dflow',
    environment: { JUPITER_URL: 'off', SOLANA_POOLS: 'off' },
    order: solana,
    endpoints: [lateBuild(solana), build(solana), quote(solana)],
  },
  {
    dial: 'kyberswap',
    environment: { VELORA_URL: 'off', UNISWAP_V2: 'off', UNISWAP_V3: 'off' },
    order: base,
    endpoints: [lateBuild(base), build(base), quote(base)],
  },
  {
    dial: 'velora',
    environment: { KYBERSWAP_URL: 'off', UNISWAP_V2: 'off', UNISWAP_V3: 'off' },
    order: base,
    endpoints: [lateBuild(base), build(base), quote(base)],
  },
  {
    dial: 'evm',
    label: 'base-1',
    environment: { KYBERSWAP_URL: 'off', VELORA_URL: 'off' },
    order: base,
    // The gateway itself writes the calldata of uniswap-v2.
    endpoints: [lateBuild(base), answered(build(base)), quote(base)],
  },
  {
    dial: 'xprov',
    environment: {},
    order: sui,
    // Its quote is its build.
    endpoints: [lateBuild(sui), answered(build(sui)), quote(sui), crossChain, status],
  },
  {
    dial: 'swapcoffee',
    environment: { STONFI_URL: 'off' },
    order: ton,
    endpoints: [lateBuild(ton), build(ton), quote(ton)],
  },
]

for (const { dial, label = dial, environment, order, endpoints } of ALONE) {
  const setting = Object.entries(environment).map(([name, value]) => `${name}=${value}`)

  t.test(`${label} fails and recovers, with ${setting.join(' ')}`, async (t) => {
    const world = await start(t, environment)
    // Jupiter's v2 builds for a wallet that can pay only.
    await fund(world.sandbox!.solanaRpc, SOLANA_WALLET, 10_000_000_000)
    for (const failure of FAILURES) {
      await t.test(failure.fault, async (t) => {
        const sends = await prepared(world, endpoints)
        await turn(world, dial, failure.fault)
        const fails = async ([{ title, isAnswered }, send]: Prepared): Promise<void> => {
          if (isAnswered) t.equal((await send()).status, 200, `${title}: needs nobody`)
          else if (dial === 'evm' && failure.fault === '429')
            await isRefusedOrHeldBack(t, await send(), title)
          else await failsAs(t, await send(), failure, label, title)
        }
        if (failure.fault === '429') {
          // The first calls off the others, until its pause is over.
          for (const one of sends) {
            await fails(one)
            if (!one[0].isAnswered) await isHeldBack(t, failure, await one[1](), one[0].title)
            world.pause()
          }
        } else await Promise.all(sends.map(fails))

        await turn(world, dial, null)
        world.pause()
        for (const [{ title }, send] of sends) t.equal((await send()).status, 200, `${title}: recovered`)
      })
    }

    await t.test('latency', async (t) => {
      const sends = await prepared(world, endpoints)
      await turn(world, dial, 'latency', 30)
      const responses = await Promise.all(sends.map(([, send]) => send()))
      for (const [i, { title }] of endpoints.entries()) t.equal(responses[i]!.status, 200, title)
      await turn(world, dial, null)
    })

    await t.test('stale: the old prices, for quotes and builds alike', async (t) => {
      const expectedOut = async (): Promise<unknown> => {
        world.pause()
        return (await jsonOf(getQuote(world.url, order))).expectedOut
      }
      world.pause()
      const old = await jsonOf(getQuote(world.url, order))
      await turn(world, dial, 'stale')
      world.age()
      t.equal(await expectedOut(), old.expectedOut, 'prices stand still')
      const built = await jsonOf(postBuild(world.url, { ...order, quote: old }))
      t.equal(built.expectedOut, old.expectedOut, 'quoted again, at the same price')
      await turn(world, dial, null)
      t.not(await expectedOut(), old.expectedOut, 'prices have moved since')
    })
  })
}

t.test('a stale status is the one of before', async (t) => {
  const world = await start(t)
  const send = await status.prepare(world)
  await turn(world, 'xprov', 'stale')
  world.age()
  t.match(await jsonOf(send()), { status: 'NOT_FOUND' })
  await turn(world, 'xprov', null)
  t.match(await jsonOf(send()), { status: 'DONE' })
})

interface Accompanied {
  readonly dial: string
  readonly label?: string
  readonly order: Values
  /** Who answers in its stead. */
  readonly others: readonly string[]
}

const BSC: Values = { ...base, chain: 'bsc', token: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d' }
const POOLS = ['whirlpool', 'raydium-clmm', 'raydium-cpmm']

/** Each provider in company, side by side where their chains differ. */
const ACCOMPANIED: readonly (readonly Accompanied[])[] = [
  [
    { dial: 'kyberswap', order: base, others: ['velora', 'uniswap-v2', 'uniswap-v3'] },
    { dial: 'jupiter', order: solana, others: ['dflow', ...POOLS] },
  ],
  [
    { dial: 'velora', order: base, others: ['kyberswap', 'uniswap-v2', 'uniswap-v3'] },
    { dial: 'dflow', order: solana, others: ['jupiter', ...POOLS] },
  ],
  [{ dial: 'evm', label: 'uniswap-v2', order: base, others: ['kyberswap', 'velora'] }],
  [{ dial: 'evm', label: 'uniswap-v3', order: base, others: ['kyberswap', 'velora'] }],
]

t.test('if others answer, a quote succeeds, and shows how one failed', async (t) => {
  const world = await start(t)
  const { url } = world
  for (const { order } of ACCOMPANIED[0]!) await jsonOf(getQuote(url, order))

  const quoteIn = async (t: Test, { order, others }: Accompanied, title: string): Promise<Json> => {
    const quote = await jsonOf(getQuote(url, order))
    t.ok(others.includes(String(quote.provider)), `${title}: ${quote.provider} answers`)
    t.notMatch(JSON.stringify(quote.route.alternatives), PRIVATE)
    return quote
  }

  for (const { fault, code } of FAILURES) {
    for (const row of ACCOMPANIED) {
      await t.test(`${fault} of ${row.map(({ dial }) => dial).join(', ')}`, async (t) => {
        world.pause()
        for (const { dial } of row) await turn(world, dial, fault)
        const quotes = await Promise.all(row.map((one) => quoteIn(t, one, one.dial)))
        for (const [i, { dial, label = dial }] of row.entries()) {
          const told = quotes[i]!.route.alternatives.find(({ provider }) => provider === label)
          const isOfMany = dial === 'evm' && fault === '429'
          const failed = { outcome: 'failed', code: isOfMany ? REFUSED_OR_HELD_BACK : code }
          t.match(told, fault === 'hang' ? { outcome: 'late' } : failed, label)
        }

        for (const { dial } of row) await turn(world, dial, null)
        world.pause()
        for (const { dial, label = dial, order } of row) {
          t.match(
            entryOf(await jsonOf(getQuote(url, order)), label),
            { expectedOut: /^\d+$/ },
            `${dial}: back`,
          )
        }
      })
    }
  }

  for (const fault of ['latency', 'stale']) {
    await t.test(fault, async (t) => {
      world.pause()
      const dials = ACCOMPANIED.flat()
      for (const { dial } of dials) await turn(world, dial, fault, fault === 'latency' ? 30 : undefined)
      for (const { dial, label = dial, order } of dials) {
        t.match(entryOf(await jsonOf(getQuote(url, order)), label), { expectedOut: /^\d+$/ }, label)
      }
      for (const { dial } of dials) await turn(world, dial, null)
    })
  }
})

/** What a dead provider does: it refuses the connection's request, never answers, or says something else. */
const DEATHS = ['reset', 'hang', 'garbage'] as const
/** Each builder, and a quote of its chain; nobody stands in for those of Sui and TON. */
const BUILDERS: readonly (Accompanied & { readonly isAlone?: true })[] = [
  ...ACCOMPANIED.flat(),
  { dial: 'evm', label: 'pancakeswap-v3', order: BSC, others: ['kyberswap', 'velora'] },
  { dial: 'xprov', order: sui, others: [], isAlone: true },
  { dial: 'swapcoffee', order: ton, others: [], isAlone: true },
]

t.test('a dead builder costs a quote the soft deadline at most, and then nothing', async (t) => {
  for (const { dial, label = dial, order, others, isAlone } of BUILDERS) {
    for (const death of DEATHS) {
      await t.test(`${label}: ${death}`, async (t) => {
        const world = await start(t, { STONFI_URL: 'off' })
        let asked = 0
        const ask = async () => {
          const begunAt = idle.now()
          const amount = `1.${++asked}`
          const quote = (await (await getQuote(world.url, { ...order, amount })).json()) as Json
          return { quote, tookMs: idle.now() - begunAt }
        }
        await ask()
        await turn(world, dial, death)
        const longestMs = isAlone ? DEADLINES.hardMs : DEADLINES.softMs
        const dead = { outcome: death === 'hang' ? /^(late|failed)$/ : 'failed' }
        for (let i = 0; i < 6; i++) {
          const { quote, tookMs } = await ask()
          t.ok(tookMs <= longestMs, `within the deadline: ${tookMs} ms`)
          if (isAlone) t.match(quote, { code: /^upstream_/ })
          else {
            t.ok(others.includes(String(quote.provider)), `${quote.provider} answers`)
            t.match(entryOf(quote, label), dead)
          }
        }
        // The calls fail at the hard deadline, which nobody waits for: the breaker opens then.
        await until(async () => (await healthOf(world.url)).some(({ state }) => state === 'cooling'))
        const { quote, tookMs } = await ask()
        t.equal(tookMs, 0, 'no time at all once its breaker is open')
        if (isAlone) t.match(quote, { code: 'upstream_unavailable' })
        else t.match(entryOf(quote, label), { outcome: 'failed' })
      })
    }
  }
})

t.test(
  'a provider that goes on hanging is skipped at once, and costs no soft deadline any more',
  async (t) => {
    const world = await start(t, { UNISWAP_V2: 'off', UNISWAP_V3: 'off' })
    const { url } = world
    const quoteOf = (n: number) => jsonOf(getQuote(url, { ...base, amount: `1.${n}` }))
    await quoteOf(1)
    await turn(world, 'kyberswap', 'hang')
    // One after the other: calls that expire together are one failure.
    for (const n of [2, 3, 4, 5, 6]) t.match(entryOf(await quoteOf(n), 'kyberswap'), { outcome: 'late' })
    // Their calls fail at the hard deadline, which nobody waits for.
    await until(async () => (await stateOf(url, 'kyberswap')) === 'cooling')
    const skipped = entryOf(await quoteOf(7), 'kyberswap')
    t.match(skipped, { outcome: 'failed', code: 'upstream_unavailable' }, 'the others alone are waited for')
    await turn(world, 'kyberswap', null)
    world.pause()
    t.match(entryOf(await quoteOf(8), 'kyberswap'), { expectedOut: /^\d+$/ }, 'back')
  },
)

t.test(
  'a token whose decimals cannot be asked for is a 502 too, and is not remembered as unknown',
  async (t) => {
    const world = await start(t)
    const { url } = world
    // The chains' own files list none of these: ARB, AERO, CETUS, STON.
    const arb = '0x912CE59144191C1204E64559FE8253a0e49E6548'
    const unlisted = {
      base: { ...base, token: '0x940181a94A35A4569E4529A3CDfB74e38FD98631' },
      sui: {
        ...sui,
        token: '0x06864a6f921804860930db6ddbe2e16acdf8504495ea7481637a1c8b9a8fe54b::cetus::CETUS',
      },
      ton: { ...ton, token: 'EQA2kCVNwVsil2EM2mB0SkXytxCqQjS4mttjDpnXmwG9T6bO' },
    }
    const asked: [dial: string, label: string, send: Send][] = [
      ['evm', 'base-1', () => getQuote(url, unlisted.base)],
      ['evm', 'arbitrum-1', () => getCrossChain(url, { ...CROSS_CHAIN, fromChain: 42161, fromToken: arb })],
      ['xprov', 'xprov', () => getQuote(url, unlisted.sui)],
      ['swapcoffee', 'swapcoffee', () => getQuote(url, unlisted.ton)],
    ]
    for (const failure of FAILURES) {
      // The nodes apart from the providers, who are asked beside them.
      for (const group of [asked.slice(0, 2), asked.slice(2)]) {
        world.pause()
        for (const [dial] of group) await turn(world, dial, failure.fault)
        const replies = await Promise.all(group.map(([, , send]) => send()))
        for (const [i, [, label]] of group.entries())
          await failsAs(t, replies[i]!, failure, label, failure.fault)
        for (const [dial] of group) await turn(world, dial, null)
      }
    }
    world.pause()
    for (const [, label, send] of asked.filter(([, name]) => name !== 'arbitrum-1')) {
      t.equal((await send()).status, 200, `${label}: recovered`)
    }
    const enough = { ...CROSS_CHAIN, fromChain: 42161, fromToken: arb, amount: '50' }
    t.equal((await getCrossChain(url, enough)).status, 200, 'arbitrum-1: recovered')
  },
)

type Prepared = readonly [endpoint: Endpoint, send: Send]

/** One after the other, because they move the clocks. */
async function prepared(world: World, endpoints: readonly Endpoint[]): Promise<Prepared[]> {
  const sends: Prepared[] = []
  for (const endpoint of endpoints) sends.push([endpoint, await endpoint.prepare(world)])
  // Or a quote would be answered from the one before.
  world.pause()
  return sends
}

/** What a quote says of one of its providers, the winner or another. */
function entryOf({ route, ...winner }: Json, label: string): unknown {
  return winner.provider === label ? winner : route.alternatives.find(({ provider }) => provider === label)
}

async function failsAs(
  t: Test,
  response: Response,
  { code, upstreamStatus }: Failure,
  provider: string,
  title: string,
): Promise<void> {
  const text = await response.text()
  const body = JSON.parse(text) as Json
  t.equal(response.status, 502, `${title}: ${text.slice(0, 300)}`)
  t.match(
    body,
    { code, provider, scope: 'provider', ...(upstreamStatus !== undefined && { upstreamStatus }) },
    title,
  )
  t.ok(Check(ErrorBody, body), title)
  t.notMatch(text, PRIVATE, title)
}

async function isHeldBack(t: Test, { fault }: Failure, response: Response, title: string): Promise<void> {
  const body = (await response.json()) as Json
  const code = fault === '429' ? REFUSED_OR_HELD_BACK : 'upstream_unavailable'
  t.match({ status: response.status, ...body }, { status: 502, code, scope: 'provider' }, title)
  t.ok(Number(body.retryAfterMs) > 0 && Number(body.retryAfterMs) <= PAUSE_MS, `${title}: until when`)
}

/** Of a quote's calls to its node any may be refused first, and that one calls off the others. */
const REFUSED_OR_HELD_BACK = /^upstream_(rate_limited|unavailable)$/

async function isRefusedOrHeldBack(t: Test, response: Response, title: string): Promise<void> {
  const body = (await response.json()) as Json
  const refused = { status: 502, code: REFUSED_OR_HELD_BACK, scope: 'provider', provider: /^base(-1)?$/ }
  t.match({ status: response.status, ...body }, refused, title)
}

async function healthOf(url: string): Promise<readonly { name: string; state: string }[]> {
  const { providers } = (await (await fetch(`${url}/api/health`)).json()) as {
    providers: { name: string; state: string }[]
  }
  return providers
}

const stateOf = async (url: string, provider: string): Promise<unknown> =>
  (await healthOf(url)).find(({ name }) => name === provider)?.state

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await idle.pass()
}
