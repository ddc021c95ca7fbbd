/**
 * A stale-if-error cache of the sources' answers about parts of a token's profile.
 *
 * Source: §4.2
 */

import { Call } from '../../flow/call.ts'
import type { CancellationScope } from '../../flow/cancellation.ts'
import {
  PARTIAL_KEEP_MS,
  type Part,
  type PartSource,
  type Parts,
  type TokenId,
} from '../../providers/market/market.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/log.ts'
import type { CacheState } from '../../upstream/answers/coalescing.ts'
import {
  type SourceAnswer,
  type SourceFailure,
  StaleIfErrorCache,
} from '../../upstream/answers/stale-if-error.ts'

/** The most answers cached, those of about three hundred tokens. The longest are trades, with about 60 KiB. */
const MAX_ANSWERS = 5_000
const MAX_BYTES = 16 * 1024 * 1024
/** The most calls in progress, those of about two hundred profiles. */
const MAX_PENDING = 2_000

export type { SourceFailure as Failure }
/** One source's answer about one part; `none` if it does not know the token. */
export type PartAnswer<P extends Part> = SourceAnswer<Parts[P]>

interface PartCacheOptions {
  /** For each answer, ms. */
  readonly deadlineMs: number
  readonly clock: Clock
  readonly log: Logger
}

/** A StaleIfErrorCache of the parts of profiles, whose answers have the types of their parts. */
export class PartCache {
  readonly #clock: Clock
  readonly #deadlineMs: number
  readonly #answers: StaleIfErrorCache<Parts[Part]>

  constructor({ deadlineMs, clock, log }: PartCacheOptions) {
    this.#clock = clock
    this.#deadlineMs = deadlineMs
    const bounds = { max: MAX_ANSWERS, maxBytes: MAX_BYTES, maxPending: MAX_PENDING }
    this.#answers = new StaleIfErrorCache({ clock, log, ...bounds })
  }

  get cache(): CacheState {
    return this.#answers.cache
  }

  /** The last answer, without asking; null if none is cached. */
  last<P extends Part>(provider: string, part: P, token: TokenId): Parts[P] | null {
    return this.#answers.last(keyOf(provider, part, token)) as Parts[P] | null
  }

  /**
   * Never rejects. A call continues when its client leaves: others may wait for the answer, or ask for it
   * later.
   */
  ask<P extends Part>(
    provider: string,
    part: P,
    source: PartSource<P>,
    token: TokenId,
    scope: CancellationScope | null,
  ): Promise<PartAnswer<P>> {
    const answer = this.#answers.ask(
      {
        key: keyOf(provider, part, token),
        provider,
        // The key contains the part, so the value has its type.
        keepMs: (value) => (source.isPartial?.(value as Parts[P]) ? PARTIAL_KEEP_MS : source.keepMs),
        ask: (shared) => source.ask(token, Call.of(this.#clock, 'research', this.#deadlineMs, shared)),
      },
      scope,
    )
    // For the same reason.
    return answer as Promise<PartAnswer<P>>
  }
}

const keyOf = (provider: string, part: Part, { chain, address }: TokenId): string =>
  `${provider} ${part} ${chain} ${address}`
