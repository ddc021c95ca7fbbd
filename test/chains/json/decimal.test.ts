import t from 'tap'
import { formatAmount } from '../../../src/chains/amount.ts'
import { floorUnits } from '../../../src/chains/json/decimal.ts'
import fc from '../../fixtures/fast-check.ts'

t.test('a JSON number is read from its digits, and rounded down', async (t) => {
  const cases: [literal: string, decimals: number, units: bigint | null][] = [
    ['12.5', 9, 12_500_000_000n],
    ['19.218733', 6, 19_218_733n],
    ['3.4717588560243358', 9, 3_471_758_856n],
    ['0.9999999999', 9, 999_999_999n],
    ['1.2E-7', 9, 120n],
    ['1.2e-7', 6, 0n],
    ['1e+3', 2, 100_000n],
    ['1.25E2', 0, 125n],
    ['0', 9, 0n],
    ['7', 0, 7n],
    // Beyond 2^53: a float would give ...992.
    ['9007199254740993', 0, 9_007_199_254_740_993n],
    ['123456789012345678901234567890.123456789', 9, 123_456_789_012_345_678_901_234_567_890_123_456_789n],
    ['-1', 9, null],
    ['-0.0', 9, null],
    ['', 9, null],
    ['1.', 9, null],
    ['.5', 9, null],
    ['0x10', 9, null],
    ['NaN', 9, null],
    ['"1"', 9, null],
    [' 1', 9, null],
    ['1e1000', 9, null],
    ['1'.repeat(401), 9, null],
  ]
  for (const [literal, decimals, units] of cases) t.equal(floorUnits(literal, decimals), units, literal)
})

t.test('exact text is read exactly', async () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 1n << 120n }),
      fc.integer({ min: 0, max: 36 }),
      (base, decimals) => {
        return floorUnits(formatAmount(base, decimals), decimals) === base
      },
    ),
  )
})

t.test('a double that V8 writes is read as it is written, never above it', async () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e15, noNaN: true }),
      fc.integer({ min: 0, max: 18 }),
      (value, decimals) => {
        const literal = String(Math.abs(value))
        const units = floorUnits(literal, decimals)!
        // The same literal in the smallest unit that a double needs: the remainder is what was cut.
        const exact = floorUnits(literal, 400)!
        const unit = 10n ** BigInt(400 - decimals)
        return exact / unit === units && units * unit <= exact
      },
    ),
  )
})
