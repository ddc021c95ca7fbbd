/**
 * The state of a transaction on Solana: its status and, once its block is
 * confirmed, its fee and the balance changes of its payer.
 *
 * Source: §4.10 · anza-xyz/agave rpc/src/rpc.rs (get_signature_statuses, get_transaction),
 * transaction-status-client-types/src/lib.rs (UiTransactionStatusMeta)
 */
import { Type } from 'typebox'
import { nativeAddress } from '../../chains/address.ts'
import { findChain } from '../../chains/find.ts'
import {
  MAX_ACCOUNTS,
  MAX_INSTRUCTIONS,
  MAX_LOOKUPS,
  MAX_V1_TRANSACTION_BYTES,
} from '../../chains/solana/sizes.ts'
import { solanaForm } from '../../chains/transaction-digest.ts'
import type { Call } from '../../flow/call.ts'
import { answerReader } from '../../providers/answer.ts'
import { readStatuses, type SignatureStatus } from '../../relay/reads/statuses.ts'
import type { Asked, Inquiries } from '../../relay/submissions/inquiries.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { nullable } from '../../runtime/resources/shared.ts'
import type { SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'
import { BalanceChanges } from './balance-changes.ts'
import { stateOf, type TransactionState } from './shapes.ts'

const SOLANA = findChain('solana')!
const NATIVE = nativeAddress(SOLANA)

/** JSON.parse rounds larger numbers; no account holds as much. */
const Lamports = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const TokenBalances = nullable(
  Type.Array(
    Type.Object({
      mint: Type.String({ maxLength: 44 }),
      owner: Type.Optional(Type.String({ maxLength: 44 })),
      uiTokenAmount: Type.Object({
        amount: Type.String({ pattern: '^\\d{1,20}$' }),
        decimals: Type.Integer({ minimum: 0, maximum: 255 }),
      }),
    }),
  ),
)
const Indexes = Type.Array(Type.Integer(), { maxItems: MAX_ACCOUNTS })
const readDetails = answerReader(
  Type.Object({
    blockTime: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 1e12 }))),
    transaction: Type.Object({
      signatures: Type.Array(Type.String(), { minItems: 1 }),
      message: Type.Object({
        accountKeys: Type.Array(Type.String({ maxLength: 44 }), { minItems: 1, maxItems: MAX_ACCOUNTS }),
        recentBlockhash: Type.Optional(Type.String({ maxLength: 44 })),
        instructions: Type.Optional(
          Type.Array(
            Type.Object({
              programIdIndex: Type.Integer(),
              accounts: Indexes,
              data: Type.String({ maxLength: 2 * MAX_V1_TRANSACTION_BYTES }),
            }),
            { maxItems: MAX_INSTRUCTIONS },
          ),
        ),
        addressTableLookups: Type.Optional(
          nullable(
            Type.Array(
              Type.Object({
                accountKey: Type.String({ maxLength: 44 }),
                writableIndexes: Indexes,
                readonlyIndexes: Indexes,
              }),
              { maxItems: MAX_LOOKUPS },
            ),
          ),
        ),
      }),
    }),
    meta: Type.Object({
      fee: Lamports,
      preBalances: Type.Array(Lamports, { minItems: 1 }),
      postBalances: Type.Array(Lamports, { minItems: 1 }),
      preTokenBalances: Type.Optional(TokenBalances),
      postTokenBalances: Type.Optional(TokenBalances),
    }),
  }),
)

/** A transaction's status, as a node reports it. */
interface Sighting {
  /** Null if no block holds it. */
  readonly status: SignatureStatus | null
  /** The slot of the node's answer. */
  readonly contextSlot: number
}

export type SolanaDetails = ReturnType<typeof detailsOf>

export class SolanaTransactions {
  readonly #rpc: Pick<SolanaRpc, 'read'>
  readonly #inquiries: Pick<Asked<Inquiries>, 'landed'>

  constructor(rpc: Pick<SolanaRpc, 'read'>, inquiries: Pick<Asked<Inquiries>, 'landed'>) {
    this.#rpc = rpc
    this.#inquiries = inquiries
  }

  /**
   * @param signature  base58 of 64 bytes
   * @returns the state, and the details; null if its block is not confirmed, or no node has it any more
   * @throws GatewayError  502 upstream_*
   */
  async find(signature: string, call: Call) {
    const sighting = await this.#sight(signature, call)
    const { status } = sighting
    const isSettled = status !== null && status.confirmationStatus !== 'processed'
    const details = isSettled ? await this.#details(signature, call) : null
    return { state: seenAs(signature, sighting, details), details }
  }

  /** Asks with the lowest priority, on the client's account. No budget covers it. */
  async #sight(signature: string, call: Call): Promise<Sighting> {
    const params = `[["${signature}"],{"searchTransactionHistory":true}]`
    const { result } = await this.#rpc.read('getSignatureStatuses', params, call.as('research'))
    const answer = result === null ? null : readStatuses(result, 1)
    if (answer === null) {
      throw new GatewayError('upstream_unusable', 'The upstream did not answer the status. Try again later.')
    }
    const status = answer.statuses[0]!
    if (status !== null) void this.#inquiries.landed(signature, status.slot, status.err !== null)
    return { status, contextSlot: answer.contextSlot }
  }

  /** @returns null if the node no longer has it or refuses the call */
  async #details(signature: string, call: Call): Promise<SolanaDetails | null> {
    const options = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 1 }
    const params = JSON.stringify([signature, options])
    const { result } = await this.#rpc.read('getTransaction', params, call)
    if (result === null || result.equals(NULL)) return null
    const value = readDetails(result)?.value
    if (value === undefined || value.transaction.signatures[0] !== signature) {
      const message = 'The upstream did not return the transaction that was asked for.'
      throw new GatewayError('upstream_unusable', message)
    }
    return detailsOf(value)
  }
}

const NULL = Buffer.from('null')

/** The fee of a transaction, and the balance changes of the account that paid it. */
function detailsOf({ transaction, meta, blockTime }: NonNullable<ReturnType<typeof readDetails>>['value']) {
  const payer = transaction.message.accountKeys[0]!
  const changes = new BalanceChanges()
  const lamports = BigInt(meta.postBalances[0]!) - BigInt(meta.preBalances[0]!) + BigInt(meta.fee)
  changes.add(NATIVE, lamports, SOLANA.decimals)
  let isPartial = false
  for (const [sign, balances] of [
    [-1n, meta.preTokenBalances ?? []],
    [1n, meta.postTokenBalances ?? []],
  ] as const) {
    for (const { mint, owner, uiTokenAmount } of balances) {
      if (owner === undefined) isPartial = true
      if (owner !== payer) continue
      // The native coin has the address of wrapped SOL's mint, so the two are summed up.
      changes.add(mint, sign * BigInt(uiTokenAmount.amount), uiTokenAmount.decimals)
    }
  }
  const { recentBlockhash, instructions, ...rest } = transaction.message
  const isWhole = recentBlockhash !== undefined && instructions !== undefined
  return {
    payer,
    fee: meta.fee,
    /** The block's time, ms epoch; null if the node does not know. */
    at: blockTime == null ? null : blockTime * 1_000,
    changes,
    /** Whether a balance lacks its owner, so that changes may be missing. */
    isPartial,
    /** What it does; null if the node leaves that out. */
    form: isWhole ? solanaForm({ ...rest, recentBlockhash, instructions }) : null,
  }
}

function seenAs(signature: string, { status, contextSlot }: Sighting, details: SolanaDetails | null) {
  return stateOf({ chain: SOLANA, hash: null, signature }, statusOf(status), {
    isFinal: status?.confirmationStatus === 'finalized',
    // The status may come from a newer slot than the answer's context.
    confirmations: status === null ? null : Math.max(1, contextSlot - status.slot + 1),
    slot: status?.slot ?? null,
    includedAt: details?.at ?? null,
    err: status?.err ?? null,
    fee: details === null ? null : { amount: String(details.fee), l1: null, paidBy: details.payer },
  })
}

/** A transaction in an unconfirmed block is pending: the block may be on a fork. */
function statusOf(status: Sighting['status']): TransactionState['status'] {
  if (status === null) return 'unknown'
  if (status.confirmationStatus === 'processed') return 'pending'
  return status.err === null ? status.confirmationStatus : 'failed'
}
