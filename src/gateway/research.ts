/** Research, put together: the token list, and what reads the list and the providers. */

import { holdingsByChain } from '../providers/holdings/by-chain.ts'
import type { Providers } from '../providers/index.ts'
import type { OperatorList } from '../research/list/operator-list.ts'
import { LiveTokenList } from '../research/list/token-list.ts'
import { Logos } from '../research/logos/logos.ts'
import { NativeCoins } from '../research/native/native-coins.ts'
import { BalanceReader } from '../research/portfolio/balances.ts'
import { Portfolios } from '../research/portfolio/portfolio.ts'
import { WalletReader } from '../research/portfolio/wallet-reader.ts'
import { PriceVotes, votersAmong } from '../research/prices/price-votes.ts'
import { Profiles } from '../research/profile/profile.ts'
import { Ticker } from '../research/ticker/ticker.ts'
import { UnlistedPrices } from '../research/ticker/unlisted-prices.ts'
import { Universe } from '../research/universe/universe.ts'
import type { TokenRisks } from '../runtime/resources/token-profile.ts'
import { taped } from '../runtime/tape.ts'
import type { SolanaRpc } from '../upstream/nodes/solana/rpc.ts'
import type { PublicFiles } from '../upstream/public-files.ts'
import type { Environment } from './environment.ts'
import type { WorkerLink } from './threads/worker-link.ts'

interface ResearchOptions extends Environment {
  readonly operator: OperatorList
  readonly providers: Providers
  readonly solana: SolanaRpc
  /** Null if logos are off. */
  readonly files: PublicFiles | null
  /** Null for a thread that builds the list itself. */
  readonly link: WorkerLink | null
}

export type Research = ReturnType<typeof createResearch>

export function createResearch(options: ResearchOptions) {
  const { config, access, operator, providers, solana, deadlines, log, clock } = options
  const files = options.files && taped(clock, 'files', options.files)
  const shared = { providers: providers.markets, clock }
  const { minLiquidityUsd } = config
  const liveList = new LiveTokenList({
    ...shared,
    operatorTokens: () => operator.tokens,
    serves: access.serves,
    log,
    bounds: { buildMs: deadlines.listMs, callMs: deadlines.listCallMs },
    onRead: options.link?.onListRead ?? null,
  })
  const tokenList = taped(clock, 'list', liveList)
  const universe = taped(
    clock,
    'universe',
    new Universe({ sources: providers.tokens, operatorTokens: () => operator.known, log, clock }),
  )
  const holdings = holdingsByChain({ evm: providers.evm, solana, clock })
  const profiles = new Profiles({ ...shared, deadlineMs: deadlines.profileMs, log })
  const namedFor = (chain: string, address: string): string | null =>
    universe.logoOf(chain, address) ??
    tokenList.find(chain, address)?.image ??
    profiles.imageOf(chain, address)
  /** From the list; for a token that it does not have, from a recently requested profile. */
  const risksOf = (chain: string, address: string): TokenRisks =>
    tokenList.find(chain, address)?.risks ??
    profiles.risksOf(chain, address, universe.find(chain, address) ?? { symbol: null, name: null })
  const wallets = new WalletReader({ tokens: tokenList, universe, holdings, clock })
  return {
    tokenList,
    universe,
    priceVotes: new PriceVotes({ providers: votersAmong(providers.markets), clock }),
    ticker: new Ticker({
      tokens: tokenList,
      unlisted: new UnlistedPrices({ ...shared, minLiquidityUsd, log }),
      clock,
    }),
    profiles,
    risksOf,
    logos: files && new Logos({ namedFor, files, clock }),
    natives: new NativeCoins({ ...shared, tokens: tokenList, deadlineMs: deadlines.profileMs, log }),
    portfolios: new Portfolios({
      ...shared,
      tokens: tokenList,
      wallets,
      minLiquidityUsd,
      deadlineMs: deadlines.portfolioMs,
    }),
    balances: new BalanceReader({ wallets, tokens: tokenList, deadlineMs: deadlines.portfolioMs, clock }),
  }
}
