/**
 * What we send to Jupiter, and what the sandbox answers in its name, against
 * Jupiter's own OpenAPI documents of v1 and v2.
 *
 * Deviations, and what they rest on:
 * - v1's document describes only status 200; the refusals are known from
 *   Jupiter's prose and its clients, so they are compared with nothing here.
 * - v1's `platformFee` is not nullable in the document, and null where no fee
 *   is charged; so it is in the sandbox's, and in the quote that goes back.
 * - v2's `otherAmountThreshold` and the like have no `required` list: the test
 *   of the adapter covers what we need of them.
 */

import { type QuoteResponse, SwapMode, type SwapRequest, type SwapResponse } from '@jup-ag/api'
import t from 'tap'
import { jupiter } from '../../src/providers/swap/jupiter.ts'
import type { V1Quote, V1Swap } from '../../src/providers/swap/jupiter-v1.ts'
import { bodyOf, CALL, orderOf, startJupiter } from '../fixtures/jupiter.ts'
import { loadOpenApi } from '../fixtures/openapi.ts'

const SOL = 1_000_000_000n

const unexplained = (violations: readonly string[]): readonly string[] =>
  violations.filter((violation) => !violation.endsWith('/platformFee must be object'))

for (const [api, file, base] of [
  ['v1', 'jupiter-swap-v1.yaml', '/swap/v1'],
  ['v2-build', 'jupiter-swap-v2.yaml', '/swap/v2'],
  ['v2-order', 'jupiter-swap-v2.yaml', '/swap/v2'],
] as const) {
  t.test(`${api}, ${file}: each request, and each answer of the sandbox`, async (t) => {
    const document = loadOpenApi(t, file)
    if (document === null) return
    const world = await startJupiter(t)
    const provider = jupiter({ upstream: world.upstream, api })
    for (const side of ['buy', 'sell'] as const) {
      for (const symbol of ['USDC', 'BONK', 'RAY']) {
        const order = orderOf(world.market, side, symbol, side === 'buy' ? SOL : 1_000_000n)
        const offer = await provider.quote(order, CALL)
        // The wallet is empty: v1 tells it beside the transaction, v2's order instead of it, v2's build not at all.
        const building = provider.build(order, offer, CALL)
        await (api === 'v2-order' ? t.rejects(building, { code: 'amount_too_large' }) : building)
      }
    }
    if (api === 'v1') {
      // Too large once, so that the query for a smaller one is seen as well.
      const order = orderOf(world.market, 'buy', 'USDC', SOL)
      const offer = await provider.quote(order, CALL)
      const large = { swapTransaction: Buffer.alloc(1_233).toString('base64'), lastValidBlockHeight: 1 }
      let swaps = 0
      world.instead = ({ path }) =>
        path.endsWith('/swap') && ++swaps < 5 ? { status: 200, body: large } : null
      await provider.build(order, offer, CALL)
    }
    if (api === 'v2-build') {
      // Too large three times, so that each query for a smaller one is seen as well.
      const order = orderOf(world.market, 'buy', 'USDC', SOL)
      const offer = await provider.quote(order, CALL)
      const from = world.exchanged.length
      const { swapInstruction, ...rest } = bodyOf(world.exchanged.at(-1)!.reply)
      const data = Buffer.alloc(1_233).toString('base64')
      const large = { ...rest, swapInstruction: { ...(swapInstruction as object), data } }
      world.instead = (_, nth) => (nth < from + 3 ? { status: 200, body: large } : null)
      await provider.build(order, offer, CALL)
    }
    const seen = new Set<string>()
    for (const { request, reply } of world.exchanged) {
      const { method, query, body } = request
      const path = request.path.slice(base.length)
      const sent = body === undefined ? { query } : { query, body }
      const answer = document.response(method, path, reply.status, bodyOf(reply))
      t.same(unexplained(document.request(method, path, sent)), [], `${method} ${path}`)
      t.same(unexplained(answer), [], `its ${reply.status}`)
      seen.add(`${method} ${path}`)
    }
    t.same(
      [...seen].sort(),
      { v1: ['GET /quote', 'POST /swap'], 'v2-build': ['GET /build'], 'v2-order': ['GET /order'] }[api],
    )
  })
}

t.test("an answer by the types of Jupiter's own package is one that the adapter takes", async (t) => {
  const world = await startJupiter(t)
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const quote: QuoteResponse = {
    inputMint: 'So11111111111111111111111111111111111111112',
    inAmount: '1000000000',
    outputMint: order.tokenOut.address,
    outAmount: '167494088',
    otherAmountThreshold: '162469265',
    swapMode: SwapMode.ExactIn,
    slippageBps: 300,
    platformFee: { amount: '0', feeBps: 0 },
    priceImpactPct: '0.00041',
    routePlan: [],
  }
  const swap: SwapResponse = { swapTransaction: 'AQ==', lastValidBlockHeight: 369_118_902 }
  // The compiler's part: what they send is what we read.
  const ours: [V1Quote, V1Swap] = [quote, swap]
  world.instead = ({ path }) => ({ status: 200, body: ours[path.endsWith('/quote') ? 0 : 1] })
  const provider = jupiter({ upstream: world.upstream, api: 'v1' })
  const offer = await provider.quote(order, CALL)
  t.equal(offer.expectedOut, 167_494_088n)
  t.match(await provider.build(order, offer, CALL), { transaction: swap.swapTransaction })
  const sent: SwapRequest = world.exchanged.at(-1)!.request.body as SwapRequest
  t.same(sent.quoteResponse, quote)
})
