import t from 'tap'
import { createClient } from '../../../src/clients/client/index.ts'
import { listen } from '../../fixtures/gateway.ts'
import { EVM_WALLET, SWAPS } from '../../fixtures/swaps.ts'

t.test('lists are joined, and what a path or query takes is escaped', async (t) => {
  const urls: string[] = []
  const client = createClient({
    baseUrl: 'https://gateway.example/below/',
    headers: { 'x-request-id': 'mine' },
    fetch: async (url, { method, headers }) => {
      urls.push(`${method} ${url} ${headers['x-request-id']}`)
      return { status: 200, headers: new Headers(), body: null, text: async () => '{}' }
    },
  })
  await client.token({ chain: 'sui', address: '0x2::sui::SUI/?#' })
  await client.portfolio({ address: EVM_WALLET, chains: ['base', 'bsc'], sol: undefined })
  await client.discoverTokens({ q: 'a&b=c d' })
  await client.tokens()
  t.same(urls, [
    'GET https://gateway.example/below/api/token/sui/0x2%3A%3Asui%3A%3ASUI%2F%3F%23 mine',
    `GET https://gateway.example/below/api/portfolio?address=${EVM_WALLET}&chains=base%2Cbsc mine`,
    'GET https://gateway.example/below/api/discover/tokens?q=a%26b%3Dc%20d mine',
    'GET https://gateway.example/below/api/tokens mine',
  ])
})

t.test("a page's own host needs no base", async (t) => {
  const urls: string[] = []
  const client = createClient({
    baseUrl: '',
    fetch: async (url) => {
      urls.push(url)
      return { status: 200, headers: new Headers(), body: null, text: async () => '{}' }
    },
  })
  await client.chains()
  t.same(urls, ['/api/chains'])
})

t.test('a page of another origin may read every header that the client reads', async (t) => {
  const { url } = await listen(t)
  const read = new Set<string>()
  let exposed = ''
  const client = createClient({
    baseUrl: url,
    fetch: async (target, init) => {
      const response = await fetch(target, init)
      exposed = response.headers.get('access-control-expose-headers') ?? ''
      const get = (name: string): string | null => {
        read.add(name)
        return response.headers.get(name)
      }
      return { status: response.status, headers: { get }, body: null, text: () => response.text() }
    },
  })
  await client.quote(SWAPS.base)
  await t.rejects(client.gameMe({ wallet: '0x1' }))
  t.ok(read.size >= 5)
  const names = exposed.toLowerCase().split(', ')
  for (const name of read) t.ok(names.includes(name), name)
})
