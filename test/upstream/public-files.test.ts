import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, LookupFunction } from 'node:net'
import t, { type Test } from 'tap'
import { CancellationScope } from '../../src/flow/cancellation.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import { publicLookup } from '../../src/upstream/public-addresses.ts'
import { PublicFiles } from '../../src/upstream/public-files.ts'
import { callOf } from '../fixtures/call.ts'
import { handClock, STILL, until } from '../fixtures/clock.ts'
import { CERTIFICATE, PRIVATE_KEY } from '../fixtures/tls.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const MAX_BYTES = 1_000
const LOGO = 'https://logos.example/a/b.png?size=1'

async function serve(t: Test, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Files by way of a proxy, which answers like this. */
async function proxied(t: Test, answer: Answer, clock = STILL) {
  const asked: { url: string; headers: IncomingHttpHeaders }[] = []
  const server = createServer((request, response) => {
    asked.push({ url: request.url!, headers: request.headers })
    answer(request, response)
  })
  const port = await serve(t, server)
  const files = new PublicFiles({ clock, proxy: `http://127.0.0.1:${port}` })
  t.teardown(() => files.close())
  return { files, asked, server, host: `127.0.0.1:${port}` }
}

const ask = (files: PublicFiles, url = LOGO, scope = new CancellationScope()): Promise<Buffer> =>
  files.get({ url, accept: 'image/png', maxBytes: MAX_BYTES, call: callOf(5_000, scope) })

t.test('a file is requested with the same bytes for every client', async (t) => {
  const { files, asked, host } = await proxied(t, (_request, response) => response.end('a file'))
  t.equal(String(await ask(files)), 'a file')
  t.same(asked, [
    {
      url: '/logos.example/a/b.png?size=1',
      headers: {
        accept: 'image/png',
        'accept-encoding': 'identity',
        'user-agent': 'swapgate',
        host,
        connection: 'keep-alive',
      },
    },
  ])
})

t.test('only a named https server of the public web is asked', async (t) => {
  const { files, asked } = await proxied(t, (_request, response) => response.end())
  for (const url of [
    'http://logos.example/a.png',
    'ftp://logos.example/a.png',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
    'https://logos.example:8443/a.png',
    'https://user:secret@logos.example/a.png',
    'https://user@logos.example/a.png',
    'https://127.0.0.1/a.png',
    'https://2130706433/a.png',
    'https://0x7f.1/a.png',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/a.png',
    'https://localhost/a.png',
    `https://logos.example/${'x'.repeat(2_048)}`,
    'no URL',
    '',
  ]) {
    await t.rejects(ask(files, url), { code: 'upstream_unusable', scope: 'provider' }, url)
  }
  t.same(asked, [])
})

t.test('redirects are followed twice, and looked at like the first URL', async (t) => {
  const leadingTo =
    (location: string): Answer =>
    (request, response) => {
      if (request.url!.startsWith('/logos.example/')) response.writeHead(302, { location }).end('not read')
      else response.end(request.url)
    }
  const relative = await proxied(t, (request, response) => {
    if (request.url === '/logos.example/a/b.png?size=1') response.writeHead(301, { location: '../c' }).end()
    else if (request.url === '/logos.example/c')
      response.writeHead(308, { location: 'https://cdn.example/d' }).end()
    else response.end(request.url)
  })
  t.equal(String(await ask(relative.files)), '/cdn.example/d')
  for (const location of [
    'http://logos.example/',
    'https://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'https://cdn.example:22/',
    'file:///etc/passwd',
    'http://[',
  ]) {
    const { files, asked } = await proxied(t, leadingTo(location))
    await t.rejects(ask(files), { code: 'upstream_unusable' }, location)
    t.equal(asked.length, 1)
  }
  const endless = await proxied(t, (_request, response) => response.writeHead(302, { location: LOGO }).end())
  await t.rejects(ask(endless.files), { code: 'upstream_unusable' })
  t.equal(endless.asked.length, 3)
})

t.test('an answer is whole, as long as the bound at most, and not packed', async (t) => {
  const answers: Record<string, Answer> = {
    '404': (_request, response) => response.writeHead(404).end('x'),
    '206': (_request, response) => response.writeHead(206).end('x'),
    'a redirect to nowhere': (_request, response) => response.writeHead(302).end('x'),
    packed: (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    'too long': (_request, response) => response.end(Buffer.alloc(MAX_BYTES + 1)),
    endless(_request, response) {
      const more = (): void => {
        while (response.write(Buffer.alloc(4_096)) && !response.destroyed);
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    },
    'broken off'(_request, response) {
      response.writeHead(200, { 'content-length': '100' }).write('x')
      setImmediate(() => response.destroy())
    },
  }
  for (const [name, answer] of Object.entries(answers)) {
    const { files } = await proxied(t, answer)
    await t.rejects(ask(files), { code: 'upstream_unusable', scope: 'provider' }, name)
  }
  const { files } = await proxied(t, (_request, response) => response.end(Buffer.alloc(MAX_BYTES)))
  t.equal((await ask(files)).length, MAX_BYTES)
  const reset = await proxied(t, (request) => request.socket.resetAndDestroy())
  await t.rejects(ask(reset.files), { code: 'upstream_unavailable' })
  const dead = new PublicFiles({ clock: STILL, proxy: 'http://127.0.0.1:1' })
  await t.rejects(ask(dead), { code: 'upstream_unavailable' })
  await dead.close()
})

t.test('a host that sends single bytes is read to the bound, too', async (t) => {
  const { files } = await proxied(t, async (request, response) => {
    response.socket!.setNoDelay(true)
    const count = request.url!.includes('long') ? MAX_BYTES + 1 : MAX_BYTES
    for (let i = 0; i < count && !response.destroyed; i++) {
      await new Promise((written) => response.write(Uint8Array.of(i), written))
    }
    response.end()
  })
  t.same(await ask(files), Buffer.from(Array.from({ length: MAX_BYTES }, (_, i) => i & 255)))
  await t.rejects(ask(files, 'https://logos.example/long.png'), { code: 'upstream_unusable' })
})

t.test('the deadline covers all of it, and a call without waiting clients is cancelled', async (t) => {
  for (const trickles of [false, true]) {
    const clock = handClock()
    const { files, asked } = await proxied(
      t,
      (_request, response) => {
        if (trickles) response.write('x')
      },
      clock,
    )
    const slow = ask(files)
    slow.catch(() => {})
    await until(() => asked.length === 1)
    clock.advance(5_000)
    await t.rejects(slow, { code: 'upstream_timeout' })
    t.equal(clock.waiting, 0)
  }
  const clock = handClock()
  let isClosed = false
  const { files, asked } = await proxied(t, (request) => request.on('close', () => (isClosed = true)), clock)
  const scope = new CancellationScope()
  const left = ask(files, LOGO, scope)
  left.catch(() => {})
  await until(() => asked.length === 1)
  scope.cancel()
  await t.rejects(left, GatewayError)
  await until(() => isClosed)
  t.equal(clock.waiting, 0)
  await t.rejects(ask(files, LOGO, scope), GatewayError, 'nor is it begun')
})

t.test('hosts themselves are asked over TLS, at the addresses that were looked at', async (t) => {
  let connections = 0
  const server = createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (request, response) =>
    response.end(`${request.headers.host} ${request.url}`),
  )
  server.on('connection', () => connections++)
  const port = await serve(t, server as unknown as Server)
  const tls = { port, ca: CERTIFICATE }
  const open = (lookup: LookupFunction): PublicFiles => {
    const files = new PublicFiles({ clock: STILL, proxy: null, lookup, tls })
    t.teardown(() => files.close())
    return files
  }
  const here: LookupFunction = (_name, options, tell) =>
    options.all ? tell(null, [{ address: '127.0.0.1', family: 4 }]) : tell(null, '127.0.0.1', 4)
  t.equal(String(await ask(open(here))), `logos.example:${port} /a/b.png?size=1`)
  await t.rejects(
    ask(open(here), 'https://other.example/'),
    { code: 'upstream_unavailable' },
    'by its certificate',
  )
  t.equal(connections, 2)

  // The name leads to the public internet when it is looked at, and home when it is looked at again.
  const answers = [['127.0.0.1'], ['1.1.1.1', '127.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], ['10.0.0.1']]
  for (const addresses of answers) {
    const files = open(publicLookup(async () => addresses))
    await t.rejects(ask(files), { code: 'upstream_unusable', scope: 'provider' }, String(addresses))
  }
  const nameless = open(publicLookup(() => Promise.reject(new Error('ENOTFOUND'))))
  await t.rejects(ask(nameless), { code: 'upstream_unavailable' })
  t.equal(connections, 2, 'none of them was connected to')
})
