import t from 'tap'
import { geckoterminal } from '../../src/providers/market/geckoterminal/geckoterminal.ts'
import type { Part } from '../../src/providers/market/market.ts'
import { geckoterminal as sandboxGeckoterminal } from '../../src/sandbox/market/geckoterminal.ts'
import { clockOf } from '../fixtures/clock.ts'
import { loadOpenApi } from '../fixtures/openapi.ts'
import { NOW, OPTIONS, startProvider } from '../fixtures/provider.ts'

/** The public host has the same paths, below another base URL. */
const PREFIX = '/onchain'

t.test("CoinGecko's own document allows what we send, and what our sandbox answers", async (t) => {
  const document = loadOpenApi(t, 'coingecko-demo.json')
  if (document === null) return
  const { upstream, requests, url, market } = await startProvider(t, sandboxGeckoterminal)
  const adapter = geckoterminal({ upstream, clock: clockOf({ date: () => NOW }) })
  const parts = adapter.parts!
  const tokens = ['base', 'solana'].flatMap((chain) => market.tokens(chain).slice(1))
  for (const token of tokens.filter(({ symbol }) =>
    ['WETH', 'HONEY', 'QUOTED', 'JUP', 'FROZEN', '🐸'].includes(symbol),
  )) {
    for (const part of Object.keys(parts) as Part[]) await parts[part]!.ask(token, OPTIONS)
  }
  for (const { ask, chains } of adapter.discoveries!) for (const chain of chains!) await ask(chain, OPTIONS)
  t.ok(requests.length >= 6 * 4 - 2 + 40)
  for (const { method, path, query } of [...requests]) {
    t.strictSame(document.request(method, PREFIX + path, { query }), [], `${method} ${path}`)
    const response = await fetch(`${url}${path}?${query}`)
    t.equal(response.status, 200)
    t.strictSame(document.response(method, PREFIX + path, 200, await response.json()), [], `${path} answered`)
  }
})
