/** What an operator meets who sets REDIS_URL: an optional package, encryption, and a Redis that is not there yet. */
import { execFileSync } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { startInstances } from '../../fixtures/instances.ts'
import { run } from '../../fixtures/programs.ts'
import { freePort, openStore, skipWithoutRedis, startRedis, until } from '../../fixtures/redis.ts'

const skip = skipWithoutRedis()

const LOADER = fileURLToPath(new URL('../../../scripts/ts-loader.mjs', import.meta.url))
const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

const moduleOf = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`
/** Makes the optional package look as if it were not installed. */
const NOT_INSTALLED = moduleOf(`
  import { register } from 'node:module'
  register(${JSON.stringify(
    moduleOf(`
      export async function resolve(name, context, next) {
        if (name === '@redis/client') throw Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' })
        return next(name, context)
      }`),
  )})
`)

const LIVE = { MODE: 'live', PORT: '0', SOLANA_RPC_URLS: 'http://127.0.0.1:1' }

t.test('REDIS_URL without the package ends the start, and says what to do', async (t) => {
  const environment = { ...LIVE, REDIS_URL: 'redis://:canary-77ab@127.0.0.1:1', QUOTE_SECRET: 's'.repeat(32) }
  const { exit } = run(t, `--import=${LOADER}`, environment, `--import=${NOT_INSTALLED}`, MAIN)
  const { code, out, err } = await exit
  t.equal(code, 1)
  t.match(
    err,
    /^swapgate: REDIS_URL needs the optional package @redis\/client, .*npm ci without --omit=optional/,
  )
  t.notMatch(out + err, /canary/)
})

t.test('without REDIS_URL nobody misses it', async (t) => {
  const { text } = run(t, `--import=${LOADER}`, LIVE, `--import=${NOT_INSTALLED}`, MAIN)
  await until(() => text.out.includes('"msg":"listening"'))
  t.equal(text.err, '')
})

t.test('a Redis that says nothing holds the start up for a second, and no longer', async (t) => {
  // It takes connections, and says nothing.
  const server = createServer().listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await until(() => server.listening)
  const { port } = server.address() as { port: number }
  const begunAt = performance.now()
  const { changes } = await openStore(t, `redis://:password@127.0.0.1:${port}`)
  t.same(changes, [['away', 'timeout']])
  const tookMs = performance.now() - begunAt
  t.ok(tookMs > 900 && tookMs < 3_000, `${tookMs} ms`)
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
  const { changes } = await openStore(t, url)
  t.same(changes, [['away', 'tls']])
  const [instance] = await startInstances(t, 1, { REDIS_URL: url, NODE_EXTRA_CA_CERTS: certificate })
  t.equal(await instance!.redis(), 'ok')
})
