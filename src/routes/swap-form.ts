import { Type } from 'typebox'
import { parseChain } from '../chains/find.ts'
import { type Group, get, type Route } from '../http/route.ts'
import { type BasketPlanner, LEAST_LIQ, MAX_CLIPS } from '../research/basket/baskets.ts'
import { BasketPlan, BasketTop } from '../research/basket/shapes.ts'
import { SwapOptions as SwapOptionsShape } from '../research/swap-options/shapes.ts'
import type { SwapOptionsReply } from '../research/swap-options/swap-options.ts'
import { QuoteQuery } from '../runtime/resources.ts'
import { DESKTOP_OPTIONS, OPTIONS, PLANS, TOPS } from './examples/swap-form.ts'

const SWAP_FORM: Group = {
  name: 'swap-form',
  summary: 'What a swap form shows, and baskets of tokens',
  text: 'Of what the gateway holds already: nothing is asked upstream for it but the token list, as for /api/tokens.',
}

const Chain = Type.String({ description: 'chain key', minLength: 1, maxLength: 64 })
const usd = (description: string, more: { readonly default?: string } = {}) =>
  Type.String({
    pattern: '^\\d{1,9}(\\.\\d{1,6})?$',
    title: 'a decimal below 10^9 with at most six digits behind the point, such as 250 or 99.5',
    description,
    ...more,
  })

const TopInput = Type.Object({
  chain: Chain,
  n: Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'how many' }),
  minLiq: Type.Number({
    minimum: 0,
    default: LEAST_LIQ,
    title: 'a decimal of at least 0, such as 10000',
    description: 'dollars in the pools of each, at least',
  }),
})

const PlanInput = Type.Object({
  chain: Chain,
  from: Type.Optional(
    Type.String({ description: "the wallet, which goes into each clip's quote request", maxLength: 256 }),
  ),
  usd: usd('dollars to spend, of the native coin'),
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_CLIPS,
    default: 5,
    description: 'clips, at most',
  }),
  minClipUsd: usd('dollars of each clip, at least', { default: '10' }),
  only: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4_096,
      description: `comma list of up to ${MAX_CLIPS} token addresses to choose from; the deepest of the list unless given`,
    }),
  ),
  slippageBps: QuoteQuery.properties.slippageBps,
})

export interface SwapFormOptions {
  readonly baskets: BasketPlanner
  readonly swapOptions: { readonly narrow: SwapOptionsReply; readonly desktop: SwapOptionsReply }
}

/** The routes of §4.10 about swap forms and baskets. */
export const swapForm = ({ baskets, swapOptions }: SwapFormOptions): readonly Route[] => [
  get({
    path: '/api/swap-options',
    input: Type.Object({}),
    budgets: [],
    description: {
      summary: 'What a swap form needs when it opens',
      group: SWAP_FORM,
      stability: 'unverified',
      text: 'Chains, sides, bounds, presets, and how the providers are. Answers carry an `ETag` for If-None-Match, and change only when a provider is in another state; they are compressed for whoever accepts br or gzip.',
      result: SwapOptionsShape,
      example: OPTIONS,
      errors: [],
    },
    handle: () => swapOptions.narrow.reply(),
  }),
  get({
    path: '/api/desktop/swap-options',
    input: Type.Object({}),
    budgets: [],
    description: {
      summary: 'The same, with the presets of a wide form',
      group: SWAP_FORM,
      stability: 'unverified',
      text: 'Five presets of each kind where the other has three; the rest is the same.',
      result: SwapOptionsShape,
      example: DESKTOP_OPTIONS,
      errors: [],
    },
    handle: () => swapOptions.desktop.reply(),
  }),
  get({
    path: '/api/basket/top',
    input: TopInput,
    budgets: [],
    description: {
      summary: 'The deepest tokens of a chain',
      group: SWAP_FORM,
      stability: 'unverified',
      text: 'Of the token list, without what the risk gate holds back, and without what a basket is paid with: the native coin, the wrapped one and the stablecoins. `excluded` counts those.',
      result: BasketTop,
      examples: TOPS,
      errors: [400],
    },
    async handle({ chain, n, minLiq }) {
      return Buffer.from(JSON.stringify(await baskets.top(parseChain(chain, 'chain'), n, minLiq)))
    },
  }),
  get({
    path: '/api/basket/plan',
    input: PlanInput,
    budgets: [],
    description: {
      summary: 'An amount in dollars, split over tokens by their liquidity',
      group: SWAP_FORM,
      stability: 'unverified',
      text: "The amount is of the chain's native coin, at its price in the token list. Each clip has the request to /api/quote that buys it. Clips stand to each other as the dollars in their tokens' pools do, are no less than `minClipUsd`, and add up exactly to what was asked for.",
      result: BasketPlan,
      examples: PLANS,
      errors: [400, 502],
    },
    async handle({ chain, ...query }) {
      return Buffer.from(JSON.stringify(await baskets.plan({ ...query, chain: parseChain(chain, 'chain') })))
    },
  }),
]
