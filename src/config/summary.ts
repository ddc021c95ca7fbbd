/**
 * The configuration as the start line logs it: how many upstreams there are, who runs them, and what differs
 * from the defaults. It has names and counts only, because URLs may hold keys and name hosts.
 */
import { CHAINS } from '../chains/chains.ts'
import { type BudgetName, DEFAULT_BUDGETS, limitsText } from '../http/limit/budgets.ts'
import type { Config } from './config.ts'
import { PROVIDER_NAMES, PROVIDERS } from './providers.ts'

/** Solana's nodes are summarized apart, because they have their own variables. */
const OTHER_CHAINS = CHAINS.filter(({ key }) => key !== 'solana')

/** Who runs an upstream: the gateway's operator, a public service, or the sandbox. */
export type UpstreamOwner = 'own' | 'public' | 'sandbox'

/** The configuration in force, without URLs and keys. */
export type ConfigSummary = ReturnType<typeof summarizeConfig>

/** @param connections  the limits that follow from the configuration and the machine */
export function summarizeConfig(
  config: Config,
  connections: { readonly maxConnections: number; readonly maxConnectionsPerPeer: number },
) {
  const { solanaRpcUrls, solanaSendUrls, solanaLandingUrls, rpcUrls, providerUrls, providerKeys, limits } =
    config
  const others: UpstreamOwner = config.mode === 'live' ? 'public' : 'sandbox'
  const ownerOf = (urls: readonly string[] | null): UpstreamOwner => (urls === null ? others : 'own')
  // Without the variable there is one node: the public endpoint, or the sandbox's.
  const read = solanaRpcUrls ?? ['']
  const send = solanaSendUrls ?? read
  const off = PROVIDER_NAMES.filter((name) => providerUrls[name] === null)
  const nodes = OTHER_CHAINS.map(({ key, rpc }) => (rpcUrls[key] ?? rpc).length)
  const landing = solanaLandingUrls?.length ?? 0
  const routers = Object.values(config.routers).filter((server) => server !== null).length
  const all = [
    new Set([...read, ...send]).size,
    landing,
    ...nodes,
    PROVIDER_NAMES.length - off.length,
    routers,
  ]
  return {
    /** How many upstream URLs there are; null in sandbox mode, where most are one simulated world. */
    upstreams: config.mode === 'live' ? all.reduce((sum, count) => sum + count) : null,
    solana: {
      read: { count: read.length, by: ownerOf(solanaRpcUrls) },
      send: { count: send.length, by: ownerOf(solanaSendUrls ?? solanaRpcUrls) },
    },
    /** The chains with nodes of the operator's own, and who runs the nodes of the others. */
    nodes: { own: OTHER_CHAINS.map(({ key }) => key).filter((key) => rpcUrls[key]), others },
    providers: {
      count: PROVIDER_NAMES.length - off.length,
      own: PROVIDER_NAMES.filter(
        (name) => providerUrls[name] !== null && providerUrls[name] !== PROVIDERS[name].url,
      ),
      others,
      off,
      /** The providers that are called with a key. */
      keys: Object.entries(providerKeys)
        .filter(([, key]) => key !== null)
        .map(([name]) => name),
    },
    /** In the format of the variable LIMITS. */
    budgets: limitsText(limits),
    changedBudgets: (Object.keys(DEFAULT_BUDGETS) as BudgetName[]).filter(
      (name) =>
        limits[name].client !== DEFAULT_BUDGETS[name].client ||
        limits[name].global !== DEFAULT_BUDGETS[name].global,
    ),
    connections: {
      all: connections.maxConnections,
      perClient: Number.isFinite(connections.maxConnectionsPerPeer)
        ? connections.maxConnectionsPerPeer
        : 'off',
    },
    /** What the relay's endpoint accepts. */
    rpcCompat: config.rpcCompat,
    verifier: config.verifier,
    minVerification: config.minVerification,
    quoteSecret: config.quoteSecret === null ? 'random' : 'own',
  }
}
