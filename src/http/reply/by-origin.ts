/**
 * A text that contains the origin it is served at, such as the servers of the OpenAPI document. It is written
 * once. Representations are cached for the service's own origins, of which there are few. For any other name
 * in the Host header, the client gets the same bytes with that name inserted: all replies share them, so a
 * new name each time costs no copy, hash or compression.
 */
import { boundedCache } from '../../runtime/bounded-cache.ts'
import { type Medium, Representation, SharedPieces } from './representation.ts'

/** The placeholder of the origin in the text: a name that no host has (RFC 6761 §6.4). */
export const ORIGIN = 'http://origin.invalid'

const MAX_ORIGINS = 8

export class ByOrigin {
  readonly #write: () => string
  readonly #medium: Medium | null
  readonly #kept = boundedCache<string, Promise<Representation> | Representation>({
    max: MAX_ORIGINS,
  })
  #parts: readonly Buffer[] | null = null

  /**
   * @param write   returns the text with ORIGIN in it; called at the first request
   * @param medium  null for JSON, which is compressed
   */
  constructor(write: () => string, medium: Medium | null = null) {
    this.#write = write
    this.#medium = medium
  }

  /** @param isOwn  whether it is one of the service's own origins */
  of(origin: string, isOwn: boolean): Promise<Representation> | Representation | SharedPieces {
    if (!isOwn) return new SharedPieces(this.#piecesFor(origin), this.#medium)
    const kept = this.#kept.get(origin)
    if (kept !== undefined) return kept
    const bytes = Buffer.concat(this.#piecesFor(origin))
    const made = this.#medium === null ? Representation.of(bytes) : Representation.plain(bytes, this.#medium)
    this.#kept.set(origin, made)
    return made
  }

  #piecesFor(origin: string): Buffer[] {
    this.#parts ??= this.#write()
      .split(ORIGIN)
      .map((part) => Buffer.from(part))
    const name = Buffer.from(origin)
    const [first, ...others] = this.#parts as [Buffer, ...Buffer[]]
    return [first, ...others.flatMap((part) => [name, part])]
  }
}
