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
  GATEWAY,
  type Program,
  peer,
  pinClient,
  SERVER_CORE,
  type ServerProcess,
  startServer,
} from '../servers/process.ts'
import { haproxy, nginx } from '../servers/proxies.ts'
import { NEXT, nodeOf } from '../servers/versions.ts'

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

/** What one version of Node.js runs, and proxies beside it: the ceiling first. */
interface Fleet {
  readonly chains: readonly Target[]
  readonly reads: readonly Target[]
}

export async function benchHttp(): Promise<BenchReport> {
  pinClient()
  const node = await startServer(peer('node'), {}, CLIENT_CORE)
  const behind = await startServer(peer('bare'), BARE_ENVIRONMENT, CLIENT_CORE)
  const fleet = await startFleet(process.execPath, node, [
    ['nginx', await nginx(behind.url), await nginx(node.url)],
    ['HAProxy', await haproxy(behind.url), await haproxy(node.url)],
  ])
  const next = await startFleet(nodeOf(NEXT), node, [])
  const parts = [
    await compareCost('GET /api/chains', fleet.chains, next.chains, CHAINS_AMOUNT, 0.8),
    await compareCost('Relay read, getBalance', fleet.reads, next.reads, READ_AMOUNT, 0.65),
    await compareLatency(fleet.reads.filter(({ name }) => !name.includes('shared')).map(asksPaced)),
    await compareByAutocannon('GET /api/chains', { url: '/api/chains' }, fleet.chains),
    await compareByAutocannon('Relay read, getBalance', BALANCE, fleet.reads),
  ]
  const targets = [fleet, next].flatMap(({ chains, reads }) => [...chains, ...reads])
  const servers = new Set([node, behind, ...targets.map(({ server }) => server)])
  await Promise.all([...servers].map((server) => server.stop()))
  return { tables: parts.flatMap(({ tables }) => tables), claims: parts.flatMap(({ claims }) => claims) }
}

type Proxy = readonly [name: string, toChains: ServerProcess | null, toNode: ServerProcess | null]

async function startFleet(program: string, node: ServerProcess, proxies: readonly Proxy[]): Promise<Fleet> {
  const environment = { UPSTREAM: node.url, MODE: 'live', SOLANA_RPC_URLS: node.url, LIMITS }
  const start = (what: Program, more: Readonly<Record<string, string>> = {}) =>
    startServer(what, { ...environment, ...more }, SERVER_CORE, program)
  // Every read becomes an upstream call, as with the peers: nothing is coalesced.
  const alone = { SOLANA_READ_CACHE: 'off' }
  const bare = await start(peer('bare'), BARE_ENVIRONMENT)
  const fastify = await start(peer('fastify'))
  const plain = await start(GATEWAY, alone)
  const quiet = await start(GATEWAY, { ...alone, LOG_LEVEL: 'error' })
  const ask = (asks: typeof asksChains, name: string, proxy: ServerProcess | null) =>
    proxy === null ? [] : [asks(name, proxy)]
  return {
    chains: [
      // The bare server logs nothing, and has no request id, limits or CORS to handle.
      asksChains('bare node:http', bare),
      ...proxies.flatMap(([name, toChains]) => ask(asksChains, `${name} before it`, toChains)),
      asksChains('Fastify 5', fastify),
      asksChains(OURS, plain),
      asksChains(QUIET, quiet),
    ],
    reads: [
      // The ceiling omits what no gateway can: parsing JSON, a deadline, noticing that a client disconnects.
      asksBalance('unchecked forwarder', await start(peer('forwarder'))),
      ...proxies.flatMap(([name, , toNode]) => ask(asksBalance, name, toNode)),
      asksBalance('Fastify 5, @fastify/http-proxy', fastify),
      asksBalance(OURS, plain),
      asksBalance(QUIET, quiet),
      asksBalance(`${OURS}, reads shared`, await start(GATEWAY)),
    ],
  }
}

const OURS = 'swapgate'
const QUIET = 'swapgate, LOG_LEVEL=error'

const asksChains = (name: string, server: ServerProcess): Target =>
  repeated(name, server, '/api/chains', null, CHAINS_BODY.toString())

const asksBalance = (name: string, server: ServerProcess): Target =>
  repeated(name, server, '/api/solrpc', BALANCE_CALL, balanceReply('1'))

/** What the load of each kind of clients cost a target. */
type Costs = Readonly<Record<Clients, Load>>

/** @param target  share of the ceiling that the service has to reach without a line for each request */
async function compareCost(
  title: string,
  targets: readonly Target[],
  onNext: readonly Target[],
  amount: number,
  target: number,
): Promise<BenchReport> {
  await checkAnswers(targets)
  const all = [...targets, ...onNext]
  for (const one of all) {
    for (const clients of CLIENTS) await load(one, { amount: WARM_UP / CLIENTS.length }, clients)
  }
  const rounds: (readonly Costs[])[] = []
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push(
      await inTurn(all, async (one) => ({
        'one client': await load(one, { amount }, 'one client'),
        'many clients': await load(one, { amount }, 'many clients'),
      })),
    )
  }

  const over = (figure: (round: readonly Costs[]) => number) => spread(rounds.map(figure))
  const share = (ceiling: number, of: number, clients: Clients) =>
    over((round) => round[ceiling]![clients].cpuUs / round[of]![clients].cpuUs)
  const nextAt = (name: string): number => {
    const found = onNext.findIndex((one) => one.name === name)
    return found === -1 ? -1 : targets.length + found
  }
  const rows = targets.map(({ name }, i) => [
    name,
    ...CLIENTS.flatMap((clients) => [
      show(
        over((round) => round[i]![clients].cpuUs),
        1,
      ),
      show(share(0, i, clients), 2),
    ]),
    ...CLIENTS.map((clients) =>
      nextAt(name) === -1 ? '' : show(share(targets.length, nextAt(name), clients), 2),
    ),
  ])
  const quietAt = targets.findIndex(({ name }) => name === QUIET)
  const claims = (['this Node.js', `Node.js ${NEXT}`] as const).map((version, nth): Claim => {
    const figure =
      nth === 0 ? share(0, quietAt, 'many clients') : share(targets.length, nextAt(QUIET), 'many clients')
    return {
      what: `${title}, ${QUIET}, many clients: share of the ceiling on ${version}`,
      figure,
      is: 'at least',
      bound: target,
    }
  })
  return { tables: [{ title, text: costText(amount), columns: COST_COLUMNS, rows }], claims }
}

interface Paced {
  readonly name: string
  readonly question: Question
}

function asksPaced({ name, server: { url } }: Target): Paced {
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
  targets: readonly Target[],
): Promise<BenchReport> {
  const rounds: { perSecond: number; p99Ms: number; cpuUs: number }[][] = []
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push(
      await inTurn(targets, async ({ server: { url, pid } }) => {
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
  const rows = targets.map(({ name }, i) => {
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
  const ours = targets.findIndex(({ name }) => name === OURS)
  if (counts[0]! < counts[ours]!) throw new Error(`${targets[0]!.name} sends fewer headers than the gateway.`)
}

const costText = (
  amount: number,
): string => `Processor time of all of a server's threads, user and kernel, for each request. Fifty connections, of one client or of fifty;
${ROUNDS} alternating rounds of ${amount.toLocaleString('en')} requests after ${WARM_UP.toLocaleString('en')}; median [min..max]. Servers on core 0, the client and the stub of
a node on core 1. Every answer is compared. Fastify and the service write the same log line for each request, to /dev/null; the
others log nothing, and check nothing. A share is the ceiling's time by the server's; in the last columns both run on
Node.js ${NEXT}. Reads are not shared unless a row says so. On Node.js 26
reads were 0.55 and 0.74 of the ceiling in two runs of one hour (December 2026): not yet a target that is held there.`
const COST_COLUMNS = [
  '',
  'one client, CPU µs/request',
  'share of ceiling',
  'many clients, CPU µs/request',
  'share of ceiling',
  `one client, share on ${NEXT}`,
  `many clients, share on ${NEXT}`,
]

const LATENCY = `One request each millisecond, whether or not earlier answers have arrived; ${ROUNDS} alternating rounds of
${PACED.seconds} s; from sending to the last byte. Added time is relative to the unchecked forwarder in the same round.`
const LATENCY_COLUMNS = ['', 'p50 ms', 'p50 added', 'p99 ms', 'p99 added']
