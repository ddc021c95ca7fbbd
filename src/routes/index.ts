/**
 * The list of routes, one file each. docs/dev/adding.md says how to add one.
 */

import type { Access } from '../chains/access.ts'
import type { Exchange } from '../http/request/exchange.ts'
import type { Route } from '../http/route.ts'
import type { Logger } from '../runtime/log.ts'
import type { Deadlines } from '../swap/deadlines.ts'
import type { SwapServices } from '../swap/index.ts'
import { type OpenApiOptions, openapi } from './openapi.ts'
import { fastTradeProof } from './relay/fast-trade-proof.ts'
import { priorityFees } from './relay/priority-fees.ts'
import { rebroadcast } from './relay/rebroadcast.ts'
import { solrpc } from './relay/solrpc.ts'
import { balances } from './research/balances.ts'
import { community } from './research/content.ts'
import { discover } from './research/discover.ts'
import { EXPLAIN_PATH, type ExplainRouteOptions, explain } from './research/explain.ts'
import { logo } from './research/logo.ts'
import { native } from './research/native.ts'
import { portfolio } from './research/portfolio.ts'
import { pricesStream } from './research/prices-stream.ts'
import { token } from './research/token.ts'
import { tokens } from './research/tokens.ts'
import { allowance, receipt, transactionStatus } from './research/transactions.ts'
import { bakeOff, bakeOffEvent, bakeOffExport } from './service/bake-off.ts'
import { chains } from './service/chains.ts'
import { type SettingsOptions, settings } from './service/config.ts'
import { diagnostics } from './service/diagnostics.ts'
import { funnel, funnelSummary } from './service/funnel.ts'
import { health } from './service/health.ts'
import { build } from './swap/build.ts'
import { quote, v2quote } from './swap/quote.ts'
import { quoteStream } from './swap/quote-stream.ts'
import { type SwapFormOptions, swapForm } from './swap/swap-form.ts'
import { xquote } from './swap/xquote.ts'
import { xstatus } from './swap/xstatus.ts'

/** What a route answers from. */
type Of<Declare extends (...parts: never[]) => unknown> = Parameters<Declare>[0]

/** If the cross-chain provider is switched off, its routes are not served. */
export interface RouteOptions
  extends OpenApiOptions,
    SwapServices,
    SwapFormOptions,
    SettingsOptions,
    ExplainRouteOptions {
  readonly health: Of<typeof health>
  readonly inquiries: Of<typeof rebroadcast>
  readonly rpcEndpoint: Of<typeof solrpc>
  readonly tokenList: Of<typeof tokens>
  readonly ticker: Of<typeof pricesStream>
  readonly profiles: Of<typeof token>
  /** Null if logos are off: the route is not served then. */
  readonly logos: Of<typeof logo> | null
  readonly portfolios: Of<typeof portfolio>
  readonly balances: Of<typeof balances>
  readonly natives: Of<typeof native>
  readonly discovery: Of<typeof discover>
  readonly transactions: Of<typeof receipt>
  readonly allowances: Of<typeof allowance>
  readonly priorityFees: Of<typeof priorityFees>
  /** The highest price per compute unit that a transaction may offer, micro-lamports. */
  readonly maxComputeUnitPrice: bigint
  readonly deadlines: Deadlines
  readonly content: Of<typeof community>
  readonly counts: Of<typeof bakeOff>
  readonly sources: Of<typeof diagnostics>
  readonly log: Logger
  readonly cursors: Parameters<typeof community>[1]
}

export function createRoutes(options: RouteOptions): readonly Route[] {
  const { access, clock, counts, inquiries, quotes, transactions, maxComputeUnitPrice } = options
  const { logos, crossChainSwaps, statuses } = options
  const { crossChainMs } = options.deadlines
  const routes = [
    tokens(options.tokenList),
    token(options.profiles),
    ...(logos === null ? [] : [logo(logos)]),
    pricesStream(options.ticker),
    chains(options.swaps, access),
    portfolio(options.portfolios),
    balances(options.balances),
    quote(quotes),
    quoteStream(quotes, clock, options.log),
    v2quote(quotes),
    ...swapForm(options),
    build(options.builds, maxComputeUnitPrice),
    ...(crossChainSwaps === null ? [] : [xquote(crossChainSwaps, clock, crossChainMs, maxComputeUnitPrice)]),
    ...(statuses === null ? [] : [xstatus(statuses, clock, crossChainMs)]),
    solrpc(options.rpcEndpoint, options.maxV1TransactionBytes),
    fastTradeProof(inquiries),
    rebroadcast(inquiries),
    priorityFees(options.priorityFees, inquiries, maxComputeUnitPrice, clock),
    ...native(options.natives),
    transactionStatus(transactions),
    receipt(transactions),
    allowance(options.allowances),
    explain(options),
    ...discover(options.discovery),
    health(options.health),
    settings(options),
    diagnostics(options.sources, clock),
    bakeOff(counts, clock),
    bakeOffEvent(counts),
    bakeOffExport(counts, clock),
    funnel(counts, clock),
    funnelSummary(counts),
    ...community(options.content, options.cursors),
    openapi(options),
  ]
  return access.limitsRequests ? routes.map((route) => guarded(route, access)) : routes
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
