/**
 * Proof that an EVM transaction request from a provider is what a wallet may
 * be asked to sign: it calls a contract that is known to be the provider's
 * router on that chain, pays it the native input and nothing else, and asks for
 * an approval of the input alone, for a known spender.
 *
 * Which contracts these are, and how their calldata is read, each adapter says
 * in its rules. All of it is read, or it is refused, and held to the order: the
 * tokens, the amount, the minimum, the recipient and the deadline.
 */

import type { Material } from './material.ts'
import type { BuildOrder } from './order.ts'
import type { SwapTerms } from './swap-terms.ts'
import { type Proof, refuseMaterial } from './verification.ts'

/** What is known of a provider on a chain, whatever the order. */
export interface EvmRules {
  /** Where the transaction may go, and who may be approved to take the input. */
  readonly routers: readonly string[]
  /** What the calldata calls the native coin. */
  readonly native: string
  /** @throws GatewayError  material_refused, for what cannot be read to its last byte */
  readCalldata(claim: EvmClaim, data: string): Promise<SwapTerms>
}

/** What the material was asked for. */
export interface EvmClaim {
  readonly order: BuildOrder
  /** Base units, as the quote said. */
  readonly expectedOut: bigint
  readonly minOut: bigint
  /** Wall clock, ms. */
  readonly date: number
}

/** The names of the rules, in the order in which they are tried; a router's own follow. */
export const EVM_CHECKS = [
  'kind',
  'to',
  'value',
  'chain_id',
  'from',
  'approval',
  'calldata',
  'tokens',
  'amount',
  'minimum',
  'recipient',
] as const

/** What aggregators call the native coin. */
export const SENTINEL = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const MAX_DEADLINE_SECONDS = 30n * 60n

/** @throws GatewayError  material_refused, whose `rule` is one of the checks */
export async function proveEvm(material: Material, claim: EvmClaim, rules: EvmRules): Promise<Proof> {
  if (material.kind !== 'evm') throw refuse('kind')
  const { order } = claim
  const { to, data, value, from, chainId } = material
  const nativeIn = order.tokenIn.isNative ? order.amountIn : 0n
  if (!isOneOf(rules.routers, to)) throw refuse('to')
  if (!/^\d{1,78}$/.test(value) || BigInt(value) !== nativeIn) throw refuse('value')
  if (chainId !== undefined && chainId !== order.chain.chainId) throw refuse('chain_id')
  if (from !== undefined && !same(from, order.from)) throw refuse('from')
  if (!isApprovalRight(material, order, rules)) throw refuse('approval')

  const terms = await rules.readCalldata(claim, data)
  proveTerms(terms, claim, rules)
  return {
    checks: [...EVM_CHECKS, ...(terms.deadline === null ? [] : ['deadline']), ...terms.checks],
    router: to,
    spender: material.approval?.spender ?? null,
    // Proved to be the same; the calldata has it without the checksum.
    recipient: order.from,
    minOut: String(terms.minOut),
    ...(terms.deadline !== null && { deadline: Number(terms.deadline) }),
  }
}

function proveTerms(terms: SwapTerms, { order, minOut, date }: EvmClaim, { native }: EvmRules): void {
  const nameOf = ({ isNative, address }: BuildOrder['tokenIn']) => (isNative ? native : address)
  const isPair = same(terms.tokenIn, nameOf(order.tokenIn)) && same(terms.tokenOut, nameOf(order.tokenOut))
  if (!isPair) throw refuse('tokens')
  if (terms.amountIn !== order.amountIn) throw refuse('amount')
  if (terms.minOut < minOut || terms.minOut === 0n) throw refuse('minimum')
  if (!same(terms.recipient, order.from)) throw refuse('recipient')
  if (terms.deadline === null) return
  const leftSeconds = terms.deadline - BigInt(Math.floor(date / 1_000))
  if (leftSeconds <= 0n || leftSeconds > MAX_DEADLINE_SECONDS) throw refuse('deadline')
}

function isApprovalRight(
  { approval }: Material & { kind: 'evm' },
  order: BuildOrder,
  rules: EvmRules,
): boolean {
  if (order.tokenIn.isNative || approval === null) return order.tokenIn.isNative && approval === null
  return (
    isOneOf(rules.routers, approval.spender) &&
    same(approval.token, order.tokenIn.address) &&
    approval.amount === String(order.amountIn)
  )
}

const refuse = refuseMaterial

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

const isOneOf = (addresses: readonly string[], address: string): boolean =>
  addresses.some((known) => same(known, address))
