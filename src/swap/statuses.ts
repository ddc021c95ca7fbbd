/**
 * GET /api/xstatus, between its route and the provider. Identical requests at the same time share an answer.
 * If the provider fails, or its quota is used up, the last answer is served for a few seconds
 * (stale-if-error).
 *
 * Source: §4.8
 */

import type { Call } from '../flow/call.ts'
import type { Xprov } from '../providers/swap/xprov.ts'
import { type BoundedCache, boundedCache } from '../runtime/bounded-cache.ts'
import { CLOCK, type Clock } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import { named, recorded } from '../runtime/tape.ts'
import { type CacheState, Coalescer } from '../upstream/answers/coalescing.ts'

/** How long an answer may be served after a failure. */
const STALE_IF_ERROR_MS = 10_000
/** Bounds of the cached answers; a typical one has two KiB. */
const MAX_CACHED = 1_000
const MAX_CACHED_BYTES = 4 * 1024 * 1024

/** The hints are of the transaction. */
export type StatusQuery = Parameters<Xprov['status']>[1] & { readonly txHash: string }

interface CachedStatus {
  /** The provider's answer: one JSON object that is not empty. */
  readonly body: Buffer
  /** When it was answered, Unix ms. */
  readonly at: number
}

export class Statuses {
  readonly #xprov: Pick<Xprov, 'status'>
  readonly #clock: Clock
  readonly #requests: Coalescer<CachedStatus>
  readonly #last: BoundedCache<string, CachedStatus>

  constructor(xprov: Pick<Xprov, 'status'>, clock: Clock = CLOCK) {
    this.#xprov = xprov
    this.#clock = clock
    this.#requests = new Coalescer(0, named(clock, 'status'))
    const sizeOf = ({ body }: CachedStatus) => body.length
    this.#last = boundedCache({
      max: MAX_CACHED_BYTES,
      sizeOf,
      ttlMs: STALE_IF_ERROR_MS,
      clock: named(clock, 'status last'),
    })
  }

  get cache(): CacheState {
    return { ...this.#requests.counts, entries: this.#last.size, bytes: this.#last.calculatedSize }
  }

  /**
   * @returns the provider's answer, byte for byte; one of up to ten seconds ago with `asOf` added at its end
   * @throws GatewayError  the provider's, or upstream_rate_limited with retryAfterMs, where no answer is cached
   */
  async find({ txHash, ...hints }: StatusQuery, call: Call): Promise<Buffer> {
    const { fromChain, toChain, bridge } = hints
    const key = [txHash, fromChain?.key, toChain?.key, bridge].join(' ')
    try {
      const status = await this.#requests.join(key, call.scope, async (shared) => {
        const body = await this.#xprov.status(txHash, hints, call.in(shared))
        const status = { body, at: this.#clock.date() }
        this.#last.set(key, status)
        if (this.#last.size > MAX_CACHED) this.#last.pop()
        return status
      })
      return status.body
    } catch (error) {
      const last = recorded(this.#clock, `last ${key}`, () => this.#last.get(key))
      if (last === undefined || !(error instanceof GatewayError) || error.status !== 502) throw error
      return withTime(last)
    }
  }
}

function withTime({ body, at }: CachedStatus): Buffer {
  const end = body.lastIndexOf('}')
  return Buffer.concat([body.subarray(0, end), Buffer.from(`,"asOf":${at}}`)])
}
