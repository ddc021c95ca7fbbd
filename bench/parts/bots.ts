/**
 * Fifty bots behind one relay: how many of their reads reach the node, and how many
 * reads a second they get, compared with an unchecked forwarder that shares nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { Client } from 'undici'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { type BenchReport, show, spread } from '../figures/report.ts'
import { BOTS, type BotRequest, requestsOf, TRACE_MS } from '../load/bot-trace.ts'
import {
  CLIENT_CORE,
  cpuMs,
  GATEWAY,
  peer,
  pinClient,
  type ServerProcess,
  startServer,
} from '../servers/process.ts'

const ROUNDS = 5
const SECONDS = 4
/** Until V8 has compiled the hot code. */
const WARM_UP_SECONDS = 8
/** That of a node in the same region. */
const LATENCY_MS = 10
/** So high that nothing is rejected, while the limiter still counts. */
const LIMITS = 'rpcRead=1000000000/1000000000'

const ownOf = (bot: number) => ({
  wallet: encodeBase58(new Uint8Array(32).fill(bot + 1)),
  signature: encodeBase58(new Uint8Array(64).fill(bot + 1)),
})
const PROGRAMS: readonly (readonly BotRequest[])[] = Array.from({ length: BOTS }, (_, bot) =>
  requestsOf(bot, ownOf(bot)),
)
const TOTAL = PROGRAMS.reduce((sum, requests) => sum + requests.length, 0)

const bodyOf = ({ method, params }: BotRequest): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const headersOf = (bot: number) => ({
  'content-type': 'application/json',
  'x-forwarded-for': `203.0.113.${bot + 1}`,
})
const isAnswer = (text: string): boolean =>
  text.startsWith('{"jsonrpc":"2.0","result":') && text.endsWith('"id":1}')

export async function benchBots(): Promise<BenchReport> {
  pinClient()
  const saving = await replayed()
  const speed = await compared()
  return { tables: [...saving.tables, ...speed.tables], claims: [] }
}

/** Replays the trace at its own pace. */
async function replayed(): Promise<BenchReport> {
  const node = await startServer(peer('cluster'), { LATENCY_MS: String(LATENCY_MS) }, CLIENT_CORE)
  const calls = async () => Number(await (await fetch(node.url)).text())
  const rows: string[][] = []
  for (const cache of ['on', 'off']) {
    const gateway = await startServer(GATEWAY, { ...environmentOf(node), SOLANA_READ_CACHE: cache })
    const before = await calls()
    await Promise.all(PROGRAMS.map((requests, bot) => replay(gateway, requests, bot)))
    const made = (await calls()) - before
    const saved = 100 * (1 - made / TOTAL)
    rows.push([`SOLANA_READ_CACHE=${cache}`, String(TOTAL), String(made), `${saved.toFixed(1)} %`])
    await gateway.stop()
  }
  await node.stop()
  const columns = ['', 'reads', 'upstream calls', 'saved']
  return { tables: [{ title: 'Fifty bots: upstream calls', text: SAVING, columns, rows }], claims: [] }
}

async function replay({ url }: ServerProcess, requests: readonly BotRequest[], bot: number): Promise<void> {
  const client = new Client(url, { pipelining: 8 })
  const startedAt = performance.now()
  const pending: Promise<void>[] = []
  for (const request of requests) {
    const waitMs = startedAt + request.atMs - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    const reading = client
      .request({ method: 'POST', path: '/api/solrpc', headers: headersOf(bot), body: bodyOf(request) })
      .then(async ({ body }) => {
        const text = await body.text()
        if (!isAnswer(text)) throw new Error(`${request.method} was not answered: ${text.slice(0, 200)}`)
      })
    pending.push(reading)
  }
  await Promise.all(pending)
  await client.close()
}

/** Runs the trace as fast as it is answered: each bot sends its next request when it has its answer. */
async function compared(): Promise<BenchReport> {
  const node = await startServer(peer('cluster'), {}, CLIENT_CORE)
  const environment = environmentOf(node)
  const servers: readonly [string, ServerProcess][] = [
    ['unchecked forwarder', await startServer(peer('forwarder'), environment)],
    ['swapgate', await startServer(GATEWAY, environment)],
    [
      'swapgate, SOLANA_READ_CACHE=off',
      await startServer(GATEWAY, { ...environment, SOLANA_READ_CACHE: 'off' }),
    ],
  ]
  for (const [, server] of servers) await flood(server, WARM_UP_SECONDS)
  const rounds: Flood[][] = []
  for (let i = 0; i < ROUNDS; i++) {
    const round: Flood[] = []
    for (const [, server] of servers) round.push(await flood(server, SECONDS))
    rounds.push(round)
  }
  for (const [, server] of servers) await server.stop()
  await node.stop()

  const over = (figure: (round: readonly Flood[]) => number) => spread(rounds.map(figure))
  const share = (i: number) => over((round) => round[i]!.perSecond / round[0]!.perSecond)
  const byCpu = (i: number) => over((round) => round[0]!.cpuUs / round[i]!.cpuUs)
  const rows = servers.map(([name], i) => [
    name,
    show(
      over((round) => round[i]!.perSecond),
      0,
    ),
    show(share(i), 2),
    show(
      over((round) => round[i]!.cpuUs),
      1,
    ),
    show(byCpu(i), 2),
  ])
  const columns = ['', 'reads/s', 'share of forwarder', 'CPU µs/read', 'share by CPU']
  return { tables: [{ title: 'Fifty bots: throughput', text: SPEED, columns, rows }], claims: [] }
}

interface Flood {
  readonly perSecond: number
  readonly cpuUs: number
}

function flood(server: ServerProcess, seconds: number): Promise<Flood> {
  const cpuBefore = cpuMs(server.pid)
  const startedAt = performance.now()
  let bot = 0
  return new Promise((resolve, reject) => {
    const options = {
      url: server.url,
      connections: BOTS,
      duration: seconds,
      verifyBody: (body: unknown) => isAnswer(String(body)),
      setupClient(client: autocannon.Client) {
        const mine = bot++ % BOTS
        const requests = PROGRAMS[mine]!.map((request) => ({
          method: 'POST' as const,
          path: '/api/solrpc',
          headers: headersOf(mine),
          body: bodyOf(request),
        }))
        client.setRequests(requests)
      },
    }
    autocannon(options, (error: unknown, { requests, non2xx, errors, mismatches }: autocannon.Result) => {
      if (error || non2xx + errors + mismatches > 0 || requests.total === 0) {
        reject(error ?? new Error('A read was not answered.'))
        return
      }
      const elapsedMs = performance.now() - startedAt
      const usedMs = cpuMs(server.pid) - cpuBefore
      resolve({ perSecond: (requests.total * 1_000) / elapsedMs, cpuUs: (usedMs * 1_000) / requests.total })
    })
  })
}

const environmentOf = ({ url }: ServerProcess) => ({
  UPSTREAM: url,
  MODE: 'live',
  SOLANA_RPC_URLS: url,
  LIMITS,
})

const SAVING = `The trace of bench/load/bot-trace.ts at its own pace, ${TRACE_MS / 1_000} s: ${BOTS} clients read slots, blockhashes and fees, and each its own
wallet and statuses, from a stub of a node that answers after ${LATENCY_MS} ms. A bot never gets an answer older than what it has seen confirmed.`
const SPEED = `The same reads in the same order; each bot sends its next request when it has its answer. ${ROUNDS} alternating rounds of
${SECONDS} s after a warm-up; median [min..max]. Servers on core 0; the bots, and a stub that answers at once, on core 1.`
