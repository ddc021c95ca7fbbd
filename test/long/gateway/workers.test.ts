/** WORKERS: one process on several cores, which clients can't tell from one that has a single thread. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { Agent, request } from 'undici'
import { WebSocket } from 'ws'
import { nodeOf } from '../../../bench/servers/versions.ts'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { startSandbox } from '../../../src/sandbox/index.ts'
import { buildPrograms } from '../../fixtures/dist.ts'
import { outsideOf } from '../../fixtures/outside.ts'
import { listening, type Program, runCommand } from '../../fixtures/programs.ts'
import { type RecordingNode, recordingNode } from '../../fixtures/recording-node.ts'
import { skipWithoutRedis, startRedis, until } from '../../fixtures/redis.ts'
import { serialize, sha256, transfer } from '../../fixtures/transactions.ts'

t.setTimeout(300_000)

const WORKERS = 3
const FAULTS = fileURLToPath(new URL('../../fixtures/thread-faults.mjs', import.meta.url))
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const WALLET = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'

interface Service extends Program {
  readonly url: string
  readonly adminUrl: string
  /** Makes a worker fail: by its number in the order of their starts, or the last. */
  fail(fault: 'killed' | 'throws' | 'hangs' | 'grows', nth?: number): void
  /** Sets the wall clock of all threads ahead of, or behind, the machine's. */
  step(ms: number): Promise<void>
  metric(name: string): Promise<number>
}

/** Of its own for each request, so that the system chooses a worker anew. */
const dispatcher = new Agent({ connections: null, pipelining: 0 })

async function ask(url: string, body: unknown = null, headers: Record<string, string> = {}) {
  const asked = await request(url, {
    dispatcher,
    headers: { connection: 'close', 'content-type': 'application/json', ...headers },
    ...(body !== null && { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await asked.body.text()
  return { status: asked.statusCode, headers: asked.headers, body: text === '' ? null : JSON.parse(text) }
}

const call = (method: string, params: unknown[]) => ({ jsonrpc: '2.0', id: 7, method, params })

let program: string | undefined

async function start(t: Test, environment: Record<string, string> = {}): Promise<Service> {
  if (program === undefined) {
    const dist = mkdtempSync(join(tmpdir(), 'swapgate-'))
    process.once('exit', () => rmSync(dist, { recursive: true }))
    buildPrograms(dist)
    program = join(dist, 'main.js')
  }
  const sandbox = await startSandbox({ now: Date.now })
  t.teardown(() => sandbox.close())
  const all = {
    ...outsideOf(sandbox),
    PORT: '0',
    ADMIN_PORT: '0',
    WORKERS: String(WORKERS),
    LOG_LEVEL: 'info',
    ...environment,
  }
  const running = runCommand(t, nodeOf(''), [`--import=${FAULTS}`, program], all, 'ipc')
  const { url, adminUrl } = await listening(running)
  return {
    ...running,
    url,
    adminUrl: adminUrl!,
    fail: (fault, nth = -1) => void running.child.send({ fault, nth }),
    async step(ms) {
      running.child.send({ stepMs: ms })
      const stepped = new Set<number>()
      await until(async () => {
        const from = running.text.out.length
        await Promise.all(Array.from({ length: 24 }, () => ask(`${url}/api/config`)))
        for (const [, time, worker] of running.text.out.slice(from).matchAll(/"time":(\d+),"worker":(\d+)/g))
          if (Math.abs(Number(time) - Date.now() - ms) < 60_000) stepped.add(Number(worker))
        return stepped.size === WORKERS
      })
    },
    async metric(name) {
      const text = await (await fetch(`${adminUrl}/metrics`)).text()
      const lines = text.split('\n').filter((line) => line.startsWith(name))
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
    },
  }
}

/** A gateway before a node of the test's own. */
function startBefore(t: Test, node: RecordingNode, environment: Record<string, string> = {}) {
  return start(t, { SOLANA_RPC_URLS: node.url, SOLANA_MAX_RETRIES: '0', ...environment })
}

const signed = (name: string) => serialize(transfer({ blockhash: sha256(name) }))
const sending = (wire: Uint8Array) =>
  call('sendTransaction', [Buffer.from(wire).toString('base64'), { encoding: 'base64' }])

/** A node that takes a transaction, and sees it in no block. */
const nodeThatTakes = (t: Test, signature: string) =>
  recordingNode(t, ({ method }) =>
    method === 'sendTransaction'
      ? `{"jsonrpc":"2.0","result":"${signature}","id":$ID}`
      : '{"jsonrpc":"2.0","result":{"context":{"slot":9},"value":[null]},"id":$ID}',
  )

t.test('requests are spread over the workers, and a client has one budget', async (t) => {
  const { url, adminUrl, text, metric } = await start(t, {
    LIMITS: 'explain=20/1000',
    TRUSTED_PROXIES: 'loopback',
  })
  const body = { chain: 'solana', transaction: 'AA==' }
  const round = async (nth: number) => {
    const headers = { 'x-forwarded-for': `203.0.113.${nth}` }
    const replies = await Promise.all(
      Array.from({ length: 200 }, () => ask(`${url}/api/explain`, body, headers)),
    )
    const resets = replies.map((one) => Number(/;t=(\d+)/.exec(String(one.headers.ratelimit))?.[1]))
    const isOneWindow = Math.max(...resets) - Math.min(...resets) < 30
    return { isOneWindow, refused: replies.filter(({ status }) => status === 429).length }
  }
  let counted = await round(1)
  if (!counted.isOneWindow) counted = await round(2)
  t.equal(counted.refused, 180)
  const workers = new Set([...text.out.matchAll(/"worker":(\d+)/g)].map(([, worker]) => worker))
  t.equal(workers.size, WORKERS)
  t.equal(await metric('swapgate_workers '), WORKERS)
  t.ok((await metric('swapgate_requests_total{method="POST",route="/api/explain"')) >= 200)
  const instance = (await (await fetch(`${adminUrl}/instance`)).json()) as {
    lastMinute: { requests: number }
    budgets: { name: string; spent: number }[]
  }
  t.ok(instance.lastMinute.requests >= 200)
  t.equal(instance.budgets.find(({ name }) => name === 'explain')!.spent, 20)
})

t.test('a transaction is sent once, whoever submits it, and every worker knows its receipt', async (t) => {
  const wire = signed('once')
  const signature = encodeBase58(wire.subarray(1, 65))
  const node = await nodeThatTakes(t, signature)
  const { url } = await startBefore(t, node, { SOLANA_MAX_RETRIES: '5', LIMITS: 'rpcSend=off' })
  const replies = await Promise.all(Array.from({ length: 40 }, () => ask(`${url}/api/solrpc`, sending(wire))))
  for (const { status, body } of replies)
    t.same([status, body], [200, { jsonrpc: '2.0', result: signature, id: 7 }])
  t.equal(node.calls.filter(({ method }) => method === 'sendTransaction').length, 1)
  const receipts = await Promise.all(
    Array.from({ length: 12 }, () => ask(`${url}/api/fast-trade-proof?digest=${signature}`)),
  )
  for (const { status, body } of receipts) t.match([status, body], [200, { digest: signature }])
  const missing = await ask(`${url}/api/fast-trade-proof?digest=${encodeBase58(new Uint8Array(64).fill(1))}`)
  t.match(missing, { status: 404, body: { code: 'receipt_not_found' } })
  const pending = await ask(`${url}/api/rebroadcast`)
  t.equal(pending.body.count, 1)
})

t.test("a node's refusal reaches the client as it is", async (t) => {
  const error = {
    code: -32002,
    message: 'Transaction simulation failed',
    data: { err: 'AccountNotFound', logs: [] },
  }
  const node = await recordingNode(t, () => `{"jsonrpc":"2.0","error":${JSON.stringify(error)},"id":$ID}`)
  const { url } = await startBefore(t, node)
  const { status, body, headers } = await ask(`${url}/api/solrpc`, sending(signed('refused')))
  t.same([status, body], [200, { jsonrpc: '2.0', error, id: 7 }])
  t.match(headers['server-timing'], /verify;dur=.*upstream;dur=/)
})

t.test('one round a slot asks for the subscriptions of all workers', async (t) => {
  const signature = encodeBase58(signed('watched').subarray(1, 65))
  let isThere = false
  const node = await recordingNode(t, ({ method, params }) => {
    if (method !== 'getSignatureStatuses') return '{"jsonrpc":"2.0","result":9,"id":$ID}'
    const status = isThere ? { slot: 9, err: null, confirmationStatus: 'finalized' } : null
    const value = (params[0] as string[]).map(() => status)
    return `{"jsonrpc":"2.0","result":${JSON.stringify({ context: { slot: 9 }, value })},"id":$ID}`
  })
  const { url } = await startBefore(t, node)
  const notified: unknown[] = []
  const sockets = Array.from({ length: 8 }, () => new WebSocket(`${url.replace('http', 'ws')}/api/solrpc`))
  t.teardown(() => {
    for (const socket of sockets) socket.terminate()
  })
  for (const socket of sockets) {
    socket.on('open', () => socket.send(JSON.stringify(call('signatureSubscribe', [signature]))))
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { method?: string; params: unknown }
      if (message.method !== undefined) notified.push(message.params)
    })
  }
  const asked = () => node.calls.filter(({ method }) => method === 'getSignatureStatuses').length
  await until(() => asked() >= 4)
  const before = asked()
  await delay(2_000)
  // Slots take 200 ms or longer.
  t.ok(asked() - before <= 12, `${asked() - before} calls in two seconds`)
  isThere = true
  await until(() => notified.length === sockets.length)
  t.match(notified[0], { result: { context: { slot: 9 }, value: { err: null } } })
})

t.test('one worker builds what another has quoted, and all show one token list', async (t) => {
  const { url } = await start(t)
  const quotes = await Promise.all(
    Array.from({ length: 6 }, () => ask(`${url}/api/quote?chain=base&side=buy&token=${USDC}&amount=2`)),
  )
  const builds = await Promise.all(
    quotes.map(({ body: quote }) =>
      ask(`${url}/api/build`, { chain: 'base', side: 'buy', token: USDC, amount: '2', from: WALLET, quote }),
    ),
  )
  t.same(
    builds.map(({ status }) => status),
    builds.map(() => 200),
  )
  await until(async () => {
    const lists = await Promise.all(Array.from({ length: 8 }, () => ask(`${url}/api/tokens`)))
    const [first] = lists
    return lists.every(({ body }) => body.updatedAt === first!.body.updatedAt && body.tokens.length > 50)
  })
  const counts = async () =>
    (await Promise.all(Array.from({ length: 8 }, () => ask(`${url}/api/funnel`)))).map(
      ({ body }) => body.today.totals,
    )
  await until(async () => (await counts()).every(({ quote, build }) => quote === 6 && build === 6))
})

for (const [fault, what] of [
  ['killed', 'is killed'],
  ['throws', 'throws'],
  ['hangs', 'hangs'],
  ['grows', 'runs out of memory'],
] as const) {
  t.test(`a worker that ${what} is replaced, and the others go on`, async (t) => {
    const service = await start(t, fault === 'grows' ? { NODE_OPTIONS: '--max-old-space-size=200' } : {})
    const { url, metric, fail, text } = service
    let isOver = false
    const outcomes = { done: 0, failed: 0 }
    const client = async () => {
      while (!isOver) {
        const status = await ask(`${url}/api/chains`, null)
          .then((reply) => reply.status)
          .catch(() => 0)
        outcomes[status === 200 ? 'done' : 'failed']++
      }
    }
    // A connection that a hanging worker has taken waits until that worker is ended: more clients than those go on.
    const clients = Array.from({ length: 24 }, client)
    await until(() => outcomes.done > 50)
    fail(fault)
    await until(async () => (await metric('swapgate_workers_replaced_total').catch(() => 0)) === 1)
    const before = outcomes.done
    await until(() => outcomes.done > before + 200)
    const workersOf = () =>
      new Set([...text.out.matchAll(/"worker":(\d+)[^\n]*"route":"\/api\/chains"/g)].map(([, one]) => one))
    await until(() => workersOf().has(String(WORKERS + 1)))
    isOver = true
    await Promise.all(clients)
    t.ok(outcomes.failed <= 24, `${outcomes.failed} of ${outcomes.done} requests failed`)
    t.equal((await ask(`${url}/api/health`)).body.status, 'ok')
  })
}

t.test('what workers that ended had counted stays counted', async (t) => {
  const { url, metric, fail } = await start(t)
  const asked = 60
  await Promise.all(Array.from({ length: asked }, () => ask(`${url}/api/config`)))
  const counted = () => metric('swapgate_requests_total{method="GET",route="/api/config"')
  t.equal(await counted(), asked)
  // More than one, so that what ended is added up: each time the oldest of those that run.
  for (const ended of [1, 2]) {
    fail('killed', ended - 1)
    await until(async () => (await metric('swapgate_workers_replaced_total')) === ended)
    t.equal(await counted(), asked)
  }
})

t.test('a wall clock that steps gives no budget back, and loses no receipt', async (t) => {
  const wire = signed('steps')
  const signature = encodeBase58(wire.subarray(1, 65))
  const node = await nodeThatTakes(t, signature)
  const { url, step, text, child, exit } = await startBefore(t, node, {
    LIMITS: 'rpcSend=20/1000',
    TRUSTED_PROXIES: 'loopback',
  })
  const steps = async (nth: number) => {
    const headers = { 'x-forwarded-for': `203.0.113.${nth}` }
    const send = () =>
      Promise.all(Array.from({ length: 8 }, () => ask(`${url}/api/solrpc`, sending(wire), headers)))
    const replies = await send()
    for (const hours of [1, -1, 24 * 365, 0]) {
      await step(hours * 3_600_000)
      replies.push(...(await send()))
      const receipts = await Promise.all(
        Array.from({ length: 12 }, () => ask(`${url}/api/fast-trade-proof?digest=${signature}`)),
      )
      for (const { status } of receipts) t.equal(status, 200)
    }
    const resets = replies.map((one) => Number(/;t=(\d+)/.exec(String(one.headers.ratelimit))?.[1]))
    const isOneWindow = Math.max(...resets) - Math.min(...resets) < 30
    return { isOneWindow, admitted: replies.filter(({ status }) => status === 200).length }
  }
  let counted = await steps(1)
  if (!counted.isOneWindow) counted = await steps(2)
  t.equal(counted.admitted, 20)
  child.kill('SIGTERM')
  t.equal((await exit).code, 0)
  t.notMatch(text.out, /"level":(50|60)/)
})

t.test('on SIGTERM, all finish what they have begun', async (t) => {
  const { url, child, exit } = await start(t, { DRAIN_DELAY_MS: '300' })
  const keyed = { headers: { connection: 'keep-alive' } }
  const before = await Promise.all(Array.from({ length: 12 }, () => fetch(`${url}/api/chains`, keyed)))
  t.ok(before.every(({ ok }) => ok))
  child.kill('SIGTERM')
  await delay(100)
  t.equal((await ask(`${url}/api/health`)).status, 503, 'draining is said while requests are still taken')
  const { code, out } = await exit
  t.equal(code, 0)
  t.match(out, /"whole":true,"msg":"stopped"/)
})

t.test(
  'two processes with workers share a Redis as two instances do',
  { skip: skipWithoutRedis() },
  async (t) => {
    const wire = signed('over two')
    const signature = encodeBase58(wire.subarray(1, 65))
    const node = await recordingNode(t, () => `{"jsonrpc":"2.0","result":"${signature}","id":$ID}`)
    const redis = await startRedis(t)
    const environment = {
      REDIS_URL: redis.url,
      QUOTE_SECRET: 's'.repeat(32),
      SOLANA_MAX_RETRIES: '3',
      LIMITS: 'rpcSend=30/1000',
      TRUSTED_PROXIES: 'loopback',
    }
    const services = await Promise.all([startBefore(t, node, environment), startBefore(t, node, environment)])
    for (const { url } of services)
      await until(async () => (await ask(`${url}/api/health`)).body.redis === 'ok')
    const first = await Promise.all(
      services.flatMap(({ url }) => [1, 2, 3].map(() => ask(`${url}/api/solrpc`, sending(wire)))),
    )
    for (const { status } of first) t.equal(status, 200)
    const sent = node.calls.filter(({ method }) => method === 'sendTransaction').length
    // What Redis answers late, each does alone.
    const late = await Promise.all(services.map(({ metric }) => metric('swapgate_redis_failures_total')))
    if (late.every((count) => count === 0)) t.equal(sent, 1)
    else t.ok(sent === 1 || sent === 2)
    const alone = () =>
      Promise.all(services.map(({ metric }) => metric('swapgate_budget_decisions_total{place="local"}')))
    const round = async (nth: number) => {
      const headers = { 'x-forwarded-for': `203.0.113.${nth}` }
      const replies: Awaited<ReturnType<typeof ask>>[] = []
      // Few at a time: a decision that Redis makes late is made without it.
      while (replies.length < 60) {
        const urls = services.flatMap(({ url }) => [url, url])
        const asked = urls.map((url) => ask(`${url}/api/solrpc`, sending(wire), headers))
        replies.push(...(await Promise.all(asked)))
      }
      const resets = replies.map((one) => Number(/;t=(\d+)/.exec(String(one.headers.ratelimit))?.[1]))
      const isOneWindow = Math.max(...resets) - Math.min(...resets) < 30
      const isTogether = (await alone()).every((count) => count === 0)
      const admitted = replies.filter(({ status }) => status === 200).length
      return { isComparable: isOneWindow && isTogether, admitted }
    }
    let counted = await round(1)
    if (!counted.isComparable) counted = await round(2)
    if (counted.isComparable) t.equal(counted.admitted, 30)
    else t.ok(counted.admitted >= 30 && counted.admitted <= 60)
    const seen = async () => {
      const instance = await (await fetch(`${services[0]!.adminUrl}/instance`)).json()
      return (instance as { instances: unknown[] | null }).instances
    }
    await until(async () => (await seen())?.length === 2)
  },
)

t.test('a port that another program listens on is named', async (t) => {
  const { url } = await start(t)
  const second = runCommand(t, nodeOf(''), [program!], {
    MODE: 'live',
    PORT: new URL(url).port,
    WORKERS: '2',
  })
  const { code, err } = await second.exit
  t.equal(code, 1)
  t.match(err, /PORT=\d+: another program listens on this port/)
})

t.test('where threads cannot share a port, one serves', async (t) => {
  const running = runCommand(t, nodeOf('20'), [program!], { MODE: 'live', PORT: '0', WORKERS: '2' })
  const { url } = await listening(running)
  await until(() => running.text.out.includes('one worker only'))
  t.equal((await ask(`${url}/api/chains`)).status, 200)
})
