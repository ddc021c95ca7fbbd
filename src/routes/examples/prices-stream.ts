/**
 * The data of a sandboxed gateway's first event, to
 * `?tokens=base:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913,solana:native,base:0x000000000000000000000000000000686f6E6579`.
 *
 * Source: §4.10
 */
import type { Ticks } from '../../research/ticker/shapes.ts'

export const TICKS: Ticks = {
  prices: [
    {
      chain: 'base',
      address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      listed: true,
      price: 1.000011,
      priceTs: 1795234028691,
      priceStale: false,
    },
    {
      chain: 'solana',
      address: 'So11111111111111111111111111111111111111112',
      listed: true,
      price: 136.7725,
      priceTs: 1795234028688,
      priceStale: false,
    },
    {
      chain: 'base',
      address: '0x000000000000000000000000000000686f6E6579',
      listed: false,
      price: null,
      priceTs: null,
      priceStale: false,
    },
  ],
  asOf: 1795234029871,
}
