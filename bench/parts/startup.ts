/**
 * The time from spawning the process until it listens, and its memory then, compared
 * with bare node:http. Linux only: memory is VmRSS of /proc.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchReport, type Claim, show, spread } from '../figures/report.ts'
import { BARE_ENVIRONMENT, CHAINS_BODY } from '../load/chains-body.ts'
import { load, repeated } from '../load/load.ts'
import {
  CLIENT_CORE,
  cpuMs,
  firstLine,
  freePort,
  GATEWAY,
  IMAGE,
  launch,
  type Program,
  peer,
  pinClient,
  residentMiB,
  SERVER_CORE,
  startServer,
  stop,
} from '../servers/process.ts'

const ROUNDS = 15
const SETTLE_MS = 1_000
const REQUESTS = 2_000

/** How much the container's program may take of what bare node:http takes, by processor time, and MiB above it. */
const MOST_STARTS = 4.2
const MOST_IDLE_MIB = 25

interface Start {
  readonly listeningMs: number
  readonly cpuMs: number
  readonly idleMiB: number
  readonly loadedMiB: number
}

export async function benchStartup(): Promise<BenchReport> {
  pinClient()
  const node = await startServer(peer('node'), {}, CLIENT_CORE)
  const environment = { MODE: 'live', SOLANA_RPC_URLS: node.url }
  for (const program of [GATEWAY, IMAGE]) await measureStart(program, environment) // loads the files into the page cache
  const rounds: [bare: Start, ours: Start, image: Start][] = []
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push([
      await measureStart(peer('bare'), BARE_ENVIRONMENT),
      await measureStart(GATEWAY, environment),
      await measureStart(IMAGE, environment),
    ])
  }
  await node.stop()

  const over = (figure: (round: (typeof rounds)[number]) => number) => spread(rounds.map(figure))
  const rows = ['bare node:http', 'swapgate, live', `swapgate, the container's bundle`].map((name, i) => {
    const listeningMs = over((round) => round[i]!.listeningMs)
    const cpu = over((round) => round[i]!.cpuMs)
    const share = over((round) => round[i]!.cpuMs / round[0].cpuMs)
    const idleMiB = over((round) => round[i]!.idleMiB)
    const loadedMiB = over((round) => round[i]!.loadedMiB)
    return [name, show(listeningMs, 0), show(cpu, 0), show(share, 2), show(idleMiB, 1), show(loadedMiB, 1)]
  })
  const claims: Claim[] = [
    {
      what: "the container's program: processor time of a start, times bare node:http's",
      figure: over(([bare, , image]) => image.cpuMs / bare.cpuMs),
      is: 'at most',
      bound: MOST_STARTS,
    },
    {
      what: "the container's program: MiB idle above bare node:http",
      figure: over(([bare, , image]) => image.idleMiB - bare.idleMiB),
      is: 'at most',
      bound: MOST_IDLE_MIB,
    },
  ]
  return { tables: [{ title: 'Start-up and memory', text: TEXT, columns: COLUMNS, rows }], claims }
}

async function measureStart(program: Program, environment: Readonly<Record<string, string>>): Promise<Start> {
  const port = await freePort()
  const startedAt = performance.now()
  const child = launch(program, SERVER_CORE, { PORT: String(port), ...environment }, 'pipe')
  await firstLine(child) // all programs write their first line when they listen
  const listeningMs = performance.now() - startedAt
  const cpuUsed = cpuMs(child.pid!)
  await sleep(SETTLE_MS)
  const idleMiB = residentMiB(child.pid!)
  const server = { url: `http://127.0.0.1:${port}`, pid: child.pid!, stop: () => stop(child) }
  const target = repeated('The server', server, '/api/chains', null, CHAINS_BODY.toString())
  await load(target, { amount: REQUESTS })
  const loadedMiB = residentMiB(child.pid!)
  await server.stop()
  return { listeningMs, cpuMs: cpuUsed, idleMiB, loadedMiB }
}

const TEXT = `Time from spawning the process to its log line that it listens; resident memory ${SETTLE_MS} ms later, and after
${REQUESTS.toLocaleString('en')} requests of GET /api/chains. ${ROUNDS} alternating starts on core 0, with the files in the page cache.
Where the container's memory misses its target, by half a MiB (December 2026): of about 25 MiB above bare node:http, 10 are live
objects, 7 pages of Node.js itself, 5 V8's young space, and 3 the program's text.`
const COLUMNS = [
  '',
  'ms to listening',
  'CPU ms until then',
  'times bare',
  'MiB idle',
  `MiB after ${REQUESTS.toLocaleString('en')} requests`,
]
