/**
 * Three times the load that the gateway can answer: how much of its peak throughput it
 * keeps, and for which requests. The mixture is that of wallets; the requests come from
 * many clients, and no client sends more than another.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { keypair } from '../../test/fixtures/transactions.ts'
import { type BenchReport, show, spread } from '../figures/report.ts'
import { percentile } from '../load/load.ts'
import { type Prepared, prepare, RawClients } from '../load/raw-clients.ts'
import { ACCOUNTS, startSiegeNode } from '../load/siege-node.ts'
import { signedTransfer } from '../load/transfers.ts'
import {
  acquire,
  CLIENT_CORE,
  cpuMs,
  firstLine,
  GATEWAY,
  launch,
  peer,
  pinClient,
  providerUrls,
  SANDBOX,
  SERVER_CORE,
  startServer,
  stop,
} from '../servers/process.ts'

/** No multiple of the mixture's length: each client sends all kinds in turn. */
const CLIENTS = 399
const PEAK_CONNECTIONS = 20
/** More than can wait at once; otherwise the client itself would hold requests back. */
const OPEN_CONNECTIONS = 2_000
const SECONDS = 10
const WARM_UP_SECONDS = 3
/** Until the server has taken the connections: they are those of clients that were there before the overload. */
const ACCEPT_MS = 1_000
const COST_SECONDS = 2
const REFUSER_SECONDS = 5
const ROUNDS = 3
/** Clients of a burst, with one request each. */
const BURST = 1_000
const TIMES = 3
/** Processes that load the gateway's core; without them the clients could not send three times the peak. */
const OTHERS = 1
/** Until load shedding ends. */
const RECOVERY_MS = 4_000
/** A later answer is useless to its client. */
const USEFUL_MS = 1_000
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const BRETT = '0x532f27101965dd16442E59d40670FaF5eBB142E4'
const WALLET = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const ORDER = { chain: 'base', side: 'buy', token: USDC, amount: '0.1', slippageBps: '50', from: WALLET }

/** The kinds of twenty consecutive requests. */
const MIXTURE = [
  'research',
  'quote',
  'read',
  'research',
  'read',
  'quote',
  'research',
  'read',
  'research',
  'quote',
  'read',
  'research',
  'read',
  'build',
  'research',
  'quote',
  'read',
  'research',
  'submission',
  'read',
] as const
/** The research requests, which alternate. */
const RESEARCH: readonly ((i: number) => string)[] = [
  () => '/api/tokens?limit=20',
  (i) => `/api/portfolio?address=${walletOf(i)}&chains=base`,
  () => `/api/token/base/${BRETT}`,
  () => '/api/tokens?limit=20',
  (i) => `/api/portfolio?address=${walletOf(i)}&chains=base`,
  () => `/api/token/base/${BRETT}`,
  () => '/api/native-history?chain=base',
]
/** Every second one is known, and the others are new, so that what a portfolio costs does not depend on the load. */
const walletOf = (i: number): string => `0x${(i % 2 === 0 ? i : i % 20).toString(16).padStart(40, '0')}`
type Kind = (typeof MIXTURE)[number]
const KINDS: readonly Kind[] = ['research', 'read', 'quote', 'build', 'submission']
/** Processor time of an answer, ms. */
type Costs = Readonly<Record<Kind, number>>
const zeros = (): Record<Kind, number> => ({ research: 0, read: 0, quote: 0, build: 0, submission: 0 })

/** Counts answers by their usefulness. */
class Tally {
  /** Times of useful answers, by kind, ms. */
  readonly times: Record<Kind, number[]> = { research: [], read: [], quote: [], build: [], submission: [] }
  readonly sent = zeros()
  shed = 0
  /** Answers that are neither useful nor a 503 with Retry-After, by kind and status. */
  readonly others = new Map<string, number>()

  readonly note = (name: string, status: number, ms: number, hasRetryAfter: boolean): void => {
    const kind = name as Kind
    this.sent[kind]++
    if (status === 200 && ms <= USEFUL_MS) this.times[kind].push(ms)
    else if (status === 503 && hasRetryAfter) this.shed++
    else {
      const what = `${kind} ${status === 200 ? 'late' : status}`
      this.others.set(what, (this.others.get(what) ?? 0) + 1)
    }
  }

  get useful(): number {
    return KINDS.reduce((sum, kind) => sum + this.times[kind].length, 0)
  }

  /** Useful answers, in percent of the requests sent. */
  served(kind: Kind): number {
    return (100 * this.times[kind].length) / Math.max(1, this.sent[kind])
  }

  /**
   * @returns the processor time that all useful answers are worth, ms
   */
  work(costs: Costs): number {
    return KINDS.reduce((sum, kind) => sum + this.times[kind].length * costs[kind], 0)
  }
}

export async function benchOverload(): Promise<BenchReport> {
  pinClient()
  const world = launch(SANDBOX, CLIENT_CORE, { PORT: '0' }, 'pipe')
  const sandbox = JSON.parse(await firstLine(world)) as Sandbox
  const node = await startSiegeNode()
  const environment = {
    ...providerUrls(sandbox),
    MODE: 'live',
    LIMITS: 'swap=off,portfolio=off,rpcRead=off,rpcSend=off',
    IN_FLIGHT: 'off',
    SOLANA_RPC_URLS: node.url,
    // The gateway would send accepted transactions again, because the node never shows them in a block.
    SOLANA_MAX_RETRIES: '0',
    RPC_URLS_BASE: `${sandbox.urls.evm}/base`,
  }
  const bursts: Burst[] = []
  for (let i = 0; i < ROUNDS; i++) bursts.push(await coldBurst(environment))
  const server = await startServer(GATEWAY, environment)
  const refuser = await startServer(peer('refuser'))
  const others = Array.from({ length: OTHERS }, () => acquire(SERVER_CORE))
  const questions = await Questions.of(server.url)
  const next = () => questions.next()
  /** Runs one load, and resolves when its last answer has arrived. */
  const run = async (
    { url, pid }: { readonly url: string; readonly pid: number },
    connections: number,
    ask: () => Prepared,
    how: (clients: RawClients) => Promise<void>,
  ): Promise<Run> => {
    await questions.refresh()
    const tally = new Tally()
    const clients = await RawClients.open(url, connections, ask, tally.note)
    await sleep(ACCEPT_MS)
    const before = { cpu: cpuMs(pid), beside: cpuMs(process.pid) + cpuMs(world.pid!), at: performance.now() }
    await how(clients)
    clients.close()
    if (clients.missed > 0) tally.others.set('no connection was free', clients.missed)
    const beside = cpuMs(process.pid) + cpuMs(world.pid!) - before.beside
    return { tally, cpu: cpuMs(pid) - before.cpu, besidePart: beside / (performance.now() - before.at) }
  }
  const peakOf = (ask: () => Prepared, seconds: number) =>
    run(server, PEAK_CONNECTIONS, ask, (clients) => clients.saturate(seconds))

  for (let i = 0; i < 2; i++) await peakOf(next, WARM_UP_SECONDS)
  const costsOf = async (): Promise<Costs> => {
    const costs = zeros()
    for (const kind of KINDS) {
      const { tally, cpu } = await peakOf(() => questions.of(kind), COST_SECONDS)
      costs[kind] = cpu / Math.max(1, tally.useful)
    }
    return costs
  }
  // Compiles the code of each kind.
  await costsOf()
  const rounds: Round[] = []
  for (let i = 0; i < ROUNDS; i++) {
    await sleep(RECOVERY_MS)
    const peak = await peakOf(next, SECONDS)
    const costs = await costsOf()
    const perSecond = peak.tally.useful / SECONDS
    const flood = (seconds: number) => (clients: RawClients) => clients.pace(TIMES * perSecond, seconds)
    const over = await run(server, OPEN_CONNECTIONS, next, flood(SECONDS))
    const bare = await run(refuser, OPEN_CONNECTIONS, next, flood(REFUSER_SECONDS))
    const round = { peak, over, perSecond, costs, refusalMs: bare.cpu / Math.max(1, bare.tally.shed) }
    rounds.push(round)
    console.log(`  processor time: ${peak.cpu} ms at the peak, ${over.cpu} ms in the overload`)
    console.log(`  the other core is used to ${peak.besidePart.toFixed(2)} and ${over.besidePart.toFixed(2)}`)
    console.log(`  a bare 503 takes ${(1_000 * round.refusalMs).toFixed(0)} µs`)
    for (const [what, count] of over.tally.others) console.log(`  ${count} × ${what}`)
  }
  await Promise.all([server.stop(), refuser.stop(), node.close(), stop(world), ...others.map(stop)])
  return reportOf(rounds, bursts)
}

/** What a gateway answers that has just started when many clients each send a read at once. */
interface Burst {
  readonly refused: number
  /** Until the last answer, ms. */
  readonly lastMs: number
}

async function coldBurst(environment: Readonly<Record<string, string>>): Promise<Burst> {
  const server = await startServer(GATEWAY, environment)
  let count = 0
  const ask = (): Prepared => {
    const i = count++
    return prepare('read', '/api/solrpc', readOf(i), `10.2.${i >> 8}.${i & 255}`)
  }
  const times: number[] = []
  let refused = 0
  const clients = await RawClients.open(server.url, BURST, ask, (_kind, status, ms) => {
    times.push(ms)
    if (status !== 200) refused++
  })
  await sleep(ACCEPT_MS)
  await clients.burst()
  clients.close()
  await server.stop()
  if (times.length !== BURST) throw new Error(`Of ${BURST} requests of a burst, ${times.length} were sent.`)
  return { refused, lastMs: Math.max(...times) }
}

interface Run {
  readonly tally: Tally
  /** Processor time of the server, ms. */
  readonly cpu: number
  /** The part of the other core that the clients, the providers and the node took, 0 to 1. */
  readonly besidePart: number
}

interface Round {
  readonly peak: Run
  readonly over: Run
  readonly perSecond: number
  readonly costs: Costs
  /** Processor time of a 503 of a server that does nothing else, at the same rate, ms. */
  readonly refusalMs: number
}

/** What is left for useful work where what was shed costs no more than a bare 503. */
const mostOf = ({ over, refusalMs }: Round): number => 1 - (over.tally.shed * refusalMs) / over.cpu

function reportOf(rounds: readonly Round[], bursts: readonly Burst[]): BenchReport {
  const of = (figure: (round: Round) => number) => spread(rounds.map(figure))
  const costs = Object.fromEntries(
    KINDS.map((kind) => [kind, of((round) => round.costs[kind]).median]),
  ) as Costs
  const timesOf = (tally: Tally, kind: Kind): number => {
    const sorted = [...tally.times[kind]].sort((a, b) => a - b)
    return sorted.length === 0 ? 0 : percentile(sorted, 99)
  }
  const rows = KINDS.map((kind) => [
    kind,
    show(
      of(({ peak }) => peak.tally.times[kind].length / SECONDS),
      0,
    ),
    show(
      of((round) => 1_000 * round.costs[kind]),
      0,
    ),
    show(
      of(({ over }) => over.tally.times[kind].length / SECONDS),
      0,
    ),
    show(
      of(({ over }) => over.tally.served(kind)),
      0,
    ),
    show(
      of(({ over }) => timesOf(over.tally, kind)),
      0,
    ),
  ])
  const all = [
    'all',
    show(
      of(({ perSecond }) => perSecond),
      0,
    ),
    '',
    show(
      of(({ over }) => over.tally.useful / SECONDS),
      0,
    ),
    show(
      of(({ over, perSecond }) => (100 * over.tally.useful) / (TIMES * perSecond * SECONDS)),
      0,
    ),
    '',
  ]
  const limits = [
    show(
      of(({ over }) => over.tally.shed / SECONDS),
      0,
    ),
    show(
      of(({ refusalMs }) => 1_000 * refusalMs),
      0,
    ),
    show(of(mostOf), 2),
  ]
  return {
    tables: [
      { title: `Overload: ${TIMES} times the peak`, text: TEXT, columns: COLUMNS, rows: [...rows, all] },
      {
        title: 'A burst on a cold gateway',
        text: BURST_TEXT,
        columns: ['refused', 'last answer, ms'],
        rows: [
          [
            show(spread(bursts.map(({ refused }) => refused)), 0),
            show(spread(bursts.map(({ lastMs }) => lastMs)), 0),
          ],
        ],
      },
      { title: 'What refusals leave', text: LIMIT_TEXT, columns: LIMIT_COLUMNS, rows: [limits] },
    ],
    claims: [
      {
        what: 'overload: useful work per second of processor time, relative to the peak',
        figure: of(
          ({ peak, over }) => over.tally.work(costs) / over.cpu / (peak.tally.work(costs) / peak.cpu),
        ),
        is: 'at least',
        bound: 0.8,
      },
      {
        what: 'overload: builds and submissions answered, percent',
        figure: of(({ over }) => Math.min(over.tally.served('build'), over.tally.served('submission'))),
        is: 'at least',
        bound: 99,
      },
      {
        what: `overload: refused of ${BURST.toLocaleString('en')} reads that as many clients send a cold gateway at once`,
        figure: spread(bursts.map(({ refused }) => refused)),
        is: 'at most',
        bound: 0,
      },
    ],
  }
}

/** Requests of many clients in rotation; no two reads or submissions are the same. */
class Questions {
  readonly #url: string
  #count = 0
  #nth = 0
  #build = ''

  private constructor(url: string) {
    this.#url = url
  }

  static async of(url: string): Promise<Questions> {
    const questions = new Questions(url)
    await questions.refresh()
    return questions
  }

  /** Gets a new quote for the builds that follow, while it is fresh. */
  async refresh(): Promise<void> {
    const response = await fetch(`${this.#url}/api/quote?${new URLSearchParams(ORDER)}`)
    // The gateway may still be shedding the load of the run before.
    if (response.status === 503) {
      await sleep(1_000 * Number(response.headers.get('retry-after')))
      return this.refresh()
    }
    if (!response.ok) throw new Error(`The gateway gave no quote: ${await response.text()}`)
    this.#build = JSON.stringify({
      ...ORDER,
      slippageBps: Number(ORDER.slippageBps),
      quote: await response.json(),
    })
  }

  next(): Prepared {
    return this.of(MIXTURE[this.#nth++ % MIXTURE.length]!)
  }

  of(kind: Kind): Prepared {
    const i = ++this.#count
    const nth = i % CLIENTS
    const client = `10.1.${nth % 2}.${nth >> 1}`
    if (kind === 'research') return prepare(kind, RESEARCH[i % RESEARCH.length]!(i), null, client)
    if (kind === 'quote') {
      const order = new URLSearchParams({ ...ORDER, amount: `0.${1_000_000 + (i % 8_000_000)}` })
      return prepare(kind, `/api/quote?${order}`, null, client)
    }
    if (kind === 'build') return prepare(kind, '/api/build', this.#build, client)
    const body = kind === 'read' ? readOf(i) : submissionOf(i)
    return prepare(kind, '/api/solrpc', body, client)
  }
}

const SIGNER = keypair('overload')
const rpc = (method: string, params: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const readOf = (i: number): string => rpc('getBalance', [ACCOUNTS.quick, { minContextSlot: i }])
const submissionOf = (i: number): string =>
  rpc('sendTransaction', [signedTransfer(SIGNER, i).toString('base64'), { encoding: 'base64' }])

const TEXT = `The gateway has half of core 0, because another process loads that core too; the clients, the simulated providers and a Solana
node that answers at once share core 1. At the peak, ${PEAK_CONNECTIONS} connections send their next request when they have an answer. In the
overload, ${TIMES} times as many requests as were answered come at a constant rate, over up to ${OPEN_CONNECTIONS.toLocaleString('en')} connections, from ${CLIENTS} clients; ${ROUNDS} rounds
of ${SECONDS} s. An answer is useful within ${USEFUL_MS} ms of the time its request was due. An overload leaves the most expensive requests, so
answers are weighted by the processor time that their kind takes at the peak, measured in each round. The rest should get 503 with Retry-After.`
const BURST_TEXT = `A gateway that has just started, with a thousand open connections of as many clients, each of which sends a read at once.`
const LIMIT_TEXT = `A server that answers every request with the same 503 by node:http alone, under the same rate, clients and neighbour. What
is left for useful work if each request that was shed costs only that is the most that a gateway on node:http can keep.`
const LIMIT_COLUMNS = ['shed, answers/s', 'a bare 503, µs', 'left for useful work, part']
const COLUMNS = ['', 'peak, answers/s', 'processor time, µs', 'answers/s', 'answered, %', 'p99 ms']
