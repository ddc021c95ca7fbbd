/**
 * The list of routes: the one place where a route is added.
 */
import type { Route } from '../http/route.ts'
import type { Limits } from '../limit/budgets.ts'
import type { Relay } from '../solana/relay.ts'
import { chains } from './chains.ts'
import { settings } from './config.ts'
import { type HealthSource, health } from './health.ts'
import { openapi } from './openapi.ts'
import { solrpc } from './solrpc.ts'

export interface RouteOptions {
  readonly health: HealthSource
  readonly limits: Limits
  readonly maxRetries: number
  readonly relay: Relay
  readonly document: () => Buffer
}

export function createRoutes(options: RouteOptions): readonly Route[] {
  return [
    chains(),
    solrpc(options.relay),
    health(options.health),
    settings(options.health.mode, options.limits, options.maxRetries),
    openapi(options.document),
  ]
}
