/** Swaps through DFlow, over a gateway as it is started: their level, their guards, and a DFlow that robs. */
import { Keypair, VersionedTransaction } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { verify } from '../../src/clients/verify/index.ts'
import { CLOCK } from '../../src/runtime/clock.ts'
import { movedClock, STILL } from '../fixtures/clock.ts'
import { call, listen, type TestGateway } from '../fixtures/gateway.ts'
import { nonceAt, openNonce, sandboxConnection } from '../fixtures/nonces.ts'
import { fund, getQuote, postBuild, query, SOLANA_WALLET, turn, USDC } from '../fixtures/swaps.ts'

const WALLET = Keypair.fromSeed(new Uint8Array(32).fill(7))
const ALONE = { JUPITER_URL: 'off' }
const ORDER = { chain: 'solana', side: 'buy', token: USDC.solana, amount: '0.1', from: SOLANA_WALLET }

type Answer = ReturnType<typeof JSON.parse>

async function world(t: Test, environment: Record<string, string> = {}) {
  const clock = movedClock({ ...STILL, after: CLOCK.after })
  const alone = { LIMITS: 'swap=off,rpcRead=off,rpcSend=off', SOLANA_POOLS: 'off' }
  const gateway = await listen(t, { ...alone, ...environment }, { clock })
  await fund(gateway.sandbox!.solanaRpc)
  const asked = async (path: string, more: object = {}): Promise<{ status: number; body: Answer }> => {
    const response = await fetch(`${gateway.url}${path}?${query({ ...ORDER, ...more })}`)
    return { status: response.status, body: await response.json() }
  }
  return { gateway, clock, asked }
}

async function built({ url }: TestGateway, more: object = {}, order: object = ORDER) {
  const quote: Answer = await (await getQuote(url, order as never)).json()
  const response = await postBuild(url, { ...order, quote, ...more })
  return { quote, status: response.status, body: (await response.json()) as Answer }
}

t.test('each of its builds is executed and guarded, whether or not guards are asked for', async (t) => {
  const { gateway, clock } = await world(t, ALONE)
  const { url } = gateway
  let held = 0n
  for (const guards of [false, true]) {
    const { status, body, quote } = await built(gateway, guards ? { guards } : {})
    t.equal(status, 200, JSON.stringify(body).slice(0, 300))
    t.match(body, {
      provider: 'dflow',
      guards: {
        by: 'transaction',
        enforced: [{ token: USDC.solana, atLeast: String(held + BigInt(quote.minOut)) }, {}],
      },
      minOut: quote.minOut,
      headroomBytes: Number,
    })
    const { level, stated, checks, simulation } = body.verification
    t.same([level, stated], ['simulated', []])
    t.match([checks, simulation], [/guards/, { by: 'simulateTransaction' }])
    t.ok(body.headroomBytes >= 160, 'room for the wallet')

    const order = { ...ORDER, minOut: quote.minOut, guards } as never
    const seen = { execute: async () => ({ gas: null, changes: toBigInt(simulation.changes) }) }
    t.match(await verify(order, body, { accept: ['outcome'] }), { isVerified: true, level: 'stated' })
    t.match(await verify(order, body, { trust: seen }), { isVerified: true, level: 'simulated' })
    const signed = VersionedTransaction.deserialize(Buffer.from(body.solanaTransaction, 'base64'))
    signed.sign([WALLET])
    const sent = [Buffer.from(signed.serialize()).toString('base64'), { encoding: 'base64' }]
    t.match(await (await call(url, 'sendTransaction', sent)).json(), { result: String })
    held += BigInt(simulation.changes.find(({ token }: Answer) => token === USDC.solana).amount)
    clock.move(30_000)
  }
})

const toBigInt = (changes: { token: string; amount: string }[]) =>
  changes.map(({ token, amount }) => ({ token: token === 'native' ? null : token, amount: BigInt(amount) }))

t.test('a build on a nonce begins with its advance', async (t) => {
  const { gateway, clock } = await world(t, ALONE)
  const connection = sandboxConnection(gateway.sandbox!.solanaRpc)
  const opened = await openNonce(connection, WALLET)
  clock.move(8_000)
  const nonce = opened.toBase58()
  const { status, body } = await built(gateway, { nonce, priority: 'medium' })
  t.equal(status, 200, JSON.stringify(body).slice(0, 300))
  t.same(body.nonce, { account: nonce, value: await nonceAt(connection, opened) })
  t.match(body.verification, { level: 'simulated', nonce: body.nonce, expires: false })
  t.match(body, { priority: { unitsConsumed: Number }, guards: { by: 'transaction' } })
  t.notOk('lastValidBlockHeight' in body)
})

t.test('a wallet that does not hold what it sells is told so', async (t) => {
  const { gateway } = await world(t, ALONE)
  const { status, body } = await built(gateway, {}, { ...ORDER, amount: '5' })
  t.match({ status, ...body }, { status: 400, code: 'insufficient_balance', field: 'from' })
})

t.test('a DFlow that robs has nothing handed out', async (t) => {
  const { gateway } = await world(t, ALONE)
  const rules = new Set<string>()
  await turn(gateway, 'dflow', 'steal')
  // Each build uses the next theft of the list.
  for (let i = 0; i < 6; i++) {
    const { status, body } = await built(gateway, {}, { ...ORDER, amount: `0.1${i}` })
    t.match({ status, ...body }, { status: 502, scope: 'provider' }, body.error)
    t.match(body.code, /^material_(refused|unproved)$/)
    rules.add(body.rule)
  }
  t.same([...rules].sort(), ['guards', 'instruction', 'simulation'])
})

t.test('a wallet can ask for a level', async (t) => {
  const { asked } = await world(t)
  const { body } = await asked('/api/v2quote')
  t.match(
    body.quotes.map(({ provider, verification, rank }: Answer) => ({ provider, verification, rank })),
    [
      { provider: 'jupiter', verification: 'proved', rank: 1 },
      { provider: 'dflow', verification: 'simulated', rank: 2 },
    ],
    'of equal offers that which is proved comes first',
  )
  const proved = await asked('/api/v2quote', { verification: 'proved' })
  t.same(
    proved.body.quotes.map(({ provider }: Answer) => provider),
    ['jupiter'],
  )
  t.match((await asked('/api/quote', { verification: 'proved' })).body.route.alternatives, { length: 0 })
  t.match(await asked('/api/quote', { verification: 'sure' }), {
    status: 400,
    body: { code: 'invalid_parameter', field: 'verification' },
  })
  const { body: options } = await asked('/api/swap-options')
  const { providers, verification } = options.chains.find(({ key }: Answer) => key === 'solana')
  t.equal(verification, 'proved')
  t.match(providers, [
    { label: 'jupiter', verification: 'proved' },
    { label: 'dflow', verification: 'simulated' },
  ])
})

t.test('a host can, too', async (t) => {
  const alone = await world(t, ALONE)
  t.match(await alone.asked('/api/quote', { verification: 'proved' }), {
    status: 400,
    body: { code: 'invalid_parameter', field: 'verification' },
  })
  const strict = await world(t, { MIN_VERIFICATION: 'proved' })
  const { body } = await strict.asked('/api/quote')
  t.match(body, { provider: 'jupiter', route: { alternatives: { length: 0 } } }, 'DFlow is not asked')
  const neither = await world(t, { ...ALONE, MIN_VERIFICATION: 'proved' })
  t.match(await neither.asked('/api/quote'), { status: 400, body: { code: 'unsupported_chain' } })
})
