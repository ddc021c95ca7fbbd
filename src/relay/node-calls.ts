/**
 * What RPC_COMPAT=node takes beyond the specification, as a node does: calls without params, calls without an
 * id, and arrays of reads. Each call of an array is checked, charged and answered like a single one;
 * submissions aren't allowed in arrays.
 *
 * Source: JSON-RPC 2.0 §4.1, §6 · paritytech/jsonrpc core/src/io.rs
 */
import { Items } from '../chains/json/member.ts'
import { SharedPieces } from '../http/reply/representation.ts'
import type { Exchange } from '../http/request/exchange.ts'
import type { Result } from '../http/route.ts'
import { type Code, GatewayError } from '../runtime/errors.ts'
import { type NodeRpcCall, type NodeRpcRequest, nodeRpcCall } from '../runtime/resources/solrpc.ts'
import { compile, refuseInput, type Validator } from '../runtime/validate.ts'
import { CallReader, type RelayCall } from './calls.ts'
import type { Methods } from './methods/methods.ts'
import { RPC_ERRORS, rpcErrorOf } from './methods/rpc-error.ts'
import type { Relay } from './relay.ts'

/** The bound on an array's answers: they are held until the last of them is there. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** The body of an answer to a call without an id. */
const NOTHING = Buffer.alloc(0)
const NULL = Buffer.from('null')

/** How a call of an array ended: with its answer, without one, or because its budget is used up. */
type Outcome = readonly Buffer[] | typeof UNANSWERED | typeof NO_ROOM
const UNANSWERED = Symbol('a call without an id')
const NO_ROOM = Symbol('no room in the budget')

interface NodeCallsOptions {
  readonly relay: Pick<Relay, 'handle'>
  readonly methods: Methods
}

/** An array of calls, and the bytes that they came in. */
interface CallArray {
  readonly calls: readonly unknown[]
  readonly bytes: Buffer
}

export class NodeCalls {
  readonly #options: NodeCallsOptions
  readonly #calls: CallReader
  /** For one call of an array; compiled on first use. */
  #validator: Validator | null = null

  constructor(options: NodeCallsOptions) {
    this.#options = options
    this.#calls = new CallReader(options.methods)
  }

  /** Like Relay.read. */
  read(bytes: Buffer, checked: () => NodeRpcRequest): RelayCall | CallArray {
    const body = checked()
    return Array.isArray(body) ? { calls: body, bytes } : this.#callOf(body as NodeRpcCall, bytes)
  }

  /** Like Relay.handle. */
  handle(body: RelayCall | CallArray, exchange: Exchange): Result | Promise<Result> {
    if ('calls' in body) return this.#answerAll(body, exchange)
    return body.id === null
      ? exchange.withBudget('rpcRead', () => NOTHING)
      : this.#options.relay.handle(body, exchange)
  }

  async #answerAll({ calls, bytes }: CallArray, exchange: Exchange): Promise<Result> {
    const items = new Items(bytes, 0)
    const texts = calls.map(() => {
      const { start, end } = items.next()!
      return bytes.subarray(start, end)
    })
    const room = { left: MAX_ANSWER_BYTES }
    const outcomes = await Promise.all(
      calls.map((call, at) => this.#outcomeOf(call, texts[at]!, exchange, room)),
    )
    exchange.rpc = 'array'
    if (outcomes.every((outcome) => outcome === NO_ROOM)) return null
    const answers = outcomes.map((outcome, at) =>
      outcome === NO_ROOM ? this.#refuse(texts[at]!, exhausted(exchange)) : outcome,
    )
    return joined(answers.filter((answer) => answer !== UNANSWERED))
  }

  /** @param room  for the answers still to come */
  async #outcomeOf(
    call: unknown,
    text: Buffer,
    exchange: Exchange,
    room: { left: number },
  ): Promise<Outcome> {
    let asked: Result | typeof UNANSWERED | Promise<Result>
    try {
      asked = this.#begin(call, text, exchange)
    } catch (error) {
      // It costs as much as an answer: otherwise an array of them would be free.
      const refusal = this.#refuse(text, error)
      return (await exchange.withBudget('rpcRead', () => refusal)) ?? NO_ROOM
    }
    if (asked === UNANSWERED) return (await exchange.withBudget('rpcRead', () => UNANSWERED)) ?? NO_ROOM
    try {
      const pieces = piecesOf(await asked)
      if (pieces === null) return NO_ROOM
      if (room.left < bytesOf(pieces)) throw tooLong()
      room.left -= bytesOf(pieces)
      return pieces
    } catch (error) {
      return this.#refuse(text, error)
    }
  }

  /** @throws GatewayError  for a call that is refused before it has cost anything */
  #begin(call: unknown, text: Buffer, exchange: Exchange): Result | typeof UNANSWERED | Promise<Result> {
    const { relay, methods } = this.#options
    this.#validator ??= compile(nodeRpcCall([...methods.values()].map(({ name }) => name)))
    if (!this.#validator.Check(call)) throw refuseInput(this.#validator, call)
    const checked = call as NodeRpcCall
    if (isNotification(checked)) return UNANSWERED
    this.#requireRead(checked)
    try {
      return relay.handle(this.#callOf(checked, text), exchange)
    } catch (error) {
      // A refused call is not timed any further.
      const { validate } = exchange.timing
      if (validate.isOpen) validate.end()
      throw error
    }
  }

  #callOf({ method, params }: NodeRpcCall, bytes: Buffer): RelayCall {
    return { method, params: params ?? [], id: this.#calls.idIn(bytes) }
  }

  /** @throws GatewayError  for a submission */
  #requireRead({ method }: NodeRpcCall): void {
    const { kind } = this.#options.methods.get(method)!
    if (kind !== 'send' && kind !== 'batch') return
    const message = `An array holds reads only; send ${method} alone.`
    throw new GatewayError('submission_in_array', message, { field: 'method' })
  }

  /**
   * The answer to a call that is refused, with the Error body as `data`.
   * @throws anything that isn't a GatewayError
   */
  #refuse(text: Buffer, error: unknown): readonly Buffer[] {
    if (!(error instanceof GatewayError)) throw error
    const rawId = this.#calls.idOfRefused(text) ?? NULL
    const code =
      RPC_CODES[error.code] ?? (error.code === 'invalid_parameter' ? codeOf(error) : RPC_ERRORS.internal)
    return [Buffer.from(`{"jsonrpc":"2.0","error":${rpcErrorOf(code, error)},"id":`), rawId, CLOSE]
  }
}

const CLOSE = Buffer.from('}')

const RPC_CODES: Readonly<Partial<Record<Code, number>>> = {
  method_not_allowed: RPC_ERRORS.methodNotFound,
  submission_in_array: RPC_ERRORS.invalidRequest,
}

/** An agave node answers -32602 for wrong params, and -32600 for any other wrong member. */
const codeOf = ({ fields }: GatewayError): number =>
  fields.field?.startsWith('params') ? RPC_ERRORS.invalidParams : RPC_ERRORS.invalidRequest

const isNotification = (call: NodeRpcCall): boolean => !Object.hasOwn(call, 'id')

function tooLong(): GatewayError {
  const message =
    'The answers of an array must be at most 4 MiB together; send this call alone, or ask for less.'
  return new GatewayError('array_answer_too_long', message)
}

/** The refusal of the budget that refused last. */
function exhausted({ refusal }: Exchange): GatewayError {
  const { name, refusedBy, retryAfterMs } = refusal!
  const message = `The ${name} budget has no room for this call of the array; try again after retryAfterMs.`
  return new GatewayError('budget_exhausted', message, { budget: `${name}-${refusedBy}`, retryAfterMs })
}

/** @returns null if a budget refused */
function piecesOf(result: Result): readonly Buffer[] | null {
  if (result === null || Buffer.isBuffer(result)) return result && [result]
  if (result instanceof SharedPieces) return result.pieces
  throw new TypeError('the relay answers bytes')
}

const bytesOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0)

/** An array of the answers; nothing if there are none. */
function joined(answers: readonly (readonly Buffer[])[]): Buffer {
  if (answers.length === 0) return NOTHING
  const parts = answers.flatMap((pieces, at) => [Buffer.from(at === 0 ? '[' : ','), ...pieces])
  return Buffer.concat([...parts, Buffer.from(']')])
}
