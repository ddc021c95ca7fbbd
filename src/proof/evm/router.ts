/**
 * Proves what a router server of the operator's built. A call of a router that is known here is proved by its bytes,
 * whoever wrote them. A call of any other contract cannot be: neither the recipient nor the minimum shows.
 *
 * Such a contract is called only if the operator has named it. An execution would not make up for that: a contract
 * that keeps the wallet's position, such as Uniswap's NonfungiblePositionManager, can take the position and pay the
 * minimum out of it, and nothing of that is a transfer of the wallet's.
 *
 * Then the wallet can lose the input and nothing else: the approval is of the input, for the contract that is called. The
 * call is executed, so that the input buys the minimum for the wallet, nothing else leaves, and no permission remains.
 * That shows the outcome of now. The guard at the end of the batch (see guard.ts) holds the chain to it.
 */
import { findEvmChain } from '../../chains/find.ts'
import type { Material } from '../terms/material.ts'
import { tokenOf } from '../terms/order.ts'
import { type Proof, refuseMaterial } from '../terms/verification.ts'
import { CALL_CHECKS, type EvmClaim, proveCall, proveEvm } from './evm.ts'
import { knownRouter } from './rules.ts'

/**
 * @param contracts  those that the operator has named
 * @throws GatewayError  material_refused, whose `rule` is one of EVM_CHECKS, or one of a known router's
 */
export async function proveRouter(
  material: Material,
  claim: EvmClaim,
  contracts: readonly string[],
): Promise<Proof> {
  if (material.kind !== 'evm') throw refuseMaterial('kind')
  const { order, minOut } = claim
  const known = knownRouter(findEvmChain(order.chain.key)!, material.to)
  if (known !== null) return proveEvm(material, { ...claim, feeBps: known.feeBps }, known.rules)
  const { to, approval } = proveCall(material, order, contracts)
  const { tokenIn, tokenOut, amountIn, guards = false } = order
  return {
    checks: [...CALL_CHECKS],
    stated: guards ? [] : ['recipient', 'minimum'],
    agreed: {
      spends: { token: tokenOf(tokenIn), atMost: amountIn },
      receives: { token: tokenOf(tokenOut), atLeast: minOut },
      atMostNativeFees: 0n,
      atMostGas: 0n,
    },
    router: to,
    spender: approval?.spender ?? null,
    ...(guards && { minOut: String(minOut) }),
    fees: [],
  }
}
