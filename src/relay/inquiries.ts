/**
 * What can be asked about submissions: a receipt, by the whole signature; what
 * is being sent again; and where a transaction stands, of which a node has the
 * last word.
 */
import { CLOCK, type Clock } from '../clock.ts'
import { GatewayError } from '../errors.ts'
import { Flights } from '../flights.ts'
import type { SolanaRpc } from '../nodes/solana-rpc.ts'
import type { Rebroadcasts, SubmissionReceipt, TransactionStatus } from '../resources.ts'
import { decodeBase58 } from '../solana/base58.ts'
import { SIGNATURE_BYTES } from '../solana/wire.ts'
import type { Caller } from '../upstream/caller.ts'
import { AGAIN_MS } from './pending.ts'
import { readStatuses, type SignatureStatus } from './statuses.ts'
import type { Submissions } from './submissions.ts'

const DEADLINE_MS = 10_000
/** A slot: for so long an answer serves whoever asks the same. */
const KEEP_MS = 400
const MAX_SHOWN = 100

export interface InquiriesOptions {
  readonly rpc: SolanaRpc
  readonly submissions: Submissions
  readonly clock?: Clock
}

export class Inquiries {
  readonly #rpc: SolanaRpc
  readonly #submissions: Submissions
  readonly #statuses: Flights<{ readonly status: SignatureStatus | null }>

  constructor({ rpc, submissions, clock = CLOCK }: InquiriesOptions) {
    this.#rpc = rpc
    this.#submissions = submissions
    this.#statuses = new Flights(KEEP_MS, clock)
  }

  /**
   * @param digest  the first signature, base58 of 64 bytes
   * @throws GatewayError  404 where it is not among the last ones
   */
  receipt(digest: string): SubmissionReceipt {
    const receipt = this.#receiptOf(digest)
    if (receipt !== null) return receipt
    const message =
      'No transaction of this signature was among the last 10,000 submissions. Ask with the whole first signature.'
    throw new GatewayError('receipt_not_found', message, { field: 'digest' })
  }

  rebroadcasts(): Rebroadcasts {
    const all = this.#submissions.pending.list()
    return { everyMs: AGAIN_MS, count: all.length, transactions: all.slice(0, MAX_SHOWN) }
  }

  /**
   * Asks a node after everything else, on the caller's account: there is no budget for it.
   * @param signature  base58 of 64 bytes
   * @throws GatewayError  upstream_*
   */
  async status(signature: string, caller: Caller): Promise<TransactionStatus> {
    const { status } = await this.#statuses.join(signature, caller, (shared) => this.#ask(signature, shared))
    if (status !== null) this.#submissions.receipts.landed(bytesOf(signature), status.slot)
    const isPending = status === null && this.#submissions.pending.has(signature)
    return {
      chain: 'solana',
      signature,
      status: status?.confirmationStatus ?? (isPending ? 'pending' : 'not_found'),
      slot: status?.slot ?? null,
      err: status?.err ?? null,
      receipt: this.#receiptOf(signature),
    }
  }

  async #ask(signature: string, caller: Caller): Promise<{ readonly status: SignatureStatus | null }> {
    const params = `[["${signature}"],{"searchTransactionHistory":true}]`
    const { result } = await this.#rpc.read('getSignatureStatuses', params, DEADLINE_MS, caller, 'research')
    const answer = result === null ? null : readStatuses(result, 1)
    if (answer !== null) return { status: answer.statuses[0]! }
    throw new GatewayError('upstream_unusable', 'The upstream does not tell the status. Try again later.')
  }

  #receiptOf(digest: string): SubmissionReceipt | null {
    const receipt = this.#submissions.receipts.find(bytesOf(digest))
    if (receipt === null) return null
    const { receivedAt, parsedUs, verifiedUs, upstreams, landed } = receipt
    return {
      digest,
      receivedAt: new Date(receivedAt).toISOString(),
      parsedUs,
      verifiedUs,
      upstreams: upstreams.map((delivery) => ({ ...delivery })),
      landed,
    }
  }
}

const bytesOf = (signature: string): Uint8Array => decodeBase58(signature, SIGNATURE_BYTES)!
