/** What each listener answers to each method, in one table, and to upgrades and bytes at the edge of HTTP. */
import t from 'tap'
import { startControl } from '../../../src/sandbox/control.ts'
import { Dials } from '../../../src/sandbox/dials.ts'
import { listen } from '../../fixtures/gateway.ts'
import { parseReply, raw, rawBytes } from '../../fixtures/raw.ts'

const PUBLIC_METHODS = 'GET, HEAD, POST, OPTIONS'
const RPC = '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":[]}'

type Row = readonly [listener: string, request: string, status: number, allow?: string]

/** Of a listener, a method with its path, the status, and the methods that a refusal names. */
const TABLE: readonly Row[] = [
  ['public', 'GET /api/health', 200],
  ['public', 'HEAD /api/health', 200],
  ['public', 'HEAD /api/health?x=1', 200],
  ['public', 'HEAD /api/quote/stream', 400],
  ['public', 'HEAD /', 200],
  ['public', 'HEAD /none', 404],
  ['public', 'OPTIONS /api/health', 204, 'GET, HEAD, OPTIONS'],
  ['public', 'OPTIONS /api/solrpc', 204, 'POST, OPTIONS'],
  ['public', 'OPTIONS *', 204, PUBLIC_METHODS],
  ['public', 'OPTIONS /none', 404],
  ['public', 'GET *', 404],
  ['public', 'GET /api/solrpc', 405, 'POST, OPTIONS'],
  ['public', 'HEAD /api/solrpc', 405, 'POST, OPTIONS'],
  ['public', 'PUT /api/health', 405, 'GET, HEAD, OPTIONS'],
  ['public', 'DELETE /api/health', 405, 'GET, HEAD, OPTIONS'],
  ['public', 'PATCH /api/solrpc', 405, 'POST, OPTIONS'],
  ['public', 'TRACE /api/health', 405, 'GET, HEAD, OPTIONS'],
  ['public', 'PROPFIND /api/health', 405, 'GET, HEAD, OPTIONS'],
  ['public', 'CONNECT h:443', 405, PUBLIC_METHODS],
  ['public', 'BREW /api/health', 400],
  ...['admin', 'operations'].flatMap((listener): Row[] => [
    [listener, 'GET /live', 200],
    [listener, 'HEAD /live', 200],
    [listener, 'HEAD /ready', 200],
    [listener, 'HEAD /metrics', 200],
    [listener, 'HEAD /instance', 200],
    [listener, 'HEAD /', 200],
    [listener, 'GET /ready?x=1', 200],
    [listener, 'HEAD /metrics?x=1', 200],
    [listener, 'GET /?x=1', 200],
    [listener, 'POST /ready', 405, 'GET, HEAD'],
    [listener, 'OPTIONS /metrics', 405, 'GET, HEAD'],
    [listener, 'DELETE /instance', 405, 'GET, HEAD'],
    [listener, 'PUT /', 405, 'GET, HEAD'],
    [listener, 'GET /none', 404],
    [listener, 'HEAD /none', 404],
    [listener, 'POST /none', 404],
  ]),
  ['operations', 'HEAD /api/diagnostics', 200],
  ['operations', 'POST /api/diagnostics', 405, 'GET, HEAD, OPTIONS'],
  ['operations', 'OPTIONS *', 204, PUBLIC_METHODS],
  ['control', 'GET /faults', 200],
  ['control', 'HEAD /faults', 200],
  ['control', 'HEAD /kinds?x=1', 200],
  ['control', 'POST /faults', 405, 'GET, HEAD, DELETE'],
  ['control', 'PUT /kinds', 405, 'GET, HEAD'],
  ['control', 'GET /faults/shop', 405, 'PUT'],
  ['control', 'HEAD /none', 404],
]

t.test('each listener answers HEAD as GET without its body, and says which methods it has', async (t) => {
  const [{ url, adminUrl }, operations] = await Promise.all([
    listen(t, { ADMIN_PORT: '0' }),
    listen(t, { ADMIN_PORT: '0', OPERATIONS: 'admin' }),
  ])
  const control = await startControl(new Dials())
  t.teardown(() => control.close())
  const urls: Readonly<Record<string, string>> = {
    public: url,
    admin: adminUrl!,
    operations: operations.adminUrl!,
    control: control.url,
  }
  const ask = async ([listener, request, status, allow]: Row): Promise<void> => {
    const name = `${listener}: ${request}`
    const reply = await raw(
      urls[listener]!,
      `${request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    )
    t.equal(reply.status, status, name)
    t.equal(reply.headers.allow, allow, name)
    const isBare = request.startsWith('HEAD') || status === 204
    t.equal(reply.body === '', isBare, `${name}: ${reply.body.slice(0, 40)}`)
    if (status >= 400 && !isBare) t.match(reply.body, /"error":"/, name)
  }
  await Promise.all(TABLE.map(ask))
})

t.test('a page under a rebound host name gets nothing', async (t) => {
  const [open, off, named, { adminUrl }] = await Promise.all([
    listen(t),
    listen(t, { CORS_ORIGINS: 'off' }),
    listen(t, { CORS_ORIGINS: 'off', PUBLIC_URL: 'http://gateway.lan', ADMIN_PORT: '0' }),
    listen(t, { OPERATIONS: 'admin', ADMIN_PORT: '0' }),
  ])
  const dials = new Dials()
  dials.add('shop', [{ fault: 'hang' }])
  const control = await startControl(dials)
  t.teardown(() => control.close())
  const ask = async (url: string, request: string, host: string, ...headers: string[]): Promise<number> => {
    const isPost = request.startsWith('POST')
    const body = isPost ? RPC : request.startsWith('PUT') ? '{"fault":"hang"}' : ''
    const lines = [`${request} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...headers]
    const length = body === '' ? [] : [`Content-Length: ${body.length}`]
    return (await raw(url, `${[...lines, ...length].join('\r\n')}\r\n\r\n${body}`)).status
  }
  const page = (host: string): string => `Origin: http://${host}`
  const POST = 'POST /api/solrpc'
  t.equal(await ask(open.url, POST, 'evil.example', page('evil.example')), 200, 'open to all pages')
  for (const request of [POST, 'GET /api/health']) {
    for (const host of ['evil.example', 'evil.example:8080', '127.0.0.1.evil.example', 'gateway.lan']) {
      t.equal(await ask(off.url, request, host, page(host)), 403, host)
      t.equal(await ask(off.url, request, host, 'Sec-Fetch-Site: same-origin'), 403, host)
      t.equal(await ask(off.url, request, host), 200, `${host}, as no browser asks`)
    }
    for (const host of ['localhost:8080', '127.0.0.1', '[::1]:8080']) {
      t.equal(await ask(off.url, request, host, page(host)), 200, host)
    }
    t.equal(await ask(named.url, request, 'gateway.lan', page('gateway.lan')), 200, 'PUBLIC_URL')
  }
  t.equal(await ask(named.url, POST, 'evil.example', page('evil.example')), 403)
  const upgrade = [
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ]
  const handshake = `GET /api/solrpc HTTP/1.1\r\nHost: evil.example\r\n${page('evil.example')}\r\nConnection: Upgrade\r\n${upgrade.join('\r\n')}\r\n\r\n`
  t.match(await rawBytes(off.url, handshake), /^HTTP\/1\.1 403 /)

  const BROWSER = 'User-Agent: Mozilla/5.0 (X11; Linux x86_64)'
  for (const path of ['/metrics', '/live', '/api/diagnostics', '/api/funnel', '/instance', '/']) {
    const get = `GET ${path}`
    for (const sign of [page('evil.example'), 'Sec-Fetch-Site: same-origin', BROWSER]) {
      t.equal(await ask(adminUrl!, get, 'evil.example', sign), 421, `${path} ${sign}`)
    }
    t.equal(await ask(adminUrl!, get, 'localhost:9090', page('localhost:9090')), 200, path)
    if (!path.startsWith('/api'))
      t.equal(await ask(named.adminUrl!, get, 'gateway.lan:9090', BROWSER), 200, path)
  }
  t.equal(await ask(adminUrl!, 'GET /metrics', 'swapgate.monitoring.svc'), 200, 'a scraper')

  const PUT = 'PUT /faults/shop'
  t.equal(await ask(control.url, PUT, 'evil.example', page('evil.example')), 421)
  t.equal(dials.get('shop'), null)
  t.equal(await ask(control.url, PUT, 'localhost:1', page('localhost:8080')), 200)
  t.match(dials.get('shop'), { fault: 'hang' })
})

t.test(
  'what comes behind an offer that is declined gets no answer, and certainly not to another request',
  async (t) => {
    const { url } = await listen(t)
    const head = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: h\r\n${more}\r\n`
    for (const offer of ['h2c', 'websocket']) {
      const offering = head('/api/health', `Connection: Upgrade\r\nUpgrade: ${offer}\r\n`)
      const text = await rawBytes(url, `${offering}${head('/api/none')}${head('/api/chains')}`)
      t.equal(text.split('HTTP/1.1 ').length - 1, 1, offer)
      const { status, headers } = parseReply(text)
      t.same([status, headers.connection], [200, 'close'], offer)
    }
  },
)

t.test('an upgrade in HTTP/1.0 is an ordinary request', async (t) => {
  const { url } = await listen(t)
  const handshake =
    'GET /api/solrpc HTTP/1.0\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n'
  t.equal((await raw(url, handshake)).status, 405)
})

t.test('a byte order mark before a body is skipped', async (t) => {
  const { url } = await listen(t)
  const ask = async (body: string): Promise<number> =>
    (
      await fetch(`${url}/api/solrpc`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      })
    ).status
  t.same(
    [await ask(`\ufeff${RPC}`), await ask(`\ufeff\ufeff${RPC}`), await ask(` \ufeff${RPC}`)],
    [200, 400, 400],
  )
})
