import t from 'tap'
import { cellOf, HISTOGRAM_CELLS, medianOf } from '../../../src/http/counts/histogram.ts'

const histogram = (values: readonly number[]): number[] => {
  const cells = new Array<number>(HISTOGRAM_CELLS).fill(0)
  for (const value of values) cells[cellOf(value)]!++
  return cells
}

t.test('a single value is exact below 8, and within an eighth above', async (t) => {
  t.equal(HISTOGRAM_CELLS, 52)
  for (let value = 0; value <= 16_383; value++) {
    const told = medianOf(histogram([value]))!
    if (value < 8 ? told !== value : Math.abs(told - value) > value / 8) t.fail(`${value} is told as ${told}`)
  }
  t.equal(medianOf(histogram([1e9])), medianOf(histogram([16_383])))
  t.equal(medianOf(histogram([7.9])), 7)
})

t.test('the median is that of the numbers, of two in the middle the lower', async (t) => {
  t.equal(medianOf(histogram([])), null)
  t.equal(medianOf(histogram([5, 1, 3])), 3)
  t.equal(medianOf(histogram([5, 1, 3, 4])), 3)
  t.equal(medianOf(histogram([0, 0, 7])), 0)
  t.equal(medianOf(histogram([0, 7, 7])), 7)
})
