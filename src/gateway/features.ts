/** What the routes answer from: research, swaps, the relay, and what connects them. */

import { findChain } from '../chains/find.ts'
import { Call } from '../flow/call.ts'
import { createCounts } from '../http/counts/counts.ts'
import { TonContracts } from '../proof/ton/contracts.ts'
import { TokenFeed } from '../research/discover/feed.ts'
import { TokenLookup } from '../research/discover/lookup.ts'
import { TokenSearch } from '../research/discover/search.ts'
import type { OperatorList } from '../research/list/operator-list.ts'
import { AllowanceReader } from '../research/onchain/allowances.ts'
import { TransactionReader } from '../research/onchain/transactions.ts'
import { Cursors } from '../runtime/cursor.ts'
import { named, taped } from '../runtime/tape.ts'
import { createSwapServices } from '../swap/index.ts'
import { TableChecks } from '../swap/tables/checks.ts'
import type { CacheState } from '../upstream/answers/coalescing.ts'
import { jitoTips } from '../upstream/nodes/solana/jito-tips.ts'
import type { Environment } from './environment.ts'
import { createRelaying } from './relaying.ts'
import { createResearch } from './research.ts'
import type { Sharing } from './sharing.ts'
import type { WorkerLink } from './threads/worker-link.ts'
import type { Upstreams } from './upstreams.ts'

interface FeaturesOptions extends Environment {
  readonly operator: OperatorList
  readonly upstreams: Upstreams
  /** Null for a single instance. */
  readonly sharing: Sharing | null
  /** Null for a thread that does all of it itself. */
  readonly link: WorkerLink | null
}

export type Features = ReturnType<typeof createFeatures>

export function createFeatures(options: FeaturesOptions) {
  const { config, clock, upstreams } = options
  const { solana, providers, files } = upstreams
  const { evm, markets } = providers
  const { profileMs: deadlineMs } = options.deadlines
  const counts = createCounts(clock, config.quoteSecret, options.link?.start.since)
  const cursors = taped(clock, 'cursors', new Cursors(config.quoteSecret))
  const research = createResearch({ ...options, providers, solana, files })
  const { tokenList: list, priceVotes, risksOf, universe } = research
  const swap = createSwapServices({
    ...options,
    providers,
    solana,
    priceOf: (...asked) => priceVotes.price(...asked),
    symbolOf(chainKey, address) {
      const row = list.find(chainKey, address)
      return row?.isListed === true ? row.symbol : null
    },
    factsOf: (chainKey, address) => list.find(chainKey, address)?.swapFacts() ?? null,
    risksOf,
    counts,
  })
  const { decimals } = swap
  const sources = { ...options, list, universe, risksOf, providers: markets, decimals, solana, deadlineMs }
  const relaying = createRelaying({ ...options, solana, counts })
  const { inquiries } = relaying
  const { deliveries } = counts
  const transactions = new TransactionReader({ evm, solana, inquiries, tokens: list, deliveries, clock })
  return {
    counts,
    cursors,
    research,
    swap,
    discovery: {
      search: taped(clock, 'search', new TokenSearch(list, deadlineMs)),
      feed: taped(clock, 'feed', new TokenFeed({ list, cursors, clock, deadlineMs })),
      lookup: new TokenLookup(sources),
    },
    transactions,
    allowances: new AllowanceReader({ evm, transactions, clock }),
    relaying,
    /** Checks of hard-coded tables against the chains. */
    tables: createTables(options, upstreams),
  }
}

/** The caches of answers that requests share, by what is asked for. */
export function answerCachesOf(features: Features): Readonly<Record<string, CacheState>> {
  const { relaying, research, swap, discovery, transactions } = features
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
    transaction: transactions.cache,
  }
}

/** The checks of what is hard-coded, and whom they ask. */
function createTables(
  { config, access, clock, log }: Environment,
  { context, solana, providers }: Upstreams,
): TableChecks {
  const { evm, sui, ton, tools, periphery } = providers
  const jito = jitoTips(config.solanaLandingUrls ?? [], context)
  return new TableChecks({
    async loadRows() {
      const { tableRows } = await import('../swap/tables/rows.ts')
      return tableRows().filter(({ chain }) => access.serves(chain))
    },
    sources: {
      evm: (key) => evm(findChain(key)!),
      solana,
      sui,
      ton: new TonContracts(ton, named(clock, 'tables')).within(
        Call.of(clock, 'build', Number.POSITIVE_INFINITY),
      ),
      periphery,
      bridges: tools,
      jitoTips: jito?.accounts ?? null,
    },
    clock,
    log,
    onClose: () => jito?.close(),
  })
}
