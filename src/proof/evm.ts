/**
 * Proof that an EVM transaction request from a provider is what a wallet may
 * be asked to sign: it calls a contract that is known to be the provider's
 * router on that chain, pays it the native input and nothing else, and asks for
 * an approval of the input alone, for a known spender.
 *
 * Which contracts these are, and what of the calldata can be read, each adapter
 * says in its rules. What can be read is held to the order: the tokens, the
 * amount, the minimum, the recipient and the deadline. `checks` lists what was
 * proved, so a wallet may insist on more.
 */
import type { BuildOrder, Material } from '../providers/provider.ts'
import { refuseMaterial, type Verification } from './verification.ts'

/** What a swap's calldata commits to. */
export interface SwapTerms {
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  readonly minOut: bigint
  readonly recipient: string
  /** Unix seconds; null where the router knows none. */
  readonly deadline: bigint | null
}

/** What is known of a provider on a chain, whatever the order. */
export interface EvmRules {
  readonly routers: readonly string[]
  /** Who may be approved to take the input. */
  readonly spenders: readonly string[]
  /** What the calldata calls the native coin. */
  readonly native: string
  /** @returns null for what cannot be read */
  readonly readCalldata: ((order: BuildOrder, data: string) => Promise<SwapTerms | null>) | null
  /** Calldata that cannot be read is refused. */
  readonly mustRead: boolean
}

/** What the material was asked for. */
export interface EvmClaim {
  readonly order: BuildOrder
  /** Base units, as the quote said. */
  readonly minOut: bigint
  /** Wall clock, ms. */
  readonly now: number
}

/** The names of the rules, in the order in which they are tried; the second list needs readable calldata. */
export const EVM_CHECKS = ['kind', 'to', 'value', 'chain_id', 'from', 'data', 'approval'] as const
export const CALLDATA_CHECKS = ['calldata', 'tokens', 'amount', 'minimum', 'recipient', 'deadline'] as const

type Check = (typeof EVM_CHECKS)[number] | (typeof CALLDATA_CHECKS)[number]

/** What aggregators call the native coin. */
const SENTINEL = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
/** A minimum that the provider computes may be rounded otherwise than ours. */
const ROUNDING = 1n
const MAX_DEADLINE_SECONDS = 30n * 60n

/**
 * Rules of a provider whose calldata is not read.
 * @param routers  where the transaction may go, and who may be approved
 */
export const opaqueRules = (routers: readonly string[]): EvmRules => ({
  routers,
  spenders: routers,
  native: SENTINEL,
  readCalldata: null,
  mustRead: false,
})

/** @throws GatewayError  material_refused, whose `rule` is one of the checks */
export async function proveEvm(material: Material, claim: EvmClaim, rules: EvmRules): Promise<Verification> {
  if (material.kind !== 'evm') throw refuse('kind')
  const { order } = claim
  const { to, data, value, from, chainId } = material
  const nativeIn = order.tokenIn.isNative ? order.amountIn : 0n
  if (!isOneOf(rules.routers, to)) throw refuse('to')
  if (!/^\d{1,78}$/.test(value) || BigInt(value) !== nativeIn) throw refuse('value')
  if (chainId !== undefined && chainId !== order.chain.chainId) throw refuse('chain_id')
  if (from !== undefined && !same(from, order.from)) throw refuse('from')
  // A selector at least, and whole bytes.
  if (!/^0x(?:[0-9a-fA-F]{2}){4,}$/.test(data)) throw refuse('data')
  if (!isApprovalRight(material, order, rules)) throw refuse('approval')

  const terms = (await rules.readCalldata?.(order, data)) ?? null
  if (terms === null && rules.mustRead) throw refuse('calldata')
  if (terms === null) return { checks: EVM_CHECKS, router: to, spender: material.approval?.spender ?? null }
  proveTerms(terms, claim, rules)
  const read = CALLDATA_CHECKS.filter((check) => check !== 'deadline' || terms.deadline !== null)
  return {
    checks: [...EVM_CHECKS, ...read],
    router: to,
    spender: material.approval?.spender ?? null,
    // Proved to be the same; the calldata has it without the checksum.
    recipient: claim.order.from,
    minOut: String(terms.minOut),
    ...(terms.deadline !== null && { deadline: Number(terms.deadline) }),
  }
}

function proveTerms(
  terms: SwapTerms,
  { order, minOut, now }: EvmClaim,
  { native, mustRead }: EvmRules,
): void {
  const nameOf = ({ isNative, address }: BuildOrder['tokenIn']) => (isNative ? native : address)
  const isPair = same(terms.tokenIn, nameOf(order.tokenIn)) && same(terms.tokenOut, nameOf(order.tokenOut))
  if (!isPair) throw refuse('tokens')
  if (terms.amountIn !== order.amountIn) throw refuse('amount')
  if (terms.minOut < minOut - (mustRead ? 0n : ROUNDING)) throw refuse('minimum')
  if (!same(terms.recipient, order.from)) throw refuse('recipient')
  if (terms.deadline === null) return
  const leftSeconds = terms.deadline - BigInt(Math.floor(now / 1_000))
  if (leftSeconds <= 0n || leftSeconds > MAX_DEADLINE_SECONDS) throw refuse('deadline')
}

function isApprovalRight(
  { approval }: Material & { kind: 'evm' },
  order: BuildOrder,
  rules: EvmRules,
): boolean {
  if (order.tokenIn.isNative || approval === null) return order.tokenIn.isNative && approval === null
  return (
    isOneOf(rules.spenders, approval.spender) &&
    same(approval.token, order.tokenIn.address) &&
    approval.amount === String(order.amountIn)
  )
}

const refuse = (rule: Check) => refuseMaterial(rule)

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

const isOneOf = (addresses: readonly string[], address: string): boolean =>
  addresses.some((known) => same(known, address))
