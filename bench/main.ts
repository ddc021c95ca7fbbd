/**
 * All benchmarks, or those that are named: `npm run bench -- micro proofs http added submissions bots rows research holdings streams overload startup`.
 * With `--write`, the tables go to bench/RESULTS.md too.
 */
import { benchAdded } from './added.ts'
import { benchBase58 } from './base58.ts'
import { benchBots } from './bots.ts'
import { benchHoldings } from './holdings.ts'
import { benchHttp } from './http.ts'
import { benchLimit } from './limit.ts'
import { benchOverload } from './overload.ts'
import { benchParser } from './parser.ts'
import { benchPieces } from './pieces.ts'
import { benchPortfolio } from './portfolio.ts'
import { benchProofs } from './proofs.ts'
import {
  describeMachine,
  type Lease,
  type Part,
  type Table,
  toTargets,
  toText,
  writeResults,
} from './report.ts'
import { benchRows } from './rows.ts'
import { benchStartup } from './startup.ts'
import { benchStreams } from './streams.ts'
import { benchSubmissions } from './submissions.ts'
import { benchSwaps } from './swaps.ts'
import { benchTokens } from './tokens.ts'
import { benchVerifier } from './verifier.ts'

/** In the order in which they run: what is measured in this process comes before it is put on one core. */
const PARTS: Readonly<Record<string, readonly (() => Promise<Part>)[]>> = {
  micro: [benchParser, benchBase58, benchVerifier, benchPieces, benchLimit, benchSwaps],
  proofs: [benchProofs],
  http: [benchHttp],
  added: [benchAdded],
  bots: [benchBots],
  submissions: [benchSubmissions],
  rows: [benchRows],
  research: [benchTokens, benchPortfolio],
  holdings: [benchHoldings],
  streams: [benchStreams],
  overload: [benchOverload],
  startup: [benchStartup],
}

const words = process.argv.slice(2)
const chosen = words.filter((word) => word !== '--write')
const unknown = chosen.find((name) => !Object.hasOwn(PARTS, name))
if (unknown !== undefined) throw new Error(`The parts are ${Object.keys(PARTS).join(', ')}.`)

// So that no server is left behind when the run is broken off.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

console.log(`${describeMachine()}\n`)
const tables: Table[] = []
const claims: Lease[] = []
for (const [name, benches] of Object.entries(PARTS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  for (const bench of benches) {
    const part = await bench()
    tables.push(...part.tables)
    claims.push(...part.claims)
    for (const table of part.tables) console.log(toText(table))
  }
}
tables.unshift(toTargets(claims))
console.log(toText(tables[0]!))
if (words.includes('--write')) writeResults(tables, ['npm run bench --', ...words].join(' '))
