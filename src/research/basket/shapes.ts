/** The answers about baskets, as schemas. Source: §4.10 (no contract) */
import { type Static, Type } from 'typebox'
import { nullable } from '../../runtime/resources.ts'

const Dollars = Type.String({ description: 'dollars, decimal' })

const BasketToken = Type.Object({
  address: Type.String(),
  symbol: nullable(Type.String()),
  name: nullable(Type.String()),
  decimals: nullable(Type.Integer()),
  price: nullable(Type.Number({ description: 'dollars' })),
  priceTs: nullable(Type.Integer({ description: 'ms epoch of the price, and of what stands beside it' })),
  ageMs: nullable(Type.Integer({ description: 'how old that is now' })),
  liq: Type.Number({ description: 'dollars in its pools' }),
  vol24: nullable(Type.Number({ description: 'dollars' })),
  checkedTs: nullable(Type.Integer({ description: 'ms epoch when a source last told of its risks' })),
})

export const BasketTop = Type.Object({
  chain: Type.String({ description: 'chain key' }),
  tokens: Type.Array(BasketToken, { description: 'the deepest first, of equals by address' }),
  excluded: Type.Object(
    {
      majors: Type.Integer({ description: 'native, wrapped native and stablecoins: what is paid with' }),
      gated: Type.Integer({ description: 'held back by the risk gate' }),
      unknown: Type.Integer({ description: 'nobody told how deep they are' }),
      thin: Type.Integer({ description: 'less deep than `minLiq`' }),
    },
    { description: "how many of the chain's tokens in the list are not in question, by the first reason" },
  ),
  asOf: Type.Integer({ description: 'ms epoch' }),
})
export type BasketTop = Static<typeof BasketTop>

const Clip = Type.Object({
  token: Type.String({ description: 'address' }),
  symbol: nullable(Type.String()),
  usd: Dollars,
  amountIn: Type.String({ description: 'of the native coin; base units, decimal' }),
  liq: Type.Number({ description: "dollars in the token's pools" }),
  liqBps: Type.Integer({ description: 'how much of `liq` the clip is, hundredths of a percent, rounded up' }),
  warnings: Type.Array(Type.String(), {
    description: 'for people: it is more than 1 % of `liq`, or nobody has told of its risks',
  }),
  quote: Type.Object(
    {
      url: Type.String({ description: 'path and query' }),
      path: Type.Literal('/api/quote'),
      query: Type.Object({
        chain: Type.String(),
        side: Type.Literal('buy'),
        token: Type.String(),
        amount: Type.String({ description: '`amountIn` in whole coins' }),
        slippageBps: Type.Integer(),
        from: Type.Optional(Type.String()),
      }),
    },
    {
      description:
        'the GET that quotes it; the members of `query` go into the body of /api/build as they are',
    },
  ),
})

export const BasketPlan = Type.Object({
  chain: Type.String({ description: 'chain key' }),
  from: nullable(Type.String({ description: 'the wallet' })),
  usd: Dollars,
  minClipUsd: Dollars,
  amountIn: Type.String({ description: 'what `usd` is of the native coin; base units, decimal' }),
  native: Type.Object({
    symbol: Type.String(),
    decimals: Type.Integer(),
    price: Type.Number({ description: 'dollars, which the amounts are counted with' }),
    priceTs: Type.Integer({ description: 'ms epoch' }),
  }),
  clips: Type.Array(Clip, { description: "the deepest first; `usd` and `amountIn` add up to the plan's" }),
  left: Type.Array(
    Type.Object({
      token: Type.String({ description: 'address' }),
      reason: Type.Enum(['unlisted', 'wrapped', 'gated', 'unknown', 'limit', 'clip'], {
        description:
          'unlisted: not in the list; wrapped: the coin that pays, wrapped; gated: held back by the risk gate; unknown: nobody told how deep it is; limit: beyond `limit`; clip: its part would be less than `minClipUsd`',
      }),
    }),
    { description: 'tokens of `only`, or of the deepest, that get nothing' },
  ),
  asOf: Type.Integer({ description: 'ms epoch' }),
})
export type BasketPlan = Static<typeof BasketPlan>
