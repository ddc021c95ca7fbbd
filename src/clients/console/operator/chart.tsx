/** A chart over time, with its values at the pointer, in words, and as a table. */
import { useState } from 'preact/hooks'
import { moment, time } from '../format.ts'
import { Table } from '../parts/table.tsx'
import { areaOf, lineOf, stacked, topOf } from './lines.ts'
import type { ChartStep } from './recent.ts'

export interface ChartLine {
  readonly title: string
  /** A role of colour; each line of a chart has another. */
  readonly tone: 'accent' | 'edge' | 'warn' | 'danger'
  readonly of: (step: ChartStep) => number | null
}

interface ChartProps {
  readonly title: string
  readonly steps: readonly ChartStep[]
  readonly lines: readonly ChartLine[]
  readonly format: (value: number) => string
  /** Whether the lines are parts of a whole, none of which is ever unknown. */
  readonly isStacked?: boolean
}

/** The rows of the table, the newest first. */
const MAX_ROWS = 30

export function Chart({ title, steps, lines, format, isStacked = false }: ChartProps) {
  const [pointed, point] = useState<number | null>(null)
  const values = lines.map(({ of }) => steps.map(of))
  const layers = isStacked ? stacked(values.map((list) => list.map((value) => value ?? 0))) : values
  const top = topOf(layers.flat())
  const last = steps.length - 1
  const at = pointed === null ? last : Math.min(pointed, last)
  const told = (value: number | null | undefined): string => (value == null ? 'unknown' : format(value))
  const follow = ({ currentTarget, clientX }: PointerEvent & { readonly currentTarget: Element }): void => {
    const { left, width } = currentTarget.getBoundingClientRect()
    point(Math.max(0, Math.min(last, Math.round(((clientX - left) / width) * last))))
  }
  const summary = lines.map((line, i) => {
    const known = values[i]!.filter((value) => value !== null)
    return `${line.title} ${known.length === 0 ? 'unknown' : `up to ${format(Math.max(...known))}`}`
  })
  return (
    <section class="panel timeline">
      <div class="timeline-head">
        <h2>{title}</h2>
        <span class="summary">{time(steps[at]!.at, Date.now())}</span>
      </div>
      <ul class="legend">
        {lines.map((line, i) => (
          <li key={line.title} class={line.tone}>
            {`${line.title} `}
            <strong>{told(values[i]![at])}</strong>
          </li>
        ))}
      </ul>
      <div
        class="plot"
        role="img"
        aria-label={`${title} since ${moment(steps[0]!.at)}: ${summary.join(', ')}`}
        onPointerMove={follow}
        onPointerLeave={() => point(null)}
      >
        <span class="top-label">{format(top)}</span>
        <svg viewBox={`0 0 ${last} 100`} preserveAspectRatio="none" aria-hidden="true">
          {lines.map(({ title: name, tone }, i) =>
            isStacked ? (
              <path
                key={name}
                class={`area ${tone}`}
                d={areaOf(belowOf(layers, i), layers[i] as number[], top)}
              />
            ) : (
              <path key={name} class={`line ${tone}`} d={lineOf(layers[i]!, top)} />
            ),
          )}
          {pointed !== null && <path class="pointed" d={`M${at} 0V100`} />}
        </svg>
      </div>
      <p class="span-labels" aria-hidden="true">
        <span>{moment(steps[0]!.at)}</span>
        <span>now</span>
      </p>
      <AsTable title={title} steps={steps} lines={lines} told={told} />
    </section>
  )
}

const belowOf = (layers: readonly (readonly (number | null)[])[], i: number): readonly number[] =>
  (layers[i - 1] ?? layers[0]!.map(() => 0)) as readonly number[]

function AsTable({
  title,
  steps,
  lines,
  told,
}: Pick<ChartProps, 'title' | 'steps' | 'lines'> & { readonly told: (value: number | null) => string }) {
  const [isOpen, open] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>Show as table</summary>
      {isOpen && (
        <Table
          caption={title}
          columns={[
            { key: 'at', title: 'From', cell: ({ at }) => time(at, Date.now()) },
            ...lines.map(({ title: name, of }) => ({
              key: name,
              title: name,
              isNumber: true,
              cell: (step: ChartStep) => told(of(step)),
            })),
          ]}
          rows={steps.slice(-MAX_ROWS).reverse()}
          idOf={({ at }) => String(at)}
        />
      )}
    </details>
  )
}

/** The last values of a tile, for eyes only. */
export function Trend({ values }: { readonly values: readonly (number | null)[] }) {
  return (
    <svg class="trend" viewBox={`0 0 ${values.length - 1} 100`} preserveAspectRatio="none" aria-hidden="true">
      <path class="line accent" d={lineOf(values, topOf(values))} />
    </svg>
  )
}
