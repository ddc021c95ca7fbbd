/** The parts of a basket, and their outcomes. */

import type { BasketPlan, Receipt } from '../../../client/index.ts'
import { textOf } from '../../data/words.ts'
import type { Attempt } from '../swap/attempt/types.ts'
import type { TokenChoice } from '../swap/form/choices.ts'
import type { SwapChain, SwapOrder } from '../swap/order.ts'
import type { BasketOrder } from './order.ts'

export type TokenOf = (address: string) => TokenChoice

export interface BasketPart {
  readonly token: TokenChoice
  /** Dollars, decimal. */
  readonly usd: string
  readonly order: SwapOrder
  readonly state: 'waiting' | 'review' | 'signing' | 'signed' | 'confirmed' | 'blocked' | 'failed' | 'skipped'
  /** Why it is blocked or has failed. */
  readonly problem: string | null
  /** The percent, whole, that its offer is below the market, if that is to be accepted; else 0. */
  readonly impact: number
  /** Its transaction's hash or signature. */
  readonly id: string | null
  readonly receipt: Receipt | null
}

export interface Basket {
  readonly chain: SwapChain
  /** The chain's own coin, which pays. */
  readonly native: TokenChoice
  readonly usd: string
  readonly parts: readonly BasketPart[]
}

export const WAITING = { state: 'waiting', problem: null, impact: 0, id: null, receipt: null } as const

/**
 * The parts of a plan, as orders of what the user asked for: builds are checked against these, because the
 * gateway that made the plan may be compromised. Only the amounts are the plan's; a review begins with its
 * own.
 */
export const partsOf = ({ clips }: BasketPlan, { chain, slippageBps }: BasketOrder, tokenOf: TokenOf) =>
  clips.map(({ token, usd, quote }): BasketPart => {
    const order: SwapOrder = { chain, side: 'buy', token, amount: quote.query.amount, slippageBps }
    return { ...WAITING, token: tokenOf(token), usd, order }
  })

/** Whether a part is in progress, so that no other may begin. */
export const isBusy = ({ parts }: Basket): boolean =>
  parts.some(({ state }) => state === 'review' || state === 'signing' || state === 'signed')

export const nextOf = ({ parts }: Basket): number => parts.findIndex(({ state }) => state === 'waiting')

/** The fields of an attempt that are read here. */
export type PartAttempt = Pick<Attempt, 'phase' | 'steps' | 'error' | 'verdict' | 'receipt' | 'problem'>

/** @param attempt  of the part; null once it was left */
export function partAfter(part: BasketPart, attempt: PartAttempt | null): Partial<BasketPart> {
  if (attempt === null) return part.state === 'review' ? { state: 'waiting' } : {}
  const { phase, steps, error, verdict, receipt, problem } = attempt
  const id = steps.at(-1)?.id ?? null
  if (phase === 'building' || phase === 'review') return { state: 'review' }
  if (phase === 'running') return { state: id === null ? 'signing' : 'signed', id }
  if (phase === 'done') return { state: 'confirmed', id, receipt }
  if (phase === 'failed') return { state: 'failed', id, problem }
  const isBlocked = error === null || error.code.startsWith('material_')
  const why = (error && textOf(error)) ?? (verdict?.isVerified === false ? verdict.message : null)
  return { state: isBlocked ? 'blocked' : 'failed', problem: why }
}

/** What a part delivered; null if its receipt does not show it. */
export const gotOf = ({ receipt }: BasketPart) => (receipt?.got?.length === 1 ? receipt.got[0]! : null)

/** What was paid in the native coin, in base units; null if a receipt does not show it. */
export const paidFor = (parts: readonly BasketPart[]): string | null =>
  totalOf(parts, ({ paid }) => (paid?.length === 1 ? paid[0]!.amount : undefined))

/** The same of the network fees. */
export const feesFor = (parts: readonly BasketPart[]): string | null =>
  totalOf(parts, ({ fee }) => fee?.amount)

function totalOf(parts: readonly BasketPart[], amountIn: (of: Receipt) => string | undefined): string | null {
  const amounts = parts.map(({ receipt }) => receipt && amountIn(receipt))
  return amounts.some((base) => !base) ? null : String(amounts.reduce((sum, base) => sum + BigInt(base!), 0n))
}
