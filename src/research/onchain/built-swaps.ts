/** Finds a swap that was built here in a transaction, even if the wallet rewrote it before it signed. */
import type { EvmChain } from '../../chains/definition.ts'
import {
  changesBetween,
  evmDigest,
  type SolanaForm,
  type WalletChange,
} from '../../chains/transaction-digest.ts'
import type { Deliveries, KeptSwap } from '../../http/counts/deliveries.ts'
import type { SentEvmTransaction } from './evm-wire.ts'

type Find = Pick<Deliveries, 'search'>

export interface FoundSwap {
  readonly swap: KeptSwap
  /** The wallet that swapped, 0x hex in lower case; null on Solana, where it is the payer. */
  readonly account: string | null
  /** What the wallet changed, as `changedByWallet` of a receipt. */
  readonly changes: readonly WalletChange[]
}

/** approve(address,uint256) */
const APPROVE = '0x095ea7b3'

export async function swapOnSolana(form: SolanaForm, deliveries: Find): Promise<FoundSwap | null> {
  const swap = await deliveries.search(form.digest, form.edits)
  const changes = swap?.edits ? changesBetween(swap.edits, form.edits) : []
  return swap && { swap, account: null, changes }
}

export async function swapOnEvm(
  { chainId }: EvmChain,
  { from, to, value, data }: SentEvmTransaction,
  deliveries: Find,
): Promise<FoundSwap | null> {
  if (to === null) return null
  const call = { from: from.toLowerCase(), to: to.toLowerCase(), value, data }
  const find = (one: typeof call) => deliveries.search(evmDigest({ chainId, ...one }), null)
  const whole = await find(call)
  if (whole !== null) return { swap: whole, account: call.from, changes: [] }
  const { mayWrap, unwrap } = await import('../../proof/evm/wrappers.ts')
  if (!mayWrap(data)) return null
  const { calls, wrappers } = unwrap([call], null)
  const swaps = await Promise.all(calls.map(find))
  for (const [i, one] of calls.entries()) {
    const swap = swaps[i]!
    const own = calls.filter(({ from }) => from === one.from)
    // With more than approvals next to it, the wallet signed another transaction than what was built.
    if (swap === null || !own.every((other) => other === one || other.data.startsWith(APPROVE))) continue
    const kinds = wrappers.filter(({ account }) => account === one.from).map(({ kind }) => kind)
    return { swap, account: one.from, changes: [...new Set(kinds)] }
  }
  return null
}
