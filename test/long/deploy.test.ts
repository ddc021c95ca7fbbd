import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/config/config.ts'
import { buildPrograms } from '../fixtures/dist.ts'
import { GRACE, listen, type TestGateway } from '../fixtures/gateway.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const QUOTE_SECRET = 'q'.repeat(44)
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const LIVE = { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1' }

interface Service {
  readonly image: string
  readonly build?: string
  readonly environment: Record<string, string | null>
  readonly [setting: string]: unknown
}

t.test('compose.yaml: two instances that share a Redis, as the container wants to be run', async (t) => {
  const { services } = parse(read('deploy/compose.yaml'), { merge: true }) as {
    services: Record<string, Service>
  }
  t.same(Object.keys(services), ['swapgate-1', 'swapgate-2', 'redis', 'nginx'])
  for (const name of ['swapgate-1', 'swapgate-2']) {
    const { environment, ...service } = services[name]!
    const set = Object.entries(environment).map(([key, value]) => [key, value ?? `http://127.0.0.1:1`])
    const config = readConfig({ MODE: 'live', ...Object.fromEntries(set), QUOTE_SECRET })
    t.same(config.redisUrls, ['redis://redis:6379'])
    t.match(environment.QUOTE_SECRET, /^\$\{QUOTE_SECRET:\?/, 'it does not start without one')
    t.match(service, {
      build: '..',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
    const graceMs = Number.parseInt(service.stop_grace_period as string, 10) * 1_000
    t.ok(graceMs > config.shutdownGraceMs + config.drainDelayMs)
  }
  t.match(services.nginx, { ports: [/^127\.0\.0\.1:/], volumes: [/^\.\/nginx\.conf:/] })
  const healthy = { condition: 'service_healthy' }
  t.same(services.nginx!.depends_on, { 'swapgate-1': healthy, 'swapgate-2': healthy })
  t.same(services['swapgate-1']!.depends_on, { redis: healthy })
  t.match(services.redis, { healthcheck: { test: ['CMD', 'redis-cli', 'ping'] } })
})

t.test("swapgate.yaml: Kubernetes' probes are answered, and nothing is stopped too early", async (t) => {
  const documents = parseAllDocuments(read('deploy/kubernetes/swapgate.yaml')).map((document) =>
    document.toJS(),
  )
  t.same(
    documents.map(({ kind }) => kind),
    ['Deployment', 'PodDisruptionBudget', 'Service', 'NetworkPolicy'],
  )
  const [deployment, disruption, service, policy] = documents
  const { spec: pod, metadata } = deployment.spec.template
  const [container] = pod.containers
  t.same(deployment.spec.selector.matchLabels, metadata.labels)
  t.same(disruption.spec.selector.matchLabels, metadata.labels)
  t.same(service.spec.selector, metadata.labels)
  t.ok(disruption.spec.minAvailable < deployment.spec.replicas, 'a node can be emptied')

  const environment = Object.fromEntries(
    container.env.map(({ name, value }: { name: string; value: string }) => [name, value]),
  )
  const config = readConfig({ ...environment, QUOTE_SECRET })
  t.ok(pod.terminationGracePeriodSeconds * 1_000 > config.drainDelayMs + config.shutdownGraceMs)
  const ports = new Map(
    container.ports.map((port: { name: string; containerPort: number }) => [port.name, port.containerPort]),
  )
  t.same(
    ports,
    new Map([
      ['http', 8080],
      ['admin', config.adminPort],
    ]),
  )
  t.equal(service.spec.ports[0].targetPort, 'http')

  const { adminUrl } = await listen(t, { ...LIVE, ADMIN_PORT: '0' })
  for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
    const { path, port } = container[name].httpGet
    t.equal(port, 'admin')
    t.equal((await fetch(adminUrl + path)).status, 200, name)
  }
  t.match(container.securityContext, { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
  t.equal(container.image, `swapgate:${JSON.parse(read('package.json')).version}`)
  t.equal(container.readinessProbe.failureThreshold, 3, 'one late answer takes no pod out')

  t.same(policy.spec.podSelector.matchLabels, metadata.labels)
  const open = policy.spec.ingress.map((rule: { from: unknown[]; ports: { port: string }[] }) => [
    rule.from.length,
    rule.ports.map(({ port }) => port),
  ])
  t.same(open, [
    [1, ['http']],
    [1, ['admin']],
  ])
})

t.test("Kubernetes' other files name what swapgate.yaml has", async (t) => {
  const [ingress, monitoring, autoscaling] = ['ingress', 'monitoring', 'autoscaling'].map((name) =>
    parseAllDocuments(read(`deploy/kubernetes/${name}.yaml`)).map((document) => document.toJS()),
  )
  const { service } = ingress![0].spec.rules[0].http.paths[0].backend
  t.same(service, { name: 'swapgate', port: { name: 'http' } })
  const [admin, monitor] = monitoring!
  t.same(monitor.spec.selector.matchLabels, admin.metadata.labels)
  t.match(admin.spec, { selector: { app: 'swapgate' }, ports: [{ name: 'admin', targetPort: 'admin' }] })
  t.match(autoscaling![0].spec, { scaleTargetRef: { kind: 'Deployment', name: 'swapgate' }, minReplicas: 2 })

  const { adminUrl } = await listen(t, { ...LIVE, ADMIN_PORT: '0' })
  const metrics = await (await fetch(adminUrl + monitor.spec.endpoints[0].path)).text()
  t.match(metrics, new RegExp(`^${autoscaling![0].spec.metrics[0].pods.metric.name} `, 'm'))
})

const hasNginx = spawnSync('nginx', ['-v']).status === 0

/** What nginx before 1.27.3 doesn't know: it asks the DNS at its start alone. */
const withoutResolver = (conf: string): string =>
  conf.replace(/^ *resolver .*\n/m, '').replaceAll(' resolve ', ' ')

/** Each with the hosts of its two instances. */
const NGINX_FILES: Readonly<Record<string, readonly string[]>> = {
  'deploy/nginx.conf': ['swapgate-1:8080', 'swapgate-2:8080'],
  'deploy/one-host/nginx.conf': ['127.0.0.1:8081', '127.0.0.1:8082'],
}
const WITH_KEYS = 'deploy/api-keys/nginx.conf'

for (const file of Object.keys(NGINX_FILES))
  t.test(
    `${file}: requests, streams and WebSockets reach an instance, under the address that they come from`,
    async (t) => {
      if (!hasNginx) {
        t.equal(process.env.CI, undefined, 'CI has nginx')
        return t.comment('left out: nginx is not installed')
      }
      const instances = [await listen(t, { LIMITS: 'swap=2/100' }), await listen(t, { LIMITS: 'swap=2/100' })]
      const url = await nginx(
        t,
        instances.map((instance) => new URL(instance.url).host),
        file,
      )

      const chains = await fetch(`${url}/api/chains`)
      t.equal(chains.status, 200)
      t.match(await chains.json(), { chains: Array })

      // Both have two of the budget: a client that could choose its address would have more.
      const quote = `${url}/api/quote?chain=base&side=buy&token=0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913&amount=0.1`
      const statuses: number[] = []
      for (let i = 0; i < 6; i++) {
        const reply = await fetch(quote, { headers: { 'x-forwarded-for': `203.0.113.${i}` } })
        await reply.arrayBuffer()
        statuses.push(reply.status)
      }
      t.same(statuses.sort(), [200, 200, 200, 200, 429, 429])

      const stream = await fetch(`${url}/api/prices/stream?tokens=ethereum:native`)
      const reader = stream.body!.getReader()
      t.match(
        new TextDecoder().decode((await reader.read()).value),
        /^(:|retry|id|event|data)/,
        'at once, not buffered',
      )
      await reader.cancel()

      const socket = new WebSocket(`${url.replace('http', 'ws')}/api/solrpc`)
      await once(socket, 'open')
      socket.close()
      await once(socket, 'close')
    },
  )

t.test('deploy/nginx.conf: behind another proxy, each client keeps its budgets', async (t) => {
  if (!hasNginx) return t.comment('left out: nginx is not installed')
  const file = 'deploy/nginx.conf'
  const hosts: string[] = []
  for (let i = 0; i < 2; i++) hosts.push(new URL((await listen(t, { LIMITS: 'swap=2/100' })).url).host)
  const commented = ['real_ip_header', 'real_ip_recursive', 'set_real_ip_from']
  const { url } = await startNginx(t, file, NGINX_FILES[file]!, hosts, (conf) =>
    commented
      .reduce((text, name) => text.replace(`# ${name} `, `${name} `), conf)
      .replace('172.16.0.0/12', '127.0.0.1'),
  )
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) {
    const headers = { 'x-forwarded-for': `203.0.113.${i}` }
    const reply = await fetch(`${url}/api/quote?chain=base&side=buy&token=${USDC}&amount=0.1`, { headers })
    await reply.arrayBuffer()
    statuses.push(reply.status)
  }
  t.same(statuses, [200, 200, 200, 200, 200, 200])
})

t.test(
  `${WITH_KEYS}: no request without a key, and each app has its own budgets, and lines of usage`,
  async (t) => {
    if (!hasNginx) return t.comment('left out: nginx is not installed')
    const instance = await listen(t, { LIMITS: 'swap=2/100' })
    const { url, folder } = await startNginx(t, WITH_KEYS, ['127.0.0.1:8080'], [new URL(instance.url).host])
    const quote = `${url}/api/quote?chain=base&side=buy&token=0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913&amount=0.1`
    const statuses = async (headers: Record<string, string>) => {
      const found: number[] = []
      for (let i = 0; i < 3; i++) {
        const reply = await fetch(quote, { headers: { 'x-forwarded-for': `203.0.113.${i}`, ...headers } })
        await reply.arrayBuffer()
        found.push(reply.status)
      }
      return found
    }
    t.same(await statuses({}), [401, 401, 401])
    t.same(await statuses({ 'x-api-key': 'wrong' }), [401, 401, 401])
    t.same(await statuses({ 'x-api-key': 'replace-with-the-key-of-the-shop' }), [200, 200, 429])
    t.same(await statuses({ 'x-api-key': 'replace-with-the-key-of-the-bot' }), [200, 200, 429])
    const [command] = /awk .*/.exec(read('docs/guides/api-keys.md'))!
    const file = join(folder, 'usage.log')
    let usage = ''
    // nginx writes a line once its reply is gone.
    while (!usage.includes('bot 3'))
      usage = execFileSync('sh', ['-c', command.replace('/var/log/nginx/usage.log', file)], {
        encoding: 'utf8',
      })
    t.match(usage.split('\n').sort(), ['', 'bot 3', /^none \d+$/, 'shop 3'])
  },
)

t.test(
  'Caddyfile: requests and streams reach the instance, under the address that they come from',
  async (t) => {
    if (spawnSync('caddy', ['version']).status !== 0) {
      t.equal(process.env.CI, undefined, 'CI has Caddy')
      return t.comment('left out: Caddy is not installed')
    }
    const instance = await listen(t, { LIMITS: 'swap=2/100' })
    const folder = t.testdir()
    const port = await freePort()
    const conf = read('deploy/Caddyfile')
      .replace('gateway.example', `http://127.0.0.1:${port}`)
      .replace('127.0.0.1:8080', new URL(instance.url).host)
    writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n${conf}`)
    const args = ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]
    const child = spawn('caddy', args, { stdio: 'ignore', env: { ...process.env, HOME: folder } })
    t.teardown(async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
    })
    const url = `http://127.0.0.1:${port}`
    await answering(url)
    const quote = `${url}/api/quote?chain=base&side=buy&token=0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913&amount=0.1`
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) {
      const reply = await fetch(quote, { headers: { 'x-forwarded-for': `203.0.113.${i}` } })
      await reply.arrayBuffer()
      statuses.push(reply.status)
    }
    t.same(statuses, [200, 200, 429])
    const stream = await fetch(`${url}/api/prices/stream?tokens=ethereum:native`)
    const reader = stream.body!.getReader()
    t.match(new TextDecoder().decode((await reader.read()).value), /^(:|retry|id|event|data)/, 'not buffered')
    await reader.cancel()
  },
)

t.test(
  "the guide's settings for Cloudflare: its header names the client, from its addresses alone",
  async (t) => {
    const [, block] = /## Cloudflare\n[^`]*```\n([^`]*)```/.exec(read('docs/guides/proxy.md'))!
    const printed = Object.fromEntries(
      block!
        .trim()
        .split('\n')
        .map((line) => line.replace(/,\.\.\..*$/, '').split('=') as [string, string]),
    )
    t.same(Object.keys(printed), ['CLIENT_ADDRESS_HEADER', 'TRUSTED_PROXIES'])
    /** Three clients by the header, two requests each, of gateways that give two to each address. */
    const statuses = async (trusted: string): Promise<number[]> => {
      const environment = { ...printed, TRUSTED_PROXIES: trusted, LIMITS: 'swap=2/100' }
      const { url } = await listen(t, environment)
      const quote = `${url}/api/quote?chain=base&side=buy&token=0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913&amount=0.1`
      const found: number[] = []
      for (const client of [1, 2, 3, 1, 2, 3]) {
        const headers = { [printed.CLIENT_ADDRESS_HEADER!]: `203.0.113.${client}` }
        const reply = await fetch(quote, { headers })
        await reply.arrayBuffer()
        found.push(reply.status)
      }
      return found
    }
    const tunnel = /`TRUSTED_PROXIES=(\w+)`/.exec(read('docs/guides/proxy.md'))![1]!
    t.same(await statuses(tunnel), [200, 200, 200, 200, 200, 200], 'by a tunnel on the same host')
    t.same(await statuses(printed.TRUSTED_PROXIES!), [200, 200, 429, 429, 429, 429], 'from elsewhere')
  },
)

t.test(
  "the upgrade guide's loop replaces one instance after the other, and no request is lost",
  async (t) => {
    if (!hasNginx) {
      t.equal(process.env.CI, undefined, 'CI has nginx')
      return t.comment('left out: nginx is not installed')
    }
    const start = (PORT: string) => listen(t, { ...LIVE, ...GRACE, PORT })
    const instances = new Map<string, TestGateway>()
    for (const printed of ['8081', '8082']) instances.set(printed, await start('0'))
    const portOf = (printed: string): string => new URL(instances.get(printed)!.url).port
    const ports = [...instances.keys()].map(portOf)
    const front = await nginx(
      t,
      ports.map((port) => `127.0.0.1:${port}`),
    )

    /** In the place of systemd, which is asked by a path such as /restart/swapgate@8081. */
    const restarted: string[] = []
    const systemd = createHttpServer(async (request, response) => {
      const [, action, port] = /^\/(\w+)\/swapgate@(\d+)$/.exec(request.url!)!
      restarted.push(`${action} ${port}`)
      const printed = [...instances.keys()][ports.indexOf(port!)]!
      await instances.get(printed)!.stop()
      response.end()
      // systemctl returns before the program answers.
      await setTimeout(100)
      instances.set(printed, await start(port!))
    })
    systemd.listen(0, '127.0.0.1')
    await once(systemd, 'listening')
    t.teardown(() => systemd.close())

    const [, loop] = /```bash\n([^`]*)```/.exec(read('docs/guides/upgrade.md'))!
    const { port } = systemd.address() as AddressInfo
    const script = `systemctl() { curl -fs "127.0.0.1:${port}/$1/$2"; }
sleep() { command sleep "$([ "$1" = 1 ] && echo 0.05 || echo "$1")"; }
${loop!.replace('8081 8082', ports.join(' ')).replace('localhost', '127.0.0.1')}`
    let isOver = false
    const over = promisify(execFile)('bash', ['-ec', script]).finally(() => (isOver = true))
    const statuses: number[] = []
    while (!isOver) {
      const reply = await fetch(`${front}/api/chains`)
      await reply.arrayBuffer()
      statuses.push(reply.status)
    }
    await over
    t.same(
      restarted,
      ports.map((port) => `restart ${port}`),
    )
    t.same(new Set(statuses), new Set([200]), `${statuses.length} requests`)
  },
)

t.test('no instance is asked that does not answer', async (t) => {
  if (!hasNginx) return t.comment('left out: nginx is not installed')
  const [one, other] = [await listen(t, LIVE), await listen(t, LIVE)]
  const url = await nginx(
    t,
    [one, other].map((instance) => new URL(instance.url).host),
  )
  await one.stop()
  for (let i = 0; i < 10; i++) {
    const reply = await fetch(`${url}/api/chains`)
    t.equal(reply.status, 200)
    await reply.arrayBuffer()
  }
})

t.test('swapgate@.service: systemd takes it, and an instance starts with what it sets', async (t) => {
  const unit = read('deploy/one-host/swapgate@.service')
  const set = /^Environment=(.*)$/m.exec(unit)![1]!.replaceAll('%i', '8081').split(' ')
  const environment = Object.fromEntries(set.map((pair) => pair.split('=') as [string, string]))
  t.match(readConfig({ ...environment, SOLANA_RPC_URLS: 'https://node.example' }), {
    mode: 'live',
    host: '127.0.0.1',
    port: 8081,
  })
  const redis = /REDIS_URL=(\S+),/.exec(unit)![1]!
  t.same(readConfig({ REDIS_URL: redis, QUOTE_SECRET: 's'.repeat(32) }).redisUrls, [redis])
  t.match(read('docs/instances.md'), `REDIS_URL=${redis}`)
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
    return t.comment('left out: systemd is not installed')
  }
  const folder = t.testdir()
  // Of this machine, where the others need not exist.
  const here = unit.replace('/usr/bin/node', process.execPath)
  writeFileSync(join(folder, 'swapgate@.service'), here)
  const { stderr } = spawnSync('systemd-analyze', ['verify', join(folder, 'swapgate@8081.service')], {
    encoding: 'utf8',
  })
  t.notMatch(stderr, /swapgate@/, 'it has no complaint about the unit')
  const file = join(folder, 'swapgate@.service')
  const security = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=25', file], {
    encoding: 'utf8',
  })
  t.equal(security.status, 0, `below 2.5 of 10: ${security.stdout.trim().split('\n').at(-1)}`)
})

/** nginx with the project's configuration, before these hosts. */
async function nginx(t: Test, hosts: readonly string[], file = 'deploy/nginx.conf'): Promise<string> {
  return (await startNginx(t, file, NGINX_FILES[file]!, hosts)).url
}

/** @param written  the hosts in the file, in whose place those of the test come */
async function startNginx(
  t: Test,
  file: string,
  written: readonly string[],
  hosts: readonly string[],
  change = (conf: string) => conf,
) {
  const folder = t.testdir()
  mkdirSync(join(folder, 'logs'))
  const port = await freePort()
  let conf = withoutResolver(change(read(file)))
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('/var/log/nginx', folder)
  for (const [i, host] of hosts.entries()) {
    t.match(conf, `server ${written[i]} `, 'the hosts stand where they are looked for')
    conf = conf.replace(written[i]!, host)
  }
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  writeFileSync(join(folder, 'default.conf'), conf)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/logs/error.log;
events { worker_connections 256; }
http { access_log off; ${paths.join(' ')} include ${folder}/default.conf; }`,
  )
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf')]
  execFileSync('nginx', ['-t', ...args], { stdio: 'ignore' })
  const child = spawn('nginx', args, { stdio: 'ignore' })
  t.teardown(async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  const url = `http://127.0.0.1:${port}`
  await answering(url)
  return { url, folder }
}

/** Waits until somebody answers there, whatever it is. */
async function answering(url: string): Promise<void> {
  while (
    !(await fetch(`${url}/api/chains`).then(
      (reply) => reply.status < 500,
      () => false,
    ))
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

t.test('the bill of materials has every package that the programs hold, and no other', async (t) => {
  const bill = JSON.parse(
    execFileSync(process.execPath, ['scripts/sbom.mjs'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  t.match(bill, {
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'swapgate', type: 'application' } },
  })
  const dist = t.testdir()
  buildPrograms(dist)
  const notices = readFileSync(join(dist, 'THIRD-PARTY.txt'), 'utf8')
  const held = [...notices.matchAll(/^(\S+) (\d\S*) \(.+\)$/gm)].map(
    ([, name, version]) => `${name}@${version}`,
  )
  const named = bill.components.map(
    ({ name, version }: { name: string; version: string }) => `${name}@${version}`,
  )
  t.same(named.sort(), held.sort())
})

t.test('every package, override and install script has its reason in docs/dev/dependencies.md', async (t) => {
  const manifest = JSON.parse(read('package.json'))
  const page = read('docs/dev/dependencies.md')
  const namedIn = (heading: string) => {
    const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''
    const cells = section.split('\n').flatMap((line) => /^\| (`[^|]+) \|/.exec(line)?.[1] ?? [])
    return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))
  }
  t.notOk(manifest.dependencies ?? manifest.optionalDependencies, 'what ships is the bundle')
  t.same(
    [...namedIn('In the bundle'), ...namedIn('For building and testing')].sort(),
    Object.keys(manifest.devDependencies).sort(),
  )
  t.same(namedIn('Overrides').sort(), Object.keys(manifest.overrides).sort())
  for (const name of Object.keys(manifest.allowScripts)) t.ok(page.includes(`\`${name}\``), name)
})

interface AlertRule {
  readonly alert: string
  readonly annotations: { readonly runbook_url: string }
}
interface RuleTest {
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[]
}

t.test('alerts.yaml: each alert fires on a series, does not on another, and says what to do', async (t) => {
  const { groups } = parse(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: AlertRule[] }[] }
  const rules = groups.flatMap((group) => group.rules)
  const { tests } = parse(read('deploy/prometheus/alerts_test.yaml')) as { tests: RuleTest[] }
  const cases = tests.flatMap((one) => one.alert_rule_test)
  const runbook = '{{ $externalLabels.repository }}/blob/main/docs/operations.md#'
  const headings = [...read('docs/operations.md').matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!)
  for (const { alert, annotations } of rules) {
    const counts = cases.flatMap(({ alertname, exp_alerts }) =>
      alertname === alert ? exp_alerts.length : [],
    )
    t.ok(counts.some((count) => count > 0) && counts.includes(0), alert)
    t.equal(annotations.runbook_url, runbook + alert.toLowerCase())
    t.ok(headings.includes(alert), `docs/operations.md has ${alert}`)
  }
  if (spawnSync('promtool', ['--version']).status !== 0) {
    t.equal(process.env.CI, undefined, 'CI has promtool')
    return t.comment('left out: promtool is not installed')
  }
  const cwd = join(ROOT, 'deploy/prometheus')
  for (const args of [
    ['check', 'rules', 'alerts.yaml'],
    ['test', 'rules', 'alerts_test.yaml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd, encoding: 'utf8' })
    t.equal(status, 0, `${args.join(' ')}: ${stdout}${stderr}`)
  }
})

t.test('the contents of deploy/ are tried here', async (t) => {
  t.same(
    readdirSync(join(ROOT, 'deploy'))
      .filter((name) => !['grafana', 'prometheus'].includes(name))
      .sort(),
    ['Caddyfile', 'api-keys', 'compose.yaml', 'kubernetes', 'nginx.conf', 'one-host'],
  )
})
