/**
 * The state of a transaction, in one schema for EVM chains and Solana.
 *
 * Source: §4.10
 */
import { type Static, Type } from 'typebox'
import { SOLANA_CHANGES, WRAPPER_KINDS } from '../../chains/transaction-digest.ts'
import { Cost } from '../../runtime/resources/build.ts'
import { SubmissionReceipt } from '../../runtime/resources/receipt.ts'
import { boolean, integer, nullable, string, UNVERIFIED } from '../../runtime/resources/shared.ts'
import texts from '../texts.json' with { type: 'json' }
import type { TransactionId } from './request.ts'

const { onchain: text } = texts

const Amount = (description: string) => string(`base units: ${description}`)
const Hash = string('on EVM chains; null on Solana')
const Time = (description: string) => integer(`${description}, ms epoch`)

const STATUSES = ['unknown', 'pending', 'confirmed', 'finalized', 'failed'] as const

const Fee = Type.Object({
  amount: Amount('all that was paid in the native coin'),
  l1: nullable(Amount('the part for data on the layer below; null if there is none')),
  paidBy: Type.String(),
})

/** The members that all answers about a transaction have. */
const STATE = {
  chain: string('chain key'),
  hash: nullable(Hash),
  signature: nullable(string('on Solana; null on EVM chains')),
  status: Type.Enum(STATUSES, { description: text.status }),
  isFinal: boolean('nothing of this can change any more, including a failure'),
  confirmations: nullable(integer(text.confirmations)),
  block: nullable(integer('on EVM chains')),
  slot: nullable(integer('on Solana')),
  includedAt: nullable(Time("its block's time")),
  err: Type.Unknown({ description: text.err }),
  replaced: nullable(boolean(text.replaced)),
  droppedFrom: nullable(integer(text.droppedFrom)),
  fee: nullable(Fee, { description: 'null if it is not paid yet, or unknown' }),
  explorer: Type.String({ format: 'uri', description: "its page in the chain's explorer" }),
}
const asOf = Time('when the nodes were asked')

export const TransactionStatus = Type.Object({
  ...STATE,
  receipt: nullable(SubmissionReceipt, { description: text.receipt }),
  asOf,
})
export type TransactionStatus = Static<typeof TransactionStatus>

export const TokenMovement = Type.Object({
  token: string("the token's address; the native coin's is as in quotes"),
  isNative: Type.Boolean(),
  listed: boolean('it is the native coin or in the token list; the name of any other token is unverified'),
  amount: Amount('above zero'),
  decimals: nullable(Type.Integer()),
  symbol: nullable(Type.String()),
})
export type TokenMovement = Static<typeof TokenMovement>

const BuiltSwap = Type.Object(
  {
    provider: Type.String(),
    token: string('what comes out'),
    quoted: Amount('the `expectedOut` of the build'),
    minimum: Amount('its `minOut`'),
    got: nullable(Amount(text.got)),
    shortBps: nullable(integer('hundredths of a percent of `quoted` that arrived less; negative: more')),
    costs: Type.Array(Cost, { description: 'what the build stated; what the network took is `fee`' }),
    changedByWallet: Type.Array(Type.Enum([...SOLANA_CHANGES, ...WRAPPER_KINDS]), {
      description: text.changedByWallet,
    }),
  },
  { description: text.swap, ...UNVERIFIED },
)

export const TransactionReceipt = Type.Object({
  ...STATE,
  from: nullable(string('the sender; on Solana the fee payer')),
  to: nullable(string('the contract or wallet that it was sent to; null on Solana')),
  paid: nullable(Type.Array(TokenMovement), { description: text.paid }),
  got: nullable(Type.Array(TokenMovement), { description: 'what the sender gained' }),
  missing: Type.Array(Type.Enum(['native', 'tokens']), { description: text.missing }),
  swap: Type.Optional(BuiltSwap),
  asOf,
})
export type TransactionReceipt = Static<typeof TransactionReceipt>

export const Allowance = Type.Object({
  chain: string('chain key'),
  token: nullable(Type.String()),
  owner: nullable(Type.String()),
  spender: nullable(Type.String()),
  allowance: nullable(Amount(text.allowance)),
  isUnlimited: nullable(boolean('it is more than the supply of any token, as unlimited approvals are')),
  block: nullable(integer('the block at which it was read')),
  transaction: nullable(Type.Object(STATE), { description: text.approval }),
  asOf,
})
export type Allowance = Static<typeof Allowance>

/** The state that the schemas above have in common. */
export type TransactionState = Omit<TransactionStatus, 'receipt' | 'asOf'>

/** A state of which nothing is known but `more`. */
export const stateOf = (
  { chain, hash, signature }: TransactionId,
  status: TransactionState['status'],
  more: Partial<TransactionState>,
): TransactionState => ({
  chain: chain.key,
  hash,
  signature,
  status,
  isFinal: false,
  confirmations: null,
  block: null,
  slot: null,
  includedAt: null,
  err: null,
  replaced: null,
  droppedFrom: null,
  fee: null,
  explorer: `${chain.explorer}/tx/${hash ?? signature}`,
  ...more,
})
