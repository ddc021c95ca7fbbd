/**
 * The state of the gateway's budgets, from the latest headers `RateLimit` and
 * `RateLimit-Policy`.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers-10
 */
import type { Clock, FetchResponse } from './options.ts'

/** One budget: `swap-client` is this client's share, `swap-global` is shared by all clients. */
export interface Limit {
  name: string
  /** Requests left until the window ends. */
  remaining: number
  /** Milliseconds from now until the window ends. */
  resetMs: number
  /** Requests per window, and the window's length; null if the gateway did not say. */
  quota: number | null
  windowMs: number | null
  /** Milliseconds since the gateway's answer. */
  ageMs: number
}

interface KnownBudget extends Readonly<Pick<Limit, 'remaining' | 'quota' | 'windowMs'>> {
  readonly notedAt: number
  readonly resetsAt: number
}

/** `"name";r=5;t=30, "other";...`: the names, each with its integers. */
const ITEM = /"([^"\\]*)"((?:\s*;\s*[a-z*][\w*.-]*=[^;,]*)*)/g
const PARAMETER = /;\s*([a-z*][\w*.-]*)=(\d+)/g

export class KnownLimits {
  readonly #clock: Clock
  readonly #known = new Map<string, KnownBudget>()
  /** The budgets that each operation spends, as its answers list them. */
  readonly #namesOf = new Map<string, readonly string[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The known budgets whose windows have not ended. */
  all(): readonly Limit[] {
    const now = this.#clock.now()
    return [...this.#known]
      .filter(([, { resetsAt }]) => resetsAt > now)
      .map(([name, { notedAt, resetsAt, ...known }]) => ({
        name,
        ...known,
        resetMs: resetsAt - now,
        ageMs: now - notedAt,
      }))
  }

  /** Milliseconds until this operation's exhausted budgets refill; 0 if none is known to be exhausted. */
  waitMs(operation: string): number {
    const now = this.#clock.now()
    const waits = (this.#namesOf.get(operation) ?? []).map((name) => {
      const known = this.#known.get(name)
      return known === undefined || known.remaining > 0 ? 0 : known.resetsAt - now
    })
    return Math.max(0, ...waits)
  }

  note(operation: string, headers: FetchResponse['headers']): void {
    const remaining = itemsOf(headers.get('ratelimit'))
    if (remaining.size === 0) return
    const policies = itemsOf(headers.get('ratelimit-policy'))
    const now = this.#clock.now()
    this.#namesOf.set(operation, [...remaining.keys()])
    for (const [name, { r, t }] of remaining) {
      if (r === undefined || t === undefined) continue
      const { q, w } = policies.get(name) ?? {}
      this.#known.set(name, {
        notedAt: now,
        remaining: r,
        resetsAt: now + t * 1_000,
        quota: q ?? null,
        windowMs: w === undefined ? null : w * 1_000,
      })
    }
  }
}

function itemsOf(header: string | null): Map<string, Readonly<Record<string, number>>> {
  const items = [...(header ?? '').matchAll(ITEM)].map(([, name, parameters]) => {
    const pairs = [...parameters!.matchAll(PARAMETER)].map(([, key, value]) => [key!, Number(value)])
    return [name!, Object.fromEntries(pairs) as Record<string, number>] as const
  })
  return new Map(items)
}
