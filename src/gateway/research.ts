/** What is made of the market providers, put together. */
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { OperatorList } from '../list/operator-list.ts'
import { TokenList } from '../list/token-list.ts'
import type { Logger } from '../log.ts'
import { Natives } from '../native/natives.ts'
import type { SolanaRpc } from '../nodes/solana-rpc.ts'
import { Balances } from '../portfolio/balances.ts'
import { Portfolios } from '../portfolio/portfolio.ts'
import { Wallets } from '../portfolio/wallets.ts'
import { Profiles } from '../profile/profile.ts'
import { holdingsByChain } from '../providers/holdings/by-chain.ts'
import type { Providers } from '../providers/index.ts'
import type { Deadlines } from '../quotes/deadlines.ts'
import { Ticker } from '../ticker/ticker.ts'
import { Unlisted } from '../ticker/unlisted.ts'
import { Universe } from '../universe/universe.ts'
import type { AllPeers } from './peers.ts'

interface ResearchOptions {
  readonly config: Config
  readonly operator: OperatorList
  readonly providers: Providers
  readonly solana: SolanaRpc
  readonly deadlines: Deadlines
  /** Null where there are no other instances. */
  readonly peers: AllPeers | null
  readonly log: Logger
  readonly clock: Clock
}

export type Research = ReturnType<typeof createResearch>

/** The list, and what reads it beside the providers. */
export function createResearch({
  config,
  operator,
  providers,
  solana,
  deadlines,
  peers,
  log,
  clock,
}: ResearchOptions) {
  const shared = { providers: providers.markets, clock }
  const { minLiquidityUsd } = config
  const tokenList = new TokenList({
    ...shared,
    operatorTokens: () => operator.tokens,
    peers: peers?.list ?? null,
    log,
  })
  const universe = new Universe({
    sources: providers.tokens,
    operatorTokens: () => operator.known,
    log,
    clock,
  })
  const holdings = holdingsByChain({ evm: providers.evm, solana, clock })
  const wallets = new Wallets({ tokens: tokenList, universe, holdings, clock })
  return {
    tokenList,
    universe,
    ticker: new Ticker({
      tokens: tokenList,
      unlisted: new Unlisted({ ...shared, minLiquidityUsd, log }),
      clock,
    }),
    profiles: new Profiles({ ...shared, deadlineMs: deadlines.profileMs, log }),
    natives: new Natives({ ...shared, tokens: tokenList, deadlineMs: deadlines.profileMs, log }),
    portfolios: new Portfolios({
      ...shared,
      tokens: tokenList,
      wallets,
      minLiquidityUsd,
      deadlineMs: deadlines.portfolioMs,
      peers: peers?.portfolios ?? null,
    }),
    balances: new Balances({ wallets, tokens: tokenList, deadlineMs: deadlines.portfolioMs, clock }),
  }
}
