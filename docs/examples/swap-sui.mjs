/** A wallet's swap on Sui, up to the wallet. */
import { prepareSwap } from './swap.mjs'

/**
 * @returns the whole transaction in base64, for `signAndExecuteTransaction` of the wallet standard, or for
 *          `Transaction.from(...)` of @mysten/sui; null if the user declined
 */
export async function swapSui(gateway, order, agree) {
  const built = await prepareSwap(gateway, order, agree)
  return built === null ? null : built.suiTransaction
}
