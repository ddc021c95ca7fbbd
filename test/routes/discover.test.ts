import t from 'tap'
import type { FeedPage } from '../../src/research/discover/feed.ts'
import type { LookupResult } from '../../src/research/discover/lookup.ts'
import type { SearchResult } from '../../src/research/discover/search.ts'
import { clockOf } from '../fixtures/clock.ts'
import { listen, type TestGateway } from '../fixtures/gateway.ts'
import { OpenApi } from '../fixtures/openapi.ts'
import { turn } from '../fixtures/swaps.ts'

type Json = Record<string, unknown>

const LINK = '0x514910771AF9Ca656af840dff83E8264EcF986CA'
const BRETT = '0x532f27101965dd16442E59d40670FaF5eBB142E4'
const CETUS = '0x06864a6f921804860930db6ddbe2e16acdf8504495ea7481637a1c8b9a8fe54b::cetus::CETUS'
const NOT = 'EQAvlWFDxGF2lXm67y4yzC17wYKD9A0guwPkMs1gOsM__NOT'
const PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

async function read(url: string): Promise<{ status: number; body: Json }> {
  const response = await fetch(url)
  return { status: response.status, body: (await response.json()) as Json }
}

/** What discovery answers, checked by the document that describes it. */
async function discoverer({ url }: TestGateway) {
  const api = new OpenApi((await read(`${url}/openapi.json`)).body)
  return async <T>(operation: string, query: Record<string, string> = {}): Promise<T> => {
    const path = `/api/discover/${operation}`
    const { status, body } = await read(`${url}${path}?${new URLSearchParams(query)}`)
    t.equal(status, 200, path)
    t.same(api.response('get', path, 200, body), [], path)
    return body as T
  }
}

t.test('tokens are found by name, and narrowed down', async (t) => {
  const gateway = await listen(t)
  const ask = await discoverer(gateway)
  const usdc = await ask<SearchResult>('tokens', { q: 'usdc' })
  t.ok(usdc.total > 10)
  t.ok(usdc.tokens.every(({ symbol }, i) => i >= usdc.total || symbol === 'USDC'))
  const { tokens } = await ask<SearchResult>('tokens', {
    q: 'usdc',
    scope: 'base',
    category: 'stablecoin',
    tier: 'deep',
  })
  t.match(tokens, [{ chain: 'base', symbol: 'USDC', decimals: 6, book: 'majors', tier: 'deep' }])
  const natives = await ask<SearchResult>('tokens', { category: 'native' })
  t.equal(natives.total, 20)
  const rows = ((await read(`${gateway.url}/api/tokens`)).body.tokens as Json[]).length
  t.equal((await ask<SearchResult>('tokens')).total, rows, 'the whole list')
})

t.test('an address is looked up in the list, on markets, or on its chain', async (t) => {
  const gateway = await listen(t)
  const ask = await discoverer(gateway)
  const lookup = (address: string) => ask<LookupResult>('lookup', { address })
  t.match(await lookup('0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'), {
    candidates: [{ chain: 'base', symbol: 'USDC', kind: 'stablecoin', why: 'major' }],
    sources: { length: 0 },
  })
  t.match(await lookup(LINK), { candidates: [{ chain: 'ethereum', symbol: 'LINK', decimals: 18 }] })
  t.match(await lookup(BRETT), {
    candidates: [{ chain: 'base', symbol: 'BRETT', decimals: 18, source: 'dexscreener', listed: false }],
    sources: [{ provider: 'dexscreener', status: 'ok' }],
  })
  t.match(await lookup(CETUS), { candidates: [{ chain: 'sui', symbol: 'CETUS', decimals: 9 }] })
  t.match(await lookup(NOT), { candidates: [{ chain: 'ton', symbol: 'NOT', decimals: 9 }] })
  t.match(await lookup(PROGRAM), { candidates: [{ chain: 'solana', kind: 'program', why: 'chain' }] })
  t.match(await lookup(`0x${'ab'.repeat(32)}`), {
    candidates: { length: 0 },
    looksLike: [{}, { form: 'transaction' }],
  })
  await turn(gateway, 'dexscreener', '500')
  t.match(await lookup('0x2222222222222222222222222222222222222222'), {
    candidates: { length: 0 },
    sources: [{ provider: 'dexscreener', status: 'failed', code: 'upstream_failed' }],
  })
})

t.test('the feed is read in pages, and is the same for everybody', async (t) => {
  // The clock stands still, so that the list is not rebuilt in between.
  const gateway = await listen(t, {}, { clock: clockOf({ now: () => 1 }) })
  const ask = await discoverer(gateway)
  const whole = await ask<FeedPage>('feed', { limit: '100' })
  t.ok(whole.items.length > 5)
  t.ok(whole.items.every(({ kind }) => kind === 'listed' || kind === 'gated'))
  const pages: unknown[] = []
  for (let cursor: string | null = null; pages.length < whole.items.length; ) {
    const page: FeedPage = await ask<FeedPage>('feed', { limit: '3', ...(cursor !== null && { cursor }) })
    pages.push(...page.items)
    if ((cursor = page.next) === null) break
  }
  t.same(pages.slice(0, whole.items.length), whole.items)
  const asked = { session: 'a-session_1', wallet: '0x1111111111111111111111111111111111111111' }
  t.same(await ask<FeedPage>('feed', { limit: '100', ...asked }), whole)
})

t.test('the operations are listed, and there are no others', async (t) => {
  const gateway = await listen(t)
  const { items } = (await read(`${gateway.url}/api/discover/list`)).body
  t.match(items, [
    { operation: 'feed', path: '/api/discover/feed', parameters: ['cursor', 'limit', 'session', 'wallet'] },
    { operation: 'lookup', path: '/api/discover/lookup', parameters: ['address'] },
    { operation: 'tokens', path: '/api/discover/tokens', parameters: ['category', 'q', 'scope', 'tier'] },
  ])
  for (const operation of ['none-such', 'Feed', '%66eed']) {
    t.match(await read(`${gateway.url}/api/discover/${operation}`), {
      status: 404,
      body: { code: 'not_found', scope: 'not_found', error: /`list`/ },
    })
  }
  for (const path of ['/api/discover', '/api/discover/', '/api/discover/feed/more']) {
    t.match(await read(gateway.url + path), { status: 404, body: { code: 'not_found' } }, path)
  }
})

t.test('each parameter given wrongly is refused by its name', async (t) => {
  const { url } = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1' })
  const long = 'x'.repeat(257)
  const refused: [query: string, field: string, code?: string][] = [
    ['feed?cursor=', 'cursor'],
    ['feed?cursor=AAAA', 'cursor'],
    [`feed?cursor=${'x'.repeat(1_025)}`, 'cursor'],
    ['feed?limit=0', 'limit'],
    ['feed?limit=101', 'limit'],
    ['feed?limit=1.5', 'limit'],
    ['feed?limit=', 'limit'],
    ['feed?limit=5&limit=6', 'limit', 'malformed_query'],
    ['feed?session=', 'session'],
    ['feed?session=a%20b', 'session'],
    [`feed?session=${'x'.repeat(65)}`, 'session'],
    ['feed?wallet=', 'wallet'],
    ['feed?wallet=me', 'wallet'],
    [`feed?wallet=${long}`, 'wallet'],
    ['lookup', 'address'],
    ['lookup?address=', 'address'],
    ['lookup?address=USDC', 'address'],
    ['lookup?address=0x532f27101965dd16442E59d40670FaF5eBB142e4', 'address'],
    [`lookup?address=${long}`, 'address'],
    [`lookup?address=${LINK}&address=${LINK}`, 'address', 'malformed_query'],
    ['tokens?category=', 'category'],
    ['tokens?category=stocks', 'category'],
    ['tokens?q=', 'q'],
    ['tokens?q=%20', 'q'],
    [`tokens?q=${long}`, 'q'],
    ['tokens?scope=', 'scope'],
    ['tokens?scope=atlantis', 'scope'],
    ['tokens?tier=', 'tier'],
    ['tokens?tier=Deep', 'tier'],
    ['%20', 'operation'],
    ['a%2Fb', 'operation'],
  ]
  for (const [query, field, code = 'invalid_parameter'] of refused) {
    t.match(await read(`${url}/api/discover/${query}`), { status: 400, body: { code, field } }, query)
  }
})
