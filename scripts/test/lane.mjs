/**
 * One process that runs files of tests one after the other, as subtests of its own. Their paths come as JSON in
 * LANE_FILES: tap takes the names of test folders from a process's arguments. What became of each file goes to the
 * parent, and so does what a file wants shown (`process.send({ shown })`); the TAP itself is written where TAP=1.
 */
import { register } from 'node:module'
import { resolve } from 'node:path'
import { Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { begin } from './lane-tests.mjs'
import { cpuSeconds } from './processes.mjs'

register('./lane-hooks.mjs', import.meta.url)
const { default: tap } = await import('tap')

/** Beyond it a file hangs. It is far from what any takes, so that no busy machine decides. */
const FILE_MS = 300_000
/** The same of those that take minutes. */
const LONG_FILE_MS = 1_800_000
/** How long what the files have left may go on. */
const LINGER_MS = 10_000

const tell = (message) => process.connected && process.send(message)

if (process.env.TAP !== '1') {
  tap.register()
  tap.pipe(new Writable({ write: (_chunk, _encoding, done) => done() }))
}
tap.setTimeout(0)
tap.parser.on('result', ({ ok, skip, todo, fullname, diag }) => {
  if (skip || todo) tell({ skipped: fullname })
  else if (ok) passed++
  else tell({ failed: fullname, diag })
})
let passed = 0

for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => runningTest().hookDomain.onerror(error, event))
}

for (const file of JSON.parse(process.env.LANE_FILES)) {
  const { href } = pathToFileURL(resolve(file))
  const startedAt = performance.now()
  const cpu = cpuSeconds()
  passed = 0
  tell({ begun: file })
  const timeout = file.startsWith('test/long/') ? LONG_FILE_MS : FILE_MS
  await tap.test(file, { timeout }, async (test) => {
    begin(href, test)
    await import(href)
  })
  const [ms, cpuMs] = [performance.now() - startedAt, (cpuSeconds() - cpu) * 1_000].map(Math.round)
  tell({ ended: file, passed, ms, cpuMs })
}
process.disconnect?.()
setTimeout(() => {
  process.stderr.write(
    'A file left something that goes on, such as a server or a timer: the lane had to be ended.\n',
  )
  process.exit(1)
}, LINGER_MS).unref()

/** The innermost test that has begun and not ended. */
function runningTest() {
  let test = tap
  while (test.activeSubtests?.size > 0) test = [...test.activeSubtests].at(-1)
  return test
}
