/**
 * Runs all benchmarks, or the named ones: `npm run bench -- micro http`. `--write` also writes
 * the tables to bench/RESULTS.md.
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
  type BenchReport,
  type Claim,
  describeMachine,
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

/**
 * In the order in which they run: code is measured in this process before the process is
 * pinned to one core.
 */
const PARTS: Readonly<Record<string, readonly (() => Promise<BenchReport>)[]>> = {
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

// Exiting stops the servers too when the run is interrupted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

console.log(`${describeMachine()}\n`)
const tables: Table[] = []
const claims: Claim[] = []
for (const [name, benches] of Object.entries(PARTS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  for (const bench of benches) {
    const report = await bench()
    tables.push(...report.tables)
    claims.push(...report.claims)
    for (const table of report.tables) console.log(toText(table))
  }
}
tables.unshift(toTargets(claims))
console.log(toText(tables[0]!))
if (words.includes('--write')) writeResults(tables, ['npm run bench --', ...words].join(' '))
