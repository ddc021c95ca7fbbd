/** Swaps in the pools of Orca and Raydium, over a gateway as it is started, with no provider of Solana to ask. */
import { Keypair, VersionedTransaction } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { verify } from '../../src/clients/verify/index.ts'
import { CLOCK } from '../../src/runtime/clock.ts'
import { movedClock, STILL } from '../fixtures/clock.ts'
import { call, listen, type TestGateway } from '../fixtures/gateway.ts'
import { nonceAt, openNonce, sandboxConnection } from '../fixtures/nonces.ts'
import { fund, getQuote, postBuild, query, SOLANA_WALLET, USDC } from '../fixtures/swaps.ts'

const WALLET = Keypair.fromSeed(new Uint8Array(32).fill(7))
const NO_API = { JUPITER_URL: 'off', DFLOW_URL: 'off' }
const ORDER = { chain: 'solana', side: 'buy', token: USDC.solana, amount: '0.1', from: SOLANA_WALLET }
const RAY = '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R'
const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'

type Answer = ReturnType<typeof JSON.parse>

async function world(t: Test, environment: Record<string, string> = {}) {
  const clock = movedClock({ ...STILL, after: CLOCK.after })
  const limits = { LIMITS: 'swap=off,rpcRead=off,rpcSend=off' }
  const gateway = await listen(t, { ...limits, ...NO_API, ...environment }, { clock })
  await fund(gateway.sandbox!.solanaRpc)
  return { gateway, clock }
}

async function built({ url }: TestGateway, more: object = {}, order: object = ORDER) {
  const quote: Answer = await (await getQuote(url, order as never)).json()
  const response = await postBuild(url, { ...order, quote, ...more })
  return { quote, status: response.status, body: (await response.json()) as Answer }
}

for (const [provider, token] of [
  ['whirlpool', USDC.solana],
  ['raydium-clmm', RAY],
  ['raydium-cpmm', JUP],
] as const) {
  t.test(`${provider}: what is built is proved by the gateway and by the client, and lands`, async (t) => {
    const { gateway, clock } = await world(t)
    for (const guards of [false, true]) {
      const placed = { ...ORDER, token }
      const { status, body, quote } = await built(gateway, guards ? { guards } : {}, placed)
      t.equal(status, 200, JSON.stringify(body).slice(0, 300))
      t.match(quote, { provider, route: { pool: String, poolFees: [Number] } })
      t.match(body, { provider, minOut: quote.minOut, headroomBytes: Number })
      t.match(body.verification, {
        level: 'proved',
        stated: { length: 0 },
        minOut: quote.minOut,
        simulation: { by: 'simulateTransaction' },
      })
      t.equal(body.guards !== undefined, guards)
      t.ok(body.headroomBytes >= 160, 'room for the wallet')

      const order = { ...placed, minOut: quote.minOut, guards } as never
      t.match(await verify(order, body), { isVerified: true, level: 'proved' })
      const more = { ...placed, minOut: String(BigInt(quote.minOut) + 1n) } as never
      t.match(await verify(more, body), { isVerified: false, rule: 'minimum' })
      const other = provider === 'whirlpool' ? 'raydium-cpmm' : 'whirlpool'
      t.match(await verify(order, { ...body, provider: other }), { isVerified: false, rule: 'route' })

      const signed = VersionedTransaction.deserialize(Buffer.from(body.solanaTransaction, 'base64'))
      signed.sign([WALLET])
      const sent = [Buffer.from(signed.serialize()).toString('base64'), { encoding: 'base64' }]
      t.match(await (await call(gateway.url, 'sendTransaction', sent)).json(), { result: String })
      clock.move(30_000)
    }
  })
}

t.test('a build on a nonce begins with its advance', async (t) => {
  const { gateway, clock } = await world(t)
  const connection = sandboxConnection(gateway.sandbox!.solanaRpc)
  const opened = await openNonce(connection, WALLET)
  clock.move(8_000)
  const { status, body } = await built(gateway, { nonce: opened.toBase58(), priority: 'high' })
  t.equal(status, 200, JSON.stringify(body).slice(0, 300))
  t.same(body.nonce, { account: opened.toBase58(), value: await nonceAt(connection, opened) })
  t.match(body.verification, { level: 'proved', nonce: body.nonce, expires: false })
  t.match(body, { priority: { unitsConsumed: Number } })
})

t.test('a build without a requested priority pays the medium one', async (t) => {
  const { gateway } = await world(t)
  const { body } = await built(gateway)
  t.equal(body.verification.computeUnitPrice, '10000')
  t.notOk('priority' in body)
})

t.test('all can be switched off', async (t) => {
  const { gateway } = await world(t, { SOLANA_POOLS: 'off' })
  const response = await fetch(`${gateway.url}/api/quote?${query(ORDER)}`)
  t.match(await response.json(), { code: 'unsupported_chain' })
})
