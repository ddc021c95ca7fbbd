import t from 'tap'
import { type Cell, parseBoc } from '../../../src/proof/ton/boc.ts'
import { CellReader } from '../../../src/proof/ton/cell.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { withChecksum } from '../../../src/sandbox/ton/cells.ts'
import fc from '../../fixtures/fast-check.ts'
import { CASES, type Case, prove, run } from '../../fixtures/hostile/ton.ts'

const RUNS = Number(process.env.SWAPGATE_HOSTILE_RUNS ?? 300)

t.test('what a hostile provider changes in a TON message is refused, or harmless', async (t) => {
  const tallies = await run()
  for (const { family, tried, refused, letOut, thefts } of tallies) {
    t.same(thefts, [], family)
    t.ok(tried >= 50, `${family}: ${tried} tried`)
    t.equal(refused + letOut.length, tried)
    t.comment(`${family}: ${tried} tried, ${refused} refused, ${letOut.length} let out and harmless`)
  }
  t.equal(tallies.length, 7)
})

/** The bits of every cell, by its path of references. */
function cellsOf(cell: Cell, path = ''): Map<string, string> {
  const reader = new CellReader(cell)
  const length = reader.bitsLeft
  const bits = length === 0 ? '' : reader.uint(length).toString(2).padStart(length, '0')
  return new Map([
    [path, bits],
    ...cell.references.flatMap((reference, nth) => [...cellsOf(reference, `${path}/${nth}`)]),
  ])
}

/** Whether all that differs may: cells, their lengths, and bits outside of what is free are the honest ones. */
function isHarmless({ honest, free }: Case, bag: Buffer): boolean {
  const [before, after] = [Buffer.from(honest.payload, 'base64'), bag].map((one) => cellsOf(parseBoc(one)!))
  const blank = ([path, bits]: [string, string]): [string, string] => {
    const isFree = (at: number) => free.some(([where, from, to]) => where === path && at >= from && at < to)
    const isNote = free.some(([where, from, to]) => where === path && to - from === 1_023)
    return [path, isNote ? '' : [...bits].map((bit, at) => (isFree(at) ? '.' : bit)).join('')]
  }
  const [was, is] = [before!, after!].map((cells) => JSON.stringify([...cells].map(blank)))
  return was === is
}

/** Flips bits of the payload, and makes the checksum good. @returns what was let out; null if it was refused */
async function flipped(one: Case, bits: readonly number[]): Promise<Buffer | null> {
  const body = Buffer.from(one.honest.payload, 'base64').subarray(0, -4)
  const changed = Buffer.from(body)
  for (const bit of bits) changed[bit >> 3]! ^= 1 << (bit & 7)
  const bag = withChecksum(changed)
  try {
    await prove(one, { ...one.honest, payload: bag.toString('base64') })
    return bag
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return null
  }
}

const bitsOf = ({ honest }: Case): number => 8 * (Buffer.from(honest.payload, 'base64').length - 4)

t.test('every single bit of a payload that is flipped is refused, or harmless', async (t) => {
  for (const one of CASES) {
    let letOut = 0
    const harmful: number[] = []
    for (let bit = 0; bit < bitsOf(one); bit++) {
      const bag = await flipped(one, [bit])
      if (bag === null) continue
      letOut++
      if (!isHarmless(one, bag)) harmful.push(bit)
    }
    t.same(harmful, [], one.family)
    t.comment(`${one.family}: ${bitsOf(one)} bits, ${letOut} let out and harmless`)
  }
})

t.test('so are several at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...CASES),
      fc.array(fc.nat(), { minLength: 2, maxLength: 6 }),
      async (one, picks) => {
        const bag = await flipped(
          one,
          picks.map((pick) => pick % bitsOf(one)),
        )
        return bag === null || isHarmless(one, bag)
      },
    ),
    { numRuns: RUNS },
  )
})
