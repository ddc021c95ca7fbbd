/**
 * The list of routes, one file each. docs/dev/adding.md says how to add one.
 */

import type { Access } from '../chains/access.ts'
import type { DescriptorFolder } from '../explain/evm/descriptor-folder.ts'
import type { Counts } from '../http/counts/counts.ts'
import type { Limits } from '../http/limit/budgets.ts'
import type { StreamLimits } from '../http/reply/streams.ts'
import type { Exchange } from '../http/request/exchange.ts'
import type { Route } from '../http/route.ts'
import type { SimulatingNodes } from '../proof/simulation/simulate.ts'
import type { Methods } from '../relay/methods/methods.ts'
import type { Inquiries } from '../relay/submissions/inquiries.ts'
import type { BasketPlanner } from '../research/basket/baskets.ts'
import type { Content } from '../research/content/content.ts'
import type { DiscoverReaders } from '../research/discover/index.ts'
import type { LiveTokenList } from '../research/list/token-list.ts'
import type { Logos } from '../research/logos/logos.ts'
import type { NativeCoins } from '../research/native/native-coins.ts'
import type { OnchainReaders } from '../research/onchain/index.ts'
import type { BalanceReader } from '../research/portfolio/balances.ts'
import type { Portfolios } from '../research/portfolio/portfolio.ts'
import type { Profiles } from '../research/profile/profile.ts'
import type { Ticker } from '../research/ticker/ticker.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Cursors } from '../runtime/cursor.ts'
import type { Level } from '../runtime/levels.ts'
import type { Logger } from '../runtime/log.ts'
import type { Deadlines } from '../swap/deadlines.ts'
import type { SwapServices } from '../swap/index.ts'
import type { ConcurrencyLimits } from '../upstream/admission/concurrency.ts'
import type { PriorityFees } from '../upstream/nodes/solana/priority.ts'
import type { DiagnosticsSources } from './metrics/diagnostics.ts'
import { type OpenApiOptions, openapi } from './openapi.ts'
import { fastTradeProof } from './relay/fast-trade-proof.ts'
import { priorityFees } from './relay/priority-fees.ts'
import { rebroadcast } from './relay/rebroadcast.ts'
import { type RpcEndpoint, solrpc } from './relay/solrpc.ts'
import { allowance } from './research/allowance.ts'
import { balances } from './research/balances.ts'
import { community } from './research/content.ts'
import { discover } from './research/discover.ts'
import { EXPLAIN_PATH, explain } from './research/explain.ts'
import { logo } from './research/logo.ts'
import { native } from './research/native.ts'
import { portfolio } from './research/portfolio.ts'
import { pricesStream } from './research/prices-stream.ts'
import { receipt } from './research/receipt.ts'
import { token } from './research/token.ts'
import { tokens } from './research/tokens.ts'
import { transactionStatus } from './research/transaction-status.ts'
import { bakeOff, bakeOffEvent } from './service/bake-off.ts'
import { chains, type ServedBy } from './service/chains.ts'
import { settings } from './service/config.ts'
import { diagnostics } from './service/diagnostics.ts'
import { funnel, funnelSummary } from './service/funnel.ts'
import { type HealthSource, health } from './service/health.ts'
import { build } from './swap/build.ts'
import { quote } from './swap/quote.ts'
import { quoteStream } from './swap/quote-stream.ts'
import { type SwapFormOptions, swapForm } from './swap/swap-form.ts'
import { v2quote } from './swap/v2quote.ts'
import { xquote } from './swap/xquote.ts'
import { xstatus } from './swap/xstatus.ts'

/** If the cross-chain provider is switched off, its routes are not served. */
export interface RouteOptions extends OpenApiOptions, OnchainReaders, SwapServices {
  readonly access: Access
  readonly health: HealthSource
  readonly limits: Limits
  readonly inFlight: ConcurrencyLimits
  readonly streams: StreamLimits
  readonly maxV1TransactionBytes: number
  readonly maxRetries: number
  readonly inquiries: Inquiries
  readonly methods: Methods
  readonly rpcEndpoint: RpcEndpoint
  readonly tokenList: LiveTokenList
  readonly ticker: Ticker
  readonly profiles: Profiles
  /** Null if logos are off: the route is not served then. */
  readonly logos: Logos | null
  readonly portfolios: Portfolios
  readonly balances: BalanceReader
  readonly natives: NativeCoins
  readonly discovery: DiscoverReaders
  readonly swaps: ServedBy
  readonly baskets: BasketPlanner
  readonly swapOptions: SwapFormOptions['swapOptions']
  readonly priorityFees: PriorityFees
  /** The highest price per compute unit that a transaction may offer, micro-lamports. */
  readonly maxComputeUnitPrice: bigint
  readonly deadlines: Deadlines
  readonly content: Content
  readonly counts: Counts
  readonly sources: DiagnosticsSources
  readonly clock: Clock
  readonly log: Logger
  /** Labels of the providers that are switched on. */
  readonly providerNames: readonly string[]
  /** The verification level that a build must reach. */
  readonly minVerification: Level
  readonly cursors: Cursors
  /** The nodes that explanations of transactions use. */
  readonly nodes: SimulatingNodes
  readonly descriptors: DescriptorFolder
}

export function createRoutes(options: RouteOptions): readonly Route[] {
  const routes = [
    tokens(options.tokenList),
    token(options.profiles),
    ...(options.logos === null ? [] : [logo(options.logos)]),
    pricesStream(options.ticker),
    chains(options.swaps, options.access),
    portfolio(options.portfolios),
    balances(options.balances),
    quote(options.quotes),
    quoteStream(options.quotes, options.clock, options.log),
    v2quote(options.quotes),
    ...swapForm(options),
    build(options.builds, options.maxComputeUnitPrice),
    ...(options.crossChainSwaps === null
      ? []
      : [
          xquote(
            options.crossChainSwaps,
            options.clock,
            options.deadlines.crossChainMs,
            options.maxComputeUnitPrice,
          ),
        ]),
    ...(options.statuses === null
      ? []
      : [xstatus(options.statuses, options.clock, options.deadlines.crossChainMs)]),
    solrpc(options.rpcEndpoint, options.maxV1TransactionBytes),
    fastTradeProof(options.inquiries),
    rebroadcast(options.inquiries),
    priorityFees(options.priorityFees, options.inquiries, options.maxComputeUnitPrice, options.clock),
    ...native(options.natives),
    transactionStatus(options.transactions),
    receipt(options.transactions),
    allowance(options.allowances),
    explain(options),
    ...discover(options.discovery),
    health(options.health),
    settings(options),
    diagnostics(options.sources, options.clock),
    bakeOff(options.counts, options.clock),
    bakeOffEvent(options.counts),
    funnel(options.counts, options.clock),
    funnelSummary(options.counts),
    ...community(options.content, options.cursors),
    openapi(options),
  ]
  return options.access.limitsRequests ? routes.map((route) => guarded(route, options.access)) : routes
}

/** Paths that are about Solana only, although their requests do not name it. */
const OF_SOLANA: ReadonlySet<string> = new Set([
  '/api/solrpc',
  '/api/fast-trade-proof',
  '/api/rebroadcast',
  '/api/priority-fees',
])

/** The route, behind a check for what the operator refuses. */
function guarded(route: Route, access: Access): Route {
  const handle = route.handle as (...request: [unknown, Exchange, Buffer]) => ReturnType<Route['handle']>
  return {
    ...route,
    handle(...request: [unknown, Exchange, Buffer]) {
      if (OF_SOLANA.has(route.path)) access.requireChain('solana', 'method')
      const [input] = request
      // An explained transaction may name any address: the explanation says which are refused.
      access.requireInput(
        route.path === EXPLAIN_PATH ? { chain: (input as { chain: unknown }).chain } : input,
      )
      return handle(...request)
    },
  } as Route
}
