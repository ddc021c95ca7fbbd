/**
 * Bytes that arrive in chunks of any size: a Buffer for each would cost a sender of single bytes nothing, and
 * us a hundred times what it sent.
 */

/** A chunk of this many bytes is kept as it came; smaller ones are copied together. */
const LARGE = 16_384
/** The first own piece; each further one is twice as long, up to the longest. */
const FIRST_PIECE = 1_024
const LONGEST_PIECE = 65_536

export class GatheredBytes {
  /** Complete pieces. */
  readonly #pieces: Buffer[] = []
  /** The piece that small chunks are copied into; null while there is none. */
  #open: Buffer | null = null
  #filled = 0
  #nextPiece = FIRST_PIECE
  #length = 0

  /** How many bytes came. */
  get length(): number {
    return this.#length
  }

  add(chunk: Buffer): void {
    this.#length += chunk.length
    // Nearly every body and answer is one chunk, which is not copied.
    if (this.#pieces.length === 0 && this.#open === null) {
      this.#pieces.push(chunk)
      return
    }
    if (this.#pieces.length === 1 && this.#open === null && this.#pieces[0]!.length < LARGE) {
      this.#copy(this.#pieces.pop()!)
    }
    if (chunk.length >= LARGE) {
      this.#close()
      this.#pieces.push(chunk)
    } else this.#copy(chunk)
  }

  /** What has arrived so far, in order. Nothing may be added afterwards. */
  pieces(): readonly Buffer[] {
    this.#close()
    return this.#pieces
  }

  /** What has arrived, joined. Nothing may be added afterwards. */
  joined(): Buffer {
    const pieces = this.pieces()
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, this.#length)
  }

  /** Releases the bytes. */
  clear(): void {
    this.#pieces.length = 0
    this.#open = null
    this.#length = 0
  }

  #copy(chunk: Buffer): void {
    let copied = 0
    while (copied < chunk.length) {
      if (this.#open === null) {
        this.#open = Buffer.allocUnsafeSlow(this.#nextPiece)
        this.#filled = 0
        this.#nextPiece = Math.min(this.#nextPiece * 2, LONGEST_PIECE)
      }
      const count = chunk.copy(this.#open, this.#filled, copied)
      copied += count
      this.#filled += count
      if (this.#filled === this.#open.length) this.#close()
    }
  }

  #close(): void {
    if (this.#open === null) return
    this.#pieces.push(this.#open.subarray(0, this.#filled))
    this.#open = null
  }
}
