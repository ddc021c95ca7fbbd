/**
 * Bytes in the pieces that they arrived in. They are read and passed on without being joined: new memory for
 * all of it is slow when first touched, and would double what is held.
 */
export class Pieces {
  readonly parts: readonly Buffer[]
  /** Of all parts, in bytes. */
  readonly length: number

  constructor(parts: readonly Buffer[]) {
    this.parts = parts
    let length = 0
    for (const part of parts) length += part.length
    this.length = length
  }

  /** The memory behind the parts, of which they may be views, in bytes. */
  get memoryBytes(): number {
    let bytes = 0
    for (const { buffer } of this.parts) bytes += buffer.byteLength
    return bytes
  }

  /** Views of the bytes from `start` up to `end`. */
  slice(start: number, end = this.length): Pieces {
    const parts: Buffer[] = []
    let at = 0
    for (const part of this.parts) {
      if (at >= end) break
      const partEnd = at + part.length
      if (at >= start && partEnd <= end) parts.push(part)
      else if (partEnd > start) parts.push(part.subarray(Math.max(0, start - at), end - at))
      at = partEnd
    }
    return new Pieces(parts)
  }

  /** The bytes from `start` up to `end`, joined; a copy only if they are in several parts. */
  bytes(start: number, end: number): Buffer {
    const { parts } = this.slice(start, end)
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
  }
}

/** The first bytes, or all if there are fewer; a view if one part has them. */
export function headOf(bytes: Buffer | Pieces, count: number): Buffer {
  if (bytes instanceof Pieces) return bytes.bytes(0, count)
  return bytes.length <= count ? bytes : bytes.subarray(0, count)
}
