/**
 * One call to an EVM node, in three kinds by what its result is.
 *
 * A call that the contract refuses is an answer, not a fault: nodes say it in
 * many words, and which words is decided here. Every other error is the node's
 * own (rate limits, a missing block, a method that is switched off), and the
 * next one is asked.
 *
 * Source: ethereum/execution-apis · geth core/vm/errors.go · EIP-1474 (error codes)
 */

import { parsedOrNone } from '../../chains/json/parse.ts'
import type { Code } from '../../runtime/errors.ts'
import { LIMITED, type UpstreamRequest } from '../call.ts'
import { errorCode, errorFields, type RpcCall } from './json-rpc.ts'

/**
 * What an answer shows of the node that gave it: `behind`, where it is right and old, so that another
 * may know more; `foreign`, where the node is of another chain or lacks what every node of this one has.
 */
export type Shown = 'sound' | 'behind' | 'foreign'
export type Judge = (hex: string) => Shown

export interface HexAnswer {
  /** null where there is none, because the call reverted or the node is unwell. */
  readonly hex: string | null
  readonly isUnwell: boolean
  readonly shows: Shown
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
  readonly #judge: Judge

  constructor(call: RpcCall, accepts: (text: string) => boolean, judge: Judge = () => 'sound') {
    this.#call = call
    this.#accepts = accepts
    this.#judge = judge
    this.body = call.body
    this.question = call.question
  }

  read(status: number, body: Buffer): HexAnswer | typeof LIMITED | null {
    const reply = this.#call.read(status, body)
    // A status such as 404 or 413 is about where the node is and what it takes: the caller cannot mend it.
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

interface Found<Thing> {
  readonly thing: Thing
}

/** The node has not got what it was asked for. */
export const ABSENT: Found<null> = { thing: null }
/** The node answered with an error. */
export const REFUSED: Found<null> = { thing: null }

/** A call whose result may be null. */
export class LookCall<Thing extends object> implements UpstreamRequest<Found<Thing | null>> {
  readonly method = 'POST'
  readonly path = ''
  readonly resend = true
  readonly body: string
  readonly question: string
  readonly #call: RpcCall
  readonly #read: (result: unknown) => Thing | null

  constructor(call: RpcCall, read: (result: unknown) => Thing | null) {
    this.#call = call
    this.#read = read
    this.body = call.body
    this.question = call.question
  }

  read(status: number, body: Buffer): Found<Thing | null> | typeof LIMITED | null {
    const reply = this.#call.read(status, body)
    if (reply === null) return status === 200 ? null : REFUSED
    if (reply.error !== null) return LIMIT_CODES.has(errorCode(reply.error)) ? LIMITED : REFUSED
    const result = parsedOrNone(reply.result!)
    if (result === null) return ABSENT
    const thing = this.#read(result)
    return thing === null ? null : { thing }
  }

  failureOf(found: Found<Thing | null>): Code | null {
    return found === REFUSED ? 'upstream_failed' : null
  }
}

interface TextAnswer {
  /** The result; null for an error. */
  readonly text: string | null
  /** The node does not know the method. */
  readonly isUnknown: boolean
  /** What answered is no node. */
  readonly isForeign: boolean
}

/** A call whose result is read by whoever asks. */
export class TextCall implements UpstreamRequest<TextAnswer> {
  readonly method = 'POST'
  readonly path = ''
  readonly resend = true
  readonly body: string
  readonly question: string
  readonly #call: RpcCall

  constructor(call: RpcCall) {
    this.#call = call
    this.body = call.body
    this.question = call.question
  }

  read(status: number, body: Buffer): TextAnswer | typeof LIMITED | null {
    const reply = this.#call.read(status, body)
    if (reply === null) return status === 200 ? null : { text: null, isUnknown: false, isForeign: true }
    if (reply.error === null) return { text: reply.result!.toString(), isUnknown: false, isForeign: false }
    if (LIMIT_CODES.has(errorCode(reply.error))) return LIMITED
    return { text: null, isUnknown: isMethodUnknown(reply.error), isForeign: false }
  }

  failureOf({ isForeign }: TextAnswer): Code | null {
    return isForeign ? 'upstream_failed' : null
  }
}

/** So much of an error's message is looked at: some of the patterns go over it again for each word of theirs. */
const MAX_CHARACTERS = 512

const METHOD_NOT_FOUND = -32_601
/** The words of a node that has other codes for a method which it lacks or which its operator switched off. */
const METHOD_MISSING =
  /\bmethod\b.*\b(not (be )?(found|supported|available|allowed|enabled|whitelisted)|does(n.t| not) exist|unsupported|disabled|unavailable)|(unknown|unsupported|unavailable|disabled|no such) method/i

/** Whether an error says that the node lacks a method, whatever it was asked with. */
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

/** Whether an error says that the EVM ended the call: by REVERT, or by a failure that every node would see. */
function isRevert(error: Buffer): boolean {
  const { code, message } = errorFields(error)
  return (
    REVERT_CODES.has(code) ||
    (typeof message === 'string' && EVM_FAILURE.test(message.slice(0, MAX_CHARACTERS)))
  )
}

/** The codes of "limit exceeded", and what many public nodes say in its place. */
const LIMIT_CODES: ReadonlySet<number | null> = new Set([-32005, 429])
/**
 * The codes of a revert: geth's and anvil's with data; Nethermind's and
 * OpenEthereum's "VM execution error".
 */
const REVERT_CODES: ReadonlySet<unknown> = new Set([3, -32015])
/** The words of a failed call, for nodes that say -32000 for everything. */
const EVM_FAILURE =
  /revert|invalid opcode|invalid jump|out of gas|stack underflow|stack limit reached|return data out of bounds|write protection/i
