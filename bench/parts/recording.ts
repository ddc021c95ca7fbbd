/** What RECORD_DIR costs while every request is recorded: two gateways of the same build, one of which records. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { type BenchReport, type Claim, show, spread } from '../figures/report.ts'
import { load, requestBytes, type Target } from '../load/load.ts'
import { BALANCE_CALL } from '../load/replies.ts'
import {
  CLIENT_CORE,
  firstLine,
  GATEWAY,
  launch,
  pinClient,
  providerUrls,
  SANDBOX,
  startServer,
  stop,
} from '../servers/process.ts'

const ROUNDS = 7
/** The most processor time with every request recorded, as a multiple of that without. */
const BOUND = 1.15

interface Kind {
  readonly name: string
  readonly warmUp: number
  /** Requests of a round. */
  readonly amount: number
  request(): Buffer
  /** A part of each answer. */
  readonly answer: string
}

const quote = (amount: string): Buffer => {
  const token = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
  const from = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
  const order = { chain: 'base', side: 'buy', token, amount, slippageBps: '50', from }
  return requestBytes(`/api/quote?${new URLSearchParams(order)}`, null)
}

let quotes = 0

const KINDS: readonly Kind[] = [
  {
    name: 'a quote that asks the providers',
    warmUp: 3_000,
    amount: 500,
    request: () => quote(`0.1${String(++quotes).padStart(9, '0')}`),
    answer: '"minOut"',
  },
  {
    name: 'a quote from a shared answer',
    warmUp: 10_000,
    amount: 3_000,
    request: () => quote('0.2'),
    answer: '"minOut"',
  },
  {
    name: 'twenty tokens of the list',
    warmUp: 10_000,
    amount: 3_000,
    request: () => requestBytes('/api/tokens?limit=20', null),
    answer: '"priceTs"',
  },
  {
    name: 'a relay read, not shared',
    warmUp: 20_000,
    amount: 5_000,
    request: () => requestBytes('/api/solrpc', BALANCE_CALL),
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

async function compare({ name, warmUp, amount, request, answer }: Kind, sandbox: Sandbox) {
  const dir = mkdtempSync(join(tmpdir(), 'swapgate-bench-'))
  const environment = {
    MODE: 'live',
    ...providerUrls(sandbox),
    SOLANA_RPC_URLS: sandbox.solanaUrl,
    SOLANA_READ_CACHE: 'off',
    RPC_URLS_BASE: `${sandbox.urls.evm}/base`,
    LIMITS: 'swap=off,rpcRead=off',
  }
  const [off, on] = [
    await startServer(GATEWAY, environment),
    await startServer(GATEWAY, { ...environment, RECORD_DIR: dir, RECORD_MIB: '100000' }),
  ]
  const targets = [off, on].map(
    (server): Target => ({ name, server, next: request, isAnswer: (body) => body.includes(answer) }),
  )
  for (const target of targets) await load(target, { amount: warmUp }, 'many clients')
  const costs: readonly [number[], number[]] = [[], []]
  for (let i = 0; i < ROUNDS; i++)
    for (const which of i % 2 === 0 ? [0, 1] : [1, 0])
      costs[which]!.push((await load(targets[which]!, { amount }, 'many clients')).cpuUs)
  await Promise.all([off.stop(), on.stop()])
  const bytes = readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
  rmSync(dir, { recursive: true })
  return { off: costs[0], on: costs[1], kib: bytes / 1_024 / (warmUp + ROUNDS * amount) }
}

const TEXT = `Processor time of a request, all threads with the writing of the files. Both gateways run on core 0, the
client and the simulated providers on core 1, in ${ROUNDS} alternating rounds after a warm-up.`
const COLUMNS = ['', 'CPU µs, not recorded', 'CPU µs, recorded', 'recorded/not', 'KiB a recording']
