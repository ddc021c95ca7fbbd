/** The request for a plan, and the answers about baskets, as schemas. Source: §4.10 (no contract) */
import { type Static, Type } from 'typebox'
import type { ChainDefinition } from '../../chains/definition.ts'
import { QuoteQuery } from '../../runtime/resources/order.ts'
import { integer, nullable, number, string } from '../../runtime/resources/shared.ts'
import texts from '../texts.json' with { type: 'json' }
import inputs from './inputs.json' with { type: 'json' }

const { basket: text } = texts

/** The most tokens in `only`, and clips in a plan: a third of a client's quotes per minute. */
export const MAX_CLIPS = 20

export const PlanInput = Type.Object({
  chain: string('chain key', { minLength: 1, maxLength: 64 }),
  from: Type.Optional(string("the wallet, copied into each clip's quote request", { maxLength: 256 })),
  usd: Type.String(inputs.usd),
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_CLIPS,
    default: 5,
    description: 'maximum number of clips',
  }),
  minClipUsd: Type.String(inputs.minClipUsd),
  only: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4_096,
      'x-separator': ',',
      description: `comma list of up to ${MAX_CLIPS} token addresses to choose from; default: the deepest of the list`,
    }),
  ),
  slippageBps: QuoteQuery.properties.slippageBps,
})
/** With its chain found. */
export type PlanRequest = Readonly<Omit<Static<typeof PlanInput>, 'chain'>> & {
  readonly chain: ChainDefinition
}

const Dollars = string('dollars, decimal')

const BasketToken = Type.Object({
  address: Type.String(),
  symbol: nullable(Type.String()),
  name: nullable(Type.String()),
  decimals: nullable(Type.Integer()),
  price: nullable(number('dollars')),
  priceTs: nullable(integer('time of the price and of the figures beside it, ms epoch')),
  ageMs: nullable(integer('the age of `priceTs`')),
  liq: number('dollars in its pools'),
  vol24: nullable(number('dollars')),
  checkedTs: nullable(integer('when a source last checked its risks, ms epoch')),
})

export const BasketTop = Type.Object({
  chain: string('chain key'),
  tokens: Type.Array(BasketToken, { description: 'the deepest first; equals by address' }),
  excluded: Type.Object(
    {
      majors: integer('native coin, wrapped native coin and stablecoins'),
      gated: integer('rejected by the risk filter'),
      unknown: integer('their liquidity is unknown'),
      thin: integer('their liquidity is below `minLiq`'),
    },
    { description: text.excluded },
  ),
  asOf: integer('ms epoch'),
})
export type BasketTop = Static<typeof BasketTop>

const Clip = Type.Object({
  token: string('address'),
  symbol: nullable(Type.String()),
  usd: Dollars,
  amountIn: string('of the native coin; base units, decimal'),
  liq: number("dollars in the token's pools"),
  liqBps: integer('the clip as a share of `liq`, hundredths of a percent, rounded up'),
  warnings: Type.Array(Type.String(), { description: text.warnings }),
  quote: Type.Object(
    {
      url: string('path and query'),
      path: Type.Literal('/api/quote'),
      query: Type.Object({
        chain: Type.String(),
        side: Type.Literal('buy'),
        token: Type.String(),
        amount: string('`amountIn` in whole coins'),
        slippageBps: Type.Integer(),
        from: Type.Optional(Type.String()),
      }),
    },
    { description: text.quote },
  ),
})

export const BasketPlan = Type.Object({
  chain: string('chain key'),
  from: nullable(string('the wallet')),
  usd: Dollars,
  minClipUsd: Dollars,
  amountIn: string('`usd` in the native coin; base units, decimal'),
  native: Type.Object({
    symbol: Type.String(),
    decimals: Type.Integer(),
    price: number('dollars, the higher of two prices that agree; the amounts are converted with it'),
    priceTs: integer('ms epoch'),
    sources: Type.Array(Type.String(), { description: 'of the two prices' }),
  }),
  clips: Type.Array(Clip, { description: "the deepest first; `usd` and `amountIn` add up to the plan's" }),
  left: Type.Array(
    Type.Object({
      token: string('address'),
      reason: Type.Enum(['unlisted', 'wrapped', 'gated', 'unknown', 'limit', 'clip'], {
        description: text.reason,
      }),
    }),
    { description: 'tokens of `only`, or of the deepest, that get nothing' },
  ),
  asOf: integer('ms epoch'),
})
export type BasketPlan = Static<typeof BasketPlan>
