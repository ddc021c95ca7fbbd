import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { drain } from '../../src/http/connections/drain.ts'
import type { ServerLimits } from '../../src/http/connections/limits.ts'
import { Replier, type ReplyOptions } from '../../src/http/reply/reply.ts'
import type { Exchange } from '../../src/http/request/exchange.ts'
import { get, post, StatusReply } from '../../src/http/route.ts'
import { createGatewayServer } from '../../src/http/server.ts'
import { CLOCK } from '../../src/runtime/clock.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import { OPEN_ACCOUNTS } from '../fixtures/accounts.ts'
import { NO_DESCRIPTION } from '../fixtures/description.ts'
import { parseReply, raw, rawBytes } from '../fixtures/raw.ts'

const description = NO_DESCRIPTION
const none = Type.Object({})

interface Logged {
  readonly route: string
  readonly status: number
  readonly bytes: number
}

interface Started {
  readonly url: string
  readonly replies: Logged[]
  readonly faults: unknown[]
  readonly gone: string[]
  /** What the waiting route has to answer. */
  readonly waiting: readonly (() => void)[]
  /** Of all connections so far, the oldest first. */
  readonly sockets: readonly Socket[]
  readonly replier: Replier
  readonly server: ReturnType<typeof createGatewayServer>
  /** Lets the waiting route answer. */
  release(): void
}

async function start(
  t: Test,
  options: Partial<ReplyOptions> = {},
  limits: Partial<ServerLimits> = {},
): Promise<Started> {
  const replies: Logged[] = []
  const faults: unknown[] = []
  const gone: string[] = []
  const waiting: (() => void)[] = []
  const routes = [
    get({ path: '/fixed', input: none, budgets: [], description, handle: () => Buffer.from('{"ok":true}') }),
    get({
      path: '/echo/{name}',
      input: Type.Object({
        name: Type.String({ maxLength: 5 }),
        n: Type.Integer({ minimum: 1, default: 3 }),
      }),
      budgets: [],
      description,
      handle: async (input) => Buffer.from(JSON.stringify(input)),
    }),
    post({
      path: '/body',
      body: Type.Object({ a: Type.Integer() }, { additionalProperties: false }),
      maxBytes: 64,
      budgets: [],
      description,
      read: (bytes, checked) => ({ body: checked(), length: bytes.length }),
      handle: (read) => Buffer.from(JSON.stringify(read)),
    }),
    get({
      path: '/teapot',
      input: none,
      budgets: [],
      description,
      handle: () => new StatusReply(503, Buffer.from('{}')),
    }),
    get({
      path: '/refused',
      input: none,
      budgets: [],
      description,
      handle: async () => {
        throw new GatewayError('upstream_timeout', 'The upstream did not answer in time.', {
          provider: 'p-1',
        })
      },
    }),
    get({
      path: '/bug',
      input: none,
      budgets: [],
      description,
      handle: () => {
        throw new Error('secret detail')
      },
    }),
    get({
      path: '/wait',
      input: none,
      budgets: [],
      description,
      handle: (_input, exchange) =>
        new Promise((resolve) => {
          exchange.onGone(() => gone.push(exchange.id))
          waiting.push(() => resolve(Buffer.from('{"waited":true}')))
        }),
    }),
    get({
      path: '/large',
      input: none,
      budgets: [],
      description,
      handle: () => Buffer.alloc(64 << 20, 0x20),
    }),
  ]
  const replier = new Replier({
    mode: 'live',
    corsOrigins: '*',
    onReply: ({ route }: Exchange, status, bytes) => replies.push({ route, status, bytes }),
    ...options,
  })
  const server = createGatewayServer({
    routes,
    replier,
    accounts: OPEN_ACCOUNTS,
    onClosed: () => {},
    clock: CLOCK,
    onFault: (error) => faults.push(error),
    limits,
  })
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const release = (): void => {
    for (const answer of waiting.splice(0)) answer()
  }
  return { url, replies, faults, gone, waiting, sockets, replier, server, release }
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await sleep(2)
}

t.test('answers a route', async (t) => {
  const { url, replies } = await start(t)
  const response = await fetch(`${url}/fixed?x=1`)
  t.equal(response.status, 200)
  t.equal(await response.text(), '{"ok":true}')
  const headers = Object.fromEntries(response.headers)
  t.match(headers, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'content-length': '11',
    'access-control-allow-origin': '*',
    'x-request-id': /^[0-9a-z]+-[0-9a-z]+$/,
  })
  t.notOk('x-swapgate-mode' in headers, 'live replies are not marked')
  t.match(headers['access-control-expose-headers'], /X-Error-Code, .*RateLimit, RateLimit-Policy/)
  t.equal(response.statusText, 'OK')
  t.notOk('x-error-code' in headers)
  t.same(replies, [{ route: '/fixed', status: 200, bytes: 11 }])

  const ids = await Promise.all(
    Array.from({ length: 50 }, async () => (await fetch(`${url}/fixed`)).headers.get('x-request-id')),
  )
  t.equal(new Set(ids).size, 50, 'every request has its own id')
})

t.test('reads path and query into one typed input', async (t) => {
  const { url } = await start(t)
  t.same(await (await fetch(`${url}/echo/a%20b?n=7`)).json(), { name: 'a b', n: 7 })
  t.same(await (await fetch(`${url}/echo/a`)).json(), { name: 'a', n: 3 })
})

t.test('takes a JSON body', async (t) => {
  const { url } = await start(t)
  const bodies: [
    body: string | Buffer,
    headers: Record<string, string>,
    status: number,
    code: string | null,
  ][] = [
    ['{"a":1}', {}, 200, null],
    ['{"a":1}', { 'content-type': 'application/json' }, 200, null],
    [' {"a" : 1}\n', { 'content-type': 'Application/JSON; Charset="UTF-8"' }, 200, null],
    ['{"a":1}', { 'content-type': 'application/vnd.api+json' }, 200, null],
    ['{"a":1}', { 'content-encoding': 'identity' }, 200, null],
    ['{"a":2,"a":1}', {}, 200, null],
    ['{"a":1}', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['{"a":1}', { 'content-type': 'application/json; charset=latin1' }, 415, 'unsupported_media_type'],
    ['{"a":1}', { 'content-type': 'application/jsonp' }, 415, 'unsupported_media_type'],
    ['{"a":1}', { 'content-encoding': 'gzip' }, 415, 'unsupported_media_type'],
    ['', {}, 400, 'malformed_body'],
    ['{', {}, 400, 'malformed_body'],
    ['{"a":1} x', {}, 400, 'malformed_body'],
    ['\ufeff{"a":1}', {}, 200, null],
    [Buffer.from([0x22, 0xff, 0x22]), {}, 400, 'malformed_body'],
    [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), {}, 400, 'malformed_body'],
    ['['.repeat(64), {}, 400, 'malformed_body'],
    ['null', {}, 400, 'invalid_parameter'],
    ['[1]', {}, 400, 'invalid_parameter'],
    ['{}', {}, 400, 'invalid_parameter'],
    ['{"a":"1"}', {}, 400, 'invalid_parameter'],
    ['{"a":1,"b":2}', {}, 400, 'invalid_parameter'],
    ['{"a":1,"__proto__":{}}', {}, 400, 'invalid_parameter'],
    [`{"a":1${' '.repeat(57)}}`, {}, 200, null],
    [`{"a":1${' '.repeat(58)}}`, {}, 413, 'body_too_large'],
    ['x'.repeat(1 << 20), {}, 413, 'body_too_large'],
  ]
  for (const [body, headers, status, code] of bodies) {
    // fetch would add a content type of its own.
    const bytes = Buffer.from(body as string)
    const extra = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `POST /body HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${extra.join('')}Content-Length: ${bytes.length}\r\n\r\n`
    const reply = await raw(url, head, bytes)
    t.equal(reply.status, status, `${bytes.subarray(0, 20)} ${JSON.stringify(headers)}`)
    if (code !== null) t.equal(JSON.parse(reply.body).code, code)
  }
  const chunked = await raw(
    url,
    'POST /body HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n',
    '4\r\n{"a"\r\n',
    '3\r\n:1}\r\n0\r\n\r\n',
  )
  t.same(JSON.parse(chunked.body), { body: { a: 1 }, length: 7 })
})

t.test('a connection survives a body that was too large', async (t) => {
  const { url } = await start(t)
  const text = await rawBytes(
    url,
    `POST /body HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`,
    'GET /fixed HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
  )
  t.match(text, /^HTTP\/1\.1 413 [\s\S]*HTTP\/1\.1 200 [\s\S]*\{"ok":true\}$/)
})

t.test('a client that sends without end is cut off', async (t) => {
  const { url, replies } = await start(t)
  const flood = Array.from({ length: 64 }, () => Buffer.alloc(65_536, 0x20))
  const reply = await rawBytes(
    url,
    'POST /body HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n',
    ...flood,
  )
  t.match(reply, /^HTTP\/1\.1 413 |^$/, 'the refusal, unless the reset overtook it')
  t.equal(replies[0]?.status, 413)
})

t.test('refuses what it does not serve', async (t) => {
  const { url } = await start(t)
  const cases: [method: string, target: string, status: number, body: object, allow?: string][] = [
    ['GET', '/nothing', 404, { scope: 'not_found', code: 'not_found' }],
    ['GET', '/fixed/', 404, { code: 'not_found' }],
    ['POST', '/nothing', 404, { code: 'not_found' }],
    ['OPTIONS', '/nothing', 404, { code: 'not_found' }],
    ['POST', '/fixed', 405, { scope: 'method', code: 'wrong_method' }, 'GET, HEAD, OPTIONS'],
    ['DELETE', '/body', 405, { code: 'wrong_method' }, 'POST, OPTIONS'],
    ['GET', '/body', 405, { code: 'wrong_method' }, 'POST, OPTIONS'],
    ['PUT', '/echo/a', 405, { code: 'wrong_method' }, 'GET, HEAD, OPTIONS'],
    ['GET', '/echo/toolong', 400, { scope: 'validation', code: 'invalid_parameter', field: 'name' }],
    ['GET', '/echo/a?n=0', 400, { code: 'invalid_parameter', field: 'n' }],
    ['GET', '/echo/a?n=1&n=2', 400, { code: 'malformed_query', field: 'n' }],
    ['GET', '/echo/a?n=%zz', 400, { code: 'malformed_query' }],
    ['GET', '/fixed?%ff', 400, { code: 'malformed_query' }],
    ['GET', '/echo/%ff', 400, { code: 'malformed_path' }],
    ['GET', `/${'a'.repeat(8_192)}`, 414, { code: 'uri_too_long' }],
    ['GET', '/teapot', 503, {}],
    ['GET', '/refused', 502, { scope: 'rpc', code: 'upstream_timeout', provider: 'p-1' }],
  ]
  for (const [method, target, status, body, allow] of cases) {
    const response = await fetch(url + target, { method })
    t.equal(response.status, status, `${method} ${target.slice(0, 40)}`)
    t.equal(response.headers.get('access-control-allow-origin'), '*', 'readable by a page')
    t.equal(response.headers.get('cache-control'), 'no-store')
    if (allow !== undefined) t.equal(response.headers.get('allow'), allow)
    const parsed = (await response.json()) as { error?: string; code?: string }
    t.match(parsed, body)
    // The 503 is a reply of the route's own, and no error.
    const { code = null } = parsed
    t.equal(response.headers.get('x-error-code'), code)
    t.equal(response.statusText, code ?? 'Service Unavailable', 'the code for clients that show no body')
    if (status !== 503) t.match(parsed.error, /^[A-Z`].*[.?]$/, 'a sentence')
  }
})

t.test('our own fault is a 502, logged, and reveals nothing', async (t) => {
  const { url, faults } = await start(t)
  const response = await fetch(`${url}/bug`)
  t.equal(response.status, 502)
  const text = await response.text()
  t.match(JSON.parse(text), { scope: 'internal', code: 'internal_error' })
  t.notMatch(text, 'secret')
  t.match(faults, [{ message: 'secret detail' }])
})

t.test('HEAD is GET without the body', async (t) => {
  const { url } = await start(t)
  const text = await rawBytes(url, 'HEAD /fixed HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')
  const reply = parseReply(text)
  t.equal(reply.status, 200)
  t.equal(reply.headers['content-length'], '11')
  t.equal(reply.body, '')
  t.equal((await fetch(`${url}/body`, { method: 'HEAD' })).status, 405)
  const error = parseReply(
    await rawBytes(url, 'HEAD /nothing HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'),
  )
  t.equal(error.status, 404)
  t.equal(error.body, '')
})

t.test('answers a preflight, and marks the sandbox', async (t) => {
  const { url } = await start(t, { mode: 'sandbox' })
  const response = await fetch(`${url}/body`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example' },
  })
  t.equal(response.status, 204)
  t.match(Object.fromEntries(response.headers), {
    allow: 'POST, OPTIONS',
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers': /Content-Type, Solana-Client/,
    'access-control-max-age': '7200',
    'x-swapgate-mode': 'sandbox',
  })
  t.notOk(response.headers.has('content-length'), 'RFC 9110 §8.6')
})

t.test('a list of origins is answered one by one, and off answers none', async (t) => {
  const listed = await start(t, { corsOrigins: ['https://a.example', 'https://b.example'] })
  for (const [origin, allowed] of [
    ['https://b.example', 'https://b.example'],
    ['https://c.example', null],
    [null, null],
  ] as const) {
    const headers: Record<string, string> = origin === null ? {} : { origin }
    const response = await fetch(`${listed.url}/nothing`, { headers })
    t.equal(response.headers.get('access-control-allow-origin'), allowed)
    t.equal(response.headers.get('vary'), 'Origin')
    t.equal(response.headers.has('access-control-expose-headers'), allowed !== null)
  }
  const off = await start(t, { corsOrigins: null })
  const response = await fetch(`${off.url}/body`, {
    method: 'OPTIONS',
    headers: { origin: 'https://a.example' },
  })
  t.notOk([...response.headers.keys()].some((name) => name.startsWith('access-control')))
})

t.test('keeps a request id that is visible ASCII, and replaces any other', async (t) => {
  const { url } = await start(t)
  for (const id of ['a', 'req-1/2', 'x'.repeat(128)]) {
    t.equal(
      (await fetch(`${url}/fixed`, { headers: { 'x-request-id': id } })).headers.get('x-request-id'),
      id,
    )
  }
  for (const id of ['', 'a b', 'x'.repeat(129), 'é']) {
    const reply = await raw(
      url,
      `GET /fixed HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX-Request-Id: ${id}\r\n\r\n`,
    )
    t.match(reply.headers['x-request-id'], /^[0-9a-z]+-[0-9a-z]+$/, id)
  }
})

t.test('refuses bytes that are not a request, with an Error body', async (t) => {
  const { url } = await start(t)
  const cases: [bytes: string, status: number, code: string][] = [
    ['nonsense\r\n\r\n', 400, 'malformed_request'],
    ['GET /fixed HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n', 400, 'malformed_request'],
    [
      'POST /body HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'malformed_request',
    ],
    ['GET /fixed HTTP/1.1\r\nHost: h\r\nBad Name: x\r\n\r\n', 400, 'malformed_request'],
    ['GET /fixed HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
    [`GET /fixed HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ]
  for (const [bytes, status, code] of cases) {
    const reply = await raw(url, bytes)
    t.equal(reply.status, status, bytes.slice(0, 60))
    t.match(JSON.parse(reply.body), { code, error: /\.$/ })
    t.equal(reply.headers['x-error-code'], code)
    t.equal(reply.headers['content-length'], String(reply.body.length))
    t.equal(reply.headers.connection, 'close')
  }
  const absolute = await raw(url, 'GET http://h/fixed?a=b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')
  t.equal(absolute.status, 200, 'a target in absolute form, RFC 9112 §3.2.2')
  const old = await raw(url, 'GET /fixed HTTP/1.0\r\n\r\n')
  t.equal(old.status, 200, 'HTTP/1.0 needs no Host')
})

t.test('slow clients are cut off', async (t) => {
  const patience = { headersTimeoutMs: 80, requestTimeoutMs: 120, checkIntervalMs: 20 }
  const { url, replies } = await start(t, {}, patience)
  const slowHeader = await raw(url, 'GET /fixed HTTP/1.1\r\nHost: h\r\n')
  t.equal(slowHeader.status, 408)
  t.equal(JSON.parse(slowHeader.body).code, 'request_timeout')
  const slowBody = await raw(url, 'POST /body HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\n\r\n{"a"')
  t.equal(slowBody.status, 408)
  await until(() => replies.length === 1)
  t.match(replies, [{ route: '/body', status: 499, bytes: 0 }], 'the body that never came is logged')
})

t.test('a client that does not read is dropped', async (t) => {
  const { url, replies, server } = await start(t, {}, { stalledTimeoutMs: 60 })
  const { connect } = await import('node:net')
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.pause()
  socket.on('error', () => {})
  socket.write('GET /large HTTP/1.1\r\nHost: h\r\n\r\n')
  await until(() => replies.length === 1)
  const open = (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
  while ((await open()) > 0) await sleep(5)
  t.equal(replies[0]?.status, 200)
  socket.destroy()
})

t.test('a client that goes away ends its call, and is logged as 499', async (t) => {
  const { url, replies, gone, waiting, faults, release } = await start(t)
  const abort = new AbortController()
  const call = fetch(`${url}/wait`, { signal: abort.signal, headers: { 'x-request-id': 'leaver' } })
  await until(() => waiting.length === 1)
  abort.abort()
  await t.rejects(call)
  await until(() => gone.length === 1)
  t.same(gone, ['leaver'])
  release()
  await until(() => replies.length === 1)
  t.match(replies, [{ route: '/wait', status: 499, bytes: 0 }])
  t.same(faults, [])

  const answered = fetch(`${url}/wait`)
  await until(() => waiting.length === 1)
  release()
  t.equal((await answered).status, 200)
  await until(() => replies.length === 2)
  t.same(gone, ['leaver'], 'a client that has its answer has not gone away')
})

t.test('answers pipelined requests in order', async (t) => {
  const { url } = await start(t)
  const text = await rawBytes(
    url,
    'GET /echo/one HTTP/1.1\r\nHost: h\r\n\r\nGET /fixed HTTP/1.1\r\nHost: h\r\n\r\nGET /echo/two HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
  )
  t.match(text, /"one"[\s\S]*"ok"[\s\S]*"two"/)
})

t.test('what follows the last request is not answered, and takes no other answer', async (t) => {
  const { url, replies } = await start(t)
  const last = 'GET /fixed HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'
  for (const behind of [last, 'GET /echo/two HTTP/1.1\r\nHost: h\r\n\r\n', 'nonsense\r\n\r\n']) {
    for (const parts of [[last + behind], [last, behind]]) {
      replies.length = 0
      const text = await rawBytes(url, ...parts)
      t.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, `${parts.length} parts, ${behind}`)
      t.match(text, /^HTTP\/1\.1 200 [\s\S]*"ok":true\}$/)
      t.equal(replies.length, 1)
    }
  }
  // HTTP/1.0 keeps nothing open unless it is asked to.
  const old = await rawBytes(url, 'GET /fixed HTTP/1.0\r\n\r\nGET /fixed HTTP/1.0\r\n\r\n')
  t.equal(old.match(/HTTP\/1\.1 /g)?.length, 1)
})

t.test('each field of a header counts, however many stand before it', async (t) => {
  const { url } = await start(t)
  const many = 'a:\r\n'.repeat(3_000)
  const send = (head: string, body = '') =>
    raw(url, `${head} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${many}${body}`)
  t.match(await send('GET /fixed', 'Host: h\r\n\r\n'), { status: 400, body: /one Host/ })
  t.match(await send('GET /fixed', 'Expect: 200-ok\r\n\r\n'), { status: 417 })
  const typed = 'Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}'
  t.match(await send('POST /body', typed), { status: 415 })
  t.match(await send('POST /body', 'Content-Length: 99999999\r\n\r\n{}'), { status: 413 })
})

t.test('stopping loses no request in flight', async (t) => {
  const { url, server, replier, waiting, release } = await start(t)
  const inFlight = fetch(`${url}/wait`)
  const idle = await fetch(`${url}/fixed`)
  await idle.text()
  await until(() => waiting.length === 1)
  replier.closing = true
  const stopped = drain(server, 60_000)
  await t.rejects(
    fetch(`${url}/fixed`, { headers: { connection: 'close' } }).then(async (response) => {
      // An idle kept connection may still be used for a moment; a new one may not.
      t.equal(response.headers.get('connection'), 'close')
      await response.text()
      return fetch(`${url}/fixed`)
    }),
  )
  release()
  const response = await inFlight
  t.same(await response.json(), { waited: true })
  t.equal(response.headers.get('connection'), 'close')
  t.equal(await stopped, true)
})

t.test('stopping cuts off what outlasts its grace', async (t) => {
  const { url, server, waiting } = await start(t)
  const stuck = fetch(`${url}/wait`)
  await until(() => waiting.length === 1)
  const stopped = drain(server, 30)
  await t.rejects(stuck)
  t.equal(await stopped, false)
})

t.test('stopping waits for no connection without a request', async (t) => {
  const { url, server, sockets } = await start(t)
  const unused = rawBytes(url)
  await until(() => sockets.length === 1)
  t.equal(await drain(server, 60_000), true)
  t.equal(await unused, '')
})

t.test('stopping leaves no timer that holds the server', async (t) => {
  const { server } = await start(t)
  const checks = Object.getOwnPropertySymbols(server).find(({ description }) =>
    description?.endsWith('connectionsCheckingInterval'),
  )!
  const timer = (server as unknown as Record<symbol, { _destroyed: boolean }>)[checks]!
  t.equal(timer._destroyed, false)
  await drain(server, 60_000)
  t.equal(timer._destroyed, true)
})

t.test('stopping serves a request of which a part has come', async (t) => {
  const { url, server, replier, sockets } = await start(t)
  let stopped: Promise<boolean> | null = null
  const begin = async (): Promise<void> => {
    await until(() => sockets[0]!.bytesRead > 0)
    replier.closing = true
    stopped = drain(server, 60_000)
    // Longer than idle connections are left.
    await sleep(400)
  }
  const text = await rawBytes(url, 'GET /fixed HTTP/1.1\r\nHo', begin, 'st: h\r\n\r\n')
  t.match(text, /^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n[\s\S]*"ok":true/)
  t.equal(await stopped, true)
})

t.test('stopping closes no connection before what was sent on it is answered or read', async (t) => {
  const { url, server, replier, sockets, waiting, release } = await start(t)
  replier.closing = true
  const two = rawBytes(url, 'GET /wait HTTP/1.1\r\nHost: h\r\n\r\nGET /wait HTTP/1.1\r\nHost: h\r\n\r\n')
  await until(() => waiting.length === 2)
  release()
  t.match(await two, /^(?!.*Connection: close)[\s\S]*"waited"[\s\S]*Connection: close[\s\S]*"waited"/)

  let stopped: Promise<boolean> | null = null
  const begin = async (): Promise<void> => {
    await until(() => sockets.at(-1)!.bytesRead > 0)
    stopped = drain(server, 60_000)
  }
  const early = 'POST /nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: 8\r\n\r\n{"a"'
  const text = await rawBytes(url, early, begin, ': 1}', 'GET /fixed HTTP/1.1\r\nHost: h\r\n\r\n')
  t.match(text, /^HTTP\/1\.1 404 [\s\S]*HTTP\/1\.1 200 [\s\S]*Connection: close[\s\S]*"ok":true/)
  t.equal(await stopped, true)
})
