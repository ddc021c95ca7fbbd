/** A small line chart of a few prices, without axes. */

interface Point {
  /** Hours before now, 0 or more. */
  readonly hoursAgo: number
  readonly price: number
}

const WIDTH = 96
const HEIGHT = 28
const EDGE = 3

/** @param label  describes the chart for screen readers */
export function Sparkline({ points, label }: { readonly points: readonly Point[]; readonly label: string }) {
  const prices = points.map(({ price }) => price)
  const [low, high] = [Math.min(...prices), Math.max(...prices)]
  const longest = Math.max(...points.map(({ hoursAgo }) => hoursAgo))
  const x = (hoursAgo: number): number => EDGE + (1 - hoursAgo / longest) * (WIDTH - 2 * EDGE)
  const y = (price: number): number =>
    high === low ? HEIGHT / 2 : EDGE + ((high - price) / (high - low)) * (HEIGHT - 2 * EDGE)
  const path = points.map(({ hoursAgo, price }) => `${x(hoursAgo).toFixed(1)},${y(price).toFixed(1)}`)
  const last = points.at(-1)!
  const trend = last.price > points[0]!.price ? 'up' : last.price < points[0]!.price ? 'down' : 'flat'
  return (
    <svg class={`spark ${trend}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <polyline points={path.join(' ')} />
      <circle cx={x(last.hoursAgo)} cy={y(last.price)} r="2.2" />
    </svg>
  )
}
