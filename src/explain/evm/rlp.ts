/**
 * Reads RLP as nodes do: each length in its shortest form, nothing after the end, and no more items or levels
 * than a transaction has.
 *
 * Source: ethereum.github.io/yellowpaper, appendix B
 */
export type Item = Uint8Array | readonly Item[]

/** An access list of a thousand slots has a tenth of it. */
const MAX_ITEMS = 8_192
/** The transaction, its access list, one entry, the entry's slots, a slot. */
const MAX_DEPTH = 5

/** @returns null if it isn't RLP, or is longer or deeper than a transaction */
export function decodeRlp(bytes: Uint8Array): Item | null {
  let left = MAX_ITEMS
  let at = 0
  const length = (size: number): number => {
    if (size > 4 || at + size > bytes.length || bytes[at] === 0) throw new RangeError('length')
    let value = 0
    for (const end = at + size; at < end; at++) value = value * 256 + bytes[at]!
    if (value < 56) throw new RangeError('length')
    return value
  }
  const item = (end: number, depth: number): Item => {
    if (--left < 0 || depth > MAX_DEPTH || at >= end) throw new RangeError('item')
    const first = bytes[at++]!
    if (first < 0x80) return bytes.subarray(at - 1, at)
    const isList = first >= 0xc0
    const short = first - (isList ? 0xc0 : 0x80)
    const to = (short < 56 ? short : length(short - 55)) + at
    if (to > end) throw new RangeError('end')
    if (!isList) {
      const data = bytes.subarray(at, to)
      if (data.length === 1 && data[0]! < 0x80) throw new RangeError('length')
      at = to
      return data
    }
    const items: Item[] = []
    while (at < to) items.push(item(to, depth + 1))
    return items
  }
  try {
    const decoded = item(bytes.length, 1)
    return at === bytes.length ? decoded : null
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return null
  }
}
