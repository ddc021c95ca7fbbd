/**
 * All sieges, or those whose names hold one of the words: `npm run siege -- getBalance`. What others see while one
 * client does its worst stands beside what they see without it, each against a
 * fresh gateway in a process of its own. With `--write`, the table goes to
 * bench/RESULTS.md too.
 */
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { peer, pinClient, residentMiB, type ServerProcess, startServer } from './process.ts'
import { describeMachine, SIEGE, type Table, toText, writeResults } from './report.ts'
import { startSiegeNode } from './siege-node.ts'
import { hold, type Outcome, rpc, SIEGES, type Siege, type Storm, slowLoris, unread } from './sieges.ts'

/** How long the others ask, in all rows but the storms. */
const HOLD_MS = 6_000
const COUNT = 120
const LEAD_MS = 2_000
/** A slowness that no user notices, and that a shared machine makes by itself, ms. */
const NOISE_MS = 10

/** Connections instead of requests. */
interface Stormy {
  readonly name: string
  readonly holdMs: number
  begin(url: string): Storm
}

const unreadOnes = (url: string): Storm => unread(url, 60)

const STORMS: readonly Stormy[] = [
  { name: '100 slow-loris connections for 60 s', holdMs: 60_000, begin: (url) => slowLoris(url, 100) },
  { name: '60 answers of 13 MiB that are not read', holdMs: 15_000, begin: unreadOnes },
]

const CALM: Siege = {
  name: '',
  node: 'free',
  attack: { count: 0, perSecond: null, ask: () => ({ path: '/' }) },
  bystanders: [() => ({ path: '/api/chains' }), () => rpc('getSlot')],
}
const WARM_UP: Siege = { ...CALM, bystanders: CALM.bystanders.slice(0, 1) }

async function withGateway<T>(node: Siege['node'], run: (server: ServerProcess) => Promise<T>): Promise<T> {
  const solana = node === 'sandbox' ? null : await startSiegeNode({ isLimited: node === 'limited' })
  const server = await startServer(peer('siege'), {
    TRUSTED_PROXIES: 'loopback',
    LIMITED: node === 'free' ? '0' : '1',
    ...(solana && { SOLANA_RPC_URLS: solana.url }),
  })
  try {
    // Its token list is there, and its code has run.
    await sleep(1_000)
    await hold(WARM_UP, server, false, { count: 100, everyMs: 5 })
    return await run(server)
  } finally {
    await server.stop()
    await solana?.close()
  }
}

function row(name: string, calm: Outcome, besieged: Outcome, attacker: string): readonly string[] {
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
  const calm = await withGateway(siege.node, (server) => hold(siege, server, false, options))
  const besieged = await withGateway(siege.node, (server) => hold(siege, server, true, options))
  const got = [...besieged.attacker].sort(([a], [b]) => a - b)
  const text = got.map(([code, times]) => `${times} × ${code === 0 ? 'nothing yet' : code}`).join(', ')
  return row(siege.name, calm, besieged, text)
}

async function weather({ name, holdMs, begin }: Stormy): Promise<readonly string[]> {
  const everyMs = 100
  const calm = await withGateway('free', (server) =>
    hold(CALM, server, false, { count: HOLD_MS / everyMs, everyMs }),
  )
  return withGateway('free', async (server) => {
    const before = residentMiB(server.pid)
    let most = before
    const watch = setInterval(() => {
      most = Math.max(most, residentMiB(server.pid))
    }, 100)
    const storm = begin(server.url)
    const besieged = await hold(CALM, server, false, { count: holdMs / everyMs, everyMs })
    clearInterval(watch)
    const left = storm.open()
    storm.close()
    // Who does not read does not see either that a connection was closed.
    const gone = begin === unreadOnes ? '' : `${left} connections left, `
    return row(name, calm, besieged, `${gone}${Math.round(most - before)} MiB more at most`)
  })
}

// So that no server is left behind when the run is broken off.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const words = process.argv.slice(2)
const chosen = words.filter((word) => word !== '--write')
const isChosen = ({ name }: { readonly name: string }): boolean =>
  chosen.length === 0 || chosen.some((word) => name.includes(word))

console.log(`${describeMachine()}\n`)
pinClient()
const [load] = loadavg()
const rows: (readonly string[])[] = []
for (const siege of SIEGES) if (isChosen(siege)) rows.push(await besiege(siege))
for (const storm of STORMS) if (isChosen(storm)) rows.push(await weather(storm))
const table: Table = {
  title: 'Sieges',
  text: `What ten other clients see while one does its worst (bench/sieges.ts), and without it: their failures shall be none,
and the 95th percentile of their times, in ms, at most double; less than ${NOISE_MS} ms more counts as that. Upstreams are on
loopback, and held to the public ones' limits where those are what is scarce. In the last rows the attacker has connections. The machine had other
work: its load was ${load!.toFixed(1)} at the start, and what calm and siege differ in by it is in the figures.`,
  columns: ['', 'the attacker got', 'requests', 'failures', 'p95 calm', 'p95 besieged', 'times', ''],
  rows,
}
console.log(toText(table))
if (words.includes('--write')) writeResults([table], ['npm run siege --', ...words].join(' '), SIEGE)
