/**
 * A text that contains the origin it is served at, such as the servers of the
 * OpenAPI document. It is written once; each origin gets the same bytes with its
 * name in between. Compressed forms are cached for the latest origins only, more
 * than a service has names, and at most ten a second are compressed: a client
 * that sends a new Host header each time gets the plain bytes, and costs a copy
 * and a hash of them.
 */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../runtime/clock.ts'
import { type Medium, Representation } from './representation.ts'

/** The placeholder of the origin in the text: a name that no host has (RFC 6761 §6.4). */
export const ORIGIN = 'http://origin.invalid'

const MAX_ORIGINS = 8
const COMPRESS_EVERY_MS = 100

export class ByOrigin {
  readonly #write: () => string
  readonly #clock: Clock
  readonly #cache = new LRUCache<string, Promise<Representation>>({ max: MAX_ORIGINS })
  #parts: readonly Buffer[] | null = null
  #compressedAt = Number.NEGATIVE_INFINITY

  /** @param write  returns the text with ORIGIN in it; called at the first request */
  constructor(write: () => string, clock: Clock) {
    this.#write = write
    this.#clock = clock
  }

  /** Uncompressed if another origin's was compressed a moment ago. */
  of(origin: string): Promise<Representation> | Representation {
    const cached = this.#cache.get(origin)
    if (cached !== undefined) return cached
    const bytes = this.#bytesFor(origin)
    const now = this.#clock.now()
    if (now - this.#compressedAt < COMPRESS_EVERY_MS) return Representation.plain(bytes, null)
    this.#compressedAt = now
    const representation = Representation.of(bytes)
    this.#cache.set(origin, representation)
    return representation
  }

  /** Uncompressed and not cached, for a short text. @param medium  null for JSON */
  plain(origin: string, medium: Medium | null): Representation {
    return Representation.plain(this.#bytesFor(origin), medium)
  }

  #bytesFor(origin: string): Buffer {
    this.#parts ??= this.#write()
      .split(ORIGIN)
      .map((part) => Buffer.from(part))
    const name = Buffer.from(origin)
    const [first, ...others] = this.#parts as [Buffer, ...Buffer[]]
    return Buffer.concat([first, ...others.flatMap((part) => [name, part])])
  }
}
