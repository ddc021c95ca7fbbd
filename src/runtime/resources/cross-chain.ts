import { type Static, Type } from 'typebox'
import { Approval, CALLS, COSTS, GUARDS, PAID_PRIORITY, TransactionRequest } from './build.ts'
import { BaseUnits } from './order.ts'
import { FIGURE_SOURCES, Worth } from './quote.ts'
import { boolean, integer, NullableNumber, nullable, OPEN, string } from './shared.ts'
import texts from './texts.json' with { type: 'json' }
import { SWAP_RISKS } from './token-profile.ts'
import { Verification } from './verification.ts'

const { crossChain: text } = texts

/** A token of a cross-chain quote, by our own sources. */
const CrossChainToken = Type.Object({
  address: string(text.address),
  isNative: Type.Boolean(),
  symbol: nullable(string(text.symbol)),
  decimals: nullable(integer(text.decimals)),
})

const StatedCost = {
  name: nullable(Type.String()),
  chain: string('chain key'),
  token: CrossChainToken,
  amount: BaseUnits,
  amountHuman: NullableNumber("whole tokens; null if the token's decimals are not known"),
  amountUsd: nullable(string('dollars, decimal')),
}

/** The description of a cross-chain quote, without its material: src/swap/estimate.ts. */
const Estimate = Type.Object(
  {
    fromAmount: string('base units, decimal: the amount that was asked for'),
    fromAmountHuman: Type.Number(),
    toAmount: string(text.toAmount),
    toAmountHuman: NullableNumber('null if `toToken.decimals` is'),
    toAmountMin: string(text.toAmountMin),
    toAmountMinHuman: NullableNumber('null if `toToken.decimals` is'),
    approvalAddress: Type.Optional(string(text.approvalAddress)),
    approvalReset: Type.Optional(boolean('with `approvalAddress`: `approval.reset`')),
    stated: Type.Object(
      {
        tool: nullable(string("the route's key at the provider")),
        fromAmountUsd: nullable(string('dollars, decimal')),
        toAmountUsd: nullable(string('dollars, decimal')),
        executionDuration: NullableNumber('seconds'),
        feeCosts: Type.Array(
          Type.Object({
            ...StatedCost,
            included: boolean('whether it is a part of the input'),
          }),
        ),
        gasCosts: Type.Array(Type.Object(StatedCost)),
      },
      { description: "the provider's word: nothing of it is checked", ...OPEN },
    ),
  },
  OPEN,
)

export const CrossChainQuote = Type.Object(
  {
    provider: Type.Literal('xprov'),
    id: Type.Optional(string("the provider's")),
    kind: Type.Enum(['evm', 'solana', 'sui']),
    fromChain: integer('numeric provider chain id'),
    toChain: integer('numeric provider chain id'),
    from: Type.String(),
    to: Type.String(),
    estimate: Estimate,
    ...Worth,
    sources: FIGURE_SOURCES,
    transactionRequest: Type.Optional(Type.Union([TransactionRequest, Type.Null()])),
    ...CALLS,
    solanaTransaction: Type.Optional(nullable(string('base64'))),
    lastValidBlockHeight: Type.Optional(integer(texts.build.lastValidBlockHeight)),
    suiTransaction: Type.Optional(nullable(string('base64'))),
    priority: PAID_PRIORITY,
    ...GUARDS,
    ...COSTS,
    approval: Type.Optional(nullable(Approval)),
    verification: Verification,
    tool: Type.Optional(nullable(string("the route's key, as the provider states it"))),
    transactionId: Type.Optional(string("the provider's id of the transaction: /api/xstatus takes it")),
    fromToken: Type.Optional(CrossChainToken),
    toToken: Type.Optional(CrossChainToken),
    risks: SWAP_RISKS,
  },
  OPEN,
)

export type CrossChainQuote = Static<typeof CrossChainQuote>
