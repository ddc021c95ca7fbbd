/** The versions of Node.js: the oldest that is served, and the one that the image runs and the documents recommend. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (name: string): string => readFileSync(ROOT + name, 'utf8').replaceAll(/\s+/g, ' ')
const { engines, devDependencies } = JSON.parse(read('package.json'))

t.test('the documents name the oldest version, and the sources need no later one', async (t) => {
  const [, oldest, major] = /^>=((\d+)\.\d+)$/.exec(engines.node)!
  for (const document of ['README.md', 'docs/deployment.md']) {
    t.match(read(document), `Node.js ${oldest} or newer`, document)
  }
  t.match(devDependencies['@types/node'], new RegExp(`^${major}\\.`))
  for (const script of ['scripts/build.mjs', 'scripts/client/generated.mjs']) {
    t.match(read(script), `target: 'node${major}'`, script)
  }
  t.match(read('docs/client.md'), `Node ${major}`)
})

t.test('the documents recommend the version of the image', async (t) => {
  const [, recommended] = /ARG NODE=node:(\d+)\./.exec(read('Dockerfile'))!
  t.match(read('README.md'), `(${recommended} is recommended)`)
  t.match(read('docs/deployment.md'), `Node.js ${recommended} is recommended`)
})

t.test('a version to test with is a number', async (t) => {
  const install = promisify(execFile)(process.execPath, ['scripts/node-version.mjs', 'latest'], { cwd: ROOT })
  await t.rejects(install, { code: 1, stderr: /"latest" is not a version of Node\.js, such as 24/ })
})

t.test(
  'CI runs the versions that pass the tests: the oldest by itself, the others by their number',
  async (t) => {
    const [, oldest] = /^>=(\d+)/.exec(engines.node)!
    const [, image] = /ARG NODE=node:(\d+)\./.exec(read('Dockerfile'))!
    const others = [...read('.ci/run').matchAll(/node-version\.mjs( \d+)?\)/g)].map(([, number = image]) =>
      number!.trim(),
    )
    const [, named] = /\*\*Versions of Node\.js\*\*: ([\d, and]+) pass/.exec(read('CONTRIBUTING.md'))!
    t.same(named!.match(/\d+/g), [oldest, ...others])
  },
)
