/**
 * `npm run bench` runs all benchmarks, and `npm run bench -- micro http` the named ones. `--write`
 * replaces the rows of each part that ran in bench/RESULTS.md. `npm run bench -- compare COMMIT`
 * pairs this build with that of another commit instead.
 */
import { benchAdded } from './added.ts'
import { benchBase58 } from './base58.ts'
import { benchBots } from './bots.ts'
import { compareWith } from './compare.ts'
import { benchHoldings } from './holdings.ts'
import { benchHttp } from './http.ts'
import { benchInstances } from './instances.ts'
import { benchLimit } from './limit.ts'
import { benchOverload } from './overload.ts'
import { benchParser } from './parser.ts'
import { benchPortfolio } from './portfolio.ts'
import { benchProofs } from './proofs.ts'
import { type BenchReport, type Claim, describeMachine, toTargets, toText } from './report.ts'
import { benchScale } from './scale.ts'
import { benchStartup } from './startup.ts'
import { benchSubmissions } from './submissions.ts'
import { benchSwaps } from './swaps.ts'
import { benchTokens } from './tokens.ts'
import { benchVerifier } from './verifier.ts'
import { prepareToWrite } from './write.ts'

/**
 * In the order in which they run: code is measured in this process before the process is
 * pinned to one core.
 */
const BENCHES: Readonly<Record<string, readonly (() => Promise<BenchReport>)[]>> = {
  micro: [benchParser, benchBase58, benchVerifier, benchLimit, benchSwaps],
  proofs: [benchProofs],
  http: [benchHttp],
  added: [benchAdded],
  bots: [benchBots],
  submissions: [benchSubmissions],
  research: [benchTokens, benchPortfolio],
  holdings: [benchHoldings],
  overload: [benchOverload],
  startup: [benchStartup],
  scale: [benchScale],
  instances: [benchInstances],
}

async function run(words: readonly string[]): Promise<void> {
  const chosen = words.filter((word) => word !== '--write')
  const parts = Object.keys(BENCHES)
  if (!chosen.every((name) => parts.includes(name))) {
    throw new Error(`The parts are ${parts.join(', ')}.`)
  }
  console.log(`${describeMachine()}\n`)
  const command = ['npm run bench --', ...words].join(' ')
  const write = words.includes('--write') ? prepareToWrite(command) : null
  const claims: Claim[] = []
  for (const part of parts) {
    if (chosen.length > 0 && !chosen.includes(part)) continue
    const reports: BenchReport[] = []
    for (const bench of BENCHES[part]!) {
      const report = await bench()
      reports.push(report)
      for (const table of report.tables) console.log(toText(table))
    }
    const report = {
      tables: reports.flatMap(({ tables }) => tables),
      claims: reports.flatMap(({ claims }) => claims),
    }
    claims.push(...report.claims)
    write?.(part, report)
  }
  if (claims.length > 0) console.log(toText(toTargets(claims)))
}

// Exiting stops the servers too when the run is interrupted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const [first, ...others] = process.argv.slice(2)
if (first === 'compare') await compareWith(others)
else await run(process.argv.slice(2))
// A server that a failed row left would keep this process alive.
process.exit()
