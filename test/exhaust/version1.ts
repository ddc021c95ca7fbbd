/** What only version 1 has: the config, and lengths of a fixed size. */

import type { Family } from './family.ts'

/** Beyond the lowest eight. */
const HIGH_BITS = [0, 1 << 8, 1 << 16, 1 << 24, 1 << 31]
const HEAPS = [
  0, 1_024, 32_767, 32_768, 32_769, 33_792, 261_120, 262_143, 262_144, 262_145, 263_168, 0xffff_ffff,
]
/** Every heap to the most, and a step beyond. */
const ALL_HEAPS = 262_144 + 1_024 + 1
/** No more than 4,096 bytes can follow. */
const MOST_PAYLOAD = 3_900

export const VERSION_1: readonly Family[] = [
  {
    name: 'masks',
    what: 'config masks with heaps, and as many values as they ask for, or one more or less',
    factors: [
      [256, 'lowest eight bits'],
      [HIGH_BITS.length, 'higher bits'],
      [3, 'numbers of values'],
      [HEAPS.length, 'heaps'],
    ],
    write(digits, shape) {
      shape.start(1, 1, 2)
      const low = digits.take(256)
      shape.configure(low | digits.of(HIGH_BITS))
      shape.values = Math.max(0, shape.values + digits.of([0, -1, 1]))
      shape.heap = digits.of(HEAPS)
      shape.write()
    },
  },
  {
    name: 'heaps',
    what: 'every heap up to 262,144 bytes and 1,024 more, as the only value and as the last',
    factors: [
      [2, 'masks'],
      [ALL_HEAPS, 'heaps'],
    ],
    write(digits, shape) {
      shape.start(1, 1, 2)
      shape.configure(digits.of([0b10000, 0b11111]))
      shape.heap = digits.take(ALL_HEAPS)
      shape.write()
    },
  },
  {
    name: 'payloads',
    what: 'every number of accounts with every length of data; their sum follows, or what is left of it in 16 bits',
    factors: [
      [256, 'numbers of accounts'],
      [65_536, 'lengths of data'],
    ],
    write(digits, shape) {
      const accounts = digits.take(256)
      const data = digits.take(65_536)
      const payload = accounts + data
      shape.start(1, 1, 2)
      shape.addInstruction(1, payload <= MOST_PAYLOAD ? payload : Math.min(payload & 0xffff, MOST_PAYLOAD))
      shape.write()
      const header = shape.keysAt + shape.keys * 32
      shape.buffer[header + 1] = accounts
      shape.buffer[header + 2] = data
      shape.buffer[header + 3] = data >> 8
      if (payload <= MOST_PAYLOAD) shape.buffer.fill(0, header + 4, header + 4 + accounts)
    },
  },
]
