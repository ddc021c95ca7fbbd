/**
 * A constant-product pool: x times y never falls. It keeps 0.3 % of the input, and every division rounds in
 * its favour.
 *
 * Source: Uniswap/v2-periphery contracts/libraries/UniswapV2Library.sol (getAmountOut)
 */

import { createHash } from 'node:crypto'
import { canonicalAddress } from '../../chains/address.ts'
import { findEvmChain } from '../../chains/find.ts'
import { encodeBase58 } from '../../chains/solana/base58.ts'

/** The part of the input that reaches the curve. */
const KEPT_PER_MILLE = 997n
const PPM = 1_000_000n

/** Base units that a pool holds of both sides of a trade. */
export interface Reserves {
  readonly in: bigint
  readonly out: bigint
}

export interface PoolFill {
  readonly amountOut: bigint
  /** Base units of the input. */
  readonly fee: bigint
  /** The average price over the price before the trade, without the fee, in ppm, rounded down. */
  readonly keptPpm: bigint
}

/** @param amountIn  above zero */
export function fillFrom(reserves: Reserves, amountIn: bigint): PoolFill {
  const effective = amountIn * KEPT_PER_MILLE
  const depth = reserves.in * 1_000n
  return {
    amountOut: (effective * reserves.out) / (depth + effective),
    fee: amountIn - effective / 1_000n,
    keptPpm: (depth * PPM) / (depth + effective),
  }
}

/** The address of a pool that exists only here, in its chain's format. */
export function poolAddress(chain: string, pair: string): string {
  const digest = createHash('sha256').update(`${chain} ${pair}`).digest()
  if (chain === 'solana') return encodeBase58(digest)
  if (chain === 'ton') return canonicalAddress(chain, `0:${digest.toString('hex')}`)
  const bytes = findEvmChain(chain) !== null ? digest.subarray(0, 20) : digest
  return canonicalAddress(chain, `0x${bytes.toString('hex')}`)
}
