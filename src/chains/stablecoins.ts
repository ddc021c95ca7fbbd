/**
 * The stablecoins that a chain's file may name. Only what the issuer itself
 * lists counts as one; the copies that bridges make are tokens like any other.
 *
 * Source: the issuers' own lists of contracts (circle.com/multi-chain-usdc,
 * tether.to/supported-protocols)
 */
import type { Stablecoin } from './definition.ts'

const stablecoin =
  (symbol: string, name: string, usual: number) =>
  (address: string, decimals = usual): Stablecoin => ({ symbol, name, address, decimals })

export const usdc = stablecoin('USDC', 'USD Coin', 6)
export const usdt = stablecoin('USDT', 'Tether USD', 6)
export const dai = stablecoin('DAI', 'Dai Stablecoin', 18)
