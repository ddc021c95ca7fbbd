/**
 * The age of the data shown, and why it is not updated: the service is slow, or it
 * does not answer and the request is retried.
 */
import { useNow, type WatchedQuery } from '../data/hooks.ts'
import { textOf } from '../data/words.ts'
import { age } from '../format.ts'
import { Button } from './controls.tsx'

/** An answer that takes longer counts as slow. */
const SLOW_MS = 3_000

export function Freshness({ query }: { readonly query: WatchedQuery<unknown> }) {
  const now = useNow(1_000)
  const { at, error, askedAt } = query
  const isSlow = askedAt !== null && now - askedAt > SLOW_MS
  const state = error !== null ? 'failed' : isSlow ? 'slow' : at === null ? 'waiting' : 'fresh'
  const shown = at === null ? 'Loading…' : `Updated ${age(now - at)} ago`
  return (
    <div class={`freshness row ${state}`}>
      <span class="dot" aria-hidden="true" />
      {(at !== null || error === null) && <span>{shown}</span>}
      {/* Without the countdown: screen readers would read every second aloud. */}
      <span role="status">{error !== null ? textOf(error) : isSlow && 'Slow response, still waiting.'}</span>
      {error !== null && <span>{nextOf(query, now)}</span>}
      <Button
        class="quiet"
        aria-label={error === null ? 'Refresh' : 'Retry'}
        onClick={query.refresh}
        disabled={askedAt !== null}
      >
        {error === null ? '⟳' : 'Retry'}
      </Button>
    </div>
  )
}

/** When a failed request is repeated. */
export function nextOf({ askedAt, nextAt }: WatchedQuery<unknown>, now: number): string {
  if (askedAt !== null) return 'Retrying…'
  if (nextAt === null) return ''
  return `Retrying in ${Math.max(0, Math.ceil((nextAt - now) / 1_000))} s.`
}
