/** Amounts: exact in both directions, and every text that is none. */

import t from 'tap'
import { formatAmount, minOut, parseAmount, toHuman } from '../../src/chains/amount.ts'
import type { Family } from '../../src/chains/definition.ts'
import type { GatewayError } from '../../src/runtime/errors.ts'
import fc from '../fixtures/fast-check.ts'

const MAX: readonly [Family, bigint][] = [
  ['evm', 2n ** 256n - 1n],
  ['solana', 2n ** 64n - 1n],
  ['sui', 2n ** 64n - 1n],
  ['ton', 2n ** 120n - 1n],
]

const decimals = fc.nat(36)
const uint256 = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n })

/** Numerator and power of ten, the way one does it with a pencil. */
function pencil(text: string, decimals: number): bigint | null {
  const fraction = text.includes('.') ? text.split('.')[1]!.length : 0
  const scaled = BigInt(text.replace('.', '')) * 10n ** BigInt(decimals)
  const unit = 10n ** BigInt(fraction)
  return scaled % unit === 0n ? scaled / unit : null
}

t.test('known texts are known amounts', async (t) => {
  const cases: [text: string, decimals: number, amount: bigint][] = [
    ['1', 0, 1n],
    ['1', 18, 1_000_000_000_000_000_000n],
    ['.5', 1, 5n],
    ['0.5', 9, 500_000_000n],
    ['007', 2, 700n],
    ['00.10', 2, 10n],
    ['1.10', 1, 11n],
    ['5.000', 0, 5n],
    ['0.1', 18, 100_000_000_000_000_000n],
    ['0.000000000000000001', 18, 1n],
    ['9007199254740993', 0, 9_007_199_254_740_993n],
    ['1234567.890123456789012345', 18, 1_234_567_890_123_456_789_012_345n],
    ['0.000000000000000000000000000000000001', 36, 1n],
  ]
  for (const [text, decimals, amount] of cases) t.equal(parseAmount(text, decimals, 'evm'), amount, text)
})

t.test('the largest amount of each family is accepted, and one unit more is not', async (t) => {
  for (const [family, max] of MAX) {
    for (const decimals of [0, 6, 18]) {
      t.equal(parseAmount(formatAmount(max, decimals), decimals, family), max)
      const text = formatAmount(max + 1n, decimals)
      t.throws(() => parseAmount(text, decimals, family), { name: 'GatewayError', code: 'amount_too_large' })
    }
  }
})

t.test('an amount that cannot be is refused with its own code, and is not repeated', async (t) => {
  const cases: [text: string, decimals: number, code: string][] = [
    ['0', 18, 'amount_too_small'],
    ['0.0', 0, 'amount_too_small'],
    ['.000', 6, 'amount_too_small'],
    ['0.1', 0, 'amount_precision'],
    ['1.0000001', 6, 'amount_precision'],
    ['0.0000001', 6, 'amount_precision'],
    ['1.0000000000000000011', 18, 'amount_precision'],
    ['9'.repeat(78), 0, 'amount_too_large'],
    ['9'.repeat(100), 36, 'amount_too_large'],
    ['', 6, 'invalid_parameter'],
    ['.', 6, 'invalid_parameter'],
    ['1.', 6, 'invalid_parameter'],
    ['1.2.3', 6, 'invalid_parameter'],
    ['-1', 6, 'invalid_parameter'],
    ['+1', 6, 'invalid_parameter'],
    ['1e3', 6, 'invalid_parameter'],
    ['0x10', 6, 'invalid_parameter'],
    ['1,5', 6, 'invalid_parameter'],
    ['1_000', 6, 'invalid_parameter'],
    [' 1', 6, 'invalid_parameter'],
    ['1\n', 6, 'invalid_parameter'],
    ['١', 6, 'invalid_parameter'],
    ['１', 6, 'invalid_parameter'],
    ['NaN', 6, 'invalid_parameter'],
    ['Infinity', 6, 'invalid_parameter'],
    ['0'.repeat(101), 6, 'invalid_parameter'],
    [`${'0'.repeat(200_000)}x`, 6, 'invalid_parameter'],
  ]
  for (const [text, decimals, code] of cases) {
    try {
      parseAmount(text, decimals, 'evm')
      t.fail(text)
    } catch (error) {
      const { status, fields, message } = error as GatewayError
      t.match(error, { name: 'GatewayError', code }, text.slice(0, 40))
      t.same([status, fields.field], [400, 'amount'])
      t.match(message, /^`amount` must .*\.$/)
      t.notOk(text.length > 3 && message.includes(text))
    }
  }
})

t.test('any decimal text is what it is with a pencil', async () => {
  const digits = (min: number) =>
    fc.array(fc.constantFrom(...'0123456789'), { minLength: min, maxLength: 24 }).map((all) => all.join(''))
  const texts = fc.oneof(
    digits(1),
    fc.tuple(digits(0), digits(1)).map(([whole, fraction]) => `${whole}.${fraction}`),
  )
  const property = fc.property(texts, decimals, (text, decimals) => {
    const amount = pencil(text, decimals)
    try {
      return parseAmount(text, decimals, 'evm') === amount
    } catch (error) {
      return (
        (error as GatewayError).code === (amount === null ? 'amount_precision' : 'amount_too_small') &&
        !amount
      )
    }
  })
  fc.assert(property, { numRuns: 1_000 })
})

t.test('every amount survives the way to text and back, in its shortest form', async () => {
  const property = fc.property(uint256, decimals, (base, decimals) => {
    const text = formatAmount(base, decimals)
    return (
      parseAmount(text, decimals, 'evm') === base &&
      pencil(text, decimals) === base &&
      /^(0|[1-9]\d*)(\.\d*[1-9])?$/.test(text)
    )
  })
  fc.assert(property, { numRuns: 1_000 })
})

t.test('zero and whole numbers are written without a point', async (t) => {
  t.equal(formatAmount(0n, 0), '0')
  t.equal(formatAmount(0n, 18), '0')
  t.equal(formatAmount(100n, 2), '1')
  t.equal(formatAmount(100n, 0), '100')
  t.equal(formatAmount(1n, 18), '0.000000000000000001')
})

t.test('the number for display is the double nearest to the amount', async (t) => {
  t.equal(toHuman(100_000_000_000_000_000n, 18), 0.1)
  t.equal(toHuman(1_234_567_890_123_456_789n, 9), 1_234_567_890.1234567)
  t.equal(toHuman(0n, 18), 0)
  t.equal(toHuman(1n, 36), 1e-36)
})

t.test('the minimum out is the largest integer that the slippage allows', async (t) => {
  t.equal(minOut(41_873_522n, 300), 40_617_316n)
  t.equal(minOut(1n, 1), 0n)
  t.equal(minOut(10_000n, 1), 9_999n)
  t.equal(minOut(3n, 5_000), 1n)
  const property = fc.property(uint256, fc.integer({ min: 1, max: 5_000 }), (expected, bps) => {
    const kept = expected * BigInt(10_000 - bps)
    const minimum = minOut(expected, bps)
    return minimum * 10_000n <= kept && (minimum + 1n) * 10_000n > kept
  })
  fc.assert(property)
})
