/** A basket's order, in the URL, and the request for it. */
import type { BasketPlan, BasketPlanInput, BasketTop, SwapOptions } from '../../../client/index.ts'
import {
  nativeOf,
  type OrderProblem,
  presetBps,
  type SwapChain,
  type SwapOrder,
  slippageIn,
} from '../swap/order.ts'
import words from './words.json' with { type: 'json' }

/** The most parts of a plan, and how many it has unless the URL says so. Source: GET /api/basket/plan, `limit` */
export const MAX_PARTS = 20
const USUAL_PARTS = 5

/** A plan's input. */
export type BasketOrder = Pick<BasketPlanInput, 'chain' | 'usd' | 'limit'> & Pick<SwapOrder, 'slippageBps'>

export function limitOf(parameters: URLSearchParams): number {
  const limit = Number(parameters.get('n') ?? USUAL_PARTS)
  return Number.isInteger(limit) && limit >= 1 && limit <= MAX_PARTS ? limit : USUAL_PARTS
}

/** Addresses of the tokens that were taken out. */
export const withoutOf = (parameters: URLSearchParams): readonly string[] =>
  (parameters.get('without') ?? '').split(',').filter((address) => address !== '')

export const presetOf = (chain: SwapChain): number => presetBps(nativeOf(chain).address, '', chain)

/** @returns null without an amount */
export function readBasket(
  parameters: URLSearchParams,
  chain: SwapChain,
  options: SwapOptions,
): BasketOrder | OrderProblem | null {
  const slippageBps = slippageIn(parameters, presetOf(chain), options)
  if (typeof slippageBps !== 'number') return slippageBps
  const usd = parameters.get('usd') ?? ''
  if (usd === '') return null
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(usd) || Number(usd) === 0) {
    return { field: 'amount', text: 'The amount must be dollars above zero, such as 250 or 99.5.' }
  }
  return { chain: chain.key, usd, limit: limitOf(parameters), slippageBps }
}

/**
 * If nothing was removed, the gateway chooses; else the next tokens fill the free slots.
 * @param top  the chain's deepest tokens; null while they are unknown
 */
export function planInputOf(
  order: BasketOrder,
  without: readonly string[],
  top: BasketTop | null,
): BasketPlanInput | null {
  if (without.length === 0) return order
  if (top === null) return null
  const kept = top.tokens.map(({ address }) => address).filter((one) => !without.includes(one))
  return kept.length === 0 ? order : { ...order, only: kept.slice(0, order.limit).join(',') }
}

const LEFT: Readonly<Record<string, string>> = words.left

/** The tokens that get nothing, and why. */
export const leftOut = (plan: BasketPlan, without: readonly string[]) => [
  ...without.map((token) => ({ token, why: 'you took it out' })),
  ...plan.left.map(({ token, reason }) => ({
    token,
    why: LEFT[reason] ?? `its part would be less than $${plan.minClipUsd}`,
  })),
]

/** The plan's warnings, each once, with the addresses that it is of. */
export function warningsOf({ clips }: BasketPlan): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>()
  for (const { token, liqBps, warnings } of clips) {
    for (const given of warnings) {
      const text = given.startsWith('The clip') ? `${liqBps / 100}% of its pools moves the price` : given
      all.set(text, [...(all.get(text) ?? []), token])
    }
  }
  return all
}
