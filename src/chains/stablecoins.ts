/**
 * The stablecoins that a chain's file may name: only contracts that the issuer itself lists. Copies made by
 * bridges are ordinary tokens. USDT0 is Tether's own cross-chain token, backed by USDT locked on Ethereum.
 *
 * Source: the issuers' own lists of contracts (circle.com/multi-chain-usdc,
 * tether.to/supported-protocols, docs.usdt0.to, docs.berachain.com,
 * docs.nativemarkets.com), compared with the address books of Beefy and Across
 */
import type { ChainDefinition, Stablecoin } from './definition.ts'

const stablecoin =
  (symbol: string, name: string, usualDecimals: number) =>
  (address: string, decimals = usualDecimals): Stablecoin => ({ symbol, name, address, decimals })

export const usdc = stablecoin('USDC', 'USD Coin', 6)
export const usdt = stablecoin('USDT', 'Tether USD', 6)
export const usdt0 = stablecoin('USDT0', 'USDT0', 6)
export const dai = stablecoin('DAI', 'Dai Stablecoin', 18)
/** Berachain's own stablecoin. */
export const honey = stablecoin('HONEY', 'Honey', 18)
/** HyperEVM's own stablecoin. */
export const usdh = stablecoin('USDH', 'USDH', 6)

/** The address of Circle's own USDC; undefined if it has none. */
export const usdcOf = ({ stablecoins }: Pick<ChainDefinition, 'stablecoins'>): string | undefined =>
  stablecoins.find(({ symbol }) => symbol === 'USDC')?.address
