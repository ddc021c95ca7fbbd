/**
 * Candles and volume on a canvas. Only this file knows the chart library, and it
 * is loaded when a chart is first shown. Its logo is switched off, since that
 * brings a style of its own, which the page's policy forbids: its notice is text
 * below the chart.
 */
import {
  CandlestickSeries,
  ColorType,
  createChart,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type UTCTimestamp,
} from 'lightweight-charts'
import { price as priceText } from '../../format.ts'
import type { Palette } from './palette.ts'
import type { Candle } from './profile.ts'

/** The part of the chart's height that volume takes, at the foot. */
const VOLUME_PART = 0.2

export class CandleChart {
  readonly #chart: IChartApi
  readonly #candles: ISeriesApi<'Candlestick'>
  readonly #volume: ISeriesApi<'Histogram'>
  #shown = 0

  constructor(container: HTMLElement) {
    this.#chart = createChart(container, {
      autoSize: true,
      layout: { attributionLogo: false, fontFamily: getComputedStyle(container).fontFamily, fontSize: 12 },
      rightPriceScale: { borderVisible: false },
      timeScale: { timeVisible: true, borderVisible: false },
      // The page scrolls under a finger or a wheel that only passes over the chart.
      handleScroll: { mouseWheel: false, vertTouchDrag: false },
      handleScale: { mouseWheel: false },
    })
    this.#candles = this.#chart.addSeries(CandlestickSeries, {
      priceFormat: { type: 'custom', minMove: 1e-12, formatter: priceText },
    })
    this.#volume = this.#chart.addSeries(HistogramSeries, {
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
      layout: { background: { type: ColorType.Solid, color: 'transparent' }, textColor: ink },
      grid: { vertLines: { color: faint }, horzLines: { color: faint } },
      crosshair: { vertLine: { color: line }, horzLine: { color: line } },
    })
    this.#candles.applyOptions({
      upColor: up,
      downColor: down,
      wickUpColor: up,
      wickDownColor: down,
      borderVisible: false,
    })
    this.#volume.applyOptions({ color: volume })
  }

  show(candles: readonly Candle[]): void {
    const time = ({ ts }: Candle): UTCTimestamp => (ts / 1_000) as UTCTimestamp
    this.#candles.setData(candles.map((candle) => ({ time: time(candle), ...ohlc(candle) })))
    this.#volume.setData(
      candles.flatMap((candle) =>
        candle.volume === null ? [] : [{ time: time(candle), value: candle.volume }],
      ),
    )
    // A chart that somebody moved stays where it is.
    if (this.#shown === 0) this.#chart.timeScale().fitContent()
    this.#shown = candles.length
  }

  remove(): void {
    this.#chart.remove()
  }
}

const ohlc = ({ open, high, low, close }: Candle) => ({ open, high, low, close })
