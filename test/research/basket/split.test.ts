import t from 'tap'
import { split, splitInClips } from '../../../src/research/basket/split.ts'
import fc from '../../fixtures/fast-check.ts'

const sumOf = (parts: readonly bigint[]): bigint => parts.reduce((one, other) => one + other, 0n)

t.test('largest remainders, of equals the earlier', async (t) => {
  const cases: [total: bigint, weights: readonly bigint[], parts: readonly bigint[]][] = [
    [100n, [1n], [100n]],
    [0n, [1n, 2n], [0n, 0n]],
    [100n, [1n, 1n, 1n], [34n, 33n, 33n]],
    [101n, [1n, 1n, 1n], [34n, 34n, 33n]],
    [10n, [6n, 3n, 1n], [6n, 3n, 1n]],
    [10n, [1n, 1n, 4n], [2n, 2n, 6n]],
    [7n, [0n, 1n, 1n], [0n, 4n, 3n]],
  ]
  for (const [total, weights, parts] of cases) t.same(split(total, weights), parts, `${total} ${weights}`)
})

t.test('too small a part is dropped, the last of ties first', async (t) => {
  t.same(splitInClips(100n, [60n, 30n, 10n], 10n), [60n, 30n, 10n])
  t.same(splitInClips(100n, [60n, 30n, 10n], 11n), [67n, 33n, 0n])
  t.same(splitInClips(100n, [5n, 5n, 5n], 40n), [50n, 50n, 0n])
  t.same(splitInClips(100n, [1n, 3n, 1n], 51n), [0n, 100n, 0n])
  t.same(splitInClips(100n, [1n, 1n, 1n], 100n), [100n, 0n, 0n])
})

const total = fc.bigInt({ min: 0n, max: 10n ** 30n })
const weight = fc.bigInt({ min: 0n, max: 10n ** 24n })

t.test('the parts add up, and none is a unit from its share', async () => {
  const weights = fc.array(weight, { minLength: 1, maxLength: 25 }).filter((all) => sumOf(all) > 0n)
  fc.assert(
    fc.property(total, weights, (total, weights) => {
      const parts = split(total, weights)
      const sum = sumOf(weights)
      return (
        parts.length === weights.length &&
        sumOf(parts) === total &&
        parts.every((part, at) => {
          const off = part * sum - total * weights[at]!
          return off < sum && -off < sum
        })
      )
    }),
  )
})

t.test('clips add up, each has the minimum or is dropped, and the heavier are kept', async () => {
  const weights = fc.array(
    weight.map((one) => one + 1n),
    { minLength: 1, maxLength: 20 },
  )
  const amounts = fc
    .tuple(total, total)
    .map(([one, other]) => (one < other ? [one, other] : [other, one]) as [bigint, bigint])
    .filter(([minimum]) => minimum > 0n)
  fc.assert(
    fc.property(amounts, weights, ([minimum, total], weights) => {
      const parts = splitInClips(total, weights, minimum)
      const dropped = weights.filter((_weight, at) => parts[at] === 0n)
      const kept = weights.filter((_weight, at) => parts[at]! > 0n)
      return (
        sumOf(parts) === total &&
        parts.every((part) => part === 0n || part >= minimum) &&
        kept.length > 0 &&
        kept.every((one) => dropped.every((other) => one >= other))
      )
    }),
  )
})

t.test('whatever the order in which they are given, each weight has as much to a unit', async () => {
  const weights = fc.uniqueArray(weight, { minLength: 1, maxLength: 12 }).filter((all) => sumOf(all) > 0n)
  fc.assert(
    fc.property(total, weights, (total, weights) => {
      const parts = split(total, weights)
      const turned = split(total, [...weights].reverse()).reverse()
      return parts.every((part, at) => {
        const off = part - turned[at]!
        return off >= -1n && off <= 1n
      })
    }),
  )
})
