/** The quick 503 is the full reply's, byte for byte, whatever the request; and the connection goes on as after that. */
import { connect } from 'node:net'
import t from 'tap'
import { DISCARD_BYTES } from '../../src/http/body.ts'
import { handClock, until } from '../fixtures/clock.ts'
import { head, LAST, sheddingServer } from '../fixtures/shedding-server.ts'
import { type Part, repliesIn } from '../fixtures/talk.ts'

/** What comes in, how many replies each part gets, and how many of them are quick. */
const CASES: readonly (readonly [string, readonly Part[], number])[] = [
  [
    'kept alive',
    [
      [head('GET', '/shed'), 1],
      [head('GET', '/shed?a=1'), 2],
      [LAST, 3],
    ],
    2,
  ],
  [
    'an id that is not taken over',
    [
      [head('GET', '/shed').replace('id-1', 'ä'), 1],
      [LAST, 2],
    ],
    1,
  ],
  [
    'an absolute target',
    [
      [head('GET', 'http://h/shed'), 1],
      [LAST, 2],
    ],
    0,
  ],
  [
    'two pipelined',
    [
      [head('GET', '/shed') + head('GET', '/shed'), 2],
      [LAST, 3],
    ],
    1,
  ],
  [
    'one behind another reply',
    [
      [head('GET', '/probe') + head('GET', '/shed'), 2],
      [LAST, 3],
    ],
    0,
  ],
  [
    'one before another reply',
    [
      [head('GET', '/shed') + head('GET', '/probe'), 2],
      [LAST, 3],
    ],
    1,
  ],
  [
    'a body with it',
    [
      [`${head('POST', '/post', 'Content-Length: 3')}[1]`, 1],
      [LAST, 2],
    ],
    1,
  ],
  [
    'a body under way',
    [
      [head('POST', '/post', 'Content-Length: 3'), 1],
      ['[1', 1],
      [`]${LAST}`, 2],
    ],
    1,
  ],
  ['a long body', [[head('POST', '/post', `Content-Length: ${DISCARD_BYTES + 1}`), 1]], 0],
  [
    'chunks',
    [
      [`${head('POST', '/post', 'Transfer-Encoding: chunked')}3\r\n[1]\r\n0\r\n\r\n`, 1],
      [LAST, 2],
    ],
    0,
  ],
  [
    'HEAD',
    [
      [head('HEAD', '/shed'), 1],
      [LAST, 2],
    ],
    0,
  ],
  [
    'another method',
    [
      [head('OPTIONS', '/shed'), 1],
      [LAST, 2],
    ],
    0,
  ],
  [
    'nothing there',
    [
      [head('GET', '/nothing'), 1],
      [LAST, 2],
    ],
    0,
  ],
  ['the last', [[head('GET', '/shed', 'Connection: close'), 1]], 0],
  ['HTTP/1.0', [['GET /shed HTTP/1.0\r\nX-Request-Id: a\r\n\r\n', 1]], 0],
  [
    'HTTP/1.0 that is kept',
    [
      ['GET /shed HTTP/1.0\r\nX-Request-Id: a\r\nConnection: keep-alive\r\n\r\n', 1],
      [LAST, 2],
    ],
    0,
  ],
  [
    'Expect',
    [
      [head('POST', '/post', 'Content-Length: 3', 'Expect: 100-continue'), 1],
      [`[1]${LAST}`, 2],
    ],
    0,
  ],
  ['two hosts', [[head('GET', '/shed', 'Host: other'), 1]], 0],
  [
    'an origin that may read',
    [
      [head('GET', '/shed', 'Origin: https://a.example'), 1],
      [LAST, 2],
    ],
    1,
  ],
  [
    'an origin that may not',
    [
      [head('GET', '/shed', 'Origin: https://b.example'), 1],
      [LAST, 2],
    ],
    1,
  ],
]

for (const corsOrigins of [['https://a.example'], '*', null] as const) {
  t.test(`the quick refusal is the full one, CORS_ORIGINS=${corsOrigins}`, async (t) => {
    for (const [name, parts, quick] of CASES) {
      const [one, other] = [
        await sheddingServer(t, { corsOrigins }),
        await sheddingServer(t, { corsOrigins, isQuick: false }),
      ]
      const [text, full] = await Promise.all([one.talk(parts), other.talk(parts)])
      t.equal(text, full, name)
      t.same(one.reports, other.reports, name)
      t.equal(one.quick(), quick, `${name}: so many are quick`)
      t.equal(other.quick(), 0)
    }
  })
}

t.test('it says when to come back, under the request’s own id', async (t) => {
  const { talk } = await sheddingServer(t, { corsOrigins: ['https://a.example'] })
  const text = await talk([
    [head('GET', '/shed', 'Origin: https://a.example'), 1],
    [LAST, 2],
  ])
  const [first] = text.split('\r\n\r\n')
  t.same(first!.split('\r\n'), [
    'HTTP/1.1 503 overloaded',
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    'X-Swapgate-Mode: sandbox',
    'X-Request-Id: id-1',
    'Server-Timing: total;dur=0.000',
    'Vary: Origin',
    'Access-Control-Allow-Origin: https://a.example',
    'Access-Control-Expose-Headers: X-Request-Id, X-Swapgate-Mode, X-Error-Code, Retry-After, RateLimit, RateLimit-Policy, Server-Timing, ETag',
    'Timing-Allow-Origin: https://a.example',
    'Retry-After: 2',
    'X-Error-Code: overloaded',
    'Content-Length: 124',
    'Date: now',
    'Connection: keep-alive',
    'Keep-Alive: timeout=61',
  ])
})

t.test(
  'a connection on which all is shed is read four times a second, and no other waits for it',
  async (t) => {
    for (const isQuick of [true, false]) {
      const clock = handClock()
      const { port, reports } = await sheddingServer(t, { isQuick, peer: 'one', clock })
      /** A client that asks again as soon as it is refused. */
      const greedy = (path: string) => {
        const socket = connect(port, '127.0.0.1')
        t.teardown(() => socket.destroy())
        const client = { replies: 0, path }
        const ask = (): void => void socket.write(head('GET', client.path))
        socket.on('data', () => {
          client.replies++
          ask()
        })
        socket.on('error', () => {})
        ask()
        return client
      }
      const attacker = greedy('/shed')
      await until(() => attacker.replies === 8)
      const modest = greedy('/probe')
      await until(() => modest.replies > 100)
      t.equal(attacker.replies, 8)
      t.equal(clock.waiting, 1)
      for (let more = 1; more <= 3; more++) {
        clock.advance(250)
        await until(() => attacker.replies === 8 + more && clock.waiting === 1)
      }
      attacker.path = '/probe'
      clock.advance(250)
      await until(() => attacker.replies === 12)
      clock.advance(250)
      await until(() => attacker.replies > 100)
      t.equal(reports.filter((report) => report.includes(' 503 ')).length, 12)
      modest.path = attacker.path = '/shed'
    }
  },
)

t.test('the connection of a proxy, on which other clients ask, never rests', async (t) => {
  const { talk } = await sheddingServer(t)
  const parts = Array.from({ length: 30 }, (_, i) => [head('GET', '/shed'), i + 1] as const)
  t.equal(repliesIn(await talk([...parts, [LAST, 31]])), 31)
})
