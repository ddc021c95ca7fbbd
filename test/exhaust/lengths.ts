/**
 * Every compact-u16, in every place where one stands: all encodings of one, two and three bytes, short or padded, right
 * or cut. As many things follow as the encoding says, if a transaction has room for them.
 */

import type { Digits } from './digits.ts'
import type { Factor, Family } from './family.ts'
import type { Shape } from './shape.ts'

/** Encodings of one byte; the rest have the high bit and one of these, or go on. */
const ONE_BYTE = 0x80
const TWO_BYTES = ONE_BYTE * ONE_BYTE
const THREE_BYTES = ONE_BYTE * ONE_BYTE * 0x100
/** What needs more bytes does not fit into 1,232: two of the things follow then, so that not the size is refused. */
const ROOM = 1_030
const TOO_MANY = 2

/** What a length counts, in bytes of each. */
const PLACES = [64, 32, 3, 1, 1, 35, 1, 1] as const
const PLACE: Factor = [PLACES.length, 'places']

const WHERE =
  'in front of signatures, keys, instructions, accounts, data, lookups, writable and read-only indexes'

export const LENGTHS: readonly Family[] = [
  {
    name: 'lengths',
    what: `every compact-u16 of one and two bytes ${WHERE}, with as many of them as it says, one less or one more`,
    factors: [PLACE, [3, 'differences'], [ONE_BYTE + TWO_BYTES, 'encodings']],
    write(digits, shape) {
      const place = digits.take(PLACES.length)
      const off = digits.of([0, -1, 1])
      writePlace(digits, shape, place, 0, ONE_BYTE + TWO_BYTES, off)
    },
  },
  {
    name: 'long lengths',
    what: 'every compact-u16 of three bytes, in the same places, with as many of them as it says',
    factors: [PLACE, [THREE_BYTES, 'encodings']],
    write(digits, shape) {
      writePlace(digits, shape, digits.take(PLACES.length), ONE_BYTE + TWO_BYTES, THREE_BYTES, 0)
    },
  },
]

/** A transaction of version 0 where the place is in a lookup, a legacy one where it is not. */
function writePlace(
  digits: Digits,
  shape: Shape,
  place: number,
  firstEncoding: number,
  encodings: number,
  off: number,
): void {
  const encoding = firstEncoding + digits.take(encodings)
  shape.start(place < 5 ? 'legacy' : 0, 1, 3)
  shape.length = 0
  if (place > 0) {
    shape.u8(1)
    shape.fill(1, PLACES[0])
  } else {
    shape.fill(1, writeEncoding(shape, encoding, off, PLACES[0]))
  }
  if (place >= 5) shape.u8(0x80)
  shape.u8(1)
  shape.fill(0, 2)
  if (place === 1) shape.keys = writeEncoding(shape, encoding, off, PLACES[1]) / PLACES[1]
  else shape.u8(shape.keys)
  shape.writeKeys()
  shape.blockhash()
  writeInstructions(shape, place, encoding, off)
  if (place >= 5) writeLookups(shape, place, encoding, off)
}

function writeInstructions(shape: Shape, place: number, encoding: number, off: number): void {
  if (place === 2) {
    const end = writeEncoding(shape, encoding, off, PLACES[2])
    for (let i = 0; i < end; i += PLACES[2]) {
      shape.u8(1)
      shape.fill(0, 2)
    }
    return
  }
  shape.u8(1)
  shape.u8(1)
  if (place === 3) shape.fill(2, writeEncoding(shape, encoding, off, 1))
  else shape.u8(0)
  if (place === 4) shape.fill(7, writeEncoding(shape, encoding, off, 1))
  else shape.u8(0)
}

function writeLookups(shape: Shape, place: number, encoding: number, off: number): void {
  if (place === 5) {
    const end = writeEncoding(shape, encoding, off, PLACES[5])
    for (let i = 0; i * PLACES[5] < end; i++) {
      shape.table(i)
      shape.u8(1)
      shape.u8(i)
      shape.u8(0)
    }
    return
  }
  shape.u8(1)
  shape.table(0)
  for (let list = 6; list < 8; list++) {
    if (place !== list) {
      shape.u8(0)
      continue
    }
    const end = writeEncoding(shape, encoding, off, 1)
    for (let i = 0; i < end; i++) shape.u8(i)
  }
}

/** Writes the encoding of this number. @returns how many bytes come after it, for things of `size` bytes each */
function writeEncoding(shape: Shape, n: number, off: number, size: number): number {
  let value = 0
  if (n < ONE_BYTE) {
    value = n
    shape.u8(n)
  } else if (n < ONE_BYTE + TWO_BYTES) {
    value = n - ONE_BYTE
    shape.u8(0x80 | (value & 0x7f))
    shape.u8(value >> 7)
  } else {
    value = n - ONE_BYTE - TWO_BYTES
    shape.u8(0x80 | (value & 0x7f))
    shape.u8(0x80 | ((value >> 7) & 0x7f))
    shape.u8(value >> 14)
  }
  const things = Math.max(0, value + off)
  return (things * size > ROOM ? TOO_MANY : things) * size
}
