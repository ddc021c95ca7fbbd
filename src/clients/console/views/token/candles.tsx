/** Candles and volume: as a chart, as a sentence and as a table. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { NativeHistory, TokenProfile } from '../../../client/index.ts'
import { useAnswer } from '../../data/hooks.ts'
import { age, dollars, time } from '../../format.ts'
import { setParameters } from '../../location.ts'
import { figureColumn } from '../../parts/figure.tsx'
import { Empty, Waiting } from '../../parts/panel.tsx'
import type { Provenance } from '../../parts/provenance.ts'
import { type Column, column, Table } from '../../parts/table.tsx'
import type { ViewProps } from '../view.ts'
import type { CandleChart } from './candle-chart.ts'
import { chosenOf, INTERVALS, type IntervalName } from './intervals.ts'
import { Origin } from './origin.tsx'
import { readPalette, useThemeChanges } from './palette.ts'
import { type ChartCandle, candlesOf, intervalOf, originOf } from './profile.ts'
import { scaleOf } from './scale.ts'
import type { PartProps } from './tables.tsx'

/** The service asks for candles of a minute at most twice a minute, and less often for others. */
const EVERY_MS = 30_000
/** The largest number of table rows, newest first. */
const MAX_ROWS = 48

export function Candles({ profile, now, place }: PartProps & ViewProps) {
  const own = candlesOf(profile)
  const ownMs = intervalOf(own)
  const chosen = chosenOf(place.parameters.get('candles'), ownMs)
  const asked = chosen === null || chosen.ms === ownMs ? null : chosen.name
  const history = useHistory(profile, asked)
  const candles = asked === null ? own : candlesOf({ candles: history.data?.candles ?? [] })
  const from = asked === null ? originOf(profile, 'candles') : fromHistory(history.data)
  return (
    <section class="panel">
      <div class="chart-head row">
        <h2>Price and volume</h2>
        <fieldset class="chips row">
          <legend class="hidden">Candles of</legend>
          {INTERVALS.map(({ name }) => (
            <button
              key={name}
              type="button"
              class="filter"
              aria-pressed={name === chosen?.name}
              onClick={() => setParameters(place, { candles: name })}
            >
              {name}
            </button>
          ))}
        </fieldset>
      </div>
      {candles.length > 0 ? (
        <>
          <Origin {...from} />
          <Chart candles={candles} intervalMs={chosen?.ms ?? 0} label={summaryOf(candles, now)} />
          <p class="summary note">{summaryOf(candles, now)}</p>
          <AsTable candles={candles} from={from} now={now} />
        </>
      ) : asked !== null && history.data === null ? (
        <Waiting query={history} />
      ) : (
        <Empty>
          {asked !== null || profile.candles === undefined
            ? 'No source gave candles.'
            : 'There were no trades to show.'}
        </Empty>
      )}
      <p class="attribution">
        {'TradingView Lightweight Charts™, Copyright (c) 2026 TradingView, Inc. '}
        <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">
          https://www.tradingview.com/
        </a>
      </p>
    </section>
  )
}

/** The candles of an interval other than the profile's; nothing is requested if that is null. */
const useHistory = ({ chain, token }: TokenProfile, interval: IntervalName | null) =>
  useAnswer('nativeHistory', interval && { chain, token, interval }, { everyMs: EVERY_MS })

const fromHistory = (history: NativeHistory | null): Provenance => ({
  source: history?.source ?? 'No source gave it',
  at: history?.asOf,
  notes: [history?.stale ? 'It has failed since; this is its earlier answer.' : null],
})

/** @returns the candles summed up in one sentence */
function summaryOf(candles: readonly ChartCandle[], now: number): string {
  const interval = intervalOf(candles)
  const { format } = scaleOf(candles)
  const low = Math.min(...candles.map((candle) => candle.low))
  const high = Math.max(...candles.map((candle) => candle.high))
  const [first, last] = [candles[0]!, candles.at(-1)!]
  const each = interval === null ? 'One candle' : `${candles.length} candles of ${age(interval)} each`
  return (
    `${each}, from ${time(first.ts, now)}: opened at ${format(first.open)}, ` +
    `last closed at ${format(last.close)}, between ${format(low)} and ${format(high)}.`
  )
}

interface ChartProps {
  readonly candles: readonly ChartCandle[]
  readonly intervalMs: number
  readonly label: string
}

function Chart({ candles, intervalMs, label }: ChartProps) {
  const container = useRef<HTMLDivElement>(null)
  const [chart, set] = useState<CandleChart | null>(null)
  const [isFailing, fail] = useState(false)
  const changes = useThemeChanges()
  useEffect(() => {
    let made: CandleChart | null = null
    let isLeft = false
    import('./candle-chart.ts').then(
      (module) => {
        if (isLeft) return
        made = new module.CandleChart(container.current!)
        set(made)
      },
      () => fail(true),
    )
    return () => {
      isLeft = true
      made?.remove()
    }
  }, [])
  useEffect(() => chart?.paint(readPalette(container.current!)), [chart, changes])
  const { ts, close, volume } = candles.at(-1)!
  const seen = [chart, intervalMs, candles.length, ts, close, volume]
  useEffect(() => chart?.show(candles, intervalMs), seen)
  return (
    <>
      <div ref={container} class="chart" role="img" aria-label={label} />
      {isFailing && <p class="problem">The chart could not be loaded; the table below has the figures.</p>}
    </>
  )
}

interface AsTableProps {
  readonly candles: readonly ChartCandle[]
  readonly from: Provenance
  readonly now: number
}

/** The candles as a table, rendered when it is opened. */
function AsTable({ candles, from, now }: AsTableProps) {
  const [isOpen, open] = useState(false)
  const newest = candles.slice(-MAX_ROWS).reverse()
  const title = candles.length > MAX_ROWS ? `The last ${MAX_ROWS} candles` : 'The candles'
  return (
    <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>{`${title} as a table`}</summary>
      {isOpen && (
        <Table
          caption={title}
          columns={columnsOf(from, now, scaleOf(candles).format)}
          rows={newest}
          idOf={({ ts }) => String(ts)}
        />
      )}
    </details>
  )
}

function columnsOf(
  from: Provenance,
  now: number,
  format: (price: number) => string,
): readonly Column<ChartCandle>[] {
  const figure = (key: 'open' | 'high' | 'low' | 'close', title: string) =>
    figureColumn<ChartCandle>(key, title, (candle) => ({ ...from, value: candle[key], format }))
  const unknown = 'The source does not report it.'
  return [
    column('ts', 'From', ({ ts }) => time(ts, now)),
    figure('open', 'Open'),
    figure('high', 'High'),
    figure('low', 'Low'),
    figure('close', 'Close'),
    figureColumn('volume', 'Volume', ({ volume }) => ({ ...from, value: volume, format: dollars, unknown })),
  ]
}
