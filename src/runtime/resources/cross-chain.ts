import { type Static, Type } from 'typebox'
import { CALLS, COSTS, PAID_PRIORITY, TransactionRequest } from './build.ts'
import { BaseUnits } from './order.ts'
import { FIGURE_SOURCES, Worth } from './quote.ts'
import { FreeForm, NullableNumber, nullable, OPEN } from './shared.ts'
import { SWAP_RISKS } from './token-profile.ts'

/** A token of a cross-chain quote, by our own sources. */
const CrossChainToken = Type.Object({
  address: Type.String({
    description: "canonical; a native coin as the cross-chain provider's API writes it",
  }),
  isNative: Type.Boolean(),
  symbol: nullable(
    Type.String({ description: "the chain's own or the token list's; null if neither has the token" }),
  ),
  decimals: nullable(
    Type.Integer({
      description: 'null if no two sources agree on them: then `verification.stated` has `decimals`',
    }),
  ),
})

const StatedCost = {
  name: nullable(Type.String()),
  chain: Type.String({ description: 'chain key' }),
  token: CrossChainToken,
  amount: BaseUnits,
  amountHuman: NullableNumber("whole tokens; null if the token's decimals are not known"),
  amountUsd: nullable(Type.String({ description: 'dollars, decimal' })),
}

/** The description of a cross-chain quote, without its material: src/swap/estimate.ts. */
const Estimate = Type.Object(
  {
    fromAmount: Type.String({ description: 'base units, decimal: the amount that was asked for' }),
    fromAmountHuman: Type.Number(),
    toAmount: Type.String({
      description:
        'base units, decimal: what the provider expects. `toAmountMin` is below it by no more than the slippage',
    }),
    toAmountHuman: NullableNumber('null if `toToken.decimals` is'),
    toAmountMin: Type.String({
      description:
        'base units, decimal: what the material guarantees, unless `verification.stated` has `minimum`',
    }),
    toAmountMinHuman: NullableNumber('null if `toToken.decimals` is'),
    approvalAddress: Type.Optional(
      Type.String({ description: 'only where an approval is needed: `approval.spender`, which is checked' }),
    ),
    approvalReset: Type.Optional(Type.Boolean({ description: 'with `approvalAddress`: `approval.reset`' })),
    stated: Type.Object(
      {
        tool: nullable(Type.String({ description: "the route's key at the provider" })),
        fromAmountUsd: nullable(Type.String({ description: 'dollars, decimal' })),
        toAmountUsd: nullable(Type.String({ description: 'dollars, decimal' })),
        executionDuration: NullableNumber('seconds'),
        feeCosts: Type.Array(
          Type.Object({
            ...StatedCost,
            included: Type.Boolean({ description: 'whether it is a part of the input' }),
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
    id: Type.Optional(Type.String({ description: "the provider's" })),
    kind: Type.Enum(['evm', 'solana', 'sui']),
    fromChain: Type.Integer({ description: 'numeric provider chain id' }),
    toChain: Type.Integer({ description: 'numeric provider chain id' }),
    from: Type.String(),
    to: Type.String(),
    estimate: Estimate,
    ...Worth,
    sources: FIGURE_SOURCES,
    transactionRequest: Type.Optional(Type.Union([TransactionRequest, Type.Null()])),
    ...CALLS,
    solanaTransaction: Type.Optional(nullable(Type.String({ description: 'base64' }))),
    lastValidBlockHeight: Type.Optional(
      Type.Integer({ description: 'the last block height at which `solanaTransaction` can land' }),
    ),
    suiTransaction: Type.Optional(nullable(Type.String({ description: 'base64' }))),
    priority: PAID_PRIORITY,
    ...COSTS,
    approval: Type.Optional(Type.Union([FreeForm, Type.Null()])),
    verification: Type.Optional(FreeForm),
    tool: Type.Optional(nullable(Type.String({ description: "the route's key, as the provider states it" }))),
    transactionId: Type.Optional(
      Type.String({ description: "the provider's id of the transaction: /api/xstatus takes it" }),
    ),
    fromToken: Type.Optional(CrossChainToken),
    toToken: Type.Optional(CrossChainToken),
    risks: SWAP_RISKS,
  },
  OPEN,
)

export type CrossChainQuote = Static<typeof CrossChainQuote>
