/**
 * What a wallet gets to sign, in the forms that wallets take. Nothing of it comes from the answer: each
 * member is written from the order, from what was proved, or from the module's own table of chains. Nonce and
 * gas are the wallet's.
 *
 * Source: EIP-1193 · EIP-5792
 */
import type { EvmChain } from '../../chains/definition.ts'
import { quantity } from '../../chains/json/quantity.ts'
import { type BatchedCall, callsOf } from '../../proof/evm/approval.ts'
import type { EvmSend } from './types.ts'

/** A call that was proved. */
type ProvedCall = Parameters<typeof callsOf>[0] & { readonly from: string }

/** @param guard  the last of the calls, without which they make the swap, too */
export function evmSend(
  { chainId: id }: EvmChain,
  call: ProvedCall,
  guard: BatchedCall | null = null,
): EvmSend {
  const { from, approval } = call
  const { calls, atomicRequired } = callsOf(call, guard)
  const chainId = quantity(BigInt(id))
  return {
    family: 'evm',
    chainId: id,
    approval,
    transactions: callsOf(call).calls.map((one) => ({ from, ...one, chainId })),
    calls: { version: '2.0.0', chainId, from, atomicRequired, calls },
  } as EvmSend
}
