/**
 * Velora's own fee. Its router compares what a swap gave with the minimum first, and
 * takes the fee from it after that, rounded down; one base unit stays in the router.
 * So a minimum that reaches the wallet is less than the one in the calldata. Of an exact output it takes the fee from the
 * input that is left, and the unit stays as well.
 *
 * Source: AugustusV6.2's AugustusFees, processSwapExactAmountInFeesAndTransfer, and the same for Out
 */
import { BPS } from '../terms/fees.ts'

/**
 * The account that Velora names if the request names no partner: its own. It gets 85 % of the fee, and the
 * router's fee wallet the rest.
 */
export const VELORA_PARTNER = '0x45a6e007c874Ffc6321D6fB90eAC272Dd6864bFA'

const DUST = 1n

export const veloraFee = (amount: bigint, feeBps: number): bigint => (amount * BigInt(feeBps)) / BPS

/** What reaches the wallet of a swap's output, in base units; below zero if nothing does. */
export const netOfVelora = (amount: bigint, feeBps: number): bigint =>
  amount - veloraFee(amount, feeBps) - DUST

/** The output that a swap needs so that this amount reaches the wallet. */
export function grossOfVelora(net: bigint, feeBps: number): bigint {
  const kept = BPS - BigInt(feeBps)
  return ((net + DUST) * BPS + kept - 1n) / kept
}
