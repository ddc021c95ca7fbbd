/** DFlow's adapter, against the sandbox's DFlow, and what it says in DFlow's worse moments. */
import t from 'tap'
import { WRAPPED_SOL_MINT } from '../../../src/chains/solana/programs.ts'
import { headersFor } from '../../../src/config/providers.ts'
import { GUARD_BYTES, NONCE_BYTES } from '../../../src/providers/guards.ts'
import { dflow } from '../../../src/providers/swap/dflow.ts'
import { dflow as dflowServer } from '../../../src/sandbox/swap/dflow.ts'
import {
  bodyOf,
  CALL,
  type JupiterWorld,
  orderOf,
  startJupiter,
  tokenOf,
  WALLET,
} from '../../fixtures/jupiter.ts'
import { failureOf } from '../../fixtures/provider.ts'

const SOL = 1_000_000_000n
const json = (status: number, body: unknown) => ({ status, body })
const queryOf = ({ exchanged }: JupiterWorld, nth = -1) =>
  Object.fromEntries(exchanged.at(nth)!.request.query)

async function start(t: Parameters<typeof startJupiter>[0]) {
  const world = await startJupiter(t, {}, dflowServer)
  const provider = dflow({ upstream: world.upstream })
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  return { world, provider, order }
}

t.test('a quote names no wallet; a build does, and asks for room and a bounded fee', async (t) => {
  const { world, provider, order } = await start(t)
  const offer = await provider.quote(order, CALL)
  const priced = {
    inputMint: WRAPPED_SOL_MINT,
    outputMint: order.tokenOut.address,
    amount: String(SOL),
    slippageBps: '300',
    allowAsyncExec: 'false',
    wrapAndUnwrapSol: 'true',
  }
  t.same(queryOf(world), priced)
  t.equal(world.exchanged.at(-1)!.request.path, '/order')
  t.match(offer, { details: { fees: { length: 0 }, stated: { hops: ['Raydium'] } }, priceImpactPct: Number })
  t.notMatch(offer.raw, 'transaction')

  const material = await provider.build({ ...order, headroomBytes: 160 }, offer, CALL)
  t.same(queryOf(world), {
    ...priced,
    userPublicKey: WALLET,
    reserveTransactionSize: String(GUARD_BYTES + 160),
    prioritizationFeeLamports: 'high',
    prioritizationFeeMaxLamports: '1000000',
  })
  t.match(material, { kind: 'solana', lastValidBlockHeight: null, extra: { minOut: String(offer.minOut) } })

  const nonce = { account: WALLET, value: WALLET }
  await provider.build({ ...order, nonce, worth: 1n }, offer, CALL)
  t.match(queryOf(world), { reserveTransactionSize: String(GUARD_BYTES + NONCE_BYTES) })
  const wrapped = { ...order, tokenIn: { address: WRAPPED_SOL_MINT, isNative: false, decimals: 9 } }
  await provider.quote(wrapped, CALL)
  t.match(queryOf(world), { wrapAndUnwrapSol: 'false' })
  t.same(headersFor('dflow', 'k'), { 'x-api-key': 'k' })
})

t.test('a route without the room that the wallet wants is asked for again, with less', async (t) => {
  const { world, provider, order } = await start(t)
  const offer = await provider.quote(order, CALL)
  await provider.build({ ...order, headroomBytes: 600 }, offer, CALL)
  t.same(
    world.exchanged.slice(-2).map(({ request }) => request.query.get('reserveTransactionSize')),
    [GUARD_BYTES + 600, GUARD_BYTES].map(String),
  )
  world.instead = () => json(500, { msg: 'Failed', code: 'failed_to_compute_route' })
  const asked = world.exchanged.length
  t.match(await failureOf(provider.build({ ...order, headroomBytes: 600 }, offer, CALL)), {
    code: 'upstream_failed',
  })
  t.equal(world.exchanged.length, asked + 1, 'a failure is not asked again')
})

t.test("a build keeps the offer's minimum, with less slippage if needed", async (t) => {
  const { world, provider, order } = await start(t)
  const offer = await provider.quote(order, CALL)
  const dearer = { ...offer, minOut: (offer.minOut * 101n) / 100n }
  await provider.build(order, dearer, CALL)
  t.ok(Number(queryOf(world).slippageBps) < 300)
  const above = { ...offer, minOut: offer.expectedOut + 1n }
  t.match(await failureOf(provider.build(order, above, CALL)), { code: 'quote_moved' })
})

t.test('each refusal has one of our own codes', async (t) => {
  const { world, provider, order } = await start(t)
  const offer = await provider.quote(order, CALL)
  const honest = bodyOf(world.exchanged[0]!.reply)
  const cases: readonly (readonly [number, unknown, string, number])[] = [
    ...(
      [
        ['route_not_found', 'no_route'],
        ['same_input_and_output_mint', 'no_route'],
        ['reserve_transaction_size_too_large', 'no_route'],
        ['price_impact_too_high', 'amount_too_large'],
        ['zero_out_amount', 'amount_too_small'],
        ['requested_input_amount_is_zero', 'amount_too_small'],
        ['invalid_input_mint', 'unknown_token'],
        ['invalid_output_mint', 'unknown_token'],
        ['invalid_dex', 'upstream_status'],
      ] as const
    ).map(([said, code]) => [400, { msg: 'said so', code: said }, code, 400] as const),
    [400, 'not JSON', 'upstream_status', 400],
    [403, '', 'upstream_refused', 502],
    [503, { msg: 'lagging', code: 'amm_map_lagging' }, 'upstream_failed', 502],
    [200, { ...honest, executionMode: 'async' }, 'no_route', 400],
    [200, { ...honest, outAmount: '0', otherAmountThreshold: '0' }, 'amount_too_small', 400],
  ]
  for (const [status, body, code, ours] of cases) {
    world.instead = () => json(status, body)
    const expected = { name: 'GatewayError', code, status: ours, fields: { provider: 'dflow' } }
    await t.rejects(provider.quote(order, CALL), expected, `quote: ${code}`)
    if (status !== 200) await t.rejects(provider.build(order, offer, CALL), expected, `build: ${code}`)
  }
  world.instead = () => json(200, { ...honest, executionMode: 'async' })
  t.match((await failureOf(provider.quote(order, CALL))).message, '`async`', 'by name')
})

t.test('an answer that is not one to the order is 502', async (t) => {
  const { world, provider, order } = await start(t)
  const offer = await provider.quote(order, CALL)
  const honest = bodyOf(world.exchanged[0]!.reply)
  const spoiled: readonly (readonly [string, unknown])[] = [
    ['not JSON', '{"garbage":'],
    ['another input', { ...honest, inputMint: WALLET }],
    ['another output', { ...honest, outputMint: WALLET }],
    ['another amount', { ...honest, inAmount: '1' }],
    ['another slippage', { ...honest, slippageBps: 50 }],
    ['a minimum below the slippage', { ...honest, otherAmountThreshold: '1' }],
    ['a minimum above the output', { ...honest, otherAmountThreshold: `9${honest.outAmount}` }],
    ['an output that is a number', { ...honest, outAmount: 41_873_522 }],
    ['no execution mode', { ...honest, executionMode: undefined }],
  ]
  for (const [name, body] of spoiled) {
    world.instead = () => json(200, body)
    await t.rejects(provider.quote(order, CALL), { code: 'upstream_unusable', status: 502 }, name)
    // Five such answers in a row open the breaker.
    world.instead = () => null
    await provider.quote(order, CALL)
  }
  world.instead = () => json(200, honest)
  await t.rejects(provider.build(order, offer, CALL), { code: 'upstream_unusable' }, 'no transaction')
  world.instead = () => json(200, { ...honest, priceImpactPct: 'unknown', routePlan: [{}] })
  const odd = await provider.quote(order, CALL)
  t.equal(odd.priceImpactPct, null, 'no number, no impact')
  t.match(odd.details.stated, { hops: [null] })
})

t.test('an answer that gives the key away is not handed on', async (t) => {
  const key = 'a-secret-api-key'
  const world = await startJupiter(t, headersFor('dflow', key), dflowServer)
  const provider = dflow({ upstream: world.upstream })
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  await provider.quote(order, CALL)
  t.equal(world.exchanged[0]!.request.headers['x-api-key'], key)
  const honest = bodyOf(world.exchanged[0]!.reply)
  world.instead = () => json(200, { ...honest, routePlan: [{ venue: `key ${key}` }] })
  await t.rejects(provider.quote(order, CALL), { code: 'upstream_unusable' })
})

t.test('what the sandbox refuses, it refuses in the words of DFlow', async (t) => {
  const { world, provider, order } = await start(t)
  const [usdc, bonk] = [tokenOf(world.market, 'USDC'), tokenOf(world.market, 'BONK')]
  for (const [changed, code, said] of [
    [{ amountIn: 2n ** 64n - 1n }, 'amount_too_large', 'price_impact_too_high'],
    [{ tokenIn: bonk, tokenOut: usdc, amountIn: 1n }, 'amount_too_small', 'zero_out_amount'],
    [{ tokenOut: { ...usdc, address: WALLET } }, 'no_route', 'route_not_found'],
    [{ tokenIn: usdc }, 'no_route', 'same_input_and_output_mint'],
  ] as const) {
    t.match(await failureOf(provider.quote({ ...order, ...changed }, CALL)), { code }, said)
    t.match(bodyOf(world.exchanged.at(-1)!.reply), { code: said, msg: String })
  }
})

/** DFlow's own answers to an order of a tenth of a SOL, and to one of a dollar for an outcome. */
const SYNC = {
  inputMint: WRAPPED_SOL_MINT,
  inAmount: '100000000',
  outputMint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  outAmount: '9670755',
  otherAmountThreshold: '9622402',
  minOutAmount: '9622402',
  slippageBps: 50,
  platformFee: null,
  priceImpactPct: '0',
  routePlan: [
    {
      venue: 'Tessera V',
      marketKey: 'FLckHLGMJy5gEoXWwcE68Nprde1D4araK4TGLw4pQq2n',
      inputMint: WRAPPED_SOL_MINT,
      outputMint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      inAmount: '100000000',
      outAmount: '9670755',
      inputMintDecimals: 9,
      outputMintDecimals: 6,
    },
  ],
  contextSlot: 441429269,
  executionMode: 'sync',
}
const ASYNC_WALLET = 'FuWBbL2wz93KKLbkLRheCDdq5eUzh4TBzbxuWJyK54p5'
const ASYNC_TRANSACTION =
  'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAQAHC9120OD1qp2bJLLOtmwrHZqZto5mi4j4+O7OZQ5QdRWWRoJ4Cn9AjCyskx1illLjsYIkhQ1L0UlvCcO61YSBthVM+BCp8Gbq2CPv3V2YIvT6h2YxSW04ac2v0eDDOSWCyPM+B3rj6PGt9gT6l4cbQjYkh+Hqd8DrsD3pXIJgObk+AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADBkZv5SEXMv/srbpyw5vnvIzlu8X3EmssQ5s6QAAAAAbd9uHXZaGT2cvhRs7reawctIXtX1s3kTqM9YV+/wCpDCYpFm6FJZWj8aHwjmse2FCqMK9iOjIKtXxoPG++WgyMhuv/FuhWX8b0Pxhd1GRtfkCYg199FW1sg22jSqOe6K2K4llPaJbMSnzRjqC5LiVY7J0/M+UyXdxBYsBxdUKoxvp6877brTo9ZfNqq8l0MbG75MLS9uDkfKYCA0UvXWFnowADg6SY1klBkPcu+JChAoXP7FLDLqDBsbqInuL8bwMFAAUCMHUAAAUACQPoAwAAAAAAAAcMBwgJAgMKAQAAAAYEUEAAAAAAAAAAElE5FRPx6dZOAAAAAAAyAAzHDgAAAAAAwOHkAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=='

t.test('what DFlow answered in 2026 is read, and its order for later is refused', async (t) => {
  const { world, provider } = await start(t)
  const order = { ...orderOf(world.market, 'buy', 'USDC', SOL / 10n), slippageBps: 50 }
  await provider.quote(order, CALL)
  const ours = bodyOf(world.exchanged[0]!.reply)
  t.same(Object.keys(ours).sort(), Object.keys(SYNC).sort(), "the sandbox's answer has its members")
  t.same(Object.keys((ours.routePlan as object[])[0]!), Object.keys(SYNC.routePlan[0]!))
  world.instead = () => json(200, SYNC)
  t.match(await provider.quote(order, CALL), {
    expectedOut: 9_670_755n,
    minOut: 9_622_401n,
    details: { stated: { hops: ['Tessera V'] } },
  })
  const material = {
    kind: 'solana',
    transaction: ASYNC_TRANSACTION,
    lastValidBlockHeight: null,
    extra: {},
  } as const
  const later = { ...order, from: ASYNC_WALLET }
  const offer = { expectedOut: 2n, minOut: 1n, priceImpactPct: null, details: {}, raw: '' }
  t.match(
    await failureOf(Promise.resolve().then(() => provider.prove(later, offer, material, CALL))),
    { code: 'material_refused', fields: { rule: 'program' } },
    'another program would hold the money',
  )
})
