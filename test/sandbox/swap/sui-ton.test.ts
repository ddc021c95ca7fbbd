import t from 'tap'
import { parseBoc } from '../../../src/proof/ton/boc.ts'
import { stonfi } from '../../../src/sandbox/swap/stonfi.ts'
import { swapcoffee } from '../../../src/sandbox/swap/swapcoffee.ts'
import { contractAddress } from '../../../src/sandbox/ton/addresses.ts'
import { startProvider } from '../../fixtures/provider.ts'

const USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
const FROM = contractAddress('somebody')

const ton = (address: string) => ({ blockchain: 'ton', address })
const ROUTE = { input_token: ton('native'), output_token: ton(USDT), input_amount: 12.5 }

interface Reply {
  readonly status: number
  readonly text: string
  readonly body: ReturnType<typeof JSON.parse>
}

async function send(url: string, body?: unknown, method = 'POST'): Promise<Reply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(url, { method, ...(text !== undefined && { body: text }) })
  const answer = await response.text()
  return { status: response.status, text: answer, body: /^[[{]/.test(answer) ? JSON.parse(answer) : null }
}

t.test('swap.coffee: a route in whole tokens, then one message for it', async (t) => {
  const { url } = await startProvider(t, swapcoffee)
  const route = await send(`${url}/v1/route`, { ...ROUTE, max_splits: 1, max_length: 3 })
  t.equal(route.status, 200)
  t.match(route.body, {
    input_token: { address: ton('native'), metadata: { symbol: 'GRAM', decimals: 9 } },
    output_token: { address: ton(USDT), metadata: { symbol: 'USDT', decimals: 6 } },
    input_amount: 12.5,
    output_amount: Number,
    recommended_gas: 0.2,
    paths: [
      {
        blockchain: 'ton',
        pool_address: /^EQ/,
        swap: { result: 'fully_fulfilled', left_amount: 0 },
        next: { length: 0 },
      },
    ],
  })
  t.ok(route.body.price_impact < 0, 'negative is a loss')

  const request = { sender_address: FROM, slippage: 0.03, paths: route.body.paths }
  const built = await send(`${url}/v2/route/transactions`, request)
  t.match(built.body, {
    route_id: Number,
    transactions: [{ address: /^EQ/, value: '12700000000', send_mode: 3, query_id: Number, stateInit: null }],
  })
  t.ok(parseBoc(Buffer.from(built.body.transactions[0].cell, 'base64')))
  t.equal((await send(`${url}/v2/route/transactions`, request)).text, built.text, 'the same again')
})

t.test('swap.coffee: what it does not take is refused with {"error"}', async (t) => {
  const { url } = await startProvider(t, swapcoffee)
  const step = {
    input_token: { address: ton(USDT) },
    output_token: { address: ton('native') },
    swap: { input_amount: 1, output_amount: 0.6 },
    pool_address: 'x',
    next: [],
  }
  const good = { sender_address: FROM, slippage: 0.03, paths: [step] }
  const cases: [path: string, body: unknown, status: number, error: string][] = [
    ['/v1/route', '{', 400, 'Input token not found'],
    ['/v1/route', { ...ROUTE, input_token: ton('nothing') }, 400, 'Input token not found'],
    [
      '/v1/route',
      { ...ROUTE, input_token: { ...ton('native'), blockchain: 'eth' } },
      400,
      'Input token not found',
    ],
    ['/v1/route', { ...ROUTE, input_amount: '12.5' }, 400, 'input_amount must be positive'],
    ['/v1/route', { ...ROUTE, input_amount: 0 }, 400, 'input_amount must be positive'],
    ['/v1/route', { ...ROUTE, output_token: ton('native') }, 400, 'No route found'],
    ['/v1/route', { ...ROUTE, output_token: ton(`0:${'67'.repeat(32)}`) }, 400, 'No route found'],
    ['/v1/route', { ...ROUTE, input_amount: 1e-9 }, 400, 'Input amount is too small'],
    ['/v2/route/transactions', { ...good, sender_address: 'me' }, 400, 'sender_address is not valid'],
    ['/v2/route/transactions', { ...good, slippage: 3 }, 400, 'slippage must be in [0, 1]'],
    ['/v2/route/transactions', { ...good, slippage: '0.03' }, 400, 'slippage must be in [0, 1]'],
    ['/v2/route/transactions', { ...good, paths: [] }, 400, 'paths must not be empty'],
    ['/v2/route/transactions', { ...good, paths: [{}] }, 400, 'paths are not valid'],
    ['/v2/route/other', good, 404, 'Not Found'],
  ]
  for (const [path, body, status, error] of cases) {
    const reply = await send(url + path, body)
    t.same([reply.status, reply.body], [status, { error }])
  }
  const split = await send(`${url}/v2/route/transactions`, { ...good, paths: [step, step] })
  t.equal(split.body.transactions.length, 2, 'a message for each path')
})

t.test('swap.coffee: an unknown token becomes a similar one', async (t) => {
  const { url } = await startProvider(t, swapcoffee)
  const { body } = await send(`${url}/v1/route`, { ...ROUTE, output_token: ton('INVALID_TOKEN') })
  t.notSame(body.output_token.address, ton('INVALID_TOKEN'))
})

t.test('STON.fi: an asset, errors as text', async (t) => {
  const { url } = await startProvider(t, stonfi)
  const at = (address: string) => `${url}/v1/assets/${address}`
  t.match((await send(at(USDT), undefined, 'GET')).body, { asset: { contract_address: USDT, decimals: 6 } })
  const unknown = await send(at(contractAddress('nowhere')), undefined, 'GET')
  t.same([unknown.status, unknown.text], [404, 'Asset not found'])
  t.equal((await send(at(USDT), undefined, 'POST')).status, 405)
  t.equal((await send(`${url}/v1/other`)).status, 404)
})
