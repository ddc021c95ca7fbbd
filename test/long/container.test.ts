import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readConfig } from '../../src/config/config.ts'
import { buildPrograms } from '../fixtures/dist.ts'
import { listen } from '../fixtures/gateway.ts'

/** The renderer of the reference page: one file, bundled by its author. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')
/** The instructions, each in one line, without comments. */
const steps = read('Dockerfile')
  .replaceAll(/ *\\\n */g, ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
const stepsOf = (name: string) =>
  steps.filter((step) => step.startsWith(`${name} `)).map((step) => step.slice(name.length + 1))

const dist = t.testdir()
buildPrograms(dist)

t.test('the image is built from one base, by its digest, and nothing else is pulled by a tag', async (t) => {
  t.match(stepsOf('ARG'), [/^NODE=node:[\d.]+-alpine[\d.]+@sha256:[0-9a-f]{64}$/])
  t.equal(stepsOf('ARG').length, 1)
  // What runs begins with nothing: no shell, no package manager.
  t.same(stepsOf('FROM'), [`\${NODE} AS build`, 'scratch'])
  t.notMatch(read('Dockerfile'), /^# *syntax=/m)
})

t.test('nothing in the file names a platform: it builds on amd64 and arm64 alike', async (t) => {
  t.same(
    steps.filter((step) => /amd64|arm64|x86_64|aarch64|linux-x64|--platform/.test(step)),
    [],
  )
})

t.test('the image is live, open to its network, and not root', async (t) => {
  const settings = Object.fromEntries(
    stepsOf('ENV').flatMap((env) => env.split(' ').map((pair) => pair.split('=') as [string, string])),
  )
  const config = readConfig(settings)
  t.match(config, { mode: 'live', host: '::', adminHost: '::', adminPort: null })
  t.same(config.trustedProxies, readConfig({ TRUSTED_PROXIES: 'private' }).trustedProxies)
  t.match(stepsOf('USER'), [/^[1-9]\d*:[1-9]\d*$/])
})

t.test('the files that the image copies exist, and are sent to its builder', async (t) => {
  const sent = new Set([...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, name]) => name))
  const copied = stepsOf('COPY')
    .filter((copy) => !copy.startsWith('--from'))
    .flatMap((copy) => copy.split(' ').slice(0, -1))
  t.ok(copied.length >= 6)
  for (const name of copied) t.ok(existsSync(join(ROOT, name)) && sent.has(name), name)
})

t.test(
  'the health check asks the service with nothing but Node.js, and fails where nobody answers',
  async (t) => {
    const [check = ''] = stepsOf('HEALTHCHECK')
    const [node, ...args] = JSON.parse(/CMD (\[.*\])$/.exec(check)![1]!) as string[]
    t.equal(node, '/bin/node')
    const { url } = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1' })
    const exitCode = async (PORT: string) => {
      const [code] = await once(spawn(process.execPath, args, { env: { PORT }, stdio: 'ignore' }), 'exit')
      return code as number
    }
    t.equal(await exitCode(new URL(url).port), 0)
    t.equal(await exitCode('1'), 1)
  },
)

t.test('nothing in the image is started through a shell', async (t) => {
  const [, runtime = ''] = read('Dockerfile').split('FROM scratch')
  t.notMatch(runtime, /^RUN/m)
  t.match(JSON.parse(/^CMD (.*)$/m.exec(runtime)![1]!), ['/bin/node', '/swapgate.cjs'])
})

t.test('the labels say what package.json says', async (t) => {
  const labels = new Map(
    [...read('Dockerfile').matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g)].map(
      ([, name, value]) => [name!, value!],
    ),
  )
  const { name, version, license } = JSON.parse(read('package.json'))
  t.same([labels.get('title'), labels.get('version'), labels.get('licenses')], [name, version, license])
})

t.test('the bundle has the licence of everything that it holds of others', async (t) => {
  const notices = readFileSync(join(dist, 'THIRD-PARTY.txt'), 'utf8')
  const named = [...notices.matchAll(/^(\S+) (\d\S*) \((.+)\)$/gm)].map(([, name, version]) => [
    name,
    version,
  ])
  const maps = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.map'),
  )
  t.ok(maps.length > 5)
  // Not from the build's own list: from the maps, which name each source file.
  const sources = maps.flatMap(
    (name) => (JSON.parse(readFileSync(join(dist, name), 'utf8')) as { sources: string[] }).sources,
  )
  const packages = sources.flatMap(
    (source) => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^./][^/]*)/.exec(source)?.[1] ?? [],
  )
  // Pages have no maps: what is in them is what their sources import.
  const imported = readdirSync(join(ROOT, 'src/clients/console'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => [
      ...read(join('src/clients/console', name)).matchAll(/ from '((?:@[^/']+\/)?[^./'][^/']*)/g),
    ])
  // The charts import a package of their own.
  packages.push(...imported.map(([, name]) => name!), 'fancy-canvas')
  t.same([...new Set(packages)].sort(), named.map(([name]) => name).sort())

  const { packages: locked } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { version: string; license: string }>
  }
  for (const [name, version] of named) {
    const entry = locked[`node_modules/${name}`]!
    t.match(entry, { version }, `${name} is as locked`)
    t.match(entry.license, /^(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0)$/, `${name}: its licence`)
  }
  for (const file of ['undici/LICENSE', 'prom-client/LICENSE', 'typebox/license', '@noble/curves/LICENSE']) {
    t.ok(notices.includes(read(`node_modules/${file}`).trim()), `${file}, whole`)
  }
  for (const [i, part] of notices.split(/^-{80}$/m).entries()) {
    if (i > 0) t.match(part, /permission is hereby granted|apache license|permission to use, copy|blue oak/i)
  }
})
