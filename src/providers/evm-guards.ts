/** The guard of a build on EVM chains, from what the wallet holds before it. See proof/evm/guard.ts. */
import type { ChainDefinition } from '../chains/definition.ts'
import type { Call } from '../flow/call.ts'
import { guardCall } from '../proof/evm/guard.ts'
import { type BuildOrder, receiverOf } from '../proof/terms/order.ts'
import type { GuardsOf } from '../runtime/resources/build.ts'
import type { EvmRpc } from '../upstream/nodes/evm/rpc.ts'
import { unguarded } from './guards.ts'
import { balanceCall } from './holdings/erc20.ts'

export type EvmNodes = (chain: ChainDefinition) => Pick<EvmRpc, 'call' | 'query'>

/** Several times what a check took: 5,480 with a simple token. */
export const GUARD_UNITS = 20_000n

/**
 * What the receiving wallet holds of the bought token, in base units, by one node. One that says too little loosens
 * the guard, and no more.
 * @throws GatewayError  material_unproved, if no node says; upstream_*
 */
export async function boughtBefore(order: BuildOrder, evm: EvmNodes, call: Call): Promise<bigint> {
  const { chain, guards, tokenOut } = order
  const { isNative, address } = tokenOut
  const wallet = receiverOf(order)
  const node = evm(chain)
  const answer = isNative
    ? (await node.query('eth_getBalance', [wallet, 'latest'], call))?.replaceAll('"', '')
    : (await node.call(address, `0x${balanceCall(address, wallet).data}`, call))?.slice(0, 66)
  if (answer == null || !/^0x[0-9a-f]{1,64}$/i.test(answer)) throw unguarded(chain.key, guards !== true)
  return BigInt(answer)
}

/**
 * MetaMask's ERC20BalanceChangeEnforcer: [decrease u8][token 20][recipient 20][amount u256].
 * Source: MetaMask/delegation-framework src/enforcers/ERC20BalanceChangeEnforcer.sol, documents/Deployments.md (v1.3.0)
 */
const ENFORCER = '0xcdF6aB796408598Cea671d79506d7D48E97a5437'
/** Chains with the Universal Router that the enforcer is not deployed on. */
const WITHOUT_ENFORCER: ReadonlySet<string> = new Set(['avalanche'])

/**
 * @param before  what the receiving wallet holds of the bought token
 * @param gas     the most that the batch takes of the native coin; null if it is not known
 * @throws GatewayError  material_unproved
 */
export function evmGuard(order: BuildOrder, minOut: bigint, before: bigint, gas: bigint | null) {
  const { chain, tokenOut } = order
  const { isNative, address } = tokenOut
  const wallet = receiverOf(order)
  const isUnasked = order.guards !== true
  if (isNative && gas === null) throw unguarded(chain.key, isUnasked)
  // Gas is paid first, out of what was there: it cannot leave less than what arrives.
  const kept = isNative ? before - gas! : before
  const least = (kept > 0n ? kept : 0n) + minOut
  const call = guardCall({ chainKey: chain.key, from: wallet, bought: tokenOut }, least)
  if (call === null) throw unguarded(chain.key, isUnasked)
  const amount = minOut.toString(16).padStart(64, '0')
  const terms = `0x00${address.slice(2)}${wallet.slice(2)}${amount}`.toLowerCase()
  const token = isNative ? 'native' : address
  const guards: GuardsOf = {
    by: 'calls',
    enforced: [{ account: wallet, token, atLeast: String(least), leftOut: [] }],
    ...(!isNative && !WITHOUT_ENFORCER.has(chain.key) && { terms: [{ enforcer: ENFORCER, terms }] }),
  }
  return { call, guards }
}
