/** The claim that a Sui transaction is held to, and what of it is worth how much. */

import type { CrossChainOrder } from '../terms/order.ts'
import { refuseMaterial } from '../terms/verification.ts'
import type { MayanPackages } from './mctp.ts'
import type { Upgrades } from './packages.ts'

export const ADDRESS_BYTES = 32

export const SUI_ZERO_ADDRESS = `0x${'0'.repeat(2 * ADDRESS_BYTES)}`

/** What the transaction has to match. Addresses and coin types are canonical. */
export interface SuiClaim {
  readonly from: string
  readonly coinIn: SuiCoin
  readonly amountIn: bigint
  /** The input in MIST, if it is another coin and price sources know; it bounds gas. */
  readonly worth?: bigint | null
  /** The minimum output, in base units of the bought coin. */
  readonly minOut: bigint
  /** Versions of listed packages that no table has; none if absent. */
  readonly upgrades?: Upgrades
  readonly out: { readonly kind: 'swap'; readonly coin: SuiCoin } | SuiCrossChain
}

export interface SuiCoin {
  /** The coin type; SUI's type for the native coin. */
  readonly address: string
  readonly isNative: boolean
}

/**
 * A transfer that burns USDC here by Circle's bridge and mints it on another chain: for the recipient, or for
 * Mayan, which pays out the ordered token for it.
 */
export interface SuiCrossChain {
  readonly kind: 'cross-chain'
  /** The coin type that is burnt, and the id of its CoinMetadata. */
  readonly burnt: string
  readonly burntMetadata: string
  /** Circle's domain of the chain where it is minted. */
  readonly domain: bigint
  /** The recipient of the mint there, as 32 bytes of hex: on Solana the recipient's USDC account. */
  readonly mintRecipient: string
  /** Whether the minted token is the requested one. */
  readonly isMinted: boolean
  readonly order: CrossChainOrder
  readonly packages: MayanPackages
  /** The least that a swap before the bridge may leave, in base units of USDC; null if unknown. */
  readonly leastBurnt: bigint | null
  /** Wall clock, ms. */
  readonly now: number
}

/** The order's side in SUI, in MIST; null if it has none. */
export function worthOf({ coinIn, amountIn, minOut, out, worth = null }: SuiClaim): bigint | null {
  if (coinIn.isNative) return amountIn
  return out.kind === 'swap' && out.coin.isNative ? minOut : worth
}

/** Whether the least that is sent across matches what arrives, or the input's value. */
export function isWorth(sent: bigint, minOut: bigint, { isMinted, leastBurnt }: SuiCrossChain): boolean {
  const least = isMinted ? minOut : leastBurnt
  if (least === null) return false
  if (sent < least) throw refuseMaterial('amount')
  return true
}
