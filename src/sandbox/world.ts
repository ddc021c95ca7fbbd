/** What every provider of the sandbox shares: one market, one clock, one Solana node. */

import type { LifiRegistry } from './evm/lifi-registry.ts'
import type { Market } from './market/market.ts'
import type { SolanaSandbox } from './solana/server.ts'

export interface World {
  readonly market: Market
  /** Unix time in ms. A request carries its own time, which the fault `stale` can freeze. */
  readonly now: () => number
  readonly solana: Pick<SolanaSandbox, 'bank'>
  /** Absent: the addresses of the tables. */
  readonly registry?: LifiRegistry
  /** Whether each provider has offers of its own, see market/manners.ts. */
  readonly lifelike?: boolean
}
