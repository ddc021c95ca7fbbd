/** A small line chart of a few prices, without axes. */

interface Point {
  /** Hours before now, 0 or more. */
  readonly hoursAgo: number
  readonly price: number
}

const WIDTH = 96
const HEIGHT = 28
const EDGE = 3

/** The least span of the scale, as a share of the price: stable prices look flat. */
const LEAST = 0.01

/** For sighted users only: the number next to it states the change. */
export function Sparkline({ points }: { readonly points: readonly Point[] }) {
  const prices = points.map(({ price }) => price)
  const [least, most] = [Math.min(...prices), Math.max(...prices)]
  const spare = Math.max(0, (LEAST * (least + most)) / 2 - (most - least)) / 2
  const [low, high] = [least - spare, most + spare]
  const longest = Math.max(...points.map(({ hoursAgo }) => hoursAgo))
  const x = (hoursAgo: number): number => EDGE + (1 - hoursAgo / longest) * (WIDTH - 2 * EDGE)
  const y = (price: number): number =>
    high === low ? HEIGHT / 2 : EDGE + ((high - price) / (high - low)) * (HEIGHT - 2 * EDGE)
  const path = points.map(({ hoursAgo, price }) => `${x(hoursAgo).toFixed(1)},${y(price).toFixed(1)}`)
  const last = points.at(-1)!
  const trend = last.price > points[0]!.price ? 'up' : last.price < points[0]!.price ? 'down' : 'flat'
  return (
    <svg class={`spark ${trend}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={`M0 ${y(points[0]!.price).toFixed(1)}H${WIDTH}`} />
      <polyline points={path.join(' ')} />
      <circle cx={x(last.hoursAgo)} cy={y(last.price)} r="2.2" />
    </svg>
  )
}
