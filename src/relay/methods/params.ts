/**
 * The `params` of each method as JSON Schema: one tuple per method, with
 * optional members at its end.
 *
 * The rule for every option: what a node accepts is accepted; an unknown key is
 * ignored, as a node does; a known key with a wrong value is refused, even where
 * a node would silently use its default (a misspelt commitment). Null means
 * absent wherever a node reads it so.
 *
 * Source: §4.9 · agave rpc/src/rpc.rs, rpc-client-types/src/config.rs and request.rs
 */
import { type Static, type TSchema, type TUnsafe, Type } from 'typebox'
import { isBase58Of } from '../../chains/solana/base58.ts'
import { decodeTransaction } from '../../chains/solana/encoding.ts'
import type { ExtraMethodName, MethodName } from '../../runtime/resources/solrpc.ts'

export type ParamsSchema = TUnsafe<readonly unknown[]> & {
  readonly prefixItems: readonly TSchema[]
}

const MAX_MULTIPLE_ACCOUNTS = 100
const MAX_STATUS_SIGNATURES = 256
/** The bank's MAX_TX_ACCOUNT_LOCKS. */
const MAX_FEE_ACCOUNTS = 128
/** A node's MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT. */
const MAX_LISTED_SIGNATURES = 1_000
/** The longest data that an account can have. */
const MAX_ACCOUNT_BYTES = 10 * 1024 * 1024
/** More accounts than any transaction can load. A node refuses more addresses than the transaction has. */
const MAX_SIMULATED_ACCOUNTS = 256
/** Only a bound: the relay refuses a batch of fewer than 2 or more than 10 with a code of its own. */
const MAX_BATCH_ITEMS = 64

/** Length and alphabet document the schema; the refinement requires the exact number of bytes. */
const base58 = (title: string, bytes: 32 | 64, minLength: number, maxLength: number) =>
  Type.Refine(Type.String({ title, minLength, maxLength, pattern: '^[1-9A-HJ-NP-Za-km-z]+$' }), (text) =>
    isBase58Of(text, bytes),
  )

const orAbsent = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))

const list = <Item extends TSchema>(item: Item, maxItems: number) => Type.Array(item, { maxItems })

const Address = base58('a base58 address of 32 bytes', 32, 32, 44)
const Blockhash = base58('a base58 blockhash of 32 bytes', 32, 32, 44)
const Signature = base58('a base58 signature of 64 bytes', 64, 64, 88)
/** `chains/solana/encoding.ts` checks a transaction's text, with its own codes. */
const Transaction = Type.String({ title: 'a transaction as base64 or base58 text' })
/** Bounded like a transaction; the node decides whether it is a message. */
const Message = Type.Refine(
  Type.String({ title: 'a message as base64 text, of at most 1,232 bytes', minLength: 4 }),
  (text) => typeof decodeTransaction(text, 'base64') !== 'string',
)
/** JSON numbers are exact up to here; a node's slots, offsets and counts don't come close. */
const Unsigned = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
/** Beyond that only the operator's bound counts, so lost digits never show. */
const Retries = Type.Integer({ minimum: 0 })

const Commitment = Type.Enum(['processed', 'confirmed', 'finalized'])
const AccountEncoding = Type.Enum(['base58', 'base64', 'base64+zstd', 'jsonParsed', 'binary'])
const TransactionEncoding = Type.Enum(['json', 'jsonParsed', 'base64', 'base58', 'binary'])
const SubmissionEncoding = Type.Enum(['base58', 'base64'])

const bank = { commitment: orAbsent(Commitment), minContextSlot: orAbsent(Unsigned) }

const BankOptions = Type.Object(bank)

const AccountOptions = Type.Object({
  encoding: orAbsent(AccountEncoding),
  dataSlice: orAbsent(Type.Object({ offset: Unsigned, length: Unsigned })),
  ...bank,
})

/**
 * The options of a token balance and of a rent exemption: commitment is not
 * optional inside the object, and there is no minContextSlot.
 */
const CommitmentOptions = Type.Object({ commitment: Commitment })

/** The filter of token accounts is an externally tagged enum in the node: exactly one key. */
const TokenFilter = Type.Object(
  { mint: Type.Optional(Address), programId: Type.Optional(Address) },
  {
    title: 'an object with exactly one of mint, programId',
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
  },
)

/** The options of a status: the one option is not optional inside the object. */
const StatusOptions = Type.Object({ searchTransactionHistory: Type.Boolean() })

const TransactionOptions = Type.Object({
  encoding: orAbsent(TransactionEncoding),
  commitment: orAbsent(Type.Enum(['confirmed', 'finalized'])),
  // The version is a u8 in the node, which refuses by itself a transaction of a higher one.
  maxSupportedTransactionVersion: orAbsent(Type.Integer({ minimum: 0, maximum: 255 })),
  withContext: orAbsent(Type.Boolean()),
})

/** A node lists nothing below `confirmed`. */
const ListingOptions = Type.Object({
  limit: orAbsent(Type.Integer({ minimum: 1, maximum: MAX_LISTED_SIGNATURES })),
  before: orAbsent(Signature),
  until: orAbsent(Signature),
  commitment: orAbsent(Type.Enum(['confirmed', 'finalized'])),
  minContextSlot: orAbsent(Unsigned),
})

const submission = {
  encoding: orAbsent(SubmissionEncoding),
  skipPreflight: Type.Optional(Type.Boolean()),
  preflightCommitment: orAbsent(Commitment),
  maxRetries: orAbsent(Retries),
  minContextSlot: orAbsent(Unsigned),
}

export const SendOptions = Type.Object(submission)
export type SendOptions = Static<typeof SendOptions>

export const BatchOptions = Type.Object({ ...submission, independent: Type.Optional(Type.Boolean()) })
export type BatchOptions = Static<typeof BatchOptions>

export const SimulationOptions = Type.Object(
  {
    sigVerify: Type.Optional(Type.Boolean()),
    replaceRecentBlockhash: Type.Optional(Type.Boolean()),
    ...bank,
    innerInstructions: Type.Optional(Type.Boolean()),
    accounts: orAbsent(
      Type.Object({
        addresses: list(Address, MAX_SIMULATED_ACCOUNTS),
        encoding: orAbsent(Type.Enum(['base64', 'base64+zstd', 'jsonParsed'])),
      }),
    ),
    encoding: orAbsent(SubmissionEncoding),
  },
  {
    title: 'an object in which sigVerify and replaceRecentBlockhash are not both true',
    not: {
      properties: { sigVerify: { const: true }, replaceRecentBlockhash: { const: true } },
      required: ['sigVerify', 'replaceRecentBlockhash'],
    },
  },
)
export type SimulationOptions = Static<typeof SimulationOptions>

/** @param last  schemas of the one optional member, in addition to null; none: there is no such member */
function tuple(required: readonly TSchema[], ...last: TSchema[]): ParamsSchema {
  const prefixItems = last.length === 0 ? required : [...required, Type.Union([...last, Type.Null()])]
  const schema = { type: 'array', prefixItems, minItems: required.length, maxItems: prefixItems.length }
  return Type.Unsafe<readonly unknown[]>(schema) as ParamsSchema
}

export const METHOD_PARAMS = {
  getBalance: tuple([Address], BankOptions),
  getTokenAccountsByOwner: tuple([Address, TokenFilter], AccountOptions),
  getLatestBlockhash: tuple([], BankOptions),
  getSignatureStatuses: tuple([list(Signature, MAX_STATUS_SIGNATURES)], StatusOptions),
  getAccountInfo: tuple([Address], AccountOptions),
  getMultipleAccounts: tuple([list(Address, MAX_MULTIPLE_ACCOUNTS)], AccountOptions),
  getTokenAccountBalance: tuple([Address], CommitmentOptions),
  sendTransaction: tuple([Transaction], SendOptions),
  sendTransactions: tuple([list(Transaction, MAX_BATCH_ITEMS)], BatchOptions),
  simulateTransaction: tuple([Transaction], SimulationOptions),
  getTransaction: tuple([Signature], TransactionOptions, TransactionEncoding),
  getBlockHeight: tuple([], BankOptions),
  getSlot: tuple([], BankOptions),
  getRecentPrioritizationFees: tuple([], list(Address, MAX_FEE_ACCOUNTS)),
} as const satisfies Partial<Record<MethodName, ParamsSchema>>

const SubscribeOptions = Type.Object({
  commitment: orAbsent(Commitment),
  enableReceivedNotification: orAbsent(Type.Boolean()),
})
export type SubscribeOptions = Static<typeof SubscribeOptions>

/** Other encodings would need separate calls: each account is polled once. */
const AccountSubscribeOptions = Type.Object({
  encoding: orAbsent(Type.Enum(['base64', 'base58', 'binary'])),
  commitment: orAbsent(Commitment),
  dataSlice: orAbsent(Type.Object({ offset: Unsigned, length: Unsigned })),
})
export type AccountSubscribeOptions = Static<typeof AccountSubscribeOptions>

/** The methods that are served over a WebSocket. */
export const SUBSCRIPTION_PARAMS = {
  signatureSubscribe: tuple([Signature], SubscribeOptions),
  signatureUnsubscribe: tuple([Unsigned]),
  accountSubscribe: tuple([Address], AccountSubscribeOptions),
  accountUnsubscribe: tuple([Unsigned]),
  slotSubscribe: tuple([]),
  slotUnsubscribe: tuple([Unsigned]),
} as const

export const EXTRA_PARAMS = {
  getMinimumBalanceForRentExemption: tuple(
    [Type.Integer({ minimum: 0, maximum: MAX_ACCOUNT_BYTES })],
    CommitmentOptions,
  ),
  getFeeForMessage: tuple([Message], BankOptions),
  isBlockhashValid: tuple([Blockhash], BankOptions),
  getSignaturesForAddress: tuple([Address], ListingOptions),
  getEpochInfo: tuple([], BankOptions),
  getVersion: tuple([]),
  getGenesisHash: tuple([]),
  getAgGenesisCert: tuple([]),
  getHealth: tuple([]),
} as const satisfies Record<ExtraMethodName, ParamsSchema>
