/** The versions of Node.js: the oldest that is served, and the one that the image runs. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (name: string): string => readFileSync(ROOT + name, 'utf8')

t.test('sources and builds need no later version than the oldest that is served', async (t) => {
  const { engines, devDependencies } = JSON.parse(read('package.json'))
  const [, major] = /^>=(\d+)\./.exec(engines.node)!
  t.match(devDependencies['@types/node'], new RegExp(`^${major}\\.`))
  for (const script of ['scripts/build.mjs', 'scripts/client/generated.mjs']) {
    t.match(read(script), `target: 'node${major}'`, script)
  }
})

t.test('a version to test with is a number', async (t) => {
  const install = promisify(execFile)(process.execPath, ['scripts/node-version.mjs', 'latest'], { cwd: ROOT })
  await t.rejects(install, { code: 1, stderr: /"latest" is not a version of Node\.js, such as 24/ })
})
