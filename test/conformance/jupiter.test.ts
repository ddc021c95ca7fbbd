/**
 * What we send to Jupiter, and what the sandbox answers in its name, against
 * Jupiter's own OpenAPI document of v2. `otherAmountThreshold` and the like have
 * no `required` list there: the test of the adapter covers what we need of them.
 */

import t from 'tap'
import { jupiter } from '../../src/providers/swap/jupiter.ts'
import { bodyOf, CALL, orderOf, startJupiter } from '../fixtures/jupiter.ts'
import { loadOpenApi } from '../fixtures/openapi.ts'

const SOL = 1_000_000_000n

const FILE = 'jupiter-swap-v2.yaml'
const BASE = '/swap/v2'

t.test(`${FILE}: each request, and each answer of the sandbox`, async (t) => {
  const document = loadOpenApi(t, FILE)
  if (document === null) return
  const world = await startJupiter(t)
  const provider = jupiter({ upstream: world.upstream })
  for (const side of ['buy', 'sell'] as const) {
    for (const symbol of ['USDC', 'BONK', 'RAY']) {
      const order = orderOf(world.market, side, symbol, side === 'buy' ? SOL : 1_000_000n)
      const offer = await provider.quote(order, CALL)
      await provider.build(order, offer, CALL)
    }
  }
  // Too large three times, so that each query for a smaller one is seen as well.
  const order = orderOf(world.market, 'buy', 'USDC', SOL)
  const offer = await provider.quote(order, CALL)
  const from = world.exchanged.length
  const { swapInstruction, ...rest } = bodyOf(world.exchanged.at(-1)!.reply)
  const data = Buffer.alloc(1_233).toString('base64')
  const large = { ...rest, swapInstruction: { ...(swapInstruction as object), data } }
  world.instead = (_, nth) => (nth < from + 3 ? { status: 200, body: large } : null)
  await provider.build(order, offer, CALL)
  const seen = new Set<string>()
  for (const { request, reply } of world.exchanged) {
    const { method, query, body } = request
    const path = request.path.slice(BASE.length)
    const sent = body === undefined ? { query } : { query, body }
    const answer = document.response(method, path, reply.status, bodyOf(reply))
    t.same(document.request(method, path, sent), [], `${method} ${path}`)
    t.same(answer, [], `its ${reply.status}`)
    seen.add(`${method} ${path}`)
  }
  t.same([...seen], ['GET /build'])
})
