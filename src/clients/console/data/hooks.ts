/** The data layer as hooks: a component shows what they answer, and is drawn anew when that changes. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Limit } from '../../client/index.ts'
import type { Noted } from './exchanges.ts'
import { type Ask, NOTHING, type QueryOptions, type Snapshot } from './query.ts'
import { client, exchanges, queryOf } from './service.ts'

export interface Watched<T> extends Snapshot<T> {
  /** Asks now. */
  refresh(): void
}

/**
 * Asks while the component is shown.
 *
 * @param name  has all that `ask` depends on; null: there is nothing to ask yet
 */
export function useQuery<T>(
  name: string | null,
  ask: Ask<T>,
  options: QueryOptions = { everyMs: null },
): Watched<T> {
  // A query keeps the `ask` that it was made with: those of one name mean the same.
  const query = useMemo(() => (name === null ? null : queryOf(name, ask, options)), [name])
  const [, draw] = useState(0)
  useEffect(() => {
    const again = (): void => draw((count) => count + 1)
    // What came between the first drawing and now is shown, too.
    again()
    return query?.subscribe(again)
  }, [query])
  return { ...(query?.snapshot ?? NOTHING), refresh: () => query?.refresh() }
}

/** The requests of this page. */
export function useExchanges(): readonly Noted[] {
  const [all, set] = useState(exchanges.all)
  useEffect(() => exchanges.subscribe(() => set(exchanges.all)), [])
  return all
}

/** What is left of the budgets that were told of; drawn anew each second, as windows run out. */
export function useLimits(): readonly Limit[] {
  useExchanges()
  useNow(1_000)
  return client.limits
}

/** The wall clock, in steps. */
export function useNow(stepMs: number): number {
  const [now, set] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => set(Date.now()), stepMs)
    return () => clearInterval(timer)
  }, [stepMs])
  return now
}
