/**
 * The part of LI.FI's answer to a quote that is used here; an answer has more.
 *
 * Source: LI.FI OpenAPI 1.0.0
 */
import { type Static, Type } from 'typebox'

const BaseUnits = Type.String({ pattern: '^\\d{1,78}$' })

/**
 * Read for display only, as the provider's claim: a malformed value is left out, and the answer is as good
 * without it.
 */
const Stated = Type.Optional(Type.Unknown())

/** The most fees in a step: each is read, and its address has a checksum, which takes a while. */
const MAX_FEES = 100

/** A token as LI.FI describes it. */
export const LifiToken = Type.Object({
  address: Type.String(),
  chainId: Type.Number(),
  symbol: Type.String(),
  decimals: Type.Integer({ minimum: 0, maximum: 36 }),
})
export type LifiToken = Static<typeof LifiToken>

// Chain ids are numbers and not integers here: some validators accept only safe
// integers, and Sui's id is above 2^53 - 1.
export const Step = Type.Object({
  id: Type.String(),
  tool: Type.String(),
  transactionId: Type.Optional(Type.String()),
  action: Type.Object({
    fromChainId: Type.Number(),
    toChainId: Type.Number(),
    fromAmount: BaseUnits,
    fromToken: LifiToken,
    toToken: LifiToken,
    fromAddress: Type.Optional(Type.String()),
    toAddress: Type.Optional(Type.String()),
  }),
  estimate: Type.Object({
    fromAmount: BaseUnits,
    toAmount: BaseUnits,
    toAmountMin: BaseUnits,
    approvalAddress: Type.String(),
    skipApproval: Type.Optional(Type.Boolean()),
    fromAmountUSD: Type.Optional(Type.String()),
    toAmountUSD: Type.Optional(Type.String()),
    feeCosts: Type.Optional(
      Type.Array(
        Type.Object({
          token: Type.Object({ address: Type.String(), chainId: Type.Number() }),
          amount: Type.Optional(BaseUnits),
          included: Type.Boolean(),
          name: Stated,
          amountUSD: Stated,
        }),
        { maxItems: MAX_FEES },
      ),
    ),
    executionDuration: Stated,
    gasCosts: Stated,
  }),
  transactionRequest: Type.Optional(
    Type.Object({
      // LI.FI answers with an array if a bundle was requested; the gateway never requests one.
      data: Type.Optional(Type.String()),
      to: Type.Optional(Type.String()),
      from: Type.Optional(Type.String()),
      chainId: Type.Optional(Type.Number()),
      value: Type.Optional(Type.String()),
      gasPrice: Type.Optional(Type.String()),
      gasLimit: Type.Optional(Type.String()),
    }),
  ),
})
export type Step = Static<typeof Step>
