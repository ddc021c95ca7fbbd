/**
 * The market providers, and those of them that a configuration switches on. Each
 * has a row in config/providers.ts and a file in market/.
 */

import type { Clock } from '../runtime/clock.ts'
import { named } from '../runtime/tape.ts'
import type { Connections } from './connect.ts'
import { defillama } from './market/defillama.ts'
import { dexscreener } from './market/dexscreener/dexscreener.ts'
import { geckoterminal } from './market/geckoterminal/geckoterminal.ts'
import { goplus } from './market/goplus/goplus.ts'
import { jupiterTokens } from './market/jupiter/tokens.ts'
import type { MarketProvider } from './market/market.ts'
import { rugcheck } from './market/rugcheck/rugcheck.ts'

/** In order of preference. */
const MARKETS = [
  ['dexscreener', dexscreener],
  // DefiLlama comes before Jupiter, whose quota swaps need too.
  ['defillama', defillama],
  ['jupiter', jupiterTokens],
  ['geckoterminal', geckoterminal],
  ['goplus', goplus],
  ['rugcheck', rugcheck],
] as const

export function createMarkets(connections: Connections, clock: Clock): readonly MarketProvider[] {
  const { goplusApp } = connections
  return MARKETS.flatMap(([name, adapt]) =>
    connections.at(name, (upstream) => adapt({ upstream, clock: named(clock, name), goplusApp })),
  )
}
