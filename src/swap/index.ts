/**
 * Puts together what answers /api/quote, /api/v2quote, /api/build, /api/xquote
 * and /api/xstatus, from the configuration and the providers.
 */

import type { Access } from '../chains/access.ts'
import type { Config } from '../config/config.ts'
import type { Providers } from '../providers/index.ts'
import { taped } from '../runtime/tape.ts'
import type { SolanaRpc } from '../upstream/nodes/solana/rpc.ts'
import { Builds } from './builds.ts'
import { CrossChainSwaps } from './cross-chain.ts'
import { Decimals } from './decimals.ts'
import { fairBy, type PriceOf, worthBy } from './fair.ts'
import { gasPrices } from './gas.ts'
import { Quotes } from './quotes.ts'
import { Sealer } from './seal.ts'
import { Statuses } from './statuses.ts'

type QuotesParts = ConstructorParameters<typeof Quotes>[0]
type CrossChainParts = ConstructorParameters<typeof CrossChainSwaps>[0]

interface SwapServicesOptions
  extends Pick<QuotesParts, 'deadlines' | 'factsOf' | 'risksOf' | 'counts' | 'clock'>,
    Pick<CrossChainParts, 'symbolOf' | 'log'> {
  readonly config: Pick<Config, 'quoteSecret' | 'minVerification' | 'priceFloorBps' | 'maxComputeUnitPrice'>
  readonly providers: Providers
  readonly solana: Pick<SolanaRpc, 'voters' | 'read'>
  readonly access: Access
  /** What independent sources say that a token is worth. */
  readonly priceOf: PriceOf
}

export type SwapServices = ReturnType<typeof createSwapServices>

export function createSwapServices(options: SwapServicesOptions) {
  const { config, providers, solana, access, priceOf, clock } = options
  const { evm, swaps, xprov, decimals: sources } = providers
  const decimals = new Decimals({ evm, solana, sources, clock })
  const { gasOf, feesOf } = gasPrices(evm, priceOf, clock)
  const minimum = config.minVerification
  const parts = {
    ...options,
    ...providers,
    providers: swaps,
    decimals,
    accounts: solana,
    sealer: taped(clock, 'sealer', new Sealer(config.quoteSecret)),
    minimum,
    cancelRules: { ...providers, access, minimum, maxComputeUnitPrice: config.maxComputeUnitPrice },
    fairOf: fairBy(priceOf, config.priceFloorBps),
    worthOf: worthBy(priceOf),
    gasOf,
    feesOf,
  }
  const quotes = new Quotes(parts)
  return {
    decimals,
    quotes,
    builds: new Builds({ ...parts, quotes }),
    /** This and the next are null if the cross-chain provider is switched off. */
    crossChainSwaps: xprov === null ? null : new CrossChainSwaps({ ...parts, xprov }),
    statuses: xprov === null ? null : new Statuses(xprov, clock),
  }
}
