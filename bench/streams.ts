/**
 * A thousand subscribers to fifty prices each: the cost of an event compared with a
 * naive server, and what the whole service uses for them.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TokenList } from '../src/runtime/resources.ts'
import { cpuMs, GATEWAY, peer, pinClient, residentMiB, type ServerProcess, startServer } from './process.ts'
import { type BenchReport, type Claim, show, spread } from './report.ts'

const SUBSCRIBERS = 1_000
const TOKENS = 50
/** The tokens from which subscribers with a set of their own take theirs. */
const ALL_TOKENS = 500
const ROUNDS = 5
const SECONDS = 3
/** Until V8 has compiled the hot code. */
const WARM_UP_SECONDS = 5
/** How long the whole service is measured: a few rebuilds of the list. */
const WHOLE_SECONDS = 40
const SETTLE_MS = 1_000
const CONNECT_AT_ONCE = 50
const POLL_MS = 20

const EVENT = Buffer.from('event: ')

interface Sample {
  readonly eventsPerSecond: number
  /** The server's processor time per event, microseconds. */
  readonly cpuUs: number
  readonly bytesPerEvent: number
  /** Memory above that of the idle server. */
  readonly moreMiB: number
}

export async function benchStreams(): Promise<BenchReport> {
  pinClient()
  const same = await compared('The same fifty tokens', 1.5, () => tokensFrom(0))
  const own = await compared('A different fifty tokens each', 1, (nth) => tokensFrom(nth))
  const whole = await measureWhole()
  return {
    tables: [
      {
        title: `Streams: ${SUBSCRIBERS.toLocaleString('en')} subscribers to ${TOKENS} prices`,
        text: TEXT,
        columns: COLUMNS,
        rows: [...same.rows, ...own.rows],
      },
      whole,
    ],
    claims: [...same.claims, ...own.claims],
  }
}

const addressOf = (i: number): string => `base:0x${(i + 1).toString(16).padStart(40, '0')}`

const tokensFrom = (first: number): readonly string[] =>
  Array.from({ length: TOKENS }, (_, i) => addressOf((first * 7 + i * (1 + (first % 9))) % ALL_TOKENS))

/** @param bound  the least events per CPU second, as a multiple of the naive server's */
async function compared(name: string, bound: number, tokensOf: (nth: number) => readonly string[]) {
  const rounds: (readonly [naive: Sample, ours: Sample])[] = []
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push([await measure('naive', tokensOf), await measure('swapgate', tokensOf)])
  }
  const over = (figure: (round: readonly [Sample, Sample]) => number) => spread(rounds.map(figure))
  const rows = ['naive', 'swapgate'].map((server, at) => [
    `${name}: ${server}`,
    show(
      over((round) => round[at]!.eventsPerSecond),
      0,
    ),
    show(
      over((round) => round[at]!.cpuUs),
      1,
    ),
    show(
      over((round) => round[at]!.bytesPerEvent),
      0,
    ),
    show(
      over((round) => round[at]!.moreMiB),
      1,
    ),
  ])
  const ratio = over(([naive, ours]) => naive.cpuUs / ours.cpuUs)
  const what = `stream, ${name.toLowerCase()}: events per CPU second relative to naive`
  const claims: Claim[] = [{ what, figure: ratio, is: 'at least', bound }]
  return { rows, claims }
}

async function measure(name: string, tokensOf: (nth: number) => readonly string[]): Promise<Sample> {
  const server = await startServer(peer('streams'), { PEER: name })
  await sleep(SETTLE_MS)
  const idleMiB = residentMiB(server.pid)
  const crowd = await subscribe(server, tokensOf, () => '')
  await sleep(1_000 * WARM_UP_SECONDS)
  const { events, bytes } = crowd
  const before = cpuMs(server.pid)
  const startedAt = performance.now()
  await sleep(1_000 * SECONDS)
  const ms = performance.now() - startedAt
  const cpu = cpuMs(server.pid) - before
  const seen = crowd.events - events
  const sample = {
    eventsPerSecond: (1_000 * seen) / ms,
    cpuUs: (1_000 * cpu) / seen,
    bytesPerEvent: (crowd.bytes - bytes) / seen,
    moreMiB: residentMiB(server.pid) - idleMiB,
  }
  crowd.leave()
  await server.stop()
  return sample
}

/** Measures the service as users run it, over its sandbox's market, at its own pace. */
async function measureWhole() {
  const server = await startServer(GATEWAY, { MODE: 'sandbox', WS_PORT: 'off' })
  let priced: TokenList['tokens'] = []
  while (priced.length < TOKENS) {
    const { tokens } = (await (await fetch(`${server.url}/api/tokens`)).json()) as TokenList
    priced = tokens.filter(({ price }) => typeof price === 'number')
    await sleep(SETTLE_MS)
  }
  const names = priced.slice(0, TOKENS).map(({ chain, address }) => `${chain}:${address}`)
  // Four streams from each client address.
  const clientOf = (nth: number) => `X-Forwarded-For: 198.51.${100 + (nth >> 10)}.${(nth >> 2) & 255}\r\n`
  const rows: string[][] = []
  for (const subscribers of [1, SUBSCRIBERS]) {
    const idleMiB = residentMiB(server.pid)
    const crowd = await subscribe(server, () => names, clientOf, subscribers)
    await sleep(1_000 * WARM_UP_SECONDS)
    const { events } = crowd
    const before = cpuMs(server.pid)
    await sleep(1_000 * WHOLE_SECONDS)
    const cpu = cpuMs(server.pid) - before
    rows.push([
      subscribers.toLocaleString('en'),
      ((crowd.events - events) / WHOLE_SECONDS).toFixed(1),
      (cpu / WHOLE_SECONDS).toFixed(1),
      (residentMiB(server.pid) - idleMiB).toFixed(1),
    ])
    crowd.leave()
    await sleep(SETTLE_MS)
  }
  await server.stop()
  return {
    title: 'Streams: the whole service at its own pace',
    text: `The service over its own sandbox, whose work counts too; ${WHOLE_SECONDS} s each.`,
    columns: ['subscribers', 'events/s', 'CPU ms per second', 'MiB more'],
    rows,
  }
}

interface Crowd {
  /** Events received so far; heartbeats are not events. */
  readonly events: number
  readonly bytes: number
  leave(): void
}

/** Subscribes all clients, and resolves when there are as many events as clients. */
async function subscribe(
  { url }: ServerProcess,
  tokensOf: (nth: number) => readonly string[],
  headerOf: (nth: number) => string,
  count: number = SUBSCRIBERS,
): Promise<Crowd> {
  const port = Number(new URL(url).port)
  const crowd = { events: 0, bytes: 0, leave: (): void => undefined }
  const sockets: Socket[] = []
  const open = (nth: number): void => {
    const socket = connect(port, '127.0.0.1', () => {
      const target = `/api/prices/stream?tokens=${tokensOf(nth).join()}`
      socket.write(`GET ${target} HTTP/1.1\r\nHost: h\r\n${headerOf(nth)}\r\n`)
    })
    socket.on('data', (chunk) => {
      crowd.bytes += chunk.length
      for (let at = chunk.indexOf(EVENT); at !== -1; at = chunk.indexOf(EVENT, at + 1)) crowd.events++
    })
    socket.on('error', (error) => {
      throw error
    })
    sockets.push(socket)
  }
  for (let nth = 0; nth < count; nth++) {
    open(nth)
    if (nth % CONNECT_AT_ONCE === 0) await sleep(POLL_MS)
  }
  while (crowd.events < count) await sleep(POLL_MS)
  crowd.leave = () => {
    for (const socket of sockets) socket.destroy()
  }
  return crowd
}

const TEXT = `A fifth of the prices changes at each update, and time runs thirty times as fast: ten events a second for each subscriber. The
naive server is bare node:http that finds what changed and writes it as JSON for each subscriber, with a heartbeat timer for each; it
has no bounds, no resumption and no log. Each server is a new process on core 0; the client on core 1 counts events and parses
nothing else; ${ROUNDS} alternating rounds of ${SECONDS} s after a warm-up. Memory is what the process uses more than before its first subscriber.`
const COLUMNS = ['', 'events/s', 'CPU µs/event', 'bytes/event', 'MiB more']
