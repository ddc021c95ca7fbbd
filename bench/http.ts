/**
 * The service compared with a ceiling and a framework that serve the same bytes.
 * Targets run in alternation, and every comparison is made within one round, because
 * the machine's other work changes from round to round.
 */
import { checkAnswer, type Load, load, type Target } from './load.ts'
import { type Latency, pace } from './pace.ts'
import { CLIENT_CORE, GATEWAY, peer, pinClient, type ServerProcess, startServer } from './process.ts'
import { BALANCE_CALL, balanceReply, CHAINS_BODY } from './replies.ts'
import { type BenchReport, type Claim, show, spread } from './report.ts'

const ROUNDS = 5
const SECONDS = 4
const WARM_UP_SECONDS = 3
const PER_SECOND = 1_000
/**
 * Share of its core that the ceiling must use; below it, the client was the bottleneck and
 * shares come out too high.
 */
const MIN_BUSY = 0.85
/** The service's index among the targets. */
const OURS = 2
/** So high that nothing is rejected, while the limiter still counts. */
const LIMITS = 'rpcRead=1000000000/1000000000'

/**
 * The compared servers: the unchecked ceiling, the framework, the service, and the service
 * with other settings.
 */
type Targets = readonly [ceiling: Target, framework: Target, ours: Target, ...others: Target[]]

/**
 * Least shares of the ceiling: for the service with its defaults, which logs each
 * request, and without its log. A read reaches 0.77 at most, because the ceiling omits
 * what no gateway can: parsing JSON, a deadline, noticing that a client disconnects.
 */
const CHAINS_BOUNDS = [0.82, 0.9]
const READ_BOUNDS = [0.74]

export async function benchHttp(): Promise<BenchReport> {
  pinClient()
  const node = await startServer(peer('node'), {}, CLIENT_CORE)
  const environment = { UPSTREAM: node.url, MODE: 'live', SOLANA_RPC_URLS: node.url, LIMITS }
  const [bare, forwarder, fastify, gateway] = [
    await startServer(peer('bare')),
    await startServer(peer('forwarder'), environment),
    await startServer(peer('fastify'), environment),
    // Every read becomes an upstream call, as with the peers: nothing is coalesced.
    await startServer(GATEWAY, { ...environment, SOLANA_READ_CACHE: 'off' }),
  ]
  const quiet = await startServer(GATEWAY, { ...environment, LOG_LEVEL: 'warn' })
  const chains: Targets = [
    asksChains('bare node:http', bare),
    asksChains('Fastify 5', fastify),
    asksChains('swapgate', gateway),
    asksChains('swapgate, without its log', quiet),
  ]
  const reads: Targets = [
    asksBalance('unchecked forwarder', forwarder),
    asksBalance('Fastify 5', fastify),
    asksBalance('swapgate', gateway),
  ]
  const parts = [
    await compareThroughput('GET /api/chains', chains, CHAINS_BOUNDS),
    await compareThroughput('Relay read, getBalance', reads, READ_BOUNDS),
    await compareLatency(reads),
  ]
  for (const server of [node, bare, forwarder, fastify, gateway, quiet]) await server.stop()
  return { tables: parts.flatMap(({ tables }) => tables), claims: parts.flatMap(({ claims }) => claims) }
}

function asksChains(name: string, server: ServerProcess): Target {
  return { name, server, path: '/api/chains', body: null, expected: CHAINS_BODY.toString() }
}

function asksBalance(name: string, server: ServerProcess): Target {
  return { name, server, path: '/api/solrpc', body: BALANCE_CALL, expected: balanceReply('1') }
}

/** @param bounds  least shares of the ceiling, for the service and for each target after it */
async function compareThroughput(
  title: string,
  targets: Targets,
  bounds: readonly number[],
): Promise<BenchReport> {
  await checkAnswers(targets)
  for (const target of targets) await load(target, { seconds: WARM_UP_SECONDS })
  const rounds: Load[][] = []
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push(await inTurn(targets, (target) => load(target, { seconds: SECONDS })))
  }

  const over = (figure: (round: readonly Load[]) => number) => spread(rounds.map(figure))
  const share = (of: number, by: number) =>
    over((round) => round[of]!.requestsPerSecond / round[by]!.requestsPerSecond)
  const rows = targets.map(({ name }, i) => {
    const throughput = over((round) => round[i]!.requestsPerSecond)
    const cpuUs = over((round) => round[i]!.cpuUs)
    const cpuShare = over((round) => round[0]!.cpuUs / round[i]!.cpuUs)
    const busy = over((round) => round[i]!.busy)
    const p50Ms = over((round) => round[i]!.p50Ms)
    const p99Ms = over((round) => round[i]!.p99Ms)
    return [
      name,
      show(throughput, 0),
      show(share(i, 0), 2),
      show(cpuUs, 1),
      show(cpuShare, 2),
      show(busy, 2),
      show(p50Ms, 2),
      show(p99Ms, 2),
    ]
  })
  const isDecided = over((round) => round[0]!.busy).median >= MIN_BUSY
  const claim = (whose: number, peer: 0 | 1, is: Claim['is'], bound: number): Claim[] => {
    const what = whose === OURS ? title : `${title}, ${targets[whose]!.name}`
    const { name } = targets[peer]
    const byCpu = over((round) => round[peer]!.cpuUs / round[whose]!.cpuUs)
    return [
      { what: `${what}: requests/s relative to ${name}`, figure: share(whose, peer), is, bound, isDecided },
      { what: `${what}: requests per CPU second relative to ${name}`, figure: byCpu, is, bound },
    ]
  }
  const claims = [
    ...bounds.flatMap((bound, at) => claim(OURS + at, 0, 'at least', bound)),
    ...claim(OURS, 1, 'above', 1),
  ]
  return { tables: [{ title, text: THROUGHPUT, columns: THROUGHPUT_COLUMNS, rows }], claims }
}

async function compareLatency(targets: Targets): Promise<BenchReport> {
  for (const target of targets) await paceTarget(target, WARM_UP_SECONDS)
  const rounds: Latency[][] = []
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push(await inTurn(targets, (target) => paceTarget(target, SECONDS)))
  }

  const over = (figure: (round: readonly Latency[]) => number) => show(spread(rounds.map(figure)), 2)
  const rows = targets.map(({ name }, i) => [
    name,
    over((round) => round[i]!.p50Ms),
    over((round) => round[i]!.p50Ms - round[0]!.p50Ms),
    over((round) => round[i]!.p99Ms),
    over((round) => round[i]!.p99Ms - round[0]!.p99Ms),
  ])
  const title = `Relay read at ${PER_SECOND.toLocaleString('en')} requests/s`
  return { tables: [{ title, text: LATENCY, columns: LATENCY_COLUMNS, rows }], claims: [] }
}

function paceTarget({ server, path, body, expected }: Target, seconds: number): Promise<Latency> {
  const question = { origin: server.url, path, body, isAnswer: (answer: string) => answer === expected }
  return pace(() => [question], PER_SECOND, seconds)
}

/** One round: each target once, one after the other. */
async function inTurn<T>(targets: Targets, run: (target: Target) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (const target of targets) results.push(await run(target))
  return results
}

/** Checks that all answer the same bytes, and that the ceiling sends no fewer headers than the service. */
async function checkAnswers(targets: Targets): Promise<void> {
  const counts = await inTurn(targets, checkAnswer)
  if (counts[0]! < counts[2]!) throw new Error(`${targets[0].name} sends fewer headers than the gateway.`)
}

const THROUGHPUT = `Fifty connections, ${ROUNDS} alternating rounds of ${SECONDS} s after a warm-up; median [min..max].
Servers on core 0, the client and the stub of a node on core 1. Every answer is compared. The Fastify stack and the
service write the same log line for each request, to /dev/null; the ceiling logs nothing. If the ceiling's core is
not busy, the client was the bottleneck: trust the share by CPU time.`
const THROUGHPUT_COLUMNS = [
  '',
  'requests/s',
  'share of ceiling',
  'CPU µs/request',
  'share by CPU',
  'core busy',
  'p50 ms',
  'p99 ms',
]

const LATENCY = `One request each millisecond, whether or not earlier answers have arrived; ${ROUNDS} alternating rounds of
${SECONDS} s; from sending to the last byte. Added time is relative to the unchecked forwarder in the same round.`
const LATENCY_COLUMNS = ['', 'p50 ms', 'p50 added', 'p99 ms', 'p99 added']
