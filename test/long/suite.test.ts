/** A suite whose files go wrong fails, however they do: none is lost. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PROGRAM = `import { runFiles } from './test/fixtures/suite.ts'\nawait runFiles(JSON.parse(process.env.FILES))`
const HOLDS = "import t from 'tap'\nt.test('holds', async (t) => t.pass())\n"

/** Runs a file between two that hold. @returns the exit code, and how many tests held */
function run(folder: string): { code: number | null; passed: number } {
  const files = ['a', 'b', 'c'].map((name) => pathToFileURL(join(folder, `${name}.test.ts`)).href)
  const { TAP_CHILD_ID: _, TAP: __, ...env } = process.env
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--import=./scripts/ts-loader.mjs', '--input-type=module', '-e', PROGRAM],
    { cwd: ROOT, encoding: 'utf8', env: { ...env, TAP_TYPE_STRIP_ONLY: '1', FILES: JSON.stringify(files) } },
  )
  return { code: status, passed: [...stdout.matchAll(/^ok \d+ - holds/gm)].length }
}

const CASES: Readonly<Record<string, readonly [source: string, passed: number, isGood?: boolean]>> = {
  'one that holds': ['', 3, true],
  'one with a teardown, and slow to import': [
    't.teardown(() => {})\nawait new Promise((done) => setTimeout(done, 300))',
    3,
    true,
  ],
  'one that fails': ["t.test('fails', async (t) => t.fail())", 3],
  'one that throws': ["throw new Error('at once')", 2],
  'one that ends the whole': ['t.end()', 2],
  'one that exits well': ["t.test('exits', async () => process.exit(0))", 2],
  'one that leaves a timer': ['setInterval(() => {}, 1_000)', 3],
  'one that never loads': ['await new Promise(() => {})', 2],
}

for (const [name, [source, passed, isGood = false]] of Object.entries(CASES)) {
  t.test(name, async (t) => {
    const folder = t.testdir({
      'a.test.ts': HOLDS,
      'b.test.ts': `${HOLDS}${source}\n`,
      'c.test.ts': HOLDS,
    })
    const ran = run(folder)
    t.equal(ran.passed, passed)
    t.equal(ran.code === 0, isGood, `exit code ${ran.code}`)
  })
}
