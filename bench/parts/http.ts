/**
 * The service compared with a ceiling and a framework that serve the same bytes, by the
 * processor time of all threads. Every server is hot. Targets run in alternation, and every
 * comparison is made within one round, because the machine's other work changes from round to
 * round.
 */
import autocannon from 'autocannon'
import { type BenchReport, type Claim, show, spread } from '../figures/report.ts'
import { BARE_ENVIRONMENT, CHAINS_BODY } from '../load/chains-body.ts'
import { type Clients, checkAnswer, type Load, load, repeated, type Target } from '../load/load.ts'
import { type Latency, pace, type Question } from '../load/pace.ts'
import { BALANCE_CALL, balanceReply } from '../load/replies.ts'
import {
  CLIENT_CORE,
  cpuMs,
  freePort,
  GATEWAY,
  peer,
  pinClient,
  type ServerProcess,
  startServer,
} from '../servers/process.ts'

const ROUNDS = 5
/** Requests that every server answers before it is measured: until V8 has optimized what they run. */
const WARM_UP = 30_000
/** Requests of a round, for each kind of clients. */
const CHAINS_AMOUNT = 10_000
const READ_AMOUNT = 4_000
const CLIENTS: readonly Clients[] = ['one client', 'many clients']

const PACED = { perSecond: 1_000, seconds: 3 }
/** So high that nothing is rejected, while the limiter still counts. */
const LIMITS = 'rpcRead=1000000000/1000000000'

/** The ceiling, the framework, the service, and the service with other settings. */
type Targets = readonly [ceiling: Target, framework: Target, ours: Target, ...others: Target[]]

export async function benchHttp(): Promise<BenchReport> {
  pinClient()
  const node = await startServer(peer('node'), {}, CLIENT_CORE)
  const environment = { UPSTREAM: node.url, MODE: 'live', SOLANA_RPC_URLS: node.url, LIMITS }
  const gateway = async (settings: Readonly<Record<string, string>>): Promise<ServerProcess> =>
    startServer(GATEWAY, { ...environment, ...settings })
  // Every read becomes an upstream call, as with the peers: nothing is coalesced.
  const alone = { SOLANA_READ_CACHE: 'off' }
  const quiet = { LOG_LEVEL: 'error' }
  const admin = async () => ({ ADMIN_PORT: String(await freePort()) })

  const bare = await startServer(peer('bare'), BARE_ENVIRONMENT)
  const forwarder = await startServer(peer('forwarder'), environment)
  const fastify = await startServer(peer('fastify'), environment)
  const plain = await gateway(alone)
  const unlogged = await gateway({ ...alone, ...quiet })
  const observed = await gateway({ ...alone, ...(await admin()) })
  const both = await gateway({ ...alone, ...quiet, ...(await admin()) })
  const sharing = await gateway({})

  const chains: Targets = [
    asksChains('bare node:http', bare),
    asksChains('Fastify 5', fastify),
    // The bare server logs nothing, and has no request id, limits or CORS to handle.
    asksChains('swapgate', plain),
    asksChains('swapgate, LOG_LEVEL=error', unlogged),
    asksChains('swapgate, ADMIN_PORT', observed),
    asksChains('swapgate, LOG_LEVEL=error, ADMIN_PORT', both),
  ]
  const reads: Targets = [
    asksBalance('unchecked forwarder', forwarder),
    asksBalance('Fastify 5', fastify),
    // The ceiling omits what no gateway can: parsing JSON, a deadline, noticing that a client disconnects.
    asksBalance('swapgate', plain),
    asksBalance('swapgate, LOG_LEVEL=error', unlogged),
    asksBalance('swapgate, ADMIN_PORT', observed),
    asksBalance('swapgate, LOG_LEVEL=error, ADMIN_PORT', both),
    asksBalance('swapgate, reads shared', sharing),
  ]
  const parts = [
    await compareCost('GET /api/chains', chains, CHAINS_AMOUNT),
    await compareCost('Relay read, getBalance', reads, READ_AMOUNT),
    await compareLatency([
      asksPaced('unchecked forwarder', forwarder),
      asksPaced('Fastify 5', fastify),
      asksPaced('swapgate', plain),
    ]),
    await compareByAutocannon('GET /api/chains', { url: '/api/chains' }, bare, fastify, plain),
    await compareByAutocannon('Relay read, getBalance', BALANCE, forwarder, fastify, plain),
  ]
  const servers = [node, bare, forwarder, fastify, plain, unlogged, observed, both, sharing]
  await Promise.all(servers.map((server) => server.stop()))
  return { tables: parts.flatMap(({ tables }) => tables), claims: parts.flatMap(({ claims }) => claims) }
}

const asksChains = (name: string, server: ServerProcess): Target =>
  repeated(name, server, '/api/chains', null, CHAINS_BODY.toString())

const asksBalance = (name: string, server: ServerProcess): Target =>
  repeated(name, server, '/api/solrpc', BALANCE_CALL, balanceReply('1'))

/** What the load of each kind of clients cost each target. */
type Round = readonly Readonly<Record<Clients, Load>>[]

async function compareCost(title: string, compared: Targets, amount: number): Promise<BenchReport> {
  await checkAnswers(compared)
  for (const target of compared) {
    for (const clients of CLIENTS) await load(target, { amount: WARM_UP / CLIENTS.length }, clients)
  }
  const rounds: Round[] = []
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push(
      await inTurn(compared, async (target) => ({
        'one client': await load(target, { amount }, 'one client'),
        'many clients': await load(target, { amount }, 'many clients'),
      })),
    )
  }

  const over = (figure: (round: Round) => number) => spread(rounds.map(figure))
  const share = (of: number, by: number, clients: Clients) =>
    over((round) => round[by]![clients].cpuUs / round[of]![clients].cpuUs)
  const rows = compared.map((target, i) => [
    target.name,
    ...CLIENTS.flatMap((clients) => [
      show(
        over((round) => round[i]![clients].cpuUs),
        1,
      ),
      show(share(i, 0, clients), 2),
    ]),
  ])
  const [, framework] = compared
  const claim: Claim = {
    what: `${title}, swapgate: requests per CPU second relative to ${framework.name}`,
    figure: share(OURS, 1, 'one client'),
    is: 'above',
    bound: 1,
  }
  return { tables: [{ title, text: costText(amount), columns: COST_COLUMNS, rows }], claims: [claim] }
}

/** The service's index among the targets. */
const OURS = 2

interface Paced {
  readonly name: string
  readonly question: Question
}

function asksPaced(name: string, { url }: ServerProcess): Paced {
  const expected = balanceReply('1')
  const isAnswer = (answer: string): boolean => answer === expected
  return { name, question: { origin: url, path: '/api/solrpc', body: BALANCE_CALL, isAnswer } }
}

/** The servers are hot already. */
async function compareLatency(paced: readonly Paced[]): Promise<BenchReport> {
  const rounds: Latency[][] = []
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push(await inTurn(paced, ({ question }) => pace(() => [question], PACED.perSecond, PACED.seconds)))
  }

  const over = (figure: (round: readonly Latency[]) => number) => show(spread(rounds.map(figure)), 2)
  const rows = paced.map(({ name }, i) => [
    name,
    over((round) => round[i]!.p50Ms),
    over((round) => round[i]!.p50Ms - round[0]!.p50Ms),
    over((round) => round[i]!.p99Ms),
    over((round) => round[i]!.p99Ms - round[0]!.p99Ms),
  ])
  const title = `Relay read at ${PACED.perSecond.toLocaleString('en')} requests/s`
  return { tables: [{ title, text: LATENCY, columns: LATENCY_COLUMNS, rows }], claims: [] }
}

const BALANCE = {
  url: '/api/solrpc',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: BALANCE_CALL,
} as const

/** The same by autocannon, a second opinion on the generator of this bench. The servers are hot already. */
async function compareByAutocannon(
  title: string,
  request: Pick<autocannon.Options, 'url' | 'method' | 'headers' | 'body'>,
  ...servers: readonly ServerProcess[]
): Promise<BenchReport> {
  const rounds: { perSecond: number; p99Ms: number; cpuUs: number }[][] = []
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push(
      await inTurn(servers, async ({ url, pid }) => {
        const cpuBefore = cpuMs(pid)
        const options = { ...request, url: url + request.url, connections: 50, duration: PACED.seconds }
        const { requests, latency, errors, non2xx } = await autocannon(options)
        if (errors + non2xx > 0)
          throw new Error(`${title}: autocannon saw ${errors} errors, ${non2xx} refusals.`)
        const cpuUs = ((cpuMs(pid) - cpuBefore) * 1_000) / requests.total
        return { perSecond: requests.average, p99Ms: latency.p99, cpuUs }
      }),
    )
  }
  const rows = ['ceiling', 'Fastify 5', 'swapgate'].map((name, i) => {
    const over = (figure: (round: (typeof rounds)[number]) => number) => spread(rounds.map(figure))
    return [
      name,
      show(
        over((round) => round[i]!.perSecond),
        0,
      ),
      show(
        over((round) => round[i]!.cpuUs),
        1,
      ),
      show(
        over((round) => round[0]!.cpuUs / round[i]!.cpuUs),
        2,
      ),
      show(
        over((round) => round[i]!.p99Ms),
        1,
      ),
    ]
  })
  const columns = ['', 'requests/s', 'CPU µs/request', 'share of ceiling', 'p99 ms']
  return { tables: [{ title: `${title}, by autocannon`, text: AUTOCANNON, columns, rows }], claims: [] }
}

const AUTOCANNON = `autocannon with fifty connections of one client for ${PACED.seconds} s, ${ROUNDS} alternating rounds: a second opinion on the
generator above, which writes and reads sockets itself to leave the client's core to the stub.`

/** One round: each target once, one after the other. */
async function inTurn<Each, Result>(
  targets: readonly Each[],
  run: (target: Each) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const target of targets) results.push(await run(target))
  return results
}

/** Checks that all answer the same bytes, and that the ceiling sends no fewer headers than the service. */
async function checkAnswers(targets: readonly Target[]): Promise<void> {
  const counts = await inTurn(targets, checkAnswer)
  if (counts[0]! < counts[OURS]!) throw new Error(`${targets[0]!.name} sends fewer headers than the gateway.`)
}

const costText = (
  amount: number,
): string => `Processor time of all of a server's threads, user and kernel, for each request. Fifty connections, of one client or of fifty;
${ROUNDS} alternating rounds of ${amount.toLocaleString('en')} requests after ${WARM_UP.toLocaleString('en')}; median [min..max]. Servers on core 0, the client and the stub of
a node on core 1. Every answer is compared. The Fastify stack and the service write the same log line for each request, to
/dev/null; the ceiling logs nothing. A share is the ceiling's time by the server's. Reads are not shared unless a row says so.`
const COST_COLUMNS = [
  '',
  'one client, CPU µs/request',
  'share of ceiling',
  'many clients, CPU µs/request',
  'share of ceiling',
]

const LATENCY = `One request each millisecond, whether or not earlier answers have arrived; ${ROUNDS} alternating rounds of
${PACED.seconds} s; from sending to the last byte. Added time is relative to the unchecked forwarder in the same round.`
const LATENCY_COLUMNS = ['', 'p50 ms', 'p50 added', 'p99 ms', 'p99 added']
