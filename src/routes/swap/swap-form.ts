import { Type } from 'typebox'
import { parseChain } from '../../chains/find.ts'
import { get, jsonOf, type Route } from '../../http/route.ts'
import { type BasketPlanner, LEAST_LIQ } from '../../research/basket/baskets.ts'
import { BasketPlan, BasketTop, PlanInput } from '../../research/basket/shapes.ts'
import { SwapOptions as SwapOptionsShape } from '../../research/swap-options/shapes.ts'
import type { SwapOptionsReply } from '../../research/swap-options/swap-options.ts'
import { Against } from '../../runtime/resources/order.ts'
import recordedPlan from '../examples/basket-plan.json' with { type: 'json' }
import recordedTop from '../examples/basket-top.json' with { type: 'json' }
import recordedDesktop from '../examples/desktop-swap-options.json' with { type: 'json' }
import recordedOptions from '../examples/swap-options.json' with { type: 'json' }
import { described } from '../groups.ts'

const TopInput = Type.Object({
  chain: PlanInput.properties.chain,
  n: Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'number of tokens' }),
  minLiq: Type.Number({
    minimum: 0,
    default: LEAST_LIQ,
    title: 'a number of at least 0, such as 10000',
    description: 'minimum liquidity in dollars',
  }),
})

const FormInput = Type.Object({
  against: Against(
    'address of the token that a form opens with on the other side: the answer has it as `against.default`, and the chains on which it is a token',
  ),
})

export interface SwapFormOptions {
  readonly baskets: BasketPlanner
  readonly swapOptions: { readonly narrow: SwapOptionsReply; readonly desktop: SwapOptionsReply }
}

const formOf = (form: SwapOptionsReply, against: string | undefined) =>
  against === undefined ? form.reply() : form.replyFor(against)

/** The routes of §4.10 about swap forms and baskets. */
export const swapForm = ({ baskets, swapOptions }: SwapFormOptions): readonly Route[] => [
  get({
    path: '/api/swap-options',
    input: FormInput,
    description: described('getSwapOptions', SwapOptionsShape, recordedOptions),
    handle: ({ against }) => formOf(swapOptions.narrow, against),
  }),
  get({
    path: '/api/desktop/swap-options',
    input: FormInput,
    description: described('getWideSwapOptions', SwapOptionsShape, {
      example: { ...recordedOptions.example, ...recordedDesktop.example },
    }),
    handle: ({ against }) => formOf(swapOptions.desktop, against),
  }),
  get({
    path: '/api/basket/top',
    input: TopInput,
    description: described('listDeepestTokens', BasketTop, recordedTop),
    handle: ({ chain, n, minLiq }) => jsonOf(baskets.top(parseChain(chain, 'chain'), n, minLiq)),
  }),
  get({
    path: '/api/basket/plan',
    input: PlanInput,
    description: described('planBasket', BasketPlan, recordedPlan),
    handle({ chain, ...query }, exchange) {
      const request = { ...query, chain: parseChain(chain, 'chain') }
      return jsonOf(baskets.plan(request, exchange.scope()))
    },
  }),
]
