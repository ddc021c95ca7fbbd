/** The geometry of a chart over time: x counts its steps, y goes from 0 at the top to 100 at the bottom. */

/** The least of 1, 2 and 5 times a power of ten that is not below. */
export function topOf(values: readonly (number | null)[]): number {
  const most = Math.max(0, ...values.map((value) => value ?? 0))
  if (most === 0) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  return power * ([1, 2, 5].find((digit) => digit * power >= most) ?? 10)
}

const y = (value: number, top: number): string => (100 * (1 - value / top)).toFixed(1)

/** A line, broken where a value is unknown, and none at all of nothing. A value between two unknown ones is a dot. */
export function lineOf(values: readonly (number | null)[], top: number): string {
  if (values.every((value) => !value)) return ''
  return values
    .map((value, i) => {
      if (value === null) return ''
      const isFirst = i === 0 || values[i - 1] === null
      return `${isFirst ? 'M' : 'L'}${i} ${y(value, top)}${isFirst ? 'h.01' : ''}`
    })
    .join('')
}

/** The area between two lines, none of whose values is unknown. */
export function areaOf(lower: readonly number[], upper: readonly number[], top: number): string {
  const back = lower.map((value, i) => `L${i} ${y(value, top)}`).reverse()
  return `${upper.map((value, i) => `${i === 0 ? 'M' : 'L'}${i} ${y(value, top)}`).join('')}${back.join('')}Z`
}

/** Each list on top of those before it. */
export function stacked(lists: readonly (readonly number[])[]): readonly (readonly number[])[] {
  let below: readonly number[] = []
  return lists.map((list) => {
    below = list.map((value, i) => value + (below[i] ?? 0))
    return below
  })
}
