/** What RECORD_DIR costs while every request is recorded: two gateways of the same build, one of which records. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { type BenchReport, type Claim, show, spread } from '../figures/report.ts'
import { pace, type Question } from '../load/pace.ts'
import { BALANCE_CALL } from '../load/replies.ts'
import {
  CLIENT_CORE,
  cpuMs,
  firstLine,
  GATEWAY,
  launch,
  pinClient,
  providerUrls,
  SANDBOX,
  type ServerProcess,
  startServer,
  stop,
} from '../servers/process.ts'

const SETTLE_MS = 5_000
const ROUNDS = 7
const SECONDS = 3
const WARM_UP_SECONDS = 10
/** The most processor time with every request recorded, as a multiple of that without. */
const BOUND = 1.15

interface Kind {
  readonly name: string
  readonly perSecond: number
  path(): string
  /** Of a POST. */
  readonly body?: string
  /** A part of each answer. */
  readonly answer: string
}

const quote = (amount: string): string => {
  const token = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
  const from = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
  const order = { chain: 'base', side: 'buy', token, amount, slippageBps: '50', from }
  return `/api/quote?${new URLSearchParams(order)}`
}

let quotes = 0

const KINDS: readonly Kind[] = [
  {
    name: 'a quote that asks the providers',
    perSecond: 150,
    path: () => quote(`0.1${String(++quotes).padStart(9, '0')}`),
    answer: '"minOut"',
  },
  { name: 'a quote from a shared answer', perSecond: 200, path: () => quote('0.2'), answer: '"minOut"' },
  {
    name: 'a relay read, not shared',
    perSecond: 500,
    path: () => '/api/solrpc',
    body: BALANCE_CALL,
    answer: '"value":',
  },
]

export async function benchRecording(): Promise<BenchReport> {
  pinClient()
  const world = launch(SANDBOX, CLIENT_CORE, { PORT: '0' }, 'pipe')
  const sandbox = JSON.parse(await firstLine(world)) as Sandbox
  const rows: string[][] = []
  const claims: Claim[] = []
  for (const kind of KINDS) {
    const { off, on, kib } = await compare(kind, sandbox)
    const ratio = spread(on.map((us, i) => us / off[i]!))
    rows.push([kind.name, show(spread(off), 0), show(spread(on), 0), show(ratio, 2), kib.toFixed(1)])
    claims.push({ what: `recorded/not: ${kind.name}`, figure: ratio, is: 'at most', bound: BOUND })
  }
  await stop(world)
  return { tables: [{ title: 'Recording every request', text: TEXT, columns: COLUMNS, rows }], claims }
}

async function compare(kind: Kind, sandbox: Sandbox) {
  const dir = mkdtempSync(join(tmpdir(), 'swapgate-bench-'))
  const environment = {
    MODE: 'live',
    ...providerUrls(sandbox),
    SOLANA_RPC_URLS: sandbox.solanaUrl,
    SOLANA_READ_CACHE: 'off',
    RPC_URLS_BASE: `${sandbox.urls.evm}/base`,
    LIMITS: 'swap=off,rpcRead=off',
    TRUSTED_PROXIES: 'loopback',
  }
  const [off, on] = [
    await startServer(GATEWAY, environment),
    await startServer(GATEWAY, { ...environment, RECORD_DIR: dir, RECORD_MIB: '100000' }),
  ]
  // What starts may be overloaded.
  await sleep(SETTLE_MS)
  for (const server of [off, on]) await costUs(kind, server, WARM_UP_SECONDS)
  const costs = { off: [] as number[], on: [] as number[] }
  for (let i = 0; i < ROUNDS; i++)
    for (const which of i % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const))
      costs[which].push(await costUs(kind, which === 'off' ? off : on, SECONDS))
  await Promise.all([off.stop(), on.stop()])
  const bytes = readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
  rmSync(dir, { recursive: true })
  return { ...costs, kib: bytes / 1_024 / (kind.perSecond * (WARM_UP_SECONDS + ROUNDS * SECONDS)) }
}

let clients = 0

/** @returns the server's processor time of a request, µs */
async function costUs(kind: Kind, { url, pid }: ServerProcess, seconds: number): Promise<number> {
  const { perSecond, path, body = null, answer } = kind
  const isAnswer = (text: string): boolean => text.includes(answer)
  const next = (): readonly [Question] => {
    const client = ['x-forwarded-for', `203.0.113.${1 + (++clients % 250)}`]
    const headers = body === null ? client : ['content-type', 'application/json', ...client]
    return [{ origin: url, path: path(), body, headers, isAnswer }]
  }
  const before = cpuMs(pid)
  await pace(next, perSecond, seconds)
  return (1_000 * (cpuMs(pid) - before)) / (perSecond * seconds)
}

const TEXT = `Processor time of a request at a constant rate, all threads with the writing of the files. Both gateways run
on core 0, the client and the simulated providers on core 1, in ${ROUNDS} alternating rounds of ${SECONDS} s after a warm-up.
The target of ${BOUND} is missed (2026-12-01): a recording has a line for each reading and each answer, and its strings are the
cost, 80 to 600 µs a request. RECORD_ONE_IN divides it: one request in ten costs a tenth.`
const COLUMNS = ['', 'CPU µs, not recorded', 'CPU µs, recorded', 'recorded/not', 'KiB a recording']
