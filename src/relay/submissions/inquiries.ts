/**
 * Answers questions about submissions: a receipt by its whole signature, the list of rebroadcasts, and a
 * transaction's status from a node.
 */

import { decodeBase58, encodeBase58 } from '../../chains/solana/base58.ts'
import { SIGNATURE_BYTES } from '../../chains/solana/sizes.ts'
import type { Call } from '../../flow/call.ts'
import type { Client } from '../../flow/cancellation.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Rebroadcasts, SubmissionReceipt } from '../../runtime/resources/receipt.ts'
import type { SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'
import { readStatuses } from '../reads/statuses.ts'
import type { LandedFees } from './landed-fees.ts'
import type { RecordedReceipt } from './receipts.ts'
import type { Submissions } from './submissions.ts'
import type { AdvisedTip } from './tip-advice.ts'

const MAX_SHOWN = 100

/** A transaction's status, as a node reports it. */
export type Sighting = Awaited<ReturnType<Inquiries['sight']>>

/** What this instance knows of a transaction. */
export type Submitted = ReturnType<Inquiries['submitted']>

interface InquiriesOptions {
  readonly rpc: Pick<SolanaRpc, 'read'>
  readonly submissions: Submissions
}

export class Inquiries {
  readonly #options: InquiriesOptions

  constructor(options: InquiriesOptions) {
    this.#options = options
  }

  /**
   * @param digest  the first signature, base58 of 64 bytes
   * @throws GatewayError  404 if it isn't among the last submissions
   */
  receipt(digest: string): SubmissionReceipt {
    const receipt = this.#receiptOf(digest)
    if (receipt !== null) return receipt
    const message =
      'No transaction of this signature was among the last 10,000 submissions. Ask with the whole first signature.'
    throw new GatewayError('receipt_not_found', message, { field: 'digest' })
  }

  rebroadcasts(): Rebroadcasts {
    const { pending } = this.#options.submissions
    const all = pending.list()
    return { everyMs: Math.round(pending.againMs), count: all.length, transactions: all.slice(0, MAX_SHOWN) }
  }

  /** The prices of transactions that landed recently. */
  landedFees(): ReturnType<LandedFees['recent']> {
    return this.#options.submissions.pending.landedFees.recent()
  }

  /** The tip for a client's next transaction; null if no service with known tips is configured. */
  adviseTip(client: Client): AdvisedTip | null {
    return this.#options.submissions.pending.tips.advise(client)
  }

  /** The last submissions, the newest first. */
  lastReceipts(most: number): SubmissionReceipt[] {
    const last = this.#options.submissions.receipts.last(most)
    return last.map(({ signature, receipt }) => toResource(encodeBase58(signature), receipt))
  }

  /**
   * Asks a node for a transaction's status with the lowest priority, on the
   * client's account. No budget covers it.
   * @param signature  base58 of 64 bytes
   * @throws GatewayError  upstream_*
   */
  async sight(signature: string, call: Call) {
    const params = `[["${signature}"],{"searchTransactionHistory":true}]`
    const { result } = await this.#options.rpc.read('getSignatureStatuses', params, call.as('research'))
    const answer = result === null ? null : readStatuses(result, 1)
    if (answer === null) {
      throw new GatewayError('upstream_unusable', 'The upstream did not answer the status. Try again later.')
    }
    const status = answer.statuses[0]!
    if (status !== null)
      this.#options.submissions.receipts.landed(bytesOf(signature), status.slot, status.err !== null)
    // Null if no block holds it; the slot is that of the node's answer.
    return { status, contextSlot: answer.contextSlot }
  }

  /** @param signature  base58 of 64 bytes */
  submitted(signature: string) {
    return {
      /** It is being sent again. */
      isPending: this.#options.submissions.pending.has(signature),
      /** Null if it isn't among the last submissions here. */
      receipt: this.#receiptOf(signature),
    }
  }

  #receiptOf(digest: string): SubmissionReceipt | null {
    const receipt = this.#options.submissions.receipts.find(bytesOf(digest))
    return receipt === null ? null : toResource(digest, receipt)
  }
}

function toResource(digest: string, receipt: RecordedReceipt): SubmissionReceipt {
  return { digest, ...receipt, receivedAt: new Date(receipt.receivedAt).toISOString() }
}

const bytesOf = (signature: string): Uint8Array => decodeBase58(signature, SIGNATURE_BYTES)!
