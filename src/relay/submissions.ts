/**
 * A verified transaction, from here to the nodes and back: sent once however
 * often the same bytes come, followed until it has landed, and told apart where
 * its blockhash was not found.
 *
 * Source: §4.9
 */
import { CLOCK, type Clock } from '../clock.ts'
import type { Funnel } from '../counts/funnel.ts'
import { GatewayError } from '../errors.ts'
import type { RpcReply, SolanaRpc } from '../nodes/solana-rpc.ts'
import type { Outgoing } from '../nodes/solana-submissions.ts'
import { encodeBase58 } from '../solana/base58.ts'
import type { Caller } from '../upstream/caller.ts'
import { Blockhashes } from './blockhashes.ts'
import { isBlockhashNotFound, withExpired } from './expired.ts'
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
const CONFIRMED = '[{"commitment":"confirmed"}]'

export interface SubmissionsOptions {
  readonly rpc: SolanaRpc
  readonly statuses: StatusPoller
  /** Bound of a submission's `maxRetries`, and of how often it is sent again. */
  readonly maxRetries: number
  /** Told how far transactions get. */
  readonly funnel?: Pick<Funnel, 'count'> | null
  readonly clock?: Clock
}

/** On whose account and how long. */
export interface SubmitTerms {
  readonly deadlineMs: number
  readonly caller: Caller
  readonly arrival: Arrival
}

export class Submissions {
  readonly blockhashes: Blockhashes
  readonly pending: Pending
  readonly receipts: Receipts
  readonly #rpc: SolanaRpc
  readonly #maxRetries: number

  constructor({ rpc, statuses, maxRetries, funnel = null, clock = CLOCK }: SubmissionsOptions) {
    this.#rpc = rpc
    this.#maxRetries = maxRetries
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
    return this.#send(submission, options, outgoing, terms)
  }

  close(): void {
    this.pending.close()
  }

  async #send(
    { wire }: Submission,
    options: SendOptions | null | undefined,
    outgoing: Outgoing,
    terms: SubmitTerms,
  ): Promise<RpcReply> {
    const { deadlineMs, caller, arrival } = terms
    const blockhash = encodeBase58(wire.blockhash())
    const retries = new Retries(retriesOf(options, this.#maxRetries))
    const notes = this.receipts.begin(wire.signature(0), arrival)
    const lag = {
      isLag: (error: Buffer) => isBlockhashNotFound(error) && this.blockhashes.verdict(blockhash) === 'valid',
      mayRetry: () => retries.mayRetry(),
    }
    const reply = this.#rpc.submissions.submit(outgoing, { deadlineMs, caller, lag, trace: notes })
    if (retries.left > 0) {
      this.pending.follow({
        outgoing,
        blockhash,
        isDurableNonce: isDurableNonce(wire),
        retries,
        notes,
        reply,
      })
    }
    return this.#told(await reply, blockhash, terms)
  }

  /** A refusal for a blockhash that has expired says so. */
  async #told(reply: RpcReply, blockhash: string, terms: SubmitTerms): Promise<RpcReply> {
    if (reply.error === null || !isBlockhashNotFound(reply.error)) return reply
    if (this.blockhashes.verdict(blockhash) === 'unclear') await this.#askHeight(terms)
    return this.blockhashes.verdict(blockhash) === 'expired' ? withExpired(reply) : reply
  }

  async #askHeight({ caller }: SubmitTerms): Promise<void> {
    const asked = this.#rpc.read('getBlockHeight', CONFIRMED, HEIGHT_DEADLINE_MS, caller, 'research')
    const reply = await asked.catch(isUsual)
    if (reply !== undefined) this.blockhashes.learn('getBlockHeight', CONFIRMED, reply)
  }
}

function isUsual(error: unknown): undefined {
  if (!(error instanceof GatewayError)) throw error
}
