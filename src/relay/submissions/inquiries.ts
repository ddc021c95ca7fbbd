/** Answers questions about submissions: a receipt by its whole signature, the list of rebroadcasts. */

import { decodeBase58, encodeBase58 } from '../../chains/solana/base58.ts'
import { SIGNATURE_BYTES } from '../../chains/solana/sizes.ts'
import type { Client } from '../../flow/cancellation.ts'
import type { Rebroadcasts, SubmissionReceipt } from '../../runtime/resources/receipt.ts'
import type { LandedFees } from './landed-fees.ts'
import type { RecordedReceipt } from './receipts.ts'
import type { Submissions } from './submissions.ts'

const MAX_SHOWN = 100

/** What this instance knows of a transaction. */
export type Submitted = ReturnType<Inquiries['submitted']>

/** The same questions, which another thread may have to answer. */
export type Asked<Answering> = {
  readonly [Name in keyof Answering]: Answering[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Answer | Promise<Awaited<Answer>>
    : never
}

export class Inquiries {
  readonly #submissions: Submissions

  constructor(submissions: Submissions) {
    this.#submissions = submissions
  }

  /**
   * Null if it isn't among the last submissions here.
   * @param digest  the first signature, base58 of 64 bytes
   */
  receipt(digest: string): SubmissionReceipt | null {
    const receipt = this.#submissions.receipts.find(bytesOf(digest))
    return receipt === null ? null : toResource(digest, receipt)
  }

  rebroadcasts(): Rebroadcasts {
    const { pending } = this.#submissions
    const all = pending.list()
    return { everyMs: Math.round(pending.againMs), count: all.length, transactions: all.slice(0, MAX_SHOWN) }
  }

  /** The prices of transactions that landed recently. */
  landedFees(): ReturnType<LandedFees['recent']> {
    return this.#submissions.pending.landedFees.recent()
  }

  /** The tip for a client's next transaction; null if no service with known tips is configured. */
  adviseTip(client: Client) {
    const tip = this.#submissions.pending.tips.advise(client)
    if (tip === null) return null
    const { service, lamports, basis } = tip
    return {
      service: service?.name ?? null,
      lamports: String(lamports),
      accounts: service === null ? [] : service.tipAccounts,
      leastComputeUnitPrice: Number(service?.leastPrice ?? 0),
      basis,
    }
  }

  /** The last submissions, the newest first. */
  lastReceipts(most: number): SubmissionReceipt[] {
    const last = this.#submissions.receipts.last(most)
    return last.map(({ signature, receipt }) => toResource(encodeBase58(signature), receipt))
  }

  /** Whether it is among the last submissions. @param signature  base58 of 64 bytes */
  isSubmitted(signature: string): boolean {
    return this.#submissions.receipts.find(bytesOf(signature)) !== null
  }

  /** Notes that a node has shown a transaction in a block. */
  landed(signature: string, slot: number, isFailed: boolean): void {
    this.#submissions.receipts.landed(bytesOf(signature), slot, isFailed)
  }

  /** @param signature  base58 of 64 bytes */
  submitted(signature: string) {
    return {
      /** It is being sent again. */
      isPending: this.#submissions.pending.has(signature),
      receipt: this.receipt(signature),
    }
  }
}

function toResource(digest: string, receipt: RecordedReceipt): SubmissionReceipt {
  return { digest, ...receipt, receivedAt: new Date(receipt.receivedAt).toISOString() }
}

const bytesOf = (signature: string): Uint8Array => decodeBase58(signature, SIGNATURE_BYTES)!
