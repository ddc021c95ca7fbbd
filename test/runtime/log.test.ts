import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { LogBuffer } from '../../src/runtime/log.ts'

const LOADER = new URL('../../scripts/ts-loader.mjs', import.meta.url).href
const CHILD = fileURLToPath(new URL('../fixtures/log-child.ts', import.meta.url))
const MIB = 1024 * 1024

interface Report {
  readonly dropped: number
  readonly held: number
  readonly rss: number
}
interface Line {
  readonly line?: number
  readonly lines?: number
  readonly msg: string
}

/** @param stdout  'pipe', or the descriptor of a file */
async function start(
  t: Test,
  stdout: 'pipe' | number,
  environment: Record<string, string> = {},
): Promise<ChildProcess> {
  const child = fork(CHILD, {
    env: { ...process.env, ...environment },
    execArgv: [`--import=${LOADER}`],
    stdio: ['ignore', stdout, 'inherit', 'ipc'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  t.same(await once(child, 'message'), ['ready', undefined])
  return child
}

/** Has it log so many lines, and waits until it has. */
async function write(child: ChildProcess, lines: number, filler = 100): Promise<Report> {
  child.send({ lines, filler })
  const [report] = await once(child, 'message')
  return report as Report
}

/** A sink that takes a chunk only when told. */
class Slow extends Writable {
  readonly taken: string[] = []
  readonly #waiting: ((error?: Error) => void)[] = []

  constructor() {
    super({ decodeStrings: false, highWaterMark: 1 })
  }

  override _write(chunk: string, _encoding: string, done: (error?: Error) => void): void {
    this.taken.push(chunk)
    this.#waiting.push(done)
  }

  /** Chunks are handed on one by one, so that each needs a call. */
  async release(error?: Error): Promise<void> {
    this.#waiting.shift()?.(error)
    await new Promise(setImmediate)
  }
}

t.test('LOG_FORMAT=names writes levels and times as most tools read them', async (t) => {
  for (const [LOG_FORMAT, level, time] of [
    ['names', 'info', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/],
    ['json', 30, Number],
  ]) {
    const child = await start(t, 'pipe', { LOG_FORMAT: String(LOG_FORMAT) })
    child.send({ lines: 1, filler: 1 })
    const [line] = await once(createInterface({ input: child.stdout! }), 'line')
    t.match(JSON.parse(line), { level, time, line: 0, text: 'x', msg: 'request' })
    child.kill()
  }
})

t.test('lines that a stalled reader loses are counted, and reported in one line', async (t) => {
  const child = await start(t, 'pipe')
  const before = await write(child, 1)
  t.match(before, { dropped: 0, held: 0 })
  // 30 MiB, of which nobody reads any: that this ends shows that a full pipe does not block the process.
  const total = 150_000
  const stalled = await write(child, total, 150)
  t.ok(stalled.held > MIB && stalled.held <= 4 * MIB, `${stalled.held} bytes are held`)
  t.ok(stalled.dropped > total / 2, `${stalled.dropped} lines are dropped`)
  t.ok(stalled.rss - before.rss < 80 * MIB, `${(stalled.rss - before.rss) / MIB} MiB more`)

  const read: Line[] = []
  for await (const text of createInterface({ input: child.stdout! })) {
    read.push(JSON.parse(text) as Line)
    if (read.at(-1)!.lines !== undefined) break
  }
  const told = read.pop()!
  t.match(told, { level: 50, lines: stalled.dropped, msg: /^log lines were dropped/ })
  t.equal(read.length + stalled.dropped, total + 1, 'each line was read or counted')
  t.ok(
    read.every(({ line }, index) => line === index),
    'what was held is whole and in order',
  )
})

t.test('the lines after a stall are read again', async (t) => {
  const child = await start(t, 'pipe')
  const { dropped } = await write(child, 50_000, 150)
  t.ok(dropped > 0)
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value as string) as Line
  while ((await next()).lines === undefined);
  t.match(await write(child, 2), { dropped })
  t.match([await next(), await next()], [{ line: 50_000 }, { line: 50_001 }])
})

t.test('a closed pipe ends nothing, and lost lines are counted', async (t) => {
  const child = await start(t, 'pipe')
  t.match(await write(child, 1), { dropped: 0 })
  child.stdout!.destroy()
  await once(child.stdout!, 'close')
  t.match(await write(child, 10), { dropped: 10 })
  t.match(await write(child, 1_000), { dropped: 1_010, held: 0 })
  t.equal(child.exitCode, null)
  child.disconnect()
  t.same(await once(child, 'exit'), [0, null])
})

t.test('a reader that is late gets the last lines of a process that ends', async (t) => {
  const child = await start(t, 'pipe')
  const { dropped, held } = await write(child, 10_000, 150)
  t.equal(dropped, 0)
  t.ok(held > MIB, 'a pipe holds less than was written')
  const lines = createInterface({ input: child.stdout! })
  child.disconnect()
  let count = 0
  for await (const _ of lines) count++
  t.equal(count, 10_000)
})

t.test('a process that ends waits only a bounded time for a stalled reader', async (t) => {
  const slow = new Slow()
  const buffer = new LogBuffer(slow)
  await buffer.end(60_000)
  buffer.write('one\n')
  await buffer.end(1)
  t.same(slow.taken, ['one\n'])
  const ended = buffer.end(60_000)
  await slow.release()
  await slow.release()
  await slow.release()
  await ended
})

t.test('a full disk ends nothing', { skip: process.platform !== 'linux' }, async (t) => {
  const child = await start(t, openSync('/dev/full', 'w'))
  t.match(await write(child, 10), { dropped: 10 })
  t.match(await write(child, 1_000), { dropped: 1_010, held: 0 })
  child.disconnect()
  t.same(await once(child, 'exit'), [0, null])
})

t.test(
  'what fails is counted, the next write tries anew, and the reader is told when all is written',
  async (t) => {
    const slow = new Slow()
    // As process.stdout does: it is not destroyed by an error.
    slow._destroy = (error, done) => done(error)
    const buffer = new LogBuffer(slow, 20)
    const told: number[] = []
    buffer.onCaughtUp = (lines) => void told.push(lines)
    for (const line of ['one 89\n', 'two 89\n', 'three 9012345\n', 'six\n']) buffer.write(line)
    t.equal(buffer.dropped, 1, 'three does not fit beside one and two; six does')
    buffer.flush()
    t.same(slow.taken, ['one 89\ntwo 89\nsix\n'])
    buffer.write('four 9\n')
    t.equal(buffer.dropped, 2, 'what the stream holds counts')
    t.same(told, [])
    await slow.release()
    t.same(told, [2])
    buffer.write('five 9\n')
    buffer.flush()
    await slow.release()
    t.same(told, [2], 'told once')
    t.equal(buffer.dropped, 2)
  },
)
