/**
 * Proves that a provider's EVM transaction is safe to offer a wallet for
 * signing: it calls a known router of the provider on that chain, pays it the
 * native input and nothing else, and asks for an approval of exactly the input,
 * for that router. Where an exact output is ordered, the input is the most that
 * may leave.
 *
 * Each adapter's rules name the contracts and read their calldata. Calldata that
 * cannot be read completely is refused. The tokens, the amount, the minimum, the
 * recipient and the deadline must match the order.
 */

import type { Material } from '../terms/material.ts'
import { type BuildOrder, receiverOf } from '../terms/order.ts'
import { type Proof, refuseMaterial } from '../terms/verification.ts'
import type { SwapTerms } from './swap-terms.ts'

/** What is known about a provider on one chain, independent of any order. */
export interface EvmRules {
  /** Contracts that the transaction may call, each with an approval of the input for itself. */
  readonly routers: readonly string[]
  /** The address that represents the native coin in the calldata. */
  readonly native: string
  /** @throws GatewayError  material_refused, if the calldata cannot be read to its last byte */
  readCalldata(claim: EvmClaim, data: string): Promise<SwapTerms>
}

/** What the material has to match. */
export interface EvmClaim {
  readonly order: BuildOrder
  /** The quoted output, in base units, net of the provider's fee. */
  readonly expectedOut: bigint
  readonly minOut: bigint
  /** The provider's fee that the quote states; none if absent. */
  readonly feeBps?: number
  /** Wall clock, ms. */
  readonly date: number
}

/** The rules of a call without its calldata, by name, in the order in which they are checked. */
export const CALL_CHECKS = ['kind', 'to', 'value', 'chain_id', 'from', 'approval'] as const

/** The same with the calldata; the router's own rules follow. */
export const EVM_CHECKS = [...CALL_CHECKS, 'calldata', 'tokens', 'amount', 'minimum', 'recipient'] as const

/** The address that aggregators use for the native coin. */
export const SENTINEL = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const MAX_DEADLINE_SECONDS = 30n * 60n

/**
 * Checks all of a call but its calldata.
 * @param routers  those that it may call
 * @throws GatewayError  material_refused, whose `rule` is one of the checks
 */
export function proveCall(material: Material, order: BuildOrder, routers: readonly string[]) {
  if (material.kind !== 'evm') throw refuse('kind')
  const { to, value, from, chainId } = material
  const nativeIn = order.tokenIn.isNative ? order.amountIn : 0n
  if (!isOneOf(routers, to)) throw refuse('to')
  if (!/^\d{1,78}$/.test(value) || BigInt(value) !== nativeIn) throw refuse('value')
  if (chainId !== undefined && chainId !== order.chain.chainId) throw refuse('chain_id')
  if (from !== undefined && !same(from, order.from)) throw refuse('from')
  if (!isApprovalRight(material, order)) throw refuse('approval')
  return material
}

/** @throws GatewayError  material_refused, whose `rule` is one of the checks */
export async function proveEvm(material: Material, claim: EvmClaim, rules: EvmRules): Promise<Proof> {
  const { order } = claim
  const { to, data, approval } = proveCall(material, order, rules.routers)
  const terms = await rules.readCalldata(claim, data)
  proveTerms(terms, claim, rules)
  const { address: token } = terms.isExactOut ? order.tokenIn : order.tokenOut
  return {
    checks: [...EVM_CHECKS, ...(terms.deadline === null ? [] : ['deadline']), ...terms.checks],
    router: to,
    spender: approval?.spender ?? null,
    // Proved equal to the recipient in the calldata, which has no checksum.
    recipient: receiverOf(order),
    minOut: String(terms.minOut),
    fees: (terms.fees ?? []).map((fee) => ({ ...fee, token })),
    ...(terms.deadline !== null && { deadline: Number(terms.deadline) }),
  }
}

/** Routers take the lowest addresses for themselves and the sender, and chains have contracts there. */
export const LEAST_RECEIVER = 2n ** 32n

/** Whether nobody could spend what a receiver gets. */
const isLost = ({ receiver }: BuildOrder, routers: readonly string[]): boolean =>
  receiver !== undefined && (BigInt(receiver) < LEAST_RECEIVER || isOneOf(routers, receiver))

function proveTerms(
  terms: SwapTerms,
  { order, minOut, date }: EvmClaim,
  { native, routers }: EvmRules,
): void {
  const nameOf = ({ isNative, address }: BuildOrder['tokenIn']) => (isNative ? native : address)
  const isPair = same(terms.tokenIn, nameOf(order.tokenIn)) && same(terms.tokenOut, nameOf(order.tokenOut))
  if (!isPair) throw refuse('tokens')
  const { amountOut } = order
  const { isExactOut = false } = terms
  if (terms.amountIn !== order.amountIn || isExactOut !== (amountOut !== undefined)) throw refuse('amount')
  if (terms.minOut < minOut || terms.minOut === 0n) throw refuse('minimum')
  if (amountOut !== undefined && terms.minOut !== amountOut) throw refuse('minimum')
  if (!same(terms.recipient, receiverOf(order)) || isLost(order, routers)) throw refuse('recipient')
  if (terms.deadline === null) return
  const leftSeconds = terms.deadline - BigInt(Math.floor(date / 1_000))
  if (leftSeconds <= 0n || leftSeconds > MAX_DEADLINE_SECONDS) throw refuse('deadline')
}

/** The spender is the router that is called: another would keep the allowance. */
function isApprovalRight({ approval, to }: Material & { kind: 'evm' }, order: BuildOrder): boolean {
  if (order.tokenIn.isNative || approval === null) return order.tokenIn.isNative && approval === null
  return (
    same(approval.spender, to) &&
    same(approval.token, order.tokenIn.address) &&
    approval.amount === String(order.amountIn)
  )
}

const refuse = refuseMaterial

/** Whether two addresses are one, however they are spelled. */
export const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

export const isOneOf = (addresses: readonly string[], address: string): boolean =>
  addresses.some((known) => same(known, address))
