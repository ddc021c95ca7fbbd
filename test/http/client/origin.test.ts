import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { createOriginReader, createOwnOrigins } from '../../../src/http/client/origin.ts'
import { parseTrustedProxies } from '../../../src/http/client/trusted-proxies.ts'

const PROXY = '10.0.0.7'
const CALLER = '192.0.2.1'

const requestOf = (headers: Record<string, string>, remoteAddress: string | undefined): IncomingMessage =>
  ({ headers, socket: { remoteAddress, localAddress: '127.0.0.1', localPort: 8080 } }) as never

const read = (
  headers: Record<string, string>,
  from: string | undefined = CALLER,
  publicUrl: string | null = null,
) =>
  createOriginReader({ trustedProxies: parseTrustedProxies('private'), publicUrl })(requestOf(headers, from))

t.test('the host is echoed as it was sent, in lower case, and the scheme is ours', async (t) => {
  for (const [host, origin] of [
    ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['Swap.Example', 'http://swap.example'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['xn--nxasmq6b.example.', 'http://xn--nxasmq6b.example.'],
    ['', 'http://127.0.0.1:8080'],
    ['my_service:8080', 'http://my_service:8080'],
    ['_dmarc.h_1.example', 'http://_dmarc.h_1.example'],
    ['swap.example:', 'http://swap.example'],
    ['[::1]:', 'http://[::1]'],
  ] as const)
    t.equal(read({ host }), origin)
  t.equal(read({}), 'http://127.0.0.1:8080', 'HTTP/1.0 sends none')
})

t.test('a malformed host is refused', async (t) => {
  const hosts = [
    'evil.example/path',
    'user@evil.example',
    'a"b',
    '"}],"paths":{}',
    'a b',
    'a<script>',
    'a\\b',
    'http://evil.example',
    'a:b',
    'a:123456',
    '-a',
    '[::1',
    '[not-an-address]',
    'x'.repeat(300),
    'é.example',
    'http://origin.invalid#',
  ]
  for (const host of hosts) t.throws(() => read({ host }), { status: 400, code: 'malformed_request' }, host)
})

t.test('only a trusted proxy says which origin a request was sent to', async (t) => {
  const headers = {
    host: 'inner:8080',
    'x-forwarded-host': 'swap.example',
    'x-forwarded-proto': 'https',
  }
  t.equal(read(headers, PROXY), 'https://swap.example')
  t.equal(read(headers, CALLER), 'http://inner:8080')
  t.equal(read(headers, undefined), 'http://inner:8080')
  t.equal(read({ host: 'swap.example', 'x-forwarded-proto': 'HTTPS' }, PROXY), 'https://swap.example')
  t.equal(read({ host: 'swap.example', 'x-forwarded-proto': 'javascript' }, PROXY), 'http://swap.example')
  const listed = {
    host: 'a',
    'x-forwarded-host': 'evil.example, swap.example',
    'x-forwarded-proto': 'http, https',
  }
  t.equal(read(listed, PROXY), 'https://swap.example', 'the word of the nearest proxy')
  t.throws(() => read({ host: 'a', 'x-forwarded-host': 'evil.example/x' }, PROXY), {
    code: 'malformed_request',
  })
})

t.test('PUBLIC_URL goes before all of it', async (t) => {
  const publicUrl = 'https://swap.example/gateway'
  t.equal(read({ host: 'evil.example' }, PROXY, publicUrl), publicUrl)
  t.equal(read({ host: 'no host' }, CALLER, publicUrl), publicUrl)
})

t.test('own are PUBLIC_URL, or else the address that the connection arrived at, and localhost', async (t) => {
  const socket = { localAddress: '127.0.0.1', localPort: 8080 } as never
  const isOwn = createOwnOrigins({ publicUrl: null })
  for (const origin of ['http://127.0.0.1:8080', 'https://127.0.0.1:8080', 'http://localhost:8080'])
    t.ok(isOwn(origin, { socket }), origin)
  for (const origin of ['http://127.0.0.1', 'http://127.0.0.1:80', 'http://swap.example', 'http://localhost'])
    t.notOk(isOwn(origin, { socket }), origin)
  const mapped = { localAddress: '::ffff:10.0.0.1', localPort: 80 } as never
  t.ok(isOwn('http://10.0.0.1:80', { socket: mapped }))
  t.ok(isOwn('http://[::1]:80', { socket: { localAddress: '::1', localPort: 80 } as never }))

  const isPublic = createOwnOrigins({ publicUrl: 'https://swap.example' })
  t.ok(isPublic('https://swap.example', { socket }))
  t.notOk(isPublic('http://127.0.0.1:8080', { socket }))
})
