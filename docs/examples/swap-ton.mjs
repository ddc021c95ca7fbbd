/** A wallet's swap on TON, up to the wallet. */
import { prepareSwap } from './swap.mjs'

/** @returns what TonConnect's `sendTransaction` takes, or null if the user declined */
export async function swapTon(gateway, order, agree) {
  const built = await prepareSwap(gateway, order, agree)
  if (built === null) return null
  return built.tonConnect
}
