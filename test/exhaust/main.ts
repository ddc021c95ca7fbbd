/**
 * `npm run exhaust`: tries all cases of all families, by the parser and by the model of what a validator accepts, and
 * stops at the first on which the two disagree.
 *
 *   --families=legacy,v0    these alone
 *   --processes=2           as many as there are cores, if not given
 *   --case=legacy:1234      one case, with both verdicts
 *   --machine               a sample of each family in LiteSVM, signed and badly signed
 *   --write                 all cases, then the sample; writes their log to run.json, which `npm run docs` prints
 *
 * coverage.ts lists the branches of the parser that a sample does not reach.
 */

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { blocksOf, tryBlock, writeCase } from './block.ts'
import { VERDICTS } from './compare.ts'
import { FAMILIES } from './families.ts'
import { countOf } from './family.ts'
import { logOf, type RunLog, type WholeLog } from './log.ts'
import { type Sample, tryMachine } from './machine.ts'
import { tryBlocks } from './pool.ts'

/** About 60,000 cases. */
const SAMPLE: Sample = { most: 1_000, mostApart: 5, through: 200_000 }
const LOG = new URL('run.json', import.meta.url)

const { values } = parseArgs({
  options: {
    families: { type: 'string' },
    processes: { type: 'string', default: String(availableParallelism()) },
    case: { type: 'string' },
    write: { type: 'boolean', default: false },
    machine: { type: 'boolean', default: false },
  },
})

function familyOf(name: string) {
  const family = FAMILIES.find((one) => one.name === name)
  if (family === undefined) {
    throw new Error(`no family ${name}; there are: ${FAMILIES.map((one) => one.name).join(', ')}`)
  }
  return family
}

function tryCase(text: string): void {
  const [name = '', number] = text.split(':')
  const family = familyOf(name)
  const n = Number(number)
  console.log(Buffer.from(writeCase(family, n)).toString('hex'))
  const { counts, disagreement } = tryBlock({ family: FAMILIES.indexOf(family), from: n, to: n + 1 })
  console.log(disagreement?.message ?? VERDICTS[counts.indexOf(1)])
  if (disagreement !== null) process.exitCode = 1
}

async function tryAll(): Promise<void> {
  const families = values.families?.split(',').map(familyOf) ?? FAMILIES
  const processes = Number(values.processes)
  const blocks = blocksOf(families)
  const cases = families.reduce((sum, family) => sum + countOf(family), 0)
  console.log(`${cases.toLocaleString('en')} cases of ${families.length} families, ${processes} processes`)
  const commit = commitOf()
  const startedAt = performance.now()
  const seconds = (): number => (performance.now() - startedAt) / 1_000
  let tried = 0
  let shownAt = 0
  const results = await tryBlocks(blocks, processes, ({ counts, disagreement }, i) => {
    tried += counts.reduce((sum, count) => sum + count)
    if (disagreement !== null) {
      console.error(`${disagreement.name}: ${disagreement.message}\n${disagreement.hex}`)
      process.exitCode = 1
    }
    if (seconds() - shownAt < 10 && i < blocks.length - 1) return
    shownAt = seconds()
    const rate = Math.round(tried / shownAt).toLocaleString('en')
    console.log(`${Math.round(shownAt)} s: ${tried.toLocaleString('en')} cases, ${rate} per second`)
  })
  const log = logOf(blocks, results, {
    commit,
    node: process.version,
    processes,
    seconds: Math.round(seconds()),
  })
  for (const [name, { cases, verdicts, digest }] of Object.entries(log.families)) {
    console.log(`${name}: ${cases.toLocaleString('en')} cases, ${JSON.stringify(verdicts)}, ${digest}`)
  }
  console.log(`${log.cases.toLocaleString('en')} cases, ${log.disagreements} disagreements, ${log.digest}`)
  if (values.write) await writeLog(log)
}

function commitOf(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()
  return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ', changed')
}

/** A part of a run, or one that found something, is not the log that the docs print. */
async function writeLog(log: RunLog): Promise<void> {
  if (log.disagreements > 0 || Object.keys(log.families).length < FAMILIES.length) {
    throw new Error('only a whole run without a disagreement is written')
  }
  const whole: WholeLog = { ...log, machine: await tryMachine(SAMPLE) }
  writeFileSync(LOG, `${JSON.stringify(whole, null, 2)}\n`)
}

if (values.case !== undefined) tryCase(values.case)
else if (values.machine) console.log(await tryMachine(SAMPLE))
else await tryAll()
