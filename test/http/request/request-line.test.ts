/** The line of a request is byte for byte the one that pino writes. */

import assert from 'node:assert/strict'
import type { Arbitrary } from 'fast-check'
import t from 'tap'
import { type RequestLine, requestLine, requestLog } from '../../../src/http/request/request-line.ts'
import { loggerTo } from '../../../src/runtime/log.ts'
import { clockOf } from '../../fixtures/clock.ts'
import { codePoint } from '../../fixtures/code-points.ts'
import fc from '../../fixtures/fast-check.ts'

const strings = fc.oneof(
  fc.string(),
  fc.string({ unit: codePoint }),
  fc.constantFrom('"', '\\', '\n', '\u007f', 'é'),
)
const optional = fc.option(strings, { nil: undefined })
const numbers = fc.oneof(
  fc.nat(),
  fc.integer({ min: 0, max: 10 ** 9 }).map((n) => n / 1_000),
)
const lines: Arbitrary<RequestLine> = fc.record({
  id: strings,
  trace: optional,
  client: optional,
  method: optional,
  route: strings,
  rpc: optional,
  status: fc.nat(599),
  code: optional,
  budget: optional,
  provider: optional,
  upstreamStatus: fc.option(fc.nat(599), { nil: undefined }),
  ms: numbers,
  bytes: fc.nat(),
})

t.test("it writes pino's bytes, whatever the line holds", async () => {
  let written = ''
  const log = loggerTo({ write: (line) => void (written = line) }, 'info')
  fc.assert(
    fc.property(lines, (line) => {
      log.info(line, 'request')
      const { time } = JSON.parse(written) as { time: number }
      assert.equal(requestLine(line, time), written)
    }),
    { numRuns: 500 },
  )
})

t.test('it goes where the other lines go, and not at all above its level', async (t) => {
  const [line] = fc.sample(lines, 1)
  for (const [level, count] of [
    ['info', 1],
    ['warn', 0],
  ] as const) {
    const written: string[] = []
    requestLog(
      loggerTo({ write: (text) => void written.push(text) }, level),
      clockOf({ date: () => 17 }),
    )(line!)
    t.same(written, Array(count).fill(requestLine(line!, 17)))
  }
})
