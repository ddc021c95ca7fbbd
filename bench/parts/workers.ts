/**
 * What threads of one process cost and gain: relay reads by processor time and memory, and how late reads are while
 * another client's batches of signatures are verified.
 */
import { availableParallelism } from 'node:os'
import { keypair } from '../../test/fixtures/transactions.ts'
import { type BenchReport, type Spread, show, spread } from '../figures/report.ts'
import { load, repeated, type Target } from '../load/load.ts'
import { pace, type Question } from '../load/pace.ts'
import { BALANCE_CALL, balanceReply } from '../load/replies.ts'
import { signedTransfer } from '../load/transfers.ts'
import {
  ALL_CORES,
  CLIENT_CORE,
  GATEWAY,
  peer,
  pinClient,
  residentMiB,
  type ServerProcess,
  startServer,
} from '../servers/process.ts'

const ROUNDS = 5
const COUNTS = [1, 2, 4, 8].filter((count) => count <= Math.max(4, availableParallelism()))
const WARM_UP = 30_000
const READS = 20_000
/** Reads whose latency counts, and the batches meanwhile. */
const PACED = { perSecond: 200, seconds: 4 }
const BATCHES_PER_SECOND = 10
const BATCH = 10

interface Setup {
  readonly workers: number
  readonly server: ServerProcess
}

export async function benchWorkers(): Promise<BenchReport> {
  pinClient()
  const node = await startServer(peer('node'), {}, CLIENT_CORE)
  const environment = {
    ...{
      MODE: 'live',
      SOLANA_RPC_URLS: node.url,
      SOLANA_READ_CACHE: 'off',
      WS_PORT: 'off',
      VERIFIER: 'noble',
    },
    LIMITS: 'rpcRead=1000000000/1000000000,rpcBatch=1000000000/1000000000',
  }
  const setups: Setup[] = []
  for (const workers of COUNTS) {
    const server = await startServer(GATEWAY, { ...environment, WORKERS: String(workers) }, ALL_CORES)
    setups.push({ workers, server })
  }
  for (const { workers, server } of setups)
    await load(asks(server), { amount: WARM_UP * workers }, 'many clients')
  const rounds: Round[][] = []
  for (let i = 0; i < ROUNDS; i++) {
    const round: Round[] = []
    for (const setup of setups) round.push(await measure(setup))
    rounds.push(round)
  }
  for (const { server } of setups) await server.stop()
  await node.stop()

  const over = (at: number, figure: (round: Round, first: Round) => number): Spread =>
    spread(rounds.map((round) => figure(round[at]!, round[0]!)))
  const rows = setups.map(({ workers }, at) => {
    const figures: [(round: Round, first: Round) => number, digits: number][] = [
      [({ perSecond }) => perSecond, 0],
      [({ cpuUs }) => cpuUs, 1],
      [(own, first) => own.cpuUs / first.cpuUs, 2],
      [({ mib }) => mib, 0],
      [({ p99Ms }) => p99Ms, 2],
      [({ busyP99Ms }) => busyP99Ms, 2],
    ]
    return [String(workers), ...figures.map(([figure, digits]) => show(over(at, figure), digits))]
  })
  return { tables: [{ title: 'Workers', text: TEXT, columns: COLUMNS, rows }], claims: [] }
}

interface Round {
  readonly perSecond: number
  readonly cpuUs: number
  /** Resident memory of the process. */
  readonly mib: number
  /** Of paced reads, alone and beside batches. */
  readonly p99Ms: number
  readonly busyP99Ms: number
}

async function measure({ server }: Setup): Promise<Round> {
  const { requestsPerSecond, cpuUs } = await load(asks(server), { amount: READS }, 'many clients')
  const read: Question = {
    origin: server.url,
    path: '/api/solrpc',
    body: BALANCE_CALL,
    isAnswer: (answer) => answer === balanceReply('1'),
  }
  const { perSecond, seconds } = PACED
  const alone = await pace(() => [read], perSecond, seconds)
  const [beside] = await Promise.all([
    pace(() => [read], perSecond, seconds),
    pace(() => [batchFor(server)], BATCHES_PER_SECOND, seconds),
  ])
  return {
    perSecond: requestsPerSecond,
    cpuUs,
    mib: residentMiB(server.pid),
    p99Ms: alone.p99Ms,
    busyP99Ms: beside.p99Ms,
  }
}

const asks = (server: ServerProcess): Target =>
  repeated('swapgate', server, '/api/solrpc', BALANCE_CALL, balanceReply('1'))

const SIGNER = keypair('batches')
let submissions = 0

/** Transactions that were not sent before, of which the last is not signed: all are verified, and none is sent. */
function batchFor({ url: origin }: ServerProcess): Question {
  const batch = Array.from({ length: BATCH }, () => signedTransfer(SIGNER, ++submissions))
  batch.at(-1)!.fill(1, 1, 33)
  const params = [batch.map((transaction) => transaction.toString('base64')), { encoding: 'base64' }]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransactions', params })
  return {
    origin,
    path: '/api/solrpc',
    body,
    status: 400,
    isAnswer: (answer) => answer.includes('signature'),
  }
}

const TEXT = `Relay reads, none shared, from fifty connections, ${READS.toLocaleString('en')} a round; the p99 is of ${PACED.perSecond} reads a second, alone and
beside ${BATCHES_PER_SECOND} batches a second of ${BATCH} transactions, whose signatures noble verifies on the event loop. The servers on both cores,
the client and the stub node on one of them: so requests a second say little here, and processor time does. ${ROUNDS} rounds in
alternation after a warm-up; median [min..max].`
const COLUMNS = [
  'workers',
  'reads/s',
  'CPU µs/read, all threads',
  'of one',
  'MiB',
  'p99 ms',
  'p99 ms beside batches',
]
