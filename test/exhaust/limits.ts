/** Counts and sizes around their limits, one or two at a time. */

import type { Family } from './family.ts'
import type { Shape, Version } from './shape.ts'

const VERSIONS: readonly Version[] = ['legacy', 0, 1]
const COUNTS = [0, 1, 2, 3, 11, 12, 13, 127, 128, 255]
const READONLY_UNSIGNED = [0, 1, 2, 3, 12, 25, 26, 36, 37, 38, 39, 255]
const KEY_COUNTS = [0, 1, 2, 3, 12, 13, 37, 38, 39, 63, 64, 65, 66, 127, 128, 255]
const INSTRUCTION_COUNTS = [0, 1, 2, 63, 64, 65, 255]
/** More of them are counted, but do not follow. */
const MOST_SIGNATURES = 13
const MOST_KEYS = 66

const BELOW_PACKET = 1_100
const BELOW_V1 = 4_000
const SIZES = 200
const MOST_SIGNERS = 12

export const LIMITS: readonly Family[] = [
  {
    name: 'headers',
    what: 'counts in the header of legacy and version 0, at and beyond their bounds',
    factors: [
      [2, 'versions'],
      [COUNTS.length, 'signature counts'],
      [COUNTS.length, 'required signatures'],
      [COUNTS.length, 'read-only signers'],
      [READONLY_UNSIGNED.length, 'other read-only keys'],
      [KEY_COUNTS.length, 'key counts'],
      [2, 'numbers of instructions'],
    ],
    write(digits, shape) {
      const version = VERSIONS[digits.take(2)]!
      const signatures = digits.of(COUNTS)
      shape.start(version, Math.min(signatures, MOST_SIGNATURES), 1)
      shape.signatureCount = signatures
      shape.required = digits.of(COUNTS)
      shape.readonlySigned = digits.of(COUNTS)
      shape.readonlyUnsigned = digits.of(READONLY_UNSIGNED)
      shape.keyCount = digits.of(KEY_COUNTS)
      shape.keys = Math.min(shape.keyCount, MOST_KEYS)
      if (digits.take(2) === 1) shape.addInstruction(1, 0)
      shape.write()
    },
  },
  {
    name: 'headers of version 1',
    what: 'counts in the header of version 1, and its count of instructions',
    factors: [
      [COUNTS.length, 'required signatures'],
      [COUNTS.length, 'read-only signers'],
      [READONLY_UNSIGNED.length, 'other read-only keys'],
      [KEY_COUNTS.length, 'key counts'],
      [INSTRUCTION_COUNTS.length, 'instruction counts'],
    ],
    write(digits, shape) {
      const required = digits.of(COUNTS)
      shape.start(1, Math.min(required, MOST_SIGNATURES), 1)
      shape.required = required
      shape.readonlySigned = digits.of(COUNTS)
      shape.readonlyUnsigned = digits.of(READONLY_UNSIGNED)
      shape.keyCount = digits.of(KEY_COUNTS)
      shape.keys = Math.min(shape.keyCount, MOST_KEYS)
      const instructions = digits.of(INSTRUCTION_COUNTS)
      for (let i = 0; i < instructions; i++) shape.addInstruction(1, 0)
      shape.write()
    },
  },
  {
    name: 'prefixes',
    what: 'every first byte with every first byte of the message',
    factors: [
      [3, 'versions'],
      [256, 'first bytes'],
      [256, 'bytes after the signatures'],
    ],
    write(digits, shape) {
      const version = VERSIONS[digits.take(3)]!
      const first = digits.take(256)
      shape.start(version, first >= 1 && first <= MOST_SIGNATURES ? first : 1, 3)
      shape.write()
      shape.buffer[0] = first
      shape.buffer[version === 1 ? 1 : shape.messageAt] = digits.take(256)
    },
  },
  {
    name: 'sizes',
    what: 'transactions of every size around 1,232 and 4,096 bytes',
    factors: [
      [3, 'versions'],
      [MOST_SIGNERS, 'numbers of signers'],
      [2, 'limits'],
      [SIZES, 'sizes'],
    ],
    write(digits, shape) {
      const version = VERSIONS[digits.take(3)]!
      const signers = 1 + digits.take(MOST_SIGNERS)
      const size = digits.of([BELOW_PACKET, BELOW_V1]) + digits.take(SIZES)
      writeSized(shape, version, signers, size)
    },
  },
  {
    name: 'instructions',
    what: 'up to 300 instructions, the first or last with the payer, the next, the last key or none as program',
    factors: [
      [3, 'versions'],
      [301, 'numbers of instructions'],
      [2, 'places of the other'],
      [4, 'programs of the other'],
    ],
    write(digits, shape) {
      const version = VERSIONS[digits.take(3)]!
      const instructions = digits.take(301)
      const other = digits.take(2) === 0 ? 0 : instructions - 1
      const program = digits.take(4)
      shape.start(version, 1, 3)
      for (let i = 0; i < instructions; i++) shape.addInstruction(i === other ? program : 1, 0)
      shape.write()
    },
  },
  {
    name: 'accounts',
    what: 'an instruction with up to 1,200 accounts, the first or last of which is the payer, the last key, or none',
    factors: [
      [3, 'versions'],
      [1_201, 'numbers of accounts'],
      [2, 'places of the other'],
      [4, 'indexes of the other'],
    ],
    write(digits, shape) {
      const version = VERSIONS[digits.take(3)]!
      const accounts = digits.take(1_201)
      const other = digits.take(2) === 0 ? 0 : accounts - 1
      const index = digits.of([0, 2, 3, 255])
      shape.start(version, 1, 3)
      shape.addInstruction(1, 0)
      for (let i = 0; i < accounts; i++) shape.addAccount(i === other ? index : 1)
      shape.write()
    },
  },
  {
    name: 'loaded accounts',
    what: 'a lookup with up to 256 indexes in each list, and an instruction with the payer, the last account or none',
    factors: [
      [257, 'numbers of writable indexes'],
      [257, 'numbers of read-only indexes'],
      [3, 'numbers of keys'],
      [4, 'accounts of an instruction'],
    ],
    write(digits, shape) {
      const writable = digits.take(257)
      const readonly = digits.take(257)
      shape.start(0, 1, 1 + digits.take(3))
      shape.addLookup(0)
      for (let i = 0; i < writable; i++) shape.addWritable(i)
      for (let i = 0; i < readonly; i++) shape.addReadonly(writable + i)
      const { accountCount, keys } = shape
      shape.addInstruction(keys - 1, 0)
      shape.addAccount(digits.of([0, accountCount - 1, accountCount, 255]))
      shape.write()
    },
  },
  {
    name: 'lookups',
    what: 'up to 40 lookups, of which none, the first or the last is empty',
    factors: [
      [41, 'numbers of lookups'],
      [3, 'numbers of indexes in each'],
      [3, 'choices of the empty one'],
      [3, 'numbers of keys'],
    ],
    write(digits, shape) {
      const lookups = digits.take(41)
      const indexes = digits.take(3)
      const empty = [-1, 0, lookups - 1][digits.take(3)]!
      shape.start(0, 1, 1 + digits.take(3))
      for (let i = 0; i < lookups; i++) {
        shape.addLookup(i)
        if (i === empty) continue
        for (let j = 0; j < indexes; j++) shape.addWritable(j)
      }
      shape.write()
    },
  },
]

/** Data fills it up, or it is cut. */
function writeSized(shape: Shape, version: Version, signers: number, size: number): void {
  let data = 0
  for (let round = 0; round < 3; round++) {
    shape.start(version, signers, signers + 1)
    shape.addInstruction(signers, data)
    shape.write()
    data = Math.max(0, data + size - shape.length)
  }
  shape.length = size
}
