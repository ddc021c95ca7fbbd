/**
 * One JSON-RPC 2.0 call: the request's bytes, and the check that a reply is the
 * response to it. The reply is never decoded, so that the relay can pass it on
 * byte for byte.
 *
 * Source: JSON-RPC 2.0 §4, §5
 */

import { parsedOrNone } from '../../chains/json/parse.ts'
import { EnvelopeScan, ERROR, ID, type IdRange, JSONRPC, RESULT } from '../../chains/json/scan.ts'
import { PiecesScan } from '../../chains/json/scan-pieces.ts'
import { inPieces, joinInPieces } from '../../flow/loop-share.ts'
import { headOf, Pieces } from '../../flow/pieces.ts'
import type { Code } from '../../runtime/errors.ts'
import { type AboutUpstream, DENIED, LIMITED, type UpstreamRequest } from '../request.ts'
import { aboutOf, type Family, isFailure, type NodeError } from './node-errors.ts'

/** A response's content, as JSON text: exactly one of the two is not null. */
export interface RpcAnswer<Bytes extends Buffer | Pieces = Buffer> {
  readonly result: Bytes | null
  readonly error: Bytes | null
}

/** A usable response, as received; the answer is a view of its body. */
export interface RpcReply<Bytes extends Buffer | Pieces = Buffer> extends RpcAnswer<Bytes> {
  /** The whole reply; other requests may share it, so it is read only. */
  readonly body: Bytes
  /** The position of the reply's id, for spliceId. */
  readonly id: IdRange
}

/** The question of a call. */
export interface RpcQuestion {
  /** The gateway's own: a client's call without an id would be a notification upstream. */
  readonly id: number
  /** A name that needs no escaping. */
  readonly method: string
  /** A JSON array or object. */
  readonly paramsJson: string
  /** False for a call that must not go out twice. */
  readonly resend?: boolean
}

/** Scratch space, used only while a reply is read. */
const SCAN = new EnvelopeScan()

/** A response to a read, which is not joined: in pieces if it is long. */
export type ReadReply = RpcReply<Buffer> | RpcReply<Pieces>

export class RpcCall implements UpstreamRequest<RpcReply> {
  readonly method = 'POST'
  readonly path = ''
  readonly body: string
  readonly passesOn = true
  readonly resend: boolean
  readonly lane: string
  readonly question: string
  readonly #id: string
  readonly #family: Family

  /** @param family  of the node, which decides what its errors mean */
  constructor(family: Family, { id, method, paramsJson, resend = true }: RpcQuestion) {
    this.#family = family
    this.#id = String(id)
    this.resend = resend
    this.lane = method
    this.question = `${method} ${paramsJson}`
    this.body = `{"jsonrpc":"2.0","id":${this.#id},"method":"${method}","params":${paramsJson}}`
  }

  /**
   * A usable reply is one object with `jsonrpc` "2.0", our `id` and either a `result` or an `error`, without
   * a duplicate. A null next to the other counts as absent, because JSON-RPC 1.0 wrote both. With a status
   * other than 200 only an `error` is usable; some providers send one with a 400.
   *
   * An error about the node's limit or the gateway's key isn't a reply: see node-errors.ts. Proxies send
   * those without the id, which they have not read.
   */
  read(status: number, body: Buffer): RpcReply | AboutUpstream | null {
    return SCAN.scan(body) ? this.replyIn(status, SCAN, body) : null
  }

  /** @returns null if the reply is not usable */
  protected replyIn<Bytes extends Buffer | Pieces>(
    status: number,
    scan: EnvelopeScan,
    body: Bytes,
  ): RpcReply<Bytes> | AboutUpstream | null {
    const about = this.#aboutUpstream(scan, body)
    if (about !== null) return about
    const member = this.#answerOf(status, scan, body)
    if (member === null) return null
    const text = part(body, scan.start(member), scan.end(member))
    const isError = member === ERROR
    return { body, result: isError ? null : text, error: isError ? text : null, id: scan.id }
  }

  failureOf({ error }: ReadReply): Code | null {
    return error !== null && isFailure(this.#family, errorFields(error)) ? 'upstream_failed' : null
  }

  isFault({ error }: ReadReply): boolean {
    return error !== null && aboutOf(this.#family, errorFields(error)) === 'fault'
  }

  /** @returns null for a reply to this call, or to another one */
  #aboutUpstream(scan: EnvelopeScan, body: Buffer | Pieces): AboutUpstream | null {
    if (!scan.isObject || !scan.has(ERROR)) return null
    if (scan.has(RESULT) && !isNull(body, scan.start(RESULT), scan.end(RESULT))) return null
    const start = scan.start(ID)
    const end = scan.end(ID)
    if (scan.has(ID) && !isNull(body, start, end) && !isText(body, start, end, this.#id)) return null
    const about = aboutOf(this.#family, errorFields(part(body, scan.start(ERROR), scan.end(ERROR))))
    return about === LIMITED || about === DENIED ? about : null
  }

  /** @returns null if the reply is not usable */
  #answerOf(status: number, scan: EnvelopeScan, body: Buffer | Pieces): typeof RESULT | typeof ERROR | null {
    if (!scan.isObject || scan.duplicate) return null
    if (!isText(body, scan.start(JSONRPC), scan.end(JSONRPC), '"2.0"')) return null
    if (!isText(body, scan.start(ID), scan.end(ID), this.#id)) return null
    const isError = scan.has(ERROR) && !(scan.has(RESULT) && isNull(body, scan.start(ERROR), scan.end(ERROR)))
    const isResult =
      scan.has(RESULT) && !(scan.has(ERROR) && isNull(body, scan.start(RESULT), scan.end(RESULT)))
    if (isError === isResult || (status !== 200 && !isError)) return null
    return isError ? ERROR : RESULT
  }
}

/** A call whose answer may be long: it is scanned in turns, and not joined. */
export class ReadCall extends RpcCall implements UpstreamRequest<ReadReply> {
  async readPieces(status: number, body: Pieces): Promise<RpcReply<Pieces> | AboutUpstream | null> {
    const scan = new PiecesScan(body)
    let isJson: boolean | null = null
    await inPieces(() => (isJson = scan.step()) === null)
    return isJson ? this.replyIn(status, scan.envelope, body) : null
  }
}

/** The joined answer of a read, for callers that need all of it. A long one is copied in turns. */
export async function joinedAnswer(reply: ReadReply): Promise<RpcAnswer> {
  if (!isLong(reply)) return reply
  const { result, error } = reply
  const text = await joinInPieces((result ?? error!).parts)
  return result === null ? { result, error: text } : { result: text, error: null }
}

export const isLong = (reply: ReadReply): reply is RpcReply<Pieces> => reply.body instanceof Pieces

/** The answer of a node that accepted a transaction, composed here. @param signature  in base58 */
export function acceptance(signature: string): RpcReply {
  const body = Buffer.from(`{"jsonrpc":"2.0","result":"${signature}","id":1}`)
  const end = body.length - '}'.length
  const cutStart = end - ',"id":1'.length
  const result = body.subarray(body.indexOf('"result":') + '"result":'.length, cutStart)
  return { body, result, error: null, id: { start: end - 1, end, cutStart, cutEnd: end } }
}

/** A longer error isn't examined; the logs of a preflight have about ten thousand bytes. */
const MAX_ERROR_BYTES = 256 * 1024

/** @returns an error's members; none if it is too long. Proxies may write a bare message */
export function errorFields(error: Buffer | Pieces): NodeError {
  const value = error.length > MAX_ERROR_BYTES ? null : parsedOrNone(headOf(error, error.length))
  if (typeof value === 'string') return { message: value }
  return typeof value === 'object' && value !== null ? value : {}
}

const part = <Bytes extends Buffer | Pieces>(bytes: Bytes, start: number, end: number): Bytes =>
  (bytes instanceof Pieces ? bytes.slice(start, end) : bytes.subarray(start, end)) as Bytes

const isNull = (bytes: Buffer | Pieces, start: number, end: number): boolean =>
  isText(bytes, start, end, 'null')

/** Whether the bytes from start to end are this ASCII text. */
function isText(bytes: Buffer | Pieces, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false
  if (bytes instanceof Pieces) return isText(bytes.bytes(start, end), 0, text.length, text)
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false
  return true
}
