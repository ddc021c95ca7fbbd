/**
 * `npm run test:unit`: the tests of every folder of test/ but those that start
 * servers by the dozen, replay the sandbox, run a chain, drive a browser or try
 * attacks by the thousand. A new folder is in it.
 *
 * tap spends most of a second on each file's own process; here two processes take
 * half of the files each. `npm test` runs them all, each in a process of its own.
 */
import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const LEFT_OUT = new Set([
  'conformance',
  'console',
  'docs',
  'fixtures',
  'hostile',
  'nodes',
  'openapi',
  'providers',
  'routes',
  'sandbox',
  'siege',
  'simulation',
])

const half = process.argv[2]
if (half === undefined) await runAll()
else await importAll(split(unitTests())[Number(half)])

async function importAll(files) {
  for (const file of files) await import(pathToFileURL(file).href)
}

async function runAll() {
  const halves = split(unitTests())
  const runs = await Promise.all([run('0'), run('1')])
  const failed = runs.filter(({ code }) => code !== 0)
  for (const { output } of failed) process.stdout.write(output)
  const passed = runs.reduce((sum, { output }) => sum + (output.match(/^ +ok /gm)?.length ?? 0), 0)
  const files = halves.flat().length
  process.stdout.write(
    `${files} files, ${passed} assertions hold${failed.length > 0 ? '; see "not ok" above' : ''}, ${(performance.now() / 1_000).toFixed(1)} s\n`,
  )
  process.exitCode = failed.length > 0 ? 1 : 0
}

function unitTests() {
  return readdirSync(join(ROOT, 'test'), { recursive: true })
    .filter((name) => name.endsWith('.test.ts') && name.includes(sep))
    .filter(
      (name) =>
        !dirname(name)
          .split(sep)
          .some((folder) => LEFT_OUT.has(folder)),
    )
    .map((name) => join(ROOT, 'test', name))
}

/** In two, by size, the largest first: each goes to the half that has less. */
function split(files) {
  const halves = [
    { bytes: 0, files: [] },
    { bytes: 0, files: [] },
  ]
  const sized = files.map((file) => ({ file, bytes: statSync(file).size }))
  for (const { file, bytes } of sized.sort((a, b) => b.bytes - a.bytes)) {
    const half = halves[0].bytes <= halves[1].bytes ? halves[0] : halves[1]
    half.bytes += bytes
    half.files.push(file)
  }
  return halves.map((half) => half.files)
}

/** Each half finds its files itself: tap names a process's test folders by its arguments. */
function run(half) {
  const loader = new URL('./ts-loader.mjs', import.meta.url).href
  const args = ['--enable-source-maps', `--import=${loader}`, fileURLToPath(import.meta.url), half]
  return new Promise((resolve) => {
    // tap's own bound, 30 s, is meant for one file.
    const env = { ...process.env, TAP_TIMEOUT: '120' }
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.on('close', (code) => resolve({ code, output }))
  })
}
