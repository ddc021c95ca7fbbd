/** The labels of a chart's axis. The ticks are this test's own: the least step of 1, 2 or 5 with at most six. */

import t, { type Test } from 'tap'
import { scaleOf } from '../../../src/clients/console/views/token/scale.ts'
import fc from '../../fixtures/fast-check.ts'

/** The multiples of the step that lie in the range, which is padded by 5%. */
function ticksOf(low: number, high: number): { step: number; ticks: readonly number[] } {
  const pad = (high - low) * 0.05
  for (let power = -20; ; power++) {
    for (const digit of [1, 2, 5]) {
      const step = Number(`${digit}e${power}`)
      if ((high - low + 2 * pad) / step > 6) continue
      const ticks = []
      for (let i = Math.ceil((low - pad) / step); i * step <= high + pad; i++) ticks.push(i * step)
      return { step, ticks }
    }
  }
}

/** The label's decimals with its zeros written out. */
function decimalsOf(label: string): string {
  const whole = label.replace(/0([₀-₉]+)/, (_, count: string) =>
    '0'.repeat(Number([...count].map((digit) => digit.codePointAt(0)! - 0x2080).join(''))),
  )
  return whole.split('.')[1] ?? ''
}

/** Each tick has a label of its own, with as many decimals as every other, that says what the tick is. */
function legible(t: Test, low: number, high: number, ticks: readonly number[], step: number) {
  const { decimals, format } = scaleOf([{ low, high }])
  const labels = ticks.map(format)
  const about = `${low} to ${high}: ${labels.join(' ')}`
  if (new Set(labels).size !== ticks.length) t.fail(`a label is there twice, ${about}`)
  for (const [i, label] of labels.entries()) {
    const told = decimalsOf(label)
    if (told.length !== decimals) t.fail(`${label} hasn't ${decimals} decimals, ${about}`)
    const fraction = Math.abs(ticks[i]!) % 1
    const off = Math.abs(Number(`0.${told || 0}`) - fraction)
    if (Math.min(off, 1 - off) > step / 100) t.fail(`${label} is not ${ticks[i]}, ${about}`)
  }
}

t.test('no label of an axis is there twice, and all have the same decimals', (t) => {
  for (const [name, low, high, decimals] of [
    ['USDC', 0.9997, 1.0004, 5],
    ['ETH', 3_412.5, 3_618.2, 0],
    ['BONK', 0.0000094, 0.0000102, 8],
    ['a dollar that rests', 1, 1, 5],
    ['ETH that rests', 3_500, 3_500, 1],
    ['BONK that rests', 0.0000098, 0.0000098, 9],
  ] as const) {
    t.equal(scaleOf([{ low, high }]).decimals, decimals, name)
    const spare = low === high ? (low * (low === 1 ? 0.001 : 0.005)) / 2 : 0
    const { ticks, step } = ticksOf(low - spare, high + spare)
    t.ok(ticks.length >= 2, name)
    legible(t, low, high, ticks, step)
  }
  t.end()
})

t.test('so it is at any price and range, as near as the chart zooms', (t) => {
  fc.assert(
    fc.property(
      fc.double({ min: -10, max: 6, noNaN: true }),
      fc.double({ min: -2.9, max: 0, noNaN: true }),
      (magnitude, width) => {
        const low = 10 ** magnitude
        // Wider than what is taken for prices at rest.
        const high = low * (1 + 10 ** width * 5)
        const { ticks, step } = ticksOf(low, high)
        legible(t, low, high, ticks, step)
        // The library draws no ticks that are nearer to each other than this.
        const { minMove } = scaleOf([{ low, high }])
        const first = Math.round(low / minMove)
        const nearest = Array.from({ length: 6 }, (_, i) => (first + i) * minMove)
        legible(t, low, high, nearest, minMove)
      },
    ),
    { numRuns: 300 },
  )
  t.end()
})

t.test('very small prices have their zeros counted', (t) => {
  const { format } = scaleOf([{ low: 0.0000094, high: 0.0000102 }])
  t.equal(format(0.0000098), '$0.0₅980')
  t.equal(format(0.00001), '$0.0₄1000')
  t.end()
})
