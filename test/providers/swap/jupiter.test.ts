/** Jupiter's adapters, v1, v2 build and v2 order, against the sandbox's Jupiter, and what it says in Jupiter's worse moments. */

import fc from 'fast-check'
import t from 'tap'
import { readConfig } from '../../../src/config/config.ts'
import { headersFor } from '../../../src/config/providers.ts'
import { JUPITER_CHECKS } from '../../../src/proof/jupiter.ts'
import { Connections } from '../../../src/providers/connect.ts'
import { jupiter } from '../../../src/providers/swap/jupiter.ts'
import type { V2Build } from '../../../src/providers/swap/jupiter-build.ts'
import { keepsSlippage } from '../../../src/providers/swap/jupiter-wire.ts'
import { createSwaps } from '../../../src/providers/swaps.ts'
import { CancellationScope } from '../../../src/runtime/cancellation.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import { CLOCK } from '../../../src/runtime/clock.ts'
import { createUpstreamContext } from '../../../src/upstream/context.ts'
import { clockOf } from '../../fixtures/clock.ts'
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
const APIS = ['v1', 'v2-build', 'v2-order'] as const
const json = (status: number, body: unknown) => ({ status, body })
const pathOf = ({ exchanged }: JupiterWorld, nth: number) => exchanged.at(nth)!.request.path
const queryOf = ({ exchanged }: JupiterWorld, nth: number) =>
  Object.fromEntries(exchanged.at(nth)!.request.query)

t.test('an order becomes a query in base units and basis points, and the answer an offer', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', 250_000_000n)
  const mints = {
    inputMint: 'So11111111111111111111111111111111111111112',
    outputMint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    amount: '250000000',
    slippageBps: '300',
  }
  const v1 = await jupiter({ upstream: world.upstream, api: 'v1' }).quote(order, CALL)
  t.same(queryOf(world, -1), {
    ...mints,
    swapMode: 'ExactIn',
    instructionVersion: 'V2',
    restrictIntermediateTokens: 'true',
  })
  t.equal(v1.raw, world.exchanged[0]!.reply.body, 'the answer byte for byte')
  const quoted = bodyOf(world.exchanged[0]!.reply)
  t.equal(v1.expectedOut.toString(), quoted.outAmount)
  t.equal(v1.minOut.toString(), quoted.otherAmountThreshold)
  t.equal(v1.priceImpactPct, Number(quoted.priceImpactPct) * 100)
  t.match(v1.details.stated, { hops: ['Raydium'], contextSlot: Number })

  const v2 = await jupiter({ upstream: world.upstream, api: 'v2-order' }).quote(order, CALL)
  t.same(
    queryOf(world, -1),
    { ...mints, excludeRouters: 'jupiterz,dflow,okx' },
    'no wallet is named for a quote',
  )
  const gross = v1.expectedOut
  const stated = bodyOf(world.exchanged[1]!.reply)
  t.equal(stated.feeBps, 2)
  const outAmount = BigInt(String(stated.outAmount))
  t.equal(outAmount, gross - (gross * 2n) / 10_000n)
  t.equal(v2.expectedOut, (outAmount * 9_998n) / 10_000n, 'net, whether or not the stated amount is')
  t.equal(v2.minOut, (v2.expectedOut * 9_700n) / 10_000n)
  t.same(v2.details.fees, [
    {
      bps: 2,
      amount: String(outAmount - v2.expectedOut),
      token: mints.outputMint,
      recipient: null,
      whose: null,
    },
  ])
  t.same(v1.details.fees, [])
  t.equal(v2.priceImpactPct, -(bodyOf(world.exchanged[1]!.reply).priceImpact as number), 'a loss is positive')
  t.match(v2.details.stated, { hops: ['Raydium'], router: 'metis' })

  await jupiter({ upstream: world.upstream, api: 'v1' }).quote(
    orderOf(world.market, 'sell', 'USDC', 5n * SOL),
    CALL,
  )
  t.match(queryOf(world, -1), { inputMint: mints.outputMint, outputMint: mints.inputMint })
})

t.test('every slippage that the gateway takes reaches Jupiter as it is', async (t) => {
  const world = await startJupiter(t)
  for (const api of APIS) {
    const provider = jupiter({ upstream: world.upstream, api })
    for (const slippageBps of [1, 50, 300, 5_000]) {
      const order = { ...orderOf(world.market, 'buy', 'USDC', SOL), slippageBps }
      const { expectedOut, minOut } = await provider.quote(order, CALL)
      t.equal(queryOf(world, -1).slippageBps, `${slippageBps}`)
      t.equal(minOut, (expectedOut * BigInt(10_000 - slippageBps)) / 10_000n, `${api}, ${slippageBps} bps`)
    }
  }
})

t.test('a build sends the quote back as the text that it came as', async (t) => {
  const world = await startJupiter(t)
  const provider = jupiter({ upstream: world.upstream, api: 'v1' })
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const spelled = await provider.quote(order, CALL)
  // White space, a number that no double holds, and escapes: all of it stays.
  const raw = spelled.raw.replace(/^\{/, '{ "x": [1e400, 18446744073709551615, "\\u00e9"] ,\n')
  world.instead = ({ path }) =>
    path === '/swap/v1/swap' ? json(200, { swapTransaction: 'AQ==', lastValidBlockHeight: 7 }) : null
  const material = await provider.build(order, { ...spelled, raw }, CALL)
  const { text, body } = world.exchanged.at(-1)!.request
  t.ok(text.endsWith(`,"quoteResponse":${raw}}`))
  const { quoteResponse: _, ...settings } = body as Record<string, unknown>
  t.same(settings, {
    userPublicKey: WALLET,
    wrapAndUnwrapSol: true,
    useSharedAccounts: false,
    dynamicComputeUnitLimit: true,
    prioritizationFeeLamports: {
      priorityLevelWithMaxLamports: { priorityLevel: 'high', maxLamports: 1_000_000 },
    },
  })
  t.same(material, {
    kind: 'solana',
    transaction: 'AQ==',
    lastValidBlockHeight: null,
    extra: { simulationError: null, prioritizationFeeLamports: null },
  })
})

t.test('a build of a small order asks for as much priority as its proof allows', async (t) => {
  const world = await startJupiter(t)
  const provider = jupiter({ upstream: world.upstream, api: 'v1' })
  for (const [side, amountIn] of [
    ['buy', 2_000_000n],
    ['sell', 300_000n],
  ] as const) {
    const order = orderOf(world.market, side, 'USDC', amountIn)
    const offer = await provider.quote(order, CALL)
    await provider.build(order, offer, CALL)
    const { prioritizationFeeLamports } = world.exchanged.at(-1)!.request.body as {
      prioritizationFeeLamports: object
    }
    const worth = side === 'buy' ? amountIn : offer.minOut
    const maxLamports = Number(worth / 10n)
    t.ok(maxLamports < 1_000_000)
    t.same(prioritizationFeeLamports, {
      priorityLevelWithMaxLamports: { priorityLevel: 'high', maxLamports },
    })
  }
})

t.test('each refusal of v1 and v2 has a code of ours', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const cases: readonly (readonly [number, unknown, string, number])[] = [
    ...(
      [
        ['NO_ROUTES_FOUND', 'no_route'],
        ['COULD_NOT_FIND_ANY_ROUTE', 'no_route'],
        ['MARKET_NOT_FOUND', 'no_route'],
        ['NOT_SUPPORTED', 'no_route'],
        ['CIRCULAR_ARBITRAGE_IS_DISABLED', 'no_route'],
        ['MAX_ACCOUNT_GREATER_THAN_MAX', 'no_route'],
        ['FAILED_TO_GET_SWAP_AND_ACCOUNT_METAS', 'no_route'],
        ['ROUTE_PLAN_DOES_NOT_CONSUME_ALL_THE_AMOUNT', 'amount_too_large'],
        ['CANNOT_COMPUTE_OTHER_AMOUNT_THRESHOLD', 'amount_too_small'],
        ['TOKEN_NOT_TRADABLE', 'unknown_token'],
        ['INVALID_COMPUTE_UNIT_PRICE_AND_PRIORITIZATION_FEE', 'upstream_status'],
        ['SOMETHING_NEW', 'upstream_status'],
      ] as const
    ).map(([errorCode, code]) => [400, { error: 'said so', errorCode }, code, 400] as const),
    [400, { error: 'Query parameter `amount` is wrong' }, 'upstream_status', 400],
    [400, 'not JSON', 'upstream_status', 400],
    [404, { error: 'Not Found' }, 'upstream_status', 404],
    [401, { message: 'API key does not have access to this endpoint' }, 'upstream_refused', 502],
    [403, { message: 'blocked by the firewall' }, 'upstream_refused', 502],
    [500, { error: 'Dynamic swap is missing dynamic swap details' }, 'upstream_failed', 502],
  ]
  for (const api of APIS) {
    const upstreamOf = await startJupiter(t)
    const provider = jupiter({
      upstream: upstreamOf.upstream,
      api,
      clock: sleepless(),
    })
    const offer = await provider.quote(order, CALL)
    for (const [status, body, code, ours] of cases) {
      upstreamOf.instead = () => json(status, body)
      const expected = { name: 'GatewayError', code, status: ours, fields: { provider: 'jupiter' } }
      await t.rejects(provider.quote(order, CALL), expected, `${api} quote: ${code}`)
      await t.rejects(provider.build(order, offer, CALL), expected, `${api} build: ${code}`)
    }
    upstreamOf.instead = () => null
    upstreamOf.dials.set('jupiter', '429')
    const limited = { code: 'upstream_rate_limited', status: 502 }
    await t.rejects(provider.quote(order, CALL), limited, `${api}: 429`)
  }
})

t.test('v2: its 500 for a mint that it does not trade is a refusal, and shuts nobody out', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const untradable = { ...order, tokenOut: { address: WALLET, isNative: false, decimals: 6 } }
  const provider = jupiter({ upstream: world.upstream, api: 'v2-order' })
  for (let nth = 0; nth < 6; nth++) {
    const failure = await failureOf(provider.quote(untradable, CALL))
    t.match(failure, { code: 'unknown_token', status: 400, fields: { provider: 'jupiter' } })
  }
  t.ok(await provider.quote(order, CALL), 'the breaker has not opened')

  world.instead = () => json(500, { error: 'Internal Server Error' })
  for (let nth = 0; nth < 5; nth++) {
    t.match(await failureOf(provider.quote(order, CALL)), { code: 'upstream_failed', status: 502 })
  }
  t.match(
    await failureOf(provider.quote(order, CALL)),
    { code: 'upstream_unavailable' },
    'any other 500 counts',
  )
})

t.test('an answer that is not one to the order is 502', async (t) => {
  for (const api of APIS) {
    const world = await startJupiter(t)
    const order = orderOf(world.market, 'buy', 'USDC', SOL)
    const provider = jupiter({ upstream: world.upstream, api })
    await provider.quote(order, CALL)
    const honest = bodyOf(world.exchanged[0]!.reply)
    const spoiled: readonly (readonly [string, unknown])[] = [
      ['not JSON', '{"garbage":'],
      ['a list', '[]'],
      ['another input', { ...honest, inputMint: WALLET }],
      ['another output', { ...honest, outputMint: WALLET }],
      ['another amount', { ...honest, inAmount: '1' }],
      ['another slippage', { ...honest, slippageBps: 50 }],
      ['a minimum below the slippage', { ...honest, otherAmountThreshold: '1' }],
      ['a minimum above the output', { ...honest, otherAmountThreshold: `9${honest.outAmount}` }],
      ['an output with a fraction', { ...honest, outAmount: '1.5' }],
      ['an output that is a number', { ...honest, outAmount: 41_873_522 }],
      ['an output above a u64', { ...honest, outAmount: '100000000000000000000' }],
      ['no route plan', { ...honest, routePlan: undefined }],
      ...(api === 'v2-order'
        ? ([
            ['RFQ', { ...honest, router: 'jupiterz' }],
            ['a fee above its bound', { ...honest, feeBps: 51 }],
            ['a fee in halves', { ...honest, feeBps: 2.5 }],
            ['a fee that is given', { ...honest, feeBps: -1 }],
          ] as const)
        : [['ExactOut', { ...honest, swapMode: 'ExactOut' }] as const]),
    ]
    for (const [name, body] of spoiled) {
      world.instead = () => json(200, body)
      await t.rejects(
        provider.quote(order, CALL),
        { code: 'upstream_unusable', status: 502 },
        `${api}: ${name}`,
      )
      // Five such answers in a row open the breaker.
      world.instead = () => null
      await provider.quote(order, CALL)
    }
    const nothing = { ...honest, outAmount: '0', otherAmountThreshold: '0' }
    world.instead = () => json(200, nothing)
    await t.rejects(provider.quote(order, CALL), { code: 'amount_too_small', status: 400 }, `${api}: nothing`)
    const { priceImpact: _, ...silent } = honest
    world.instead = () => json(200, { ...silent, priceImpactPct: 'unknown' })
    t.equal((await provider.quote(order, CALL)).priceImpactPct, null, `${api}: no number, no impact`)
  }
})

t.test('what Jupiter adds to a hop, or leaves out of it, changes nothing', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream, api: 'v1' })
  await provider.quote(order, CALL)
  const honest = bodyOf(world.exchanged[0]!.reply)
  const [hop] = honest.routePlan as [{ swapInfo: object }]
  const swapInfo = { ...hop.swapInfo, feeAmount: undefined, feeMint: undefined }
  const plans: readonly (readonly [string, unknown, unknown])[] = [
    ['no fees', [{ ...hop, swapInfo }], ['Raydium']],
    ['fees', [{ ...hop, swapInfo: { ...swapInfo, feeAmount: '1', feeMint: WALLET } }], ['Raydium']],
    ['no percentage', [{ ...hop, percent: null, bps: 10_000 }], ['Raydium']],
    ['no label', [{ ...hop, swapInfo: { ...swapInfo, label: undefined } }], [null]],
  ]
  for (const [name, routePlan, hops] of plans) {
    const mostReliableAmmsQuoteReport = { info: { [WALLET]: '1' } }
    const answer = JSON.stringify({ ...honest, platformFee: null, routePlan, mostReliableAmmsQuoteReport })
    world.instead = () => json(200, answer)
    const offer = await provider.quote(order, CALL)
    t.match(offer.details.stated, { hops }, name)
    t.equal(offer.raw, answer, 'and all of it goes back')
  }
})

t.test(
  'a simulation that failed is told beside the transaction, which can be signed all the same',
  async (t) => {
    const world = await startJupiter(t)
    const order = orderOf(world.market, 'buy', 'USDC', SOL)
    const provider = jupiter({ upstream: world.upstream, api: 'v1' })
    const offer = await provider.quote(order, CALL)
    const simulationError = { errorCode: 'TRANSACTION_ERROR', error: 'insufficient lamports' }
    const built = { swapTransaction: 'AQ==', lastValidBlockHeight: 7, prioritizationFeeLamports: 9 }
    world.instead = () => json(200, { ...built, simulationError })
    t.same(await provider.build(order, offer, CALL), {
      kind: 'solana',
      transaction: 'AQ==',
      lastValidBlockHeight: null,
      extra: { simulationError, prioritizationFeeLamports: 9 },
    })
  },
)

t.test('a rate limit is waited for until the second that Jupiter names', async (t) => {
  for (const api of APIS) {
    const world = await startJupiter(t)
    const order = orderOf(world.market, 'buy', 'USDC', SOL)
    const provider = jupiter({ upstream: world.upstream, api })
    const headers = { 'x-ratelimit-reset': `${world.now() / 1_000 + 40}` }
    world.instead = () => ({ ...json(429, { message: '[API Gateway] Too many requests' }), headers })
    const limited = await failureOf(provider.quote(order, CALL))
    t.match(limited, { code: 'upstream_rate_limited', status: 502, scope: 'provider' }, api)
    t.ok(limited.fields.retryAfterMs! > 38_000 && limited.fields.retryAfterMs! <= 41_000, api)
    t.match(await failureOf(provider.quote(order, CALL)), { code: 'upstream_rate_limited' })
    t.equal(world.exchanged.length, 1, 'and Jupiter is left alone until then')
  }
})

/** It stands still, and wakes who sleeps at once. */
function sleepless(onSleep: (ms: number) => void = () => {}): Clock {
  return clockOf({
    now: () => 0,
    after(ms, run) {
      onSleep(ms)
      queueMicrotask(run)
      return () => {}
    },
  })
}

t.test("a token's first seconds: asked once more after a second, if the deadline allows", async (t) => {
  for (const api of ['v1', 'v2-build'] as const) {
    const world = await startJupiter(t)
    const order = orderOf(world.market, 'buy', 'USDC', SOL)
    const slept: number[] = []
    const provider = jupiter({ upstream: world.upstream, api, clock: sleepless((ms) => slept.push(ms)) })
    const young =
      api === 'v1'
        ? json(400, { error: 'not tradable', errorCode: 'TOKEN_NOT_TRADABLE' })
        : json(500, { error: 'Something unexpected occurred' })
    world.instead = (_, nth) => (nth === 0 ? young : null)
    t.ok((await provider.quote(order, CALL)).expectedOut > 0n)
    t.same(slept, [1_000])
    t.equal(world.exchanged.length, 2)

    world.instead = () => young
    await t.rejects(provider.quote(order, CALL), { code: 'unknown_token' })
    t.equal(world.exchanged.length, 4, 'once, not for ever')
    await t.rejects(provider.quote(order, { ...CALL, deadlineMs: 1_499 }), { code: 'unknown_token' })
    t.equal(world.exchanged.length, 5, 'no time for it')

    const scope = new CancellationScope()
    const gone = jupiter({
      upstream: world.upstream,
      api,
      clock: sleepless(() => scope.cancel()),
    })
    await t.rejects(gone.quote(order, { ...CALL, scope }), { code: 'upstream_unavailable' })
    t.equal(world.exchanged.length, 6, 'nobody waits any more')
  }
})

t.test('a transaction that is too large is quoted again over fewer accounts', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream, api: 'v1' })
  const offer = await provider.quote(order, CALL)
  const built = (bytes: number) =>
    json(200, { swapTransaction: Buffer.alloc(bytes).toString('base64'), lastValidBlockHeight: 7 })
  let swaps = 0
  const tooLargeUntil = (nth: number) => (request: { path: string }) =>
    request.path === '/swap/v1/swap' ? built(++swaps < nth ? 1_233 : 1_232) : null

  const steps = [
    {},
    { maxAccounts: '48' },
    { maxAccounts: '32' },
    { maxAccounts: '24' },
    { onlyDirectRoutes: 'true' },
  ]
  for (const [i] of steps.entries()) {
    swaps = 0
    const from = world.exchanged.length
    world.instead = tooLargeUntil(i + 1)
    const material = await provider.build(order, offer, CALL)
    t.equal((material as { transaction: string }).transaction, Buffer.alloc(1_232).toString('base64'))
    const asked = world.exchanged.slice(from).filter(({ request }) => request.path === '/swap/v1/quote')
    t.same(
      asked.map(({ request }) => ({
        ...(request.query.has('maxAccounts') && { maxAccounts: request.query.get('maxAccounts') }),
        ...(request.query.has('onlyDirectRoutes') && {
          onlyDirectRoutes: request.query.get('onlyDirectRoutes'),
        }),
      })),
      steps.slice(1, i + 1),
      `${i} times too large`,
    )
    const shown = i === 0 ? { expectedOut: undefined } : { expectedOut: String(offer.expectedOut) }
    t.match((material as { extra: object }).extra, shown, 'says what it is for, where that is not the quote')
  }

  swaps = 0
  world.instead = tooLargeUntil(9)
  await t.rejects(provider.build(order, offer, CALL), {
    code: 'no_route',
    status: 400,
    message: /1232 bytes/,
  })
  t.equal(pathOf(world, -1), '/swap/v1/swap')

  swaps = 0
  const dearer = { ...offer, minOut: offer.expectedOut + 1n }
  await t.rejects(provider.build(order, dearer, CALL), {
    code: 'quote_moved',
    fields: { minOut: String(dearer.minOut), expectedOut: String(offer.expectedOut) },
  })

  swaps = 0
  world.instead = (request) =>
    request.path === '/swap/v1/swap' ? built(1_233) : json(400, { errorCode: 'NO_ROUTES_FOUND' })
  await t.rejects(provider.build(order, offer, CALL), { code: 'no_route' }, 'none over fewer accounts')
})

t.test('v2: the order that is built keeps to the minimum of the quote', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream, api: 'v2-order' })
  const offer = await provider.quote(order, CALL)
  const dearer = { ...offer, minOut: offer.expectedOut + 1n }
  await t.rejects(provider.build(order, dearer, CALL), {
    code: 'quote_moved',
    fields: { minOut: String(dearer.minOut), expectedOut: String(offer.expectedOut) },
  })
  t.equal(queryOf(world, -1).taker, WALLET)
  const quoted = bodyOf(world.exchanged[0]!.reply)
  const answers: readonly (readonly [object, string])[] = [
    [{ transaction: '', errorCode: 1 }, 'amount_too_large'],
    [{ transaction: '', errorCode: 2 }, 'amount_too_large'],
    [{ transaction: '', errorCode: 3 }, 'amount_too_small'],
    [{ transaction: '', errorCode: 4 }, 'upstream_unusable'],
    [{ transaction: null }, 'upstream_unusable'],
    [{ transaction: Buffer.alloc(1_233).toString('base64') }, 'no_route'],
  ]
  for (const [fields, code] of answers) {
    world.instead = () => json(200, { ...quoted, ...fields })
    await t.rejects(provider.build(order, offer, CALL), { code }, JSON.stringify(fields).slice(0, 60))
  }
  world.instead = () =>
    json(200, {
      ...quoted,
      transaction: 'AQ==',
      lastValidBlockHeight: '369118902',
      prioritizationFeeLamports: 5,
    })
  t.match(await provider.build(order, offer, CALL), {
    transaction: 'AQ==',
    lastValidBlockHeight: null,
    extra: { minOut: String(offer.minOut), prioritizationFeeLamports: 5 },
  })
})

/** A build's answer as the sandbox gave it to the last request. */
const lastBuild = ({ exchanged }: JupiterWorld) => bodyOf(exchanged.at(-1)!.reply) as unknown as V2Build

t.test('v2 build: a quote names no wallet, and a build asks anew in the name of the wallet', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream, api: 'v2-build' })
  const offer = await provider.quote(order, CALL)
  const { taker, ...asked } = queryOf(world, -1)
  t.not(taker, WALLET)
  t.same(asked, {
    inputMint: 'So11111111111111111111111111111111111111112',
    outputMint: order.tokenOut.address,
    amount: '1000000000',
    slippageBps: '300',
    wrapAndUnwrapSol: 'true',
    computeUnitPricePercentile: 'high',
  })
  const quoted = lastBuild(world)
  t.equal(offer.expectedOut.toString(), quoted.outAmount)
  t.equal(offer.minOut.toString(), quoted.otherAmountThreshold)
  t.equal(offer.priceImpactPct, Number(quoted.priceImpactPct) * 100)
  t.same(offer.details, { fees: [], stated: { hops: ['Raydium'] } })
  t.notMatch(offer.raw, /nstruction/, 'the instructions for nobody go no further')

  const material = await provider.build(order, offer, CALL)
  t.same(queryOf(world, -1), { ...asked, taker: WALLET })
  t.equal(world.exchanged.length, 2)
  t.match(material, {
    kind: 'solana',
    lastValidBlockHeight: null,
    extra: {
      expectedOut: `${offer.expectedOut}`,
      minOut: `${offer.minOut}`,
      prioritizationFeeLamports: 4_000,
    },
  })
  const { checks } = await provider.prove(order, offer, material)
  t.same(checks, JUPITER_CHECKS)

  const [tokenIn, tokenOut] = [tokenOf(world.market, 'USDC'), tokenOf(world.market, 'JUP')]
  await provider.quote({ ...order, tokenIn, tokenOut }, CALL)
  t.equal(queryOf(world, -1).wrapAndUnwrapSol, 'false', 'no SOL is asked for')
})

t.test('v2 build: what is built keeps to the minimum of the quote', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream, api: 'v2-build' })
  const offer = await provider.quote(order, CALL)
  const dearer = { ...offer, minOut: offer.expectedOut + 1n }
  await t.rejects(provider.build(order, dearer, CALL), {
    code: 'quote_moved',
    fields: { minOut: String(dearer.minOut), expectedOut: String(offer.expectedOut) },
  })
  const closer = { ...offer, minOut: (offer.expectedOut * 9_900n) / 10_000n }
  const from = world.exchanged.length
  const material = await provider.build(order, closer, CALL)
  t.same(
    world.exchanged.slice(from).map(({ request }) => request.query.get('slippageBps')),
    ['300', '100'],
  )
  t.ok(BigInt((material as unknown as { extra: { minOut: string } }).extra.minOut) >= closer.minOut)
  t.ok(await provider.prove(order, closer, material), 'and the bytes say so')
  const loose = { ...order, slippageBps: 301 }
  await provider.quote(loose, CALL)
  const looser = lastBuild(world)
  world.instead = ({ query }) =>
    query.get('slippageBps') === '100' ? json(200, { ...looser, slippageBps: 100 }) : null
  await t.rejects(provider.build(order, closer, CALL), { code: 'upstream_unusable' })
})

t.test('v2 build: a transaction that is too large is asked for over fewer accounts', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream, api: 'v2-build' })
  const offer = await provider.quote(order, CALL)
  const answer = lastBuild(world)
  const data = Buffer.alloc(1_233).toString('base64')
  const large = { ...answer, swapInstruction: { ...answer.swapInstruction, data } }
  for (const [i, asked] of [[null], [null, '48'], [null, '48', '32'], [null, '48', '32', '24']].entries()) {
    const from = world.exchanged.length
    world.instead = (_, nth) => (nth < from + i ? json(200, large) : null)
    t.ok(await provider.build(order, offer, CALL))
    t.same(
      world.exchanged.slice(from).map(({ request }) => request.query.get('maxAccounts')),
      asked,
    )
  }
  world.instead = () => json(200, large)
  await t.rejects(provider.build(order, offer, CALL), {
    code: 'no_route',
    status: 400,
    message: /1232 bytes/,
  })
})

t.test('v2 build: the price of priority is capped, and a limit of its own stands', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream, api: 'v2-build' })
  const offer = await provider.quote(order, CALL)
  const answer = lastBuild(world)
  const budget = (kind: number, bytes: number, value: bigint) => {
    const data = Buffer.alloc(9)
    data[0] = kind
    data.writeBigUInt64LE(value, 1)
    return {
      programId: 'ComputeBudget111111111111111111111111111111',
      accounts: [],
      data: data.subarray(0, bytes).toString('base64'),
    }
  }
  const price = (value: bigint) => budget(3, 9, value)
  const [step] = answer.routePlan
  const cases = [
    ['below the cap', [price(1_000_000n)], 1, '1000000', 400_000],
    ['above it', [price(2n ** 64n - 1n)], 1, '2500000', 1_000_000],
    ['a long route', [price(1_000_000n)], 9, '714285', 999_999],
    ['no price', [], 1, '0', 0],
    ['a limit', [budget(2, 5, 100_000n), price(20_000_000n)], 1, '10000000', 1_000_000],
    ['a limit of nothing', [budget(2, 5, 0n), price(5n)], 1, '5', 0],
  ] as const
  for (const [name, computeBudgetInstructions, steps, computeUnitPrice, lamports] of cases) {
    const routePlan = Array.from({ length: steps }, () => step)
    world.instead = ({ query }) =>
      query.get('taker') === WALLET ? json(200, { ...own, computeBudgetInstructions, routePlan }) : null
    const own = await ownAnswer(world, order)
    const material = await provider.build(order, offer, CALL)
    t.match(material, { extra: { prioritizationFeeLamports: lamports } }, name)
    const proof = await provider.prove(order, offer, material)
    t.match(proof, { computeUnitPrice, priorityLamports: `${lamports}` }, name)
  }
})

/** The sandbox's answer to a wallet's own build. */
async function ownAnswer(world: JupiterWorld, order: ReturnType<typeof orderOf>): Promise<V2Build> {
  const query = new URLSearchParams({
    inputMint: 'So11111111111111111111111111111111111111112',
    outputMint: order.tokenOut.address,
    amount: `${order.amountIn}`,
    slippageBps: `${order.slippageBps}`,
    taker: order.from,
  })
  const before = world.instead
  world.instead = () => null
  const answer = await (await fetch(`${world.url}/swap/v2/build?${query}`)).json()
  world.instead = before
  return answer as V2Build
}

t.test('v2 build: an answer of which no sound transaction can be made is refused', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream, api: 'v2-build' })
  const offer = await provider.quote(order, CALL)
  const own = await ownAnswer(world, order)
  const { swapInstruction, setupInstructions } = own
  const thief = { ...swapInstruction, programId: own.outputMint }
  const signs = { pubkey: own.outputMint, isSigner: true, isWritable: false }
  const unusable = { code: 'upstream_unusable', status: 502 }
  const cases: readonly (readonly [string, object, object])[] = [
    ['no swap', { swapInstruction: undefined }, unusable],
    ['no setup', { setupInstructions: null }, unusable],
    ['a program that is no address', { swapInstruction: { ...swapInstruction, programId: 'me' } }, unusable],
    ['an address of 33 bytes', { swapInstruction: { ...thief, programId: 'z'.repeat(44) } }, unusable],
    ['a table that is no address', { addressesByLookupTableAddress: { table: [own.outputMint] } }, unusable],
    ["another's wallet", await ownAnswer(world, { ...order, from: own.outputMint }), { rule: 'signers' }],
    ['another program', { otherInstructions: [thief] }, { rule: 'program' }],
    [
      'another signer',
      { swapInstruction: { ...swapInstruction, accounts: [...swapInstruction.accounts, signs] } },
      { rule: 'signers' },
    ],
    ['two swaps', { otherInstructions: [swapInstruction] }, { rule: 'route' }],
    ["SOL that stays wrapped is the wallet's", { cleanupInstruction: null }, { code: 'none' }],
    [
      'wrapped twice',
      { setupInstructions: [...setupInstructions, ...setupInstructions] },
      { rule: 'transfer_amount' },
    ],
  ]
  for (const [name, fields, expected] of cases) {
    world.instead = () => json(200, { ...own, ...fields })
    const proving = provider
      .build(order, offer, CALL)
      .then((material) => provider.prove(order, offer, material))
      .then(
        () => ({ code: 'none' }),
        (error) => ({ code: error.code, status: error.status, rule: error.fields.rule }),
      )
    t.match(await proving, expected, name)
    world.instead = () => null
    await provider.quote(order, CALL)
  }
})

t.test('with a key the current API is asked, without one v1, and whichever the operator names', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const cases = [
    [{}, '/swap/v1/quote'],
    [{ JUPITER_API: '' }, '/swap/v1/quote'],
    [{ JUPITER_API_KEY: 'k' }, '/swap/v2/build'],
    [{ JUPITER_API_KEY: 'k', JUPITER_API: 'v1' }, '/swap/v1/quote'],
    [{ JUPITER_API_KEY: 'k', JUPITER_API: 'v2-order' }, '/swap/v2/order'],
    [{ JUPITER_API: 'v2-build' }, '/swap/v2/build'],
  ] as const
  for (const [environment, path] of cases) {
    const config = readConfig({ ...environment, SWAPCOFFEE_URL: 'off' })
    const connections = new Connections({
      config,
      sandboxUrls: { jupiter: world.url },
      context: createUpstreamContext(),
    })
    const unused = null as never
    const rules = { simulate: unused, blockhash: unused, minimum: 'proved' } as const
    const { swaps } = createSwaps({ config, connections, evm: unused, ton: unused, clock: CLOCK }, rules)
    const [provider] = swaps.get('solana')!
    await provider!.quote(order, CALL)
    t.equal(pathOf(world, -1), path, JSON.stringify(environment))
    await Promise.all(connections.upstreams.map((upstream) => upstream.close()))
  }
})

t.test('an answer to a build that gives the key away is not handed on', async (t) => {
  const key = 'a-secret-api-key'
  const world = await startJupiter(t, headersFor('jupiter', key))
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream, api: 'v1' })
  const offer = await provider.quote(order, CALL)
  t.equal(world.exchanged[0]!.request.headers['x-api-key'], key)
  world.instead = () =>
    json(200, { swapTransaction: 'AQ==', lastValidBlockHeight: 7, simulationError: { error: `key ${key}` } })
  await t.rejects(provider.build(order, offer, CALL), { code: 'upstream_unusable' })

  world.instead = () => null
  const v2 = jupiter({ upstream: world.upstream, api: 'v2-build' })
  const own = await ownAnswer(world, order)
  world.instead = () => json(200, { ...own, routePlan: [{ swapInfo: { label: `key ${key}` } }] })
  await t.rejects(v2.build(order, offer, CALL), { code: 'upstream_unusable' })
})

t.test('without a key no header is sent, least of all an empty one', async (t) => {
  t.same(headersFor('jupiter', null), {})
  t.same(headersFor('jupiter', ''), {})
  t.same(headersFor('jupiter', 'k'), { 'x-api-key': 'k' })
})

t.test('one deadline is over all requests of a build', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  let now = 0
  const provider = jupiter({
    upstream: world.upstream,
    api: 'v1',
    clock: { ...sleepless(), now: () => now },
  })
  const offer = await provider.quote(order, CALL)
  world.instead = ({ path }) => {
    now += CALL.deadlineMs
    const swapTransaction = Buffer.alloc(2_000).toString('base64')
    return path === '/swap/v1/swap' ? json(200, { swapTransaction, lastValidBlockHeight: 7 }) : null
  }
  await t.rejects(provider.build(order, offer, CALL), { code: 'upstream_timeout' })
})

t.test('the rules for its material know no other way to pay than the swap', async (t) => {
  const { upstream } = await startJupiter(t)
  for (const api of APIS) {
    t.match(jupiter({ upstream, api }), {
      label: 'jupiter',
      canBuild: true,
      freshMs: 30_000,
      chains: new Set(['solana']),
      rules: { maxComputeUnitPrice: 50_000_000n },
    })
    t.same(jupiter({ upstream, api, maxComputeUnitPrice: 7n }).rules, { maxComputeUnitPrice: 7n })
  }
})

t.test('a minimum keeps to the slippage whichever way it was rounded, and no further', async () => {
  const amount = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n })
  fc.assert(
    fc.property(amount, fc.integer({ min: 1, max: 5_000 }), (expected, bps) => {
      const exact = expected * BigInt(10_000 - bps)
      const floor = exact / 10_000n
      const ceiling = (exact + 9_999n) / 10_000n
      const keeps = (minimum: bigint) => keepsSlippage(`${expected}`, `${minimum}`, bps)
      return keeps(floor) && keeps(ceiling) && !keeps(floor - 2n) && !keeps(expected + 1n)
    }),
  )
})
