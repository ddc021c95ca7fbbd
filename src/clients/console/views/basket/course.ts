/**
 * A basket from its plan to its summary: its parts are reviewed and signed one after the other. It outlives the views,
 * so that no part is signed twice.
 */

import { type BasketPlan, isSwapgateError } from '../../../client/index.ts'
import { Kept } from '../../data/kept.ts'
import { client } from '../../data/service.ts'
import { textOf } from '../../data/words.ts'
import type { ConnectedWallet } from '../../wallets/wallet.ts'
import { attempts, build, dismiss } from '../swap/attempt/attempt.ts'
import { gradeOfImpact } from '../swap/offers/costs.ts'
import { inputOf, nativeOf, type SwapChain, type SwapOrder } from '../swap/order.ts'
import type { BasketOrder } from './order.ts'
import type { Basket, BasketPart, TokenOf } from './part.ts'
import { isBusy, nextOf, partAfter, partsOf, WAITING } from './part.ts'

export const baskets = new Kept<Basket | null>(null)
/** The part whose attempt is the current one. */
let followed: { readonly at: number; readonly order: SwapOrder } | null = null
let asking = new AbortController()

attempts.watch(follow)

export function begin(plan: BasketPlan, asked: BasketOrder, chain: SwapChain, tokenOf: TokenOf): void {
  const native = tokenOf(nativeOf(chain).address)
  baskets.set({ chain, native, usd: asked.usd, parts: partsOf(plan, asked, tokenOf) })
}

function change(at: number, to: Partial<BasketPart>): void {
  const { value } = baskets
  if (value === null) return
  baskets.set({ ...value, parts: value.parts.map((part, i) => (i === at ? { ...part, ...to } : part)) })
}

/** Requests the part's offer, and builds it; a large price impact only if `impact` accepts it. */
export async function review(at: number, wallet: ConnectedWallet): Promise<void> {
  if (attempts.value?.phase !== 'running') dismiss()
  const { value } = baskets
  if (value === null || attempts.value !== null || isBusy(value)) return
  const { native, parts } = value
  const { order, token, impact } = parts[at]!
  const { signal } = (asking = new AbortController())
  const fail = (problem: string, more: Partial<BasketPart> = {}): void =>
    change(at, signal.aborted ? WAITING : { state: 'failed', problem, ...more })
  change(at, { ...WAITING, state: 'review' })
  try {
    const quote = await client.quote(inputOf(order, wallet.address), { signal })
    const less = quote.priceImpactPct ?? 0
    if (signal.aborted || attempts.value !== null) change(at, WAITING)
    else if (gradeOfImpact(less) === 'danger' && less > impact) {
      const most = Math.ceil(less)
      fail(`The best offer gives up to ${most}% less than the market.`, { state: 'blocked', impact: most })
    } else {
      followed = { at, order }
      const risks = quote.risks ?? []
      await build({
        order,
        priority: null,
        quote,
        quotedAt: Date.now(),
        crossing: null,
        wallet,
        native,
        other: native,
        token,
        risks,
      })
    }
  } catch (error) {
    if (!isSwapgateError(error)) throw error
    fail(textOf(error))
  }
}

/** Calls off what nothing was built for: the view is left. */
export const callOff = (): void => asking.abort()

/** @param isAll  all that wait, not only the next one */
export function skip(basket: Basket, isAll: boolean): void {
  const next = nextOf(basket)
  for (const [at, { state }] of basket.parts.entries()) {
    if (at === next || (isAll && state === 'waiting')) change(at, { state: 'skipped' })
  }
}

export function leaveBasket(): void {
  dismiss()
  baskets.set(null)
}

function follow(): void {
  if (followed === null || baskets.value === null) return
  const { at, order } = followed
  const attempt = attempts.value?.order === order ? attempts.value : null
  const part = baskets.value.parts[at]!
  if (attempt === null) followed = null
  change(at, partAfter(part, attempt))
}
