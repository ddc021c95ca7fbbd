/** What a scrape says, and what reads it by name: the docs' table, the dashboard, the alerts. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { DEFAULT_BUDGETS } from '../../../src/http/limit/budgets.ts'
import { RULES } from '../../../src/proof/rules.ts'
import { CODES, type Code } from '../../../src/runtime/errors.ts'
import { CALL_FAILURES } from '../../../src/upstream/request.ts'
import { type MetricFamily, parseExposition, type Sample } from '../../fixtures/exposition.ts'
import { call, listen } from '../../fixtures/gateway.ts'
import { closedPort, hostileUpstream, status } from '../../fixtures/hostile-upstream.ts'
import { askedBy } from '../../fixtures/promql.ts'
import { raw } from '../../fixtures/raw.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
/** Values of labels that a gateway without trouble does not show. */
const NOT_SEEN: ReadonlySet<string> = new Set(['given_up', 'global'])

interface Dashboard {
  readonly templating: { readonly list: readonly { readonly name: string }[] }
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly type: string
    readonly datasource: unknown
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
  }[]
}

const readDeployed = (path: string): string =>
  readFileSync(new URL(`../../../deploy/${path}`, import.meta.url), 'utf8')

const dashboard = () => JSON.parse(readDeployed('grafana/swapgate.json')) as Dashboard

const alertExpressions = (): string[] =>
  [...readDeployed('prometheus/alerts.yaml').matchAll(/^ {8}expr: '(.+)'$/gm)].map(([, expr]) => expr!)

const expressionsOf = (): string[] => [
  ...alertExpressions(),
  ...dashboard().panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
]

/** What a caller may put into a request; none of it may come out as a label. */
const CANARY = 'canary7d1f'

type Families = ReadonlyMap<string, MetricFamily>

const listenWith = async (t: Test) =>
  listen(t, {
    ADMIN_PORT: '0',
    LIMITS: 'rpcSend=1/1,rpcBatch=off',
    // So that what is told of Redis is there too: it is away.
    REDIS_URL: `redis://127.0.0.1:${await closedPort()}`,
    QUOTE_SECRET: 's'.repeat(32),
  })

/** Families by name, before any request, and the names of the upstreams. */
async function scrapeFresh(t: Test): Promise<{ fresh: Families; upstreams: readonly string[] }> {
  const { url, adminUrl } = await listenWith(t)
  const fresh = parseExposition(await (await fetch(`${adminUrl}/metrics`)).text())
  const { providers } = (await (await fetch(`${url}/api/health`)).json()) as {
    providers: readonly { readonly name: string }[]
  }
  return { fresh, upstreams: providers.map(({ name }) => name) }
}

/** Families by name, after requests of each kind. */
async function scrapeAfterTraffic(t: Test): Promise<Families> {
  const { url, adminUrl } = await listenWith(t)
  const get = async (path: string) => void (await (await fetch(url + path)).arrayBuffer())
  const headers = { 'x-request-id': CANARY, traceparent: CANARY, 'user-agent': CANARY }
  await get(`/api/quote?chain=base&side=buy&token=${USDC}&amount=1`)
  await get(`/api/quote?chain=${CANARY}&side=buy&token=${CANARY}&amount=1`)
  await get(`/api/portfolio?address=0x${'1'.repeat(40)}&chains=base`)
  await get(`/${CANARY}`)
  await (await fetch(`${url}/api/chains?${CANARY}=1`, { headers, method: 'PROPFIND' })).arrayBuffer()
  await call(url, 'getSlot', [])
  await call(url, 'getSlot', [])
  await call(url, CANARY, [])
  // The budget is spent before signatures are looked at, so that the second is refused.
  const transaction = Buffer.concat([Buffer.from([1]), Buffer.alloc(64, 7), unsigned()]).toString('base64')
  for (let i = 0; i < 2; i++) await call(url, 'sendTransaction', [transaction, { encoding: 'base64' }])
  const response = await fetch(`${adminUrl}/metrics`)
  t.match(response.headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
  const text = await response.text()
  t.notMatch(text, new RegExp(CANARY, 'i'))
  return parseExposition(text)
}

/** The same of a live gateway whose provider limits it, and which has room for one connection. */
async function scrapeInTrouble(t: Test): Promise<Families> {
  const upstream = await hostileUpstream(t, status(429, 'slow down', ['retry-after: 60']))
  const { url, adminUrl } = await listen(
    t,
    {
      MODE: 'live',
      ADMIN_PORT: '0',
      SOLANA_RPC_URLS: upstream.url,
      XPROV_URL: upstream.url,
      TRUSTED_PROXIES: 'none',
    },
    { serverLimits: { maxConnectionsPerPeer: 1, checkIntervalMs: 10 } },
  )
  const path = `/api/xstatus?txHash=0x${'1'.repeat(64)}`
  for (let i = 0; i < 2; i++)
    await raw(url, `GET ${path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n`)
  // The first is idle when the second comes.
  for (let i = 0; i < 2; i++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.on('error', () => {}).write('GET /api/config HTTP/1.1\r\nHost: here\r\n\r\n')
    await once(socket, 'data')
  }
  for (;;) {
    const text = await (await fetch(`${adminUrl}/metrics`)).text()
    if (/swapgate_connections_closed_total\{[^}]*\} [1-9]/.test(text)) return parseExposition(text)
  }
}

/** A message of one signer and no instruction. */
function unsigned(): Buffer {
  const header = [1, 0, 1]
  return Buffer.from([...header, 2, ...Array(32).fill(3), ...Array(32).fill(0), ...Array(32).fill(5), 0])
}

const ours = (families: Families): MetricFamily[] =>
  [...families.values()].filter(({ name }) => name.startsWith('swapgate_'))

t.test('a scrape', async (t) => {
  const families = await scrapeAfterTraffic(t)
  const troubled = await scrapeInTrouble(t)
  const value = (name: string, labels: Record<string, string>): number | undefined =>
    families
      .get(name)
      ?.samples.find((sample) => Object.entries(labels).every(([key, text]) => sample.labels[key] === text))
      ?.value

  t.test('is named as Prometheus asks', (t) => {
    for (const { name, type } of ours(families)) {
      t.match(name, /^swapgate(_[a-z]+)+$/)
      t.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`)
      t.notMatch(name, /_(?:ms|milliseconds|minutes|kb|mb|mib|percent|count|sum|bucket)(?:_|$)/)
      if (type === 'histogram') t.match(name, /_seconds$/)
    }
    t.end()
  })

  t.test('has histograms whose buckets add up', (t) => {
    for (const { name, type, samples } of ours(families)) {
      if (type !== 'histogram') continue
      const buckets = new Map<string, number[]>()
      for (const { name: sample, labels, value } of samples) {
        const { le, ...rest } = labels
        const key = JSON.stringify(rest)
        if (sample.endsWith('_bucket')) buckets.set(key, [...(buckets.get(key) ?? []), value])
        if (sample.endsWith('_count')) t.equal(buckets.get(key)!.at(-1), value, '+Inf is all of them')
      }
      t.ok(buckets.size > 0, name)
      for (const counts of buckets.values()) {
        t.same(
          counts,
          counts.toSorted((a, b) => a - b),
        )
      }
    }
    t.end()
  })

  t.test('shows how far each budget is used up', (t) => {
    for (const budget of Object.keys(DEFAULT_BUDGETS)) {
      t.type(value('swapgate_budget_spent', { budget }), 'number', budget)
    }
    t.equal(value('swapgate_budget_spent', { budget: 'swap' }), 1)
    t.equal(value('swapgate_budget_spent', { budget: 'rpcRead' }), 2)
    t.equal(value('swapgate_budget_spent', { budget: 'rpcSend' }), 1, 'a refusal spends nothing')
    t.equal(value('swapgate_budget_limit', { budget: 'rpcSend' }), 1)
    t.equal(value('swapgate_budget_limit', { budget: 'swap' }), 1_200)
    t.equal(value('swapgate_budget_limit', { budget: 'rpcBatch' }), Infinity)
    t.equal(value('swapgate_budget_refusals_total', { budget: 'rpcSend', window: 'client' }), 1)
    t.end()
  })

  t.test("alerts' counters are at 0 from the start: Prometheus sees no increase from nothing to 1", (t) => {
    for (const code of Object.keys(CODES)) {
      t.type(value('swapgate_error_codes_total', { code }), 'number', code)
    }
    t.equal(value('swapgate_error_codes_total', { code: 'internal_error' }), 0)
    t.equal(value('swapgate_error_codes_total', { code: 'budget_exhausted' }), 1)
    for (const budget of Object.keys(DEFAULT_BUDGETS)) {
      for (const window of ['client', 'global'])
        t.type(value('swapgate_budget_refusals_total', { budget, window }), 'number', `${budget} ${window}`)
    }
    for (const by of ['breaker', 'cooldown', 'quota', 'slots']) {
      t.equal(value('swapgate_upstream_held_back_total', { upstream: 'jupiter', by }), 0, by)
    }
    t.equal(value('swapgate_connections_closed_total', { why: 'unread' }), 0)
    t.equal(value('swapgate_log_lines_dropped_total', {}), 0)
    t.equal(value('swapgate_requests_shed_total', { priority: 'build' }), 0)
    t.equal(value('swapgate_build_info', { node: process.versions.node }), 1)
    t.ok(value('swapgate_memory_limit_bytes', {})! > 1e8)
    t.end()
  })

  t.test('has each series that is asked for by its increase before the first', async (t) => {
    const { fresh, upstreams } = await scrapeFresh(t)
    t.ok(upstreams.length > 10)
    const known: Readonly<Record<string, readonly string[]>> = {
      code: Object.keys(CODES),
      rule: RULES,
      budget: Object.keys(DEFAULT_BUDGETS),
      window: ['client', 'global'],
      upstream: upstreams,
      'upstream,outcome': CALL_FAILURES,
      by: ['breaker', 'cooldown', 'quota', 'slots'],
      status: [200, 400, 404, 429, 499, 502, 503].map(String),
      route: ['/api/quote', '/api/build', '/api/solrpc', '/api/token/{chain}/{address}'],
      verdict: [...Object.keys(CODES), 'answered', 'gone'],
      priority: ['research', 'quote', 'build'],
      why: ['refused', 'idle', 'unread'],
      place: ['shared', 'local'],
      source: ['asked', 'coalesced', 'cached'],
    }
    const counted = expressionsOf().filter((expression) => /\b(?:rate|increase)\(/.test(expression))
    t.ok(counted.length > 25)
    for (const expression of counted) {
      const { selectors, grouped } = askedBy(expression)
      for (const { metric, matchers } of selectors) {
        if (!metric.startsWith('swapgate_')) continue
        // Quantiles need no first increase, and buckets of every route and upstream are 200 KB a scrape.
        if (/_seconds_(?:bucket|sum|count)$/.test(metric)) continue
        const own = matchers.filter(({ value }) => !value.startsWith('$'))
        const labels = new Set([...grouped, ...own.map(({ label }) => label)])
        for (const none of ['instance', 'le']) labels.delete(none)
        const [before, after] = [fresh, families].map((scrape) =>
          (scrape.get(metric)?.samples ?? []).filter(
            ({ name, labels }) =>
              name === metric &&
              own.every(({ label, operator, value }) => {
                const isMatch = new RegExp(`^(?:${value})$`).test(labels[label] ?? '')
                return operator.startsWith('!') ? !isMatch : isMatch
              }),
          ),
        )
        const seriesOf = (samples: readonly Sample[]) =>
          new Set(samples.map((sample) => [...labels].map((label) => sample.labels[label]).join()))
        const there = seriesOf(before!)
        t.ok(there.size > 0, `${metric} of ${expression}`)
        t.same(
          [...seriesOf(after!)].filter((series) => !there.has(series)),
          [],
          `${metric} by ${[...labels]}`,
        )
        for (const label of grouped) {
          const values = new Set(before!.map((sample) => sample.labels[label]))
          for (const value of known[label] ?? known[grouped.join()] ?? [])
            t.ok(values.has(value), `${metric} has ${label} ${value}`)
        }
      }
    }
  })

  t.test("shows the relay's decisions, and the state of caches and breakers", (t) => {
    const sent = { method: 'sendTransaction' }
    t.equal(value('swapgate_relay_verdicts_total', { ...sent, verdict: 'signature_invalid' }), 1)
    t.equal(value('swapgate_relay_verdicts_total', { ...sent, verdict: 'budget_exhausted' }), 1)
    t.equal(value('swapgate_answers_total', { of: 'portfolio', source: 'asked' }), 1)
    t.ok(value('swapgate_cache_entries', { cache: 'portfolio' })! > 0)
    const solana = { upstream: 'solana-1', carries: 'reads' }
    t.equal(value('swapgate_upstream_breaker', { ...solana, phase: 'closed' }), 1)
    t.equal(value('swapgate_upstream_breaker', { ...solana, phase: 'open' }), 0)
    t.equal(value('swapgate_rebroadcasts', {}), 0)
    t.end()
  })

  /** @throws Error  where it is not of the form that is read here */
  function holds(t: Test, expression: string): void {
    const { selectors, grouped } = askedBy(expression)
    const labels = new Set(['instance', 'job'])
    for (const { metric, matchers } of selectors) {
      // Prometheus' own of each scrape.
      if (metric === 'up') continue
      const samples = [families, troubled]
        .flatMap((scrape) => scrape.get(metric.replace(/_bucket$/, ''))?.samples ?? [])
        .filter(({ name }) => name === metric)
      t.ok(samples.length > 0, `${metric} is exposed, for ${expression}`)
      for (const sample of samples) for (const label of Object.keys(sample.labels)) labels.add(label)
      for (const { label, operator, value } of matchers) {
        t.ok(labels.has(label), `${metric} has ${label}`)
        if (value.startsWith('$') || label === 'upstream' || label === 'method') continue
        // Each alternative is a value that there is, or an error's code.
        for (const one of operator.includes('~') ? value.split('|') : [value]) {
          if (label === 'status' && /^[1-5]\.\.$/.test(one)) continue
          const isKnown = samples.some((sample) => sample.labels[label] === one) || CODES[one as Code]
          t.ok(isKnown || NOT_SEEN.has(one), `${metric} may have ${label} ${one}`)
        }
      }
    }
    for (const label of grouped) t.ok(labels.has(label), `${label} of ${expression}`)
  }

  t.test('has all that the dashboard shows', (t) => {
    const board = dashboard()
    t.match(board, { uid: 'swapgate', schemaVersion: Number, title: 'swapgate' })
    const [source, ...variables] = board.templating.list
    t.match(source, { name: 'datasource', type: 'datasource', query: 'prometheus' })
    t.same(
      variables.map(({ name }) => name),
      ['job', 'instance'],
    )
    const taken = new Set<string>()
    for (const { title, type, targets = [], datasource, gridPos } of board.panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          if (taken.has(`${x},${y}`)) t.fail(`${title} lies on another panel`)
          taken.add(`${x},${y}`)
        }
      }
      if (type === 'row') continue
      t.ok(targets.length > 0, title)
      t.match(JSON.stringify(datasource), 'prometheus","uid":"$')
      for (const { expr, legendFormat } of targets) {
        holds(t, expr)
        t.match(expr, 'job=~"$job",instance=~"$instance"')
        for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          t.ok(label === 'instance' || askedBy(expr).grouped.includes(label!), `${title}: ${label}`)
      }
    }
    t.equal(new Set(board.panels.map(({ id }) => id)).size, board.panels.length)
    const shown = board.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join()
    for (const { name } of ours(families)) t.match(shown, new RegExp(`\\b${name}(?:_bucket)?\\b`), name)
    t.end()
  })

  t.test('has all that the alerts look at', (t) => {
    const expressions = alertExpressions()
    t.equal(expressions.length, [...readDeployed('prometheus/alerts.yaml').matchAll(/alert:/g)].length)
    t.ok(expressions.length > 0)
    for (const expr of expressions) holds(t, expr)
    t.end()
  })

  t.test('is what the docs list, with these labels', (t) => {
    const docs = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
    const rows = [...docs.matchAll(/^\| `(swapgate_\w+)` \|([^|]*)\|/gm)]
    const listed = new Map(rows.map(([, name, labels]) => [name!, [...labels!.matchAll(/\w+/g)].map(String)]))
    t.same(
      [...listed.keys()].sort(),
      ours(families)
        .map(({ name }) => name)
        .sort(),
    )
    for (const { name, samples } of ours(families)) {
      for (const { labels } of samples) {
        const { le: _, ...rest } = labels
        t.same(Object.keys(rest).sort(), listed.get(name)?.toSorted(), name)
      }
    }
    t.end()
  })
})

t.test('the rules that are counted are those that the docs list', (t) => {
  const docs = readFileSync(new URL('../../../docs/verification.md', import.meta.url), 'utf8')
  const table = /<!-- begin: rules -->(.*)<!-- end: rules -->/s.exec(docs)![1]!
  const listed = new Set([...table.matchAll(/`([a-z_]+)`/g)].map(([, rule]) => rule!))
  // It is the provider's own of Swap Coffee, and no prover's.
  t.same([...RULES].sort(), [...listed, 'one_message'].sort())
  t.end()
})

t.test('an expression is taken apart', (t) => {
  const { selectors, grouped } = askedBy(
    'histogram_quantile(0.95, sum by (le, b) (rate(a_bucket{c=~"x|y",d!="}"}[5m]))) > 0',
  )
  const matchers = [
    { label: 'c', operator: '=~', value: 'x|y' },
    { label: 'd', operator: '!=', value: '}' },
  ]
  t.same(selectors, [{ metric: 'a_bucket', matchers }])
  t.same(grouped, ['le', 'b'])
  for (const bad of ['sum(a', 'a)', 'sum(a{b="1"', 'a{b=1}', 'a{b}', '', 'a + %']) {
    t.throws(() => askedBy(bad), bad)
  }
  t.end()
})

t.test('the parser refuses what is not of the format', (t) => {
  const head = '# HELP a_total What it is\n# TYPE a_total counter\n'
  t.equal(parseExposition(`${head}a_total{x="1"} 2\n`).get('a_total')!.samples[0]!.value, 2)
  for (const bad of [
    'a_total 1\n',
    '# TYPE a_total counter\na_total 1\n',
    `${head}b_total 1\n`,
    `${head}a_total{x="1"} 1\na_total{x="1"} 2\n`,
    `${head}a_total{x=1} 1\n`,
    `${head}a_total{x="1",x="2"} 1\n`,
    `${head}a_total{x="a"b"} 1\n`,
    `${head}a_total one\n`,
    `${head}a_total 1`,
    `${head}${head}a_total 1\n`,
    `${head}a-total 1\n`,
  ]) {
    t.throws(() => parseExposition(bad), bad)
  }
  t.end()
})
