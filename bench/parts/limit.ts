/**
 * The limiter: one decision over the client's and the global limit together, compared
 * with rate-limiter-flexible's memory limiter for the same two limits. Only the decision
 * is timed; both get the client ready to use. The last row is how the gateway gets it:
 * from address, header and trusted proxies to a key.
 *
 * Not shown: rate-limiter-flexible charges the client even when the global limit
 * rejects, and keeps a timer per client. The row in which a new window begins at every
 * call has no counterpart there, because its clock cannot be injected.
 */
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { ClientAddress, createClientReader } from '../../src/http/client/client.ts'
import { parseTrustedProxies } from '../../src/http/client/trusted-proxies.ts'
import { randomSeed, tabulationHash } from '../../src/http/limit/client-ring.ts'
import { FixedWindow, MAX_CLIENTS } from '../../src/http/limit/fixed-window.ts'
import { allocated, compare, measure } from '../figures/measure.ts'
import { type BenchReport, type Claim, type Spread, spread, toReport } from '../figures/report.ts'

const WINDOW_MS = 60_000
const CLIENTS = 1_024
/** Never reached within a run, and still a limit that is counted. */
const AMPLE = 1_000_000_000
const ADDRESSES = 1_000_000
/** A slot of 16 bytes and two rows of 4 for each client that the largest ring has. */
const RING_MIB = (MAX_CLIENTS * (16 + 2 * 4)) / 2 ** 20

const hosts = Array.from({ length: CLIENTS }, (_, i) => `203.0.${i >> 8}.${i & 255}`)
const words = Int32Array.from({ length: CLIENTS }, (_, i) => 0xcb000000 | i)

const open = (clientMax: number, globalMax: number): FixedWindow =>
  new FixedWindow({ clientMax, globalMax, windowMs: WINDOW_MS })

/** The same limits with the other package: first the client's, then the global one. */
function openFlexible(clientMax: number, globalMax: number): (host: string) => Promise<boolean> {
  const client = new RateLimiterMemory({ points: clientMax, duration: WINDOW_MS / 1_000 })
  const global = new RateLimiterMemory({ points: globalMax, duration: WINDOW_MS / 1_000 })
  return async (host) => {
    try {
      await client.consume(host)
      await global.consume('all')
      return true
    } catch {
      return false
    }
  }
}

/** Decisions over all clients in turn, `stepMs` apart. */
function decide(window: FixedWindow, stepMs: number, clients = words): (times: number) => number {
  const clock = new Float64Array(1) // a number variable would be boxed anew at every step
  return (times) => {
    let admitted = 0
    for (let i = 0; i < times; i++) {
      if (window.at((clock[0]! += stepMs)).take(0, clients[i & (clients.length - 1)]!)) admitted++
    }
    return admitted
  }
}

function decideFlexible(take: (host: string) => Promise<boolean>): (times: number) => Promise<number> {
  return async (times) => {
    let admitted = 0
    for (let i = 0; i < times; i++) if (await take(hosts[i % CLIENTS]!)) admitted++
    return admitted
  }
}

/**
 * What any limiter that knows its clients apart has to do at least: to hash the client, and to read one row of
 * an index of twice as many, and one counter behind it. No client is compared, nothing is written.
 */
function probe(clients: Int32Array): (times: number) => number {
  const seed = randomSeed()
  const rows = 2 * clients.length
  const index = new Int32Array(rows)
  const counters = new Int32Array(4 * clients.length)
  for (const [nth, client] of clients.entries()) {
    index[tabulationHash(seed, 0, client) & (rows - 1)] = 4 * nth
    counters[4 * nth] = 1
  }
  const clock = new Float64Array(1)
  return (times) => {
    let sum = 0
    for (let i = 0; i < times; i++) {
      clock[0]! += 0
      sum += counters[index[tabulationHash(seed, 0, clients[i & (clients.length - 1)]!) & (rows - 1)]!]!
    }
    return sum
  }
}

/** As many clients as the largest ring has, in no order. */
const crowd = Int32Array.from({ length: MAX_CLIENTS }, (_, i) => Math.imul(i, 0x9e3779b1))

/** A window that has admitted as many requests as its global limit allows. */
function exhausted(clientMax: number, globalMax: number): FixedWindow {
  const window = open(clientMax, globalMax)
  for (let i = 0; i < globalMax; i++) window.at(0).take(0, words[i % CLIENTS]!)
  return window
}

/** Checks that both decide alike, through rejections by either limit, before either is timed. */
async function check(): Promise<void> {
  const window = open(2, 300)
  const take = openFlexible(2, 300)
  for (let i = 0; i < 1_000; i++) {
    const client = i < 500 ? i % 100 : i % CLIENTS
    const answer = window.at(0).take(0, words[client]!)
    if (answer !== (await take(hosts[client]!))) throw new Error(`The limiters disagree at request ${i}.`)
  }
  if (window.globalRemaining !== 0) throw new Error('The check never reached the global limit.')
}

const reader = createClientReader({
  trustedProxies: parseTrustedProxies('loopback'),
  header: 'x-forwarded-for',
})

function readClients(times: number): number {
  const out = new ClientAddress()
  let sum = 0
  for (let i = 0; i < times; i++) {
    reader('127.0.0.1', hosts[i % CLIENTS], out)
    sum += out.lo
  }
  return sum
}

export async function benchLimit(): Promise<BenchReport> {
  await check()
  const [admitted, flexibleAdmitted] = await compare([
    ['limit: admitted', decide(open(AMPLE, AMPLE), 0)],
    ['rate-limiter-flexible: admitted', decideFlexible(openFlexible(AMPLE, AMPLE))],
  ])
  const spent = openFlexible(1, CLIENTS)
  for (const host of hosts) await spent(host)
  const [refused, flexibleRefused] = await compare([
    ['limit: refused', decide(exhausted(1, CLIENTS), 0)],
    ['rate-limiter-flexible: refused', decideFlexible(spent)],
  ])
  const [floor, overFloor] = await compare([
    ['one probe: 1,024 clients', probe(words)],
    ['limit: admitted, 1,024 clients', decide(open(AMPLE, AMPLE), 0)],
  ])
  const [crowdFloor, overCrowdFloor] = await compare([
    ['one probe: 1,048,576 clients, in no order', probe(crowd)],
    ['limit: admitted, 1,048,576 clients, in no order', decide(open(AMPLE, AMPLE), 0, crowd)],
  ])
  const turning = await measure(
    'limit: admitted, window turns every call',
    decide(open(60, 1_200), WINDOW_MS),
  )
  const reading = await measure('client: x-forwarded-for behind a trusted proxy', readClients)
  // The smallest allocation is 12 bytes, so rounding loses none.
  const bytes = spread([Math.round(allocated(decide(open(60, 1_200), 100.25)))])
  const claims: Claim[] = [
    { what: 'limiter: ns per decision, admitted', figure: admitted!.ns, is: 'at most', bound: 25 },
    {
      what: 'limiter: times as long as one probe, 1,048,576 clients',
      figure: overCrowdFloor!.ratio!,
      is: 'at most',
      bound: 2,
    },
    { what: 'limiter: bytes allocated per decision', figure: bytes, is: 'at most', bound: 0 },
    flexibly('admitted', flexibleAdmitted!.ratio!),
    flexibly('refused', flexibleRefused!.ratio!),
  ]
  const floors = [floor!, overFloor!, crowdFloor!, overCrowdFloor!]
  const rows = [admitted!, flexibleAdmitted!, refused!, flexibleRefused!, ...floors, turning, reading]
  const report = toReport('Limiter', TEXT, rows, claims)
  const flood = await benchFlood()
  return { tables: [...report.tables, ...flood.tables], claims: [...report.claims, ...flood.claims] }
}

function flexibly(decision: string, figure: Spread): Claim {
  const what = `rate-limiter-flexible, ${decision}: times as long as the limiter`
  return { what, figure, is: 'at least', bound: 5 }
}

/** The memory that a million distinct addresses in one window take. */
async function benchFlood(): Promise<BenchReport> {
  const window = open(60, 1_200)
  const lifted = open(60, AMPLE)
  const flexible = new RateLimiterMemory({ points: 60, duration: WINDOW_MS / 1_000 })
  const growth = [
    await growthMiB((i) => window.at(0).take(0, i)),
    await growthMiB((i) => lifted.at(0).take(0, i)),
    await growthMiB((i) => lifted.at(WINDOW_MS).take(0, i)),
    await growthMiB((i) => flexible.consume(hostOf(i))),
  ]
  // Otherwise a million timers would fire during the next measurement.
  for (let i = 0; i < ADDRESSES; i++) await flexible.delete(hostOf(i))
  const names = [
    'limit: 60/1,200',
    'limit: 60/1,000,000,000',
    'limit: 60/1,000,000,000, the next window',
    'rate-limiter-flexible: 60 per client',
  ]
  const rows = growth.map((mib, i) => [names[i]!, mib.toFixed(1)])
  const claims: Claim[] = growth.slice(0, 3).map((mib, i) => ({
    what: `${names[i]}: MiB more after 1,000,000 addresses`,
    figure: spread([mib]),
    is: 'at most',
    bound: i === 1 ? RING_MIB + 0.5 : 0.5,
  }))
  return {
    tables: [{ title: 'A flood of addresses', text: FLOOD_TEXT, columns: ['', 'MiB more'], rows }],
    claims,
  }
}

/** Growth of the heap and of buffers after garbage collection. */
async function growthMiB(take: (nth: number) => unknown): Promise<number> {
  const before = heldMiB()
  for (let i = 0; i < ADDRESSES; i++) await take(i)
  const after = heldMiB()
  return Math.max(0, after - before)
}

const hostOf = (nth: number): string => `10.${nth >> 16}.${(nth >> 8) & 255}.${nth & 255}`

function heldMiB(): number {
  gc!()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 2 ** 20
}

const TEXT = `One decision over the client's and the global limit together. rate-limiter-flexible is called for one, then for the
other; it charges the client even when the global limit rejects, and keeps a timer per client. One probe is the floor: the hash of the
client, one row of an index of twice as many and the counter behind it, with nothing compared or written; the loop is in both.`
const FLOOD_TEXT = `1,000,000 distinct addresses in one window: growth of heap and buffers beyond what the limiter allocated when it was
made, after garbage collection. The ring of 2^20 clients has 24 MiB with its index (16 bytes a slot, two rows of 4), is made by the window that needs it, and
kept.`
