/**
 * What a sandboxed gateway answers about Base's native coin, the chart cut to its last two candles.
 */
import type { Example } from '../../http/route.ts'
import type { NativeHistory, NativePrice } from '../../research/native/shapes.ts'

const PRICE: NativePrice = {
  chain: 'base',
  symbol: 'ETH',
  wrapped: '0x4200000000000000000000000000000000000006',
  price: 2945.4787327,
  asOf: 1795307170000,
  stale: false,
  source: 'defillama',
  sources: [{ provider: 'defillama', status: 'ok', at: 1795307210845 }],
}

const HISTORY: NativeHistory = {
  chain: 'base',
  symbol: 'ETH',
  wrapped: '0x4200000000000000000000000000000000000006',
  span: '24h',
  intervalMs: 900000,
  candles: [
    {
      ts: 1795305600000,
      open: 2925.9714288,
      high: 2940.3262504,
      low: 2925.9714288,
      close: 2932.8325369,
      volume: 98600.01204499978,
    },
    {
      ts: 1795306500000,
      open: 2932.8325369,
      high: 2947.5598271,
      low: 2932.8325369,
      close: 2947.5598271,
      volume: 170564.60564776103,
    },
  ],
  filled: 0,
  pool: '0x6c325A916A766E5B792136b0ab6D45727Ed7866D',
  source: 'geckoterminal',
  asOf: 1795307211029,
  ageMs: 9,
  stale: false,
  sources: [{ provider: 'geckoterminal', status: 'ok', at: 1795307211029 }],
}

export const PRICES: Readonly<Record<string, Example>> = {
  base: { request: { chain: 'base' }, reply: PRICE },
}

export const HISTORIES: Readonly<Record<string, Example>> = {
  base: { request: { chain: 'base', span: '24h' }, reply: HISTORY },
}
