/**
 * Reads and writes the ABI's 32-byte words. Contracts may return arbitrary bytes:
 * an offset or a length counts only if it stays within them.
 *
 * Source: Solidity documentation, "Contract ABI Specification"
 */

export const WORD_BYTES = 32

/** @returns hex without 0x */
export function encodeSize(size: number): string {
  return size.toString(16).padStart(WORD_BYTES * 2, '0')
}

/**
 * @param address  0x and 40 digits
 * @returns hex without 0x
 */
export function encodeAddress(address: string): string {
  return address
    .slice(2)
    .toLowerCase()
    .padStart(WORD_BYTES * 2, '0')
}

/** @returns null if fewer than 32 bytes are left at `at` */
export function readUint(bytes: Buffer, at: number): bigint | null {
  if (at + WORD_BYTES > bytes.length) return null
  return BigInt(`0x${bytes.toString('hex', at, at + WORD_BYTES)}`)
}

/** @returns an offset or a length that fits within `bytes`; null for any other word, or if there is none */
export function readSize(bytes: Buffer, at: number): number | null {
  const size = readUint(bytes, at)
  return size === null || size > bytes.length ? null : Number(size)
}

/**
 * A value of the type `bytes` or `string`.
 * @param at  the offset of its length
 * @returns a view; null if the value exceeds `bytes`
 */
export function readBytes(bytes: Buffer, at: number): Buffer | null {
  const length = readSize(bytes, at)
  const start = at + WORD_BYTES
  return length === null || start + length > bytes.length ? null : bytes.subarray(start, start + length)
}
