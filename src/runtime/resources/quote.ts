import { type Static, Type } from 'typebox'
import { BaseUnits, Side } from './order.ts'
import { boolean, integer, nullable, number, OPEN, string, UNVERIFIED } from './shared.ts'
import { SWAP_RISKS } from './token-profile.ts'

/** What an offer is compared with. */
export const Worth = {
  fairOut: Type.Optional(
    nullable(
      string('what the amount is worth by prices that two independent sources agree on; base units, decimal'),
      UNVERIFIED,
    ),
  ),
  unpriced: Type.Optional(
    boolean(
      'no two independent sources agree on the prices, so that nothing holds the offer against them',
      UNVERIFIED,
    ),
  ),
}

/** A provider's fee, in addition to what its pools keep. */
export const Fee = Type.Object({
  bps: number('of what it is taken of'),
  amount: string('at the expected output, in base units'),
  token: string('what it is taken in'),
  recipient: nullable(string('null if the material does not show it')),
  whose: nullable(string("the provider whose account that is; null if it is not known as one's")),
})

export type Fee = Static<typeof Fee>

const DELIVERY_LOSS = Type.Optional(
  integer(
    'hundredths of a percent that the provider was seen to deliver less than it offers, with which its offer is ranked; absent where it is little: /api/bake-off',
    UNVERIFIED,
  ),
)

export const FIGURE_SOURCES = Type.Optional(
  Type.Record(Type.String(), Type.Array(Type.String()), {
    description:
      "by figure: the sources and nodes that it was checked against; `stated` is the provider's word, `token_list` that of the list's sources, and none is nobody's",
    ...UNVERIFIED,
  }),
)

export const Quote = Type.Object(
  {
    provider: Type.String(),
    chain: Type.String(),
    chainId: nullable(Type.Integer()),
    side: Side,
    against: Type.Optional(
      string('the token on the other side, where it is not the native coin', UNVERIFIED),
    ),
    from: nullable(Type.String()),
    amountIn: BaseUnits,
    amountInHuman: Type.Number(),
    maxIn: Type.Optional(
      string(
        'of an `amountOut`: what may leave at most, in base units. `amountIn` is what is expected to, and `expectedOut` and `minOut` are the amount that was asked for',
        UNVERIFIED,
      ),
    ),
    expectedOut: BaseUnits,
    expectedOutHuman: Type.Union([Type.Number(), Type.Null()]),
    minOut: BaseUnits,
    slippageBps: Type.Integer(),
    priceImpactPct: nullable(number('percent of `fairOut`, positive is a loss; null if that is not known')),
    rankedBy: Type.Optional(
      Type.Enum(['net', 'gross'], {
        description:
          'what ranked the offers: what is left after gas, or where gas cannot be counted the amount',
        ...UNVERIFIED,
      }),
    ),
    gasUsd: Type.Optional(
      nullable(number('dollars of gas, by the units that the provider states'), UNVERIFIED),
    ),
    costBoundBps: Type.Optional(
      integer(
        'with `rankedBy: "net"`: no offer was ranked by more gas than this share of it; 200 where nodes of two hosts do not agree on what gas costs',
        UNVERIFIED,
      ),
    ),
    netOut: Type.Optional(
      nullable(string('`expectedOut` less gas, in base units; below zero where gas takes more'), UNVERIFIED),
    ),
    netOutUsd: Type.Optional(nullable(number('the same in dollars'), UNVERIFIED)),
    netIn: Type.Optional(
      nullable(string('of an `amountOut`, in place of these: `amountIn` and gas, in base units'), UNVERIFIED),
    ),
    deliveryLossBps: DELIVERY_LOSS,
    ...Worth,
    sources: FIGURE_SOURCES,
    suggestedSlippageBps: Type.Optional(
      integer(
        "the slippage that fits: at most 300, and beyond that the token's own fee on transfers. What was asked for is `slippageBps`",
        UNVERIFIED,
      ),
    ),
    slippageReasons: Type.Optional(
      Type.Array(
        Type.Object({
          what: Type.Enum(['base', 'depth', 'volatility', 'hops', 'transfer_fee']),
          bps: Type.Integer(),
          why: string('for people'),
        }),
        { description: 'what `suggestedSlippageBps` is made of', ...UNVERIFIED },
      ),
    ),
    risks: SWAP_RISKS,
    route: Type.Object(
      {
        asOf: integer('when the provider answered, ms epoch'),
        seal: string('shows /api/build that the quote is unchanged'),
        raw: string("the provider's own answer, as JSON text"),
        fees: Type.Array(Fee, {
          description: "the provider's own: `expectedOut` and `minOut` are net of them",
        }),
        buildBy: string('the provider that /api/build will ask: the one that quoted'),
        stated: Type.Object(
          { priceImpactPct: nullable(Type.Number()) },
          { description: "the provider's word, with hops and gas: nothing of it is checked", ...OPEN },
        ),
        alternatives: Type.Array(
          Type.Object(
            {
              provider: Type.String(),
              outcome: string('offered, outlier, failed or late'),
              behindBps: Type.Optional(
                integer('of an offer: behind this one, by what `rankedBy` says', UNVERIFIED),
              ),
              deliveryLossBps: DELIVERY_LOSS,
            },
            OPEN,
          ),
          { description: 'the outcomes of the other providers' },
        ),
      },
      { description: 'how the swap is made; further fields are free-form', ...OPEN },
    ),
  },
  OPEN,
)

export type Quote = Static<typeof Quote>
