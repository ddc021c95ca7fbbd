/**
 * Runs all tests again and again beside busy loops, at other instants and in other time zones each time:
 * `npm run test:load -- 20`. What fails once in twenty runs is a die, and no run of it excuses another.
 *
 * Options: --loops=N busy processes, two where absent; --log=FOLDER keeps what each run prints.
 */
import { spawn } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))))
const { values, positionals } = parseArgs({
  options: {
    loops: { type: 'string', default: '2' },
    log: { type: 'string', default: 'node_modules/.cache/load' },
  },
  allowPositionals: true,
})
const runs = Number(positionals[0] ?? 20)

/** The end of a day, a leap day, an hour that a zone skips, and a usual morning. */
const TIMES = [
  ['2026-11-24T23:59:58Z', 'UTC'],
  ['2028-02-29T12:00:00Z', 'America/St_Johns'],
  ['2027-03-28T01:59:30Z', 'Asia/Kathmandu'],
  ['2026-07-01T06:30:00Z', 'Pacific/Kiritimati'],
]

mkdirSync(values.log, { recursive: true })
const busy = Array.from({ length: Number(values.loops) }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
)
/** What ends with this process. */
const children = new Set(busy)
process.once('exit', () => {
  for (const child of children) child.kill()
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

let failed = 0
for (let run = 1; run <= runs; run++) {
  const [instant, zone] = TIMES[run % TIMES.length]
  const startedAt = performance.now()
  const { code, last } = await test(run, { TEST_INSTANT: instant, TZ: zone })
  if (code !== 0) failed++
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  console.log(`run ${run} of ${runs}, ${instant}, ${zone}: ${seconds} s, ${last}`)
}
console.log(`${runs - failed} of ${runs} runs without a failure`)
process.exit(failed === 0 ? 0 : 1)

/** @returns {Promise<{ code: number, last: string }>} the exit code, and the line that counts assertions */
function test(run, environment) {
  const log = createWriteStream(join(values.log, `run-${run}.log`))
  const child = spawn(process.execPath, ['scripts/test.mjs'], {
    env: { ...process.env, CI: 'true', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  let tail = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      log.write(chunk)
      tail = (tail + chunk).slice(-20_000)
    })
  }
  return new Promise((resolve) => {
    child.once('close', (code) => {
      children.delete(child)
      log.end()
      resolve({ code: code ?? 1, last: /\d+ passed, \d+ failed.*/.exec(tail)?.[0] ?? 'it did not end' })
    })
  })
}
