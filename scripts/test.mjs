/**
 * Runs the tests: `npm test`, `npm run test:unit`, `npm run test:long`, or `npm test -- FILE|FOLDER …`.
 *
 * Files that import tap take most of a second to start; so a few processes ("lanes") run them all, each one file after
 * the other, one lane more than there are cores, and of `--long`, which measures milliseconds, as many. A lane's
 * files follow from scripts/test/costs.json, so that a failure that depends on its neighbours comes again.
 *
 * Options: --unit, --long; --jobs=N lanes at a time; --node=PROGRAM another version of Node; --seed=N
 * other samples for the property tests; --samples=1 all of them that a property names, of which `npm test` tries a
 * quarter (test/long/properties.test.ts tries all); --record writes costs.json.
 * TEST_RETRY=true, for CI: up to three files that fail next to others and pass alone are named as flaky, and don't fail
 * the run.
 */
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installLocked } from './packages.mjs'
import { record } from './test/costs.mjs'
import { filesOf } from './test/files.mjs'
import { lanesOf } from './test/lanes.mjs'
import { cpuSeconds } from './test/processes.mjs'
import { Report } from './test/report.mjs'
import { runLane } from './test/run-lane.mjs'

/** Folders with a package.json and its lock. */
const PACKAGES = 'test/long/packages'
/** With more failures than these it's the change, and not the machine. */
const MAX_FLAKY = 3

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))))
const { values, positionals } = parseArgs({
  options: {
    unit: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    // A lane waits now and then, for a browser or a program say.
    jobs: { type: 'string' },
    node: { type: 'string', default: process.execPath },
    seed: { type: 'string', default: '1' },
    samples: { type: 'string' },
  },
  allowPositionals: true,
})

const files = filesOf(values, positionals)
if (files.length === 0) {
  console.error(
    'No test file is named so: a path below test/, such as test/http or test/http/router.test.ts.',
  )
  process.exit(1)
}
// What the long tests need beyond `npm ci`, each folder once.
if (values.long) for (const name of readdirSync(PACKAGES)) installLocked(join(PACKAGES, name))
const samples = values.samples ?? (values.long ? '1' : '0.25')
const how = { node: values.node, seed: values.seed, samples }
const jobs = Number(values.jobs ?? availableParallelism() + (values.long ? 0 : 1))
const lanes = lanesOf(files, jobs)
const report = new Report(files)
await Promise.all(lanes.map(run))
const failed = report.failedFiles()
for (const file of failed) {
  console.log(`\n# ${file} once more, alone, to see why`)
  const { code, orphans } = await runLane([file], { ...how, isShown: true })
  if (process.env.TEST_RETRY === 'true' && failed.length <= MAX_FLAKY && code === 0 && orphans.length === 0)
    report.forgive(file)
}
if (values.record) record(report.costs())
report.print({
  lanes: lanes.length,
  wallSeconds: performance.now() / 1_000,
  cpuSeconds: cpuSeconds(),
})
process.exitCode = report.isGood() ? 0 : 1

async function run(lane) {
  report.end(lane, await runLane(lane, { ...how, onMessage: report.hear }))
}
