import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
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

function open(t: Test, settings: Readonly<Record<string, string>> = {}) {
  const dir = t.testdir()
  const logged: object[] = []
  const log = { warn: (facts: object) => void logged.push(facts) } as unknown as Logger
  const config = readConfig({ RECORD_DIR: dir, RECORD_MIB: '1', ...settings })
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
  const text = (): string =>
    readdirSync(dir)
      .map((name) => readFileSync(join(dir, name), 'utf8'))
      .join('')
  return { dir, begin, reply, close, logged, bytes, text, files: () => readdirSync(dir).length }
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

t.test('a file that cannot be written loses each recording of it; one that is gone costs none', async (t) => {
  const { dir, reply, close, logged, files } = open(t)
  for (let i = 0; i < 3; i++) {
    reply(300_000)
    await close()
    for (const name of readdirSync(dir)) rmSync(join(dir, name))
  }
  reply(300_000)
  await close()
  t.same(logged, [])
  t.equal(files(), 1)
  rmSync(dir, { recursive: true })
  reply(10)
  reply(10)
  await close()
  t.same(logged, [{ why: 'a failure of RECORD_DIR: ENOENT', dropped: 2 }])
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

t.test('what waits for the disk is bounded, and is forgotten once it is written', async (t) => {
  const { reply, close, logged, bytes } = open(t, { RECORD_MIB: '1000' })
  for (let i = 0; i < 5; i++) reply(15 * 1_048_576)
  t.same(logged, [{ why: 'too much', dropped: 1 }])
  await close()
  for (let i = 0; i < 4; i++) reply(15 * 1_048_576)
  await close()
  t.ok(bytes() > 8 * 15 * 1_048_576)
})

t.test('with RECORD_ERROR only replies of that code are kept', async (t) => {
  const { begin, close, text } = open(t, { RECORD_ERROR: 'internal_error' })
  for (const code of [null, 'not_found', 'internal_error'])
    begin()!.replied(500, [], code, [Buffer.from(`the code ${code}`)])
  await close()
  t.same(text().match(/the code \w+/g), ['the code internal_error'])
})

t.test('the client is not named', async (t) => {
  const { begin, close, text } = open(t)
  const tape = begin()!
  tape.from('192.0.2.77')
  tape.replied(200, [], null, [Buffer.from('for 192.0.2.77')])
  await close()
  t.match(text(), 'for client')
  t.notMatch(text(), '192.0.2.77')
})
