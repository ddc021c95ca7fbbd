/**
 * The statuses of the document beside what the service answers: each that is
 * listed for an operation can be had from it, and what is had is as it says.
 */
import t, { type Test } from 'tap'
import { variableNames } from '../../../src/config/config.ts'
import { openEvents } from '../../fixtures/events.ts'
import { listen } from '../../fixtures/gateway.ts'
import { OpenApi } from '../../fixtures/openapi.ts'
import { raw } from '../../fixtures/raw.ts'
import { CROSS_CHAIN, EVM_WALLET, getQuote, query, SOLANA_WALLET, SWAPS, USDC } from '../../fixtures/swaps.ts'

type Json = Record<string, unknown>

interface Document extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Json }>>>>
}

const SECRET = 'a-secret-of-at-least-thirty-two-characters'
const HASH = `0x${'ab'.repeat(32)}`
const SLOT = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getSlot', params: [] })

async function documentOf(url: string): Promise<Document> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as Document
}

const operationsOf = ({ paths }: Document): [method: string, path: string, statuses: string[]][] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { responses }]): [string, string, string[]] => [
      method,
      path,
      Object.keys(responses),
    ]),
  )

/** A path of the service that meets the template. */
const filled = (path: string): string =>
  path
    .replace('{chain}', 'base')
    .replace('{address}', USDC.base)
    .replace(/\{\w+\}/, 'list')

/** Every upstream is where nobody listens. */
const nowhere = (t: Test) => {
  const urls = variableNames().filter((name) => /^RPC_URLS_|_URLS?$/.test(name))
  const dead = urls.filter((name) => !/^(PUBLIC|REDIS)_URL$|LANDING/.test(name))
  const environment = Object.fromEntries(dead.map((name) => [name, 'http://127.0.0.1:1']))
  // Two of ton's nodes must agree.
  const ton = 'http://127.0.0.1:1/jsonRPC'
  return listen(t, { ...environment, RPC_URLS_TON: ton, MODE: 'live', QUOTE_SECRET: SECRET })
}

async function post(url: string, path: string, body: string, type = 'application/json'): Promise<Response> {
  return fetch(url + path, { method: 'POST', headers: { 'content-type': type }, body })
}

t.test('a connection too many is the 503 that every operation lists', async (t) => {
  const { url } = await listen(t, { MAX_CONNECTIONS_PER_CLIENT: '1', TRUSTED_PROXIES: 'none' })
  const document = await documentOf(url)
  const stream = await openEvents(t, `${url}/api/bake-off/event`)
  const { status, headers, body } = await raw(url, 'GET /api/chains HTTP/1.1\r\nHost: a\r\n\r\n')
  stream.request.destroy()
  t.equal(status, 503)
  t.equal(headers['retry-after'], '1')
  t.same(JSON.parse(body), example(document, 'Overloaded', 'connections'))
})

t.test('everything else that an operation lists is answered by it, and nothing else is listed', async (t) => {
  const had = new Map<string, number[]>()
  const note = async (method: string, path: string, response: Response, status: number): Promise<void> => {
    const text = await response.text()
    t.equal(response.status, status, `${path} ${text.slice(0, 200)}`)
    if (status === 204) t.equal(text, '')
    else t.same(api.response(method, path, status, JSON.parse(text)), [], `${path} ${status}`)
    had.set(`${method} ${path}`, [...(had.get(`${method} ${path}`) ?? []), status])
  }
  const dead = await nowhere(t)
  const document = await documentOf(dead.url)
  const api = new OpenApi(document)
  const ask = async (path: string, values: Json, status: number, url = dead.url): Promise<void> => {
    const text = query(values)
    await note('get', path, await fetch(`${url}${filled(path)}${text === '' ? '' : `?${text}`}`), status)
  }

  const sandboxed = await listen(t, {
    LIMITS: 'swap=1/9,portfolio=1/9,explain=1/9,logo=1/9',
    QUOTE_SECRET: SECRET,
  })
  const once = sandboxed.url
  const sealed = await (await getQuote(once, SWAPS.base)).json()
  const build = JSON.stringify({ ...SWAPS.base, quote: sealed })

  // No source can be asked.
  await ask('/api/token/{chain}/{address}', {}, 502)
  for (const path of ['/api/portfolio', '/api/balances'])
    await ask(path, { address: EVM_WALLET, chains: 'base' }, 502)
  for (const path of ['/api/quote', '/api/quote/stream', '/api/v2quote']) await ask(path, SWAPS.base, 502)
  await note('post', '/api/build', await post(dead.url, '/api/build', build), 502)
  await ask('/api/xquote', CROSS_CHAIN, 502)
  await ask('/api/xstatus', { txHash: HASH }, 502)
  await ask('/api/priority-fees', {}, 502)
  await note('post', '/api/solrpc', await post(dead.url, '/api/solrpc', SLOT), 502)
  for (const path of ['/api/transaction-status', '/api/receipt', '/api/allowance'])
    await ask(path, { chain: 'base', hash: HASH }, 502)

  // One source of prices is none.
  const single = await listen(t, { DEFILLAMA_URL: 'off', GECKOTERMINAL_URL: 'off' })
  await ask('/api/basket/plan', { chain: 'base', usd: '500' }, 502, single.url)

  // The one request of the window is spent.
  for (const path of ['/api/quote', '/api/quote/stream', '/api/v2quote'])
    await ask(path, { ...SWAPS.base, amount: 2 }, 429, once)
  const noOffers = await fetch(`${once}/api/quote/stream?${query({ ...SWAPS.base, amount: 2 })}`)
  const shown = example(document, 'NoBudgetOrStream', 'swap')
  t.match(await noOffers.json(), { ...shown, retryAfterMs: Number }, 'in the words of the document')
  await ask('/api/xquote', CROSS_CHAIN, 429, once)
  await note('post', '/api/build', await post(once, '/api/build', build), 429)
  const explained = JSON.stringify({ chain: 'base', call: { to: EVM_WALLET, value: '1' } })
  await (await post(once, '/api/explain', explained)).text()
  await note('post', '/api/explain', await post(once, '/api/explain', explained), 429)
  await fetch(`${once}/api/portfolio?sol=${SOLANA_WALLET}`)
  for (const path of ['/api/portfolio', '/api/balances'])
    await ask(path, { address: EVM_WALLET, chains: 'base' }, 429, once)
  const logo = '/api/logo/{chain}/{address}'
  await (await fetch(`${once}/api/tokens`)).text()
  await (await fetch(once + filled(logo))).arrayBuffer()
  const another = `${once}/api/logo/base/native`
  await note('get', logo, await fetch(another), 429)
  await ask(logo, {}, 404)
  const unreachable = await listen(t, { LOGOS: 'http://127.0.0.1:1' })
  await (await fetch(`${unreachable.url}/api/tokens`)).text()
  await ask(logo, {}, 502, unreachable.url)

  const narrow = await listen(t, {
    MODE: 'live',
    SOLANA_RPC_URLS: 'http://127.0.0.1:1',
    LIMITS: 'rpcRead=1/1',
  })
  await post(narrow.url, '/api/solrpc', SLOT)
  await note('post', '/api/solrpc', await post(narrow.url, '/api/solrpc', SLOT), 429)
  await ask('/api/priority-fees', {}, 429, narrow.url)

  // Half of a client's places are for streams.
  const streams = await listen(t, { IN_FLIGHT: '2/256' })
  await openEvents(t, `${streams.url}/api/bake-off/event`)
  await ask('/api/bake-off/event', {}, 429, streams.url)
  await ask('/api/prices/stream', { tokens: `base:${USDC.base}` }, 429, streams.url)

  const end = { headers: { 'last-event-id': 'end' } }
  await note(
    'get',
    '/api/quote/stream',
    await fetch(`${once}/api/quote/stream?${query(SWAPS.base)}`, end),
    204,
  )

  await ask('/api/fast-trade-proof', { digest: '5'.repeat(87) }, 404, once)
  const unknown = await fetch(`${once}/api/token/base/0x${'1'.repeat(40)}`)
  await note('get', '/api/token/{chain}/{address}', unknown, 404)
  for (const [, path] of operationsOf(document)) {
    if (path.endsWith('/{operation}')) {
      await note('get', path, await fetch(dead.url + path.replace('{operation}', 'none-such')), 404)
    }
  }
  await ask('/api/social/invites/text', {}, 404)
  await ask('/api/game/me', { wallet: EVM_WALLET }, 404)

  for (const [method, path, statuses] of operationsOf(document)) {
    const common = method === 'post' ? [200, 400, 413, 415, 503] : [200, 400, 503]
    const listed = statuses.filter((status) => status !== 'default' && !common.includes(Number(status)))
    t.same((had.get(`${method} ${path}`) ?? []).sort(), listed.map(Number), `${method} ${path}`)
  }
})

t.test('what several operations answer is shown in the words of the service', async (t) => {
  const { url } = await listen(t, {
    MODE: 'live',
    SOLANA_RPC_URLS: 'http://127.0.0.1:1',
    LIMITS: 'rpcRead=9/9',
  })
  const document = await documentOf(url)
  const told = async (response: Response): Promise<Json> => (await response.json()) as Json
  const slot = () => post(url, '/api/solrpc', SLOT)
  const isShown = (body: Json, name: string, title: string): void => {
    const retryAfterMs = 'retryAfterMs' in body ? { retryAfterMs: Number } : {}
    t.match(body, { ...example(document, name, title), ...retryAfterMs }, `${name}: ${title}`)
  }
  const words: [body: Json, name: string, title: string][] = [
    [await told(await fetch(`${url}/api/chains?x=%zz`)), 'BadRequest', 'not percent-encoded UTF-8'],
    [JSON.parse((await raw(url, TWO_HOSTS)).body), 'BadRequest', 'two Host headers'],
    [await told(await post(url, '/api/solrpc', ' '.repeat(52_000))), 'BodyTooLarge', 'a body of 52 KB'],
    [await told(await post(url, '/api/solrpc', '{}', 'text/plain')), 'UnsupportedMediaType', 'text/plain'],
    [JSON.parse((await raw(url, GZIPPED)).body), 'UnsupportedMediaType', 'gzip'],
    [await told(await fetch(`${url}/${'x'.repeat(8_200)}`)), 'Other', 'a long URL'],
  ]
  for (const [body, name, title] of words) isShown(body, name, title)
  let body: Json
  do body = await told(await slot())
  while (body.code === 'upstream_unavailable' && body.retryAfterMs === undefined)
  isShown(body, 'BadGateway', 'all of them failed lately')
  while (body.code !== 'budget_exhausted') body = await told(await slot())
  isShown(body, 'BudgetExhausted', 'rpcRead')
})

const TWO_HOSTS = 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'
const GZIPPED =
  'POST /api/solrpc HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}'

function example(document: Document, response: string, title: string): Json {
  const { responses } = document.components as { responses: Record<string, { content: Json }> }
  const { examples } = responses[response]!.content['application/json'] as {
    examples: Record<string, { value: Json }>
  }
  return examples[title]!.value
}
