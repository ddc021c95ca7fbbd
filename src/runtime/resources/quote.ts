import { type Static, Type } from 'typebox'
import { BaseUnits, Side } from './order.ts'
import { boolean, integer, nullable, number, OPEN, string, UNVERIFIED } from './shared.ts'
import texts from './texts.json' with { type: 'json' }
import { SWAP_RISKS } from './token-profile.ts'

const { quote: text } = texts

/** What an offer is compared with. */
export const Worth = {
  fairOut: Type.Optional(nullable(string(text.fairOut), UNVERIFIED)),
  unpriced: Type.Optional(boolean(text.unpriced, UNVERIFIED)),
}

/** A provider's fee, in addition to what its pools keep. */
export const Fee = Type.Object({
  bps: number('of what it is taken of'),
  amount: string('at the expected output, in base units'),
  token: string('what it is taken in'),
  recipient: nullable(string('null if the material does not show it')),
  whose: nullable(string(text.whose)),
})

export type Fee = Static<typeof Fee>

const DELIVERY_LOSS = Type.Optional(integer(text.deliveryLoss, UNVERIFIED))

export const FIGURE_SOURCES = Type.Optional(
  Type.Record(Type.String(), Type.Array(Type.String()), { description: text.figureSources, ...UNVERIFIED }),
)

export const Quote = Type.Object(
  {
    provider: Type.String(),
    chain: Type.String(),
    chainId: nullable(Type.Integer()),
    side: Side,
    against: Type.Optional(string(text.against, UNVERIFIED)),
    from: nullable(Type.String()),
    amountIn: BaseUnits,
    amountInHuman: Type.Number(),
    maxIn: Type.Optional(string(text.maxIn, UNVERIFIED)),
    expectedOut: BaseUnits,
    expectedOutHuman: Type.Union([Type.Number(), Type.Null()]),
    minOut: BaseUnits,
    slippageBps: Type.Integer(),
    holds: Type.Optional(
      nullable(Type.Object({ untilMs: integer('Unix ms'), probability: number(text.probability) }), {
        description: text.holds,
        ...UNVERIFIED,
      }),
    ),
    priceImpactPct: nullable(number(text.priceImpactPct)),
    rankedBy: Type.Optional(Type.Enum(['net', 'gross'], { description: text.rankedBy, ...UNVERIFIED })),
    gasUsd: Type.Optional(nullable(number(text.gasUsd), UNVERIFIED)),
    costBoundBps: Type.Optional(integer(text.costBoundBps, UNVERIFIED)),
    netOut: Type.Optional(nullable(string(text.netOut), UNVERIFIED)),
    netOutUsd: Type.Optional(nullable(number('the same in dollars'), UNVERIFIED)),
    netIn: Type.Optional(nullable(string(text.netIn), UNVERIFIED)),
    deliveryLossBps: DELIVERY_LOSS,
    ...Worth,
    sources: FIGURE_SOURCES,
    suggestedSlippageBps: Type.Optional(integer(text.suggestedSlippageBps, UNVERIFIED)),
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
        fees: Type.Array(Fee, { description: text.fees }),
        buildBy: string('the provider that /api/build will ask: the one that quoted'),
        stated: Type.Object(
          { priceImpactPct: nullable(Type.Number()) },
          { description: text.stated, ...OPEN },
        ),
        alternatives: Type.Array(
          Type.Object(
            {
              provider: Type.String(),
              outcome: string('offered, outlier, failed or late'),
              behindBps: Type.Optional(integer(text.behindBps, UNVERIFIED)),
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
