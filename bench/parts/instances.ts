/**
 * What instances on one host cost: relay reads against one without Redis, then one, two and four
 * that share a Redis on a Unix socket, by the processor time of all of them, Redis included; and
 * how much later an answer comes because Redis decides its budget.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchReport, type Spread, show, spread } from '../figures/report.ts'
import { load, repeated, type Target } from '../load/load.ts'
import { pace } from '../load/pace.ts'
import { BALANCE_CALL, balanceReply } from '../load/replies.ts'
import {
  CLIENT_CORE,
  cpuMs,
  GATEWAY,
  peer,
  pinClient,
  residentMiB,
  SERVER_CORE,
  type ServerProcess,
  startServer,
  stop,
} from '../servers/process.ts'

const ROUNDS = 5
const COUNTS = [1, 2, 4]
/** Of each instance, before anything is measured. */
const WARM_UP = 10_000
/** Of a round, over all instances. */
const READS = 8_000
/** So low that no request waits for another. */
const PACED = { perSecond: 200, seconds: 5 }
const POLL_MS = 10

interface Setup {
  readonly name: string
  readonly instances: readonly ServerProcess[]
  /** Null if each decides alone. */
  readonly redis: ChildProcess | null
}

export async function benchInstances(): Promise<BenchReport> {
  pinClient()
  const node = await startServer(peer('node'), {}, CLIENT_CORE)
  const folder = mkdtempSync(join(tmpdir(), 'swapgate-bench-'))
  const socket = join(folder, 'redis.sock')
  const redis = await startRedis(socket)
  const environment = {
    ...{ MODE: 'live', SOLANA_RPC_URLS: node.url, SOLANA_READ_CACHE: 'off', WS_PORT: 'off' },
    LIMITS: 'rpcRead=1000000000/1000000000',
  }
  const shared = { REDIS_URL: `unix://${socket}`, QUOTE_SECRET: 's'.repeat(32) }
  const start = (count: number, more: Readonly<Record<string, string>>): Promise<ServerProcess[]> =>
    Promise.all(Array.from({ length: count }, () => startServer(GATEWAY, { ...environment, ...more })))
  const setups: Setup[] = [{ name: 'one, without Redis', instances: await start(1, {}), redis: null }]
  for (const count of COUNTS) {
    setups.push({ name: `${count}, with Redis`, instances: await start(count, shared), redis })
  }
  for (const { instances } of setups) {
    for (const server of instances) await load(asks(server), { amount: WARM_UP }, 'many clients')
  }
  const rounds: Round[][] = []
  for (let i = 0; i < ROUNDS; i++) {
    const round: Round[] = []
    for (const setup of setups) round.push(await measure(setup))
    rounds.push(round)
  }
  await Promise.all(setups.flatMap(({ instances }) => instances.map((server) => server.stop())))
  await stop(redis)
  await node.stop()
  rmSync(folder, { recursive: true })

  const over = (at: number, figure: (round: Round, first: Round) => number): Spread =>
    spread(rounds.map((round) => figure(round[at]!, round[0]!)))
  const rows = setups.map(({ name }, at) => [
    name,
    show(
      over(at, ({ cpuUs }) => cpuUs),
      1,
    ),
    show(
      over(at, (own, first) => own.cpuUs / first.cpuUs),
      2,
    ),
    show(
      over(at, ({ redisUs }) => redisUs),
      1,
    ),
    show(
      over(at, ({ p50Ms }) => p50Ms),
      3,
    ),
    show(
      over(at, ({ mib }) => mib),
      0,
    ),
  ])
  return {
    tables: [{ title: 'Instances on one host', text: TEXT, columns: COLUMNS, rows }],
    claims: [],
  }
}

interface Round {
  /** Processor time of all instances and of Redis, a request. */
  readonly cpuUs: number
  /** Of it in Redis. */
  readonly redisUs: number
  readonly p50Ms: number
  /** Resident memory of all of them. */
  readonly mib: number
}

async function measure({ instances, redis }: Setup): Promise<Round> {
  const processes = [...instances.map(({ pid }) => pid), ...(redis === null ? [] : [redis.pid!])]
  const spent = () => ({
    all: processes.reduce((sum, pid) => sum + cpuMs(pid), 0),
    redis: redis === null ? 0 : cpuMs(redis.pid!),
  })
  const before = spent()
  const amount = READS / instances.length
  await Promise.all(instances.map((server) => load(asks(server), { amount }, 'many clients')))
  const after = spent()
  const isAnswer = (answer: string): boolean => answer === balanceReply('1')
  const question = { origin: instances[0]!.url, path: '/api/solrpc', body: BALANCE_CALL, isAnswer }
  const { p50Ms } = await pace(() => [question], PACED.perSecond, PACED.seconds)
  return {
    cpuUs: (1_000 * (after.all - before.all)) / READS,
    redisUs: (1_000 * (after.redis - before.redis)) / READS,
    p50Ms,
    mib: processes.reduce((sum, pid) => sum + residentMiB(pid), 0),
  }
}

const asks = (server: ServerProcess): Target =>
  repeated('swapgate', server, '/api/solrpc', BALANCE_CALL, balanceReply('1'))

/** On the servers' core, on a Unix socket alone. @throws Error  where it is not installed */
async function startRedis(socket: string): Promise<ChildProcess> {
  const settings = ['--port', '0', '--unixsocket', socket, '--save', '', '--appendonly', 'no']
  const child = spawn('taskset', ['-c', String(SERVER_CORE), 'redis-server', ...settings], {
    stdio: 'ignore',
  })
  process.once('exit', () => child.kill('SIGKILL'))
  while (!existsSync(socket)) {
    if (child.exitCode !== null) throw new Error('`bench -- instances` needs redis-server.')
    await sleep(POLL_MS)
  }
  return child
}

const TEXT = `Relay reads, none shared, from fifty connections to each instance, ${READS.toLocaleString('en')} a round, spread
evenly; each with addresses of its own. All instances and Redis on core 0, the client and the stub node on core 1: with two
cores, more instances show no more throughput, but what each request costs. p50 is of one instance at ${PACED.perSecond} requests a
second. ${ROUNDS} rounds in alternation.`
const COLUMNS = ['instances', 'CPU µs/request, all', 'of the first', 'of it Redis', 'p50 ms', 'MiB, all']
