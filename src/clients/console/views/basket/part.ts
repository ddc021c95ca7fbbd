/** The parts of a basket, and what comes of them. */
import type { BasketPlan, Receipt, SwapgateError } from '../../../client/index.ts'
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
  /** Percent that its offer gives less than the market, whole, where that is to be accepted; else 0. */
  readonly impact: number
  /** Its transaction's hash or signature. */
  readonly id: string | null
  readonly receipt: Receipt | null
}

export interface Basket {
  readonly chain: SwapChain
  readonly usd: string
  readonly parts: readonly BasketPart[]
}

export const WAITING = { state: 'waiting', problem: null, impact: 0, id: null, receipt: null } as const

/**
 * The parts of a plan, as orders of what was asked for: builds are held to these, and the gateway that made the plan may
 * have been taken over. Only the amounts are the plan's; a review begins with its own.
 */
export const partsOf = ({ clips }: BasketPlan, { chain, slippageBps }: BasketOrder, tokenOf: TokenOf) =>
  clips.map(({ token, usd, quote }): BasketPart => {
    const order: SwapOrder = { chain, side: 'buy', token, amount: quote.query.amount, slippageBps }
    return { ...WAITING, token: tokenOf(token), usd, order }
  })

/** Whether a part is under way, so that no other may begin. */
export const isBusy = ({ parts }: Basket): boolean =>
  parts.some(({ state }) => state === 'review' || state === 'signing' || state === 'signed')

export const nextOf = ({ parts }: Basket): number => parts.findIndex(({ state }) => state === 'waiting')

/** What is read of an attempt, whose own type is of what only browsers have. */
export interface PartAttempt {
  readonly phase: 'building' | 'refused' | 'review' | 'running' | 'done' | 'failed'
  readonly steps: readonly { readonly id: string | null }[]
  readonly error: SwapgateError | null
  readonly verdict: { readonly isVerified: boolean; readonly message?: string } | null
  readonly receipt: Receipt | null
  readonly problem: string | null
}

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
  const why = error?.message ?? verdict?.message ?? null
  return { state: isBlocked ? 'blocked' : 'failed', problem: why }
}

/** What came of a part; null if its receipt does not say it. */
export const gotOf = ({ receipt }: BasketPart) => (receipt?.got?.length === 1 ? receipt.got[0]! : null)

/** What was paid in all, in base units of the native coin; null if a receipt does not say it. */
export function paidFor(parts: readonly BasketPart[]): string | null {
  const paid = parts.map(({ receipt }) => (receipt?.paid?.length === 1 ? receipt.paid[0]!.amount : null))
  return paid.includes(null) ? null : String(paid.reduce((sum, base) => sum + BigInt(base!), 0n))
}
