/**
 * The state of a transaction, in one schema for EVM chains and Solana.
 *
 * Source: §4.10
 */
import { type Static, Type } from 'typebox'
import { nullable, SubmissionReceipt } from '../../runtime/resources.ts'

const Amount = (description: string) => Type.String({ description: `base units: ${description}` })
const Hash = Type.String({ description: 'on EVM chains; null on Solana' })
const Time = (description: string) => Type.Integer({ description: `${description}, ms epoch` })

export const STATUSES = ['unknown', 'pending', 'confirmed', 'finalized', 'failed'] as const

const Fee = Type.Object({
  amount: Amount('all that was paid for it in the native coin'),
  l1: nullable(
    Amount('the part of it that is for the data on the chain below; null where there is no such part'),
  ),
  paidBy: Type.String(),
})

/** The members that all answers about a transaction have. */
const STATE = {
  chain: Type.String({ description: 'chain key' }),
  hash: nullable(Hash),
  signature: nullable(Type.String({ description: 'on Solana; null on EVM chains' })),
  status: Type.Enum(STATUSES, {
    description:
      'unknown: no node that answered knows it; pending: in no block that counts yet; confirmed: in a block, which may still be replaced; finalized: for good; failed: in a block, and it did nothing but cost its fee',
  }),
  isFinal: Type.Boolean({ description: 'nothing of this can change any more; where it failed, too' }),
  confirmations: nullable(
    Type.Integer({ description: 'blocks since, its own included; on Solana slots; null outside of blocks' }),
  ),
  block: nullable(Type.Integer({ description: 'on EVM chains' })),
  slot: nullable(Type.Integer({ description: 'on Solana' })),
  includedAt: nullable(Time("its block's time")),
  err: Type.Unknown({
    description:
      "why it failed, null where it did not: on Solana in the node's own words, on EVM chains `{ reverted }` with the reason, where the node tells one",
  }),
  replaced: nullable(
    Type.Boolean({
      description:
        'true where another transaction of its sender has used its nonce for good, so that it can never run; null where that is not known',
    }),
  ),
  droppedFrom: nullable(
    Type.Integer({
      description: 'the block that it was seen in here before, and is in no more; null where there is none',
    }),
  ),
  fee: Type.Union([Fee, Type.Null()], { description: 'null where it is not paid yet, or cannot be known' }),
  explorer: Type.String({ format: 'uri', description: "its page at the chain's explorer" }),
}
const asOf = Time('when the nodes were asked')

export const TransactionStatus = Type.Object({
  ...STATE,
  receipt: Type.Union([SubmissionReceipt, Type.Null()], {
    description: 'of its submission; null where it was not submitted here lately',
  }),
  asOf,
})
export type TransactionStatus = Static<typeof TransactionStatus>

export const TokenMovement = Type.Object({
  token: Type.String({ description: "the token's address; the native coin's is as in quotes" }),
  isNative: Type.Boolean(),
  listed: Type.Boolean({
    description: 'it is the native coin, or in the token list: any other may call itself what it likes',
  }),
  amount: Amount('how much, above zero'),
  decimals: nullable(Type.Integer()),
  symbol: nullable(Type.String()),
})
export type TokenMovement = Static<typeof TokenMovement>

export const TransactionReceipt = Type.Object({
  ...STATE,
  from: nullable(Type.String({ description: 'who sent it: on Solana its fee payer' })),
  to: nullable(Type.String({ description: 'the contract or wallet that it is for; null on Solana' })),
  paid: Type.Union([Type.Array(TokenMovement), Type.Null()], {
    description: 'what the sender has less of, without the fee; null while it is in no block',
  }),
  got: Type.Union([Type.Array(TokenMovement), Type.Null()], { description: 'what the sender has more of' }),
  missing: Type.Array(Type.Enum(['native', 'tokens']), {
    description:
      'of which not all that moved is told: for `native`, the nodes do not know, `paid` has what the transaction itself carried, and `got` has none; for `tokens`, the nodes do not know whose all are, or there are more than 256',
  }),
  asOf,
})
export type TransactionReceipt = Static<typeof TransactionReceipt>

export const Allowance = Type.Object({
  chain: Type.String({ description: 'chain key' }),
  token: nullable(Type.String()),
  owner: nullable(Type.String()),
  spender: nullable(Type.String()),
  allowance: nullable(
    Amount(
      'what the spender may take; asked by `hash`, what the transaction set it to, and null where it did not, or not yet',
    ),
  ),
  isUnlimited: nullable(
    Type.Boolean({
      description: 'more than there is of any token, which is how unlimited approvals are written',
    }),
  ),
  block: nullable(Type.Integer({ description: 'at which it was read' })),
  transaction: Type.Union([Type.Object(STATE), Type.Null()], {
    description: 'the approval, where it was asked for by `hash`',
  }),
  asOf,
})
export type Allowance = Static<typeof Allowance>

/** The state that the schemas above have in common. */
export type TransactionState = Omit<TransactionStatus, 'receipt' | 'asOf'>
