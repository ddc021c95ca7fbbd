/** A sample of what `npm run exhaust` tries whole: see test/exhaust/. */

import t from 'tap'
import { REFUSAL_MESSAGES, type WireRefusal } from '../../../src/chains/solana/refusals.ts'
import { type Instruction, WireTransaction } from '../../../src/chains/solana/wire.ts'
import { blocksOf, tryBlock, writeCase } from '../../exhaust/block.ts'
import { Comparison } from '../../exhaust/compare.ts'
import { Digits } from '../../exhaust/digits.ts'
import { FAMILIES } from '../../exhaust/families.ts'
import { countOf, listsOf, takeList } from '../../exhaust/family.ts'
import { tryMachine } from '../../exhaust/machine.ts'
import { SAMPLE_CASES, trySamples } from '../../exhaust/sample.ts'

const digits = new Digits()

t.test('the parser accepts what a validator accepts, in a sample of each family', async (t) => {
  const cases = trySamples()
  t.ok(cases > FAMILIES.length * SAMPLE_CASES * 0.8, `${cases} cases`)
})

t.test('LiteSVM judges a few of each verdict as the parser and the verifier do', async (t) => {
  const tally = await tryMachine({ most: 10, mostApart: 0, through: 5_000 })
  t.ok(tally.signed > 100 && tally.badlySigned > 300 && tally.refused > 300, JSON.stringify(tally))
})

/** A parser that lacks one rule. */
class Lacking extends WireTransaction {
  readonly #rule: WireRefusal

  constructor(rule: WireRefusal) {
    super()
    this.#rule = rule
  }

  override parse(bytes: Uint8Array, maxV1Bytes?: number): WireRefusal | null {
    const refusal = super.parse(bytes, maxV1Bytes)
    return refusal === this.#rule ? null : refusal
  }
}

/** Of each family: fewer take less time, and are enough to find a fault. */
const FEW_CASES = 1_000
const NOT_OF_THE_WIRE = new Set([
  'transaction_encoding_invalid',
  'signature_invalid',
  'transaction_not_signed',
])

t.test('a parser that lacks a rule is found, whichever rule it is', async (t) => {
  for (const rule of Object.keys(REFUSAL_MESSAGES) as WireRefusal[]) {
    if (NOT_OF_THE_WIRE.has(rule)) continue
    t.throws(
      () => trySamples(new Comparison(new Lacking(rule)), FEW_CASES),
      /parser: accepted|by default/,
      rule,
    )
  }
})

t.test('a parser that refuses too much, or finds other parts, is found', async (t) => {
  const strict = new (class extends WireTransaction {
    override parse(bytes: Uint8Array, maxV1Bytes?: number): WireRefusal | null {
      return super.parse(bytes, maxV1Bytes) ?? (this.instructionCount === 0 ? 'transaction_truncated' : null)
    }
  })()
  t.throws(() => trySamples(new Comparison(strict)), /model: accepted/)
  const short = new (class extends WireTransaction {
    override message(): Uint8Array {
      return super.message().subarray(1)
    }
  })()
  t.throws(() => trySamples(new Comparison(short)), /message: offset/)
  const swapped = new (class extends WireTransaction {
    override instructions(): Instruction[] {
      return super.instructions().map((one) => ({ ...one, data: one.accounts }))
    }
  })()
  t.throws(() => trySamples(new Comparison(swapped)), /data: offset/)
})

t.test('a family has as many cases as it says', async (t) => {
  for (const family of FAMILIES) {
    const count = countOf(family)
    t.ok(count < 2 ** 31, family.name)
    writeCase(family, count - 1)
    t.throws(() => writeCase(family, count), /has no case/, family.name)
  }
  t.equal(new Set(FAMILIES.map(({ name }) => name)).size, FAMILIES.length)
  const cases = FAMILIES.reduce((sum, family) => sum + countOf(family), 0)
  t.ok(cases >= 1e8, `${cases}`)
})

t.test('a case is the same whatever was written before it', async (t) => {
  const cases = FAMILIES.flatMap((family) => [0.1, 0.5, 0.9].map((part) => [family, part] as const))
  const write = ([family, part]: (typeof cases)[number]): string =>
    Buffer.from(writeCase(family, Math.floor(part * countOf(family)))).toString('hex')
  t.same(cases.map(write), cases.toReversed().map(write).toReversed())
})

t.test('blocks cover a family, and a block that is tried twice has one digest', async (t) => {
  const sizes = FAMILIES.find(({ name }) => name === 'sizes')!
  const blocks = blocksOf([...FAMILIES])
  const cases = blocks.reduce((sum, { from, to }) => sum + to - from, 0)
  t.equal(
    cases,
    FAMILIES.reduce((sum, family) => sum + countOf(family), 0),
  )
  const [block] = blocksOf([sizes])
  const { digest, counts, disagreement } = tryBlock(block!)
  t.equal(disagreement, null)
  t.equal(
    counts.reduce((sum, count) => sum + count),
    countOf(sizes),
  )
  t.equal(tryBlock(block!).digest, digest)
  t.not(tryBlock({ ...block!, from: 1 }).digest, digest)
})

t.test('a digit names each list once', async (t) => {
  const list = new Uint16Array(3)
  const count = listsOf(2, 3)
  t.equal(count, 1 + 2 + 4 + 8)
  const lists = Array.from({ length: count }, (_, n) => {
    digits.open(n)
    return [...list.subarray(0, takeList(digits, 2, 3, list))].join()
  })
  t.equal(new Set(lists).size, count)
  t.same([lists[0], lists[1], lists[2], lists[14]], ['', '0', '1', '1,1,1'])
})
