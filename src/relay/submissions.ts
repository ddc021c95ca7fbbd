/**
 * A verified transaction, from here to the nodes and back: sent once however
 * often the same bytes come, followed until it has landed, and told apart where
 * its blockhash was not found.
 *
 * Source: §4.9
 */

import { encodeBase58 } from '../chains/solana/base58.ts'
import type { Funnel } from '../http/counts/funnel.ts'
import type { CancellationScope } from '../runtime/cancellation.ts'
import { CLOCK, type Clock, countdown } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import { acceptance } from '../upstream/nodes/json-rpc.ts'
import type { RpcReply, SolanaRpc } from '../upstream/nodes/solana-rpc.ts'
import type { Outgoing } from '../upstream/nodes/solana-submissions.ts'
import { Blockhashes } from './blockhashes.ts'
import { isBlockhashNotFound, withExpired } from './expired.ts'
import type { Lease, LeaseOutcome, Leases } from './leases.ts'
import { isDurableNonce } from './nonce.ts'
import type { SendOptions } from './params.ts'
import { Pending } from './pending.ts'
import { retriesOf, submissionParams } from './rebuild.ts'
import { type Arrival, Receipts } from './receipts.ts'
import { Retries } from './retries.ts'
import type { StatusPoller } from './statuses.ts'
import type { Submission } from './submission.ts'

/** How long a refusal waits at most for the cluster's block height. */
const HEIGHT_DEADLINE_MS = 2_000
/** After so long it may be submitted anew, where other instances have sent it as often as it may be sent. */
const SPENT_MS = 1_000
const CONFIRMED = '[{"commitment":"confirmed"}]'

export interface SubmissionsOptions {
  readonly rpc: SolanaRpc
  readonly statuses: StatusPoller
  /** Bound of a submission's `maxRetries`, and of how often it is sent again. */
  readonly maxRetries: number
  /** Told how far transactions get. */
  readonly funnel?: Pick<Funnel, 'count'> | null
  /** What other instances have on their way; null where there are none. */
  readonly turns?: Leases | null
  readonly clock?: Clock
}

/** To be sent once, and again as often as this says. */
interface Sending {
  readonly outgoing: Outgoing
  readonly retries: Retries
  readonly claim: Lease | null
}

/** On whose account and how long. */
export interface SubmitTerms {
  readonly deadlineMs: number
  readonly scope: CancellationScope
  readonly arrival: Arrival
}

export class Submissions {
  readonly blockhashes: Blockhashes
  readonly pending: Pending
  readonly receipts: Receipts
  readonly #rpc: SolanaRpc
  readonly #maxRetries: number
  readonly #turns: Leases | null
  readonly #clock: Clock
  /** Transactions of which another instance may know, by their base64, until that is told. */
  readonly #asking = new Map<string, Promise<LeaseOutcome>>()

  constructor(options: SubmissionsOptions) {
    const { rpc, statuses, maxRetries, funnel = null, turns = null, clock = CLOCK } = options
    this.#rpc = rpc
    this.#maxRetries = maxRetries
    this.#turns = turns
    this.#clock = clock
    const { submissions } = rpc
    this.blockhashes = new Blockhashes(clock)
    this.pending = new Pending({ submissions, statuses, blockhashes: this.blockhashes, clock })
    this.receipts = new Receipts({ upstreams: submissions.labels, funnel, clock })
  }

  /**
   * @param submission  verified
   * @throws GatewayError  where no node gave a usable answer
   */
  async submit(
    submission: Submission,
    options: SendOptions | null | undefined,
    terms: SubmitTerms,
  ): Promise<RpcReply> {
    const { base64: transaction, signature } = submission
    const paramsJson = submissionParams(transaction, options, this.#maxRetries)
    const outgoing = { paramsJson, transaction, signature }
    const known = this.pending.find(outgoing)
    if (known !== null) {
      if (known.outgoing.paramsJson === paramsJson)
        return this.#told(await known.reply, known.blockhash, terms)
      // Whatever it was accepted with: it is on its way. A refusal may be another with other options.
      const reply = await known.reply.catch(isUsual)
      if (reply?.error === null) return reply
    }
    const bound = retriesOf(options, this.#maxRetries)
    if (this.#turns === null) {
      return this.#send(submission, { outgoing, retries: new Retries(bound), claim: null }, terms)
    }
    const asking = this.#asking.get(transaction)
    const leftMs = countdown(this.#clock, terms.deadlineMs)
    if (asking !== undefined) {
      await asking
      return this.submit(submission, options, { ...terms, deadlineMs: leftMs() })
    }
    const turn = await this.#take(this.#turns, transaction, bound > 0, terms.deadlineMs)
    if (turn.kind === 'accepted') return acceptance(signature)
    if (turn.kind !== 'ours') throw turn.kind === 'late' ? late() : spent()
    const retries = new Retries(Math.min(turn.retries ?? bound, bound))
    const sending = { outgoing, retries, claim: turn.claim }
    return this.#send(submission, sending, { ...terms, deadlineMs: leftMs() })
  }

  close(): void {
    this.pending.close()
  }

  /** Whose turn it is; who submits the same here meanwhile waits for that. */
  async #take(
    turns: Leases,
    transaction: string,
    claims: boolean,
    deadlineMs: number,
  ): Promise<LeaseOutcome> {
    const taking = turns.take(transaction, { claims, deadlineMs })
    // What is not sent again is not known here either: whoever submits it again is let through.
    if (!claims) return taking
    this.#asking.set(transaction, taking)
    try {
      return await taking
    } finally {
      this.#asking.delete(transaction)
    }
  }

  async #send({ wire }: Submission, sending: Sending, terms: SubmitTerms): Promise<RpcReply> {
    const { deadlineMs, scope, arrival } = terms
    const { outgoing, retries, claim } = sending
    const blockhash = encodeBase58(wire.blockhash())
    const notes = this.receipts.begin(wire.signature(0), arrival)
    const lag = {
      isLag: (error: Buffer) => isBlockhashNotFound(error) && this.blockhashes.verdict(blockhash) === 'valid',
      mayRetry: () => retries.mayRetry(),
    }
    const reply = this.#rpc.submissions.submit(outgoing, { deadlineMs, scope, lag, trace: notes })
    if (claim !== null) {
      const release = (): void => claim.release(retries.handOver())
      reply.then(({ error }) => (error === null ? claim.accepted() : release()), release)
    }
    if (retries.left > 0) {
      const isNonce = isDurableNonce(wire)
      this.pending.follow({ outgoing, blockhash, isDurableNonce: isNonce, retries, notes, reply, claim })
    }
    return this.#told(await reply, blockhash, terms)
  }

  /** A refusal for a blockhash that has expired says so. */
  async #told(reply: RpcReply, blockhash: string, terms: SubmitTerms): Promise<RpcReply> {
    if (reply.error === null || !isBlockhashNotFound(reply.error)) return reply
    if (this.blockhashes.verdict(blockhash) === 'unclear') await this.#askHeight(terms)
    return this.blockhashes.verdict(blockhash) === 'expired' ? withExpired(reply) : reply
  }

  async #askHeight({ scope }: SubmitTerms): Promise<void> {
    const asked = this.#rpc.read('getBlockHeight', CONFIRMED, HEIGHT_DEADLINE_MS, scope, 'research')
    const reply = await asked.catch(isUsual)
    if (reply !== undefined) this.blockhashes.learn('getBlockHeight', CONFIRMED, reply)
  }
}

function isUsual(error: unknown): undefined {
  if (!(error instanceof GatewayError)) throw error
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
