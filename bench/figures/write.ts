/** Writes runs to bench/RESULTS.md, from the bundle in dist/bench. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BenchReport, describeMachine } from './report.ts'
import { replacePart } from './results.ts'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const RESULTS = join(ROOT, 'bench/RESULTS.md')

/** Replaces a part in RESULTS.md by its run. */
type WritePart = (part: string, report: BenchReport) => void

/**
 * The commit is read now, before the run: files may change while it goes on.
 * @param command  the one that ran
 */
export function prepareToWrite(command: string): WritePart {
  const machine = describeMachine()
  const commit = describeCommit()
  return (part, report) => {
    const run = { part, command, machine, commit, report }
    writeFileSync(RESULTS, replacePart(readFileSync(RESULTS, 'utf8'), run))
  }
}

/** `1a2b3c4`, and whether files differ from it; this file's own results do not count. */
export function describeCommit(): string {
  const git = (...args: string[]): string =>
    spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout?.trim() ?? ''
  const commit = git('rev-parse', '--short', 'HEAD')
  if (commit === '') return 'unknown'
  const changes = git('status', '--porcelain', '--', '.', ':!bench/RESULTS.md')
  return changes === '' ? commit : `${commit} with changes`
}
