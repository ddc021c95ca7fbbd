/** What the routes answer from: research, swaps, the relay, and what connects them. */

import { type Counts, createCounts } from '../http/counts/counts.ts'
import { createDiscovery, type DiscoverReaders } from '../research/discover/index.ts'
import type { OperatorList } from '../research/list/operator-list.ts'
import { createOnchain, type OnchainReaders } from '../research/onchain/index.ts'
import { Cursors } from '../runtime/cursor.ts'
import { createSwapServices, type SwapServices } from '../swap/index.ts'
import type { TableChecks } from '../swap/tables/checks.ts'
import type { CacheState } from '../upstream/answers/coalescing.ts'
import type { Environment } from './environment.ts'
import { createRelaying, type Relaying } from './relaying.ts'
import { createResearch, type Research } from './research.ts'
import type { Sharing } from './sharing.ts'
import { createTables } from './tables.ts'
import type { Upstreams } from './upstreams.ts'

interface FeaturesOptions extends Environment {
  readonly operator: OperatorList
  readonly upstreams: Upstreams
  /** Null for a single instance. */
  readonly sharing: Sharing | null
}

export interface Features {
  readonly counts: Counts
  readonly cursors: Cursors
  readonly research: Research
  readonly swap: SwapServices
  readonly discovery: DiscoverReaders
  readonly onchain: OnchainReaders
  readonly relaying: Relaying
  /** Checks of hard-coded tables against the chains. */
  readonly tables: TableChecks
}

export function createFeatures(options: FeaturesOptions): Features {
  const { config, clock, upstreams } = options
  const { solana, providers, files } = upstreams
  const counts = createCounts(clock)
  const cursors = new Cursors(config.quoteSecret)
  const research = createResearch({ ...options, providers, solana, files })
  const swap = createSwap(options, counts, research)
  const relaying = createRelaying({ ...options, solana, counts })
  const { tokenList: tokens } = research
  return {
    counts,
    cursors,
    research,
    swap,
    discovery: createTokenDiscovery(options, research, swap, cursors),
    onchain: createOnchain({
      evm: providers.evm,
      solana,
      inquiries: relaying.inquiries,
      tokens,
      deliveries: counts.deliveries,
      clock,
    }),
    relaying,
    tables: createTables(options, upstreams),
  }
}

function createSwap(
  options: FeaturesOptions,
  counts: Counts,
  { priceVotes, tokenList, risksOf }: Research,
): SwapServices {
  const { solana, providers } = options.upstreams
  return createSwapServices({
    ...options,
    providers,
    solana,
    priceOf: (...asked) => priceVotes.price(...asked),
    symbolOf(chainKey, address) {
      const row = tokenList.find(chainKey, address)
      return row?.isListed === true ? row.symbol : null
    },
    factsOf: (chainKey, address) => tokenList.factsOf(chainKey, address),
    risksOf,
    counts,
  })
}

function createTokenDiscovery(
  options: FeaturesOptions,
  { tokenList, universe, risksOf }: Research,
  { decimals }: SwapServices,
  cursors: Cursors,
): DiscoverReaders {
  const { solana, providers } = options.upstreams
  return createDiscovery({
    ...options,
    tokenList,
    universe,
    risksOf,
    providers: providers.markets,
    decimals,
    solana,
    cursors,
    deadlineMs: options.deadlines.profileMs,
  })
}

/** The caches of answers that requests share, by what is asked for. */
export function answerCachesOf({
  relaying,
  research,
  swap,
  discovery,
  onchain,
}: Features): Readonly<Record<string, CacheState>> {
  const { quotes, crossChainSwaps, statuses } = swap
  return {
    rpc: relaying.relay.reads.cache,
    quote: quotes.cache,
    ...(crossChainSwaps && { xquote: crossChainSwaps.cache }),
    ...(statuses && { xstatus: statuses.cache }),
    portfolio: research.portfolios.cache,
    profile: research.profiles.cache,
    ...(research.logos && { logo: research.logos.cache }),
    native: research.natives.cache,
    lookup: discovery.lookup.cache,
    transaction: onchain.transactions.cache,
  }
}
