/**
 * What is shed from its bytes is answered as if node had read it, and everything else is read by node, whatever
 * comes in, and in whatever pieces.
 */
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import t from 'tap'
import type { SheddingPriority } from '../../src/http/shedding.ts'
import { until } from '../fixtures/clock.ts'
import { head, LAST, READS_FIRST, sheddingServer } from '../fixtures/shedding-server.ts'
import { type Part, repliesIn } from '../fixtures/talk.ts'

const SHED = head('GET', '/shed')
const GET_BALANCE = '{"method":"getBalance"}'
const SEND = '{"method":"sendTransaction"}'
const posted = (path: string, body: string): string =>
  head('POST', path, `Content-Length: ${body.length}`) + body

/** What comes behind a request that was shed, how many replies there are then, and how many requests node has read. */
const CASES: readonly (readonly [string, readonly Part[], number])[] = [
  ['another', [[SHED, 2]], 1],
  [
    'many',
    [
      [SHED, 2],
      [SHED, 3],
      [head('GET', '/shed?a=b'), 4],
    ],
    1,
  ],
  ['an id of ours', [[SHED.replace('id-1', 'ä'), 2]], 2],
  ['a body', [[posted('/post', '[1]'), 2]], 1],
  ['a body that decides', [[posted('/relay', GET_BALANCE), 2]], 1],
  ['a body that is admitted', [[posted('/relay', SEND), 2]], 2],
  ['one that is never shed', [[head('GET', '/probe'), 2]], 2],
  ['a path that is not served', [[head('GET', '/nothing'), 2]], 2],
  ['a method that is not served', [[head('GET', '/post'), 2]], 2],
  ['two at once', [[SHED + SHED, 3]], 3],
  [
    'one in two parts',
    [
      [SHED.slice(0, 20), 1],
      [SHED.slice(20), 2],
      [SHED, 3],
    ],
    2,
  ],
  [
    'one and a half, then one more',
    [
      [SHED + SHED.slice(0, 20), 2],
      [SHED.slice(20) + SHED, 4],
      [SHED, 5],
    ],
    4,
  ],
  [
    'a body that looks like a request',
    [
      [head('POST', '/relay', `Content-Length: ${SHED.length}`), 1],
      [SHED, 2],
      [SHED, 3],
    ],
    2,
  ],
  [
    'a header that looks like a request',
    [
      ['GET /probe HTTP/1.1\r\nHost: h\r\nX-Request-Id: id-1\r\nX: ', 1],
      [SHED.replaceAll('Host', 'H').replaceAll('X-Request-Id', 'Y'), 2],
      [SHED, 3],
    ],
    2,
  ],
  [
    'chunks, one of which looks like a request',
    [
      [`${head('POST', '/relay', 'Transfer-Encoding: chunked')}${SHED.length.toString(16)}\r\n`, 1],
      [SHED, 1],
      ['\r\n0\r\n\r\n', 2],
      [SHED, 3],
    ],
    2,
  ],
  [
    'blank lines',
    [
      ['\r\n\r\n', 1],
      [SHED, 2],
    ],
    1,
  ],
]

t.test('each is answered as by node, and read once', async (t) => {
  for (const [name, parts, parsed] of CASES) {
    const replies = parts.at(-1)![1]
    const talk: readonly Part[] = [[SHED, 1], ...parts, [LAST, replies + 1]]
    const admits = (priority: SheddingPriority) => priority === 'build'
    const [one, other] = [
      await sheddingServer(t, { admits }),
      await sheddingServer(t, { admits, isQuick: false }),
    ]
    const [text, full] = await Promise.all([one.talk(talk), other.talk(talk)])
    t.equal(text, full, name)
    t.same(one.reports, other.reports, name)
    t.equal(repliesIn(text), replies + 1, name)
    t.equal(one.parsed(), READS_FIRST ? parsed + 1 : other.parsed(), `${name}: read by node, with the last`)
    t.equal(other.quick(), 0)
  }
})

t.test('one that is admitted by its bytes is not asked for again', async (t) => {
  const only = (...admitted: SheddingPriority[]) => ({
    admits: (priority: SheddingPriority) => admitted.includes(priority),
  })
  const server = await sheddingServer(t, only('quote', 'build'))
  const text = await server.talk([
    [SHED, 1],
    [SHED, 2],
    [posted('/relay', GET_BALANCE), 3],
    [posted('/relay', SEND), 4],
    [SHED, 5],
    [LAST, 6],
  ])
  t.same(server.asked, ['research', 'research', 'quote', 'build', 'research'])
  t.same(
    text.match(/HTTP\/1.1 \d+/g)!.map((status) => Number(status.slice(9))),
    [503, 503, 200, 200, 503, 200],
  )
  t.equal(server.parsed(), READS_FIRST ? 4 : 6, 'the first, two that are admitted, and the last')
})

t.test('once nothing is shed, node reads all, and so it does when the gateway stops', async (t) => {
  const { port, switches, replier, parsed, reports } = await sheddingServer(t)
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  t.teardown(() => socket.destroy())
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  const ask = async (): Promise<string> => {
    text = ''
    socket.write(SHED)
    await until(() => repliesIn(text) === 1)
    return text
  }
  await ask()
  await ask()
  t.equal(parsed(), READS_FIRST ? 1 : 2)
  switches.isShedding = false
  t.match(await ask(), 'HTTP/1.1 200 ')
  t.equal(parsed(), READS_FIRST ? 2 : 3)
  switches.isShedding = true
  t.match(await ask(), 'HTTP/1.1 503 ')
  t.equal(parsed(), READS_FIRST ? 2 : 4)
  replier.closing = true
  t.match(await ask(), 'Connection: close')
  t.equal(parsed(), READS_FIRST ? 3 : 5)
  t.equal(reports.length, 5)
})

t.test('while a refusal waits to be read, what comes goes to node, whose requests are bounded', async (t) => {
  const { port, server, parsed } = await sheddingServer(t)
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
  const client = connect(port, '127.0.0.1').setEncoding('latin1')
  t.teardown(() => client.destroy())
  let text = ''
  client.on('data', (chunk) => (text += chunk))
  client.write(SHED)
  const socket = await accepted
  await until(() => repliesIn(text) === 1)
  socket.cork()
  client.write(SHED)
  await until(() => socket.writableLength > 0)
  t.equal(parsed(), READS_FIRST ? 1 : 2)
  client.write(SHED)
  await until(() => parsed() === (READS_FIRST ? 2 : 3))
  socket.uncork()
  await until(() => repliesIn(text) === 3)
})

t.test('whatever comes, in whatever pieces', async (t) => {
  const messages = [
    SHED,
    head('GET', '/probe'),
    head('GET', '/nothing'),
    head('HEAD', '/shed'),
    posted('/post', '[1]'),
    posted('/relay', GET_BALANCE),
    posted('/relay', SEND),
    posted('/relay', SHED),
    `${head('POST', '/relay', 'Transfer-Encoding: chunked')}3\r\n[1]\r\n0\r\n\r\n`,
    `${head('GET', '/shed', 'Content-Length: 4')}GET `,
    head('GET', '/shed', 'X: a\n b'),
    head('GET', '/shed', 'Host: other'),
    head('POST', '/post', 'Content-Length: 3', 'Content-Length: 4'),
    '\r\n',
  ]
  const quick = await sheddingServer(t, { admits: (priority) => priority === 'build' })
  const full = await sheddingServer(t, {
    admits: (priority) => priority === 'build',
    isQuick: false,
    isListening: READS_FIRST,
  })
  const pieces = fc
    .tuple(
      fc.array(fc.constantFrom(...messages), { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 12 }),
      fc.boolean(),
    )
    .map(([texts, lengths, isWhole]) => {
      if (isWhole) return texts
      let rest = texts.join('')
      const cut = lengths.map((length) => {
        const piece = rest.slice(0, length)
        rest = rest.slice(length)
        return piece
      })
      return [...cut, rest].filter((piece) => piece !== '')
    })
  let runs = 0
  let shedQuickly = 0
  await fc.assert(
    fc.asyncProperty(pieces, async (pieces) => {
      runs++
      const before = quick.quick()
      const texts = await Promise.all(
        [quick, full].map(async ({ port }) => {
          const socket = connect(port, '127.0.0.1').setEncoding('latin1')
          socket.setNoDelay(true)
          let text = ''
          socket.on('data', (chunk) => (text += chunk))
          socket.on('error', () => {})
          const isOver = new Promise((resolve) => socket.once('close', resolve))
          for (const piece of [SHED, ...pieces, LAST]) {
            socket.write(piece, 'latin1')
            // Most pieces arrive by themselves.
            for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate)
          }
          await isOver
          return text.replaceAll(/Date: [^\r]*/g, '')
        }),
      )
      t.equal(texts[0], texts[1])
      shedQuickly += quick.quick() - before
    }),
    { numRuns: 300 },
  )
  t.same(quick.reports.toSorted(), full.reports.toSorted())
  t.equal(quick.parsed() < full.parsed(), READS_FIRST, `node has read ${quick.parsed()} of ${full.parsed()}`)
  t.ok(shedQuickly >= runs, `${shedQuickly} were shed quickly`)
})
