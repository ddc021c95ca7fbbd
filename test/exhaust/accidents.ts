/** Good transactions that are cut, continued, or changed in one byte or two. */

import { TransactionView } from '../fixtures/wire-model.ts'
import { Digits } from './digits.ts'
import { countOf, type Factor, type Family } from './family.ts'
import { Shape, type Version } from './shape.ts'

const VERSIONS: readonly Version[] = ['legacy', 0, 1]
const DATA = [0, 1, 128]
const MASKS = [0, 0b00011, 0b11111]
/** How many bytes a transaction is continued by: a signature, and one more. */
const MOST_TAIL = 65
const TAILS = [0x00, 0x01, 0xff]
/** Of counts, lengths and indexes. */
const BOUNDS = [0, 1, 2, 3, 4, 5, 12, 13, 38, 39, 64, 65, 0x7f, 0x80, 0x81, 0xff]

type Good = Pick<Family, 'factors' | 'write'>

/** Cut anywhere. */
const MANY: Good = {
  factors: [
    [3, 'versions'],
    [2, 'numbers of signers'],
    [2, 'numbers of other keys'],
    [3, 'numbers of instructions'],
    [4, 'numbers of their accounts'],
    [DATA.length, 'lengths of their data'],
    [3, 'numbers of lookups, or masks'],
    [3, 'numbers of their indexes'],
  ],
  write(digits, shape) {
    const version = VERSIONS[digits.take(3)]!
    const signers = 1 + digits.take(2)
    const keys = signers + 1 + digits.take(2)
    const instructions = digits.take(3)
    const accounts = digits.take(4)
    const data = digits.of(DATA)
    const lookups = digits.take(3)
    const indexes = 1 + digits.take(3)
    shape.start(version, signers, keys)
    for (let i = 0; i < instructions; i++) {
      shape.addInstruction(signers, data)
      for (let j = 0; j < accounts; j++) shape.addAccount(j % keys)
    }
    if (version === 1) shape.configure(MASKS[lookups]!)
    for (let i = 0; i < lookups; i++) {
      shape.addLookup(i)
      for (let j = 0; j < indexes; j++) shape.addWritable(j)
      for (let j = 0; j < indexes; j++) shape.addReadonly(9 + j)
    }
    shape.write()
  },
}

/** Changed anywhere: what a rule compares is near its bound in each. */
const FEW: Good = {
  factors: [
    [3, 'versions'],
    [2, 'numbers of signers'],
    [3, 'numbers of instructions'],
    [2, 'numbers of lookups, or masks'],
  ],
  write(digits, shape) {
    const version = VERSIONS[digits.take(3)]!
    const signers = 1 + digits.take(2)
    const instructions = digits.take(3)
    const lookups = 2 * digits.take(2)
    shape.start(version, signers, signers + 2)
    shape.readonlySigned = signers - 1
    shape.readonlyUnsigned = 1
    for (let i = 0; i < lookups && version === 0; i++) {
      shape.addLookup(i)
      shape.addWritable(1)
      shape.addReadonly(2)
    }
    if (version === 1) shape.configure(lookups === 0 ? 0 : 0b11111)
    const { accountCount } = shape
    for (let i = 0; i < instructions; i++) {
      shape.addInstruction(signers, 2)
      for (let j = 0; j < 3; j++) shape.addAccount(accountCount - 1 - j)
    }
    shape.write()
  },
}

/** Good transactions one after the other, each with its places: one number names a transaction and a place in it. */
class Row {
  readonly #good: Good
  readonly #starts = [0]
  readonly #digits = new Digits()
  /** Which transaction was written last. The next case is most often in the same. */
  last = 0

  constructor(good: Good, placesOf: (written: Shape) => number) {
    this.#good = good
    const shape = new Shape()
    for (let i = 0; i < countOf(good); i++) {
      this.#write(i, shape)
      this.#starts.push(this.#starts[i]! + placesOf(shape))
    }
  }

  get places(): number {
    return this.#starts.at(-1)!
  }

  /** Writes the transaction of this place. @returns which of its places it is */
  write(place: number, shape: Shape): number {
    if (place < this.#starts[this.last]!) this.last = 0
    while (place >= this.#starts[this.last + 1]!) this.last++
    this.#write(this.last, shape)
    return place - this.#starts[this.last]!
  }

  #write(i: number, shape: Shape): void {
    this.#digits.open(i)
    this.#good.write(this.#digits, shape)
  }
}

/** Every two different offsets of bytes that are no part of a signature, a key, a blockhash or data. */
function pairsIn(shape: Shape): (readonly [number, number])[] {
  const view = new TransactionView()
  if (view.read(shape.bytes()) !== null) throw new Error('a good transaction is refused')
  const others = new Set<number>()
  const skip = (from: number, length: number): void => {
    for (let at = from; at < from + length; at++) others.add(at)
  }
  skip(view.signaturesOffset, view.numSignatures * 64)
  skip(view.staticAccountKeysOffset, view.numStaticAccountKeys * 32)
  skip(view.recentBlockhashOffset, 32)
  for (let i = 0; i < view.numInstructions; i++) skip(view.dataOffset[i]!, view.dataLen[i]!)
  for (let i = 0; i < view.numAddressTableLookups; i++) skip(view.accountKeyOffset[i]!, 32)
  const offsets = Array.from({ length: shape.length }, (_, at) => at).filter((at) => !others.has(at))
  return offsets.flatMap((first, i) => offsets.slice(i + 1).map((second) => [first, second] as const))
}

const toCut = new Row(MANY, ({ length }) => length + MOST_TAIL)
const toChange = new Row(FEW, ({ length }) => length)
const pairs: (readonly [number, number])[][] = []
const toChangeTwice = new Row(FEW, (shape) => pairs[pairs.push(pairsIn(shape)) - 1]!.length)
const sizeOf = (good: Good): Factor[1] => `bytes of ${countOf(good).toLocaleString('en')} transactions`

export const ACCIDENTS: readonly Family[] = [
  {
    name: 'cuts',
    what: 'transactions that end at every byte, or are continued by up to 65 bytes',
    factors: [
      [TAILS.length, 'values of what continues them'],
      [toCut.places, `${sizeOf(MANY)}, and ${MOST_TAIL} beyond each`],
    ],
    write(digits, shape) {
      const tail = digits.of(TAILS)
      const at = toCut.write(digits.take(toCut.places), shape)
      if (at < shape.length) shape.length = at
      else shape.fill(tail, 1 + at - shape.length)
    },
  },
  {
    name: 'bytes',
    what: 'transactions with one byte changed to every value',
    factors: [
      [256, 'values'],
      [toChange.places, sizeOf(FEW)],
    ],
    write(digits, shape) {
      const value = digits.take(256)
      const at = toChange.write(digits.take(toChange.places), shape)
      shape.buffer[at] = value
    },
  },
  {
    name: 'two bytes',
    what: 'transactions with two of their counts, lengths, indexes and values changed',
    factors: [
      [BOUNDS.length, 'values of the first'],
      [BOUNDS.length, 'values of the second'],
      [toChangeTwice.places, `pairs of bytes in ${countOf(FEW)} transactions`],
    ],
    write(digits, shape) {
      const one = digits.of(BOUNDS)
      const other = digits.of(BOUNDS)
      const pair = toChangeTwice.write(digits.take(toChangeTwice.places), shape)
      const [first, second] = pairs[toChangeTwice.last]![pair]!
      shape.buffer[first] = one
      shape.buffer[second] = other
    },
  },
]
