/**
 * `npm run bench` runs all benchmarks, and `npm run bench -- micro http` the named ones. `--write`
 * replaces the rows of each part that ran in bench/RESULTS.md, and `--node=20` runs it on another version
 * of Node.js than the image's. `npm run bench -- compare COMMIT` pairs this build with that of another
 * commit instead.
 */

import { compareWith } from './compare.ts'
import { type BenchReport, type Claim, describeMachine, toTargets, toText } from './figures/report.ts'
import { prepareToWrite } from './figures/write.ts'
import { benchAdded } from './parts/added.ts'
import { benchBase58 } from './parts/base58.ts'
import { benchBots } from './parts/bots.ts'
import { benchHoldings } from './parts/holdings.ts'
import { benchHttp } from './parts/http.ts'
import { benchInstances } from './parts/instances.ts'
import { benchLimit } from './parts/limit.ts'
import { benchOverload } from './parts/overload.ts'
import { benchParser } from './parts/parser.ts'
import { benchPortfolio } from './parts/portfolio.ts'
import { benchProofs } from './parts/proofs.ts'
import { benchRecording } from './parts/recording.ts'
import { benchScale } from './parts/scale.ts'
import { benchStartup } from './parts/startup.ts'
import { benchSubmissions } from './parts/submissions.ts'
import { benchSwaps } from './parts/swaps.ts'
import { benchTokens } from './parts/tokens.ts'
import { benchVerifier } from './parts/verifier.ts'
import { benchWorkers } from './parts/workers.ts'
import { onVersion } from './servers/versions.ts'

/**
 * In the order in which they run: code is measured in this process before the process is
 * pinned to one core.
 */
const BENCHES: Readonly<Record<string, readonly (() => Promise<BenchReport>)[]>> = {
  micro: [benchParser, benchBase58, benchVerifier, benchLimit],
  proofs: [benchProofs],
  http: [benchHttp],
  swaps: [benchSwaps, benchAdded],
  bots: [benchBots],
  submissions: [benchSubmissions],
  research: [benchTokens, benchPortfolio],
  holdings: [benchHoldings],
  overload: [benchOverload],
  startup: [benchStartup],
  recording: [benchRecording],
  scale: [benchScale],
  instances: [benchInstances],
  workers: [benchWorkers],
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

const words = onVersion(process.argv.slice(2))
const [first, ...others] = words
if (first === 'compare') await compareWith(others)
else await run(words)
// A server that a failed row left would keep this process alive.
process.exit()
