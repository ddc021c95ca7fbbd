/**
 * Every combination of up to three keys, two instructions of up to three accounts, and two lookups. Programs, accounts
 * and headers are those at the bounds of a rule; `bytes` tries what lies between them.
 */

import { Digits } from './digits.ts'
import { type Factor, type Family, listsOf, takeList } from './family.ts'
import type { Shape, Version } from './shape.ts'

const MOST_KEYS = 3
const MOST_INSTRUCTIONS = 2
const MOST_LOOKUPS = 2
const MOST_ACCOUNTS = 3
/** How many bytes of data an instruction has at most. */
const MOST_DATA = 1
/** No more than keys, and one more. */
const MOST_SIGNERS = 3

/** Which programs are tried: the first index that is none, the last key, the payer, the next one. */
const PROGRAMS = 4
/** Which accounts are tried: the first index that is none, the last one, the payer. */
const ACCOUNTS = 3

/** Of a lookup: no index, one, another, the same twice, two. */
const LOADED: readonly (readonly number[])[] = [[], [0], [1], [0, 0], [0, 1]]
const TABLES = 2
const LOOKUPS = TABLES * LOADED.length ** 2
const LOOKUP_LISTS = listsOf(LOOKUPS, MOST_LOOKUPS)

const INSTRUCTIONS = PROGRAMS * listsOf(ACCOUNTS, MOST_ACCOUNTS) * (MOST_DATA + 1)

const KEYS: Factor = [MOST_KEYS, 'numbers of keys']
const SIGNERS: Factor = [MOST_SIGNERS, 'numbers of signers']
/** None, all but one, all. */
const READONLY_SIGNED: Factor = [3, 'counts of read-only signers']
/** None, all, one more. */
const READONLY_UNSIGNED: Factor = [3, 'counts of other read-only keys']
const INSTRUCTION_LISTS: Factor = [
  listsOf(INSTRUCTIONS, MOST_INSTRUCTIONS),
  `lists of at most ${MOST_INSTRUCTIONS} of ${INSTRUCTIONS} instructions`,
]
const MASKS: readonly number[] = [0, 0b11111]

const instructions = new Uint16Array(MOST_INSTRUCTIONS)
const lookups = new Uint16Array(MOST_LOOKUPS)
const accounts = new Uint16Array(MOST_ACCOUNTS)
const parts = new Digits()

export const STRUCTURE: readonly Family[] = [
  {
    name: 'legacy',
    what: 'legacy transactions of at most 3 keys and 2 instructions',
    factors: [KEYS, SIGNERS, READONLY_SIGNED, READONLY_UNSIGNED, INSTRUCTION_LISTS],
    write(digits, shape) {
      takeHead(digits, shape, 'legacy')
      takeInstructions(digits, shape)
      shape.write()
    },
  },
  {
    name: 'v0',
    what: 'transactions of version 0 of at most 3 keys, 2 instructions and 2 lookups',
    factors: [
      KEYS,
      [LOOKUP_LISTS, `lists of at most ${MOST_LOOKUPS} of ${LOOKUPS} lookups`],
      INSTRUCTION_LISTS,
    ],
    write(digits, shape) {
      shape.start(0, 1, 1 + digits.take(MOST_KEYS))
      takeLookups(digits, shape)
      takeInstructions(digits, shape)
      shape.write()
    },
  },
  {
    name: 'v1',
    what: 'transactions of version 1 of at most 3 keys and 2 instructions',
    factors: [KEYS, SIGNERS, READONLY_SIGNED, READONLY_UNSIGNED, INSTRUCTION_LISTS, [MASKS.length, 'masks']],
    write(digits, shape) {
      takeHead(digits, shape, 1)
      takeInstructions(digits, shape)
      shape.configure(digits.of(MASKS))
      shape.write()
    },
  },
]

function takeHead(digits: Digits, shape: Shape, version: Version): void {
  const keys = 1 + digits.take(MOST_KEYS)
  const signers = 1 + digits.take(MOST_SIGNERS)
  shape.start(version, signers, keys)
  shape.readonlySigned = [0, signers - 1, signers][digits.take(3)]!
  const others = Math.max(0, keys - signers)
  shape.readonlyUnsigned = [0, others, others + 1][digits.take(3)]!
}

function takeLookups(digits: Digits, shape: Shape): void {
  const count = takeList(digits, LOOKUPS, MOST_LOOKUPS, lookups)
  for (let i = 0; i < count; i++) {
    let rest = lookups[i]!
    shape.addLookup(rest % TABLES)
    rest = (rest / TABLES) | 0
    for (const index of LOADED[rest % LOADED.length]!) shape.addWritable(index)
    for (const index of LOADED[(rest / LOADED.length) | 0]!) shape.addReadonly(index)
  }
}

/** Their indexes depend on how many accounts there are, so lookups come before them. */
function takeInstructions(digits: Digits, shape: Shape): void {
  const count = takeList(digits, INSTRUCTIONS, MOST_INSTRUCTIONS, instructions)
  const { keys, accountCount } = shape
  for (let i = 0; i < count; i++) {
    parts.open(instructions[i]!)
    shape.addInstruction([keys, keys - 1, 0, 1][parts.take(PROGRAMS)]!, parts.take(MOST_DATA + 1))
    const length = takeList(parts, ACCOUNTS, MOST_ACCOUNTS, accounts)
    for (let j = 0; j < length; j++) {
      shape.addAccount([accountCount, accountCount - 1, 0][accounts[j]!]!)
    }
  }
}
