/**
 * What a live gateway will run short of with its configuration, so that the operator learns it at the start.
 */
import { CHAINS } from '../chains/chains.ts'
import type { ChainDefinition } from '../chains/definition.ts'
import type { Config } from './config.ts'
import { PROVIDER_NAMES, PROVIDERS, type ProviderRow, quotaFor } from './providers.ts'

export interface Warning {
  readonly facts: Readonly<Record<string, unknown>>
  readonly message: string
}

/** @returns none in sandbox mode. They have names of chains and providers, and no URL and no key */
export function warningsOf(config: Config): readonly Warning[] {
  if (config.mode === 'sandbox') return []
  const warnings: Warning[] = []
  const warn = (facts: Warning['facts'], message: string) => void warnings.push({ facts, message })
  const served = CHAINS.filter(({ key }) => config.chains.includes(key))
  const keysOf = (isMeant: (chain: ChainDefinition) => boolean) =>
    served.filter(isMeant).map(({ key }) => key)

  const shared = keysOf(({ key }) => ownUrls(config, key) === null)
  if (shared.length > 0) {
    warn({ chains: shared }, `only public nodes, which limit what they answer: set ${variablesOf(shared)}`)
  }
  const single = keysOf((chain) => hostsOf(ownUrls(config, chain.key) ?? chain.rpc) < 2)
  if (single.length > 0) {
    warn({ chains: single }, 'one node only: nothing to fail over to, and no second opinion on what it says')
  }
  const keyless = PROVIDER_NAMES.filter((name) => isScarce(config, name))
  if (keyless.length > 0) {
    warn(
      { providers: keyless },
      'less than one call a second without a key: set their keys (docs/providers.md)',
    )
  }
  if (config.quoteSecret === null) {
    warn({}, 'QUOTE_SECRET is random: quotes end with this process. openssl rand -base64 32 makes one')
  }
  return warnings
}

const ownUrls = (config: Config, chain: string): readonly string[] | null =>
  chain === 'solana' ? config.solanaRpcUrls : (config.rpcUrls[chain] ?? null)

const hostsOf = (urls: readonly string[]): number => new Set(urls.map((url) => new URL(url).host)).size

function variablesOf(chains: readonly string[]): string {
  const others = chains.filter((key) => key !== 'solana')
  const example = `RPC_URLS_${(others[0] ?? '').toUpperCase()}${others.length > 1 ? ' and the like' : ''}`
  return [
    ...(chains.includes('solana') ? ['SOLANA_RPC_URLS'] : []),
    ...(others.length > 0 ? [example] : []),
  ].join(', ')
}

/**
 * Whether a provider at its public URL grants less than a call a second, although a key would grant more or
 * is expected.
 */
function isScarce(config: Config, name: (typeof PROVIDER_NAMES)[number]): boolean {
  const row: ProviderRow = PROVIDERS[name]
  const key = (config.providerKeys as Readonly<Record<string, string | null>>)[name] ?? null
  const takesKey = row.key !== undefined || name === 'goplus'
  if (
    !takesKey ||
    key !== null ||
    (name === 'goplus' && config.goplusApp.key !== null) ||
    config.providerUrls[name] !== row.url
  )
    return false
  return (['call', 'quote'] as const).some((counted) => {
    const quota = quotaFor(name, null, counted)
    return quota !== null && quota.calls * 1_000 < quota.windowMs
  })
}
