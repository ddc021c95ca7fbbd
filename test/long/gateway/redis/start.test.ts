/** What an operator meets who sets REDIS_URL: encryption, a Redis that is not there yet, and a bug. */
import { execFileSync } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { connect } from '../../../../src/gateway/redis/connection.ts'
import { Store } from '../../../../src/gateway/redis/store.ts'
import { logsTo } from '../../../../src/gateway/sharing.ts'
import { loggerTo } from '../../../../src/runtime/log.ts'
import { startInstances } from '../../../fixtures/instances.ts'
import { freePort, skipWithoutRedis, startRedis, tryStore, until } from '../../../fixtures/redis.ts'

const skip = skipWithoutRedis()

t.test('a silent Redis delays the start by a second, and no longer', async (t) => {
  // It takes connections, and says nothing.
  const server = createServer().listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await until(() => server.listening)
  const { port } = server.address() as { port: number }
  const bounds: number[] = []
  const changes: unknown[] = []
  const store = await Store.open({
    connect(urls, connectMs) {
      bounds.push(connectMs)
      return connect(urls, 50)
    },
    urls: [`redis://:password@127.0.0.1:${port}`],
    prefix: 'swapgate',
    onChange: (state, cause) => changes.push([state, cause]),
    onBug: (error) => void t.error(error),
  })
  t.teardown(() => store.close())
  t.equal(bounds[0], 1_000)
  t.same(changes, [['away', 'timeout']], 'and the bound is kept')
})

t.test('rediss is encrypted, and the certificate is checked', { skip }, async (t) => {
  const folder = t.testdir()
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2']
  const files = ['-keyout', key, '-out', certificate]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ed25519', '-nodes', ...subject, ...files], {
    stdio: 'ignore',
  })
  const port = await freePort()
  await startRedis(
    t,
    ...['--tls-port', `${port}`, '--tls-cert-file', certificate, '--tls-key-file', key],
    ...['--tls-auth-clients', 'no'],
  )
  const url = `rediss://localhost:${port}`
  const { changes } = await tryStore(t, url)
  t.same(changes, [['away', 'tls']])
  const [instance] = await startInstances(t, 1, { REDIS_URL: url, NODE_EXTRA_CA_CERTS: certificate })
  t.equal(await instance!.redis(), 'ok')
})

t.test('a bug in the use of Redis is logged as one, without what may be secret', async (t) => {
  const lines: Record<string, unknown>[] = []
  const log = loggerTo({ write: (line: string) => void lines.push(JSON.parse(line)) }, 'info')
  await tryStore(t, 'redis://:canary-77ab@127.0.0.1:1', {
    ...logsTo(log),
    async connect(urls) {
      throw new TypeError(`no such option: ${urls}`)
    },
  })
  t.match(lines, [
    { level: 50, msg: /^fault: a bug .* redis/, error: 'TypeError', stack: /^ +at .*start\.test\.ts/ },
  ])
  t.equal(lines.length, 1, 'nor is Redis said to be away')
  t.notMatch(JSON.stringify(lines), /canary|127\.0\.0\.1/)
})
