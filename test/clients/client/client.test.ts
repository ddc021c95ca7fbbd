import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { clientFiles, type Document } from '../../../scripts/client/operations.ts'
import { ROOT } from '../../../scripts/docs/pages.ts'
import { askGateway } from '../../../scripts/docs/sections.ts'
import { createClient, type Fetch, isSwapgateError } from '../../../src/clients/client/index.ts'
import { listen } from '../../fixtures/gateway.ts'
import { EVM_WALLET, USDC } from '../../fixtures/swaps.ts'

t.test('the types are those of the OpenAPI document', async (t) => {
  const { document } = await askGateway<Document>()
  const folder = join(ROOT, 'src/clients/client/generated')
  for (const [name, text] of clientFiles(document))
    t.equal(
      readFileSync(join(folder, name), 'utf8'),
      text,
      'scripts/client/generator.ts describes other routes',
    )
})

t.test('a quote and its build, and what went over the wire', async (t) => {
  const { url } = await listen(t)
  const exchanges: string[] = []
  const client = createClient({
    baseUrl: `${url}/`,
    onExchange: ({ operation, status, ms }) => exchanges.push(`${operation} ${status} ${ms > 0}`),
  })
  const order = { chain: 'base', side: 'sell', token: USDC.base, amount: '250', from: EVM_WALLET } as const
  const quote = await client.quote(order)
  t.match(quote, { chain: 'base', minOut: /^\d+$/ })
  t.match(await client.build({ ...order, quote }), { from: EVM_WALLET, data: /^0x/ })
  t.same(exchanges, ['quote 200 true', 'build 200 true'])
  t.match(client.limits, [{ name: 'swap-client', remaining: 58, quota: 60, windowMs: 60_000 }, {}])
})

t.test('a user and a password in the URL are sent as Basic, and are in no URL', async (t) => {
  const asked: unknown[] = []
  const fetch: Fetch = async (url, { headers }) => {
    asked.push([url, headers.authorization])
    return new Response('{}')
  }
  const at = async (baseUrl: string, headers = {}) => {
    const client = createClient({ baseUrl, fetch, headers, onExchange: ({ url }) => asked.push(url) })
    await client.health()
    return [...asked.splice(0), client.logoUrl({ chain: 'base', address: '0x1' })]
  }
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`
  const told = (host: string) => [`${host}/api/health`, `${host}/api/logo/base/0x1`]
  const [health, logo] = told('https://h:1/gw')
  for (const [userinfo, text] of [
    ['user:pw', 'user:pw'],
    ['user', 'user:'],
    ['us%C3%A9r:a:b%40c', 'us\u00e9r:a:b@c'],
  ] as const) {
    t.same(await at(`https://${userinfo}@h:1/gw/`), [[health, basic(text)], health, logo])
  }
  const own = await at('https://user:pw@h:1/gw', { authorization: 'Bearer k' })
  t.same(own[0], [health, 'Bearer k'], "the caller's own header goes before")
  t.same(await at('/gw'), [['/gw/api/health', undefined], '/gw/api/health', '/gw/api/logo/base/0x1'])
})

t.test('a URL that is none of a gateway is refused when the client is made', async (t) => {
  for (const baseUrl of [
    'localhost:8080',
    'user:secret@h',
    'ftp://h',
    'https://h/?key=secret',
    'http:/h',
    'https://',
    'http://u@/x',
  ]) {
    const refusal = {
      name: 'TypeError',
      message: /^baseUrl must begin with http:\/\/ or https:\/\/(?!.*secret)/,
    }
    t.throws(() => createClient({ baseUrl }), refusal, baseUrl)
  }
})

t.test('a refusal is an error with its code', async (t) => {
  const { url } = await listen(t)
  const client = createClient({ baseUrl: url })
  const error = await client.tokens({ scope: 'nowhere' as 'base' }).catch((error: unknown) => error)
  if (!isSwapgateError(error, 'invalid_parameter')) throw error
  t.match(error, { code: 'invalid_parameter', status: 400, scope: 'validation', field: 'scope' })
  t.match(error.requestId, /./)
})

t.test('a stream yields prices until its loop is left', async (t) => {
  const { url } = await listen(t)
  const client = createClient({ baseUrl: url })
  for await (const { event, data } of client.prices({ tokens: ['solana:native', `base:${USDC.base}`] })) {
    t.equal(event, 'snapshot')
    t.match(data.prices, [{ chain: 'solana' }, { chain: 'base', address: USDC.base }])
    break
  }
})

t.test('the relay: a result, the raw text, and a refusal of it', async (t) => {
  const { url } = await listen(t)
  const client = createClient({ baseUrl: url })
  t.type(await client.rpc<number>('getSlot'), 'number')
  t.match(JSON.parse(await client.rpcText('getSlot', [])), { jsonrpc: '2.0', result: Number })
  await t.rejects(client.rpc('requestAirdrop', []), { code: 'method_not_allowed', scope: 'relay' })
})
