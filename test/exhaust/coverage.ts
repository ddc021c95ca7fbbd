/**
 * Which branches of the parser a sample of each family reaches, by V8's own counters. A program of its own, as the counters have to run before the parser is loaded.
 */

import { type Profiler, Session } from 'node:inspector'
import { fileURLToPath } from 'node:url'

/** What parses: everything that a bundle of the first has, see test/chains/solana/parser.test.ts. */
const PARSER = ['wire.ts', 'wire-v1.ts', 'cursor.ts', 'locks.ts', 'sizes.ts'].map(
  (name) => new URL(`../../src/chains/solana/${name}`, import.meta.url).href,
)

const session = new Session()
session.connect()
session.post('Debugger.enable')
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
const { trySamples } = await import('./sample.ts')
const cases = trySamples()
const scripts = await new Promise<Profiler.ScriptCoverage[]>((resolve, reject) =>
  session.post('Profiler.takePreciseCoverage', (error, { result }) =>
    error === null ? resolve(result) : reject(error),
  ),
)

let branches = 0
const missed: string[] = []
for (const url of PARSER) {
  const script = scripts.find((one) => one.url === url)
  if (script === undefined) throw new Error(`${fileURLToPath(url)} was not loaded`)
  const source = await sourceOf(script.scriptId)
  for (const { functionName, ranges } of script.functions) {
    branches += ranges.length
    for (const { startOffset, endOffset, count } of ranges) {
      if (count > 0) continue
      const text = source.slice(startOffset, endOffset).trim().replace(/\s+/g, ' ').slice(0, 200)
      missed.push(`${url.split('/').at(-1)}, ${functionName || 'module'}: ${text}`)
    }
  }
}
session.disconnect()
for (const one of missed) console.log(one)
console.log(JSON.stringify({ cases, branches, missed: missed.length }))
if (missed.length > 0) process.exitCode = 1

function sourceOf(scriptId: string): Promise<string> {
  return new Promise((resolve, reject) =>
    session.post('Debugger.getScriptSource', { scriptId }, (error, { scriptSource }) =>
      error === null ? resolve(scriptSource) : reject(error),
    ),
  )
}
