import { spawnSync } from 'node:child_process'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What `npm test` prints of these files, and its exit code, whatever this test was started with. */
function run(folder: string, jobs = 2): { code: number | null; lines: readonly string[] } {
  const { CI: _ci, TEST_RETRY: _retry, ...env } = process.env
  const { status, stdout } = spawnSync(process.execPath, ['scripts/test.mjs', `--jobs=${jobs}`, folder], {
    cwd: ROOT,
    encoding: 'utf8',
    env,
  })
  return { code: status, lines: stdout.trimEnd().split('\n') }
}

const HOLDS = "import t from 'tap'\nt.test('holds', async (t) => { t.ok(true); t.equal(1, 1) })"
const FAILS =
  "import t from 'tap'\nt.test('outer', (t) => t.test('inner', async (t) => { t.ok(1); t.equal(1, 2, 'one is two') }))"
const LEAVES = [
  "import { spawn } from 'node:child_process'",
  "import t from 'tap'",
  "spawn('sleep', ['1000'], { stdio: 'ignore' }).unref()",
  't.ok(true)',
].join('\n')
const EXITS = "import t from 'tap'\nt.test('leaves', async () => process.exit(3))"

t.test('the last lines are what failed: the file, the test, the assertion', (t) => {
  const folder = relative(ROOT, t.testdir({ 'a-holds.test.ts': HOLDS, 'b-fails.test.ts': FAILS }))
  const { code, lines } = run(folder)
  t.equal(code, 1)
  const file = join(folder, 'b-fails.test.ts')
  t.same(lines.slice(-2), ['3 passed, 1 failed', `not ok: ${file} > outer > inner > one is two (${file}:2)`])
  t.ok(
    lines.some((line) => line.includes('# Subtest: inner')),
    'it is run alone, to show why',
  )
  t.end()
})

t.test('an error has its cause beside it', (t) => {
  const throws =
    "import t from 'tap'\nt.test('a', () => { throw new Error('lost', { cause: new Error('cut off') }) })"
  const folder = relative(ROOT, t.testdir({ 'throws.test.ts': throws }))
  const { code, lines } = run(folder)
  t.equal(code, 1)
  t.match(lines.at(-1), /^not ok: .*throws\.test\.ts > a > lost, because: cut off \(/)
  t.end()
})

t.test('what a file wants shown is printed, although all holds', (t) => {
  const shows = `${HOLDS}\nprocess.send({ shown: 'a | b\\n1 | 2' })`
  const folder = relative(ROOT, t.testdir({ 'shows.test.ts': shows }))
  const { code, lines } = run(folder)
  t.equal(code, 0)
  t.same(lines.slice(lines.indexOf('a | b')).slice(0, 2), ['a | b', '1 | 2'])
  t.end()
})

t.test('a process that ends early fails its file and those that it did not reach', (t) => {
  const folder = relative(ROOT, t.testdir({ 'a-exits.test.ts': EXITS, 'b-holds.test.ts': HOLDS }))
  const { code, lines } = run(folder, 1)
  t.equal(code, 1)
  t.match(lines.at(-2), /a-exits\.test\.ts: the process ended in it, with code \d$/)
  t.match(lines.at(-1), /b-holds\.test\.ts: was not run, as .*a-exits\.test\.ts ended the process$/)
  t.end()
})

t.test('a process that a file leaves behind is a failure, and is ended', (t) => {
  const folder = relative(ROOT, t.testdir({ 'leaves.test.ts': LEAVES }))
  const { code, lines } = run(folder)
  t.equal(code, 1)
  t.match(lines.at(-1), /^left running by one of .*leaves\.test\.ts: sleep 1000$/)
  t.end()
})

t.test('so is what goes on in the process itself', (t) => {
  const lingers = `${HOLDS}\nsetInterval(() => {}, 1_000)`
  const folder = relative(ROOT, t.testdir({ 'lingers.test.ts': lingers }))
  const { code, lines } = run(folder)
  t.equal(code, 1)
  t.match(lines.at(-1), /^a lane ended with code 1, signal null: .*lingers\.test\.ts$/)
  t.end()
})

t.test('nothing but figures follows where all holds', (t) => {
  const folder = relative(ROOT, t.testdir({ 'holds.test.ts': HOLDS }))
  const { code, lines } = run(folder)
  t.equal(code, 0)
  t.equal(lines.at(-1), '2 passed, 0 failed')
  t.end()
})
