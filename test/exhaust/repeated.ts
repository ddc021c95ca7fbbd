/** Accounts that are loaded twice, keys that differ in a single byte, and keys that are also elsewhere. */

import { TransactionView } from '../fixtures/wire-model.ts'
import { type Family, listsOf, takeList } from './family.ts'
import { Shape, type Version } from './shape.ts'

const KEY_BYTES = 32
/** As many as fit into 1,232 bytes, and the most of version 1. */
const KEYS = 35
const KEYS_V1 = 64
/** What is compared of two keys: they are the same, or one byte differs. */
const DIFFERENCES = 1 + KEY_BYTES

const INDEXES = [0, 1, 255]
const MOST_INDEXES = 2
const LISTS = listsOf(INDEXES.length, MOST_INDEXES)
const list = new Uint16Array(MOST_INDEXES)

const VERSIONS: readonly Version[] = ['legacy', 0, 1]
/** Of three keys, the blockhash, two data, and tables of version 0, or again data. */
const FIELDS = 8
/** And of what stands before the keys and after them. */
const SOURCES = FIELDS + 2

export const REPEATED: readonly Family[] = [
  {
    name: 'repeated keys',
    what: 'any two keys of 35 that are the same, or differ in one byte',
    factors: [
      [2, 'versions'],
      [KEYS, 'first keys'],
      [KEYS, 'second keys'],
      [DIFFERENCES, 'differences'],
    ],
    write(digits, shape) {
      const version = digits.take(2) === 0 ? 'legacy' : 0
      writeAlike(shape, version, KEYS, digits.take(KEYS), digits.take(KEYS), digits.take(DIFFERENCES))
    },
  },
  {
    name: 'repeated keys of version 1',
    what: 'any two keys of 64 that are the same, or differ in one byte',
    factors: [
      [KEYS_V1, 'first keys'],
      [KEYS_V1, 'second keys'],
      [DIFFERENCES, 'differences'],
    ],
    write(digits, shape) {
      writeAlike(shape, 1, KEYS_V1, digits.take(KEYS_V1), digits.take(KEYS_V1), digits.take(DIFFERENCES))
    },
  },
  {
    name: 'repeated lookups',
    what: 'two lookups in tables that are the same, or differ in one byte; another may stand between them',
    factors: [
      [2, 'neighbors'],
      [DIFFERENCES, 'differences'],
      [LISTS ** 4, `four lists of at most ${MOST_INDEXES} of ${INDEXES.length} indexes`],
    ],
    write(digits, shape) {
      const isApart = digits.take(2) === 1
      const difference = digits.take(DIFFERENCES)
      shape.start(0, 1, 2)
      for (let lookup = 0; lookup < 2; lookup++) {
        if (lookup === 1 && isApart) {
          shape.addLookup(1)
          shape.addWritable(0)
        }
        shape.addLookup(0)
        for (let length = takeList(digits, INDEXES.length, MOST_INDEXES, list); length > 0; length--) {
          shape.addWritable(INDEXES[list[length - 1]!]!)
        }
        for (let length = takeList(digits, INDEXES.length, MOST_INDEXES, list); length > 0; length--) {
          shape.addReadonly(INDEXES[list[length - 1]!]!)
        }
      }
      shape.write()
      if (difference > 0) shape.buffer[shape.lookupsAt + difference - 1]! ^= 1
    },
  },
  {
    name: 'alike fields',
    what: 'keys, blockhash, data and tables that are the same as another of them, or as what stands next to the keys, or differ in one byte',
    factors: [
      [VERSIONS.length, 'versions'],
      [SOURCES, 'sources'],
      [FIELDS, 'fields'],
      [DIFFERENCES, 'differences'],
    ],
    write(digits, shape) {
      const version = digits.take(VERSIONS.length)
      const offsets = FIELD_OFFSETS[version]!
      const source = offsets[digits.take(SOURCES)]!
      const field = offsets[digits.take(FIELDS)]!
      const difference = digits.take(DIFFERENCES)
      writeFields(shape, VERSIONS[version]!)
      shape.buffer.copyWithin(field, source, source + KEY_BYTES)
      if (difference > 0) shape.buffer[field + difference - 1]! ^= 1
    },
  },
]

/** Makes the second key the same as the first but for one byte, if there is a difference. */
function writeAlike(
  shape: Shape,
  version: Version,
  keys: number,
  first: number,
  second: number,
  difference: number,
): void {
  shape.start(version, 1, keys)
  shape.write()
  const at = shape.keysAt + first * KEY_BYTES
  const other = shape.keysAt + second * KEY_BYTES
  shape.buffer.copyWithin(other, at, at + KEY_BYTES)
  if (difference > 0) shape.buffer[other + difference - 1]! ^= 1
}

/** All fields of 32 bytes. */
function writeFields(shape: Shape, version: Version): void {
  shape.start(version, 1, 3)
  for (let i = 0; i < 2; i++) shape.addInstruction(1, KEY_BYTES)
  for (let i = 0; i < 2; i++) {
    shape.addLookup(i)
    shape.addWritable(i)
  }
  shape.write()
}

/** By version: where the fields begin, and what else is a source. */
const FIELD_OFFSETS = VERSIONS.map((version) => {
  const shape = new Shape()
  const view = new TransactionView()
  writeFields(shape, version)
  view.read(shape.bytes())
  const { staticAccountKeysOffset: keys, dataOffset: data, accountKeyOffset: tables } = view
  return [
    keys,
    keys + KEY_BYTES,
    keys + 2 * KEY_BYTES,
    view.recentBlockhashOffset,
    data[0]!,
    data[1]!,
    version === 0 ? tables[0]! : data[0]!,
    version === 0 ? tables[1]! : data[1]!,
    keys - KEY_BYTES,
    keys + 3 * KEY_BYTES,
  ]
})
