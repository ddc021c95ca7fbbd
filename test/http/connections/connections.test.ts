/** One server's connections: caps, patience, and what is given up with them. */
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { HeldBytes } from '../../../src/flow/held-bytes.ts'
import type { Closed } from '../../../src/http/connections/connections.ts'
import type { ServerLimits } from '../../../src/http/connections/limits.ts'
import { Replier } from '../../../src/http/reply/reply.ts'
import type { ClientAccounts } from '../../../src/http/request/exchange.ts'
import { get, post } from '../../../src/http/route.ts'
import { createGatewayServer } from '../../../src/http/server.ts'
import { OPEN_ACCOUNTS } from '../../fixtures/accounts.ts'
import { movedClock } from '../../fixtures/clock.ts'
import { NO_DESCRIPTION } from '../../fixtures/description.ts'
import { parseReply } from '../../fixtures/raw.ts'

const description = NO_DESCRIPTION
const common = { budgets: [], description }
const LARGE = 32 << 20
const WAIT = 'GET /wait HTTP/1.1\r\nHost: h\r\n\r\n'
const FIXED = 'GET /fixed HTTP/1.1\r\nHost: h\r\n\r\n'

async function start(
  t: Test,
  limits: Partial<ServerLimits> = {},
  accounts: Partial<ClientAccounts> = {},
  held = new HeldBytes(),
) {
  const waiting: (() => void)[] = []
  const gone: string[] = []
  const handled: unknown[] = []
  const replies: number[] = []
  const closed: Closed[] = []
  const clock = movedClock()
  const routes = [
    get({ ...common, path: '/fixed', input: Type.Object({}), handle: () => Buffer.from('{}') }),
    get({ ...common, path: '/large', input: Type.Object({}), handle: () => Buffer.alloc(LARGE, 0x20) }),
    get({
      ...common,
      path: '/wait',
      input: Type.Object({}),
      handle: (_input, exchange) =>
        new Promise((resolve) => {
          const scope = exchange.scope()
          scope.watch({ cancel: () => gone.push(exchange.id) })
          waiting.push(() => resolve(Buffer.from('{"waited":true}')))
        }),
    }),
    post({
      ...common,
      path: '/submit',
      body: Type.Object({}),
      maxBytes: 1_000,
      handle: (body) => {
        handled.push(body)
        return Buffer.from('{}')
      },
    }),
  ]
  const onReply = (_exchange: unknown, status: number): void => void replies.push(status)
  const replier = new Replier({ mode: 'live', corsOrigins: ['https://own.example'], onReply })
  const server = createGatewayServer({
    routes,
    replier,
    accounts: { ...OPEN_ACCOUNTS, ...accounts },
    clock,
    onFault: (error) => t.fail(String(error)),
    onClosed: (counts) => closed.push(counts),
    limits: { checkIntervalMs: 10, ...limits },
    held,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sockets: Client[] = []
  t.teardown(() => {
    for (const { socket } of sockets) socket.destroy()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  /** A client that does not close its side when the server does. */
  const open = async (bytes = ''): Promise<Client> => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const client: Client = { socket, text: '', isOver: false }
    socket.on('data', (chunk) => (client.text += chunk.toString('latin1')))
    socket.on('error', () => {})
    socket.on('end', () => (client.isOver = true))
    socket.on('close', () => (client.isOver = true))
    await once(socket, 'connect')
    socket.write(bytes)
    sockets.push(client)
    return client
  }
  const count = (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_error, connections) => resolve(connections)))
  const release = (): void => {
    for (const answer of waiting.splice(0)) answer()
  }
  return { clock, open, count, release, waiting, gone, handled, replies, closed, server }
}

interface Client {
  readonly socket: Socket
  text: string
  isOver: boolean
}

const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await sleep(2)
}

t.test('the number of connections is bounded, and the one idle longest makes room', async (t) => {
  const { clock, open, count, release, waiting, closed } = await start(t, { maxConnections: 3 })
  const busy: Client[] = []
  for (let i = 0; i < 3; i++) {
    busy.push(await open(WAIT))
    clock.move(10)
  }
  await until(() => waiting.length === 3)
  const refused = await open(FIXED)
  await until(() => refused.isOver)
  const { status, headers, body } = parseReply(refused.text)
  t.equal(status, 503)
  t.match(headers, { 'retry-after': '1', connection: 'close' })
  t.match(JSON.parse(body), { code: 'overloaded', scope: 'limit' })
  await until(async () => (await count()) === 3)
  t.notOk(busy.some(({ isOver }) => isOver))

  release()
  await until(() => busy.every(({ text }) => text.includes('waited')))
  const next = await open(FIXED)
  await until(() => next.text.includes('200 OK'))
  t.same(
    busy.map(({ isOver }) => isOver),
    [true, false, false],
  )
  await until(() => closed.reduce((sum, { refused, idle }) => sum + refused + idle, 0) === 2)
})

t.test('one peer has a cap of its own, and a trusted proxy has none', async (t) => {
  const peers = ['one', 'one', 'one', 'two', null, null, null]
  const accounts = { peerOf: () => peers.shift()! }
  const { open, waiting } = await start(t, { maxConnectionsPerPeer: 2 }, accounts)
  const first = [await open(WAIT), await open(WAIT)]
  await until(() => waiting.length === 2)
  first.push(await open(WAIT))
  await until(() => first[2]!.isOver)
  t.match(first[2]!.text, /^HTTP\/1\.1 503 /)
  const others = [await open(WAIT), await open(WAIT), await open(WAIT), await open(WAIT)]
  await until(() => waiting.length === 6)
  t.notOk([...first.slice(0, 2), ...others].some(({ isOver }) => isOver))
})

t.test('slow clients get a 408 and are closed, whether they close their side or not', async (t) => {
  const { open, count } = await start(t, { headersTimeoutMs: 1_000, requestTimeoutMs: 1_500 })
  const slow = [
    ...(await Promise.all(Array.from({ length: 50 }, () => open('GET /fixed HTTP/1.1\r\nHost: h\r\n')))),
    ...(await Promise.all(Array.from({ length: 50 }, () => open('')))),
    await open('POST /submit HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{'),
  ]
  await until(async () => (await count()) === 0)
  await until(() => slow.every(({ isOver }) => isOver))
  t.ok(slow.every(({ text }) => text === '' || text.startsWith('HTTP/1.1 408 ')))
  t.match(slow.at(-1)!.text, /^HTTP\/1\.1 408 /)
})

t.test('a submission that is complete after its 408 is not forwarded', async (t) => {
  const { open, handled, replies } = await start(t, { headersTimeoutMs: 1_000, requestTimeoutMs: 1_000 })
  const head = 'POST /submit HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{'
  const late = await Promise.all(Array.from({ length: 20 }, () => open(head)))
  // The rest arrives in the same moment as the refusal leaves.
  for (const client of late) client.socket.once('data', () => client.socket.write('}'))
  const writers = late.map(async (client) => {
    await sleep(Math.random() * 1_500)
    client.socket.write('}')
  })
  await Promise.all(writers)
  await until(() => late.every(({ text }) => text !== ''))
  await until(() => replies.length === 20)
  const refused = late.filter(({ text }) => text.startsWith('HTTP/1.1 408 '))
  t.equal(handled.length, 20 - refused.length)
  t.equal(replies.filter((status) => status === 499).length, refused.length)
})

t.test("a timeout behind a waiting request does not replace that request's answer", async (t) => {
  const { open, waiting, gone } = await start(t, { headersTimeoutMs: 1_000, requestTimeoutMs: 1_000 })
  const client = await open(`${WAIT}GET /fixed HTTP/1.1\r\n`)
  await until(() => client.isOver)
  t.equal(client.text, '')
  t.same([waiting.length, gone.length], [1, 1])
})

t.test('blank lines do not keep an idle connection', async (t) => {
  const patience = { keepAliveTimeoutMs: 60_000, headersTimeoutMs: 60_000, requestTimeoutMs: 60_000 }
  const { clock, open, count, closed, replies } = await start(t, patience)
  const client = await open(FIXED)
  await until(() => client.text.includes('200 OK') && replies.length === 1)
  const drip = setInterval(() => client.socket.write('\r\n'), 5)
  t.teardown(() => clearInterval(drip))
  clock.move(120_000)
  await until(async () => (await count()) === 0)
  await until(() => closed.length === 1)
  t.same(closed, [{ refused: 0, idle: 1, unread: 0 }])
})

t.test('a reply is read within its time, or its connection is closed', async (t) => {
  const patience = { keepAliveTimeoutMs: 10_000, headersTimeoutMs: 10_000 }
  const { clock, open, count, closed, replies } = await start(t, { ...patience, replyTimeoutMs: 80_000 })
  const client = await open('GET /large HTTP/1.1\r\nHost: h\r\n\r\n')
  // It reads on and on, and so never stands still; but it would take minutes.
  client.socket.pause()
  const reading = setInterval(() => client.socket.read(1_024), 5)
  t.teardown(() => clearInterval(reading))
  await until(() => replies.length === 1)
  clock.move(80_000)
  await until(async () => (await count()) === 0)
  await until(() => closed.length === 1)
  t.same(closed, [{ refused: 0, idle: 0, unread: 1 }])

  clearInterval(reading)

  const patient = await start(t, patience)
  const whole = await patient.open('GET /large HTTP/1.1\r\nHost: h\r\n\r\n')
  await until(() => patient.replies.length === 1)
  patient.clock.move(20_000)
  await until(() => whole.text.length > LARGE)
  t.match(whole.text.slice(0, 15), /^HTTP\/1\.1 200/, 'who reads it has it, and is not idle meanwhile')
})

t.test('the client that leaves most unread loses its oldest reply first', async (t) => {
  const accounts: Partial<ClientAccounts> = { clientOf: ({ request }) => String(request.headers['x-client']) }
  const { open, count, closed } = await start(
    t,
    {},
    accounts,
    new HeldBytes({ limits: { client: Infinity, all: 3.5 * LARGE } }),
  )
  const leave = async (name: string): Promise<Client> => {
    const before = await count()
    const client = await open()
    client.socket.pause()
    client.socket.write(`GET /large HTTP/1.1\r\nHost: h\r\nX-Client: ${name}\r\n\r\n`)
    await until(async () => (await count()) > before || closed.length > 0)
    return client
  }
  await leave('bystander')
  const greedy = [await leave('greedy'), await leave('greedy')]
  t.equal(await count(), 3)
  await leave('greedy')
  await until(() => closed.length === 1)
  t.equal(await count(), 3)
  t.same(closed, [{ refused: 0, idle: 0, unread: 1 }])
  greedy[0]!.socket.resume()
  await until(() => greedy[0]!.isOver)
  t.ok(greedy[0]!.text.length < LARGE)
})

t.test('a client that leaves gives up all that it asked for, one behind the other', async (t) => {
  const { open, waiting, gone, replies, release } = await start(t)
  const client = await open(WAIT.repeat(20))
  await until(() => waiting.length === 20)
  client.socket.destroy()
  await until(() => gone.length === 20)
  release()
  await until(() => replies.length === 20)
  t.ok(replies.every((status) => status === 499))
})

t.test('whatever is not read any more is cut off at the end of a stop', async (t) => {
  const { open, count, replies, server } = await start(t)
  const { socket } = await open()
  socket.pause()
  socket.write(
    'GET /large HTTP/1.1\r\nHost: h\r\n\r\nPOST /submit HTTP/1.1\r\nHost: h\r\nContent-Length: 9999999\r\n\r\n',
  )
  await until(() => replies.length === 2)
  t.same(replies, [200, 413])
  server.closeAllConnections()
  await until(async () => (await count()) === 0)
})

t.test('the pipelined requests of one connection are bounded', async (t) => {
  const { open, waiting, gone, release } = await start(t, { maxPipelined: 20 })
  const client = await open(WAIT.repeat(20))
  await until(() => waiting.length === 20)
  release()
  await until(() => client.text.match(/waited/g)?.length === 20)
  client.socket.write(WAIT.repeat(21))
  await until(() => client.isOver)
  t.equal(gone.length, 20)
})

t.test('what node answers by itself, or not at all, has an Error body', async (t) => {
  const { open } = await start(t)
  const cases: [request: string, status: number, code: string][] = [
    [
      'GET /fixed HTTP/1.1\r\nHost: h\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n',
      417,
      'expectation_failed',
    ],
    [
      'POST /submit HTTP/1.1\r\nHost: h\r\nExpect: x\r\nContent-Length: 2\r\n\r\n{}',
      417,
      'expectation_failed',
    ],
    ['CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n', 405, 'wrong_method'],
    ['GET /fixed HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'malformed_request'],
    ['GET /fixed HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n', 400, 'malformed_request'],
    ['GET /fixed HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'malformed_request'],
    [
      'POST /submit HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'POST /submit HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, chunked\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'POST /submit HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'malformed_request',
    ],
    ['POST /submit HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: identity\r\n\r\n', 400, 'malformed_request'],
  ]
  for (const [request, status, code] of cases) {
    const client = await open(request)
    await until(() => client.isOver)
    const reply = parseReply(client.text)
    t.equal(reply.status, status, request)
    t.equal(JSON.parse(reply.body).code, code, request)
    t.equal(reply.headers.connection, 'close', request)
  }
  const upgrade = 'GET /fixed HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  const client = await open(upgrade)
  await until(() => client.isOver)
  const { status, headers } = parseReply(client.text)
  t.same(
    [status, headers.connection],
    [200, 'close'],
    'an upgrade that nothing here offers is declined (RFC 9110 §7.8)',
  )
})

t.test('a page of a foreign origin may not post, where origins are listed', async (t) => {
  const { open, handled } = await start(t)
  const ask = async (method: string, origin: string): Promise<number> => {
    const target = method === 'GET' ? '/fixed' : '/submit'
    const body = method === 'GET' ? '\r\n' : 'Content-Length: 2\r\n\r\n{}'
    const client = await open(
      `${method} ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${origin}${body}`,
    )
    await until(() => client.isOver)
    return parseReply(client.text).status
  }
  t.equal(await ask('POST', 'Origin: https://other.example\r\n'), 403)
  t.equal(await ask('POST', 'Origin: null\r\n'), 403)
  t.same(handled, [])
  t.equal(await ask('POST', 'Origin: https://own.example\r\n'), 200)
  t.equal(await ask('POST', ''), 200)
  t.equal(await ask('GET', 'Origin: https://other.example\r\n'), 200)
})
