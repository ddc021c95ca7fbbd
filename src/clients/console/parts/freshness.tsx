/**
 * The age of the data shown, and why it is not updated: the service is slow, or it
 * does not answer and the request is retried.
 */
import type { WatchedQuery } from '../data/hooks.ts'
import { useNow } from '../data/hooks.ts'
import { age, time } from '../format.ts'

/** An answer that takes longer counts as slow. */
const SLOW_MS = 3_000

export function Freshness({ query }: { readonly query: WatchedQuery<unknown> }) {
  const now = useNow(1_000)
  const { at, error, askedAt, nextAt } = query
  const isSlow = askedAt !== null && now - askedAt > SLOW_MS
  const state = error !== null ? 'failed' : isSlow ? 'slow' : at === null ? 'waiting' : 'fresh'
  const shown = at === null ? 'nothing yet' : `as of ${time(at, now)}`
  return (
    <div class={`freshness ${state}`}>
      <span class="dot" aria-hidden="true" />
      <span>
        {shown}
        {at !== null && state !== 'fresh' && `, ${age(now - at)} old`}
      </span>
      {/* Without the countdown: screen readers would read every second aloud. */}
      <span role="status">{messageOf(query, isSlow)}</span>
      {error !== null && <span>{nextOf(askedAt, nextAt, now)}</span>}
      <button type="button" class="quiet" onClick={query.refresh} disabled={askedAt !== null}>
        {error === null ? 'Refresh' : 'Try now'}
      </button>
    </div>
  )
}

function messageOf({ error }: WatchedQuery<unknown>, isSlow: boolean): string {
  if (error === null) return isSlow ? 'The answer is slow; still waiting.' : ''
  if (error.code === 'network' || error.code === 'timeout') return 'The service does not answer.'
  return `${error.message} (${error.code})`
}

function nextOf(askedAt: number | null, nextAt: number | null, now: number): string {
  if (askedAt !== null) return 'Retrying …'
  if (nextAt === null) return ''
  return `Retrying in ${Math.max(0, Math.ceil((nextAt - now) / 1_000))} s.`
}
