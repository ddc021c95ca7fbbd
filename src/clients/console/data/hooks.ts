/** The data layer as hooks: a component renders their results and is rendered again when those change. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Chain, Health, Limit, Operations, Settings, TokenList } from '../../client/index.ts'
import type { TimedExchange } from './exchanges.ts'
import { useKept } from './kept.ts'
import {
  NOTHING,
  type QueryCallOptions,
  type QueryFunction,
  type QueryOptions,
  type QuerySnapshot,
} from './query.ts'
import { client, exchanges, queryOf } from './service.ts'

export interface WatchedQuery<T> extends QuerySnapshot<T> {
  /** Sends the request now. */
  refresh(): void
}

/**
 * Runs a query while the component is mounted.
 *
 * @param name  identifies the query, with everything that `ask` depends on; null: there is nothing to ask yet
 */
export function useQuery<T>(
  name: string | null,
  ask: QueryFunction<T>,
  options: QueryOptions = { everyMs: null },
): WatchedQuery<T> {
  // A query keeps its first `ask`: functions under one name are equivalent.
  const query = useMemo(() => (name === null ? null : queryOf(name, ask, options)), [name])
  const [, draw] = useState(0)
  useEffect(() => {
    const again = (): void => draw((count) => count + 1)
    // Shows what arrived between the first render and this effect.
    again()
    return query?.subscribe(again)
  }, [query])
  return { ...(query?.snapshot ?? NOTHING), refresh: () => query?.refresh() }
}

/** The operations that take an input, and answer once. */
type Operation = {
  [Name in keyof Operations]: 2 extends Parameters<Operations[Name]>['length']
    ? ReturnType<Operations[Name]> extends Promise<unknown>
      ? Name
      : never
    : never
}[keyof Operations]

type Answer<Name extends Operation> = Awaited<ReturnType<Operations[Name]>>

/**
 * Runs the query of an operation while the component is mounted.
 * @param input  null: there is nothing to ask yet
 */
export function useAnswer<Name extends Operation>(
  operation: Name,
  input: Parameters<Operations[Name]>[0] | null,
  options?: QueryOptions,
): WatchedQuery<Answer<Name>> {
  const ask = client[operation] as (input: unknown, options: QueryCallOptions) => Promise<Answer<Name>>
  const name = input === null ? null : `${operation} ${JSON.stringify(input)}`
  return useQuery(name, (callOptions) => ask(input, callOptions), options)
}

const HEALTH_EVERY_MS = 5_000
const LIST_EVERY_MS = 60_000
const CONFIG_EVERY_MS = 60_000

/** The service's health, from one query that all components share. */
export const useHealth = (): WatchedQuery<Health> =>
  useQuery('health', (callOptions) => client.health(callOptions), { everyMs: HEALTH_EVERY_MS })

/** The token list with what it hides for its risk, from one query that all components share. */
export const useAllTokens = (): WatchedQuery<TokenList> =>
  useAnswer('tokens', { all: true }, { everyMs: LIST_EVERY_MS })

/** All chains of the service; none until they have arrived. */
export const useChains = (): readonly Chain[] =>
  useQuery('chains', (callOptions) => client.chains(callOptions)).data?.chains ?? []

/** Null until the chains have arrived. */
export const useChain = (key: string | undefined): Chain | null =>
  useChains().find((chain) => chain.key === key) ?? null

/** Chains by their well-known names: a key is shown until the names have arrived. */
export function useChainNames(): (key: string) => string {
  const chains = useChains()
  return (key) => chains.find((chain) => chain.key === key)?.name ?? key
}

/** The service's configuration, which changes only with a restart. */
export function useConfig(): WatchedQuery<Settings> {
  return useQuery('config', (callOptions) => client.config(callOptions), { everyMs: CONFIG_EVERY_MS })
}

/** The requests of this page. */
export const useExchanges = (): readonly TimedExchange[] => useKept(exchanges)

/** The known budgets; rendered again each second, because windows end. */
export function useLimits(): readonly Limit[] {
  useExchanges()
  useNow(1_000)
  return client.limits
}

/** The wall clock, ms, updated every `stepMs`. */
export function useNow(stepMs: number): number {
  const [now, set] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => set(Date.now()), stepMs)
    return () => clearInterval(timer)
  }, [stepMs])
  return now
}
