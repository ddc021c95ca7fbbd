import { readdirSync, statSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readConfig } from '../../../src/config/config.ts'
import { openRecordings } from '../../../src/gateway/replay/index.ts'
import type { RequestTape } from '../../../src/http/request/tape.ts'
import { CLOCK } from '../../../src/runtime/clock.ts'
import type { Logger } from '../../../src/runtime/log.ts'

/** Its timers don't come. */
const STILL = { ...CLOCK, after: () => () => {} }
const REQUEST = { method: 'GET', url: '/', headers: {}, rawHeaders: [] } as unknown as IncomingMessage

function open(t: Test) {
  const dir = t.testdir()
  const logged: object[] = []
  const log = { warn: (facts: object) => void logged.push(facts) } as unknown as Logger
  const config = readConfig({ RECORD_DIR: dir, RECORD_MIB: '1' })
  const { requests, close } = openRecordings(config, log, STILL, () => null)
  const begin = (): RequestTape | null => {
    let begun: RequestTape | null = null
    requests.serve(REQUEST, (tape) => {
      begun = tape
    })
    return begun
  }
  const bytes = (): number => readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
  const reply = (size: number): void => begin()!.replied(200, [], null, [Buffer.alloc(size, 'a')])
  return { begin, reply, close, logged, bytes, files: () => readdirSync(dir).length }
}

t.test('the files together stay within RECORD_MIB: the oldest go', async (t) => {
  const { reply, close, bytes, files } = open(t)
  for (let i = 0; i < 5; i++) {
    reply(300_000)
    await close()
  }
  t.equal(files(), 3)
  t.ok(bytes() <= 1_048_576)
})

t.test('what ends together gets one file', async (t) => {
  const { reply, close, files } = open(t)
  reply(10)
  reply(10)
  await close()
  t.equal(files(), 1)
})

t.test('a long recording is dropped, and so is one beside 64 others; the log says so', async (t) => {
  const { begin, reply, close, files, logged } = open(t)
  reply(17 * 1_048_576)
  await close()
  t.equal(files(), 0)
  const tapes = Array.from({ length: 65 }, begin)
  t.same(
    tapes.map((tape) => tape !== null),
    [...Array(64).fill(true), false],
  )
  t.same(logged, [
    { why: 'too much', dropped: 1 },
    { why: 'as many requests are recorded as may be at once', dropped: 2 },
  ])
})
