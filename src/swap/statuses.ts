/**
 * GET /api/xstatus, between its route and the provider: those who ask the same
 * at the same time share an answer, and the one before stands in for it for a
 * few seconds where the provider fails, or grants us no more.
 *
 * Source: §4.8
 */

import { LRUCache } from 'lru-cache'
import type { XprovChain } from '../chains/find.ts'
import type { CallOptions } from '../providers/provider.ts'
import type { Xprov } from '../providers/swap/xprov.ts'
import { CLOCK, type Clock } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import { type CacheState, Coalescer } from '../upstream/coalescing.ts'

/** For how long an answer may stand in for one that cannot be had. */
const STAND_IN_MS = 10_000
/** Bounds of the answers that are kept; a usual one has two KiB. */
const MAX_KEPT = 1_000
const MAX_KEPT_BYTES = 4 * 1024 * 1024

export interface StatusQuestion {
  readonly txHash: string
  readonly fromChain?: XprovChain
  readonly toChain?: XprovChain
  readonly bridge?: string
}

interface Told {
  /** The provider's words: one JSON object that is not empty. */
  readonly body: Buffer
  /** Unix ms. */
  readonly at: number
}

export class Statuses {
  readonly #xprov: Pick<Xprov, 'status'>
  readonly #clock: Clock
  readonly #flights: Coalescer<Told>
  readonly #last: LRUCache<string, Told>

  constructor(xprov: Pick<Xprov, 'status'>, clock: Clock = CLOCK) {
    this.#xprov = xprov
    this.#clock = clock
    this.#flights = new Coalescer(0, clock)
    this.#last = new LRUCache({
      max: MAX_KEPT,
      maxSize: MAX_KEPT_BYTES,
      sizeCalculation: ({ body }) => body.length,
      ttl: STAND_IN_MS,
      ttlResolution: 0,
      perf: clock,
    })
  }

  get cache(): CacheState {
    return { ...this.#flights.counts, entries: this.#last.size, bytes: this.#last.calculatedSize }
  }

  /**
   * @returns the provider's words, byte for byte; those of up to ten seconds ago with `asOf` at their end
   * @throws GatewayError  the provider's; upstream_rate_limited with retryAfterMs, where none are at hand
   */
  async find({ txHash, ...hints }: StatusQuestion, options: CallOptions): Promise<Buffer> {
    const { fromChain, toChain, bridge } = hints
    const key = [txHash, fromChain?.key, toChain?.key, bridge].join(' ')
    try {
      const told = await this.#flights.join(key, options.scope, async (shared) => {
        const body = await this.#xprov.status(txHash, hints, { ...options, scope: shared })
        const told = { body, at: this.#clock.date() }
        this.#last.set(key, told)
        return told
      })
      return told.body
    } catch (error) {
      const last = this.#last.get(key)
      if (last === undefined || !(error instanceof GatewayError) || error.status !== 502) throw error
      return withTime(last)
    }
  }
}

function withTime({ body, at }: Told): Buffer {
  const end = body.lastIndexOf('}')
  return Buffer.concat([body.subarray(0, end), Buffer.from(`,"asOf":${at}}`)])
}
