/**
 * A text that names the origin it was asked at, such as the document's servers.
 * It is written once; for each origin it is the same bytes with others between
 * them. Compressed it is kept for the latest origins only, as many as a service
 * has names, and one is compressed anew at most ten times a second: whoever sends
 * another Host header each time gets the plain bytes, and costs a copy and a hash of them.
 */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../runtime/clock.ts'
import { type Medium, Representation } from './representation.ts'

/** Stands in the text wherever the origin is to stand: a name that no host has (RFC 6761 §6.4). */
export const ORIGIN = 'http://origin.invalid'

const MAX_ORIGINS = 8
const COMPRESS_EVERY_MS = 100

export class ByOrigin {
  readonly #write: () => string
  readonly #clock: Clock
  readonly #kept = new LRUCache<string, Promise<Representation>>({ max: MAX_ORIGINS })
  #parts: readonly Buffer[] | null = null
  #compressedAt = Number.NEGATIVE_INFINITY

  /** @param write  the text with ORIGIN in it; called when it is first asked for */
  constructor(write: () => string, clock: Clock) {
    this.#write = write
    this.#clock = clock
  }

  /** In no coding but its own where there is no time to compress it. */
  of(origin: string): Promise<Representation> | Representation {
    const kept = this.#kept.get(origin)
    if (kept !== undefined) return kept
    const bytes = this.#bytesFor(origin)
    const now = this.#clock.now()
    if (now - this.#compressedAt < COMPRESS_EVERY_MS) return Representation.plain(bytes, null)
    this.#compressedAt = now
    const representation = Representation.of(bytes)
    this.#kept.set(origin, representation)
    return representation
  }

  /** For a text that is too short to be compressed, or to be kept. @param medium  null for JSON */
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
