/**
 * What the gateway says of its budgets, as it said it last: the headers
 * `RateLimit` and `RateLimit-Policy`.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers-10
 */
import type { Clock, FetchResponse } from './options.ts'

/** One budget, such as `swap-client`: the client's own part, or `swap-global`, everybody's. */
export interface Limit {
  name: string
  /** Requests that are left until the window ends; 0 after it was told so, until then. */
  remaining: number
  /** How long that is, from now. */
  resetMs: number
  /** Requests per window, and the length of one; null where the gateway did not tell. */
  quota: number | null
  windowMs: number | null
  /** How long ago it was told. */
  ageMs: number
}

interface Told {
  readonly toldAt: number
  readonly remaining: number
  readonly resetsAt: number
  readonly quota: number | null
  readonly windowMs: number | null
}

/** `"name";r=5;t=30, "other";...`: the names, each with its integers. */
const ITEM = /"([^"\\]*)"((?:\s*;\s*[a-z*][\w*.-]*=[^;,]*)*)/g
const PARAMETER = /;\s*([a-z*][\w*.-]*)=(\d+)/g

export class Limits {
  readonly #clock: Clock
  readonly #told = new Map<string, Told>()
  /** Which budgets an operation spends, as its answers tell. */
  readonly #namesOf = new Map<string, readonly string[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The budgets that were told of, and whose windows have not ended. */
  all(): readonly Limit[] {
    const now = this.#clock.now()
    return [...this.#told]
      .filter(([, { resetsAt }]) => resetsAt > now)
      .map(([name, { toldAt, remaining, resetsAt, quota, windowMs }]) => ({
        name,
        remaining,
        resetMs: resetsAt - now,
        quota,
        windowMs,
        ageMs: now - toldAt,
      }))
  }

  /** How long until a budget of this operation has room, which is known to have none now; 0 where none is known. */
  waitMs(operation: string): number {
    const now = this.#clock.now()
    const waits = (this.#namesOf.get(operation) ?? []).map((name) => {
      const told = this.#told.get(name)
      return told === undefined || told.remaining > 0 ? 0 : told.resetsAt - now
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
      this.#told.set(name, {
        toldAt: now,
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
