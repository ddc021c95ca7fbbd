/**
 * Runs all sieges, or those whose names contain one of the words: `npm run siege -- getBalance`.
 * Compares what other clients see with and without one abusive client, each against a
 * new gateway in a process of its own. `--write` also writes the table to
 * bench/RESULTS.md.
 */
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describeMachine, type Table, toText } from './figures/report.ts'
import { prepareToWrite } from './figures/write.ts'
import {
  type Attack,
  byteByByte,
  hold,
  openapiUnread,
  rpc,
  SIEGES,
  type Siege,
  type SiegeReport,
  type Storm,
  slowLoris,
  unread,
} from './load/sieges.ts'
import {
  CLIENT_CORE,
  launch,
  peer,
  pinClient,
  residentMiB,
  type ServerProcess,
  startServer,
} from './servers/process.ts'

/** How long the other clients send requests, in all rows but the storms. */
const HOLD_MS = 6_000
const COUNT = 120
const LEAD_MS = 2_000
/** A delay that no user notices, and that a shared machine causes by itself, ms. */
const NOISE_MS = 10

/** A siege of connections instead of requests. */
interface StormSiege {
  readonly name: string
  readonly holdMs: number
  begin(url: string): Storm
}

const sixtyUnread = (url: string): Storm => unread(url, 60)

const STORMS: readonly StormSiege[] = [
  { name: '100 slow-loris connections for 60 s', holdMs: 60_000, begin: (url) => slowLoris(url, 100) },
  { name: '60 answers of 13 MiB that are not read', holdMs: 15_000, begin: sixtyUnread },
  { name: '20 bodies byte by byte', holdMs: 15_000, begin: (url) => byteByByte(url, 20) },
  {
    name: '/openapi.json under changing names, not read',
    holdMs: 15_000,
    begin: (url) => openapiUnread(url, 40),
  },
]

const CALM: Siege = {
  name: '',
  node: 'free',
  attack: { count: 0, perSecond: null, ask: () => ({ path: '/' }) },
  bystanders: [() => ({ path: '/api/chains' }), () => rpc('getSlot')],
}
const WARM_UP: Siege = { ...CALM, bystanders: CALM.bystanders.slice(0, 1) }

/** @param siege  whose bystanders warm the gateway up, where the upstreams have no limits that this would use up */
async function withGateway<T>(
  siege: Omit<Siege, 'attack'>,
  run: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const { node } = siege
  const limited = { LIMITED: node === 'limited' ? '1' : '0' }
  const solana = node === 'sandbox' ? null : await startServer(peer('siegeNode'), limited, CLIENT_CORE)
  const server = await startServer(peer('siege'), {
    TRUSTED_PROXIES: 'loopback',
    LIMITED: node === 'free' ? '0' : '1',
    ...(solana && { SOLANA_RPC_URLS: solana.url }),
  })
  try {
    // Until the token list is there and the code is warm: compiling it takes a request up to 100 ms.
    await sleep(1_000)
    await hold(WARM_UP, server, null, { count: 100, everyMs: 5 })
    // By other clients, whose budgets this takes.
    const warmUp = { count: 200, everyMs: 10, network: '198.51.100' }
    if (node === 'free') await hold(siege, server, null, warmUp)
    return await run(server)
  } finally {
    await server.stop()
    await solana?.stop()
  }
}

/** Begins an attack from a process of its own, once that has started. */
async function attack({ name }: Siege, { url }: ServerProcess): Promise<Attack> {
  const program = fileURLToPath(new URL('attacker.js', import.meta.url))
  const child = launch([program, name, url], CLIENT_CORE, {}, 'pipe', 'pipe')
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  const gone = once(child, 'exit')
  await lines.next()
  child.stdin!.write('begin\n')
  const answered = lines.next()
  return {
    answered,
    async end() {
      child.stdin!.end('end\n')
      await answered
      const { value } = await lines.next()
      await gone
      return new Map(JSON.parse(value))
    },
  }
}

function row(name: string, calm: SiegeReport, besieged: SiegeReport, attacker: string): readonly string[] {
  const times = besieged.p95 / calm.p95
  const isQuick = times <= 2 || besieged.p95 - calm.p95 <= NOISE_MS
  for (const failure of besieged.failures.slice(0, 3)) console.log(`  ${failure}`)
  return [
    name,
    attacker,
    `${besieged.count}`,
    `${besieged.failures.length}`,
    calm.p95.toFixed(1),
    besieged.p95.toFixed(1),
    times.toFixed(1),
    isQuick && besieged.failures.length === 0 ? 'met' : 'MISSED',
  ]
}

async function besiege(siege: Siege): Promise<readonly string[]> {
  const count = Math.min(COUNT, siege.most ?? COUNT)
  const options = { count, everyMs: HOLD_MS / count, leadMs: siege.leadMs ?? LEAD_MS }
  const calm = await withGateway(siege, (server) => hold(siege, server, null, options))
  const besieged = await withGateway(siege, async (server) =>
    hold(siege, server, await attack(siege, server), options),
  )
  const got = [...besieged.attacker].sort(([a], [b]) => a - b)
  const text = got.map(([code, times]) => `${times} × ${code === 0 ? 'no answer yet' : code}`).join(', ')
  return row(siege.name, calm, besieged, text)
}

async function storm({ name, holdMs, begin }: StormSiege): Promise<readonly string[]> {
  const everyMs = 100
  const calm = await withGateway(CALM, (server) =>
    hold(CALM, server, null, { count: HOLD_MS / everyMs, everyMs }),
  )
  return withGateway(CALM, async (server) => {
    const before = residentMiB(server.pid)
    let most = before
    const watch = setInterval(() => {
      most = Math.max(most, residentMiB(server.pid))
    }, 100)
    const connections = begin(server.url)
    const besieged = await hold(CALM, server, null, { count: holdMs / everyMs, everyMs })
    clearInterval(watch)
    const left = connections.open()
    connections.close()
    // A client that does not read does not notice that its connection was closed.
    const gone = begin === sixtyUnread ? '' : `${left} connections left, `
    return row(name, calm, besieged, `${gone}${Math.round(most - before)} MiB more at most`)
  })
}

// Exiting stops the servers too when the run is interrupted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const words = process.argv.slice(2)
const chosen = words.filter((word) => word !== '--write')
const isChosen = ({ name }: { readonly name: string }): boolean =>
  chosen.length === 0 || chosen.some((word) => name.includes(word))

console.log(`${describeMachine()}\n`)
const command = ['npm run siege --', ...words].join(' ')
const write = words.includes('--write') ? prepareToWrite(command) : null
pinClient()
const [load] = loadavg()
const rows: (readonly string[])[] = []
for (const siege of SIEGES) if (isChosen(siege)) rows.push(await besiege(siege))
for (const siege of STORMS) if (isChosen(siege)) rows.push(await storm(siege))
const table: Table = {
  title: 'Sieges',
  text: `What ten other clients see with and without one abusive client (bench/load/sieges.ts). None of their requests may fail, and the 95th
percentile of their times, in ms, may at most double; up to ${NOISE_MS} ms more is always accepted. Upstreams are on loopback, with the
limits of the public ones where those limits are the scarce resource. The gateway has core 0; the clients, the attacker and the
Solana node share core 1, in processes of their own. In the last rows the attacker opens connections. The machine had other work, with a load of ${load!.toFixed(1)} at the start; its effect on calm and siege is in the figures.`,
  columns: ['', 'the attacker got', 'requests', 'failures', 'p95 calm', 'p95 under siege', 'times', ''],
  rows,
}
console.log(toText(table))
write?.('siege', { tables: [table], claims: [] })
