/**
 * The time that swapgate adds to a quote and to a build, compared with the bare calls
 * that its adapters make. The providers are the sandbox's, in a process of their own;
 * they answer both in the same way.
 *
 * Every amount is different, so no answer is shared. The gateway's quotas apply only to
 * the providers' public hosts, and play no part here. Each question is another client's,
 * as one client's calls wait for each other.
 */
import { nativeAddress } from '../../src/chains/address.ts'
import { formatAmount } from '../../src/chains/amount.ts'
import { findChain } from '../../src/chains/find.ts'
import type { BuildOrder } from '../../src/proof/terms/order.ts'
import type { Quote } from '../../src/runtime/resources/quote.ts'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { type BenchReport, show, spread } from '../figures/report.ts'
import { type Latency, pace, type Question } from '../load/pace.ts'
import { bareBuild, bareQuote, EVM_CHAIN, type ProviderName } from '../servers/bare-calls.ts'
import {
  CLIENT_CORE,
  firstLine,
  GATEWAY,
  launch,
  peer,
  pinClient,
  SANDBOX,
  startServer,
  stop,
} from '../servers/process.ts'

const ROUNDS = 5
const SECONDS = 4
const PER_SECOND = 200
/** Enough for V8 to compile both programs; at the measured rate that would take a minute. */
const WARM_UP = { rounds: 2, seconds: 3, perSecond: 500 }

interface Scenario {
  readonly name: string
  readonly swap: Swap
  /** A build uses the quote of the first one. */
  readonly providers: readonly ProviderName[]
  readonly isBuild: boolean
}

/** From the native coin to USDC; the wallet need not hold any. */
interface Swap {
  readonly chain: string
  readonly token: string
  readonly from: string
}

const BASE: Swap = {
  chain: EVM_CHAIN,
  token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  from: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
}
const SOLANA: Swap = {
  chain: 'solana',
  token: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  from: 'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg',
}
const USDC_DECIMALS = 6
const SLIPPAGE_BPS = 50

const FOUR: readonly ProviderName[] = ['kyberswap', 'velora', 'uniswap-v2', 'uniswap-v3']
const FIVE: readonly ProviderName[] = [...FOUR, 'router']
const SCENARIOS: readonly Scenario[] = [
  { name: 'quote: KyberSwap', swap: BASE, providers: ['kyberswap'], isBuild: false },
  { name: 'quote: Jupiter', swap: SOLANA, providers: ['jupiter'], isBuild: false },
  { name: 'quote: four at once', swap: BASE, providers: FOUR, isBuild: false },
  { name: 'quote: five at once', swap: BASE, providers: FIVE, isBuild: false },
  { name: 'build: KyberSwap', swap: BASE, providers: ['kyberswap'], isBuild: true },
  { name: 'build: Jupiter', swap: SOLANA, providers: ['jupiter'], isBuild: true },
]

interface Round {
  readonly bare: Latency
  /** Null if several providers are called at once, as the forwarder has one upstream. */
  readonly forwarder: Latency | null
  readonly ours: Latency
}

export async function benchAdded(): Promise<BenchReport> {
  pinClient()
  const world = launch(SANDBOX, CLIENT_CORE, { PORT: '0' }, 'pipe')
  const sandbox = JSON.parse(await firstLine(world)) as Sandbox
  const rows: string[][] = []
  for (const scenario of SCENARIOS) {
    const rounds = await compare(scenario, sandbox)
    rows.push([scenario.name, ...cellsOf(rounds, 'p50Ms'), ...cellsOf(rounds, 'p99Ms')])
  }
  await stop(world)
  return {
    tables: [{ title: 'Latency added to the bare provider call', text: TEXT, columns: COLUMNS, rows }],
    claims: [],
  }
}

function cellsOf(rounds: readonly Round[], figure: keyof Latency): string[] {
  const bare = spread(rounds.map((round) => round.bare[figure]))
  const ours = spread(rounds.map((round) => round.ours[figure] - round.bare[figure]))
  const others = rounds.flatMap(({ bare, forwarder }) =>
    forwarder === null ? [] : forwarder[figure] - bare[figure],
  )
  return [show(bare, 2), others.length === 0 ? '' : show(spread(others), 2), show(ours, 2)]
}

type Ask = (order: BuildOrder) => Promise<readonly Question[]>

async function compare(scenario: Scenario, sandbox: Sandbox): Promise<Round[]> {
  const { providers, swap } = scenario
  const gateway = await startServer(GATEWAY, environmentFor(scenario, sandbox))
  const forwarder =
    providers.length === 1
      ? await startServer(peer('forwarder'), { UPSTREAM: sandbox.urls[providers[0]!]! })
      : null
  const askBare: Ask = (order) => bareQuestions(scenario, order, sandbox, gateway.url)
  const askForwarder: Ask = async (order) =>
    (await askBare(order)).map((question) => ({ ...question, origin: forwarder!.url }))
  const askOurs: Ask = async (order) => [await ourQuestion(scenario, order, gateway.url)]

  const run = async (ask: Ask, seconds: number, perSecond: number): Promise<Latency> => {
    const questions: (readonly Question[])[] = []
    for (let i = 0; i < perSecond * seconds; i++) questions.push(await ask(nextOrder(swap)))
    return pace((nth) => questions[nth]!, perSecond, seconds)
  }
  const round = async (seconds: number, perSecond: number): Promise<Round> => ({
    bare: await run(askBare, seconds, perSecond),
    forwarder: forwarder === null ? null : await run(askForwarder, seconds, perSecond),
    ours: await run(askOurs, seconds, perSecond),
  })
  for (let i = 0; i < WARM_UP.rounds; i++) await round(WARM_UP.seconds, WARM_UP.perSecond)
  const rounds: Round[] = []
  for (let i = 0; i < ROUNDS; i++) rounds.push(await round(SECONDS, PER_SECOND))
  await gateway.stop()
  await forwarder?.stop()
  return rounds
}

/**
 * A live gateway rejects the builds of the sandbox's Jupiter, which pay the sandbox's desk;
 * Jupiter's builds run in sandbox mode.
 */
function environmentFor(
  { providers, swap, isBuild }: Scenario,
  { urls, solanaUrl }: Sandbox,
): Record<string, string> {
  const urlOf = (name: ProviderName): string => (providers.includes(name) ? urls[name]! : 'off')
  return {
    MODE: isBuild && swap === SOLANA ? 'sandbox' : 'live',
    LIMITS: 'swap=off',
    TRUSTED_PROXIES: 'loopback',
    SOLANA_RPC_URLS: solanaUrl,
    RPC_URLS_BASE: `${urls.evm}/${EVM_CHAIN}`,
    JUPITER_URL: urls.jupiter!,
    DFLOW_URL: 'off',
    SOLANA_POOLS: 'off',
    KYBERSWAP_URL: urls.kyberswap!,
    VELORA_URL: urlOf('velora'),
    UNISWAP_V2: providers.includes('uniswap-v2') ? 'on' : 'off',
    UNISWAP_V3: providers.includes('uniswap-v3') ? 'on' : 'off',
    ROUTER_URL_BASE: providers.includes('router') ? `${urls.router}/${EVM_CHAIN}/known` : '',
  }
}

let orders = 0

function nextOrder({ chain: key, token, from }: Swap): BuildOrder {
  const chain = findChain(key)!
  const one = 10n ** BigInt(chain.decimals)
  const tokenIn = { address: nativeAddress(chain), isNative: true, decimals: chain.decimals }
  const tokenOut = { address: token, isNative: false, decimals: USDC_DECIMALS }
  const amountIn = one / 10n + BigInt(++orders)
  return { chain, side: 'buy', tokenIn, tokenOut, amountIn, slippageBps: SLIPPAGE_BPS, from }
}

async function bareQuestions(
  { providers, isBuild }: Scenario,
  order: BuildOrder,
  { urls }: Sandbox,
  gatewayUrl: string,
): Promise<readonly Question[]> {
  const urlOf = (name: ProviderName): string =>
    name.startsWith('uniswap')
      ? `${urls.evm}/${EVM_CHAIN}`
      : name === 'router'
        ? `${urls.router}/${EVM_CHAIN}/known`
        : urls[name]!
  if (!isBuild) return Promise.all(providers.map((name) => bareQuote(name, urlOf(name), order)))
  const [name] = providers
  const { route } = await quoteFor(order, gatewayUrl)
  return [await bareBuild(name!, urlOf(name!), order, route.raw)]
}

async function ourQuestion(
  { providers, isBuild }: Scenario,
  order: BuildOrder,
  origin: string,
): Promise<Question> {
  if (isBuild) {
    const body = JSON.stringify({
      ...toFields(order),
      slippageBps: SLIPPAGE_BPS,
      quote: await quoteFor(order, origin),
    })
    const headers = ['content-type', 'application/json', ...nextClient()]
    const isAnswer = (answer: string): boolean => answer.includes('"verification":{')
    return { origin, path: '/api/build', body, headers, isAnswer }
  }
  const path = quotePath(order)
  const others = providers.length - 1
  const isAnswer = (answer: string): boolean => answer.split('"outcome":"offered"').length - 1 === others
  return { origin, path, body: null, headers: nextClient(), isAnswer }
}

let clients = 0

/** The header by which a trusted proxy names a client: one of 250, in turn. */
const nextClient = (): readonly string[] => ['x-forwarded-for', `203.0.113.${1 + (++clients % 250)}`]

async function quoteFor(order: BuildOrder, gatewayUrl: string): Promise<Quote> {
  const headers = [nextClient() as [string, string]]
  const response = await fetch(gatewayUrl + quotePath(order), { headers })
  if (!response.ok) throw new Error(`The gateway gave no quote: ${await response.text()}`)
  return (await response.json()) as Quote
}

const quotePath = (order: BuildOrder): string => `/api/quote?${new URLSearchParams(toFields(order))}`

const toFields = ({ chain, side, tokenIn, tokenOut, amountIn, slippageBps, from }: BuildOrder) => ({
  chain: chain.key,
  side,
  token: tokenOut.address,
  amount: formatAmount(amountIn, tokenIn.decimals),
  slippageBps: String(slippageBps),
  from,
})

const TEXT = `${PER_SECOND} requests a second at a constant rate, whether or not earlier answers have arrived; ${ROUNDS} alternating
rounds of ${SECONDS} s after a warm-up, from sending to the last byte. Servers on core 0, the simulated providers and the
client on core 1. For several at once, the bare time is that of the slowest. The added time is the difference between the
two distributions of one round; next to it stands what the unchecked forwarder adds, the price of any process in
between on this machine. A build uses a quote taken just before, and is proved.`
const COLUMNS = [
  '',
  'bare p50 ms',
  'added by forwarder',
  'added by swapgate',
  'bare p99 ms',
  'added by forwarder',
  'added by swapgate',
]
