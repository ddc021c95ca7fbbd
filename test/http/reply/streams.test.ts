/** Event streams over real sockets: what is written, who is cut off, and what comes back. */
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { drain } from '../../../src/http/connections/drain.ts'
import { DEFAULT_SERVER_LIMITS } from '../../../src/http/connections/limits.ts'
import { type EventStream, Events, encodeEvent, Opening } from '../../../src/http/reply/events.ts'
import { Replier } from '../../../src/http/reply/reply.ts'
import {
  EventStreams,
  HEARTBEAT_MS,
  type StreamLimits,
  streamLimits,
} from '../../../src/http/reply/streams.ts'
import type { Exchange } from '../../../src/http/request/exchange.ts'
import { get } from '../../../src/http/route.ts'
import { createGatewayServer } from '../../../src/http/server.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { ConcurrencyLimiter, ConnectionSlots } from '../../../src/upstream/admission/concurrency.ts'
import { OPEN_ACCOUNTS } from '../../fixtures/accounts.ts'
import { handClock } from '../../fixtures/clock.ts'
import { NO_DESCRIPTION } from '../../fixtures/description.ts'
import { parseReply } from '../../fixtures/raw.ts'

const KIB = 1_024
const common = {
  budgets: [],
  description: NO_DESCRIPTION,
  input: Type.Object({}),
}

interface Opened {
  readonly exchange: Exchange
  readonly stream: EventStream
  isOver: boolean
}

interface Client {
  readonly socket: Socket
  text: string
  isOver: boolean
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await sleep(2)
}

async function start(t: Test, limits: StreamLimits = { client: 4, global: 100 }) {
  const clock = handClock()
  const limiter = new ConcurrencyLimiter({ client: 8, global: 2 })
  const streams = new EventStreams({ limits, slots: limiter, clock })
  const opened: Opened[] = []
  const replies: { route: string; status: number; bytes: number; ms: number; code: string | undefined }[] = []
  const faults: unknown[] = []
  /** Of `/costly`: what is being opened, to be answered by the test. */
  const opening: { resolve(events: Events): void; reject(error: unknown): void }[] = []
  const events = (exchange: Exchange): Events =>
    new Events((stream) => {
      const entry = { exchange, stream, isOver: false }
      opened.push(entry)
      stream.send(encodeEvent('hello', JSON.stringify({ from: stream.lastEventId }), 'a-1'))
      return () => {
        if (entry.isOver) throw new Error('it is over for a second time')
        entry.isOver = true
      }
    })
  const routes = [
    get({ ...common, path: '/events', handle: (_input, exchange) => events(exchange) }),
    get({ ...common, path: '/later', handle: async (_input, exchange) => events(exchange) }),
    get({
      ...common,
      path: '/costly',
      handle: () => new Opening(() => new Promise((resolve, reject) => opening.push({ resolve, reject }))),
    }),
    get({ ...common, path: '/fixed', handle: () => Buffer.from('{}') }),
    get({
      ...common,
      path: '/wrong',
      handle: () =>
        new Events((stream) => {
          stream.send(Buffer.from('nobody gets this'))
          throw new GatewayError('invalid_parameter', 'This is wrong.')
        }),
    }),
    get({
      ...common,
      path: '/bug',
      handle: () =>
        new Events(() => {
          throw new Error('secret detail')
        }),
    }),
  ]
  const replier = new Replier({
    mode: 'sandbox',
    corsOrigins: '*',
    onReply: ({ route, timing, failure }, status, bytes) =>
      replies.push({ route, status, bytes, ms: clock.now() - timing.startedAt, code: failure?.code }),
  })
  const dropped: number[] = []
  const server = createGatewayServer({
    routes,
    replier,
    accounts: { ...OPEN_ACCOUNTS, clientOf: ({ request }) => String(request.headers['x-client'] ?? 'one') },
    clock,
    onFault: (error) => faults.push(error),
    onClosed: ({ unread }) => dropped.push(unread),
    limits: { checkIntervalMs: 10 },
    streams,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const clients: Client[] = []
  t.teardown(() => {
    for (const { socket } of clients) socket.destroy()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const send = async (request: string): Promise<Client> => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const client: Client = { socket, text: '', isOver: false }
    socket.on('data', (chunk) => (client.text += chunk.toString('latin1')))
    socket.on('error', () => {})
    socket.on('end', () => (client.isOver = true))
    socket.on('close', () => (client.isOver = true))
    await once(socket, 'connect')
    socket.write(request)
    clients.push(client)
    return client
  }
  const open = async (name = 'one', path = '/events', more = ''): Promise<Client> => {
    const client = await send(`GET ${path} HTTP/1.1\r\nHost: h\r\nX-Client: ${name}\r\n${more}\r\n`)
    await until(() => /\r\n\r\n./.test(client.text) || client.isOver)
    return client
  }
  const costly = () => send('GET /costly HTTP/1.1\r\nHost: h\r\nX-Client: one\r\n\r\n')
  return {
    ...{ clock, limiter, streams, opened, opening, replies, faults, dropped, replier, server },
    ...{ send, open, costly },
  }
}

t.test('a stream has the headers of every reply, and lasts until somebody leaves', async (t) => {
  const { open, opened, replies, streams, clock } = await start(t)
  for (const path of ['/events', '/later']) {
    const client = await open(
      'one',
      path,
      'X-Request-Id: mine\r\nLast-Event-ID: a-7\r\nAccept: application/json\r\n',
    )
    const { status, headers, body } = parseReply(client.text)
    t.equal(status, 200, 'whatever it accepts')
    t.match(headers, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': 'mine',
      'x-swapgate-mode': 'sandbox',
      'access-control-allow-origin': '*',
      connection: 'close',
    })
    t.notOk('content-length' in headers || 'transfer-encoding' in headers, 'the connection ends it')
    t.match(body, /^retry: \d{4}\n\nevent: hello\nid: a-1\ndata: \{"from":"a-7"\}\n\n$/)
    const { stream } = opened.pop()!
    stream.send(encodeEvent('note', '{"n":1}'))
    await until(() => client.text.endsWith('event: note\ndata: {"n":1}\n\n'))
    t.same(replies, [], 'it is logged when it is over')
    clock.advance(5_000)
    const bytes = parseReply(client.text).body.length
    client.socket.destroy()
    await until(() => replies.length === 1)
    t.same(replies.pop(), { route: path, status: 200, bytes, ms: 5_000, code: undefined })
    t.equal(streams.open, 0)
    stream.send(encodeEvent('note', '{}'))
  }
})

t.test('HEAD has the header, and takes no place', async (t) => {
  const { send, streams, opened, replies } = await start(t, { client: 0, global: 0 })
  const client = await send('HEAD /events HTTP/1.1\r\nHost: h\r\n\r\n')
  await until(() => client.isOver)
  const { status, headers, body } = parseReply(client.text)
  t.equal(status, 200)
  t.equal(headers['content-type'], 'text/event-stream; charset=utf-8')
  t.equal(body, '')
  t.same([streams.open, opened.length, replies.length], [0, 0, 1])
})

t.test('one timer gives all of them a sign of life', async (t) => {
  const { open, opened, clock, streams } = await start(t)
  t.equal(clock.waiting, 0)
  t.ok(
    2 * HEARTBEAT_MS < DEFAULT_SERVER_LIMITS.stalledTimeoutMs,
    'a quiet stream is not taken for a dead one',
  )
  const clients = [await open(), await open(), await open('two')]
  t.equal(clock.waiting, 1)
  clock.advance(HEARTBEAT_MS)
  const fourth = await open('three')
  opened[0]!.stream.send(encodeEvent('note', '1'))
  clock.advance(HEARTBEAT_MS)
  opened[0]!.stream.send(encodeEvent('note', '2'))
  const beats = ({ text }: Client): number => text.split('\n:\n').length - 1
  await until(() => clients[1]!.text.endsWith(':\n\n') && clients[2]!.text.endsWith(':\n\n'))
  await until(() => clients[0]!.text.endsWith('data: 2\n\n'))
  t.same([...clients, fourth].map(beats), [0, 1, 1, 0], 'those that got nothing else since the last time')
  clock.advance(2 * HEARTBEAT_MS)
  await until(() => beats(clients[0]!) === 1 && beats(clients[1]!) === 3 && beats(fourth) === 2)
  for (const { socket } of [...clients, fourth]) socket.destroy()
  await until(() => streams.open === 0)
  clock.advance(HEARTBEAT_MS)
  t.equal(clock.waiting, 0, 'and stops when nobody listens')
})

t.test(
  'a client that does not read is dropped, with little in memory, and the others get everything',
  async (t) => {
    const { open, opened, dropped, streams, limiter, replies } = await start(t)
    const slow = await open('slow')
    const quick = await open('quick')
    slow.socket.pause()
    const [held] = opened
    const event = encodeEvent('much', JSON.stringify('x'.repeat(16 * KIB)))
    let most = 0
    let count = 0
    while (!held!.isOver) {
      for (const { stream } of opened) stream.send(event)
      count++
      most = Math.max(most, held!.exchange.response.writableLength)
      if (count > 10_000) throw new Error('it is never dropped')
      await new Promise(setImmediate)
    }
    t.ok(most <= 64 * KIB + 2 * event.length, `${most} bytes were held`)
    await until(() => quick.text.split('event: much').length === count + 1)
    t.equal(streams.open, 1)
    await until(() => dropped.length === 1)
    t.same(dropped, [1], 'it is told with the replies that were not read')
    t.match(replies, [{ route: '/events', status: 200 }])
    t.ok(limiter)
  },
)

t.test('a client that is always behind is dropped, however little it is', async (t) => {
  const { open, opened, clock } = await start(t)
  await open('slow').then(({ socket }) => socket.pause())
  const [held] = opened
  const event = encodeEvent('much', JSON.stringify('x'.repeat(16 * KIB)))
  while (held!.exchange.response.writableLength === 0) {
    held!.stream.send(event)
    await new Promise(setImmediate)
  }
  for (let ms = 0; ms < 120_000; ms += HEARTBEAT_MS) {
    t.notOk(held!.isOver, `after ${ms / 1_000} s`)
    clock.advance(HEARTBEAT_MS)
  }
  t.ok(held!.isOver)
})

t.test(
  'who waits for room is called once there is some, and what is finished then comes whole',
  async (t) => {
    const { open, opened, replies } = await start(t)
    const client = await open('slow')
    client.socket.pause()
    const [{ stream, exchange }] = opened as [Opened]
    let calls = 0
    stream.whenRoom(() => calls++)
    t.equal(calls, 1, 'at once')
    const event = encodeEvent('much', JSON.stringify('x'.repeat(256 * KIB)))
    while (!exchange.response.writableNeedDrain) {
      stream.send(event)
      await new Promise(setImmediate)
    }
    stream.whenRoom(() => calls++)
    t.equal(calls, 1)
    client.socket.resume()
    await until(() => calls === 2)
    t.equal(exchange.response.writableLength, 0)
    stream.finish(encodeEvent('end', '{}'))
    stream.send(event)
    await until(() => client.isOver)
    t.match(client.text, /event: end\ndata: \{\}\n\n$/)
    t.equal(replies.length, 1)
  },
)

t.test('a client that reads nothing is dropped when its stream is finished', async (t) => {
  const { open, opened } = await start(t)
  const client = await open('slow')
  client.socket.pause()
  const [held] = opened
  const event = encodeEvent('much', JSON.stringify('x'.repeat(16 * KIB)))
  while (!held!.exchange.response.writableNeedDrain) {
    held!.stream.send(event)
    await new Promise(setImmediate)
  }
  held!.stream.finish(encodeEvent('end', '{}'))
  await until(() => held!.isOver)
  t.notMatch(client.text, 'event: end')
})

t.test('a client has four, and its places come back however a stream ends', async (t) => {
  const { open, opened, streams, limiter, clock, replies } = await start(t)
  const slots = new ConnectionSlots(40)
  for (let i = 0; i < 4; i++) await open()
  t.ok(
    limiter.tryAcquire('one', slots) && limiter.tryAcquire('two', slots),
    'streams take none of the places of all',
  )
  limiter.release('one', slots)
  limiter.release('two', slots)

  const fifth = await open()
  await until(() => fifth.text.includes('}'))
  const refused = parseReply(fifth.text)
  t.equal(refused.status, 429)
  t.match(JSON.parse(refused.body), { code: 'too_many_streams', scope: 'limit', error: /4 event streams/ })
  t.match(replies.pop(), { status: 429, code: 'too_many_streams' })
  fifth.socket.destroy()
  t.match((await open('two')).text, /200 OK/, 'another client is not refused')
  t.equal(streams.open, 5)

  const ways: Record<string, (held: Opened, client: Client) => void> = {
    'a reset': (_held, { socket }) => void socket.resetAndDestroy(),
    'the client closing its side': (_held, { socket }) => void socket.end(),
    'the client vanishing': ({ exchange }) => void exchange.request.socket.emit('timeout'),
    'garbage in the place of a next request': (_held, { socket }) => void socket.write('\0\r\n\r\n'),
    'not being read': ({ exchange }) => exchange.drop(),
    'a write that fails': ({ exchange }) => void exchange.request.socket.destroy(new Error('EPIPE')),
  }
  const first = opened.slice(0, 4)
  for (const { exchange } of first) exchange.request.socket.destroy()
  await until(() => first.every(({ isOver }) => isOver))
  for (const [way, end] of Object.entries(ways)) {
    const clients: Client[] = []
    for (let i = 0; i < 4; i++) clients.push(await open())
    const held = opened.slice(-4)
    t.equal(streams.open, 5, way)
    for (const [i, one] of held.entries()) end(one, clients[i]!)
    await until(() => held.every(({ isOver }) => isOver))
    t.equal(streams.open, 1, way)
    // A stream whose place is not free may still be written to.
    for (const { stream } of held) stream.send(encodeEvent('late', '{}'))
  }
  clock.advance(HEARTBEAT_MS)
})

t.test('nothing is opened without a slot, and an opening stream has one', async (t) => {
  const { open, send, costly, opening, replies, streams, faults } = await start(t, { client: 2, global: 9 })
  const head = await send('HEAD /costly HTTP/1.1\r\nHost: h\r\n\r\n')
  await until(() => head.isOver)
  t.match(parseReply(head.text), { status: 200, headers: { 'content-type': /event-stream/ }, body: '' })
  t.equal(opening.length, 0)
  const refused = async (): Promise<void> => {
    const { text, socket } = await open('one', '/costly')
    t.match(text, /429 [\s\S]*"code":"too_many_streams"/)
    socket.destroy()
  }
  await open()
  const first = await costly()
  await until(() => opening.length === 1)
  await refused()
  t.match((await open('one', '/events')).text, / 429 /, 'nor has another stream its place')
  t.equal(opening.length, 1)

  opening[0]!.reject(new GatewayError('no_route', 'No route.'))
  await until(() => first.text.includes('no_route'))
  const second = await costly()
  await until(() => opening.length === 2)
  opening[1]!.reject(new Error('a bug'))
  await until(() => second.text.includes('internal_error'))
  t.equal(faults.length, 1)
  const third = await costly()
  await until(() => opening.length === 3)
  opening[2]!.resolve(new Events(() => () => {}))
  await until(() => third.text.includes('retry: '))
  t.equal(streams.open, 2, 'the place that was kept is the one that it has')
  await refused()
  third.socket.destroy()
  await until(() => streams.open === 1)
  const left = await costly()
  await until(() => opening.length === 4)
  left.socket.destroy()
  opening[3]!.resolve(new Events(() => () => {}))
  await until(() => replies.length === 8)
  t.equal(streams.open, 1, 'who left while it was opened has none')
  await costly()
  await until(() => opening.length === 5)
})

t.test('all clients together have a bound too', async (t) => {
  const { open, streams } = await start(t, { client: 4, global: 2 })
  await open('one')
  const { socket } = await open('two')
  const third = await open('three')
  await until(() => third.text.includes('}'))
  const { status, headers, body } = parseReply(third.text)
  t.equal(status, 503)
  t.equal(headers['retry-after'], '1')
  t.match(JSON.parse(body), { code: 'overloaded', error: /event streams/ })
  socket.destroy()
  await until(() => streams.open === 1)
  t.match((await open('three')).text, /200 OK/)
})

t.test(
  'where there are too many, a client with fewer takes the newest place of one with the most',
  async (t) => {
    const { open, opened, streams } = await start(t, { client: 4, global: 7 })
    const of = (name: string): string =>
      opened
        .filter(({ exchange }) => exchange.client === name)
        .map(({ isOver }) => (isOver ? 'over' : 'open'))
        .join()
    const greedy: Client[] = []
    for (let i = 0; i < 4; i++) greedy.push(await open('greedy'))
    for (let i = 0; i < 3; i++) await open('other')
    t.match((await open('new')).text, /200 OK[\s\S]*event: hello/)
    await until(() => greedy[3]!.isOver)
    t.match(greedy[3]!.text, /\n: there are too many streams, [^\n]*\n\n$/)
    t.same([of('greedy'), of('other'), of('new')], ['open,open,open,over', 'open,open,open', 'open'])
    t.equal(streams.open, 7)

    const counts = (): number[] =>
      ['greedy', 'other', 'new', 'second', 'third', 'a', 'b'].map((name) => of(name).split('open').length - 1)
    t.match((await open('new')).text, /200 OK/)
    t.same(counts().slice(0, 3), [3, 2, 2])
    t.match((await open('greedy')).text, /503/, 'there is no way back by the same door')
    t.match((await open('new')).text, /503/, 'nor for whom it would leave with fewer')
    for (const name of ['second', 'third', 'a', 'b']) t.match((await open(name)).text, /200 OK/)
    t.same(counts(), [1, 1, 1, 1, 1, 1, 1])
    t.match((await open('c')).text, /503/, 'all have one')
    t.equal(streams.open, 7)
  },
)

t.test('a client that is to make room and reads nothing is dropped', async (t) => {
  const { open, opened } = await start(t, { client: 2, global: 2 })
  await open('greedy')
  const slow = await open('greedy')
  slow.socket.pause()
  const [, held] = opened
  const event = encodeEvent('much', JSON.stringify('x'.repeat(16 * KIB)))
  while (held!.exchange.response.writableLength === 0) {
    held!.stream.send(event)
    await new Promise(setImmediate)
  }
  t.match((await open('new')).text, /200 OK/)
  t.ok(held!.isOver)
  t.ok(held!.exchange.request.socket.destroyed)
})

t.test('bounds follow from those of calls and connections', async (t) => {
  const off = { client: Infinity, global: Infinity }
  t.same(streamLimits({ client: 8, global: 256 }, 10_000), { client: 4, global: 1_024 })
  t.same(streamLimits({ client: 5, global: 256 }, 768), { client: 2, global: 384 })
  t.same(streamLimits({ client: 1, global: 9 }, 10_000), { client: 0, global: 1_024 })
  t.same(streamLimits(off, Infinity, 5_000), { client: 4, global: 5_000 })
  t.same(streamLimits(off, 100, 5_000), { client: 4, global: 50 })
})

t.test('a refusal or failure before the stream begins is an ordinary reply', async (t) => {
  const { open, streams, faults, send } = await start(t, { client: 1, global: 1 })
  for (const [path, status, code] of [
    ['/wrong', 400, 'invalid_parameter'],
    ['/bug', 502, 'internal_error'],
  ] as const) {
    const client = await open('one', path)
    await until(() => client.text.includes('}'))
    const reply = parseReply(client.text)
    t.equal(reply.status, status)
    t.equal(JSON.parse(reply.body).code, code)
    t.notMatch(client.text, /secret|nobody/)
    client.socket.write('GET /fixed HTTP/1.1\r\nHost: h\r\n\r\n')
    await until(() => client.text.endsWith('{}'))
  }
  t.match(faults, [{ message: 'secret detail' }])
  t.match((await open()).text, /200 OK/, 'no place was lost')
  t.equal(streams.open, 1)
  const posted = await send('POST /events HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n')
  await until(() => posted.text.includes('405'))
})

t.test('stopping ends them at once, and later clients are sent elsewhere', async (t) => {
  const { open, opened, streams, server, replier, replies } = await start(t)
  const clients = [await open(), await open('two')]
  const slow = await open('slow')
  slow.socket.pause()
  const event = encodeEvent('much', JSON.stringify('x'.repeat(16 * KIB)))
  while (opened[2]!.exchange.response.writableLength === 0) {
    opened[2]!.stream.send(event)
    await new Promise(setImmediate)
  }
  // On its way when the server stops.
  const late = await open('three', '/fixed')
  replier.closing = true
  streams.close()
  t.equal(streams.open, 0)
  const drained = drain(server, 60_000)
  late.socket.write('GET /events HTTP/1.1\r\nHost: h\r\n\r\n')
  t.ok(await drained, 'and nothing has to be cut off')
  for (const { text } of clients) t.match(text, /\n: the service is stopping; connect again\n\n$/)
  await until(() => late.isOver)
  t.match(late.text, /retry: \d+\n\nevent: hello\n[\s\S]*: the service is stopping; connect again\n\n$/)
  t.equal(replies.filter(({ route }) => route === '/events').length, 4)
  t.ok(opened.every(({ isOver }) => isOver))
})

t.test('an earlier answer on the same connection comes first, and nothing follows the stream', async (t) => {
  const { send, opened, streams } = await start(t)
  const head = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`
  const client = await send(head('/fixed') + head('/events') + head('/fixed'))
  await until(() => client.text.includes('event: hello'))
  t.match(client.text, /^HTTP\/1\.1 200 OK[\s\S]*\{\}HTTP\/1\.1 200 OK[\s\S]*event: hello/)
  t.equal(streams.open, 1)
  client.socket.destroy()
  await until(() => opened[0]!.isOver)
})
