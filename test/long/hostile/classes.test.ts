/**
 * Attacks, drawn by the seed of the run, by a process for each core: 20,000, or 100,000 by `npm run test:draws`. They
 * run without the test's own machinery, which would take half of the time, and behind all else that runs.
 *
 * `SEED=2` draws others; one draw again: `node CHILD '{"seed":1,"from":4711,"count":1}'`. `test:draws` writes the
 * counts for docs/attacks.md.
 */

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism, setPriority } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import t from 'tap'
import { type Asked, HEAD, rowsOf, type Tally } from '../../fixtures/classes/draw.ts'
import { SEED } from '../../fixtures/fast-check.ts'

const COUNT = Number(process.env.DRAWS ?? 20_000)
/** Each is a process, as the virtual machine of Solana keeps half a megabyte of each execution. */
const PARTS = 10
/** Beyond it something hangs. */
const WHOLE_MS = 1_500_000
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const OUT = join(ROOT, 'node_modules', '.cache', 'classes')
const COUNTS = join(ROOT, 'scripts', 'docs', 'classes.json')
const BEHIND = 10

interface Part {
  readonly cpuMs: number
  readonly tallies: readonly Tally[]
}

/** A row in a line, as the formatter leaves it. */
function written(rows: ReturnType<typeof rowsOf>): string {
  const lines = rows.map((row) => `  [${row.map((cell) => JSON.stringify(cell)).join(', ')}]`)
  return `[\n${lines.join(',\n')}\n]\n`
}

function run(asked: Asked): Promise<Part> {
  const child = spawn(
    process.execPath,
    ['--max-semi-space-size=32', join(OUT, 'child.js'), JSON.stringify(asked)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  setPriority(child.pid!, BEHIND)
  t.teardown(() => child.kill())
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(text))
      else reject(new Error(`a part of the draws ended with code ${code}`))
    })
  })
}

t.test(
  'no attack that is drawn costs the wallet more than it agreed to',
  { timeout: WHOLE_MS },
  async (t) => {
    await build({
      absWorkingDir: ROOT,
      entryPoints: ['test/fixtures/classes/child.ts'],
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      outdir: OUT,
      logLevel: 'warning',
    })
    const parts: Part[] = []
    let begun = 0
    const work = async (): Promise<void> => {
      while (begun < PARTS)
        parts.push(await run({ seed: SEED, count: COUNT / PARTS, from: begun++, step: PARTS }))
    }
    await Promise.all(Array.from({ length: availableParallelism() }, work))
    const rows = rowsOf(parts.map(({ tallies }) => tallies))
    const cpuSeconds = parts.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1_000
    const title = `attacks drawn by seed ${SEED}, in ${cpuSeconds.toFixed(0)} s of processor time:`
    const shown = [title, HEAD.join(' | '), ...rows.map((row) => row.join(' | '))].join('\n')
    t.comment(shown)
    const hurt = parts.flatMap(({ tallies }) => tallies.flatMap((one) => one.hurt))
    t.same(hurt.slice(0, 10), [], `${hurt.length} hurt the wallet`)
    const [, tried, refused, harmless] = rows.at(-1)!
    t.equal(tried, COUNT)
    t.equal(refused! + harmless!, COUNT)
    if (process.env.COUNTS === 'write') writeFileSync(COUNTS, written(rows))
  },
)
