/**
 * How old what is shown is, and what is the matter where it grows older: the line
 * is slow, or the service does not answer and is asked again.
 */
import type { Watched } from '../data/hooks.ts'
import { useNow } from '../data/hooks.ts'
import { age, time } from '../format.ts'

/** An answer that takes longer is told of. */
const SLOW_MS = 3_000

export function Freshness({ query }: { readonly query: Watched<unknown> }) {
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
      {/* Told once: seconds that count down would be read out each. */}
      <span role="status">{messageOf(query, isSlow)}</span>
      {error !== null && <span>{nextOf(askedAt, nextAt, now)}</span>}
      <button type="button" class="quiet" onClick={query.refresh} disabled={askedAt !== null}>
        {error === null ? 'Refresh' : 'Try now'}
      </button>
    </div>
  )
}

function messageOf({ error }: Watched<unknown>, isSlow: boolean): string {
  if (error === null) return isSlow ? 'The answer is slow; still waiting.' : ''
  if (error.code === 'network' || error.code === 'timeout') return 'The service does not answer.'
  return `${error.message} (${error.code})`
}

function nextOf(askedAt: number | null, nextAt: number | null, now: number): string {
  if (askedAt !== null) return 'Trying again …'
  if (nextAt === null) return ''
  return `Trying again in ${Math.max(0, Math.ceil((nextAt - now) / 1_000))} s.`
}
