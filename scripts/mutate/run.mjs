/**
 * Runs test files one after the other in this process, as a lane of `npm test` does, with at most one mutant switched
 * on. Its argument tells apart the processes that run at one time: tap names the folders of tests by the command line.
 * The rest is in MUTATE, as JSON.
 */
import { writeFileSync, writeSync } from 'node:fs'
import { register } from 'node:module'
import { pathToFileURL } from 'node:url'
import tap from 'tap'
import { begin } from '../test/lane-tests.mjs'

const TICK_MS = 50
/** How long the parent has to end a process that hangs. */
const LAST_TICKS = 200
/** What does not end is found by its ticks and its processor time, not by tap. */
const NEVER_MS = 86_400_000
/** @type {{ files: string[], sources: object, mutant: number | null, mutants: number, ticks: number | null, report: string | null }} */
const { files, sources, mutant, mutants, ticks, report } = JSON.parse(process.env.MUTATE)
delete process.env.MUTATE
register('../test/lane-hooks.mjs', import.meta.url)
register('./hooks.mjs', import.meta.url, { data: sources })

const covered = new Uint8Array(mutants)
globalThis.__mutant = mutant === null ? (id) => (covered[id] = 1) === 0 : (id) => id === mutant

// Only a loop that turns counts: on a busy machine the ticks take as much longer as all else. The parent ends this
// process with what it has started.
let ticked = 0
setInterval(() => {
  ticked++
  if (ticks === null || ticked < ticks) return
  if (ticked === ticks) writeSync(1, '\n# hung\n')
  else if (ticked === ticks + LAST_TICKS) process.kill(process.pid, 'SIGKILL')
}, TICK_MS).unref()

const started = performance.now()
if (report !== null) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    const ids = [...covered.keys()].filter((id) => covered[id] === 1)
    const wallMs = performance.now() - started
    writeFileSync(
      report,
      JSON.stringify({ covered: ids, cpuMs: (user + system) / 1_000, wallMs, ticks: ticked }),
    )
  })
}

tap.setTimeout(0)
for (const file of files) {
  const { href } = pathToFileURL(file)
  await tap.test(file, { timeout: NEVER_MS }, async (test) => {
    begin(href, test)
    await import(href)
  })
}
