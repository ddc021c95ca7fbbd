/** Jupiter's adapter, against the sandbox's Jupiter, and what it says in Jupiter's worse moments. */

import t from 'tap'
import { associatedAccount } from '../../../src/chains/solana/associated.ts'
import { createTokenAccount } from '../../../src/chains/solana/instructions.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '../../../src/chains/solana/programs.ts'
import { readConfig } from '../../../src/config/config.ts'
import { headersFor } from '../../../src/config/providers.ts'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import { JUPITER_CHECKS } from '../../../src/proof/solana/jupiter.ts'
import type { BuildOrder } from '../../../src/proof/terms/order.ts'
import { Connections } from '../../../src/providers/connect.ts'
import type { V2Build } from '../../../src/providers/swap/jupiter.ts'
import { jupiter } from '../../../src/providers/swap/jupiter.ts'
import { keepsSlippage } from '../../../src/providers/swap/jupiter-wire.ts'
import { createSwaps } from '../../../src/providers/swaps.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import { CLOCK } from '../../../src/runtime/clock.ts'
import { createUpstreamContext } from '../../../src/upstream/context.ts'
import { callOf } from '../../fixtures/call.ts'
import { clockOf } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'
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
const pathOf = ({ exchanged }: JupiterWorld, nth: number) => exchanged.at(nth)!.request.path
const queryOf = ({ exchanged }: JupiterWorld, nth: number) =>
  Object.fromEntries(exchanged.at(nth)!.request.query)

t.test('every slippage that the gateway takes reaches Jupiter as it is', async (t) => {
  const world = await startJupiter(t)
  const provider = jupiter({ upstream: world.upstream })
  for (const slippageBps of [1, 50, 300, 5_000]) {
    const order = { ...orderOf(world.market, 'buy', 'USDC', SOL), slippageBps }
    const { expectedOut, minOut } = await provider.quote(order, CALL)
    t.equal(queryOf(world, -1).slippageBps, `${slippageBps}`)
    t.equal(minOut, (expectedOut * BigInt(10_000 - slippageBps)) / 10_000n, `${slippageBps} bps`)
  }
})

t.test('each refusal has one of our own codes', async (t) => {
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
  const upstreamOf = await startJupiter(t)
  const provider = jupiter({
    upstream: upstreamOf.upstream,
  })
  const offer = await provider.quote(order, CALL)
  for (const [status, body, code, ours] of cases) {
    upstreamOf.instead = () => json(status, body)
    const expected = { name: 'GatewayError', code, status: ours, fields: { provider: 'jupiter' } }
    await t.rejects(provider.quote(order, CALL), expected, `quote: ${code}`)
    await t.rejects(provider.build(order, offer, CALL), expected, `build: ${code}`)
  }
  upstreamOf.instead = () => null
  upstreamOf.dials.set('jupiter', '429')
  const limited = { code: 'upstream_rate_limited', status: 502 }
  await t.rejects(provider.quote(order, CALL), limited, '429')
})

t.test('its 500 for an untraded mint is a refusal, and does not open the breaker', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const untradable = { ...order, tokenOut: { address: WALLET, isNative: false, decimals: 6 } }
  const provider = jupiter({ upstream: world.upstream })
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
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream })
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
    ['ExactOut', { ...honest, swapMode: 'ExactOut' }],
  ]
  for (const [name, body] of spoiled) {
    world.instead = () => json(200, body)
    await t.rejects(provider.quote(order, CALL), { code: 'upstream_unusable', status: 502 }, name)
    // Five such answers in a row open the breaker.
    world.instead = () => null
    await provider.quote(order, CALL)
  }
  const nothing = { ...honest, outAmount: '0', otherAmountThreshold: '0' }
  world.instead = () => json(200, nothing)
  await t.rejects(provider.quote(order, CALL), { code: 'amount_too_small', status: 400 }, 'nothing')
  world.instead = () => json(200, { ...honest, priceImpactPct: 'unknown' })
  t.equal((await provider.quote(order, CALL)).priceImpactPct, null, 'no number, no impact')
})

t.test('what Jupiter adds to a hop, or leaves out of it, changes nothing', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream })
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
  }
})

t.test('a rate limit is waited for until the second that Jupiter names', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream })
  const headers = { 'x-ratelimit-reset': `${world.now() / 1_000 + 40}` }
  world.instead = () => ({ ...json(429, { message: '[API Gateway] Too many requests' }), headers })
  const limited = await failureOf(provider.quote(order, CALL))
  t.match(limited, { code: 'upstream_rate_limited', status: 502, scope: 'provider' })
  t.ok(limited.fields.retryAfterMs! > 38_000 && limited.fields.retryAfterMs! <= 41_000)
  t.match(await failureOf(provider.quote(order, CALL)), { code: 'upstream_rate_limited' })
  t.equal(world.exchanged.length, 1, 'and Jupiter is left alone until then')
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

t.test(
  "in a token's first seconds, the call is repeated after a second, if the deadline allows",
  async (t) => {
    const world = await startJupiter(t)
    const order = orderOf(world.market, 'buy', 'USDC', SOL)
    const slept: number[] = []
    const provider = jupiter({ upstream: world.upstream })
    const clock = sleepless((ms) => slept.push(ms))
    const call = (ms = 60_000) => callOf(ms, null, 'quote', clock)
    const young = json(500, { error: 'Something unexpected occurred' })
    world.instead = (_, nth) => (nth === 0 ? young : null)
    t.ok((await provider.quote(order, call())).expectedOut > 0n)
    t.same(slept, [1_000])
    t.equal(world.exchanged.length, 2)

    world.instead = () => young
    await t.rejects(provider.quote(order, call()), { code: 'unknown_token' })
    t.equal(world.exchanged.length, 4, 'once, not for ever')
    await t.rejects(provider.quote(order, call(1_499)), { code: 'unknown_token' })
    t.equal(world.exchanged.length, 5, 'no time for it')

    const scope = new CancellationScope()
    const gone = callOf(
      60_000,
      scope,
      'quote',
      sleepless(() => scope.cancel()),
    )
    await t.rejects(provider.quote(order, gone), { code: 'upstream_unavailable' })
    t.equal(world.exchanged.length, 6, 'nobody waits any more')
  },
)

/** A build's answer as the sandbox gave it to the last request. */
const lastBuild = ({ exchanged }: JupiterWorld) => bodyOf(exchanged.at(-1)!.reply) as unknown as V2Build

t.test('a quote names no wallet, and a build asks again with the wallet', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream })
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
  t.equal(
    offer.minOut,
    (BigInt(quoted.outAmount) * 9_700n) / 10_000n,
    'rounded down, where Jupiter rounds up',
  )
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
      prioritizationFeeLamports: 6_000,
    },
  })
  const { checks } = await provider.prove(order, offer, material, callOf())
  t.same(checks, JUPITER_CHECKS)

  const [tokenIn, tokenOut] = [tokenOf(world.market, 'USDC'), tokenOf(world.market, 'JUP')]
  await provider.quote({ ...order, tokenIn, tokenOut }, CALL)
  t.equal(queryOf(world, -1).wrapAndUnwrapSol, 'false', 'no SOL is asked for')
})

t.test('for another wallet its account is named, opened and pinned here, and SOL wrapped', async (t) => {
  const world = await startJupiter(t)
  const receiver = 'HWHvQhFmJB3NUcu1aihKmrKegfVxBEHzwVX6yZCKEsi1'
  for (const [tokenProgram, symbol] of [
    [TOKEN_PROGRAM, 'USDC'],
    [TOKEN_2022_PROGRAM, 'SCALED'],
  ] as const) {
    const order = { ...orderOf(world.market, 'buy', symbol, SOL / 10n), receiver }
    const provider = jupiter({ upstream: world.upstream })
    const offer = await provider.quote(order, CALL)
    const { destinationTokenAccount: none, wrapAndUnwrapSol } = queryOf(world, -1)
    t.same([none, wrapAndUnwrapSol], [undefined, 'true'], 'a quote names no wallet')
    const account = associatedAccount(receiver, order.tokenOut.address, tokenProgram)
    const material = await provider.build(order, offer, CALL)
    t.match(queryOf(world, -1), {
      destinationTokenAccount: account,
      wrapAndUnwrapSol: 'false',
      taker: WALLET,
    })
    t.match(await provider.prove(order, offer, material, callOf()), { recipient: receiver })

    // Whatever Jupiter itself prepares for it.
    const answer = lastBuild(world)
    for (const byte of [0, 1]) {
      const { program, accounts } = createTokenAccount(WALLET, receiver, order.tokenOut.address, tokenProgram)
      const opening = {
        programId: program,
        accounts: accounts.map(({ address, ...use }) => ({ pubkey: address, ...use })),
        data: Buffer.of(byte).toString('base64'),
      }
      world.instead = () => json(200, { ...answer, setupInstructions: [opening] })
      const built = await provider.build(order, offer, CALL)
      t.same(built, material)
    }
    world.instead = () => null

    const { programOut, ...older } = JSON.parse(offer.raw)
    t.equal(programOut, tokenProgram)
    for (const raw of [older, { ...older, programOut: WALLET }])
      await t.rejects(provider.build(order, { ...offer, raw: JSON.stringify(raw) }, CALL), {
        code: 'no_route',
        message: /Ask for another quote/,
      })
  }
})

t.test("a build keeps the quote's minimum", async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream })
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
  t.ok(await provider.prove(order, closer, material, callOf()), 'and the bytes say so')
  const loose = { ...order, slippageBps: 301 }
  await provider.quote(loose, CALL)
  const looser = lastBuild(world)
  world.instead = ({ query }) =>
    query.get('slippageBps') === '100' ? json(200, { ...looser, slippageBps: 100 }) : null
  await t.rejects(provider.build(order, closer, CALL), { code: 'upstream_unusable' })
})

t.test('a transaction that is too large is asked for over fewer accounts', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream })
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

/** An instruction of the Compute Budget program. */
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
t.test(
  'room is left for guards, or the build is refused; for the wallet where a route allows it',
  async (t) => {
    const world = await startJupiter(t)
    const order = orderOf(world.market, 'buy', 'USDC', SOL)
    const provider = jupiter({ upstream: world.upstream })
    const offer = await provider.quote(order, CALL)
    const sizeOf = async (one: BuildOrder) => {
      const from = world.exchanged.length
      const material = await provider.build(one, offer, CALL)
      if (material.kind !== 'solana') throw new Error('it is of Solana')
      const asked = world.exchanged.slice(from).map(({ request }) => request.query.get('maxAccounts'))
      return { asked, bytes: Buffer.from(material.transaction, 'base64').length }
    }
    const usual = await sizeOf(order)
    const answer = lastBuild(world)
    /** A route that makes the transaction as long; its data then has a length of two bytes. */
    const routed = (bytes: number) => {
      const { data } = answer.swapInstruction
      const more = Buffer.concat([Buffer.from(data, 'base64'), Buffer.alloc(bytes - usual.bytes - 1)])
      return json(200, {
        ...answer,
        swapInstruction: { ...answer.swapInstruction, data: more.toString('base64') },
      })
    }
    const sizes = (first: number, second: number | null) => {
      const from = world.exchanged.length
      world.instead = (_, nth) =>
        nth === from ? routed(first) : second === null ? json(400, {}) : routed(second)
    }
    const [guards, headroomBytes] = [true, 160]
    sizes(1_104, null)
    t.same(await sizeOf({ ...order, guards }), { asked: [null], bytes: 1_104 }, 'room for guards')
    sizes(1_105, 1_000)
    t.same(await sizeOf({ ...order, guards }), { asked: [null, '48'], bytes: 1_000 }, 'too little')
    sizes(1_105, 1_105)
    const refusal = { code: 'no_route', status: 400, message: /room for guards/ }
    await t.rejects(provider.build({ ...order, guards }, offer, CALL), refusal)
    sizes(1_072, null)
    t.same(await sizeOf({ ...order, headroomBytes }), { asked: [null], bytes: 1_072 }, 'room for the wallet')
    sizes(1_073, 1_000)
    t.same(
      await sizeOf({ ...order, headroomBytes }),
      { asked: [null, '48'], bytes: 1_000 },
      'a shorter route',
    )
    sizes(1_232, 1_231)
    t.same(
      await sizeOf({ ...order, headroomBytes }),
      { asked: [null, '48'], bytes: 1_231 },
      'as short as there is',
    )
    sizes(1_232, null)
    t.same(
      await sizeOf({ ...order, headroomBytes }),
      { asked: [null, '48'], bytes: 1_232 },
      'no refusal for that',
    )
    const poorer = { ...answer, outAmount: '1', otherAmountThreshold: '1' }
    const from = world.exchanged.length
    world.instead = (_, nth) => (nth === from ? routed(1_200) : json(200, poorer))
    t.same((await sizeOf({ ...order, headroomBytes })).bytes, 1_200, 'nor for less than the minimum')
  },
)

t.test('the price of priority is capped, and a limit of its own stands', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream })
  const offer = await provider.quote(order, CALL)
  const answer = lastBuild(world)
  const [step] = answer.routePlan
  const cases = [
    ['below the cap', [price(1_000_000n)], 1, '1000000', 600_000],
    ['above it', [price(2n ** 64n - 1n)], 1, '1666666', 1_000_000],
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
    const proof = await provider.prove(order, offer, material, callOf())
    t.match(proof, { computeUnitPrice, priorityLamports: `${lamports}` }, name)
  }
  for (const [side, amountIn] of [
    ['buy', 2_000_000n],
    ['sell', 300_000n],
  ] as const) {
    const small = orderOf(world.market, side, 'USDC', amountIn)
    world.instead = () => null
    const agreed = await provider.quote(small, CALL)
    const own = await ownAnswer(world, small)
    world.instead = () => json(200, { ...own, computeBudgetInstructions: [price(2n ** 40n)] })
    const { extra } = (await provider.build(small, agreed, CALL)) as never as {
      extra: Record<string, number>
    }
    const most = Number((side === 'buy' ? amountIn : agreed.minOut) / 10n)
    t.ok(extra.prioritizationFeeLamports! <= most && extra.prioritizationFeeLamports! > most - 2, side)
  }
})

/** The sandbox's answer to a wallet's own build. */
async function ownAnswer(world: JupiterWorld, order: ReturnType<typeof orderOf>): Promise<V2Build> {
  const query = new URLSearchParams({
    inputMint: order.tokenIn.isNative ? WRAPPED_SOL_MINT : order.tokenIn.address,
    outputMint: order.tokenOut.isNative ? WRAPPED_SOL_MINT : order.tokenOut.address,
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

t.test('an answer of which no sound transaction can be made is refused', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream })
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
      .then((material) => provider.prove(order, offer, material, callOf()))
      .then(
        () => ({ code: 'none' }),
        (error) => ({ code: error.code, status: error.status, rule: error.fields.rule }),
      )
    t.match(await proving, expected, name)
    world.instead = () => null
    await provider.quote(order, CALL)
  }
})

t.test('with a key and without, the same API is asked', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  for (const environment of [{}, { JUPITER_API_KEY: 'k' }]) {
    const config = readConfig({ ...environment, SWAPCOFFEE_URL: 'off' })
    const connections = new Connections({
      config,
      sandboxUrls: { jupiter: world.url },
      context: createUpstreamContext(),
    })
    const unused = null as never
    const rules = { simulate: unused, blockhash: unused, minimum: 'proved' } as const
    const { swaps } = createSwaps(
      { config, connections, solana: unused, evm: unused, ton: unused, suiObjects: unused, clock: CLOCK },
      rules,
    )
    const [provider] = swaps.get('solana')!
    await provider!.quote(order, CALL)
    t.equal(pathOf(world, -1), '/swap/v2/build', JSON.stringify(environment))
    await Promise.all(connections.upstreams.map((upstream) => upstream.close()))
  }
})

t.test('an answer to a build that gives the key away is not handed on', async (t) => {
  const key = 'a-secret-api-key'
  const world = await startJupiter(t, headersFor('jupiter', key))
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream })
  const offer = await provider.quote(order, CALL)
  t.equal(world.exchanged[0]!.request.headers['x-api-key'], key)
  const own = await ownAnswer(world, order)
  world.instead = () => json(200, { ...own, routePlan: [{ swapInfo: { label: `key ${key}` } }] })
  await t.rejects(provider.build(order, offer, CALL), { code: 'upstream_unusable' })
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
  const provider = jupiter({ upstream: world.upstream })
  const call = callOf(60_000, null, 'build', { ...sleepless(), now: () => now })
  const offer = await provider.quote(order, CALL)
  const answer = lastBuild(world)
  const data = Buffer.alloc(1_233).toString('base64')
  world.instead = () => {
    now += 60_000
    return json(200, { ...answer, swapInstruction: { ...answer.swapInstruction, data } })
  }
  await t.rejects(provider.build(order, offer, call), { code: 'upstream_timeout' })
})

t.test('it serves Solana, and its offers stay fresh for half a minute', async (t) => {
  const { upstream } = await startJupiter(t)
  const expected = { label: 'jupiter', freshMs: 30_000, chains: new Set(['solana']) }
  t.match(jupiter({ upstream }), expected)
})

t.test('its material may offer what is configured for a compute unit, or 50,000,000', async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const provider = jupiter({ upstream: world.upstream })
  const offer = await provider.quote(order, CALL)
  const unit = budget(2, 5, 1n)
  const priced = async (micros: bigint) => {
    const own = await ownAnswer(world, order)
    world.instead = ({ query }) =>
      query.get('taker') === WALLET
        ? json(200, { ...own, computeBudgetInstructions: [unit, price(micros)] })
        : null
    const material = await provider.build(order, offer, CALL)
    world.instead = () => null
    return material
  }
  const within = await priced(50_000_000n)
  const above = await priced(50_000_001n)
  t.match(await provider.prove(order, offer, within, callOf()), { computeUnitPrice: '50000000' })
  const rule = 'compute_unit_price'
  await t.rejects(async () => provider.prove(order, offer, above, callOf()), {
    code: 'material_refused',
    fields: { rule },
  })
  const frugal = jupiter({ upstream: world.upstream, maxComputeUnitPrice: 49_999_999n })
  await t.rejects(async () => frugal.prove(order, offer, within, callOf()), {
    code: 'material_refused',
    fields: { rule },
  })
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
