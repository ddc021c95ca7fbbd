/**
 * Submits verified transactions. Identical bytes are sent once, however often they arrive; a transaction is
 * followed until a block holds it; and a refusal says whether its blockhash has expired.
 *
 * Source: §4.9
 */

import { encodeBase58 } from '../../chains/solana/base58.ts'
import { durableNonceOf } from '../../chains/solana/nonce.ts'
import { Call } from '../../flow/call.ts'
import type { CancellationScope } from '../../flow/cancellation.ts'
import type { Funnel } from '../../http/counts/funnel.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError, nullIfRefused } from '../../runtime/errors.ts'
import { acceptance } from '../../upstream/nodes/json-rpc.ts'
import type { RpcReply, SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'
import type { SendOptions } from '../methods/params.ts'
import { retriesOf, submissionParams } from '../methods/rebuild.ts'
import type { StatusPoller } from '../reads/statuses.ts'
import { Blockhashes } from './blockhashes.ts'
import { isBlockhashNotFound, withExpired } from './expired.ts'
import type { Lease, Leases } from './leases.ts'
import { HeldNonce, Nonces } from './nonces.ts'
import { type FollowedSubmission, Pending } from './pending.ts'
import { type Arrival, Receipts } from './receipts.ts'
import { Retries } from './retries.ts'
import type { ParsedTransaction } from './submission.ts'

/** The longest that a refusal waits for the cluster's block height. */
const HEIGHT_DEADLINE_MS = 2_000
/** After this long a transaction whose retries other instances have used up may be submitted again. */
const SPENT_MS = 1_000
const HEIGHT_PARAMS = '[{"commitment":"confirmed"}]'

interface SubmissionsOptions {
  readonly rpc: SolanaRpc
  readonly statuses: StatusPoller
  /** Bound of a submission's `maxRetries`, and of its rebroadcasts. */
  readonly maxRetries: number
  /** Counts how far transactions get. */
  readonly funnel: Pick<Funnel, 'count'> | null
  /** Leases between instances; null for a single instance. */
  readonly leases: Leases | null
  readonly clock: Clock
}

/** What the submissions of one request have in common. */
export interface SubmitTerms {
  readonly call: Call
  readonly arrival: Arrival
}

/** A transaction, and how it is sent. */
interface Sending {
  readonly transaction: ParsedTransaction
  readonly paramsJson: string
  readonly terms: SubmitTerms
}

/** A submission on its way. Boxed, so that `await` doesn't unwrap the reply promise. */
interface BegunSubmission {
  readonly reply: Promise<RpcReply>
}

export class Submissions {
  readonly blockhashes: Blockhashes
  readonly pending: Pending
  readonly receipts: Receipts
  readonly #options: SubmissionsOptions
  readonly #nonces: Nonces
  /** Submissions that wait for their leases, by the transaction's base64. */
  readonly #beginning = new Map<string, Promise<BegunSubmission>>()

  constructor(options: SubmissionsOptions) {
    const { rpc, funnel, clock } = options
    this.#options = options
    this.blockhashes = new Blockhashes({ rpc, clock })
    this.#nonces = new Nonces(rpc, clock)
    const { blockhashes } = this
    this.pending = new Pending({
      ...options,
      blockhashes,
      nonces: this.#nonces,
      askHeight: () => this.#askHeight(),
    })
    this.receipts = new Receipts({ upstreams: rpc.submissions.labels, funnel, clock })
  }

  /**
   * @param transaction  its signatures are verified
   * @throws GatewayError  if no node gave a usable answer
   */
  async submit(
    transaction: ParsedTransaction,
    options: SendOptions | null | undefined,
    terms: SubmitTerms,
  ): Promise<RpcReply> {
    const { base64 } = transaction
    const { maxRetries, leases } = this.#options
    const paramsJson = submissionParams(base64, options, maxRetries)
    const known = this.pending.find(transaction)
    if (known !== null) {
      const { submission, reply } = known
      if (submission.paramsJson === paramsJson)
        return this.#explain(await reply, submission, terms.call.scope)
      // An acceptance holds whatever the options were; a refusal may differ with other options.
      const knownReply = await reply.catch(nullIfRefused)
      if (knownReply?.error === null) return knownReply
    }
    const bound = retriesOf(options, maxRetries)
    const sending = { transaction, paramsJson, terms }
    if (leases === null) return this.#send(sending, new Retries(bound), null)
    const beginning = this.#beginning.get(base64)
    if (beginning !== undefined) {
      await beginning.catch(nullIfRefused)
      return this.submit(transaction, options, terms)
    }
    const begun = this.#begin(sending, leases, bound)
    // A transaction that isn't rebroadcast isn't pending either: the next request with it goes through.
    if (bound === 0) return (await begun).reply
    this.#beginning.set(base64, begun)
    try {
      return (await begun).reply
    } finally {
      this.#beginning.delete(base64)
    }
  }

  close(): void {
    this.pending.close()
  }

  /**
   * Acquires the lease, and sends. Requests of this instance with the same transaction wait for that: then
   * `pending` knows of it.
   */
  async #begin(sending: Sending, leases: Leases, bound: number): Promise<BegunSubmission> {
    const { base64, signature } = sending.transaction
    const outcome = await leases.acquire(base64, sending.terms.call, bound > 0)
    if (outcome.kind === 'accepted') return { reply: Promise.resolve(acceptance(signature)) }
    if (outcome.kind !== 'send') throw outcome.kind === 'late' ? late() : spent()
    const retries = new Retries(Math.min(outcome.retries ?? bound, bound))
    return { reply: this.#send(sending, retries, outcome.lease) }
  }

  async #send(
    { transaction: { wire, base64, signature }, paramsJson, terms: { call, arrival } }: Sending,
    retries: Retries,
    lease: Lease | null,
  ): Promise<RpcReply> {
    const blockhash = encodeBase58(wire.blockhash())
    const nonce = durableNonceOf(wire)
    const submission: FollowedSubmission = {
      base64,
      signature,
      paramsJson,
      blockhash,
      nonce: nonce && new HeldNonce(nonce),
      retries,
      lease,
      client: call.scope.client,
      trace: this.receipts.begin(wire.signature(0), arrival),
      isLag: (error) => isBlockhashNotFound(error) && this.blockhashes.verdict(blockhash) === 'valid',
    }
    const reply = this.#options.rpc.submissions.submit(submission, call)
    if (lease !== null) {
      const release = (): void => lease.release(retries.handOver())
      reply.then(({ error }) => (error === null ? lease.accepted() : release()), release)
    }
    if (retries.left > 0) this.pending.follow(submission, reply)
    return this.#explain(await reply, submission, call.scope)
  }

  /** Marks a refusal because of an expired blockhash, or of a nonce that was advanced, as such. */
  async #explain(
    reply: RpcReply,
    { blockhash, nonce }: Pick<FollowedSubmission, 'blockhash' | 'nonce'>,
    scope: CancellationScope,
  ): Promise<RpcReply> {
    if (reply.error === null || !isBlockhashNotFound(reply.error)) return reply
    if (nonce !== null) return (await this.#nonces.hasOther(nonce, scope)) ? withExpired(reply) : reply
    const verdict = this.blockhashes.verdict(blockhash)
    const isOpen = verdict === 'valid' || verdict === 'unclear'
    if (isOpen && this.blockhashes.confirmedAgeMs >= this.#options.rpc.slotMs) await this.#askHeight(scope)
    return this.blockhashes.verdict(blockhash) === 'expired' ? withExpired(reply) : reply
  }

  async #askHeight(scope?: CancellationScope): Promise<void> {
    const reply = await this.#options.rpc
      .read(
        'getBlockHeight',
        HEIGHT_PARAMS,
        Call.of(this.#options.clock, 'research', HEIGHT_DEADLINE_MS, scope),
      )
      .catch(nullIfRefused)
    if (reply !== null) this.blockhashes.learn('getBlockHeight', HEIGHT_PARAMS, reply)
  }
}

function late(): GatewayError {
  const message =
    'Another instance of the gateway has sent the transaction, and no node has answered it in time. Look at its status before you sign anew.'
  return new GatewayError('upstream_timeout', message)
}

function spent(): GatewayError {
  const message =
    'Other instances of the gateway have sent the transaction as often as its retries allow, and no node took it. Try again when retryAfterMs have passed.'
  return new GatewayError('upstream_unavailable', message, { retryAfterMs: SPENT_MS })
}
