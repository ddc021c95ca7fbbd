/**
 * Every endpoint through Prism's validating proxy, good requests and bad ones:
 * what goes through it is held to the document by code that is not ours.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { request } from 'undici'
import { listen } from '../../fixtures/gateway.ts'
import { inventory } from '../../fixtures/inventory.ts'
import { CROSS_CHAIN, EVM_WALLET, fund, SOLANA_WALLET, SWAPS, USDC } from '../../fixtures/swaps.ts'

const PRISM = fileURLToPath(
  new URL('../../../node_modules/@stoplight/prism-cli/dist/index.js', import.meta.url),
)
const DEADLINE_MS = 25_000

interface Answer {
  readonly status: number
  readonly body: unknown
  /** What the proxy finds wrong in it, or in the request. */
  readonly violations: readonly string[]
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** @returns the proxy's URL, once it listens */
async function startProxy(
  t: Test,
  document: unknown,
  upstream: string,
  ...more: readonly string[]
): Promise<string> {
  const file = join(t.testdir({}), 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  const port = await freePort()
  const args = [
    PRISM,
    'proxy',
    file,
    upstream,
    '--errors',
    '--port',
    String(port),
    '--host',
    '127.0.0.1',
    ...more,
  ]
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill())
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.on('close', (code) => reject(new Error(`prism ended with ${code}: ${output}`)))
    child.stdout!.on('data', (chunk) => {
      output += chunk
      if (output.includes('Prism is listening')) resolve()
    })
  })
  return `http://127.0.0.1:${port}`
}

async function ask(url: string, path: string, body?: unknown): Promise<Answer> {
  const response = await request(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(DEADLINE_MS),
  })
  const found = response.headers['sl-violations']
  const text = await response.body.text()
  const problem = String(response.headers['content-type']).startsWith('application/problem+json')
    ? [text]
    : []
  const violations = found === undefined ? [] : (JSON.parse(String(found)) as unknown[])
  return {
    status: response.statusCode,
    body: problem.length > 0 ? null : JSON.parse(text),
    violations: [...problem, ...violations.map((violation) => JSON.stringify(violation))],
  }
}

const query = (path: string, values: Readonly<Record<string, unknown>>): string => {
  const rest = Object.entries(values).filter(([name]) => !path.includes(`{${name}}`))
  const filled = Object.entries(values).reduce(
    (at, [name, value]) => at.replace(`{${name}}`, `${value}`),
    path,
  )
  const text = new URLSearchParams(
    rest.map(([name, value]): [string, string] => [name, `${value}`]),
  ).toString()
  return text === '' ? filled : `${filled}?${text}`
}

t.test('what is answered to good requests is what the document says', async (t) => {
  const gateway = await listen(t, { LIMITS: 'swap=off,portfolio=off,rpcRead=off' })
  const document = await (await fetch(`${gateway.url}/openapi.json`)).json()
  const proxy = await startProxy(t, document, gateway.url)
  const good = async (path: string, body?: unknown): Promise<unknown> => {
    const answer = await ask(proxy, path, body)
    t.same([answer.status, answer.violations], [200, []], path)
    return answer.body
  }
  await fund(gateway.sandbox!.solanaRpc)

  await good('/api/tokens')
  await good(`/api/token/base/${USDC.base}`)
  await good('/api/chains')
  await good(query('/api/portfolio', { address: EVM_WALLET, sol: SOLANA_WALLET, chains: 'base' }))
  for (const swap of Object.values(SWAPS)) {
    const quote = await good(query('/api/quote', swap))
    await good('/api/build', { ...swap, quote })
  }
  const crossChain = (await good(query('/api/xquote', CROSS_CHAIN))) as { transactionId: string }
  await good(query('/api/xstatus', { txHash: crossChain.transactionId }))
  const rpc = (method: string, params: unknown[]) =>
    good('/api/solrpc', { jsonrpc: '2.0', id: 1, method, params })
  await rpc('getSlot', [])
  await rpc('getBalance', [SOLANA_WALLET])
  await rpc('getAccountInfo', [SOLANA_WALLET, { encoding: 'base64' }])
  await good('/openapi.json')

  for (const [path, row] of Object.entries(inventory('1'.repeat(64)))) {
    // The proxy reads a body to its end, which a stream has none of; and no transaction was submitted here.
    if (row.isStream || path === '/api/fast-trade-proof') continue
    for (const values of row.good) {
      if (Object.values(values).includes('1'.repeat(64))) continue
      await good(query(path, values))
    }
  }
})

t.test('what is answered to bad requests is what the document says of errors', async (t) => {
  const { url } = await listen(t, { LIMITS: 'swap=1/9' })
  const document = await (await fetch(`${url}/openapi.json`)).json()
  // That the request is bad is known; the answer is looked at.
  const proxy = await startProxy(t, document, url, '--validate-request=false')
  const statuses = new Map<number, number>()
  const bad = async (path: string, body?: unknown): Promise<void> => {
    const { status, violations } = await ask(proxy, path, body)
    t.ok(status >= 400 && status < 500, `${path} ${status}`)
    t.same(violations, [], path)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }

  await bad('/api/token/nowhere/x')
  await bad(`/api/token/base/0x${'1'.repeat(40)}`)
  await bad('/api/portfolio')
  await bad(query('/api/quote', { ...SWAPS.base, side: 'both' }))
  await bad('/api/build', { ...SWAPS.base, quote: {} })
  await bad('/api/build', { nothing: 'of this' })
  await bad(query('/api/xquote', { ...CROSS_CHAIN, toChain: 'nowhere' }))
  await bad(query('/api/xstatus', { txHash: 'nonsense' }))
  await bad('/api/solrpc', { jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [] })
  await bad('/api/solrpc', { jsonrpc: '2.0', id: 1, method: 'sendTransaction', params: ['AAAA'] })
  await ask(proxy, query('/api/quote', SWAPS.base))
  await bad(query('/api/quote', { ...SWAPS.base, amount: '2' }))
  for (const [path, row] of Object.entries(inventory('1'.repeat(64)))) {
    for (const [name, values] of Object.entries(row.bad)) {
      const base = row.good.find((values) => name in values) ?? row.good[0]!
      // One of each parameter: the test of the inventory sends them all.
      const [value] = values.filter((text) => text !== '')
      if (name !== 'operation') await bad(query(path, { ...base, [name]: value }))
    }
    if (path.includes('{operation}')) await bad(query(path, { operation: 'none-such' }))
  }
  for (const status of [400, 404, 429]) t.ok(statuses.has(status), `${status} is among them`)
})

t.test('the proxy finds what is not as the document says', async (t) => {
  const { url } = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1' })
  const text = await (await fetch(`${url}/openapi.json`)).text()
  const document = JSON.parse(text)
  document.components.schemas.Chain.properties.name = { type: 'integer' }
  const proxy = await startProxy(t, document, url)
  const { violations } = await ask(proxy, '/api/chains')
  t.ok(violations.length > 0)
})
