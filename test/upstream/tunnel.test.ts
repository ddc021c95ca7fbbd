/** Calls through a real proxy on loopback, which takes CONNECT and nothing else. */

import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, createServer as createNetServer } from 'node:net'
import t, { type Test } from 'tap'
import { readConfig } from '../../src/config/config.ts'
import type { GatewayError } from '../../src/runtime/errors.ts'
import type { CallEnd } from '../../src/upstream/call.ts'
import { createUpstreamContext } from '../../src/upstream/context.ts'
import { publicLookup } from '../../src/upstream/public-addresses.ts'
import { PublicFiles } from '../../src/upstream/public-files.ts'
import { NO_PROXIES, openTunnel, type Proxies, proxyOf } from '../../src/upstream/tunnel.ts'
import { Upstream } from '../../src/upstream/upstream.ts'
import { callOf } from '../fixtures/call.ts'
import { STILL } from '../fixtures/clock.ts'
import { call, listen } from '../fixtures/gateway.ts'
import { answers, closedPort, hostileUpstream } from '../fixtures/hostile-upstream.ts'
import { CERTIFICATE, PRIVATE_KEY } from '../fixtures/tls.ts'

interface TestProxy {
  readonly url: URL
  /** The targets that it was asked for, and with which credentials. */
  readonly asked: { readonly target: string; readonly authorization: string | undefined }[]
}

/** @param portOf  where a target really is; null refuses it */
async function proxy(t: Test, portOf: (target: string) => number | null): Promise<TestProxy> {
  const asked: TestProxy['asked'] = []
  const server: Server = createServer((_request, response) => response.writeHead(400).end())
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => sockets.add(socket))
  server.on('connect', ({ url = '', headers }, socket) => {
    asked.push({ target: url, authorization: headers['proxy-authorization'] })
    const port = portOf(url)
    if (port === null) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(target).pipe(socket)
    })
    sockets.add(target)
    for (const one of [socket, target]) one.on('error', () => {})
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), asked }
}

const READ = {
  method: 'POST',
  path: '',
  body: '{"id":1}',
  resend: true,
  read: (_status: number, body: Buffer) => body.toString(),
} as const

function upstreamBehind(t: Test, url: string, proxies: Proxies, ends: CallEnd[] = []): Upstream {
  const context = createUpstreamContext({ proxies, onCall: (end) => void ends.push(end) })
  const upstream = new Upstream({ label: 'base-1', url, maxBytes: 1_000, context })
  t.teardown(() => upstream.close())
  return upstream
}

const portOfUrl = (url: string) => Number(new URL(url).port)

t.test('an upstream is asked through the proxy, over connections that are kept', async (t) => {
  const node = await hostileUpstream(t, answers())
  const { url, asked } = await proxy(t, () => portOfUrl(node.url))
  const own = new URL(url)
  own.username = 'us%er'
  own.password = 'p%40ss'
  const upstream = upstreamBehind(t, 'http://rpc.invalid/key', { ...NO_PROXIES, http: own })
  for (let i = 0; i < 3; i++) {
    t.match(await upstream.ask(READ, callOf(60_000)), /"result":1/)
    // The turn in which undici takes its connection back.
    await new Promise(setImmediate)
  }
  const authorization = `Basic ${Buffer.from('us%er:p@ss').toString('base64')}`
  t.same(asked, [{ target: 'rpc.invalid:80', authorization }], 'one tunnel')
})

t.test('a proxy that refuses, or is none, is the cause that the log names', async (t) => {
  const cases: [port: (target: string) => number | null, proxy: URL | null, cause: string][] = [
    [() => null, null, 'proxy'],
    [() => null, new URL(`http://127.0.0.1:${await closedPort()}`), 'refused'],
  ]
  for (const [port, other, cause] of cases) {
    const ends: CallEnd[] = []
    const { url } = await proxy(t, port)
    const upstream = upstreamBehind(t, 'https://rpc.invalid', { ...NO_PROXIES, https: other ?? url }, ends)
    const failure = await upstream.ask(READ, callOf(60_000)).catch((error: GatewayError) => error)
    t.match(failure, { code: 'upstream_unavailable' })
    t.match(ends, [{ cause }])
  }
})

t.test('a tunnel that does not open in time is given up', async (t) => {
  const mute = createNetServer(() => {})
  await new Promise<void>((done) => mute.listen(0, '127.0.0.1', done))
  t.teardown(() => mute.close())
  const url = new URL(`http://127.0.0.1:${(mute.address() as AddressInfo).port}`)
  await t.rejects(openTunnel(url, 'rpc.invalid', 443, 20), { code: 'ETIMEDOUT' })
})

t.test('NO_PROXY excepts hosts, their subdomains and ports, and * all', async (t) => {
  const proxies = (environment: Record<string, string>) => readConfig(environment).proxies
  const both = { HTTPS_PROXY: 'http://secure.example:3128', HTTP_PROXY: 'plain.example:3128' }
  const cases: [environment: Record<string, string>, url: string, host: string | null][] = [
    [both, 'https://li.quest/v1', 'secure.example:3128'],
    [both, 'http://li.quest', 'plain.example:3128'],
    [{ HTTP_PROXY: 'plain.example' }, 'https://li.quest', 'plain.example'],
    [{ HTTPS_PROXY: 'plain.example' }, 'http://li.quest', null],
    [{ https_proxy: 'http://lower.example' }, 'https://li.quest', 'lower.example'],
    [{ ...both, NO_PROXY: 'li.quest' }, 'https://LI.quest', null],
    [{ ...both, NO_PROXY: 'quest, .example.org' }, 'https://li.quest', null],
    [{ ...both, NO_PROXY: '.example.org' }, 'https://a.example.org', null],
    [{ ...both, NO_PROXY: '*.example.org' }, 'https://example.org', null],
    [{ ...both, NO_PROXY: 'li.quest' }, 'https://notli.quest', 'secure.example:3128'],
    [{ ...both, NO_PROXY: 'li.quest:8443' }, 'https://li.quest', 'secure.example:3128'],
    [{ ...both, NO_PROXY: 'li.quest:443' }, 'https://li.quest', null],
    [{ ...both, no_proxy: '10.0.0.1' }, 'http://10.0.0.1:8899', null],
    [{ ...both, NO_PROXY: '*' }, 'https://li.quest', null],
    [{}, 'https://li.quest', null],
  ]
  for (const [environment, url, host] of cases) {
    const found = proxyOf(proxies(environment), new URL(url))
    t.equal(found?.host ?? null, host, `${JSON.stringify(environment)} ${url}`)
  }
  for (const bad of ['socks5://proxy:1080', 'ftp://proxy', 'http://', 'http://proxy/?key=1']) {
    t.throws(() => readConfig({ HTTPS_PROXY: bad }), /HTTPS_PROXY=\(not shown\): expected/, bad)
  }
})

t.test('a logo is fetched through it, from the address that was looked at', async (t) => {
  const server = createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (_request, response) =>
    response.end('a logo'),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const { url, asked } = await proxy(t, () => port)
  const filesAt = (addresses: string[]) => {
    const files = new PublicFiles({
      clock: STILL,
      proxy: null,
      proxies: { ...NO_PROXIES, https: url },
      lookup: publicLookup(async () => addresses),
      tls: { ca: CERTIFICATE },
    })
    t.teardown(() => files.close())
    return files.get({
      url: 'https://logos.example/a.png',
      accept: 'image/png',
      maxBytes: 1_000,
      call: callOf(),
    })
  }
  t.equal(String(await filesAt(['93.184.216.34'])), 'a logo')
  t.match(asked, [{ target: '93.184.216.34:443' }])
  await t.rejects(filesAt(['10.0.0.1']), { code: 'upstream_unusable' })
  t.equal(asked.length, 1, 'the proxy is not led into a private network')
})

t.test('a live gateway asks through it, and the sandbox does not', async (t) => {
  const node = await hostileUpstream(t, answers())
  const { url, asked } = await proxy(t, () => portOfUrl(node.url))
  const gateway = await listen(t, {
    MODE: 'live',
    HTTP_PROXY: url.href,
    SOLANA_RPC_URLS: 'http://rpc.invalid/',
    NO_PROXY: 'elsewhere.invalid',
  })
  t.match(await (await call(gateway.url, 'getSlot', [])).json(), { result: 1 })
  t.ok(asked.every(({ target }) => target === 'rpc.invalid:80'))
  t.ok(asked.length > 0)
  const count = asked.length
  const sandbox = await listen(t, { HTTP_PROXY: url.href })
  t.type(((await (await call(sandbox.url, 'getSlot', [])).json()) as { result: number }).result, 'number')
  t.equal(asked.length, count)
})
