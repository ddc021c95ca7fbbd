import { Connection, Keypair, VersionedTransaction } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { Market } from '../../../src/sandbox/market/market.ts'
import type { ProviderServer } from '../../../src/sandbox/provider-server.ts'
import { startSolanaSandbox } from '../../../src/sandbox/solana/server.ts'
import { xprov } from '../../../src/sandbox/swap/xprov.ts'
import { NOW } from '../../fixtures/provider.ts'
import { startXprov, WALLETS } from '../../fixtures/xprov.ts'

const { evm, solana, sui } = WALLETS

const QUOTE = {
  fromChain: '8453',
  toChain: '1',
  fromToken: '0x0000000000000000000000000000000000000000',
  toToken: '0x0000000000000000000000000000000000000000',
  fromAmount: '100000000000000000',
  fromAddress: evm,
}

async function start(t: Test): Promise<ProviderServer> {
  const node = await startSolanaSandbox({ now: () => NOW })
  t.teardown(() => node.close())
  return xprov({ market: new Market(), now: () => NOW, solana: node })
}

async function ask(server: ProviderServer, path: string, query: Record<string, string>, now = NOW) {
  const request = { method: 'GET', path, query: new URLSearchParams(query), headers: {}, text: '', now }
  const { status, body, headers } = await server.handle({ ...request, body: undefined, fault: null })
  // biome-ignore lint/suspicious/noExplicitAny: a test looks where it likes
  return { status, body: body as any, headers }
}

t.test('a quote is worth what the market says, less the fee and no more', async (t) => {
  const server = await start(t)
  const { status, body, headers } = await ask(server, '/v1/quote', QUOTE)
  t.equal(status, 200)
  t.match(headers, { 'ratelimit-limit': /\d/, 'ratelimit-remaining': /\d/, 'ratelimit-reset': /\d/ })
  const { toAmount, toAmountMin } = body.estimate
  // The same coin on both sides: a tenth of a percent stays with the bridge, and two chains are a little apart.
  t.ok(Math.abs(Number(toAmount) / 99_900_000_000_000_000 - 1) < 0.0006)
  t.equal(
    BigInt(toAmountMin),
    (BigInt(toAmount) * 995n + 500n) / 1000n,
    'half a percent, unless asked otherwise',
  )
  const tight = await ask(server, '/v1/quote', { ...QUOTE, slippage: '0.03' })
  t.equal(BigInt(tight.body.estimate.toAmountMin), (BigInt(toAmount) * 97n + 50n) / 100n)
  const again = await ask(server, '/v1/quote', QUOTE)
  t.equal(again.body.estimate.toAmount, toAmount, 'the same moment has the same price')
  t.not(again.body.transactionId, body.transactionId)
})

t.test('what was quoted arrives in its time, and nothing else does', async (t) => {
  const server = await start(t)
  const { transactionId } = (await ask(server, '/v1/quote', QUOTE)).body
  const at = async (ms: number) => (await ask(server, '/v1/status', { txHash: transactionId }, NOW + ms)).body
  t.match(await at(1_999), { status: 'NOT_FOUND' })
  t.match(await at(2_000), { status: 'PENDING', substatus: 'WAIT_SOURCE_CONFIRMATIONS' })
  t.match(await at(5_000), { status: 'PENDING', substatus: 'WAIT_DESTINATION_TRANSACTION' })
  t.match(await at(15_000), { status: 'DONE', substatus: 'COMPLETED', receiving: { chainId: 1 } })
  const slow = (await ask(server, '/v1/quote', { ...QUOTE, order: 'CHEAPEST' })).body.estimate
  const fast = (await ask(server, '/v1/quote', { ...QUOTE, order: 'FASTEST' })).body
  t.same([slow.executionDuration, fast.estimate.executionDuration], [15, 8])
  t.ok(Number(fast.estimate.toAmount) < 0.999 * Number(slow.toAmount), 'it costs more')
  const txHash = fast.transactionId
  t.match((await ask(server, '/v1/status', { txHash }, NOW + 7_999)).body, { status: 'PENDING' })
  t.match((await ask(server, '/v1/status', { txHash }, NOW + 8_000)).body, { status: 'DONE' })
  const unknown = await ask(server, '/v1/status', { txHash: `0x${'9d'.repeat(32)}` }, NOW + 60_000)
  t.match(unknown, { status: 200, body: { status: 'NOT_FOUND' } })
})

t.test('a request that allows a bridge of an unknown name is refused whole', async (t) => {
  const server = await start(t)
  const asked = (allowBridges: string) => ask(server, '/v1/quote', { ...QUOTE, allowBridges })
  t.equal((await asked('across,mayan')).status, 200)
  t.match(await asked('across,hop'), { status: 400, body: { code: 1011 } })
})

t.test("has what LI.FI's own clients ask for: chains, tools, and a route of one step", async (t) => {
  const server = await start(t)
  const { chains } = (await ask(server, '/v1/chains', {})).body
  t.match(
    chains.find(({ id }: { id: number }) => id === 8_453),
    { key: 'base', chainType: 'EVM', name: 'Base', coin: 'ETH' },
  )
  const { bridges, exchanges } = (await ask(server, '/v1/tools', {})).body
  t.match([bridges[0].key, exchanges[0].key], ['across', 'sandboxswap'])
  const { fromChain, toChain, fromToken, toToken, ...rest } = QUOTE
  const body = {
    ...rest,
    fromChainId: Number(fromChain),
    toChainId: Number(toChain),
    fromTokenAddress: fromToken,
    toTokenAddress: toToken,
  }
  const path = '/v1/advanced/routes'
  const request = { method: 'POST', path, query: new URLSearchParams(), headers: {}, text: '', now: NOW }
  const reply = await server.handle({ ...request, body, fault: null })
  const [route] = (reply.body as { routes: { steps: unknown[] }[] }).routes
  const {
    transactionRequest: _,
    id: __,
    transactionId: ___,
    includedSteps: ____,
    ...step
  } = (await ask(server, '/v1/quote', QUOTE)).body
  t.match(route!.steps, [{ action: step.action, estimate: step.estimate, tool: step.tool }])
  t.notOk('transactionRequest' in (route!.steps[0] as object))
})

t.test('refuses in the form and with the codes of the real one', async (t) => {
  const server = await start(t)
  const ghost = new Market().tokens('base').find(({ symbol }) => symbol === 'GHOST')!.address
  const quotes: readonly [Record<string, string>, number, number, string?][] = [
    [{ fromChain: '7' }, 400, 1011],
    [{ fromAmount: '0' }, 400, 1011],
    [{ fromAmount: '1.5' }, 400, 1011],
    [{ fromAddress: solana }, 400, 1011],
    [{ toChain: '1151111081099710', toToken: '1'.repeat(32) }, 400, 1011],
    [{ slippage: '1.5' }, 400, 1011],
    [{ order: 'BEST' }, 400, 1011],
    [{ toToken: evm }, 404, 1003],
    [{ fromAmount: '1' }, 404, 1002, 'AMOUNT_TOO_LOW'],
    [{ fromAmount: `1${'0'.repeat(24)}` }, 404, 1002, 'AMOUNT_TOO_HIGH'],
    [{ fromToken: ghost, fromAmount: `1${'0'.repeat(22)}` }, 404, 1002, 'NO_POSSIBLE_ROUTE'],
  ]
  for (const [changes, status, code, tool] of quotes) {
    const reply = await ask(server, '/v1/quote', { ...QUOTE, ...changes })
    t.match(reply, { status, body: { message: String, code } }, JSON.stringify(changes))
    const failed = reply.body.errors?.failed[0].subpaths.sandboxbridge[0].code
    t.equal(failed, tool)
  }
  t.match(await ask(server, '/v1/status', { txHash: 'no hash' }), { status: 400, body: { code: 1011 } })
  t.match(await ask(server, '/v1/status', { txHash: solana, toChain: '7' }), { status: 400 })
  t.match(await ask(server, '/v1/token', { chain: '8453', token: evm }), {
    status: 404,
    body: { code: 1003 },
  })
  t.match(await ask(server, '/v1/gas', {}), { status: 404 })
  t.match(server.rateLimited(), {
    status: 429,
    body: { code: 1005 },
    headers: { 'ratelimit-remaining': '0' },
  })
})

t.test('a Solana cross-chain swap can be signed, and executes in the node', async (t) => {
  const { url, solanaUrl } = await startXprov(t)
  const wallet = Keypair.generate()
  const connection = new Connection(solanaUrl, 'confirmed')
  await connection.requestAirdrop(wallet.publicKey, 1_000_000_000)
  const query = new URLSearchParams({
    ...QUOTE,
    fromChain: '1151111081099710',
    fromToken: '11111111111111111111111111111111',
    fromAmount: '500000000',
    fromAddress: wallet.publicKey.toBase58(),
    toChain: '9270000000000000',
    toToken: '0x2::sui::SUI',
    toAddress: sui,
  })
  const answer = await fetch(`${url}/v1/quote?${query}`)
  const step = (await answer.json()) as { transactionRequest: { data: string } }
  const transaction = VersionedTransaction.deserialize(Buffer.from(step.transactionRequest.data, 'base64'))
  transaction.sign([wallet])
  t.type(await connection.sendRawTransaction(transaction.serialize()), 'string')
})
