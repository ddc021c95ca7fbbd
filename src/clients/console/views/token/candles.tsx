/** Candles and volume: as a chart, as a sentence and as a table. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TokenProfile } from '../../../client/index.ts'
import { age, dollars, time } from '../../format.ts'
import { Figure } from '../../parts/figure.tsx'
import { Empty, Panel } from '../../parts/panel.tsx'
import type { Provenance } from '../../parts/provenance.ts'
import { type Column, Table } from '../../parts/table.tsx'
import type { CandleChart } from './candle-chart.ts'
import { Origin } from './origin.tsx'
import { readPalette, useThemeChanges } from './palette.ts'
import { type ChartCandle, candlesOf, intervalOf, originOf } from './profile.ts'
import { scaleOf } from './scale.ts'

/** The largest number of table rows, newest first. */
const MAX_ROWS = 48

export function Candles({ profile, now }: { readonly profile: TokenProfile; readonly now: number }) {
  const candles = candlesOf(profile)
  const from = originOf(profile, 'candles')
  if (candles.length === 0) {
    return (
      <Panel title="Price and volume">
        <Empty>
          {profile.candles === undefined ? 'No source gave candles.' : 'There were no trades to show.'}
        </Empty>
      </Panel>
    )
  }
  return (
    <Panel title="Price and volume">
      <Origin {...from} />
      <Chart candles={candles} label={summaryOf(candles, now)} />
      <p class="summary">{summaryOf(candles, now)}</p>
      <AsTable candles={candles} from={from} now={now} />
      <p class="attribution">
        {'TradingView Lightweight Charts™, Copyright (c) 2026 TradingView, Inc. '}
        <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">
          https://www.tradingview.com/
        </a>
      </p>
    </Panel>
  )
}

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

function Chart({ candles, label }: { readonly candles: readonly ChartCandle[]; readonly label: string }) {
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
  useEffect(() => chart?.show(candles), [chart, candles.length, ts, close, volume])
  return (
    <>
      <div ref={container} class="chart" role="img" aria-label={label} />
      {isFailing && <p class="problem">The chart could not be loaded; the table below has the figures.</p>}
    </>
  )
}

/** The candles as a table, rendered when it is opened. */
function AsTable({
  candles,
  from,
  now,
}: {
  readonly candles: readonly ChartCandle[]
  readonly from: Provenance
  readonly now: number
}) {
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
  const figure = (key: 'open' | 'high' | 'low' | 'close', title: string): Column<ChartCandle> => ({
    key,
    title,
    isNumber: true,
    cell: (candle) => <Figure {...from} value={candle[key]} format={format} unknown="" />,
  })
  return [
    { key: 'ts', title: 'From', cell: ({ ts }) => time(ts, now) },
    figure('open', 'Open'),
    figure('high', 'High'),
    figure('low', 'Low'),
    figure('close', 'Close'),
    {
      key: 'volume',
      title: 'Volume',
      isNumber: true,
      cell: ({ volume }) => (
        <Figure {...from} value={volume} format={dollars} unknown="The source does not report it." />
      ),
    },
  ]
}
