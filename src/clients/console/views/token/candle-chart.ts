/**
 * Candles and volume on a canvas. Only this file uses the chart library, and it is
 * loaded when a chart is first shown. The library's logo is off, because it injects a
 * style, which the page's policy forbids: its notice is text below the chart.
 */
import * as charts from 'lightweight-charts'
import type { Palette } from './palette.ts'
import type { ChartCandle } from './profile.ts'
import { scaleOf } from './scale.ts'

/** The share of the chart's height, at the bottom, that volume takes. */
const VOLUME_PART = 0.2
const DAY_MS = 86_400_000

export class CandleChart {
  readonly #chart: charts.IChartApi
  readonly #candles: charts.ISeriesApi<'Candlestick'>
  readonly #volume: charts.ISeriesApi<'Histogram'>
  /** That of the candles that are shown, ms. */
  #intervalMs: number | null = null

  constructor(container: HTMLElement) {
    this.#chart = charts.createChart(container, {
      autoSize: true,
      layout: { attributionLogo: false, fontFamily: getComputedStyle(container).fontFamily, fontSize: 12 },
      rightPriceScale: { borderVisible: false },
      timeScale: { borderVisible: false },
      // A finger or wheel that passes over the chart scrolls the page.
      handleScroll: { mouseWheel: false, vertTouchDrag: false },
      handleScale: { mouseWheel: false },
    })
    this.#candles = this.#chart.addSeries(charts.CandlestickSeries)
    this.#volume = this.#chart.addSeries(charts.HistogramSeries, {
      priceScaleId: '',
      priceFormat: { type: 'volume' },
      lastValueVisible: false,
      priceLineVisible: false,
    })
    this.#volume.priceScale().applyOptions({ scaleMargins: { top: 1 - VOLUME_PART, bottom: 0 } })
    this.#candles.priceScale().applyOptions({ scaleMargins: { top: 0.06, bottom: VOLUME_PART + 0.04 } })
  }

  paint({ ink, faint, line, up, down, volume }: Palette): void {
    this.#chart.applyOptions({
      layout: { background: { type: charts.ColorType.Solid, color: 'transparent' }, textColor: ink },
      grid: { vertLines: { color: faint }, horzLines: { color: faint } },
      crosshair: { vertLine: { color: line }, horzLine: { color: line } },
    })
    this.#candles.applyOptions({
      // The tag of the last price would be as transparent as the last candle.
      priceLineColor: ink,
      // Hollow for a rise, so that both kinds also differ without colours.
      upColor: 'transparent',
      downColor: down,
      borderUpColor: up,
      borderDownColor: down,
      wickUpColor: up,
      wickDownColor: down,
    })
    this.#volume.applyOptions({ color: volume })
  }

  show(candles: readonly ChartCandle[], intervalMs: number): void {
    const time = ({ ts }: ChartCandle): charts.UTCTimestamp => (ts / 1_000) as charts.UTCTimestamp
    const { minMove, format } = scaleOf(candles)
    this.#candles.applyOptions({ priceFormat: { type: 'custom', minMove, formatter: format } })
    this.#candles.setData(candles.map((candle) => ({ time: time(candle), ...ohlc(candle) })))
    this.#volume.setData(
      candles.flatMap((candle) =>
        candle.volume === null ? [] : [{ time: time(candle), value: candle.volume }],
      ),
    )
    // New data of the same interval does not reset a chart that the user has moved.
    if (this.#intervalMs === intervalMs) return
    this.#chart.timeScale().applyOptions({ timeVisible: intervalMs < DAY_MS })
    this.#chart.timeScale().fitContent()
    this.#intervalMs = intervalMs
  }

  remove(): void {
    this.#chart.remove()
  }
}

const ohlc = ({ open, high, low, close }: ChartCandle) => ({ open, high, low, close })
