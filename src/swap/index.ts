/**
 * Puts together what answers /api/quote, /api/v2quote, /api/build, /api/xquote
 * and /api/xstatus, from the configuration and the providers.
 */

import type { Access } from '../chains/access.ts'
import type { Config } from '../config/config.ts'
import type { Counts } from '../http/counts/counts.ts'
import type { Providers } from '../providers/index.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/log.ts'
import type { SolanaRpc } from '../upstream/nodes/solana/rpc.ts'
import { Builds } from './builds.ts'
import { CrossChainSwaps } from './cross-chain.ts'
import type { Deadlines } from './deadlines.ts'
import { Decimals } from './decimals.ts'
import type { SymbolOf } from './estimate.ts'
import { fairBy, type PriceOf, worthBy } from './fair.ts'
import { GasPrices } from './gas.ts'
import { Quotes } from './quotes.ts'
import { Sealer } from './seal.ts'
import type { FactsOf, RisksOf } from './slippage.ts'
import { Statuses } from './statuses.ts'

interface SwapServicesOptions {
  readonly config: Pick<Config, 'quoteSecret' | 'minVerification' | 'priceFloorBps' | 'maxComputeUnitPrice'>
  readonly providers: Providers
  readonly solana: Pick<SolanaRpc, 'voters' | 'read'>
  readonly access: Access
  readonly deadlines: Deadlines
  /** What independent sources say that a token is worth. */
  readonly priceOf: PriceOf
  /** A listed token's symbol. */
  readonly symbolOf: SymbolOf
  readonly factsOf: FactsOf
  readonly risksOf: RisksOf
  readonly counts: Counts
  readonly log: Logger
  readonly clock: Clock
}

export interface SwapServices {
  readonly decimals: Decimals
  readonly quotes: Quotes
  readonly builds: Builds
  /** Null if the cross-chain provider is switched off. */
  readonly crossChainSwaps: CrossChainSwaps | null
  /** Null if the cross-chain provider is switched off. */
  readonly statuses: Statuses | null
}

export function createSwapServices(options: SwapServicesOptions): SwapServices {
  const { config, providers, solana, access, priceOf, clock } = options
  const { evm, swaps, xprov, decimals: sources } = providers
  const decimals = new Decimals({ evm, solana, sources, clock })
  const { gasOf, feesOf } = new GasPrices(evm, priceOf, clock)
  const minimum = config.minVerification
  const parts = {
    ...options,
    ...providers,
    providers: swaps,
    decimals,
    accounts: solana,
    sealer: new Sealer(config.quoteSecret),
    minimum,
    cancelRules: { ...providers, access, minimum, maxComputeUnitPrice: config.maxComputeUnitPrice },
    fairOf: fairBy(priceOf, config.priceFloorBps),
    worthOf: worthBy(priceOf),
    gasOf,
    feesOf,
  }
  return {
    decimals,
    quotes: new Quotes(parts),
    builds: new Builds(parts),
    crossChainSwaps: xprov === null ? null : new CrossChainSwaps({ ...parts, xprov }),
    statuses: xprov === null ? null : new Statuses(xprov, clock),
  }
}
