/**
 * A histogram of whole numbers from 0 to 16,383 in 52 counters. Its median is
 * exact below 8, and within an eighth above. Larger numbers count as the largest.
 *
 *   0 1 2 3 4 5 6 7 | 8-9 10-11 12-13 14-15 | 16-19 20-23 24-27 28-31 | ... | 14336-16383
 */

/** Cells per doubling, from 4 on; a smaller number has a cell of its own. */
const CELLS_A_DOUBLING = 4
const MAX_VALUE = 16_383

/** How many counters a histogram has. */
export const HISTOGRAM_CELLS = cellOf(MAX_VALUE) + 1

/** @param value  not negative; its fraction is dropped */
export function cellOf(value: number): number {
  const whole = Math.min(Math.floor(value), MAX_VALUE)
  if (whole < CELLS_A_DOUBLING) return whole
  const exponent = 31 - Math.clz32(whole)
  return CELLS_A_DOUBLING * (exponent - 1) + (whole >> (exponent - 2)) - CELLS_A_DOUBLING
}

/** The middle of the cell of the median, which is the lower of two. Null for an empty histogram. */
export function medianOf(cells: ArrayLike<number>): number | null {
  let count = 0
  for (let cell = 0; cell < HISTOGRAM_CELLS; cell++) count += cells[cell]!
  let before = 0
  for (let cell = 0; cell < HISTOGRAM_CELLS; cell++) {
    before += cells[cell]!
    if (before > 0 && 2 * before >= count) return middleOf(cell)
  }
  return null
}

function middleOf(cell: number): number {
  if (cell < CELLS_A_DOUBLING) return cell
  const doubling = Math.floor(cell / CELLS_A_DOUBLING) - 1
  const least = (CELLS_A_DOUBLING + (cell % CELLS_A_DOUBLING)) << doubling
  return least + (((1 << doubling) - 1) >> 1)
}
