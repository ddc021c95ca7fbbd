/** Who pays for a body, and which connections outlive one that is not read. */
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { HeldBytes } from '../../src/flow/held-bytes.ts'
import { TurnQueues } from '../../src/flow/turn-share.ts'
import type { ClientConnection, ClientConnections } from '../../src/http/connections/connections.ts'
import type { Shedding, SheddingPriority } from '../../src/http/overload/shedding.ts'
import { RequestPipeline } from '../../src/http/pipeline.ts'
import { Replier } from '../../src/http/reply/reply.ts'
import { SharedPieces } from '../../src/http/reply/representation.ts'
import { DISCARD_BYTES } from '../../src/http/request/body.ts'
import type { ClientAccounts, Exchange } from '../../src/http/request/exchange.ts'
import { get, post, type Result } from '../../src/http/route.ts'
import { createGatewayServer } from '../../src/http/server.ts'
import { CLOCK } from '../../src/runtime/clock.ts'
import { type Code, GatewayError } from '../../src/runtime/errors.ts'
import { OPEN_ACCOUNTS } from '../fixtures/accounts.ts'
import { until } from '../fixtures/clock.ts'
import { NO_DESCRIPTION } from '../fixtures/description.ts'
import { parseReply, raw, rawBytes } from '../fixtures/raw.ts'

const common = { budgets: [], description: NO_DESCRIPTION }
const MAX_BYTES = 64
/** Sheds everything. */
const SHEDDING = {
  mustAsk: () => true,
  admits: () => false,
} as unknown as Shedding

/** Sheds what its body says. */
const SHEDDING_BY_BODY = {
  ...SHEDDING,
  admits: (priority: SheddingPriority) => priority === 'build',
} as unknown as Shedding

async function start(t: Test, shedding: Shedding | null = null) {
  const charged: number[] = []
  const gone: string[] = []
  const waiting: (() => void)[] = []
  const answer = (path: string, handle: Parameters<typeof post>[0]['handle']) =>
    post({ path, body: Type.Unknown(), maxBytes: MAX_BYTES, ...common, handle })
  const fails = (code: Code): Result => {
    throw new GatewayError(code, 'It failed.')
  }
  const routes = [
    answer('/ok', () => Buffer.from('{}')),
    answer('/down', async () => fails('upstream_timeout')),
    answer('/wrong', () => fails('invalid_parameter')),
    answer('/bug', () => {
      throw new Error('a bug')
    }),
    answer('/unpaid', (_body, exchange) => {
      exchange.refusal = { name: 'rpcRead', refusedBy: 'client', retryAfterMs: 1_000, retryAfterSeconds: 1 }
      return null
    }),
    answer(
      '/paid',
      (_body, exchange) => exchange.withBudget('rpcRead', () => fails('invalid_parameter')) as Result,
    ),
    post({
      path: '/long',
      body: Type.Unknown(),
      maxBytes: 2 * DISCARD_BYTES,
      priority: { leastBuildBytes: 0, ofBytes: () => 'quote', of: () => 'quote' },
      ...common,
      handle: () => fails('invalid_parameter'),
    }),
    post({
      path: '/short',
      body: Type.Unknown(),
      maxBytes: MAX_BYTES,
      priority: { leastBuildBytes: MAX_BYTES, ofBytes: () => 'quote', of: () => 'quote' },
      ...common,
      handle: () => Buffer.from('{}'),
    }),
    get({ path: '/fixed', input: Type.Object({}), ...common, handle: () => Buffer.from('{"ok":true}') }),
    get({
      path: '/wait',
      input: Type.Object({}),
      ...common,
      handle: (_input, exchange) =>
        new Promise((resolve) => {
          exchange.onGone(() => gone.push(exchange.id))
          waiting.push(() => resolve(Buffer.from('{"waited":true}')))
        }),
    }),
  ]
  const server = createGatewayServer({
    routes,
    replier: new Replier({ mode: 'live', corsOrigins: '*', onReply: () => {} }),
    accounts: { ...OPEN_ACCOUNTS, chargeBody: (_exchange, bytes) => charged.push(bytes) },
    onClosed: () => {},
    clock: CLOCK,
    onFault: () => {},
    shedding,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const release = (): void => {
    for (const answer of waiting.splice(0)) answer()
  }
  return { url, charged, gone, waiting, release }
}

const head = (method: string, path: string, ...lines: string[]): string =>
  `${method} ${path} HTTP/1.1\r\nHost: h\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`

t.test('a client pays for the body of a request that was at fault, and for no other', async (t) => {
  const { url, charged } = await start(t)
  const cases: [path: string, body: string, status: number, charged: number[]][] = [
    ['/ok', '[1]', 200, []],
    ['/down', '[1]', 502, []],
    ['/bug', '[1]', 502, []],
    ['/wrong', '[1]', 400, [3]],
    ['/ok', '[1', 400, [2]],
    ['/ok', ' '.repeat(MAX_BYTES + 1), 413, [MAX_BYTES + 1]],
    ['/unpaid', '[1]', 429, [3]],
    ['/paid', '[1]', 400, []],
    ['/nothing', '[1]', 404, [3]],
    ['/fixed', '[1]', 405, [3]],
    ['/wrong', '', 400, []],
  ]
  for (const [path, body, status, expected] of cases) {
    charged.length = 0
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url + path, { method: 'POST', body, headers })
    t.equal(response.status, status, path)
    await response.text()
    t.same(charged, expected, `${path} ${body.slice(0, 5)}`)
  }
})

t.test('a body without a length is charged as far as it was read', async (t) => {
  const { url, charged } = await start(t)
  const chunked = head('POST', '/wrong', 'Transfer-Encoding: chunked', 'Connection: close')
  t.equal((await raw(url, chunked, '3\r\n[1]\r\n0\r\n\r\n')).status, 400)
  t.equal((await raw(url, chunked, `50\r\n${' '.repeat(80)}\r\n0\r\n\r\n`)).status, 413)
  t.same(charged, [3, MAX_BYTES])
})

t.test('a mebibyte of an unread body is discarded, and one more byte closes the connection', async (t) => {
  const cases: [method: string, path: string, shedding: Shedding | null, status: number][] = [
    ['GET', '/fixed', null, 200],
    ['DELETE', '/fixed', null, 405],
    ['OPTIONS', '/fixed', null, 204],
    ['POST', '/fixed', null, 405],
    ['POST', '/nothing', null, 404],
    ['POST', '/ok', null, 413],
    ['POST', '/ok', SHEDDING, 503],
  ]
  const next = head('OPTIONS', '/fixed', 'Connection: close', 'X-Request-Id: next')
  for (const [method, path, shedding, status] of cases) {
    const { url } = await start(t, shedding)
    const what = `${method} ${path} ${status}`
    const kept = await rawBytes(
      url,
      head(method, path, `Content-Length: ${DISCARD_BYTES}`),
      Buffer.alloc(DISCARD_BYTES, 0x20),
      next,
    )
    t.equal(parseReply(kept).status, status, what)
    t.not(parseReply(kept).headers.connection, 'close', what)
    t.match(kept, 'X-Request-Id: next', `${what}: the connection goes on`)
    // Nothing of this one is sent.
    const closed = await raw(url, head(method, path, `Content-Length: ${DISCARD_BYTES + 1}`))
    t.equal(closed.status, status, what)
    t.equal(closed.headers.connection, 'close', what)
  }
})

t.test('a request that is too short for a build is admitted by its head, once and for good', async (t) => {
  let asked = 0
  const shedding = {
    ...SHEDDING,
    admits: () => asked++ === 0,
    costs: { begin: () => {}, end: () => {}, work: () => {} },
  } as unknown as Shedding
  const { url } = await start(t, shedding)
  const headers = { 'content-type': 'application/json' }
  const short = () => fetch(`${url}/short`, { method: 'POST', body: '[1]', headers })
  t.equal((await short()).status, 200)
  t.equal(asked, 1)
  t.equal((await short()).status, 503)
})

t.test('a body that was read whole costs no connection, however long it is', async (t) => {
  const body = Buffer.alloc(DISCARD_BYTES + 1, 0x61)
  body[0] = body[body.length - 1] = 0x22
  for (const [shedding, status] of [
    [null, 400],
    [SHEDDING_BY_BODY, 503],
  ] as const) {
    const { url } = await start(t, shedding)
    const text = await rawBytes(
      url,
      head('POST', '/long', `Content-Length: ${body.length}`),
      body,
      head('OPTIONS', '/fixed', 'Connection: close', 'X-Request-Id: next'),
    )
    t.equal(parseReply(text).status, status)
    t.match(text, 'X-Request-Id: next')
  }
})

t.test(
  'behind a request that waits, a refused body in chunks is not read, nor is what comes behind it',
  async (t) => {
    const chunk = (bytes: number) => [`${bytes.toString(16)}\r\n`, Buffer.alloc(bytes, 0x20), '\r\n']
    const pipelined = [head('GET', '/wait'), head('POST', '/ok', 'Transfer-Encoding: chunked')]
    const { url, waiting, release } = await start(t)
    const whole = rawBytes(url, ...pipelined, ...chunk(MAX_BYTES + 1), '0\r\n\r\n', head('GET', '/wait'))
    await until(() => waiting.length === 1)
    release()
    t.match(await whole, /^HTTP\/1\.1 200 [\s\S]*"waited":true[\s\S]*HTTP\/1\.1 413 /)
    t.equal(waiting.length, 0)

    const { hostname, port } = new URL(url)
    const flood = connect(Number(port), hostname)
    flood.on('error', () => {})
    t.teardown(() => flood.destroy())
    for (const part of pipelined) flood.write(part)
    for (let i = 0; i < 64; i++) for (const part of chunk(1 << 20)) flood.write(part)
    await until(() => waiting.length === 1)
    for (let turn = 0; turn < 300; turn++) await new Promise(setImmediate)
    t.ok(flood.writableLength > 0, 'what is not read is held back')
    release()
    await until(() => flood.destroyed)
  },
)

/** A pipeline, and a POST of three bytes of which nothing has come in yet. */
function arriving(handle: Parameters<typeof post>[0]['handle'], accounts: Partial<ClientAccounts> = {}) {
  const statuses: number[] = []
  const replier = new Replier({
    mode: 'live',
    corsOrigins: '*',
    onReply: (_exchange, status) => statuses.push(status),
  })
  const exchanges = new Set<Exchange>()
  const connection = {
    exchanges,
    settle: () => {},
    isLast: () => false,
    ignoreRest() {},
  } as unknown as ClientConnection
  const pipeline = new RequestPipeline({
    routes: [post({ path: '/body', body: Type.Unknown(), maxBytes: MAX_BYTES, ...common, handle })],
    replier,
    accounts: { ...OPEN_ACCOUNTS, ...accounts },
    clock: CLOCK,
    held: new HeldBytes(),
    connections: { admit: () => connection, of: () => connection } as unknown as ClientConnections,
    onFault: (error) => t.fail(String(error)),
  })
  const request = Object.assign(new EventEmitter(), {
    method: 'POST',
    url: '/body',
    headers: { host: 'h', 'content-length': '3' },
    rawHeaders: ['Host', 'h', 'Content-Length', '3'],
    httpVersionMinor: 1,
    complete: false,
    socket: {},
  })
  const response = { writeHead: () => {}, end: () => {} }
  pipeline.serve(request as unknown as IncomingMessage, response as unknown as ServerResponse)
  const [exchange] = exchanges
  const arrive = (): void => {
    request.emit('data', Buffer.from('[1]'))
    request.emit('end')
  }
  return { replier, exchange: exchange!, request, arrive, statuses }
}

const mayNotBeHandled = (): Result => {
  throw new Error('it was handled')
}

t.test('a body that is complete after its request was answered is not handled', async (t) => {
  const handled: unknown[] = []
  const handle = (body: unknown) => {
    handled.push(body)
    return Buffer.from('{}')
  }
  const { replier, exchange, arrive, statuses } = arriving(handle)
  replier.abandon(exchange)
  arrive()
  t.same([handled, statuses], [[], [499]])
  const inTime = arriving(handle)
  inTime.arrive()
  t.same([handled, inTime.statuses], [[[1]], [200]])
})

t.test('nothing is handled for an unidentified client', async (t) => {
  const requireClient = () => {
    throw new GatewayError('malformed_request', 'Too many hops.')
  }
  const { arrive, statuses } = arriving(mayNotBeHandled, { requireClient })
  arrive()
  t.same(statuses, [400])
})

t.test('a client that leaves before its body has arrived is logged as gone', async (t) => {
  const { request, statuses } = arriving(mayNotBeHandled)
  request.emit('data', Buffer.from('[1'))
  request.emit('close')
  t.same(statuses, [499])
})

t.test("an upstream's failure for a client that has gone is not its request's failure", async (t) => {
  let fail = () => {}
  const failing = new Promise<never>((_resolve, reject) => {
    fail = () => reject(new GatewayError('upstream_timeout', 'Too late.'))
  })
  const { exchange, arrive, statuses } = arriving(() => failing)
  arrive()
  exchange.leave()
  fail()
  await new Promise(setImmediate)
  t.same(statuses, [499])
})

t.test('90 pipelined requests for a large document are answered a mebibyte a turn, in order', async (t) => {
  const turns: (() => void)[] = []
  const counts: number[] = []
  let replies = 0
  const pieces = [Buffer.alloc(300_000, 'a'), Buffer.alloc(100_000, 'b')]
  const server = createGatewayServer({
    routes: [
      get({
        path: '/document',
        input: Type.Object({}),
        ...common,
        handle: () => new SharedPieces(pieces, null),
      }),
    ],
    replier: new Replier({ mode: 'live', corsOrigins: '*', onReply: () => replies++ }),
    accounts: OPEN_ACCOUNTS,
    clock: CLOCK,
    onFault: (error) => t.fail(String(error)),
    onClosed: () => {},
    written: new TurnQueues({ nextTurn: (run) => turns.push(run) }),
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const received = (async () => {
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString('latin1')
  })()
  const heads = Array.from({ length: 90 }, (_, i) => {
    const close = i === 89 ? 'Connection: close\r\n' : ''
    return `GET /document HTTP/1.1\r\nHost: h\r\nX-Request-Id: n${i}\r\n${close}\r\n`
  })
  socket.write(heads.join(''))
  await until(() => turns.length > 0)
  let before = 0
  while (replies < 90) {
    await until(() => turns.length > 0)
    counts.push(replies - before)
    before = replies
    for (const run of turns.splice(0)) run()
  }
  t.ok(Math.max(...counts) <= 3, `${counts} replies of 400 kB a turn`)
  t.same(
    [...(await received).matchAll(/X-Request-Id: (\w+)/g)].map(([, id]) => id),
    Array.from({ length: 90 }, (_, i) => `n${i}`),
  )
})
