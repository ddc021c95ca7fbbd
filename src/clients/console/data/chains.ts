import type { Chain } from '../../client/index.ts'
import { useQuery } from './hooks.ts'
import { client } from './service.ts'

/** All chains of the service; none until they have arrived. */
export const useChains = (): readonly Chain[] =>
  useQuery('chains', (callOptions) => client.chains(callOptions)).data?.chains ?? []

/** Chains by their well-known names: a key is shown until the names have arrived. */
export function useChainNames(): (key: string) => string {
  const chains = useChains()
  return (key) => chains.find((chain) => chain.key === key)?.name ?? key
}
