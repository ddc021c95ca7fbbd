/** The properties with all samples that they name, of which `npm test` tries a quarter. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => join('test', name))
  .filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/long/'))
  .filter((path) => readFileSync(join(ROOT, path), 'utf8').includes(" from 'fast-check'"))

t.test('every property holds with all its samples', async (t) => {
  t.ok(files.length > 50, `${files.length} files`)
  const seed = process.env.LANE_SEED ?? '1'
  const program = ['scripts/test.mjs', '--samples=1', `--seed=${seed}`, '--jobs=1', ...files]
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, program, { cwd: ROOT, maxBuffer: 2 ** 26 }, (_error, stdout) =>
      resolve(stdout),
    )
  })
  const lines = output.trimEnd().split('\n')
  t.match(lines.at(-1), /^\d+ passed, 0 failed/, lines.slice(-20).join('\n'))
})
