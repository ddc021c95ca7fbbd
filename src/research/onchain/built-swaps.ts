/** Finds a swap that was built here in a transaction, even if the wallet rewrote it before it signed. */
import type { EvmChain } from '../../chains/definition.ts'
import {
  changesBetween,
  evmDigest,
  type SolanaForm,
  type WalletChange,
} from '../../chains/transaction-digest.ts'
import type { BuiltSwap, Deliveries } from '../../http/counts/deliveries.ts'
import type { SentEvmTransaction } from './evm-wire.ts'

type Find = Pick<Deliveries, 'find'>

export interface FoundSwap {
  readonly digest: string
  readonly swap: BuiltSwap
  /** The wallet that swapped, 0x hex in lower case; null on Solana, where it is the payer. */
  readonly account: string | null
  /** What the wallet changed, as `changedByWallet` of a receipt. */
  readonly changes: readonly WalletChange[]
}

export function swapOnSolana({ digest, edits }: SolanaForm, deliveries: Find): FoundSwap | null {
  const swap = deliveries.find(digest)
  return swap && { digest, swap, account: null, changes: swap.edits ? changesBetween(swap.edits, edits) : [] }
}

export async function swapOnEvm(
  { chainId }: EvmChain,
  { from, to, value, data }: SentEvmTransaction,
  deliveries: Find,
): Promise<FoundSwap | null> {
  if (to === null) return null
  const call = { from: from.toLowerCase(), to: to.toLowerCase(), value, data }
  const found = (one: typeof call, changes: readonly WalletChange[]): FoundSwap | null => {
    const digest = evmDigest({ chainId, ...one })
    const swap = deliveries.find(digest)
    return swap && { digest, swap, account: one.from, changes }
  }
  const whole = found(call, [])
  if (whole !== null) return whole
  const { mayWrap, unwrap } = await import('../../proof/evm/wrappers.ts')
  if (!mayWrap(data)) return null
  const { calls, wrappers } = unwrap(call, null)
  const kinds = [...new Set(wrappers.map(({ kind }) => kind))]
  for (const one of calls) {
    const inner = found(one, kinds)
    if (inner !== null) return inner
  }
  return null
}
