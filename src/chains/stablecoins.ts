/**
 * The stablecoins that a chain may have: only contracts that the issuer itself lists. Copies made by
 * bridges are ordinary tokens. USDT0 is Tether's own cross-chain token, backed by USDT locked on Ethereum.
 *
 * Source: the issuers' own lists of contracts (circle.com/multi-chain-usdc,
 * tether.to/supported-protocols, docs.usdt0.to, docs.berachain.com,
 * docs.nativemarkets.com), compared with the address books of Beefy and Across
 */
import type { ChainDefinition } from './definition.ts'

/** The address of Circle's own USDC; undefined if it has none. */
export const usdcOf = ({ stablecoins }: Pick<ChainDefinition, 'stablecoins'>): string | undefined =>
  stablecoins.find(({ symbol }) => symbol === 'USDC')?.address
