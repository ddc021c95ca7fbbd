import t from 'tap'
import { formatAmount } from '../../src/chains/amount.ts'
import { leastValue, toUsd, worth } from '../../src/chains/usd.ts'
import fc from '../fixtures/fast-check.ts'

t.test('a value is exact, and rounded down to the micro-dollar', (t) => {
  const cases: [amount: bigint, decimals: number, price: number, value: bigint | null][] = [
    [1_000_000n, 6, 1, 1_000_000n],
    [1_500_000_000n, 9, 138.4, 207_600_000n],
    [3n, 0, 0.1, 300_000n],
    [1n, 6, 1, 1n],
    [1n, 6, 0.999999, 0n],
    [1n, 18, 1e17, 100_000n],
    [9_999_999_999_999_999_999n, 19, 1, 999_999n],
    [10n ** 40n, 18, 4.62e-20, 462_000_000n],
    [10n ** 24n, 18, 1.2e-7, 120_000n],
    [10n ** 36n, 36, 1, 1_000_000n],
    [10n ** 18n, 18, 5e-324, 0n],
    [1n, 18, 1e21, 1_000_000_000n],
    [10n ** 12n, 0, 1, 10n ** 18n],
    [10n ** 12n + 1n, 0, 1, null],
    [10n ** 77n, 18, 1, null],
    [10n ** 77n, 0, Number.MAX_VALUE, null],
    [0n, 0, Number.MAX_VALUE, 0n],
  ]
  for (const [amount, decimals, price, value] of cases) {
    t.equal(worth(amount, decimals, price), value, `${amount} ${decimals} ${price}`)
  }
  t.end()
})

t.test('no price is too odd for it', (t) => {
  const prices = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), fc.nat(36), prices, (amount, decimals, price) => {
      const value = worth(amount, decimals, price)
      return value === null || (value >= 0n && value <= 10n ** 18n)
    }),
  )
  t.throws(() => worth(1n, 0, Number.POSITIVE_INFINITY), TypeError)
  t.throws(() => worth(1n, 0, Number.NaN), TypeError)
  t.throws(() => worth(1n, 0, -1), TypeError)
  t.end()
})

t.test('below 2^33 dollars, a value is shown in all of its digits', (t) => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 33n * 1_000_000n - 1n }), (value) => {
      const text = JSON.stringify(toUsd(value))
      // JavaScript writes what is below a millionth only with an exponent.
      return /e/.test(text) ? value < 1n : text === formatAmount(value, 6)
    }),
  )
  t.equal(JSON.stringify(toUsd(1n)), '0.000001')
  t.equal(JSON.stringify(toUsd(2n ** 33n * 1_000_000n - 1n)), '8589934591.999999')
  t.end()
})

t.test('above, it is right to fifteen digits', (t) => {
  fc.assert(
    fc.property(fc.bigInt({ min: 2n ** 33n * 1_000_000n, max: 10n ** 21n }), (value) => {
      const shown = BigInt(Math.round(toUsd(value))) * 1_000_000n
      const off = shown > value ? shown - value : value - shown
      return off * 10n ** 15n <= value * 1n + 10n ** 15n * 500_000n
    }),
  )
  t.end()
})

t.test("a value is shown as below a threshold exactly if it is below the threshold's least value", (t) => {
  t.same([0, -0, 0.01, 0.0000005, 0.000001, 0.0000015, 1e-20, 5e-324, 1, 1e21].map(leastValue), [
    0n,
    0n,
    10_000n,
    1n,
    1n,
    2n,
    1n,
    1n,
    1_000_000n,
    10n ** 27n,
  ])
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 12n }),
      fc.double({ min: 1e-20, max: 1e6, noNaN: true }),
      (value, dust) => {
        return toUsd(value) < dust === value < leastValue(dust)
      },
    ),
  )
  t.end()
})
