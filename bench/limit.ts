/**
 * The limiter: one decision over the client's and the global limit together,
 * beside rate-limiter-flexible's memory limiter asked for the same two. Times
 * are of the decision alone; both are given the client ready to use. The last
 * row is what makes it ready here: address, header and proxies to a key.
 *
 * Not shown: rate-limiter-flexible charges the client also when the global limit
 * refuses, and keeps a timer per client. The rows that turn the window at every
 * call have no counterpart there, as its clock cannot be given.
 */
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { ClientAddress, createClientReader } from '../src/http/client.ts'
import { parseTrustedProxies } from '../src/http/trusted-proxies.ts'
import { FixedWindow } from '../src/limit/fixed-window.ts'
import { allocated, format, measure, type Row } from './measure.ts'

const WINDOW_MS = 60_000
const CLIENTS = 1_024
/** Out of reach within a run, and far from lifted. */
const AMPLE = 1_000_000_000

const hosts = Array.from({ length: CLIENTS }, (_, i) => `203.0.${i >> 8}.${i & 255}`)
const words = Int32Array.from({ length: CLIENTS }, (_, i) => 0xcb000000 | i)

const open = (clientMax: number, globalMax: number): FixedWindow =>
  new FixedWindow({ clientMax, globalMax, windowMs: WINDOW_MS })

/** The same limits from the other package: ask for the client, then for all. */
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
function decide(window: FixedWindow, stepMs: number): (times: number) => number {
  const clock = new Float64Array(1) // a variable would be boxed anew at every step
  return (times) => {
    let admitted = 0
    for (let i = 0; i < times; i++) {
      if (window.take(0, words[i % CLIENTS]!, (clock[0]! += stepMs))) admitted++
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

/** A window that has admitted all that it will. */
function exhausted(clientMax: number, globalMax: number): FixedWindow {
  const window = open(clientMax, globalMax)
  for (let i = 0; i < globalMax; i++) window.take(0, words[i % CLIENTS]!, 0)
  return window
}

/** Both must answer alike, through refusals by either limit, before either is timed. */
async function check(): Promise<void> {
  const window = open(2, 300)
  const take = openFlexible(2, 300)
  for (let i = 0; i < 1_000; i++) {
    const client = i < 500 ? i % 100 : i % CLIENTS
    const answer = window.take(0, words[client]!, 0)
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

/** All rows, in the order of the page. */
export async function benchLimit(): Promise<Row[]> {
  await check()
  const admitted = await measure('limit: admitted', decide(open(AMPLE, AMPLE), 0))
  const turning = await measure(
    'limit: admitted, window turns every call',
    decide(open(60, 1_200), WINDOW_MS),
  )
  const refused = await measure('limit: refused', decide(exhausted(1, CLIENTS), 0))
  const flexibleAdmitted = await measure(
    'rate-limiter-flexible: admitted',
    decideFlexible(openFlexible(AMPLE, AMPLE)),
  )
  const spent = openFlexible(1, CLIENTS)
  for (const host of hosts) await spent(host)
  const flexibleRefused = await measure('rate-limiter-flexible: refused', decideFlexible(spent))
  return [
    admitted,
    turning,
    refused,
    { ...flexibleAdmitted, ratio: flexibleAdmitted.ns / admitted.ns },
    { ...flexibleRefused, ratio: flexibleRefused.ns / refused.ns },
    await measure('client: x-forwarded-for behind a trusted proxy', readClients),
  ]
}

// Run alone, and not as a part of all benchmarks.
if (/\blimit\.[jt]s$/.test(process.argv[1] ?? '')) {
  for (const row of await benchLimit()) console.log(format(row))
  const bytes = allocated(decide(open(60, 1_200), 100.25))
  console.log(`bytes allocated by 1,000,000 decisions: ${Math.round(bytes * 1e6)}`)
}
