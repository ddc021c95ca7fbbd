/**
 * What scripts/client/generated.mjs bundles and runs: the client's generated files.
 * The document is that of the routes alone, described as the service describes
 * them, so that a build starts no gateway.
 */
import { OPEN_ACCESS } from '../../src/chains/access.ts'
import { DEFAULT_BUDGETS } from '../../src/http/limit/budgets.ts'
import { METHODS } from '../../src/relay/methods/methods.ts'
import { createRoutes, type RouteOptions } from '../../src/routes/index.ts'
import { describeApi } from '../../src/routes/openapi/document.ts'
import { COMPONENTS } from '../../src/runtime/resources/components.ts'
import { solanaRpcRequest } from '../../src/runtime/resources/solrpc.ts'
import { DEADLINES } from '../../src/swap/deadlines.ts'
import { clientFiles, type Document } from './operations.ts'

/** @returns each file's text by its name @throws TypeError  where a route reads an option that is not set below */
export const generate = (): ReadonlyMap<string, string> => clientFiles(routesDocument())

/**
 * Routes ask their services only when they handle a request, and none is sent
 * here. What they read while they are made is below; the figures among it stand
 * in examples, of which no type is made. test/clients/client/client.test.ts
 * compares with the document that a gateway answers.
 */
function routesDocument(): Document {
  const rpcRequest = solanaRpcRequest([...METHODS.values()].map(({ name }) => name))
  const none = { client: 0, global: 0 }
  const read: Partial<Record<keyof RouteOptions, unknown>> = {
    access: OPEN_ACCESS,
    health: { mode: 'live' },
    limits: DEFAULT_BUDGETS,
    inFlight: none,
    streams: none,
    methods: METHODS,
    rpcEndpoint: { compat: 'strict', body: rpcRequest },
    discovery: {},
    counts: {},
    swaps: new Map(),
    providerNames: [],
    deadlines: DEADLINES,
  }
  // A route that fails here reads an option that is missing above.
  const routes = createRoutes(read as unknown as RouteOptions)
  const components = { ...COMPONENTS, SolanaRpcRequest: rpcRequest }
  return describeApi(routes, components, DEFAULT_BUDGETS, '') as unknown as Document
}
