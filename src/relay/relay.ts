/**
 * The relay: the path of a JSON-RPC call to a node and back.
 *
 *   params checked -> transactions parsed -> budget spent -> signatures
 *   verified -> forwarded, rebuilt from what was checked -> the node's
 *   answer, byte for byte, with the client's id
 *
 * Nothing that costs the node or a signature check happens before the budget.
 *
 * Source: §4.9
 */

import type { Access } from '../chains/access.ts'
import { splicedPieces, spliceId } from '../chains/json/splice.ts'
import { encodeBase58 } from '../chains/solana/base58.ts'
import type { Verifier } from '../chains/solana/signatures/verifier.ts'
import type { WireTransaction } from '../chains/solana/wire.ts'
import { Call } from '../flow/call.ts'
import { timed } from '../flow/timing.ts'
import { SharedPieces } from '../http/reply/representation.ts'
import type { Exchange } from '../http/request/exchange.ts'
import type { Result } from '../http/route.ts'
import type { Clock } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import type { SolanaRpcRequest } from '../runtime/resources/solrpc.ts'
import { refuseInput } from '../runtime/validate.ts'
import { isLong } from '../upstream/nodes/json-rpc.ts'
import type { ReadReply, SolanaRpc } from '../upstream/nodes/solana/rpc.ts'
import { CallReader, type RelayCall } from './calls.ts'
import type { Methods, RelayMethod } from './methods/methods.ts'
import type { BatchOptions, SendOptions, SimulationOptions } from './methods/params.ts'
import { simulationParams } from './methods/rebuild.ts'
import { RelayReads } from './reads/reads.ts'
import { batchReply, forwardBatch } from './submissions/batch.ts'
import { describeRefusal, PREFLIGHT_REQUIRED } from './submissions/refusals.ts'
import { SignatureChecker } from './submissions/signatures.ts'
import { type ParsedTransaction, parseBatch, parseTransaction } from './submissions/submission.ts'
import type { Submissions, SubmitTerms } from './submissions/submissions.ts'

interface RelayOptions {
  readonly rpc: SolanaRpc
  readonly verifier: Verifier
  /** The methods that are relayed. */
  readonly methods: Methods
  readonly submissions: Pick<Submissions, 'submit' | 'blockhashes'>
  /** The most bytes of a transaction of version 1. */
  readonly maxV1Bytes: number
  /** How long cluster-wide answers are cached; null: each read is a call of its own. */
  readonly readCacheMs: number | null
  /** Which programs may be called, and which accounts are refused. */
  readonly access: Access
  readonly clock: Clock
}

/** A call with its method and its exchange. */
interface Task {
  readonly method: RelayMethod
  readonly id: Buffer | null
  readonly exchange: Exchange
}

export class Relay {
  readonly reads: RelayReads
  readonly #options: RelayOptions
  readonly #signatures: SignatureChecker
  readonly #calls: CallReader

  constructor(options: RelayOptions) {
    const { rpc, verifier, methods, readCacheMs, clock } = options
    this.#options = options
    this.reads = new RelayReads({ rpc, clock, keepMs: readCacheMs })
    this.#calls = new CallReader(methods)
    this.#signatures = new SignatureChecker(verifier, { clock })
  }

  /** How long a submission waits for its signatures to be checked, ms. */
  get waitMs(): number {
    return this.#signatures.waitMs
  }

  /** Reads a body's bytes, as CallReader does. */
  read(bytes: Buffer, checked: () => SolanaRpcRequest): RelayCall {
    return this.#calls.read(bytes, checked)
  }

  /**
   * Answers one call; null if a budget refused it.
   *
   * @throws GatewayError  400 for what is refused here, 502 or a passed-through status for a node's fault
   */
  handle({ method: name, params, id }: RelayCall, exchange: Exchange): Result | Promise<Result> {
    const method = this.#options.methods.get(name)!
    exchange.rpc = method.name
    const { validate } = exchange.timing
    validate.begin()
    const validator = method.validator()
    if (!validator.Check(params)) throw refuseInput(validator, params, 'params')
    const forward = this.#checked({ method, id, exchange }, params)
    validate.end()
    return exchange.withBudget(method.budget, forward)
  }

  /**
   * Checks what the schema does not.
   * @returns forwards the call, once its budget is spent
   */
  #checked(task: Task, params: readonly unknown[]): () => Result | Promise<Result> {
    const { method } = task
    const { maxV1Bytes, access } = this.#options
    switch (method.kind) {
      case 'read':
        return this.#reading(task, method.rebuild(params))
      case 'simulate': {
        const options = params[1] as SimulationOptions | null | undefined
        const { base64, wire } = parseTransaction(params[0] as string, options, undefined, maxV1Bytes)
        requireAllowed(wire, access)
        return this.#reading(task, simulationParams(base64, options))
      }
      case 'send': {
        const options = params[1] as SendOptions | null | undefined
        const transaction = parseTransaction(params[0] as string, options, undefined, maxV1Bytes)
        requireAllowed(transaction.wire, access)
        requirePreflight(options)
        return () => this.#send(task, transaction, options)
      }
      case 'batch': {
        const options = params[1] as BatchOptions | null | undefined
        const batch = parseBatch(params[0] as readonly string[], options, maxV1Bytes)
        for (const [transaction, { wire }] of batch.entries()) requireAllowed(wire, access, transaction)
        requirePreflight(options)
        return () => this.#sendBatch(task, batch, options)
      }
    }
  }

  #reading({ method, id, exchange }: Task, paramsJson: string): () => Result | Promise<Result> {
    const read = { method: method.name, paramsJson }
    return () => {
      const cached = this.reads.cached(read, exchange.client)
      if (cached !== null) {
        exchange.sharedAnswer = 'cached'
        return replyWith(cached, id)
      }
      const call = Call.of(this.#options.clock, 'build', method.deadlineMs, exchange.scope())
      return this.reads.answer(read, call).then(({ reply, source }) => {
        if (source === 'coalesced') exchange.sharedAnswer = 'coalesced'
        else this.#options.submissions.blockhashes.learn(method.name, paramsJson, reply)
        // A submission follows, which would wait for the first table.
        if (method.name === 'getLatestBlockhash') this.#prepareTables()
        return replyWith(reply, id)
      })
    }
  }

  async #send(
    { method, id, exchange }: Task,
    transaction: ParsedTransaction,
    options: SendOptions | null | undefined,
  ): Promise<Result> {
    const terms = await this.#verify([transaction], method, exchange)
    const reply = await this.#options.submissions.submit(transaction, options, terms)
    this.#prepareTables()
    return spliceId(reply.body, reply.id, id)
  }

  async #sendBatch(
    { method, id, exchange }: Task,
    batch: readonly ParsedTransaction[],
    options: BatchOptions | null | undefined,
  ): Promise<Result> {
    const terms = await this.#verify(batch, method, exchange)
    const entries = await forwardBatch(batch, options?.independent === true, (transaction) =>
      this.#options.submissions.submit(transaction, options, terms),
    )
    this.#prepareTables()
    return batchReply(entries, id)
  }

  /** When the first of them expires; monotonic, ms. */
  #expireAt(transactions: readonly ParsedTransaction[]): number {
    const { blockhashes } = this.#options.submissions
    return Math.min(...transactions.map(({ wire }) => blockhashes.expiresAt(encodeBase58(wire.blockhash()))))
  }

  /** A signer's table takes a millisecond, and the first one 12, so they are made after the client has its answer. */
  #prepareTables(): void {
    setImmediate(() => this.#options.verifier.prepareTables())
  }

  /**
   * Verifies the signatures.
   * @returns what the submissions go out under
   * @throws GatewayError  naming the first signature that does not hold
   */
  async #verify(
    transactions: readonly ParsedTransaction[],
    { deadlineMs }: RelayMethod,
    exchange: Exchange,
  ): Promise<SubmitTerms> {
    const parsedAt = this.#options.clock.now()
    await timed(exchange.timing.verify, () => this.#requireSigned(transactions))
    const arrival = { startedAt: exchange.timing.startedAt, parsedAt, verifiedAt: this.#options.clock.now() }
    return { call: Call.of(this.#options.clock, 'build', deadlineMs, exchange.scope().detached()), arrival }
  }

  /** @throws GatewayError  naming the first signature that does not hold */
  async #requireSigned(transactions: readonly ParsedTransaction[]): Promise<void> {
    const bad = await this.#signatures.findBad(
      transactions.map(({ wire }) => wire),
      () => this.#expireAt(transactions),
    )
    if (bad === null) return
    const { code, index, transaction } = bad
    const fields = transactions.length === 1 ? { index } : { index, transaction }
    throw new GatewayError(code, describeRefusal(code), fields)
  }
}

/** A node's reply with the client's id. A long one isn't copied: the clients that share it hold it once. */
function replyWith(reply: ReadReply, id: Buffer | null): Result {
  if (!isLong(reply)) return spliceId(reply.body, reply.id, id)
  return new SharedPieces(splicedPieces(reply.body, reply.id, id), null, reply.body)
}

/**
 * @throws GatewayError  for `skipPreflight: true`: without preflight the client
 * would not learn of a failure
 */
function requirePreflight(options: SendOptions | null | undefined): void {
  if (options?.skipPreflight !== true) return
  throw new GatewayError('preflight_required', PREFLIGHT_REQUIRED, { field: 'params[1].skipPreflight' })
}

/**
 * @param transaction  its index in a batch
 * @throws GatewayError  program_not_allowed, address_refused
 */
function requireAllowed(wire: WireTransaction, access: Access, transaction?: number): void {
  const of = transaction === undefined ? {} : { transaction }
  const foreign = access.foreignProgram(wire)
  if (foreign !== null) {
    const message = `Instruction ${foreign.index} calls ${foreign.address}, which is not among the programs that this gateway's operator allows.`
    throw new GatewayError('program_not_allowed', message, { ...foreign, ...of })
  }
  const address = access.refusedAccount(wire)
  if (address === null) return
  const message = `The transaction names ${address}, which this gateway's operator refuses.`
  throw new GatewayError('address_refused', message, { field: 'params[0]', address, ...of })
}
