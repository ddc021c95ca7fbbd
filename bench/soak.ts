/**
 * `npm run soak` runs the gateway at half of its capacity while its upstreams fail in
 * turn, and checks that memory, descriptors and the event-loop delay stay flat;
 * `-- --minutes 2` makes it shorter. `npm run soak -- restarts` instead restarts two
 * instances a hundred times under load (`--count 10` for fewer). `--write` also writes
 * the table to bench/RESULTS.md.
 */
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Sandbox } from '../src/sandbox/index.ts'
import { describeMachine, type Table, toText } from './figures/report.ts'
import { prepareToWrite } from './figures/write.ts'
import { restartUnderLoad } from './load/restarts.ts'
import { Traffic } from './load/soak-traffic.ts'
import {
  CLIENT_CORE,
  firstLine,
  freePort,
  GATEWAY,
  launch,
  pinClient,
  providerUrls,
  residentMiB,
  SANDBOX,
  startServer,
  stop,
} from './servers/process.ts'

/** Until most code that runs is compiled: compiled code is in the heap, and by snapshots most of what grows after a minute. */
const WARM_UP_SECONDS = 180
const CAPACITY = { atOnce: 20, seconds: 10 }
/** A collection of all garbage takes tens of ms: as seldom as this, it is no part of the delay's 99th percentile. */
const SAMPLE_MS = 5_000
/** Collects all garbage when SIGUSR2 comes; loaded before the service. */
const COLLECTOR = `
  import { setFlagsFromString } from 'node:v8'
  import { runInNewContext } from 'node:vm'
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  process.on('SIGUSR2', () => collect())`
/** Longer than either side keeps an idle connection. */
const QUIET_MS = 75_000
/**
 * The most that memory may grow from the second quarter to the last, as a factor; descriptors
 * in excess; event-loop delay.
 */
const BOUNDS = { memory: 1.03, descriptors: 5, delayMs: 20 }
/** A quarter of a minute. */
const QUARTER_MS = 15_000
const MINUTE_MS = 60_000
const MIB = 1_048_576

interface Sample {
  readonly residentMiB: number
  readonly heapMiB: number
  readonly descriptors: number
  readonly delayMs: number
}

async function soak(minutes: number): Promise<Table> {
  pinClient()
  const world = launch(SANDBOX, CLIENT_CORE, { PORT: '0' }, 'pipe')
  const sandbox = JSON.parse(await firstLine(world)) as Sandbox
  const adminPort = await freePort()
  const server = await startServer(GATEWAY, {
    ...providerUrls(sandbox),
    MODE: 'live',
    SOLANA_RPC_URLS: sandbox.solanaUrl,
    RPC_URLS_BASE: `${sandbox.urls.evm}/base`,
    RPC_URLS_TON: sandbox.tonUrls.join(),
    RPC_URLS_SUI: sandbox.suiUrl,
    LIMITS: 'swap=off,portfolio=off,rpcRead=off,rpcSend=off',
    ADMIN_PORT: String(adminPort),
    // Under this load the public listener may shed requests for them.
    OPERATIONS: 'admin',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(COLLECTOR)}`,
  })
  const traffic = new Traffic(server.url, sandbox)
  await traffic.prepare()
  await traffic.saturate(CAPACITY.atOnce, WARM_UP_SECONDS)
  const perSecond = (await traffic.saturate(CAPACITY.atOnce, CAPACITY.seconds)) / 2
  console.log(`${Math.round(perSecond)} requests/s for ${minutes} minutes`)
  await sleep(QUIET_MS)
  const begin = descriptorsOf(server.pid)

  const samples: Sample[] = []
  const over = new AbortController()
  const admin = `http://127.0.0.1:${adminPort}`
  let unforcedMs = 0
  const sampling = (async () => {
    // A quiet minute gives memory back, which comes again for some minutes.
    for (let left = minutes * QUARTER_MS; left > 0; left -= MINUTE_MS) {
      await sleep(Math.min(MINUTE_MS, left))
      unforcedMs = Math.max(unforcedMs, await delayOf(admin))
    }
    traffic.statuses.clear()
    while (!over.signal.aborted) {
      samples.push(await sampleOf(server.pid, admin))
      await sleep(SAMPLE_MS, undefined, { signal: over.signal }).catch(() => {})
    }
  })()
  await traffic.run(perSecond, minutes * QUARTER_MS, 5)
  over.abort()
  await sampling
  await sleep(QUIET_MS)
  const left = descriptorsOf(server.pid)
  await server.stop()
  await stop(world)
  return toTable(samples, traffic, perSecond, minutes, { begin, left }, unforcedMs)
}

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** The event loop's 99th percentile of the last whole minute, ms. */
async function delayOf(admin: string): Promise<number> {
  const diagnostics = (await (await fetch(`${admin}/api/diagnostics`)).json()) as {
    eventLoop: { p99Ms: number }
  }
  return diagnostics.eventLoop.p99Ms
}

async function sampleOf(pid: number, admin: string): Promise<Sample> {
  process.kill(pid, 'SIGUSR2')
  // Its answer comes after the collection.
  const delayMs = await delayOf(admin)
  const metrics = await (await fetch(`${admin}/metrics`)).text()
  return {
    residentMiB: residentMiB(pid),
    heapMiB: Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(metrics)![1]) / MIB,
    descriptors: descriptorsOf(pid),
    delayMs,
  }
}

/**
 * Open descriptors before the traffic and after it, once idle connections have closed. Both include the connections of
 * the work that goes on without requests for a while: the list's rows are renewed.
 */
interface Descriptors {
  readonly begin: number
  readonly left: number
}

function toTable(
  samples: readonly Sample[],
  traffic: Traffic,
  perSecond: number,
  minutes: number,
  { begin, left }: Descriptors,
  unforcedMs: number,
): Table {
  // The level after faults: one that hangs keeps its connections open.
  const floor = (n: number, of: keyof Sample): number => {
    const from = Math.floor((samples.length * (n - 1)) / 4)
    const figures = samples
      .slice(from, Math.floor((samples.length * n) / 4))
      .map((sample) => sample[of])
      .sort((a, b) => a - b)
    return figures[Math.floor(figures.length / 20)]!
  }
  const delayMs = Math.max(...samples.map((sample) => sample.delayMs))
  const failed = (traffic.statuses.get('internal_error') ?? 0) + (traffic.statuses.get('0') ?? 0)
  const verdict = (isMet: boolean): string => (isMet ? 'met' : 'MISSED')
  const row = (
    name: string,
    of: keyof Sample,
    bound: string,
    isMet: (two: number, four: number) => boolean,
  ) => {
    const quarters = [1, 2, 3, 4].map((n) => floor(n, of))
    return [
      name,
      ...quarters.map((figure) => figure.toFixed(1)),
      bound,
      verdict(isMet(quarters[1]!, quarters[3]!)),
    ]
  }
  const isFlat = (two: number, four: number): boolean => four <= two * BOUNDS.memory
  const answers = [...traffic.statuses].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    title: `Soak: ${minutes} minutes at half of the capacity`,
    text: `${Math.round(perSecond)} requests a second, half of what ${CAPACITY.atOnce} concurrent clients got answered: lists, profiles, portfolios, quotes, builds, reads and
submissions, beside streams and WebSockets that come and go. One upstream at a time fails, the same ones in each quarter
(bench/load/soak-traffic.ts). Garbage is collected before each sample. Each quarter's figure is its 5th percentile, the level after
faults; bounds compare the last quarter with the second, where there is one. A quarter of the same length ran before. Event-loop delay is the 99th percentile of the worst whole minute. Answers by status: ${answers.map(([what, count]) => `${count} × ${what}`).join(', ')}.`,
    columns: ['', 'first quarter', 'second', 'third', 'last', 'bound', ''],
    rows: [
      row('resident memory, MiB', 'residentMiB', 'within 3 %', isFlat),
      row('heap, MiB', 'heapMiB', 'within 3 %', isFlat),
      // Without a bound: faults decide how many connections are open. Those left at the end would be a leak.
      ['descriptors', ...[1, 2, 3, 4].map((n) => String(floor(n, 'descriptors'))), '', ''],
      [
        'descriptors a minute after the warm-up, and a minute after the last request',
        String(begin),
        '',
        '',
        String(left),
        `${BOUNDS.descriptors} more`,
        verdict(left <= begin + BOUNDS.descriptors),
      ],
      [
        'event-loop delay p99, ms, in the quarter before, when nothing forces a collection',
        unforcedMs.toFixed(1),
        '',
        '',
        '',
        `below ${BOUNDS.delayMs}`,
        verdict(unforcedMs < BOUNDS.delayMs),
      ],
      ['event-loop delay p99, ms, all garbage collected every 5 s', '', '', '', delayMs.toFixed(1), '', ''],
      ['no answer, or internal_error', '', '', '', String(failed), '0', verdict(failed === 0)],
    ],
  }
}

async function restarts(count: number): Promise<Table> {
  const { requests, failures, farewells, stopMs } = await restartUnderLoad(GATEWAY, count)
  for (const failure of failures.slice(0, 10)) console.log(failure)
  const sorted = [...stopMs].sort((a, b) => a - b)
  const isMet = failures.length === 0 && farewells === 2 * count
  return {
    title: `${count} restarts under load`,
    text: `Two instances, stopped in turn by SIGTERM and started again, under 32 clients that keep their connections, skip an instance
whose readiness is 503, and never retry (bench/load/restarts.ts). Farewells are the event streams that ended with their comment and
the WebSockets closed with code 1001, two for each restart.`,
    columns: ['requests', 'failed', 'farewells', 'ms to stop, median', 'ms to stop, most', ''],
    rows: [
      [
        requests.toLocaleString('en'),
        String(failures.length),
        `${farewells} of ${2 * count}`,
        sorted[sorted.length >> 1]!.toFixed(0),
        sorted.at(-1)!.toFixed(0),
        isMet ? 'met' : 'MISSED',
      ],
    ],
  }
}

const { values, positionals } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    count: { type: 'string', default: '100' },
    write: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const isRestarts = positionals[0] === 'restarts'

// Exiting stops the servers too when the run is interrupted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

console.log(`${describeMachine()}\n`)
const command = ['npm run soak --', ...process.argv.slice(2)].join(' ')
const write = values.write ? prepareToWrite(command) : null
const table = isRestarts ? await restarts(Number(values.count)) : await soak(Number(values.minutes))
console.log(toText(table))
write?.(isRestarts ? 'restarts' : 'soak', { tables: [table], claims: [] })
process.exit(0)
