/**
 * The market providers that a configuration asks for, in order of preference:
 * the one place where one is added.
 */

import type { Upstream } from '../upstream/upstream.ts'
import type { Connections } from './connect.ts'
import { defillama } from './market/defillama.ts'
import { dexscreener } from './market/dexscreener.ts'
import { geckoterminal } from './market/geckoterminal.ts'
import { goplus } from './market/goplus.ts'
import { jupiterTokens } from './market/jupiter-tokens.ts'
import type { MarketProvider } from './market/market.ts'
import { rugcheck } from './market/rugcheck.ts'

export function createMarkets(connections: Connections): readonly MarketProvider[] {
  const list: MarketProvider[] = []
  const add = (upstream: Upstream | null, provider: (options: { upstream: Upstream }) => MarketProvider) => {
    if (upstream !== null) list.push(provider({ upstream }))
  }
  add(connections.open('dexscreener'), dexscreener)
  // Before Jupiter, whose quota swaps need too.
  add(connections.open('defillama'), defillama)
  add(connections.open('jupiter'), jupiterTokens)
  add(connections.open('geckoterminal'), geckoterminal)
  add(connections.open('goplus'), goplus)
  add(connections.open('rugcheck'), rugcheck)
  return list
}
