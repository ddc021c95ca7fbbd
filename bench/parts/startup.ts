/**
 * The time from spawning the process until it listens, and its memory then, compared
 * with bare node:http. Linux only: memory is VmRSS of /proc.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchReport, show, spread } from '../figures/report.ts'
import { BARE_ENVIRONMENT, CHAINS_BODY } from '../load/chains-body.ts'
import { load, repeated } from '../load/load.ts'
import {
  CLIENT_CORE,
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
const SETTLE_MS = 300
const REQUESTS = 2_000

interface Start {
  readonly listeningMs: number
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
    const idleMiB = over((round) => round[i]!.idleMiB)
    const loadedMiB = over((round) => round[i]!.loadedMiB)
    return [name, show(listeningMs, 0), show(idleMiB, 1), show(loadedMiB, 1)]
  })
  return { tables: [{ title: 'Start-up and memory', text: TEXT, columns: COLUMNS, rows }], claims: [] }
}

async function measureStart(program: Program, environment: Readonly<Record<string, string>>): Promise<Start> {
  const port = await freePort()
  const startedAt = performance.now()
  const child = launch(program, SERVER_CORE, { PORT: String(port), ...environment }, 'pipe')
  await firstLine(child) // all programs write their first line when they listen
  const listeningMs = performance.now() - startedAt
  await sleep(SETTLE_MS)
  const idleMiB = residentMiB(child.pid!)
  const server = { url: `http://127.0.0.1:${port}`, pid: child.pid!, stop: () => stop(child) }
  const target = repeated('The server', server, '/api/chains', null, CHAINS_BODY.toString())
  await load(target, { amount: REQUESTS })
  const loadedMiB = residentMiB(child.pid!)
  await server.stop()
  return { listeningMs, idleMiB, loadedMiB }
}

const TEXT = `Time from spawning the process to its log line that it listens; resident memory ${SETTLE_MS} ms later, and after
${REQUESTS.toLocaleString('en')} requests of GET /api/chains. ${ROUNDS} alternating starts on core 0, with the files in the page cache.`
const COLUMNS = ['', 'ms to listening', 'MiB idle', `MiB after ${REQUESTS.toLocaleString('en')} requests`]
