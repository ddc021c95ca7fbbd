import { once } from 'node:events'
import { createServer, Server } from 'node:http'
import type { AddressInfo, ListenOptions } from 'node:net'
import { networkInterfaces } from 'node:os'
import t from 'tap'
import { readConfig } from '../../src/config/config.ts'
import { Listeners } from '../../src/gateway/listening.ts'
import { loggerTo } from '../../src/runtime/log.ts'
import { listen } from '../fixtures/gateway.ts'

const SILENT = loggerTo({ write: () => {} }, 'silent')
const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)

const open = (server: Server, environment: Record<string, string>, adminServer: Server | null = null) => {
  const config = readConfig({ MODE: 'live', ...environment })
  return new Listeners({
    config,
    log: SILENT,
    server,
    adminServer,
    servesWebSockets: true,
    sharesPorts: false,
  }).open()
}

t.test('an address that cannot be listened on names the variable to change', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const free = createServer()
  t.teardown(() => {
    taken.close()
    free.close()
  })
  const name = 'StartError'
  const inUse = new RegExp(`^PORT=${port}: another program listens on this port \\(.*EADDRINUSE`)
  await t.rejects(open(createServer(), { PORT: `${port}` }), { name, message: inUse })
  await t.rejects(open(free, { PORT: '0', ADMIN_PORT: `${port}` }, createServer()), {
    name,
    message: new RegExp(`^ADMIN_PORT=${port}: another`),
  })
  await t.rejects(open(createServer(), { PORT: '0', WS_PORT: `${port}` }), {
    name,
    message: new RegExp(`^WS_PORT=${port}: another`),
  })
  await t.rejects(open(createServer(), { HOST: '192.0.2.1', PORT: '0' }), {
    name,
    message: /^HOST=192\.0\.2\.1: this machine has no such address \(/,
  })
})

t.test('HOST=:: answers both families, and counts a client of IPv4 as one', { skip: !hasIpv6 }, async (t) => {
  const { url, log } = await listen(t, { HOST: '::', LOG_CLIENTS: 'on', TRUSTED_PROXIES: 'private' })
  const { port } = new URL(url)
  for (const host of ['127.0.0.1', '[::1]']) {
    t.equal((await fetch(`http://${host}:${port}/api/health`)).status, 200, host)
  }
  const clients = log.filter(({ route }) => route === '/api/health').map(({ client }) => client)
  t.equal(clients.length, 2)
  t.equal(clients[0], '127.0.0.1')
})

/** As on a machine whose kernel has no IPv6. */
class WithoutIpv6 extends Server {
  override listen(...args: unknown[]): this {
    const [address, onListening] = args as [ListenOptions, () => void]
    if (address.host !== '::') return super.listen(address, onListening)
    const error = Object.assign(new Error('listen EAFNOSUPPORT'), { code: 'EAFNOSUPPORT' })
    process.nextTick(() => this.emit('error', error))
    return this
  }
}

t.test('without IPv6, HOST=:: is IPv4', async (t) => {
  const server = new WithoutIpv6()
  t.teardown(() => server.close())
  t.match(await open(server, { HOST: '::', PORT: '0' }), { url: /^http:\/\/0\.0\.0\.0:\d+$/ })
})
