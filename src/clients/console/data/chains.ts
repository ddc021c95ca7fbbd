import { useQuery } from './hooks.ts'
import { client } from './service.ts'

/** Chains by their well-known names: a key is shown until the names have arrived. */
export function useChainNames(): (key: string) => string {
  const { data } = useQuery('chains', (callOptions) => client.chains(callOptions))
  return (key) => data?.chains.find((chain) => chain.key === key)?.name ?? key
}
