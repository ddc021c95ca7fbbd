/**
 * Finds what would fail when a validator locks the accounts (AccountLoadedTwice), as far as the bytes show:
 * lookups in different tables may still load the same account, which only the chain knows. The layout was
 * checked before.
 *
 * Source: rules R22, R23 of codes.json · anza-xyz/agave accounts-db/src/account_locks.rs
 */

import { Cursor } from './cursor.ts'
import { KEY_BYTES } from './sizes.ts'

/** R22: whether one of the `count` keys at `at` occurs twice. */
export function repeatsKey(bytes: Uint8Array, at: number, count: number): boolean {
  const end = at + count * KEY_BYTES
  for (let a = at; a < end; a += KEY_BYTES) {
    for (let b = a + KEY_BYTES; b < end; b += KEY_BYTES) {
      if (isSameKey(bytes, a, b)) return true
    }
  }
  return false
}

/** R23: whether the `count` lookups at `at` load an index of a table twice. */
export function repeatsLookup(bytes: Uint8Array, at: number, count: number): boolean {
  CURSOR.open(bytes, at)
  for (let i = 0; i < count; i++) {
    LOOKUP_AT[i] = CURSOR.skip(KEY_BYTES)
    CURSOR.skip(CURSOR.compactU16())
    CURSOR.skip(CURSOR.compactU16())
  }
  for (let i = 0; i < count; i++) {
    SEEN.fill(0)
    for (let j = i; j < count; j++) {
      const sameTable = isSameKey(bytes, LOOKUP_AT[i]!, LOOKUP_AT[j]!)
      if (sameTable && repeatsIndex(bytes, LOOKUP_AT[j]! + KEY_BYTES)) return true
    }
  }
  return false
}

/** Whether one of the two lists at `at` has an index that was seen before. Marks its indexes as seen. */
function repeatsIndex(bytes: Uint8Array, at: number): boolean {
  CURSOR.open(bytes, at)
  for (let list = 0; list < 2; list++) {
    for (let left = CURSOR.compactU16(); left > 0; left--) {
      const index = CURSOR.u8()
      if (SEEN[index] === 1) return true
      SEEN[index] = 1
    }
  }
  return false
}

function isSameKey(bytes: Uint8Array, a: number, b: number): boolean {
  for (let i = 0; i < KEY_BYTES; i++) {
    if (bytes[a + i] !== bytes[b + i]) return false
  }
  return true
}

// Scratch space of one synchronous call. A count is one byte below 0x80.
const CURSOR = new Cursor()
const LOOKUP_AT = new Uint16Array(0x80)
const SEEN = new Uint8Array(256)
