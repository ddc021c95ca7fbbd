import { useQuery } from './hooks.ts'
import { client } from './service.ts'

/** Chains by the names that people know: a key stands for its chain until the names have come. */
export function useChainNames(): (key: string) => string {
  const { data } = useQuery('chains', (callOptions) => client.chains(callOptions))
  return (key) => data?.chains.find((chain) => chain.key === key)?.name ?? key
}
