/**
 * The stablecoins that a chain's file may name. Only what the issuer itself
 * lists counts as one; the copies that bridges make are tokens like any other.
 * USDT0 is Tether's own way to other chains: it is locked on Ethereum.
 *
 * Source: the issuers' own lists of contracts (circle.com/multi-chain-usdc,
 * tether.to/supported-protocols, docs.usdt0.to, docs.berachain.com,
 * docs.nativemarkets.com), held against the address books of Beefy and Across
 */
import type { Stablecoin } from './definition.ts'

const stablecoin =
  (symbol: string, name: string, usual: number) =>
  (address: string, decimals = usual): Stablecoin => ({ symbol, name, address, decimals })

export const usdc = stablecoin('USDC', 'USD Coin', 6)
export const usdt = stablecoin('USDT', 'Tether USD', 6)
export const usdt0 = stablecoin('USDT0', 'USDT0', 6)
export const dai = stablecoin('DAI', 'Dai Stablecoin', 18)
/** Berachain's own. */
export const honey = stablecoin('HONEY', 'Honey', 18)
/** HyperEVM's own. */
export const usdh = stablecoin('USDH', 'USDH', 6)
