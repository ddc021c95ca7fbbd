import { Connection, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js'
import t from 'tap'
import { OPERATIONS } from '../../../src/clients/client/generated/operations.ts'
import { type Client, createClient, type Exchange } from '../../../src/clients/client/index.ts'
import type { OperationRow } from '../../../src/clients/client/options.ts'
import { until } from '../../fixtures/clock.ts'
import { listen } from '../../fixtures/gateway.ts'
import { inventory } from '../../fixtures/inventory.ts'
import { OpenApi } from '../../fixtures/openapi.ts'
import { CROSS_CHAIN, EVM_WALLET, SOLANA_WALLET, SWAPS, USDC } from '../../fixtures/swaps.ts'

type Method = (...given: unknown[]) => Promise<unknown> & AsyncIterable<unknown>

/** What each operation is asked that the specification's inventory does not have. */
const OTHERS: Readonly<Record<string, object>> = {
  '/api/token/{chain}/{address}': { chain: 'base', address: USDC.base },
  '/api/chains': {},
  '/api/portfolio': { address: EVM_WALLET, chains: ['base', 'ethereum'], sol: SOLANA_WALLET, dust: 0 },
  '/api/quote': SWAPS.base,
  '/api/xquote': CROSS_CHAIN,
  '/api/xstatus': { txHash: `0x${'ab'.repeat(32)}`, fromChain: 'base', toChain: 'solana' },
  '/openapi.json': {},
}

t.test(
  'every operation of the gateway is a method, and what it gives is what the document says',
  async (t) => {
    const { url } = await listen(t, { LIMITS: 'swap=off,portfolio=off,rpcRead=off' })
    const exchanges: Exchange[] = []
    const client = createClient({ baseUrl: url, onExchange: (exchange) => void exchanges.push(exchange) })
    const document = (await client.openapi()) as { paths: Record<string, Record<string, unknown>> }
    const api = new OpenApi(document)
    const digest = await submit(client)
    const rows = inventory(digest)

    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const made = Object.values<OperationRow>(OPERATIONS).map(
      ({ method = 'GET', path }) => `${method} ${path}`,
    )
    t.same([...made, 'POST /api/solrpc'].sort(), described.sort())

    const quote = await client.quote(SWAPS.base)
    for (const [name, row] of Object.entries<OperationRow>(OPERATIONS)) {
      const input =
        name === 'build' ? { ...SWAPS.base, quote } : (rows[row.path]?.good[0] ?? OTHERS[row.path])
      if (input === undefined) {
        t.fail(`${row.path}: say what it is asked`)
        continue
      }
      exchanges.length = 0
      const method = client[name as keyof Client] as unknown as Method
      const answer = row.isStream
        ? await firstOf(client, method(...(row.takesNothing ? [] : [input])), () => exchanges.length > 0)
        : await method(...(row.takesNothing ? [] : [input]))
      const verb = (row.method ?? 'GET').toLowerCase()
      t.same(api.response(verb, row.path, 200, answer), [], name)
      const exchange = exchanges.find(({ operation }) => operation === name)!
      t.match(exchange, { operation: name, status: 200, requestId: /./, error: null }, name)
      t.ok(exchange.url.startsWith(url), name)
    }
  },
)

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

/** A transfer on the simulated chain, by the client. @returns its signature */
async function submit(client: Client): Promise<string> {
  const wallet = Keypair.generate()
  const { sandbox } = await client.health()
  await new Connection(sandbox!.solanaRpc).requestAirdrop(wallet.publicKey, 1e9)
  const latest = await client.rpc<{ value: { blockhash: string } }>('getLatestBlockhash')
  const transaction = new Transaction({
    feePayer: wallet.publicKey,
    recentBlockhash: latest.value.blockhash,
  })
  const toPubkey = new PublicKey(7)
  transaction.add(SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey, lamports: 1e8 }))
  transaction.sign(wallet)
  const signed = transaction.serialize().toString('base64')
  return client.rpc<string>('sendTransaction', [signed, { encoding: 'base64' }])
}

let quotes = 1

/** The data of the first event, after a quote that nobody asked for before, once the stream is open. */
async function firstOf(
  client: Client,
  stream: AsyncIterable<unknown>,
  isOpen: () => boolean,
): Promise<unknown> {
  const events = stream[Symbol.asyncIterator]()
  const first = events.next()
  await until(isOpen)
  await client.quote({ ...SWAPS.base, amount: String(++quotes) })
  const { value } = await first
  await events.return?.()
  return (value as { data: unknown }).data
}
