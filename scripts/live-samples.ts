/**
 * Judges the real samples of ../shared/vectors/live, and writes what became of them where docs/verification.md has its
 * table from: test/fixtures/live/run.json. `npm run docs` writes the table.
 */
import { writeFileSync } from 'node:fs'
import { judge } from '../test/fixtures/live/judge.ts'
import { LIVE_MISSING, readLive } from '../test/fixtures/live/samples.ts'
import { digestOf, type Judged, type LiveRun, tabulated } from '../test/fixtures/live/table.ts'

if (LIVE_MISSING !== false) throw new Error(LIVE_MISSING)
const ends: (() => unknown)[] = []
const samples = readLive()
const judged: Judged[] = []
for (const sample of samples) {
  judged.push({
    sample,
    rule: await judge({ teardown: (end: () => unknown) => void ends.push(end) }, sample),
  })
}
for (const end of ends.reverse()) await end()
const run: LiveRun = { digest: digestOf(samples), rows: tabulated(judged) }
writeFileSync(new URL('../test/fixtures/live/run.json', import.meta.url), `${JSON.stringify(run, null, 2)}\n`)
