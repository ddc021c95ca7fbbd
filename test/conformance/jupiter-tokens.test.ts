import t from 'tap'
import { jupiterTokens } from '../../src/providers/market/jupiter/tokens.ts'
import { jupiterVerified } from '../../src/providers/tokens/jupiter-verified.ts'
import { tokensAnswer } from '../../src/sandbox/market/jupiter-tokens.ts'
import { clockOf } from '../fixtures/clock.ts'
import { loadOpenApi } from '../fixtures/openapi.ts'
import { NOW, OPTIONS, on, startProvider } from '../fixtures/provider.ts'

/** The tokens' document has this in its server URL. */
const TOKENS = '/tokens/v2'

t.test("Jupiter's own documents allow what we send, and what our sandbox answers", async (t) => {
  const tokens = loadOpenApi(t, 'jupiter-tokens-v2.yaml')
  if (tokens === null) return
  const { upstream, requests, url, market } = await startProvider(t, (world) => ({
    name: 'jupiter',
    rateLimited: () => ({ status: 429, body: {} }),
    handle: (request) => ({ status: 200, body: tokensAnswer(world.market, request) }),
  }))
  const adapter = jupiterTokens({ upstream, clock: clockOf({ date: () => NOW }) })
  const mints = market.tokens('solana').map(({ address }) => address)
  await adapter.rows!.ask('solana', mints, OPTIONS)
  await adapter.prices!.ask(on('solana', mints), OPTIONS)
  await adapter.parts!.row!.ask({ chain: 'solana', address: mints[0]! }, OPTIONS)
  for (const discovery of adapter.discoveries!) await discovery.ask(null, OPTIONS)
  await jupiterVerified(upstream).ask('solana', OPTIONS)
  t.equal(requests.length, 6)
  for (const { method, path, query } of [...requests]) {
    const described = path.slice(TOKENS.length)
    t.strictSame(tokens.request(method, described, { query }), [], `${method} ${path}`)
    const response = await fetch(`${url}${path}?${query}`)
    t.strictSame(tokens.response(method, described, 200, await response.json()), [], `${path} answered`)
  }
})
