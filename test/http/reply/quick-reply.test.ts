/** A reply in one piece is node's own, byte for byte, whatever is answered to whom; and the connection goes on as after that. */
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { MAX_QUICK_BYTES, NodeLines, writeWhole } from '../../../src/http/reply/quick-reply.ts'
import { Replier, type ReplyOptions } from '../../../src/http/reply/reply.ts'
import { Representation, SharedPieces } from '../../../src/http/reply/representation.ts'
import { get, post, StatusReply } from '../../../src/http/route.ts'
import { createGatewayServer } from '../../../src/http/server.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { OPEN_ACCOUNTS } from '../../fixtures/accounts.ts'
import { STILL } from '../../fixtures/clock.ts'
import { NO_DESCRIPTION } from '../../fixtures/description.ts'
import { writtenByNode } from '../../fixtures/replier.ts'
import { type Part, talkTo } from '../../fixtures/talk.ts'

const common = { budgets: [], description: NO_DESCRIPTION }
const none = Type.Object({})
const BODIES = {
  text: Buffer.from('{"symbol":"SOL"}'),
  foreign: Buffer.from('{"symbol":"ß∂🐕"}'),
  binary: Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
  longest: Buffer.alloc(MAX_QUICK_BYTES, 0x20),
  longer: Buffer.alloc(MAX_QUICK_BYTES + 1, 0x20),
  nothing: Buffer.alloc(0),
}

async function start(t: Test, isQuick: boolean, corsOrigins: ReplyOptions['corsOrigins'] = '*') {
  const replies: string[] = []
  const replier = new Replier({
    mode: 'sandbox',
    corsOrigins,
    onReply: ({ route }, status, bytes) => replies.push(`${route} ${status} ${bytes}`),
  })
  const representation = await Representation.of(Buffer.from('{"tokens":[]}'))
  const server = createGatewayServer({
    routes: [
      ...Object.entries(BODIES).map(([name, body]) =>
        get({ path: `/${name}`, input: none, ...common, handle: () => body }),
      ),
      get({ path: '/list', input: none, ...common, handle: () => representation }),
      get({
        path: '/pieces',
        input: none,
        ...common,
        handle: () => new SharedPieces([BODIES.foreign, BODIES.foreign], null),
      }),
      get({ path: '/ill', input: none, ...common, handle: () => new StatusReply(503, BODIES.foreign) }),
      get({
        path: '/fails',
        input: none,
        ...common,
        handle: () => {
          throw new GatewayError('upstream_failed', 'ß∂🐕')
        },
      }),
      post({ path: '/post', body: Type.Unknown(), maxBytes: 64, ...common, handle: () => BODIES.foreign }),
    ],
    replier: isQuick ? replier : writtenByNode(replier),
    accounts: OPEN_ACCOUNTS,
    onClosed: () => {},
    clock: STILL,
    onFault: (error) => t.fail(String(error)),
    limits: { keepAliveTimeoutMs: 61_000 },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  /** Which replies node wrote itself. */
  let byNode = 0
  server.prependListener('request', (_request, response) => {
    const { writeHead } = response
    response.writeHead = (...head: unknown[]) => {
      byNode++
      return writeHead.apply(response, head as never)
    }
  })
  const { port } = server.address() as AddressInfo
  // Ids that the server makes differ by a random prefix.
  const talk = async (parts: readonly Part[]): Promise<string> =>
    (await talkTo(port, parts)).replaceAll(/[0-9a-z]{6,8}-([0-9a-z]+)/g, '$1')
  return { talk, replies, replier, byNode: () => byNode }
}

const head = (method: string, path: string, ...lines: string[]): string =>
  `${method} ${path} HTTP/1.1\r\nHost: h\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`
const LAST = head('GET', '/nothing', 'Connection: close')

/** What comes in, how many replies each part gets, and how many of them node writes; not counted behind `Expect`. */
const CASES: readonly (readonly [string, readonly Part[], number])[] = [
  ...Object.keys(BODIES).map(
    (name) =>
      [
        name,
        [
          [head('GET', `/${name}`), 1],
          [head('GET', `/${name}`, 'X-Request-Id: mine'), 2],
          [LAST, 3],
        ],
        name === 'longer' ? 3 : 1,
      ] as const,
  ),
  [
    'compressed',
    [
      [head('GET', '/list', 'Accept-Encoding: br'), 1],
      [LAST, 2],
    ],
    1,
  ],
  [
    'known already',
    [
      [head('GET', '/list', 'If-None-Match: *'), 1],
      [LAST, 2],
    ],
    1,
  ],
  [
    'in pieces',
    [
      [head('GET', '/pieces'), 1],
      [LAST, 2],
    ],
    2,
  ],
  [
    'another status',
    [
      [head('GET', '/ill'), 1],
      [LAST, 2],
    ],
    1,
  ],
  [
    'an error',
    [
      [head('GET', '/fails'), 1],
      [LAST, 2],
    ],
    1,
  ],
  [
    'no such path',
    [
      [head('GET', '/unknown'), 1],
      [LAST, 2],
    ],
    1,
  ],
  [
    'a wrong parameter',
    [
      [head('GET', '/text?a=1'), 1],
      [LAST, 2],
    ],
    1,
  ],
  [
    'a wrong method',
    [
      [head('POST', '/text', 'Content-Length: 0'), 1],
      [LAST, 2],
    ],
    1,
  ],
  [
    'HEAD',
    [
      [head('HEAD', '/text'), 1],
      [LAST, 2],
    ],
    2,
  ],
  [
    'OPTIONS',
    [
      [head('OPTIONS', '/text'), 1],
      [LAST, 2],
    ],
    2,
  ],
  [
    'a body',
    [
      [`${head('POST', '/post', 'Content-Length: 3')}[1]`, 1],
      [LAST, 2],
    ],
    1,
  ],
  [
    'a body in two',
    [
      [`${head('POST', '/post', 'Content-Length: 3')}[`, 0],
      [`1]${LAST}`, 2],
    ],
    1,
  ],
  [
    'a body in chunks',
    [
      [`${head('POST', '/post', 'Transfer-Encoding: chunked')}3\r\n[1]\r\n0\r\n\r\n`, 1],
      [LAST, 2],
    ],
    2,
  ],
  [
    'a body that is too long',
    [
      [`${head('POST', '/post', 'Content-Length: 100')}${' '.repeat(100)}`, 1],
      [LAST, 2],
    ],
    1,
  ],
  [
    'one that is refused on its way',
    [
      [head('POST', '/post', 'Content-Length: 100'), 1],
      [' '.repeat(100), 1],
      [LAST, 2],
    ],
    1,
  ],
  [
    'Expect',
    [
      [head('POST', '/post', 'Content-Length: 3', 'Expect: 100-continue'), 1],
      [`[1]${LAST}`, 3],
    ],
    1,
  ],
  [
    'two pipelined',
    [
      [head('GET', '/text') + head('GET', '/foreign'), 2],
      [LAST, 3],
    ],
    2,
  ],
  ['HTTP/1.0', [['GET /text HTTP/1.0\r\n\r\n', 1]], 1],
  [
    'HTTP/1.0 that is kept',
    [
      ['GET /text HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', 1],
      [LAST, 2],
    ],
    2,
  ],
]

for (const corsOrigins of ['*', ['https://a.example']] as const) {
  t.test(`it is what node writes, CORS_ORIGINS=${corsOrigins}`, async (t) => {
    for (const [name, parts, byNode] of CASES) {
      const [one, other] = [await start(t, true, corsOrigins), await start(t, false, corsOrigins)]
      const origin = (text: string) =>
        text.replaceAll('Host: h\r\n', 'Host: h\r\nOrigin: https://a.example\r\n')
      const from = parts.map(([bytes, replies]) => [origin(bytes), replies] as const)
      const [text, full] = [await one.talk(from), await other.talk(from)]
      t.equal(text, full, name)
      t.same(one.replies, other.replies, name)
      t.equal(one.byNode(), byNode, `${name}: so many are node's`)
      t.ok(other.byNode() >= byNode)
    }
  })
}

t.test('a server that stops closes its connections behind their replies', async (t) => {
  const { talk, replier } = await start(t, true)
  replier.closing = true
  t.match(await talk([[head('GET', '/text'), 1]]), /\r\nConnection: close\r\n/)
})

t.test('a client that is gone leaves nothing to do', async (t) => {
  let finished = 0
  const socket = {
    write: (_text: string, _coding: string, done: (error?: Error) => void) => done(new Error()),
  }
  const response = { socket, emit: () => finished++ }
  writeWhole(response as never, '', 'latin1')
  t.equal(finished, 0)
})

t.test('the date is that of the second', (t) => {
  const lines = new NodeLines(61_999)
  const [, date, keepAlive] = /^Date: (.*)\r\nConnection: keep-alive\r\n(.*)\r\n\r\n$/.exec(lines.last())!
  t.equal(keepAlive, 'Keep-Alive: timeout=61')
  t.equal(new Date(date!).toUTCString(), date)
  t.end()
})
