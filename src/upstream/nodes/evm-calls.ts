/**
 * Calls to an EVM node, in three kinds by their result.
 *
 * A call that the contract reverts is an answer, not a fault. Nodes word it in
 * many ways, which this file recognizes. Every other error is the node's own (a
 * rate limit, a missing block, a method that is switched off), and the next node
 * is asked.
 *
 * Source: ethereum/execution-apis · geth core/vm/errors.go · EIP-1474 (error codes)
 */

import { Items, memberText } from '../../chains/json/member.ts'
import { parsedOrNone } from '../../chains/json/parse.ts'
import { skipSpace } from '../../chains/json/tokens.ts'
import type { Code } from '../../runtime/errors.ts'
import { LIMITED, type UpstreamRequest } from '../call.ts'
import { errorCode, errorFields, type RpcCall } from './json-rpc.ts'

/**
 * What an answer shows of its node: `behind` where it is right but old, so that another node may know
 * more; `foreign` where the node is of another chain or lacks what every node of this one has.
 */
export type NodeCondition = 'sound' | 'behind' | 'foreign'
export type JudgeNode = (hex: string) => NodeCondition

export interface HexAnswer {
  /** Null where the call reverted or the node is unwell. */
  readonly hex: string | null
  readonly isUnwell: boolean
  readonly shows: NodeCondition
}

export const UNWELL: HexAnswer = { hex: null, isUnwell: true, shows: 'sound' }

/** A call whose result is hex in a JSON string. */
export class HexCall implements UpstreamRequest<HexAnswer> {
  readonly method = 'POST'
  readonly path = ''
  readonly resend = true
  readonly body: string
  readonly question: string
  readonly #call: RpcCall
  readonly #accepts: (text: string) => boolean
  readonly #judge: JudgeNode

  constructor(call: RpcCall, accepts: (text: string) => boolean, judge: JudgeNode = () => 'sound') {
    this.#call = call
    this.#accepts = accepts
    this.#judge = judge
    this.body = call.body
    this.question = call.question
  }

  read(status: number, body: Buffer): HexAnswer | typeof LIMITED | null {
    const reply = this.#call.read(status, body)
    // A status such as 404 or 413 is about the node's URL or bounds, not about the call.
    if (reply === null) return status === 200 ? null : UNWELL
    if (reply.error !== null && LIMIT_CODES.has(errorCode(reply.error))) return LIMITED
    if (reply.error !== null) return { hex: null, isUnwell: !isRevert(reply.error), shows: 'sound' }
    const text = reply.result!.toString('latin1')
    if (!this.#accepts(text)) return null
    const hex = text.slice(1, -1)
    return { hex, isUnwell: false, shows: this.#judge(hex) }
  }

  failureOf({ isUnwell, shows }: HexAnswer): Code | null {
    return isUnwell || shows !== 'sound' ? 'upstream_failed' : null
  }
}

/** What a node made of a JSON-RPC array. */
export interface ArrayAnswer {
  /** In the order of the calls; null for one that it did not answer alone. Null if it takes no such array. */
  readonly answers: readonly (HexAnswer | null)[] | null
}

const NOT_TAKEN: ArrayAnswer = { answers: null }

/**
 * Several calls in one request. Responses may come in any order: each belongs to the call whose id it has,
 * and an id that is there twice belongs to none.
 *
 * Source: JSON-RPC 2.0 §6
 */
export class ArrayCall implements UpstreamRequest<ArrayAnswer> {
  readonly method = 'POST'
  readonly path = ''
  readonly resend = true
  readonly body: string
  readonly question: string
  readonly #calls: ReadonlyMap<string, HexCall>

  /** @param calls  by id */
  constructor(calls: ReadonlyMap<string, HexCall>) {
    this.#calls = calls
    this.body = `[${[...calls.values()].map(({ body }) => body).join()}]`
    this.question = [...calls.values()].map(({ question }) => question).join()
  }

  read(status: number, body: Buffer): ArrayAnswer | typeof LIMITED | null {
    // Nodes that take no array, or none this long, answer with one error, or with a status of their own.
    if (status !== 200 || body[skipSpace(body, 0)] !== OPEN_BRACKET) {
      const error = parsedOrNone(body) === null ? null : memberText(body, ['error', 'code'])
      return error !== null && LIMIT_CODES.has(Number(error)) ? LIMITED : NOT_TAKEN
    }
    const answers = new Map<string, HexAnswer | null>()
    const items = new Items(body, 0)
    for (let item = items.next(); item !== null; item = items.next()) {
      const response = body.subarray(item.start, item.end)
      const id = memberText(response, ['id'])
      const call = id === null ? undefined : this.#calls.get(id)
      if (call === undefined) continue
      const answer = answers.has(id!) ? null : call.read(200, response)
      answers.set(id!, answer === LIMITED || answer?.isUnwell ? null : answer)
    }
    return { answers: [...this.#calls.keys()].map((id) => answers.get(id) ?? null) }
  }

  failureOf({ answers }: ArrayAnswer): Code | null {
    return answers?.some((answer) => answer !== null && answer.shows !== 'sound') ? 'upstream_failed' : null
  }
}

const OPEN_BRACKET = 0x5b

interface LookAnswer<Value> {
  readonly value: Value
}

/** The node does not have what it was asked for. */
export const ABSENT: LookAnswer<null> = { value: null }
/** The node answered with an error. */
export const REFUSED: LookAnswer<null> = { value: null }

/** A call whose result may be null. */
export function lookCall<Value extends object>(
  call: RpcCall,
  readValue: (result: unknown) => Value | null,
): UpstreamRequest<LookAnswer<Value | null>> {
  return {
    ...posted(call),
    read(status, body) {
      const reply = call.read(status, body)
      if (reply === null) return status === 200 ? null : REFUSED
      if (reply.error !== null) return LIMIT_CODES.has(errorCode(reply.error)) ? LIMITED : REFUSED
      const result = parsedOrNone(reply.result!)
      if (result === null) return ABSENT
      const value = readValue(result)
      return value === null ? null : { value }
    },
    failureOf: (found) => (found === REFUSED ? 'upstream_failed' : null),
  }
}

interface TextAnswer {
  /** The result; null for an error. */
  readonly text: string | null
  /** The node does not know the method. */
  readonly isUnknown: boolean
  /** It is not a node that answered. */
  readonly isForeign: boolean
}

/** A call whose result is returned as text. */
export function textCall(call: RpcCall): UpstreamRequest<TextAnswer> {
  return {
    ...posted(call),
    read(status, body) {
      const reply = call.read(status, body)
      if (reply === null) return status === 200 ? null : { text: null, isUnknown: false, isForeign: true }
      if (reply.error === null) return { text: reply.result!.toString(), isUnknown: false, isForeign: false }
      if (LIMIT_CODES.has(errorCode(reply.error))) return LIMITED
      return { text: null, isUnknown: isMethodUnknown(reply.error), isForeign: false }
    },
    failureOf: ({ isForeign }) => (isForeign ? 'upstream_failed' : null),
  }
}

const posted = ({ body, question }: RpcCall) =>
  ({ method: 'POST', path: '', resend: true, body, question }) as const

/**
 * Only the beginning of an error's message is matched: some patterns go over it once for each of their
 * words.
 */
const MAX_CHARACTERS = 512

const METHOD_NOT_FOUND = -32_601
/** Messages of nodes that use other codes for a method which they lack or which is switched off. */
const METHOD_MISSING =
  /\bmethod\b.*\b(not (be )?(found|supported|available|allowed|enabled|whitelisted)|does(n.t| not) exist|unsupported|disabled|unavailable)|(unknown|unsupported|unavailable|disabled|no such) method/i

/** Whether an error says that the node lacks the method, whatever the params. */
function isMethodUnknown(error: Buffer): boolean {
  if (errorCode(error) === METHOD_NOT_FOUND) return true
  const { message } = errorFields(error)
  return typeof message === 'string' && METHOD_MISSING.test(message.slice(0, MAX_CHARACTERS))
}

/** Whole bytes. */
export function isData(text: string): boolean {
  return text.length % 2 === 0 && /^"0x[0-9a-fA-F]*"$/.test(text)
}

/** A number below 2^52. */
export function isQuantity(text: string): boolean {
  return /^"0x[0-9a-fA-F]{1,13}"$/.test(text)
}

/**
 * Whether an error says that the EVM ended the call: by REVERT, or by a failure that every node would
 * have.
 */
function isRevert(error: Buffer): boolean {
  const { code, message } = errorFields(error)
  return (
    REVERT_CODES.has(code) ||
    (typeof message === 'string' && EVM_FAILURE.test(message.slice(0, MAX_CHARACTERS)))
  )
}

/** The code of "limit exceeded", and the one that many public nodes use instead. */
const LIMIT_CODES: ReadonlySet<number | null> = new Set([-32005, 429])
/**
 * The codes of a revert: geth's and anvil's with data; Nethermind's and
 * OpenEthereum's "VM execution error".
 */
const REVERT_CODES: ReadonlySet<unknown> = new Set([3, -32015])
/** Messages of a failed call, for nodes whose only code is -32000. */
const EVM_FAILURE =
  /revert|invalid opcode|invalid jump|out of gas|stack underflow|stack limit reached|return data out of bounds|write protection/i
